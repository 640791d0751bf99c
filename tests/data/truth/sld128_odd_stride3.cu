//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch sld128_odd_stride3<<<4, 128>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void sld128_odd_stride3(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x; int l = threadIdx.x;
    __shared__ int4 s[512]; for (int i = l; i < 512; i += blockDim.x) s[i] = v[i]; __syncthreads();
    if (l & 1) v[8192 + t] = s[(l * 3) & 511];
}
