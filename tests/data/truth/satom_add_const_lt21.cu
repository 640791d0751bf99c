//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch satom_add_const_lt21<<<4, 128>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void satom_add_const_lt21(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x; int l = threadIdx.x;
    __shared__ int s[512]; for (int i = l; i < 512; i += blockDim.x) s[i] = 0; __syncthreads();
    if ((l & 31) < 21) atomicAdd(&s[(l >> 2) & 7], 3); __syncthreads(); b[t] = s[l];
}
