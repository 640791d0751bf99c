//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch hb_atom_half2_bf162<<<2, 96>>>(a, b, f, d, v, c, idx, 1)
#include <cuda_fp16.h>
#include <cuda_bf16.h>
extern "C" __global__ void hb_atom_half2_bf162(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    __half2 *h = (__half2 *)b;
    __nv_bfloat162 *g = (__nv_bfloat162 *)(b + 2000);
    atomicAdd(&h[0], __floats2half2_rn((float)(t & 3), 1.0f));
    atomicAdd(&h[10 + (t & 7)], __floats2half2_rn(2.0f, (float)(t & 15)));
    atomicAdd(&g[t / 16], __floats2bfloat162_rn(1.0f, (float)(t & 7)));
    if (t % 3 == 0)
        atomicAdd((__half *)(b + 1000) + t * 2 + 1, __float2half(0.5f));
    __half2 o = atomicAdd(&h[100 + t], __floats2half2_rn(1.5f, -2.0f));
    __half2 p = atomicAdd(&h[100 + t], __floats2half2_rn(0.5f, 0.5f));
    f[30000 + t] = __low2float(o) + __high2float(p);
    f[31000 + t] = __low2float(p);
}
