//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch hb_block2d_x20<<<dim3(3, 2), dim3(20, 7)>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void hb_block2d_x20(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int x = blockIdx.x * 20 + threadIdx.x;
    int y = blockIdx.y * 7 + threadIdx.y;
    int q = a[y * 60 + x];
    b[x * 14 + y] = q + (int)f[y * 64 + x];
    c[4096 + y * 67 + x] = c[x * 31 + y];
    if (threadIdx.y & 1)
        v[9000 + y * 60 + x] = make_int4(q, x, y, t);
    if (x < y)
        d[100000 + x + y * 16] = d[y * 3] + q;
}
