//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch div_or_chain_loads<<<4, 128>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void div_or_chain_loads(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x; int l = threadIdx.x;
    int x = c[t], r; if (c[x] > 180 || a[x + 300] < 200 || (c[x + 700] & 3) == 1 || idx[x] > 3500) r = a[x + 900] + 1; else r = a[x + 1900] - 1; b[t] = r + f[x + 5];
}
