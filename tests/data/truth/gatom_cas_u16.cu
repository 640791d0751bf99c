//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch gatom_cas_u16<<<4, 128>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void gatom_cas_u16(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x; int l = threadIdx.x;
    unsigned short q = atomicCAS((unsigned short *)b + t * 2 + 1, (unsigned short)0, (unsigned short)(t + 1)); a[t] = q + t;
}
