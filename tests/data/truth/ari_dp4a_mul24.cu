//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch ari_dp4a_mul24<<<4, 128>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void ari_dp4a_mul24(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x; int l = threadIdx.x;
    int x = a[t] * 2654435, y = idx[t] * 77777; b[t] = __dp4a(x, y, l) + (int)__dp4a((unsigned)x, (unsigned)y, 9u) + __dp2a_lo(x, y, 1) + (int)__dp2a_hi((unsigned)x, (unsigned)y, 2u) + __mul24(x, y) + (int)__umul24(x, y) + __mulhi(x, y) + (int)__umulhi(x, y) + __sad(x, y, 5u) + (int)__usad(x, y, 6u) + __hadd(x, y) + __rhadd(x, y) + (int)__uhadd(x, y);
}
