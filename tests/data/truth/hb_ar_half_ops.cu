//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch hb_ar_half_ops<<<2, 64>>>(a, b, f, d, v, c, idx, 1)
#include <cuda_fp16.h>
extern "C" __global__ void hb_ar_half_ops(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    __half x = __float2half(f[t] * 0.0173f + 0.3f), y = __float2half(f[idx[t]] * 0.03f - 11.0f);
    __half z = __int2half_rn((idx[t] & 255) - 100);
    __half *o = (__half *)b + t * 12;
    o[0] = x * y + z;
    o[1] = x * y - z * x;
    o[2] = __hadd(__hmul(x, y), z);
    o[3] = __hadd(__hmul_rn(x, y), z);
    o[4] = __hsub(z, __hmul(x, x));
    o[5] = __hfma(x, y, z) - __hmul(y, z);
    o[6] = __hfma_sat(x, y, __float2half(0.5f));
    o[7] = x / y;
    __half p = y * y;
    o[8] = p + x * x + z * z;
    o[9] = -p * x;
    x += y;
    x *= z;
    x -= p;
    o[10] = x;
    o[11] = __hadd_rn(__habs(y), __hneg(z));
}
