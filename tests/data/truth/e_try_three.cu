//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch e_try_three<<<1, 32>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void e_try_three(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ int s[32]; s[t] = a[t] & 1; int got = 0, tries = 0;
    while (!got && tries < 3) { got = atomicCAS(&s[t], tries & 1, 9) == (tries & 1); tries++; }
    b[t] = tries; f[t] = got;
}
