// Convolves the inside of an image with 7 x 7 weights in constant
// memory, every pixel straight from global memory.
//@ param   width = 1600
//@ param   height = 1200
//@ buffer  in  float[width * height] = i % 255
//@ buffer  out float[width * height] = 0
//@ launch  convolve<<<dim3(width / 32, height / 8), dim3(32, 8)>>>(
//@             in, out, width, height)
__constant__ float weights[7] = { 0.03f, 0.11f, 0.22f, 0.28f,
                                  0.22f, 0.11f, 0.03f };

extern "C" __global__ void convolve(const float *in, float *out,
                                    int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 3 || y < 3 || x >= width - 3 || y >= height - 3)
        return;
    float sum = 0;
    for (int dy = 0; dy < 7; dy++)
        for (int dx = 0; dx < 7; dx++)
            sum += weights[dy] * weights[dx] *
                   in[(y + dy - 3) * width + x + dx - 3];
    out[y * width + x] = sum;
}
