// A smaller tile: a warp stores two rows of it, and reads two columns.
//@ title   A tile of 16 x 16
//@ needs   rows % 16 == 0
//@ needs   cols % 16 == 0
//@ launch  swizzle<<<dim3(cols / 16, rows / 16), 256>>>(
//@             in, out, rows, cols)
extern "C" __global__ void swizzle(const float *__restrict__ in,
                                   float *__restrict__ out, int rows,
                                   int cols)
{
    __shared__ float tile[16 * 16];
    int x = threadIdx.x % 16, y = threadIdx.x / 16; // a warp has two y
    int row = blockIdx.y * 16, col = blockIdx.x * 16; // tile's corner

    // TODO: move words within their rows, here and where they are read.
    tile[y * 16 + x] = in[(row + y) * cols + col + x];
    __syncthreads();
    out[(col + y) * rows + row + x] = tile[x * 16 + y];
}
