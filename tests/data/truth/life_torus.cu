//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch life_torus<<<3, dim3(32, 16)>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void life_torus(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    __shared__ unsigned char g[2][16][32];
    int x = threadIdx.x, y = threadIdx.y;
    int cell = blockIdx.x * 512 + y * 32 + x;
    g[0][y][x] = c[cell] < 90;
    __syncthreads();
    int cur = 0;
    for (int gen = 0; gen < 6; gen++) {
        int alive = 0;
        for (int dy = -1; dy <= 1; dy++)
            for (int dx = -1; dx <= 1; dx++)
                if (dx || dy)
                    alive += g[cur][(y + dy) & 15][(x + dx) & 31];
        unsigned char me = g[cur][y][x];
        g[cur ^ 1][y][x] = alive == 3 || (me && alive == 2);
        cur ^= 1;
        __syncthreads();
    }
    c[40000 + cell] = g[cur][y][x] ? '#' : '.';
}
