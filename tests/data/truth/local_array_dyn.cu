//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch local_array_dyn<<<4, 128>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void local_array_dyn(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x; int l = threadIdx.x;
    int q[16]; for (int i = 0; i < 16; i++) q[i] = a[t + i * 3]; for (int i = 0; i < 12; i++) { int p = c[t * 4 + i] & 15; q[(p + i) & 15] += q[p] * 3 + i; } b[t] = q[l & 15] ^ q[(l >> 3) & 15];
}
