//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch at_sh_u64_min_all<<<1, 32>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void at_sh_u64_min_all(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ unsigned long long s[64]; s[threadIdx.x] = 800; __syncthreads();
    atomicMin(&s[threadIdx.x & 7], 700ull - threadIdx.x); __syncthreads(); d[t] = s[threadIdx.x];
}
