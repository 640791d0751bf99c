//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch con_bf162_05<<<4, 128>>>(a, b, f, d, v, c, idx, 1)
#include <cuda_bf16.h>
extern "C" __global__ void con_bf162_05(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned h = (unsigned)idx[t] * 2654435761u + (unsigned)a[t] * 40503u;
    __nv_bfloat162 x0 = __halves2bfloat162(__ushort_as_bfloat16((unsigned short)(0x3f80u | ((h * 13081u >> 9) & 0x7fu))), __ushort_as_bfloat16((unsigned short)(0x3f00u | (h >> 3 & 0x7fu))));
    __nv_bfloat162 x1 = __halves2bfloat162(__ushort_as_bfloat16((unsigned short)(0x3f80u | ((h * 17613u >> 9) & 0x7fu))), __ushort_as_bfloat16((unsigned short)(0x3f00u | (h >> 3 & 0x7fu))));
    __nv_bfloat162 x2 = __halves2bfloat162(__ushort_as_bfloat16((unsigned short)(0x3f80u | ((h * 13455u >> 9) & 0x7fu))), __ushort_as_bfloat16((unsigned short)(0x3f00u | (h >> 3 & 0x7fu))));
    __nv_bfloat162 x3 = __halves2bfloat162(__ushort_as_bfloat16((unsigned short)(0x3f80u | ((h * 18783u >> 9) & 0x7fu))), __ushort_as_bfloat16((unsigned short)(0x3f00u | (h >> 3 & 0x7fu))));
    __nv_bfloat162 x4 = __halves2bfloat162(__ushort_as_bfloat16((unsigned short)(0x3f80u | ((h * 9847u >> 9) & 0x7fu))), __ushort_as_bfloat16((unsigned short)(0x3f00u | (h >> 3 & 0x7fu))));
    __nv_bfloat162 x5 = __halves2bfloat162(__ushort_as_bfloat16((unsigned short)(0x3f80u | ((h * 11715u >> 9) & 0x7fu))), __ushort_as_bfloat16((unsigned short)(0x3f00u | (h >> 3 & 0x7fu))));
    __nv_bfloat162 x6 = __halves2bfloat162(__ushort_as_bfloat16((unsigned short)(0x3f80u | ((h * 18011u >> 9) & 0x7fu))), __ushort_as_bfloat16((unsigned short)(0x3f00u | (h >> 3 & 0x7fu))));
    __nv_bfloat162 y0 = x4 + x1;
    __nv_bfloat162 y1 = x4 - x4;
    __nv_bfloat162 y2 = x3 + y1;
    __nv_bfloat162 y3 = x4 - x6;
    __nv_bfloat162 y4 = y0 * y1;
    __nv_bfloat162 y5 = y0 * x6;
    __nv_bfloat162 y6 = y0 * y3;
    { __nv_bfloat162 x_ = y1; b[t * 64 + 0] = __bfloat16_as_ushort(__low2bfloat16(x_)) << 16 | __bfloat16_as_ushort(__high2bfloat16(x_)); }
    { __nv_bfloat162 x_ = y2; b[t * 64 + 1] = __bfloat16_as_ushort(__low2bfloat16(x_)) << 16 | __bfloat16_as_ushort(__high2bfloat16(x_)); }
    { __nv_bfloat162 x_ = y3; b[t * 64 + 2] = __bfloat16_as_ushort(__low2bfloat16(x_)) << 16 | __bfloat16_as_ushort(__high2bfloat16(x_)); }
    { __nv_bfloat162 x_ = y4; b[t * 64 + 3] = __bfloat16_as_ushort(__low2bfloat16(x_)) << 16 | __bfloat16_as_ushort(__high2bfloat16(x_)); }
    { __nv_bfloat162 x_ = y5; b[t * 64 + 4] = __bfloat16_as_ushort(__low2bfloat16(x_)) << 16 | __bfloat16_as_ushort(__high2bfloat16(x_)); }
    { __nv_bfloat162 x_ = y6; b[t * 64 + 5] = __bfloat16_as_ushort(__low2bfloat16(x_)) << 16 | __bfloat16_as_ushort(__high2bfloat16(x_)); }
}
