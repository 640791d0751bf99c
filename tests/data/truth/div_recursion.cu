//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch div_recursion<<<4, 128>>>(a, b, f, d, v, c, idx, 1)
__device__ __noinline__ int gcd(int x, int y) { return y == 0 ? x : gcd(y, x % y); }
__device__ int ack(int m, int k) { if (m == 0) return k + 1; if (k == 0) return ack(m - 1, 1); return ack(m - 1, ack(m, k - 1)); }
extern "C" __global__ void div_recursion(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x; int l = threadIdx.x;
    b[t] = ack(1 + (l & 1), (l >> 2) & 3) + gcd(a[t] + 1, l + 6);
}
