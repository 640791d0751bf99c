//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch volatile_reload<<<4, 128>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void volatile_reload(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x; int l = threadIdx.x;
    volatile int *p = a; __shared__ volatile int s[128]; int x = p[t] + p[t] + p[t + 1]; s[l] = x; s[l] = s[l] + 1; b[t] = s[l] + p[t ^ 1]; volatile float *w = f; w[t] = 1.0f; w[t] = w[t] + 2.0f;
}
