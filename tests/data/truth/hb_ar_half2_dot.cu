//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch hb_ar_half2_dot<<<2, 96>>>(a, b, f, d, v, c, idx, 1)
#include <cuda_fp16.h>
extern "C" __global__ void hb_ar_half2_dot(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    const __half2 k = __floats2half2_rn(0.3333f, -1.75f);
    __half2 acc = __float2half2_rn(0.0f), two = acc, sep = acc;
    for (int j = 0; j < 8; ++j) {
        __half2 x = __floats2half2_rn(f[t + j] * 0.01f, f[t * 2 + j] * 0.003f);
        __half2 y = __float22half2_rn(make_float2(0.1f * j, 1.7f - j));
        acc = acc + x * y;
        two = __hfma2(x, y, two);
        sep = __hadd2(sep, __hmul2_rn(x, k));
        sep = __hsub2(sep, __hmul2(y, y));
    }
    __half2 *o = (__half2 *)b + t * 4;
    o[0] = acc;
    o[1] = two * k - acc * sep;
    o[2] = __lowhigh2highlow(sep);
    o[3] = __h2div(acc, __hadd2(two, __float2half2_rn(9.0f)));
    f[900 + t] = __half2float(__hadd(__low2half(acc), __high2half(two)));
}
