//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch rec_and_or<<<4, 128>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void rec_and_or(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x; int x = idx[t];
    if ((x & 1) && a[x] > 1000) b[t] = a[x + 1]; else b[t] = a[x + 4096] + 1;
    if (((x & 2) || a[x ^ 5] > 2000) && c[x] > 60) b[t + 4096] = a[x + 3];
}
