//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch hb_const_diverge<<<2, 96>>>(a, b, f, d, v, c, idx, 1)
struct hb_const_diverge_item { short a, b; float w; };
__constant__ int hb_const_diverge_lut[64] = { 3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3, 2, 3, 8, 4, 6, 2, 6, 4, 3, 3, 8, 3, 2, 7, 9, 5 };
__constant__ hb_const_diverge_item hb_const_diverge_it[5] = { { 1, -2, 0.5f }, { 3, 4, 1.5f }, { -5, 6, 2.25f }, { 7, 8, -3.0f }, { 0, 9, 4.125f } };
__constant__ double hb_const_diverge_poly[4] = { 0.25, -1.5, 3.0, 0.1 };
__constant__ unsigned char hb_const_diverge_perm[8] = { 5, 2, 7, 0, 1, 6, 3, 4 };
extern "C" __global__ void hb_const_diverge(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int r = hb_const_diverge_lut[n] + hb_const_diverge_lut[t & 63] * 10;
    r += hb_const_diverge_lut[idx[t] & 63] ^ hb_const_diverge_lut[threadIdx.x >> 4];
    hb_const_diverge_item e = hb_const_diverge_it[idx[t] % 5];
    r += e.a * e.b + hb_const_diverge_perm[t & 7];
    double s = 0.0;
    for (int i = 0; i < 4; ++i)
        s = s * d[t & 7] + hb_const_diverge_poly[i ^ (t & 1)];
    const int *p = (t & 16) ? hb_const_diverge_lut : a;
    r += p[t & 31];
    b[t] = r;
    d[6000 + t] = s + e.w * hb_const_diverge_it[blockIdx.x].w;
}
