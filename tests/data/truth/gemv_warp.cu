//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch gemv_warp<<<12, dim3(32, 4)>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void gemv_warp(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    const int rows = 45, cols = 70;
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows)
        return;
    const double *A = d + row * cols;
    const double2 *x2 = (const double2 *)(d + 8192);
    const double2 *A2 = (const double2 *)A;
    double s = 0.0;
    for (int j = threadIdx.x; j < cols / 2; j += 32) {
        double2 p = A2[j], q = x2[j];
        s = fma(p.x, q.x, s);
        s = fma(p.y, q.y, s);
    }
    for (int off = 16; off; off /= 2)
        s += __shfl_down_sync(0xffffffffu, s, off);
    if (threadIdx.x == 0)
        d[20000 + row] = s;
}
