//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch div_break_nested<<<4, 128>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void div_break_nested(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x; int l = threadIdx.x;
    int r = 0; for (int i = 0; i < 12; i++) { if (i > (l & 15)) break; for (int j = 0; j < 6; j++) { int q = c[(t + i * 8 + j) & 1023]; if (q < 40) continue; if (q > 220) break; r += q; } } b[t] = r;
}
