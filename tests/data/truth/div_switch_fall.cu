//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch div_switch_fall<<<4, 128>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void div_switch_fall(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x; int l = threadIdx.x;
    int x = c[t], r = l; switch (x & 7) { case 0: r += a[x]; case 1: r ^= a[x + 1]; break; case 2: r *= 3; case 3: case 4: r -= a[x + 2]; break; case 6: b[t] = -1; return; default: r = a[x + 3]; } b[t] = r;
}
