//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch blk_stencil_5pt<<<3, dim3(32,8)>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void blk_stencil_5pt(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    __shared__ float s[10][34]; int x = threadIdx.x, y = threadIdx.y, gx = blockIdx.x * 32 + x + 1, gy = y + 1;
    s[y + 1][x + 1] = f[gy * 200 + gx]; if (x == 0) s[y + 1][0] = f[gy * 200 + gx - 1]; if (x == 31) s[y + 1][33] = f[gy * 200 + gx + 1]; if (y == 0) s[0][x + 1] = f[(gy - 1) * 200 + gx]; if (y == 7) s[9][x + 1] = f[(gy + 1) * 200 + gx]; __syncthreads();
    f[65536 + gy * 200 + gx] = 4.0f * s[y + 1][x + 1] - s[y][x + 1] - s[y + 2][x + 1] - s[y + 1][x] - s[y + 1][x + 2];
}
