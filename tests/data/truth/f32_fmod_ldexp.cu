//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch f32_fmod_ldexp<<<4, 128>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void f32_fmod_ldexp(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x; int l = threadIdx.x;
    float x = f[t] * 17.3f + 0.1f, y = (float)(l - 60) * 0.7f + 0.05f; int e; f[t * 4 + 4096] = fmodf(x * 1000.0f, y); f[t * 4 + 4097] = ldexpf(x, (l - 64) * 2); f[t * 4 + 4098] = frexpf(x, &e); f[t * 4 + 4099] = remainderf(x, y); b[t] = e + ilogbf(x) * 100; d[t] = nextafterf(x, y) + (double)scalbnf(y, l & 15) + logbf(x) + fdimf(x, y);
}
