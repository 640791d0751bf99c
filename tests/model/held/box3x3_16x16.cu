// Averages 3 x 3 pixels, in blocks of 16 x 16.
//@ param   width = 2048
//@ param   height = 2048
//@ buffer  in  float[width * height] = i % 255
//@ buffer  out float[width * height] = 0
//@ launch  box<<<dim3(width / 16, height / 16), dim3(16, 16)>>>(
//@             in, out, width, height)
extern "C" __global__ void box(const float *in, float *out, int width,
                               int height)
{
    int x = blockIdx.x * 16 + threadIdx.x;
    int y = blockIdx.y * 16 + threadIdx.y;
    if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1)
        return;
    float sum = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            sum += in[(y + dy) * width + x + dx];
    out[y * width + x] = sum * (1.0f / 9);
}
