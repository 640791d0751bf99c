//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch hb_ar_divmod64<<<2, 64>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void hb_ar_divmod64(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned long long u = (unsigned long long)(t + 1) * 0x9e3779b97f4a7c15ull;
    long long x = (long long)(u ^ (u >> 29));
    unsigned long long w = ((unsigned long long)idx[t] * 0xc2b2ae3d27d4eb4full >> (t & 63)) | 1ull;
    long long y = (t & 1) ? (long long)(w >> 1 | 1) : -(long long)(w >> 2 | 1);
    long long *o = (long long *)d + 50000 + t * 4;
    o[0] = x / y;
    o[1] = x % y;
    o[2] = (long long)(u / w + u % w);
    o[3] = x / 1000000007ll + x % 86400ll + (long long)(u / (unsigned)(n + 999));
    b[t] = (int)(u % 97u) + (int)(x / (n + 1));
}
