//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch con_float_00<<<4, 128>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void con_float_00(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned h = (unsigned)idx[t] * 2654435761u + (unsigned)a[t] * 40503u;
    float x0 = __uint_as_float(0x3f800000u | ((h * 3251u >> 7) & 0x7fffffu));
    float x1 = __uint_as_float(0x3f800000u | ((h * 12899u >> 7) & 0x7fffffu));
    float x2 = __uint_as_float(0x3f800000u | ((h * 11569u >> 7) & 0x7fffffu));
    float x3 = __uint_as_float(0x3f800000u | ((h * 2065u >> 7) & 0x7fffffu));
    float x4 = __uint_as_float(0x3f800000u | ((h * 15335u >> 7) & 0x7fffffu));
    float x5 = __uint_as_float(0x3f800000u | ((h * 5433u >> 7) & 0x7fffffu));
    float x6 = __uint_as_float(0x3f800000u | ((h * 17523u >> 7) & 0x7fffffu));
    float y0 = x2 + x2;
    float y1 = x4 + y0;
    float y2 = x4 + y1;
    float y3 = x5 * y0;
    float y4 = y3 + y3;
    float y5 = y2 - y4;
    float y6 = y5 * y1;
    float y7 = y5 - y4;
    float y8 = y3 * y6;
    float y9 = y8 * y8;
    float y10 = y5 * y6;
    b[t * 64 + 0] = __float_as_int(y7);
    b[t * 64 + 1] = __float_as_int(y8);
    b[t * 64 + 2] = __float_as_int(y9);
    b[t * 64 + 3] = __float_as_int(y10);
}
