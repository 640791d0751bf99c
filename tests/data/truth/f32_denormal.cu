//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch f32_denormal<<<4, 128>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void f32_denormal(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x; int l = threadIdx.x;
    float x = __int_as_float(a[t] * 4099 + 1), y = __int_as_float(idx[t] + 0x00800000); f[t * 4] = x + y; f[t * 4 + 1] = x * 0.5f; f[t * 4 + 2] = fmaf(y, 0.3f, -x); f[t * 4 + 3] = x / 3.0f; d[t] = (double)x * 2.0; b[t] = __float_as_int(y - x) + (x < y);
}
