//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch blk_histogram<<<4, 160>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void blk_histogram(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x; int l = threadIdx.x;
    __shared__ unsigned s[64]; if (l < 64) s[l] = 0; __syncthreads(); for (int i = 0; i < 4; i++) atomicAdd(&s[c[t * 4 + i] >> 2], 1u); __syncthreads(); if (l < 64 && s[l]) atomicAdd((unsigned *)b + l, s[l]);
}
