// The strength of edges in an image of bytes.
//@ param   width = 2048
//@ param   height = 2048
//@ buffer  in  unsigned char[width * height] = hash(i / 16) & 255
//@ buffer  out unsigned char[width * height] = 0
//@ launch  sobel<<<dim3(width / 32, height / 8), dim3(32, 8)>>>(
//@             in, out, width, height)
extern "C" __global__ void sobel(const unsigned char *in,
                                 unsigned char *out, int width,
                                 int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x == 0 || y == 0 || x >= width - 1 || y >= height - 1)
        return;
    const unsigned char *up = in + (y - 1) * width + x;
    const unsigned char *mid = in + y * width + x;
    const unsigned char *down = in + (y + 1) * width + x;
    int gx =
        up[1] + 2 * mid[1] + down[1] - up[-1] - 2 * mid[-1] - down[-1];
    int gy =
        down[-1] + 2 * down[0] + down[1] - up[-1] - 2 * up[0] - up[1];
    float strength = sqrtf((float)(gx * gx + gy * gy));
    out[y * width + x] = strength > 255 ? 255 : (int)strength;
}
