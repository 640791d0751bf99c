//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch con_bf16_04<<<4, 128>>>(a, b, f, d, v, c, idx, 1)
#include <cuda_bf16.h>
extern "C" __global__ void con_bf16_04(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned h = (unsigned)idx[t] * 2654435761u + (unsigned)a[t] * 40503u;
    __nv_bfloat16 x0 = __ushort_as_bfloat16((unsigned short)(0x3f80u | ((h * 3487u >> 9) & 0x7fu)));
    __nv_bfloat16 x1 = __ushort_as_bfloat16((unsigned short)(0x3f80u | ((h * 17687u >> 9) & 0x7fu)));
    __nv_bfloat16 x2 = __ushort_as_bfloat16((unsigned short)(0x3f80u | ((h * 16677u >> 9) & 0x7fu)));
    __nv_bfloat16 x3 = __ushort_as_bfloat16((unsigned short)(0x3f80u | ((h * 6157u >> 9) & 0x7fu)));
    __nv_bfloat16 x4 = __ushort_as_bfloat16((unsigned short)(0x3f80u | ((h * 6871u >> 9) & 0x7fu)));
    __nv_bfloat16 x5 = __ushort_as_bfloat16((unsigned short)(0x3f80u | ((h * 11193u >> 9) & 0x7fu)));
    __nv_bfloat16 x6 = __ushort_as_bfloat16((unsigned short)(0x3f80u | ((h * 1993u >> 9) & 0x7fu)));
    __nv_bfloat16 y0 = x5 * x3;
    __nv_bfloat16 y1 = x3 * y0;
    __nv_bfloat16 y2 = y1 * x3;
    __nv_bfloat16 y3 = x4 * y1;
    __nv_bfloat16 y4 = y0 * x5;
    __nv_bfloat16 y5 = x6 * y2 + x6;
    __nv_bfloat16 y6 = y2 * y4;
    b[t * 64 + 0] = __bfloat16_as_ushort(y5);
    b[t * 64 + 1] = __bfloat16_as_ushort(y6);
}
