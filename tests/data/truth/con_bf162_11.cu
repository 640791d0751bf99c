//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch con_bf162_11<<<4, 128>>>(a, b, f, d, v, c, idx, 1)
#include <cuda_bf16.h>
extern "C" __global__ void con_bf162_11(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned h = (unsigned)idx[t] * 2654435761u + (unsigned)a[t] * 40503u;
    __nv_bfloat162 x0 = __halves2bfloat162(__ushort_as_bfloat16((unsigned short)(0x3f80u | ((h * 8313u >> 9) & 0x7fu))), __ushort_as_bfloat16((unsigned short)(0x3f00u | (h >> 3 & 0x7fu))));
    __nv_bfloat162 x1 = __halves2bfloat162(__ushort_as_bfloat16((unsigned short)(0x3f80u | ((h * 1011u >> 9) & 0x7fu))), __ushort_as_bfloat16((unsigned short)(0x3f00u | (h >> 3 & 0x7fu))));
    __nv_bfloat162 x2 = __halves2bfloat162(__ushort_as_bfloat16((unsigned short)(0x3f80u | ((h * 13575u >> 9) & 0x7fu))), __ushort_as_bfloat16((unsigned short)(0x3f00u | (h >> 3 & 0x7fu))));
    __nv_bfloat162 x3 = __halves2bfloat162(__ushort_as_bfloat16((unsigned short)(0x3f80u | ((h * 5817u >> 9) & 0x7fu))), __ushort_as_bfloat16((unsigned short)(0x3f00u | (h >> 3 & 0x7fu))));
    __nv_bfloat162 x4 = __halves2bfloat162(__ushort_as_bfloat16((unsigned short)(0x3f80u | ((h * 14489u >> 9) & 0x7fu))), __ushort_as_bfloat16((unsigned short)(0x3f00u | (h >> 3 & 0x7fu))));
    __nv_bfloat162 x5 = __halves2bfloat162(__ushort_as_bfloat16((unsigned short)(0x3f80u | ((h * 13063u >> 9) & 0x7fu))), __ushort_as_bfloat16((unsigned short)(0x3f00u | (h >> 3 & 0x7fu))));
    __nv_bfloat162 y0 = x4 * x2;
    __nv_bfloat162 y1 = x4 * y0;
    __nv_bfloat162 y2 = -y1;
    __nv_bfloat162 y3 = x3 * x5;
    __nv_bfloat162 y4 = y1 * y2;
    __nv_bfloat162 y5 = x5 - y2;
    __nv_bfloat162 y6 = y1 * y4;
    __nv_bfloat162 y7 = y3 + y5;
    __nv_bfloat162 y8 = y7 * y7;
    __nv_bfloat162 y9 = y6 * y4;
    __nv_bfloat162 y10 = y7 + y5;
    __nv_bfloat162 y11 = y10 * y5;
    __nv_bfloat162 z = y11;
    if (h & 2) {
        __nv_bfloat162 y12 = y8 * y7;
        __nv_bfloat162 y13 = y12 + y10;
        __nv_bfloat162 y14 = y9 * y9;
        __nv_bfloat162 y15 = y10 * y10;
        z = y15 + y14 * y13;
    }
    __nv_bfloat162 y16 = y7 * y8;
    __nv_bfloat162 y17 = y10 * z;
    __nv_bfloat162 y18 = y17 * y9;
    { __nv_bfloat162 x_ = y17; b[t * 64 + 0] = __bfloat16_as_ushort(__low2bfloat16(x_)) << 16 | __bfloat16_as_ushort(__high2bfloat16(x_)); }
    { __nv_bfloat162 x_ = y18; b[t * 64 + 1] = __bfloat16_as_ushort(__low2bfloat16(x_)) << 16 | __bfloat16_as_ushort(__high2bfloat16(x_)); }
}
