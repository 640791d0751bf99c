//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch rec_if_break<<<4, 128>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void rec_if_break(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x, s = 0;
    for (int i = 0; i < 12; i++) {
        if ((idx[t] >> i) & 1) { s += a[(t * 3 + i) & 4095]; if (s > 6000 + 100 * (t & 31)) break; }
        s += a[4096 + ((t + i) & 4095)];
    }
    b[t] = s;
}
