// Sorts the colours of pixels that lie red, green, blue beside each other into three planes.
//@ param   n = 1 << 21
//@ buffer  pixels float[3 * n] = i % 256
//@ buffer  planes float[3 * n]
//@ launch  sort<<<n / 256, 256>>>(pixels, planes, n)
extern "C" __global__ void sort(const float *pixels, float *planes, int n)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    for (int c = 0; c < 3; c++)
        planes[c * n + i] = pixels[3 * i + c] / 255.0f;
}
