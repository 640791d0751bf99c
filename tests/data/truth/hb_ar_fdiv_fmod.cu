//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch hb_ar_fdiv_fmod<<<2, 96>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void hb_ar_fdiv_fmod(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    float x = (f[t] - 500.0f) * 3.7f, y = (float)(idx[t] - 2000) * 0.013f + 0.001f;
    float big = x * 1e33f, tiny = y * 1e-39f;
    f[4000 + t] = x / y;
    f[4200 + t] = tiny / y + big / x;
    f[4400 + t] = sqrtf(fabsf(x)) / __fsqrt_rn(y * y);
    f[4600 + t] = sqrtf(fabsf(tiny)) + 1.0f / big;
    f[4800 + t] = fmodf(x, y);
    f[5000 + t] = remainderf(big, y * 100.0f);
    f[5200 + t] = x / 3.0f - y / 1024.0f;
    double p = d[t] * 1e5 - 7.25, q = (double)y;
    d[4000 + t] = p / q;
    d[4200 + t] = sqrt(fabs(p)) - 1.0 / q;
    d[4400 + t] = fmod(p, q);
    d[4600 + t] = remainder(p, 3.5 + q * 1e-3);
    d[4800 + t] = q * 1e-300 / (p * 1e12);
}
