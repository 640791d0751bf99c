//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch hb_ar_divmod32<<<2, 128>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void hb_ar_divmod32(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned u = (unsigned)(t * 2 + 1) * 2654435761u;
    int x = (int)(u ^ (u >> 13));
    unsigned k = ((unsigned)idx[t] * 40503u + 1u) >> (t & 15);
    int y = (int)(k | 1u) * ((t & 2) ? 1 : -1);
    unsigned w = k + 3u;
    int r = x / y ^ x % y;
    r += (int)(u / w) - (int)(u % w) * 3;
    r ^= x / 7 + x % 10 - x / -3 + x % 64;
    r += (int)(u / 641u + u % 1000003u) ^ (int)(u / 16u);
    b[t] = r;
    b[1000 + t] = x / (n + 2) + (int)(u % (unsigned)(n + 9));
    ((short *)v)[t] = (short)((short)x / (short)(y | 1));
}
