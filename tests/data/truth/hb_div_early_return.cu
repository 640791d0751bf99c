//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch hb_div_early_return<<<3, 100>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void hb_div_early_return(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int x = idx[t];
    if (x < 600)
        return;
    b[t] = x;
    for (int k = 0; k < 6; ++k) {
        x = idx[x];
        if ((x & 15) == 3) {
            b[2000 + t] = k;
            return;
        }
    }
    if ((threadIdx.x & 31) == 4 && n)
        return;
    d[3000 + t] = x * 0.5;
    if (c[t] > 128)
        return;
    c[9000 + t] = (unsigned char)x;
}
