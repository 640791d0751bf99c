//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch hb_ld_bytes<<<3, 96>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void hb_ld_bytes(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    const signed char *s = (const signed char *)c;
    int acc = c[t] + 3 * s[t * 3 + 1] - c[t * 33 + 7];
    acc += s[(t & 31) * 128 + (t >> 5)];
    unsigned char *o = c + 131072;
    o[t * 5 + 2] = (unsigned char)acc;
    if (t & 1)
        o[8192 + (t ^ 6)] = (unsigned char)(acc >> 4);
    b[t] = acc;
}
