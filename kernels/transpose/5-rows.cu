// A quarter of the threads, each with four rows of the tile: while one
// float is on its way, the next three are asked for.
//@ title   Four rows a thread
//@ why     Four loads in flight per thread, and a barrier only once for
//@ why     four rows.
//@ launch  transpose_rows<<<dim3((cols + 31) / 32, (rows + 31) / 32),
//@                          dim3(32, 8)>>>(in, out, rows, cols)
//@ owner   out <<<dim3(i / rows / 32, i % rows / 32),
//@                dim3(i % rows % 32, i / rows % 8)>>>
extern "C" __global__ void transpose_rows(const float *__restrict__ in,
                                          float *__restrict__ out,
                                          int rows, int cols)
{
    __shared__ float tile[32][33];

    int col = blockIdx.x * 32 + threadIdx.x;
    int row = blockIdx.y * 32 + threadIdx.y;
    for (int down = 0; down < 32; down += 8)
        if (row + down < rows && col < cols)
            tile[threadIdx.y + down][threadIdx.x] =
                in[(row + down) * cols + col];
    __syncthreads();

    // The tile's place in `out`: its rows were columns. Threads go down
    // a column of the tile, whose 32 floats lie in 32 banks.
    int out_col = blockIdx.y * 32 + threadIdx.x;
    int out_row = blockIdx.x * 32 + threadIdx.y;
    for (int down = 0; down < 32; down += 8)
        if (out_row + down < cols && out_col < rows)
            out[(out_row + down) * rows + out_col] =
                tile[threadIdx.x][threadIdx.y + down];
}
