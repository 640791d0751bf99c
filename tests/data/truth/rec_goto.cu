//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch rec_goto<<<4, 128>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void rec_goto(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x; int x = idx[t], s = 0;
    if (x & 1) goto one;
    s += a[x];
    if (x & 2) goto two;
    s += a[x + 1];
one:
    s += a[x + 2];
    if (x & 4) goto three;
two:
    s += a[x + 3];
three:
    b[t] = s + a[x + 4];
}
