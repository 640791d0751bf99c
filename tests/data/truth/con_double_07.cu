//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch con_double_07<<<4, 128>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void con_double_07(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned h = (unsigned)idx[t] * 2654435761u + (unsigned)a[t] * 40503u;
    double x0 = __longlong_as_double(0x3ff0000000000000ll | (long long)(h * 19461u) << 20);
    double x1 = __longlong_as_double(0x3ff0000000000000ll | (long long)(h * 5705u) << 20);
    double x2 = __longlong_as_double(0x3ff0000000000000ll | (long long)(h * 10203u) << 20);
    double x3 = __longlong_as_double(0x3ff0000000000000ll | (long long)(h * 5813u) << 20);
    double y0 = x0 + x1;
    double y1 = x3 * y0;
    double y2 = y0 * x0;
    double y3 = -x2;
    double y4 = x2 + x2;
    double y5 = y4 - x3;
    double y6 = y5 + y5;
    double y7 = y3 + y2;
    double z = y7;
    if (h & 4) {
        double y8 = y2 * y3 + y2;
        double y9 = y7 * y6;
        double y10 = y7 - y6;
        double y11 = y7 * y5;
        z = y11 + y10 * y9;
    }
    double y12 = -y6;
    double y13 = -y4;
    double y14 = z - y12;
    ((long long *)d)[t * 64 + 0] = __double_as_longlong(y12);
    ((long long *)d)[t * 64 + 1] = __double_as_longlong(y13);
    ((long long *)d)[t * 64 + 2] = __double_as_longlong(y14);
}
