//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch ari_perm_funnel<<<4, 128>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void ari_perm_funnel(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x; int l = threadIdx.x;
    unsigned x = (unsigned)a[t] * 2654435761u, y = (unsigned)idx[t] * 40503u; b[t] = __byte_perm(x, y, x >> 7) + __byte_perm(x, y, 0x3725) + __funnelshift_l(x, y, l) + __funnelshift_r(x, y, l * 3) + __funnelshift_lc(x, y, l & 63) + __funnelshift_rc(x, y, l >> 1) + __byte_perm(y, x, 0xba98);
}
