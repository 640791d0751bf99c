// A block transposes a tile of 32 x 32 in shared memory, so that both
// its reads and its writes run along rows.
//@ title   Tile in shared memory
//@ why     Global memory sees whole rows on both sides. The tile is
//@ why     transposed on chip, but a column of it lies in one bank.
//@ launch  transpose_tile<<<dim3((cols + 31) / 32, (rows + 31) / 32),
//@                          dim3(32, 32)>>>(in, out, rows, cols)
//@ owner   out <<<dim3(i / rows / 32, i % rows / 32),
//@                dim3(i % rows % 32, i / rows % 32)>>>
extern "C" __global__ void transpose_tile(const float *__restrict__ in,
                                          float *__restrict__ out,
                                          int rows, int cols)
{
    __shared__ float tile[32][32];

    int col = blockIdx.x * 32 + threadIdx.x;
    int row = blockIdx.y * 32 + threadIdx.y;
    if (row < rows && col < cols)
        tile[threadIdx.y][threadIdx.x] = in[row * cols + col];
    __syncthreads();

    // The tile's place in `out`: its rows were columns. Threads go down
    // a column of the tile, whose 32 floats all lie in the same bank.
    int out_col = blockIdx.y * 32 + threadIdx.x;
    int out_row = blockIdx.x * 32 + threadIdx.y;
    if (out_row < cols && out_col < rows)
        out[out_row * rows + out_col] = tile[threadIdx.x][threadIdx.y];
}
