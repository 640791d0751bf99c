//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch con_half2_03<<<4, 128>>>(a, b, f, d, v, c, idx, 1)
#include <cuda_fp16.h>
extern "C" __global__ void con_half2_03(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned h = (unsigned)idx[t] * 2654435761u + (unsigned)a[t] * 40503u;
    __half2 x0 = __halves2half2(__ushort_as_half((unsigned short)(0x3c00u | ((h * 18313u >> 9) & 0x3ffu))), __ushort_as_half((unsigned short)(0x3800u | (h >> 3 & 0x3ffu))));
    __half2 x1 = __halves2half2(__ushort_as_half((unsigned short)(0x3c00u | ((h * 11799u >> 9) & 0x3ffu))), __ushort_as_half((unsigned short)(0x3800u | (h >> 3 & 0x3ffu))));
    __half2 x2 = __halves2half2(__ushort_as_half((unsigned short)(0x3c00u | ((h * 7259u >> 9) & 0x3ffu))), __ushort_as_half((unsigned short)(0x3800u | (h >> 3 & 0x3ffu))));
    __half2 x3 = __halves2half2(__ushort_as_half((unsigned short)(0x3c00u | ((h * 15179u >> 9) & 0x3ffu))), __ushort_as_half((unsigned short)(0x3800u | (h >> 3 & 0x3ffu))));
    __half2 x4 = __halves2half2(__ushort_as_half((unsigned short)(0x3c00u | ((h * 14641u >> 9) & 0x3ffu))), __ushort_as_half((unsigned short)(0x3800u | (h >> 3 & 0x3ffu))));
    __half2 x5 = __halves2half2(__ushort_as_half((unsigned short)(0x3c00u | ((h * 17673u >> 9) & 0x3ffu))), __ushort_as_half((unsigned short)(0x3800u | (h >> 3 & 0x3ffu))));
    __half2 x6 = __halves2half2(__ushort_as_half((unsigned short)(0x3c00u | ((h * 14857u >> 9) & 0x3ffu))), __ushort_as_half((unsigned short)(0x3800u | (h >> 3 & 0x3ffu))));
    __half2 y0 = x1 * x6;
    __half2 y1 = x5 + x6;
    __half2 y2 = x3 - x5;
    __half2 y3 = y1 - y1;
    __half2 y4 = y3 + x5;
    __half2 y5 = y4 + y3;
    __half2 y6 = y2 + y1;
    __half2 y7 = y5 * y1;
    __half2 y8 = y4 + y2;
    __half2 y9 = y8 * y6;
    __half2 y10 = y7 - y5;
    { __half2 x_ = y7; b[t * 64 + 0] = __half_as_ushort(__low2half(x_)) << 16 | __half_as_ushort(__high2half(x_)); }
    { __half2 x_ = y8; b[t * 64 + 1] = __half_as_ushort(__low2half(x_)) << 16 | __half_as_ushort(__high2half(x_)); }
    { __half2 x_ = y9; b[t * 64 + 2] = __half_as_ushort(__low2half(x_)) << 16 | __half_as_ushort(__high2half(x_)); }
    { __half2 x_ = y10; b[t * 64 + 3] = __half_as_ushort(__low2half(x_)) << 16 | __half_as_ushort(__high2half(x_)); }
}
