//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch at_bf162_shared<<<1, 32>>>(a, b, f, d, v, c, idx, 1)
#include <cuda_bf16.h>
extern "C" __global__ void at_bf162_shared(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ __nv_bfloat162 s[128]; s[threadIdx.x] = __float2bfloat162_rn(1.0f); __syncthreads();
    atomicAdd(&s[threadIdx.x / 2], __float2bfloat162_rn(2.0f)); __syncthreads();
    a[t] = (int)__low2float(s[threadIdx.x]);
}
