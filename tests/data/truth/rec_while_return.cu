//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch rec_while_return<<<4, 128>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void rec_while_return(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x, s = idx[t];
    while (true) {
        if (s & 1) { s = a[s & 4095] + 7; if (s > 3500) { b[t] = s; return; } }
        else s += a[8192 + (s & 4095)];
        if (s > 20000) break;
        s++;
    }
    b[t] = -s;
}
