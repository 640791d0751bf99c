//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch at_gen_u32_add<<<4, 128>>>(a, b, f, d, v, c, idx, 1)
__device__ __noinline__ void at_gen_u32_add_f(unsigned *p, unsigned x) { atomicAdd(p, x); }
extern "C" __global__ void at_gen_u32_add(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    at_gen_u32_add_f((unsigned *)b + (t & 1023), 1u + t);
}
