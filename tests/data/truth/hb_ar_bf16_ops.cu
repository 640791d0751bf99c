//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch hb_ar_bf16_ops<<<2, 64>>>(a, b, f, d, v, c, idx, 1)
#include <cuda_bf16.h>
extern "C" __global__ void hb_ar_bf16_ops(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    __nv_bfloat16 x = __float2bfloat16(f[t] * 0.173f + 0.3f), y = __float2bfloat16(f[idx[t]] * 0.03f - 11.0f);
    __nv_bfloat16 z = __int2bfloat16_rn((idx[t] & 511) - 200);
    __nv_bfloat16 *o = (__nv_bfloat16 *)b + t * 8;
    o[0] = x * y + z;
    o[1] = __hadd(__hmul(x, y), z);
    o[2] = __hadd(__hmul_rn(x, y), z);
    o[3] = x * x - y * z;
    o[4] = __hsub(__hfma(x, y, z), __hmul(z, z));
    o[5] = x / y;
    o[6] = __hfma_relu(x, y, z);
    o[7] = __hadd_sat(x, y);
    __nv_bfloat162 p = __halves2bfloat162(x, y), q = __halves2bfloat162(z, x), s = p * q;
    __nv_bfloat162 *w = (__nv_bfloat162 *)v + t * 4;
    w[0] = s + p;
    w[1] = __hsub2(__hmul2(p, p), q);
    w[2] = __hfma2(p, q, s);
    w[3] = __hadd2_rn(__hneg2(s), __hmul2_rn(q, q));
}
