//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch blk_bitonic<<<4, 128>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void blk_bitonic(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x; int l = threadIdx.x;
    __shared__ int s[128]; s[l] = (a[t] * 37) & 1023; __syncthreads();
    for (int k = 2; k <= 128; k <<= 1) for (int j = k >> 1; j; j >>= 1) { int o = l ^ j; if (o > l) { int x = s[l], y = s[o]; if ((x > y) == ((l & k) == 0)) { s[l] = y; s[o] = x; } } __syncthreads(); }
    b[t] = s[l];
}
