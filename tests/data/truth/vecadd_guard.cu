//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch vecadd_guard<<<13, 160>>>(a, b, f, d, v, c, idx, 1)
static __device__ __forceinline__ void vecadd_guard_body(const int *__restrict__ x, const int *__restrict__ y, int *__restrict__ z, int i)
{
    z[i] = __ldg(x + i) + __ldg(y + i);
}

extern "C" __global__ void vecadd_guard(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int count = 2000 + n;
    if (i >= count)
        return;
    vecadd_guard_body(a, idx, b, i);
}
