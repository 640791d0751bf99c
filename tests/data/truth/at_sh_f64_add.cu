//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch at_sh_f64_add<<<1, 32>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void at_sh_f64_add(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ double s[64]; if (threadIdx.x < 64) s[threadIdx.x] = 0; __syncthreads();
    atomicAdd(&s[threadIdx.x % 7], 1.0); __syncthreads(); if (threadIdx.x < 7) d[t] = s[threadIdx.x];
}
