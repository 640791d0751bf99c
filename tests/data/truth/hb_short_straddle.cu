//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch hb_short_straddle<<<2, 128>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void hb_short_straddle(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    const short *s = (const short *)c + 15;
    unsigned short *o = (unsigned short *)(c + 65536) + 9;
    int x = s[t] + s[t + 17] * 2 - s[t * 9 + (t & 3)];
    if (t % 3 != 1)
        o[t] = (unsigned short)x;
    o[1024 + t * 16 + (t & 15)] = (unsigned short)(x >> 3);
    ((short *)b)[t * 2 + 1] = (short)(x ^ 0x55);
}
