// Describes the texture of an image by local binary patterns: which of a pixel's eight
// neighbours are at least as bright, as a byte. Each 32 x 32 region gets a histogram of
// its bytes, made in shared memory by 256 threads and written as parts of 65535.
//@ param   width = 2048
//@ param   height = 1280
//@ buffer  image unsigned char[(width + 2) * (height + 2)] = (
//@             100 + hash(i / 3) % 40 + hash(i) % 9)
//@ buffer  feature unsigned short[width * height / 4]
//@ launch  patterns<<<dim3(width / 32, height / 32), dim3(32, 8)>>>(
//@             image, feature, width)
__global__ void patterns(const unsigned char *image, unsigned short *feature, int width)
{
    __shared__ unsigned char pixels[34][36];
    __shared__ int bins[256];

    int thread = threadIdx.y * 32 + threadIdx.x;
    int pitch = width + 2;
    const unsigned char *corner = image + blockIdx.y * 32 * pitch + blockIdx.x * 32;
    bins[thread] = 0;
    for (int y = threadIdx.y; y < 34; y += 8) {
        pixels[y][threadIdx.x] = corner[y * pitch + threadIdx.x];
        if (threadIdx.x < 2)
            pixels[y][32 + threadIdx.x] = corner[y * pitch + 32 + threadIdx.x];
    }
    __syncthreads();

    int x = threadIdx.x + 1;
    for (int y = threadIdx.y + 1; y <= 32; y += 8) {
        int own = pixels[y][x];
        int pattern = (pixels[y - 1][x - 1] >= own) << 7 | (pixels[y - 1][x] >= own) << 6
            | (pixels[y - 1][x + 1] >= own) << 5 | (pixels[y][x + 1] >= own) << 4
            | (pixels[y + 1][x + 1] >= own) << 3 | (pixels[y + 1][x] >= own) << 2
            | (pixels[y + 1][x - 1] >= own) << 1 | (pixels[y][x - 1] >= own);
        atomicAdd(&bins[pattern], 1);
    }
    __syncthreads();

    int region = blockIdx.y * gridDim.x + blockIdx.x;
    feature[region * 256 + thread] = min(bins[thread] * 64, 65535);
}
