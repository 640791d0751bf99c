//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch hb_shfl_wide<<<2, 45>>>(a, b, f, d, v, c, idx, 1)
#include <cuda_fp16.h>
extern "C" __global__ void hb_shfl_wide(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned m = __activemask();
    int lane = threadIdx.x & 31;
    int last = 31 - __clz(m);
    double x = d[t] + 0.5;
    long long y = ((const long long *)v)[t];
    __half2 h = __floats2half2_rn((float)lane, 2.0f);
    x += __shfl_up_sync(m, x, 1);
    y ^= __shfl_sync(m, y, last - lane);
    h = __hadd2(h, __shfl_sync(m, h, lane >> 1));
    float w = __shfl_sync(m, f[t * 3], 0);
    unsigned long long z = __shfl_sync(m, (unsigned long long)t << 33, lane & 3);
    d[7000 + t] = x + w;
    ((long long *)b)[t] = y + (long long)z;
    f[7000 + t] = __low2float(h) - __high2float(h) + __popc(m);
}
