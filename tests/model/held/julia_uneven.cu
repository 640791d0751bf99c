// How soon each point of the plane escapes; neighbours may differ.
//@ param   width = 1536
//@ param   height = 1024
//@ buffer  steps unsigned char[width * height]
//@ launch  julia<<<dim3(width / 32, height / 8), dim3(32, 8)>>>(
//@             steps, width, height)
extern "C" __global__ void julia(unsigned char *steps, int width,
                                 int height)
{
    int px = blockIdx.x * blockDim.x + threadIdx.x;
    int py = blockIdx.y * blockDim.y + threadIdx.y;
    float x = 3.2f * px / width - 1.6f;
    float y = 2.4f * py / height - 1.2f;
    int step = 0;
    for (; step < 255; step++) {
        float xx = x * x, yy = y * y;
        if (xx + yy > 4)
            break;
        y = 2 * x * y + 0.156f;
        x = xx - yy - 0.8f;
    }
    steps[py * width + px] = step;
}
