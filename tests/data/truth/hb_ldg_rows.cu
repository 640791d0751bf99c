//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch hb_ldg_rows<<<2, 64>>>(a, b, f, d, v, c, idx, 1)
__device__ float hb_ldg_rows_row(const float *__restrict__ m, const int *__restrict__ k, int r, int w)
{
    float s = 0.0f;
    for (int j = 0; j < w; ++j)
        s += __ldg(m + r * w + j) * (float)(__ldg(k + j) & 7);
    return s;
}
extern "C" __global__ void hb_ldg_rows(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    float r = hb_ldg_rows_row(f, idx, t, 24);
    float q = 0.0f;
    for (int j = 0; j < 16; ++j)
        q += __ldg(f + j * 130 + t);
    int4 g = __ldg(v + (t & 15) * 9);
    d[60000 + t] = r - q;
    b[t] = g.x + g.w;
}
