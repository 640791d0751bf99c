//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch f64_arith<<<4, 128>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void f64_arith(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x; int l = threadIdx.x;
    double x = d[t] * 0.1 - 20.0, y = (double)idx[t] + 0.3; d[t * 4 + 4096] = fma(x, y, 1.0e-3) / (y + 2.0); d[t * 4 + 4097] = sqrt(y) + __dsqrt_ru(y) - __drcp_rn(y); d[t * 4 + 4098] = rint(x) + floor(x) * 3.0 + round(x) * 5.0 + trunc(y) + ceil(x) + fmin(x, y) + fmax(x, -y); d[t * 4 + 4099] = fmod(y * 10.0, fabs(x) + 0.7) + __dadd_rd(x, y) - __dmul_ru(x, y) + ldexp(x, l - 40);
}
