//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch con_half_08<<<4, 128>>>(a, b, f, d, v, c, idx, 1)
#include <cuda_fp16.h>
extern "C" __global__ void con_half_08(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned h = (unsigned)idx[t] * 2654435761u + (unsigned)a[t] * 40503u;
    __half x0 = __ushort_as_half((unsigned short)(0x3c00u | ((h * 11153u >> 9) & 0x3ffu)));
    __half x1 = __ushort_as_half((unsigned short)(0x3c00u | ((h * 2653u >> 9) & 0x3ffu)));
    __half x2 = __ushort_as_half((unsigned short)(0x3c00u | ((h * 3359u >> 9) & 0x3ffu)));
    __half x3 = __ushort_as_half((unsigned short)(0x3c00u | ((h * 1651u >> 9) & 0x3ffu)));
    __half x4 = __ushort_as_half((unsigned short)(0x3c00u | ((h * 4645u >> 9) & 0x3ffu)));
    __half x5 = __ushort_as_half((unsigned short)(0x3c00u | ((h * 19377u >> 9) & 0x3ffu)));
    __half x6 = __ushort_as_half((unsigned short)(0x3c00u | ((h * 3693u >> 9) & 0x3ffu)));
    __half y0 = x6 + x1;
    __half y1 = x4 * x4;
    __half y2 = x4 * y0;
    __half y3 = x5 * y2;
    __half y4 = x6 * y1;
    __half y5 = x6 - y0;
    __half y6 = y2 - y1;
    __half y7 = y1 - y4;
    __half y8 = y4 - y4;
    __half y9 = y4 * y6;
    __half z = y9;
    if (h & 4) {
        __half y10 = y9 + y6;
        __half y11 = y8 * y7;
        __half y12 = y10 + y7;
        __half y13 = y9 * y7;
        __half y14 = y10 + y10;
        z = y14 + y13 * y12;
    }
    __half y15 = z + y8;
    __half y16 = y7 + z;
    __half y17 = y7 - y16;
    b[t * 64 + 0] = __half_as_ushort(y16);
    b[t * 64 + 1] = __half_as_ushort(y17);
}
