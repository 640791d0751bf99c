//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch hb_broadcast_mix<<<2, 128>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void hb_broadcast_mix(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int s = a[t >> 5] + a[(t & 31) / 8 * 40];
    int4 q = v[t >> 2];
    double z = d[(t & 1) * 1000] + d[7];
    float w = f[t & ~3] + f[n];
    const short *h = (const short *)a;
    s += h[(t & 15) == 0 ? t : 3];
    s += c[t / 12 * 31];
    b[t] = s + q.x * (q.w + 1);
    if ((t & 31) == 31 - (t >> 5))
        d[50000 + t] = z;
    f[20000 + 8 * (t & 127) + blockIdx.x] = w;
}
