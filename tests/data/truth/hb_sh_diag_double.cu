//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch hb_sh_diag_double<<<1, dim3(16, 16)>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void hb_sh_diag_double(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    __shared__ double m[16][16];
    int x = threadIdx.x, y = threadIdx.y;
    m[y][x] = d[y * 40 + x] * 0.125;
    __syncthreads();
    double s = m[(x + y) & 15][x] - m[x][y];
    s += m[x][x] + m[y][15 - y];
    s = s * m[0][y] + m[x][0];
    __syncthreads();
    if (x <= y)
        m[x][y] = s;
    __syncthreads();
    d[10000 + y * 16 + x] = m[y][x] + s;
}
