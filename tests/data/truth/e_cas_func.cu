//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch e_cas_func<<<1, 32>>>(a, b, f, d, v, c, idx, 1)
__device__ __noinline__ void e_cas_func_f(unsigned *p, unsigned t) { unsigned old = *p, seen; do { seen = old; old = atomicCAS(p, seen, seen + t + 1); } while (old != seen); }
extern "C" __global__ void e_cas_func(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    e_cas_func_f((unsigned *)b + (t & 3), t);
    a[t] = t;
}
