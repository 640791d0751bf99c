//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch reduce_half2<<<3, 96>>>(a, b, f, d, v, c, idx, 1)
#include <cuda_fp16.h>

extern "C" __global__ void reduce_half2(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    __shared__ half2 s[96];
    const float2 *src = (const float2 *)f;
    half2 acc = __float2half2_rn(0.0f);
    for (int k = 0; k < 4; k++) {
        float2 p = src[(blockIdx.x * 4 + k) * 96 + threadIdx.x];
        acc = __hfma2(__floats2half2_rn(p.x, p.y), __float2half2_rn(0.125f), acc);
    }
    s[threadIdx.x] = acc;
    __syncthreads();
    for (int w = 48; w >= 3; w /= 2) {
        if (threadIdx.x < w)
            s[threadIdx.x] = __hadd2(s[threadIdx.x], s[threadIdx.x + w]);
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        half2 r = __hadd2(__hadd2(s[0], s[1]), s[2]);
        ((half2 *)b)[blockIdx.x] = r;
        f[100000 + blockIdx.x] = __low2float(r) + __high2float(r);
    }
}
