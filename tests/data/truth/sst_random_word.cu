//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch sst_random_word<<<4, 256>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void sst_random_word(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x; int l = threadIdx.x;
    __shared__ int s[1024]; for (int i = l; i < 1024; i += blockDim.x) s[i] = -1; __syncthreads();
    int p = (l * 389 + blockIdx.x * 31) & 1023; s[p] = t; __syncthreads(); b[t] = s[p ^ 1] + s[p];
}
