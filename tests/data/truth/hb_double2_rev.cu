//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch hb_double2_rev<<<5, 64>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void hb_double2_rev(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    const double2 *p = (const double2 *)d;
    const float2 *q = (const float2 *)f;
    double2 x = p[319 - t];
    float2 y = q[t * 3];
    ((double2 *)d)[40000 + t] = make_double2(x.y, x.x + y.x);
    ((float2 *)f)[60000 + (t ^ 1)] = make_float2(y.y, (float)x.x);
    if (t & 4)
        ((long long *)b)[t] = ((const long long *)v)[t * 5 + 1];
}
