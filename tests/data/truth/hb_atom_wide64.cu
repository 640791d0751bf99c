//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch hb_atom_wide64<<<3, 64>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void hb_atom_wide64(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned long long *u = (unsigned long long *)b;
    long long *s = (long long *)v;
    unsigned long long x = (unsigned long long)t * 0x9e3779b97f4a7c15ull;
    atomicAdd(&u[0], x);
    atomicXor(&u[3 + (t & 3)], x);
    atomicOr(&u[8 + t / 16], 1ull << (t & 63));
    atomicMax(&u[40], x >> 3);
    atomicMin(&s[2], (long long)(x >> 1) - (1ll << 62));
    atomicMax(&s[5 + (t & 1) * 6], (long long)x);
    unsigned long long o = atomicExch(&u[100 + t * 2], x + 1);
    o += atomicCAS(&u[600 + t], 0ull, x);
    o ^= atomicAdd(&u[1000 + (t ^ 31) * 4], 5ull);
    ((unsigned long long *)d)[40000 + t] = o;
}
