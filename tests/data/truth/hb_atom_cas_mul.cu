//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch hb_atom_cas_mul<<<2, 64>>>(a, b, f, d, v, c, idx, 1)
__device__ double hb_atom_cas_mul_mul(double *p, double x)
{
    unsigned long long *u = (unsigned long long *)p;
    unsigned long long old = *u, seen;
    do {
        seen = old;
        old = atomicCAS(u, seen, (unsigned long long)__double_as_longlong(__longlong_as_double((long long)seen) * x));
    } while (seen != old);
    return __longlong_as_double((long long)old);
}
extern "C" __global__ void hb_atom_cas_mul(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ int lock[64];
    int i = threadIdx.x;
    double o = hb_atom_cas_mul_mul(&d[1000 + t * 2], 1.25);
    lock[i] = a[t] & 1;
    int got = 0, tries = 0;
    while (!got && tries < 3) {
        got = atomicCAS(&lock[i], 0, i + 1) == 0;
        if (!got) atomicExch(&lock[i], tries - 1);
        ++tries;
    }
    b[t] = lock[i] * 4 + tries;
    d[9000 + t] = o;
}
