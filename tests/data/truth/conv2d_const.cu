//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch conv2d_const<<<dim3(5, 4), dim3(16, 16)>>>(a, b, f, d, v, c, idx, 1)
__constant__ float conv2d_const_m[5][5] = {
    {1, 2, 3, 2, 1}, {2, 4, 6, 4, 2}, {3, 6, 9, 6, 3}, {2, 4, 6, 4, 2}, {1, 2, 3, 2, 1}};

extern "C" __global__ void conv2d_const(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    __shared__ float tile[16][16];
    const int W = 57, H = 41;
    int x = blockIdx.x * 12 + threadIdx.x - 2;
    int y = blockIdx.y * 12 + threadIdx.y - 2;
    bool inside = x >= 0 && x < W && y >= 0 && y < H;
    tile[threadIdx.y][threadIdx.x] = inside ? f[y * W + x] : 0.0f;
    __syncthreads();
    int tx = (int)threadIdx.x - 2, ty = (int)threadIdx.y - 2;
    if (inside && tx >= 0 && tx < 12 && ty >= 0 && ty < 12) {
        float sum = 0.0f;
        for (int i = 0; i < 5; i++)
            for (int j = 0; j < 5; j++)
                sum += conv2d_const_m[i][j] * tile[ty + i][tx + j];
        f[30000 + y * W + x] = sum / 81.0f;
    }
}
