// Convolves an image with 5 x 5 weights, from a tile of 20 x 20 in
// shared memory.
//@ param   width = 1920
//@ param   height = 1088
//@ buffer  in      float[width * height] = i % 255
//@ buffer  weights float[25] = (i % 5) * 0.02
//@ buffer  out     float[width * height]
//@ launch  convolve<<<dim3(width / 16, height / 16), dim3(16, 16)>>>(
//@             in, weights, out, width, height)
extern "C" __global__ void convolve(const float *in,
                                    const float *weights, float *out,
                                    int width, int height)
{
    __shared__ float tile[20][20];
    int x0 = blockIdx.x * 16 - 2, y0 = blockIdx.y * 16 - 2;

    for (int y = threadIdx.y; y < 20; y += 16)
        for (int x = threadIdx.x; x < 20; x += 16) {
            int col = min(max(x0 + x, 0), width - 1);
            int row = min(max(y0 + y, 0), height - 1);
            tile[y][x] = in[row * width + col];
        }
    __syncthreads();

    float sum = 0;
    for (int dy = 0; dy < 5; dy++)
        for (int dx = 0; dx < 5; dx++)
            sum += weights[dy * 5 + dx] *
                   tile[threadIdx.y + dy][threadIdx.x + dx];
    out[(y0 + 2 + threadIdx.y) * width + x0 + 2 + threadIdx.x] = sum;
}
