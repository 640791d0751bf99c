//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch f32_rounding<<<4, 128>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void f32_rounding(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x; int l = threadIdx.x;
    float x = (f[t] - 333.0f) * 0.25f, y = x * 3.0e6f; f[t * 4 + 4096] = rintf(x) + roundf(x) * 2.0f; f[t * 4 + 4097] = floorf(x) + ceilf(x) * 3.0f + truncf(y); f[t * 4 + 4098] = nearbyintf(x * 0.5f) - roundf(-x); f[t * 4 + 4099] = modff(x, &f[t + 8192]); b[t] = lrintf(x) + (int)lroundf(x * 2.0f) * 5 + (int)llrintf(y);
}
