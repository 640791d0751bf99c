//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch hb_struct24_fields<<<3, 64>>>(a, b, f, d, v, c, idx, 1)
struct hb_struct24_fields_p { double m; int k; float w; long long z; };
extern "C" __global__ void hb_struct24_fields(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    const hb_struct24_fields_p *s = (const hb_struct24_fields_p *)d;
    hb_struct24_fields_p *o = (hb_struct24_fields_p *)(d + 30000);
    double m = s[t].m + s[t + 2].m;
    int k = s[t ^ 1].k + a[t];
    o[t].m = m * 0.5;
    o[t].k = k;
    o[t].w = s[t * 4].w * 1.5f;
    if (k & 1)
        o[t].z = s[t].z >> 3;
}
