//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch at_half_some<<<1, 32>>>(a, b, f, d, v, c, idx, 1)
#include <cuda_fp16.h>
extern "C" __global__ void at_half_some(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t % 3 == 0) atomicAdd((__half *)b + (t * 5 & 31), __float2half(1.0f));
}
