//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch sst64_permuted<<<4, 128>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void sst64_permuted(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x; int l = threadIdx.x;
    __shared__ double s[256]; int r = (l & ~31) | ((l * 7 + 3) & 31); s[r * 2 + (r >> 4 & 1)] = d[t]; __syncthreads(); int q = (l & ~31) | ((l + 9) & 31); d[8192 + t] = s[q * 2 + (q >> 4 & 1)];
}
