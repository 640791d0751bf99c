// How much each pixel of an image looks like a corner (Harris and Stephens): gradients
// with the kernels of Scharr in shared memory, then their products summed under a 5 x 5
// bell.
//@ param   width = 1000
//@ param   height = 750
//@ buffer  image float[width * height] = hash(i / 5) % 256
//@ buffer  response float[width * height]
//@ symbol  bell float[5] = {0.0625, 0.25, 0.375, 0.25, 0.0625}
//@ launch  corners<<<dim3((width + 15) / 16, (height + 15) / 16), dim3(16, 16)>>>(
//@             image, response, width, height)
__constant__ float bell[5];

__global__ void corners(const float *image, float *response, int width, int height)
{
    const int side = 16;
    __shared__ float pixels[side + 6][side + 6];
    __shared__ float across[side + 4][side + 4], down[side + 4][side + 4];

    int left = blockIdx.x * side, top = blockIdx.y * side;
    int thread = threadIdx.y * side + threadIdx.x;

    for (int k = thread; k < (side + 6) * (side + 6); k += side * side) {
        int y = k / (side + 6), x = k % (side + 6);
        int row = min(max(top + y - 3, 0), height - 1);
        int column = min(max(left + x - 3, 0), width - 1);
        pixels[y][x] = image[row * width + column];
    }
    __syncthreads();

    for (int k = thread; k < (side + 4) * (side + 4); k += side * side) {
        int y = k / (side + 4), x = k % (side + 4);
        float nw = pixels[y][x], n = pixels[y][x + 1], ne = pixels[y][x + 2];
        float w = pixels[y + 1][x], e = pixels[y + 1][x + 2];
        float sw = pixels[y + 2][x], s = pixels[y + 2][x + 1], se = pixels[y + 2][x + 2];
        across[y][x] = (3 * (ne - nw) + 10 * (e - w) + 3 * (se - sw)) / 32;
        down[y][x] = (3 * (sw - nw) + 10 * (s - n) + 3 * (se - ne)) / 32;
    }
    __syncthreads();

    float xx = 0, xy = 0, yy = 0;
#pragma unroll
    for (int dy = 0; dy < 5; dy++)
#pragma unroll
        for (int dx = 0; dx < 5; dx++) {
            float weight = bell[dy] * bell[dx];
            float gx = across[threadIdx.y + dy][threadIdx.x + dx];
            float gy = down[threadIdx.y + dy][threadIdx.x + dx];
            xx += weight * gx * gx;
            xy += weight * gx * gy;
            yy += weight * gy * gy;
        }

    int column = left + threadIdx.x, row = top + threadIdx.y;
    if (column < width && row < height) {
        float trace = xx + yy;
        response[row * width + column] = xx * yy - xy * xy - 0.05f * trace * trace;
    }
}
