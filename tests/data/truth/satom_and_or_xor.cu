//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch satom_and_or_xor<<<4, 128>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void satom_and_or_xor(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x; int l = threadIdx.x;
    __shared__ int s[512]; for (int i = l; i < 512; i += blockDim.x) s[i] = -1; __syncthreads();
    atomicAnd(&s[l & 15], ~(1 << (l & 31))); atomicOr(&s[32 + (l & 3)], l); atomicXor(&s[64 + (l >> 3)], a[t]); __syncthreads(); b[t] = s[l];
}
