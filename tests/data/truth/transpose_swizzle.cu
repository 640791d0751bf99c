//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch transpose_swizzle<<<dim3(3, 2), dim3(32, 4)>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void transpose_swizzle(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    __shared__ int2 tile[32 * 32];
    const int2 *src = (const int2 *)a;
    int2 *dst = (int2 *)b;
    int tx = threadIdx.x, ty = threadIdx.y;
    int x0 = blockIdx.x * 32, y0 = blockIdx.y * 32;
#pragma unroll
    for (int r = ty; r < 32; r += 4)
        tile[r * 32 + (tx ^ r)] = src[(y0 + r) * 96 + x0 + tx];
    __syncthreads();
#pragma unroll
    for (int r = ty; r < 32; r += 4)
        dst[(x0 + r) * 64 + y0 + tx] = tile[tx * 32 + (r ^ tx)];
}
