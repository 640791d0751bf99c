//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch con_float_06<<<4, 128>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void con_float_06(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned h = (unsigned)idx[t] * 2654435761u + (unsigned)a[t] * 40503u;
    float x0 = __uint_as_float(0x3f800000u | ((h * 1831u >> 7) & 0x7fffffu));
    float x1 = __uint_as_float(0x3f800000u | ((h * 7495u >> 7) & 0x7fffffu));
    float x2 = __uint_as_float(0x3f800000u | ((h * 14543u >> 7) & 0x7fffffu));
    float x3 = __uint_as_float(0x3f800000u | ((h * 409u >> 7) & 0x7fffffu));
    float x4 = __uint_as_float(0x3f800000u | ((h * 6725u >> 7) & 0x7fffffu));
    float x5 = __uint_as_float(0x3f800000u | ((h * 18929u >> 7) & 0x7fffffu));
    float y0 = x5 - x0;
    float y1 = x5 + x3;
    float y2 = y0 * x2;
    float y3 = x3 * x5;
    float y4 = x4 - y0;
    float y5 = y4 * x5;
    float y6 = y2 * y0;
    float y7 = y4 - y1;
    float y8 = y5 * y5;
    float y9 = y6 + y3;
    float z = y9;
    if (h & 64) {
        float y10 = y9 + y9;
        float y11 = y7 + y9;
        float y12 = y9 - y6;
        z = y12 + y11 * y10;
    }
    float y13 = y9 + y5;
    float y14 = y9 * y7;
    float y15 = y9 + y7;
    b[t * 64 + 0] = __float_as_int(y14);
    b[t * 64 + 1] = __float_as_int(y15);
}
