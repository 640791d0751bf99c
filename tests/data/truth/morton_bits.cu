//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch morton_bits<<<4, 128>>>(a, b, f, d, v, c, idx, 1)
static __device__ unsigned morton_bits_spread(unsigned x)
{
    x = (x | (x << 8)) & 0x00FF00FFu;
    x = (x | (x << 4)) & 0x0F0F0F0Fu;
    x = (x | (x << 2)) & 0x33333333u;
    x = (x | (x << 1)) & 0x55555555u;
    return x;
}

extern "C" __global__ void morton_bits(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    short2 p = ((const short2 *)a)[t];
    unsigned m = morton_bits_spread((unsigned short)p.x) | (morton_bits_spread((unsigned short)idx[t]) << 1);
    unsigned gray = m ^ (m >> 1);
    unsigned rot = __funnelshift_l(m, m, t & 31);
    int4 r;
    r.x = (int)__brev(gray);
    r.y = __popc(m) * 100 + __clz(m | 1) + __ffs(rot);
    r.z = (int)__byte_perm(m, rot, 0x1735);
    r.w = (int)__umulhi(m, 0x9E3779B9u) + __popcll(((unsigned long long)m << 32) | rot);
    v[1024 + (t ^ 5)] = r;
}
