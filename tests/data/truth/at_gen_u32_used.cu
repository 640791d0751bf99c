//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch at_gen_u32_used<<<4, 128>>>(a, b, f, d, v, c, idx, 1)
__device__ __noinline__ unsigned at_gen_u32_used_f(unsigned *p, unsigned x) { return atomicAdd(p, x); }
extern "C" __global__ void at_gen_u32_used(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    a[t] = at_gen_u32_used_f((unsigned *)b + t, 7u);
}
