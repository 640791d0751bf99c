//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch blk_transpose_f64_nopad<<<dim3(2,2), dim3(16,16)>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void blk_transpose_f64_nopad(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    __shared__ double s[16][16]; int x = threadIdx.x, y = threadIdx.y; s[y][x] = d[(y + blockIdx.y * 16) * 64 + blockIdx.x * 16 + x]; __syncthreads(); d[16384 + (blockIdx.x * 16 + y) * 64 + blockIdx.y * 16 + x] = s[x][y];
}
