//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch hb_sh_xor_swizzle<<<2, 128>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void hb_sh_xor_swizzle(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ int4 tile[128];
    int row = threadIdx.x >> 3, col = threadIdx.x & 7;
    tile[row * 8 + (col ^ (row & 7))] = v[t];
    __syncthreads();
    int r2 = threadIdx.x & 15, c2 = threadIdx.x >> 4;
    int4 x = tile[r2 * 8 + (c2 ^ (r2 & 7))];
    int4 y = tile[r2 * 8 + c2];
    const int *w = (const int *)tile;
    int z = w[(threadIdx.x * 4 + (threadIdx.x >> 3)) & 511];
    v[20000 + t] = make_int4(x.x + y.x, x.y ^ z, y.z, z);
}
