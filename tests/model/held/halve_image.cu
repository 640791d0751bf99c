// Keeps every second pixel of every second row.
//@ param   width = 2048
//@ param   height = 1536
//@ buffer  in  float[4 * width * height] = i % 255
//@ buffer  out float[width * height]
//@ launch  halve<<<dim3(width / 64, height / 4), dim3(64, 4)>>>(
//@             in, out, width, height)
extern "C" __global__ void halve(const float *in, float *out, int width,
                                 int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height)
        out[y * width + x] = in[2 * y * 2 * width + 2 * x];
}
