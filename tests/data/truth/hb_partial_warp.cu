//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch hb_partial_warp<<<3, 45>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void hb_partial_warp(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int i = threadIdx.x;
    if (i < 41)
        b[t] = a[t * 2] + 1;
    if ((i & 3) == 1)
        v[5000 + i * 2 + blockIdx.x * 128] = v[t];
    if (i == 44)
        d[70000 + blockIdx.x] = d[t] * 2.0;
    if (i >= 30 && i < 35)
        ((short *)c)[20000 + t] = (short)(c[t] * 3);
    if (n > 5)
        f[t] = -1.0f;
    if (i % 11 == 0)
        f[9000 + t] = f[t + 100];
}
