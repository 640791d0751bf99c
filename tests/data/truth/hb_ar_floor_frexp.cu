//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch hb_ar_floor_frexp<<<2, 96>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void hb_ar_floor_frexp(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    float x = (f[t] - 400.0f) * 0.37f + 0.5f * (t & 1);
    double y = (double)(idx[t] - 2048) * 0.25;
    int e1, e2;
    float m1 = frexpf(x * ((t & 3) ? 1.0f : 1e-40f), &e1);
    double m2 = frexp(y * 1e200, &e2);
    f[6000 + t] = floorf(x) + ceilf(x * 1.5f) * 0.5f;
    f[6200 + t] = rintf(x) - truncf(x) + roundf(x) * 2.0f + nearbyintf(x + 0.5f);
    f[6400 + t] = m1 + ldexpf(x, (t & 15) * 20 - 160);
    f[6600 + t] = copysignf(x, (float)y) + fminf(x, (float)y) - fmaxf(-x, 3.0f) + fdimf(x, 2.0f);
    d[6000 + t] = floor(y) * 3.0 + ceil(y) - rint(y) + trunc(y) + round(y);
    d[6200 + t] = m2 * ldexp(1.0, e1 - 30) + copysign(y, (double)x);
    double ip;
    float fp = modff(x, &f[6800 + t]);
    double frac = modf(y, &ip);
    d[6400 + t] = frac + ip * fp;
    b[t] = e1 * 4096 + e2 + (signbit(x) ? 1 : 0) + (isnan(x / (x - x)) ? 2 : 0) + __float2int_rn(x);
    b[200 + t] = ilogbf(x + 600.0f) + (int)lrintf(x) + (int)llround(y) + __double2hiint(y);
}
