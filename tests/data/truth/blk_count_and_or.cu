//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch blk_count_and_or<<<5, 100>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void blk_count_and_or(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x; int l = threadIdx.x;
    int x = c[t]; int p = __syncthreads_count(x > 128), q = __syncthreads_and(x < 256), r = __syncthreads_or(x == 7); b[t] = p * 4 + (q != 0) * 2 + (r != 0);
}
