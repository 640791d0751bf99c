//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch hb_gather_levels<<<4, 64>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void hb_gather_levels(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int i1 = idx[t];
    int i2 = idx[i1];
    int x = a[i2];
    float y = f[i1 * 5];
    int4 q = v[i1];
    unsigned char k = c[i2 * 3 + 1];
    double z = d[(x + k) & 4095];
    b[(t * 37 + 11) & 255] = x + q.y + k;
    d[200000 + ((t * 5) & 255) * 3] = z + y;
    c[100000 + (t ^ 21) * 2] = (unsigned char)(i1 ^ i2);
}
