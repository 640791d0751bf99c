//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch exit_search<<<4, 128>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void exit_search(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x, l = threadIdx.x;
    unsigned x = idx[t] * 2654435761u + t;
    int lo = 0, hi = 4095, k = (x >> 9 & 4095);
    while (lo < hi) {
        int m = (lo + hi) / 2, y = 2 * m;
        if (y == k) { b[m] = t; return; }
        if (y < k) lo = m + 1; else hi = m;
    }
    f[t] = lo;
}
