//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch rec_first_match<<<4, 128>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void rec_first_match(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x; int x = idx[t] & 63, found = -1;
    #pragma unroll 1
    for (int i = 0; i < 64; i++) { int y = a[(t + i * 5) & 4095]; if ((y & 63) == x) { found = i; break; } }
    b[t] = found >= 0 ? a[found + 4096] : -1;
}
