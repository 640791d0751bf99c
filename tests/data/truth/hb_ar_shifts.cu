//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch hb_ar_shifts<<<3, 64>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void hb_ar_shifts(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned u = (unsigned)idx[t] * 0x85ebca6bu + 0x1234567u;
    int s = a[t] % 70;
    unsigned long long w = (unsigned long long)u << 31 ^ u;
    unsigned r = u << s;
    r ^= u >> s;
    r += (unsigned)((int)u >> s);
    unsigned long long q = (w << s) ^ (w >> s);
    q += (unsigned long long)((long long)(w << 7) >> s);
    unsigned g = __funnelshift_l(u, r, s) ^ __funnelshift_r(r, u, s);
    g += __funnelshift_lc(u, ~u, s) * 3 ^ __funnelshift_rc(u, ~u, s);
    g ^= u << (s & 31) | u >> (32 - (s & 31) & 31);
    b[t] = (int)(r + g);
    ((unsigned long long *)d)[60000 + t] = q;
}
