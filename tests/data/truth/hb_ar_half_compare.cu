//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch hb_ar_half_compare<<<2, 64>>>(a, b, f, d, v, c, idx, 1)
#include <cuda_fp16.h>
#include <cuda_bf16.h>
extern "C" __global__ void hb_ar_half_compare(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned u = (unsigned)idx[t] * 0x9e3779b1u;
    __half x = __ushort_as_half((unsigned short)(u >> 16)), y = __ushort_as_half((unsigned short)((t & 7) ? u : 0x7e01));
    __nv_bfloat16 g = __ushort_as_bfloat16((unsigned short)(u >> 9)), h = __ushort_as_bfloat16((unsigned short)((t & 3) ? u : 0x8000));
    int m = (x < y) | (x == y) << 1 | (x >= y) << 2 | __hltu(x, y) << 3 | __hneu(x, y) << 4;
    m |= (g > h) << 5 | __hleu(g, h) << 6 | __hisnan(g) << 7 | __hisinf(x) << 8 | __hgt(h, g) << 9;
    unsigned short *o = (unsigned short *)b + t * 6;
    o[0] = __half_as_ushort(__hmin(x, y));
    o[1] = __half_as_ushort(__hmax_nan(x, y));
    o[2] = __bfloat16_as_ushort(__hmax(g, h));
    o[3] = __bfloat16_as_ushort(__hmin_nan(g, h));
    __half2 p = __halves2half2(x, y), q = __halves2half2(y, __float2half(1.0f));
    __half2 e = __hgt2(p, q), k = __hmax2(p, q);
    o[4] = (unsigned short)m;
    o[5] = (unsigned short)(__hbeq2(p, p) + 2 * __hbltu2(p, q));
    ((__half2 *)f)[1000 + t] = e;
    ((__half2 *)f)[2000 + t] = k;
    ((unsigned *)v)[t] = __hne2_mask(p, q) ^ __hle2_mask(q, p);
}
