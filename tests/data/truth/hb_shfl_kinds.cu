//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch hb_shfl_kinds<<<2, 96>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void hb_shfl_kinds(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned m = 0xffffffffu;
    int lane = threadIdx.x & 31;
    int x = a[t];
    int r = __shfl_sync(m, x, (lane * 5 + 3) & 31);
    r = r * 3 + __shfl_sync(m, x, idx[t]);
    r ^= __shfl_up_sync(m, x, 3);
    r += __shfl_down_sync(m, x, 7);
    r -= __shfl_xor_sync(m, x, 19);
    r += __shfl_sync(m, x, lane + 11, 8) * 2;
    r ^= __shfl_up_sync(m, r, 2, 16);
    r += __shfl_down_sync(m, r, 1, 4);
    r -= __shfl_xor_sync(m, r, 12, 8);
    b[t] = r + __shfl_sync(m, t, n, 2);
}
