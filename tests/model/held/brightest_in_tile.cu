// The brightest pixel of each tile of 64 x 64, by atomicMax.
//@ param   width = 2048
//@ param   height = 1024
//@ buffer  image int[width * height] = hash(i) & 4095
//@ buffer  top   int[width / 64 * (height / 64)] = 0
//@ launch  brightest<<<dim3(width / 32, height / 8), dim3(32, 8)>>>(
//@             image, top, width)
extern "C" __global__ void brightest(const int *image, int *top,
                                     int width)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    atomicMax(&top[y / 64 * (width / 64) + x / 64],
              image[y * width + x]);
}
