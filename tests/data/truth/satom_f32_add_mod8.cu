//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch satom_f32_add_mod8<<<4, 128>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void satom_f32_add_mod8(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x; int l = threadIdx.x;
    __shared__ float s[128]; s[l] = 0; __syncthreads(); atomicAdd(&s[l & 7], (float)(l + 1)); __syncthreads(); f[t] = s[l & 15];
}
