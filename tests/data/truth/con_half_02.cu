//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch con_half_02<<<4, 128>>>(a, b, f, d, v, c, idx, 1)
#include <cuda_fp16.h>
extern "C" __global__ void con_half_02(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned h = (unsigned)idx[t] * 2654435761u + (unsigned)a[t] * 40503u;
    __half x0 = __ushort_as_half((unsigned short)(0x3c00u | ((h * 7241u >> 9) & 0x3ffu)));
    __half x1 = __ushort_as_half((unsigned short)(0x3c00u | ((h * 4715u >> 9) & 0x3ffu)));
    __half x2 = __ushort_as_half((unsigned short)(0x3c00u | ((h * 4273u >> 9) & 0x3ffu)));
    __half x3 = __ushort_as_half((unsigned short)(0x3c00u | ((h * 9093u >> 9) & 0x3ffu)));
    __half x4 = __ushort_as_half((unsigned short)(0x3c00u | ((h * 15861u >> 9) & 0x3ffu)));
    __half x5 = __ushort_as_half((unsigned short)(0x3c00u | ((h * 4163u >> 9) & 0x3ffu)));
    __half x6 = __ushort_as_half((unsigned short)(0x3c00u | ((h * 19117u >> 9) & 0x3ffu)));
    __half y0 = x6 + x4;
    __half y1 = x3 * x3 + x2;
    __half y2 = x6 + x3;
    __half y3 = y2 - x5;
    __half y4 = x6 + y0;
    __half y5 = y4 * y4;
    b[t * 64 + 0] = __half_as_ushort(y0);
    b[t * 64 + 1] = __half_as_ushort(y1);
    b[t * 64 + 2] = __half_as_ushort(y2);
    b[t * 64 + 3] = __half_as_ushort(y3);
    b[t * 64 + 4] = __half_as_ushort(y4);
    b[t * 64 + 5] = __half_as_ushort(y5);
}
