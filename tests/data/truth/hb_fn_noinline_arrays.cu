//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch hb_fn_noinline_arrays<<<2, 64>>>(a, b, f, d, v, c, idx, 1)
__device__ __noinline__ int hb_fn_noinline_arrays_fill(int *p, int len, int seed)
{
    for (int i = 0; i < len; ++i)
        p[i] = seed * (i + 1) ^ (seed >> i);
    return p[seed & (len - 1)];
}
__device__ __noinline__ int hb_fn_noinline_arrays_dot(const int *p, const int *q, int len)
{
    int s = 0;
    for (int i = 0; i < len; ++i)
        s += p[i] * q[i];
    return s;
}
extern "C" __global__ void hb_fn_noinline_arrays(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ int sh[64 * 4];
    int l[8];
    int x = hb_fn_noinline_arrays_fill(l, 8, idx[t]);
    x += hb_fn_noinline_arrays_fill(sh + threadIdx.x * 4, 4, a[t]);
    x ^= hb_fn_noinline_arrays_dot(l, sh + threadIdx.x * 4, 4);
    if (x & 1)
        x += hb_fn_noinline_arrays_dot(a + t, l, 8);
    b[t] = x;
}
