//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch f32_nan_inf<<<4, 128>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void f32_nan_inf(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x; int l = threadIdx.x;
    float z = (float)(l & 3) * f[t & 1], x = (l & 7) == 0 ? __int_as_float(0x7f800000) : (l & 7) == 1 ? __int_as_float(0x7fc12345) : (l & 7) == 2 ? -0.0f : f[t] - 100.0f;
    float r = x * z, q = 1.0f / x; f[t * 4 + 4096] = fminf(x, z) + 1.0f; f[t * 4 + 4097] = fmaxf(-0.0f, x); f[t * 4 + 4098] = q; f[t * 4 + 4099] = copysignf(3.0f, x);
    b[t] = isnan(r) + isinf(q) * 2 + isfinite(x) * 4 + signbit(x) * 8 + (x < z) * 16 + !(x >= z) * 32 + (x != x) * 64 + (x == z) * 128 + (r != q) * 256;
}
