// The burning ship, a fractal, in double: how many steps until a point escapes.
//@ param   w = 1536
//@ param   h = 1024
//@ param   limit = 400
//@ buffer  steps int[w * h]
//@ launch  ship<<<dim3(w / 16, h / 16), dim3(16, 16)>>>(steps, w, h, limit)
__global__ void ship(int *steps, int w, int h, int limit)
{
    int px = blockIdx.x * blockDim.x + threadIdx.x;
    int py = blockIdx.y * blockDim.y + threadIdx.y;
    double cx = -2.2 + 3.4 * px / w;
    double cy = -1.9 + 2.6 * py / h;
    double x = 0, y = 0;
    int k = 0;
    while (k < limit && x * x + y * y < 4.0) {
        double t = x * x - y * y + cx;
        y = 2.0 * fabs(x * y) + cy;
        x = t;
        k++;
    }
    steps[py * w + px] = k;
}
