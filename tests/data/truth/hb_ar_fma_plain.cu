//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch hb_ar_fma_plain<<<2, 96>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void hb_ar_fma_plain(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    float x = f[t] * 1.1f + 0.3f, y = f[t * 5 + 2] / 7.0f, z = f[idx[t]];
    float p = x * y;
    f[12000 + t] = p + z;
    f[12200 + t] = p - z * x;
    f[12400 + t] = x * y - z * z;
    f[12600 + t] = fmaf(x, y, z) - __fmul_rn(x, y);
    f[12800 + t] = __fadd_rn(x * z, y) + p * p;
    float tiny = x * 1e-38f, s = tiny * 1e-3f;
    f[13000 + t] = tiny - s * 3.0f;
    f[13200 + t] = tiny * y * 1e-4f + s;
    double g = d[t] / 3.0 + 1e-9, h = d[t + 7] * 1.3, k = g * h;
    d[2000 + t] = g * g - h * h;
    d[2200 + t] = k + g;
    d[2400 + t] = k * 1e-308 * 1e-6 + g * 4.9406564584124654e-324;
    d[2600 + t] = fma(g, h, -k) + __dmul_rn(g, h);
}
