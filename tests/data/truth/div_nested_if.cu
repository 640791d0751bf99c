//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch div_nested_if<<<4, 128>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void div_nested_if(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x; int l = threadIdx.x;
    int x = a[t], r = 0;
    if (x & 1) { r = c[x]; if (x & 2) { r += c[x + 5]; if (x & 4) r *= c[x + 9]; else r -= c[x + 11]; } else r ^= c[x + 13]; } else if (x & 8) r = c[x + 17] + 3;
    b[t] = r;
}
