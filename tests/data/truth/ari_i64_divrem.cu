//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch ari_i64_divrem<<<4, 128>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void ari_i64_divrem(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x; int l = threadIdx.x;
    long long x = (long long)a[t] * 1234567891011LL - 2000000000000000LL, y = (long long)(l - 50) * 70001 + 3; unsigned long long u = (unsigned long long)x * 11400714819323198485ull, w = (unsigned long long)idx[t] + 1;
    ((long long *)v)[t] = x / y + x % y * 3 + (long long)(u / w) + (long long)(u % w);
}
