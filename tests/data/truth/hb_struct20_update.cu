//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch hb_struct20_update<<<2, 160>>>(a, b, f, d, v, c, idx, 1)
struct hb_struct20_update_rec { int id; short lo, hi; unsigned char q[4]; float w; unsigned key; };
extern "C" __global__ void hb_struct20_update(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    const hb_struct20_update_rec *s = (const hb_struct20_update_rec *)v;
    hb_struct20_update_rec r = s[t * 2 + 1];
    r.id += r.q[t & 3];
    r.lo = (short)(r.hi - r.lo + t);
    r.q[1] = c[t];
    r.q[3] ^= r.q[0];
    r.w = r.w * 2.0f + f[t];
    r.key = r.key * 2246822519u + (unsigned)r.id;
    hb_struct20_update_rec *o = (hb_struct20_update_rec *)(v + 60000);
    o[t] = r;
    if (t % 5 == 0)
        o[1000 + t].key = r.key >> 7;
}
