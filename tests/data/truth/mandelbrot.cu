//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch mandelbrot<<<dim3(5, 6), dim3(16, 8)>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void mandelbrot(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    const int W = 75, H = 45;
    int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
    if (px >= W || py >= H) return;
    float cx = -2.2f + 3.2f * px / W, cy = -1.2f + 2.4f * py / H;
    float x = 0.0f, y = 0.0f, x2 = 0.0f, y2 = 0.0f;
    int it = 0;
    while (x2 + y2 <= 4.0f && it < 100) {
        y = 2.0f * x * y + cy;
        x = x2 - y2 + cx;
        x2 = x * x;
        y2 = y * y;
        it++;
    }
    c[py * W + px] = it == 100 ? 0 : (unsigned char)(it * 2 + 1);
}
