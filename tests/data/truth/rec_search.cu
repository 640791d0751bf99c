//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch rec_search<<<4, 128>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void rec_search(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x; int lo = 0, hi = 4095, x = idx[t] ;
    while (lo < hi) { int m = (lo + hi) >> 1; int y = m * 2; if (y == x) { lo = m; break; } if (y < x) lo = m + 1; else hi = m; }
    b[t] = a[lo] ;
}
