// Eight warps transpose a tile: they store rows and read columns.
//@ title   A tile of 32 x 32
//@ needs   rows % 32 == 0
//@ needs   cols % 32 == 0
//@ launch  pad<<<dim3(cols / 32, rows / 32), 256>>>(
//@             in, out, rows, cols)
extern "C" __global__ void pad(const float *__restrict__ in,
                               float *__restrict__ out, int rows,
                               int cols)
{
    // TODO: one more word after each row. Three lines depend on it.
    __shared__ float tile[32 * 32];
    int lane = threadIdx.x % 32;
    int row = blockIdx.y * 32, col = blockIdx.x * 32; // tile's corner

    for (int r = threadIdx.x / 32; r < 32; r += 8)
        tile[r * 32 + lane] = in[(row + r) * cols + col + lane];
    __syncthreads();
    for (int r = threadIdx.x / 32; r < 32; r += 8)
        out[(col + r) * rows + row + lane] = tile[lane * 32 + r];
}
