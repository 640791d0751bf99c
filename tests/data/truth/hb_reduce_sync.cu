//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch hb_reduce_sync<<<3, 64>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void hb_reduce_sync(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned m = 0xffffffffu;
    int x = a[t] - 2048;
    unsigned u = (unsigned)idx[t] * 2654435761u;
    int s = __reduce_add_sync(m, x);
    int lo = __reduce_min_sync(m, x);
    int hi = __reduce_max_sync(m, x);
    unsigned q = __reduce_max_sync(m, u) - __reduce_min_sync(m, u);
    unsigned o = __reduce_or_sync(m, u & 0x10101u) ^ __reduce_and_sync(m, u | 0x7f00u);
    unsigned z = __reduce_xor_sync(m, u);
    if (x == hi)
        b[1000 + t] = s;
    v[1000 + t] = make_int4(lo, (int)q, (int)o, (int)z);
    int half = (t & 16) ? __reduce_add_sync(0xffff0000u, x) : __reduce_max_sync(0x0000ffffu, x);
    b[t] = half;
}
