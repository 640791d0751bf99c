//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch con_half2_09<<<4, 128>>>(a, b, f, d, v, c, idx, 1)
#include <cuda_fp16.h>
extern "C" __global__ void con_half2_09(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned h = (unsigned)idx[t] * 2654435761u + (unsigned)a[t] * 40503u;
    __half2 x0 = __halves2half2(__ushort_as_half((unsigned short)(0x3c00u | ((h * 393u >> 9) & 0x3ffu))), __ushort_as_half((unsigned short)(0x3800u | (h >> 3 & 0x3ffu))));
    __half2 x1 = __halves2half2(__ushort_as_half((unsigned short)(0x3c00u | ((h * 15971u >> 9) & 0x3ffu))), __ushort_as_half((unsigned short)(0x3800u | (h >> 3 & 0x3ffu))));
    __half2 x2 = __halves2half2(__ushort_as_half((unsigned short)(0x3c00u | ((h * 2545u >> 9) & 0x3ffu))), __ushort_as_half((unsigned short)(0x3800u | (h >> 3 & 0x3ffu))));
    __half2 x3 = __halves2half2(__ushort_as_half((unsigned short)(0x3c00u | ((h * 17125u >> 9) & 0x3ffu))), __ushort_as_half((unsigned short)(0x3800u | (h >> 3 & 0x3ffu))));
    __half2 x4 = __halves2half2(__ushort_as_half((unsigned short)(0x3c00u | ((h * 15681u >> 9) & 0x3ffu))), __ushort_as_half((unsigned short)(0x3800u | (h >> 3 & 0x3ffu))));
    __half2 y0 = x4 * x1;
    __half2 y1 = x0 * x0;
    __half2 y2 = y0 + x1;
    __half2 y3 = x3 - y1;
    __half2 y4 = y2 + y0;
    __half2 y5 = y3 - y0;
    __half2 y6 = y2 * y5;
    __half2 z = y6;
    if (h & 64) {
        __half2 y7 = y4 - y1;
        __half2 y8 = y5 * y5;
        __half2 y9 = y5 * y4;
        z = y9 + y8 * y7;
    }
    __half2 y10 = y4 * y4;
    __half2 y11 = z * y5;
    __half2 y12 = y11 * y5;
    { __half2 x_ = y5; b[t * 64 + 0] = __half_as_ushort(__low2half(x_)) << 16 | __half_as_ushort(__high2half(x_)); }
    { __half2 x_ = y6; b[t * 64 + 1] = __half_as_ushort(__low2half(x_)) << 16 | __half_as_ushort(__high2half(x_)); }
    { __half2 x_ = z; b[t * 64 + 2] = __half_as_ushort(__low2half(x_)) << 16 | __half_as_ushort(__high2half(x_)); }
    { __half2 x_ = y10; b[t * 64 + 3] = __half_as_ushort(__low2half(x_)) << 16 | __half_as_ushort(__high2half(x_)); }
    { __half2 x_ = y11; b[t * 64 + 4] = __half_as_ushort(__low2half(x_)) << 16 | __half_as_ushort(__high2half(x_)); }
    { __half2 x_ = y12; b[t * 64 + 5] = __half_as_ushort(__low2half(x_)) << 16 | __half_as_ushort(__high2half(x_)); }
}
