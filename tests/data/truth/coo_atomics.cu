//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch coo_atomics<<<10, 128>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void coo_atomics(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    int row = idx[e] >> 4, col = idx[e + 5000] & 1023;
    float val = (float)((c[e] & 15) - 4);
    if (val != 0.0f)
        atomicAdd(&f[131072 + row], val * f[col]);
}
