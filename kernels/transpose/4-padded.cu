// The same tile with one unused float at the end of each row, so that a
// column of it spreads over all 32 banks.
//@ title   Tile with padding
//@ why     Rows are 33 floats apart: each step down a column is a step
//@ why     to the next bank.
//@ launch  transpose_padded<<<dim3((cols + 31) / 32, (rows + 31) / 32),
//@                            dim3(32, 32)>>>(in, out, rows, cols)
//@ owner   out <<<dim3(i / rows / 32, i % rows / 32),
//@                dim3(i % rows % 32, i / rows % 32)>>>
extern "C" __global__ void
transpose_padded(const float *__restrict__ in, float *__restrict__ out,
                 int rows, int cols)
{
    __shared__ float tile[32][33];

    int col = blockIdx.x * 32 + threadIdx.x;
    int row = blockIdx.y * 32 + threadIdx.y;
    if (row < rows && col < cols)
        tile[threadIdx.y][threadIdx.x] = in[row * cols + col];
    __syncthreads();

    // The tile's place in `out`: its rows were columns. Threads go down
    // a column of the tile, whose 32 floats lie in 32 banks.
    int out_col = blockIdx.y * 32 + threadIdx.x;
    int out_row = blockIdx.x * 32 + threadIdx.y;
    if (out_row < cols && out_col < rows)
        out[out_row * rows + out_col] = tile[threadIdx.x][threadIdx.y];
}
