//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch hgemm_naive<<<dim3(3, 5), dim3(16, 8)>>>(a, b, f, d, v, c, idx, 1)
#include <cuda_fp16.h>

extern "C" __global__ void hgemm_naive(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    const int M = 37, N = 44, K = 20;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < M && col < N) {
        __half acc = __float2half(0.0f);
        for (int k = 0; k < K; k++) {
            __half x = __int2half_rn((a[row * K + k] & 31) - 16);
            __half y = __hmul(__float2half(f[k * N + col]), __float2half(0.0078125f));
            acc = __hfma(x, y, acc);
        }
        if (__hlt(acc, __float2half(0.0f)))
            acc = __hneg(acc);
        ((__half *)b)[row * N + col] = acc;
    }
}
