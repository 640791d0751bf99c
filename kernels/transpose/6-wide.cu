// The same four floats a thread, but side by side: one load and one
// store of 16 bytes instead of four of 4 bytes each.
//@ title   16-byte loads and stores
//@ why     A quarter of the memory instructions for the same bytes. The
//@ why     padded tile stays free of conflicts.
//@ needs   rows % 4 == 0
//@ needs   cols % 4 == 0
//@ launch  transpose_wide<<<dim3((cols + 31) / 32, (rows + 31) / 32),
//@                          dim3(8, 32)>>>(in, out, rows, cols)
//@ owner   out <<<dim3(i / rows / 32, i % rows / 32),
//@                dim3(i % rows % 32 / 4, i / rows % 32)>>>
extern "C" __global__ void transpose_wide(const float *__restrict__ in,
                                          float *__restrict__ out,
                                          int rows, int cols)
{
    __shared__ float tile[32][33];

    // Eight threads take a row of 32 floats; a warp takes four rows.
    int across = 4 * threadIdx.x;
    int col = blockIdx.x * 32 + across;
    int row = blockIdx.y * 32 + threadIdx.y;
    if (row < rows && col < cols) {
        float4 four = *(const float4 *)&in[row * cols + col];
        tile[threadIdx.y][across + 0] = four.x;
        tile[threadIdx.y][across + 1] = four.y;
        tile[threadIdx.y][across + 2] = four.z;
        tile[threadIdx.y][across + 3] = four.w;
    }
    __syncthreads();

    // The tile's place in `out`: its rows were columns. A thread
    // gathers four floats down a column of the tile; each of the four
    // times, a warp finds its 32 floats in 32 banks.
    int out_col = blockIdx.y * 32 + across;
    int out_row = blockIdx.x * 32 + threadIdx.y;
    if (out_row < cols && out_col < rows) {
        float4 four;
        four.x = tile[across + 0][threadIdx.y];
        four.y = tile[across + 1][threadIdx.y];
        four.z = tile[across + 2][threadIdx.y];
        four.w = tile[across + 3][threadIdx.y];
        *(float4 *)&out[out_row * rows + out_col] = four;
    }
}
