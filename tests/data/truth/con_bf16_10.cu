//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch con_bf16_10<<<4, 128>>>(a, b, f, d, v, c, idx, 1)
#include <cuda_bf16.h>
extern "C" __global__ void con_bf16_10(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned h = (unsigned)idx[t] * 2654435761u + (unsigned)a[t] * 40503u;
    __nv_bfloat16 x0 = __ushort_as_bfloat16((unsigned short)(0x3f80u | ((h * 17511u >> 9) & 0x7fu)));
    __nv_bfloat16 x1 = __ushort_as_bfloat16((unsigned short)(0x3f80u | ((h * 2727u >> 9) & 0x7fu)));
    __nv_bfloat16 x2 = __ushort_as_bfloat16((unsigned short)(0x3f80u | ((h * 13461u >> 9) & 0x7fu)));
    __nv_bfloat16 x3 = __ushort_as_bfloat16((unsigned short)(0x3f80u | ((h * 14231u >> 9) & 0x7fu)));
    __nv_bfloat16 x4 = __ushort_as_bfloat16((unsigned short)(0x3f80u | ((h * 13509u >> 9) & 0x7fu)));
    __nv_bfloat16 y0 = x1 - x3;
    __nv_bfloat16 y1 = x1 - x0;
    __nv_bfloat16 y2 = y0 + y1;
    __nv_bfloat16 y3 = x4 + y1;
    __nv_bfloat16 y4 = y1 + y1;
    __nv_bfloat16 y5 = y4 + y1;
    __nv_bfloat16 y6 = y0 + y4;
    __nv_bfloat16 z = y6;
    if (h & 4) {
        __nv_bfloat16 y7 = y2 * y5 + y2;
        __nv_bfloat16 y8 = y7 * y2;
        __nv_bfloat16 y9 = y6 - y3;
        z = y9 + y8 * y7;
    }
    __nv_bfloat16 y10 = -y2;
    __nv_bfloat16 y11 = y3 + y3;
    __nv_bfloat16 y12 = y10 + y10;
    b[t * 64 + 0] = __bfloat16_as_ushort(z);
    b[t * 64 + 1] = __bfloat16_as_ushort(y10);
    b[t * 64 + 2] = __bfloat16_as_ushort(y11);
    b[t * 64 + 3] = __bfloat16_as_ushort(y12);
}
