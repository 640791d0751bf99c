//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch hb_ar_cvt_half_bf<<<2, 64>>>(a, b, f, d, v, c, idx, 1)
#include <cuda_fp16.h>
#include <cuda_bf16.h>
extern "C" __global__ void hb_ar_cvt_half_bf(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned u = (unsigned)(t + 1) * 0x9e3779b1u;
    __half h = __ushort_as_half((unsigned short)((t & 8) ? 0x7bf0 + t : u >> 16));
    __nv_bfloat16 g = __ushort_as_bfloat16((unsigned short)((t & 4) ? 0xff70 + t : u >> 15));
    int4 r;
    r.x = __half2int_rz(h) ^ (int)__half2uint_rn(h);
    r.y = __half2short_rd(h) + __half2ushort_ru(h) * 65536;
    r.z = __bfloat162int_rn(g) ^ (int)__bfloat162uint_rz(g);
    r.w = __bfloat162short_rz(g) * 3 + __bfloat162ushort_rd(g);
    v[t] = r;
    long long *o = (long long *)d;
    o[t * 4] = __half2ll_rn(h) - (long long)__half2ull_rz(h);
    o[t * 4 + 1] = __bfloat162ll_rz(g) ^ (long long)__bfloat162ull_rn(g);
    unsigned short *s = (unsigned short *)b + t * 8;
    s[0] = __half_as_ushort(__int2half_rn((int)u >> (t & 31)));
    s[1] = __half_as_ushort(__ull2half_ru((unsigned long long)u >> (t & 15)));
    s[2] = __half_as_ushort(__double2half(__half2float(h) * 1.0009765625 + 1e-7));
    s[3] = __half_as_ushort(__float2half_rz(__uint_as_float(0x38000000u + (u >> 6))));
    s[4] = __bfloat16_as_ushort(__uint2bfloat16_rn(u));
    s[5] = __bfloat16_as_ushort(__ll2bfloat16_rd(-(long long)u * (long long)(u >> 2)));
    s[6] = __bfloat16_as_ushort(__double2bfloat16((double)u * 3.0000001));
    s[7] = __bfloat16_as_ushort(__float2bfloat16_rn(__half2float(h)));
}
