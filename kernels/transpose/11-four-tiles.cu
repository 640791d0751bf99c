// An experiment: the threads of "Four rows, one load in flight", in
// blocks as large as those of the padded tile. Each quarter of a block
// has a tile of its own, and all quarters wait at one barrier.
//@ title   Four rows, one load, large blocks
//@ why     The padded tile's blocks of 1024 threads wait together and
//@ why     leave an SM together. What that costs, smaller ones gained.
//@ launch  transpose_four_tiles<<<
//@             dim3((cols + 127) / 128, (rows + 31) / 32),
//@             dim3(32, 32)>>>(in, out, rows, cols)
//@ owner   out <<<dim3(i / rows / 128, i % rows / 32),
//@                dim3(i % rows % 32,
//@                     i / rows % 128 / 32 * 8 + i / rows % 8)>>>
extern "C" __global__ void
transpose_four_tiles(const float *__restrict__ in,
                     float *__restrict__ out, int rows, int cols)
{
    __shared__ float tiles[4][32][33];

    int quarter = threadIdx.y / 8, y = threadIdx.y % 8;
    float(*tile)[33] = tiles[quarter];
    float before = 0;
    int col = (blockIdx.x * 4 + quarter) * 32 + threadIdx.x;
    int row = blockIdx.y * 32 + y;
    for (int down = 0; down < 32; down += 8)
        if (row + down < rows && col < cols) {
            // Always 0, but the address waits for the load before.
            int late = before == -1e30f;
            before = in[(row + down) * cols + col + late];
            tile[y + down][threadIdx.x] = before;
        }
    __syncthreads();

    int out_col = blockIdx.y * 32 + threadIdx.x;
    int out_row = (blockIdx.x * 4 + quarter) * 32 + y;
    for (int down = 0; down < 32; down += 8)
        if (out_row + down < cols && out_col < rows)
            out[(out_row + down) * rows + out_col] =
                tile[threadIdx.x][y + down];
}
