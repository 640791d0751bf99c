//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch jacobi_2d<<<dim3(4, 3), dim3(16, 16)>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void jacobi_2d(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    __shared__ float s[18][18];
    const int W = 64, H = 48;
    int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    float *in = f, *out = f + 16384;
    s[ty][tx] = in[y * W + x];
    if (threadIdx.x == 0)  s[ty][0]  = x > 0 ? in[y * W + x - 1] : 0.0f;
    if (threadIdx.x == 15) s[ty][17] = x < W - 1 ? in[y * W + x + 1] : 0.0f;
    if (threadIdx.y == 0)  s[0][tx]  = y > 0 ? in[(y - 1) * W + x] : 100.0f;
    if (threadIdx.y == 15) s[17][tx] = y < H - 1 ? in[(y + 1) * W + x] : 100.0f;
    __syncthreads();
    out[y * W + x] = 0.25f * (s[ty][tx - 1] + s[ty][tx + 1] + s[ty - 1][tx] + s[ty + 1][tx]);
}
