//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch conv_col<<<dim3(2, 3), dim3(32, 8)>>>(a, b, f, d, v, c, idx, 1)
__constant__ short conv_col_k[9] = {1, 4, 9, 16, 20, 16, 9, 4, 1};

extern "C" __global__ void conv_col(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    __shared__ unsigned char s[16][32];
    const int W = 60, H = 24;
    int x = blockIdx.x * 32 + threadIdx.x;
    int y0 = blockIdx.y * 8;
    int cx = min(x, W - 1);
    for (int r = threadIdx.y; r < 16; r += 8) {
        int y = y0 + r - 4;
        y = y < 0 ? -y - 1 : y;
        y = y >= H ? 2 * H - 1 - y : y;
        s[r][threadIdx.x] = c[y * W + cx];
    }
    __syncthreads();
    int sum = 40;
#pragma unroll
    for (int k = 0; k < 9; k++)
        sum += conv_col_k[k] * s[threadIdx.y + k][threadIdx.x];
    if (x < W)
        c[20000 + (y0 + threadIdx.y) * W + x] = (unsigned char)(sum / 80);
}
