//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch hb_block3d_odd<<<dim3(2, 1, 2), dim3(6, 5, 4)>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void hb_block3d_odd(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int x = blockIdx.x * 6 + threadIdx.x;
    int y = threadIdx.y;
    int z = blockIdx.z * 4 + threadIdx.z;
    int at = (z * 5 + y) * 13 + x;
    int s = a[at] * 2;
    if (x > 0) s -= a[at - 1];
    if (x < 11) s -= a[at + 1];
    if (y > 0) s += a[at - 13];
    if (z < 7) s += a[at + 65];
    b[(x * 8 + z) * 5 + y] = s;
    f[40000 + at] = (float)s * 0.25f;
}
