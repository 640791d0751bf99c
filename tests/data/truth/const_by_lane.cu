//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch const_by_lane<<<4, 128>>>(a, b, f, d, v, c, idx, 1)
__constant__ int tab[32] = { 3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3, 2, 3, 8, 4, 6, 2, 6, 4, 3, 3, 8, 3, 2, 7, 9, 5 };
__constant__ float poly[8] = { 0.5f, 1.5f, -2.0f, 8.0f, 3.0f, 64.0f, -7.0f, 2.5f };
extern "C" __global__ void const_by_lane(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x; int l = threadIdx.x;
    b[t] = tab[l & 31] + tab[(l >> 2) & 7] * 3 + poly[idx[t] & 7]; f[t] = poly[l & 3] * 2.0f;
}
