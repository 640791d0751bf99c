// transpose/rows with sixteen rows a thread: two warps a block.
//@ param   rows = 4096
//@ param   cols = 4096
//@ buffer  in  float[rows * cols] = i
//@ buffer  out float[rows * cols]
//@ launch  transpose_rows<<<dim3((cols + 31) / 32, (rows + 31) / 32),
//@                          dim3(32, 2)>>>(in, out, rows, cols)
extern "C" __global__ void transpose_rows(const float *__restrict__ in,
                                          float *__restrict__ out,
                                          int rows, int cols)
{
    __shared__ float tile[32][33];

    int col = blockIdx.x * 32 + threadIdx.x;
    int row = blockIdx.y * 32 + threadIdx.y;
#pragma unroll
    for (int down = 0; down < 32; down += 2)
        if (row + down < rows && col < cols)
            tile[threadIdx.y + down][threadIdx.x] =
                in[(row + down) * cols + col];
    __syncthreads();

    int out_col = blockIdx.y * 32 + threadIdx.x;
    int out_row = blockIdx.x * 32 + threadIdx.y;
#pragma unroll
    for (int down = 0; down < 32; down += 2)
        if (out_row + down < cols && out_col < rows)
            out[(out_row + down) * rows + out_col] =
                tile[threadIdx.x][threadIdx.y + down];
}
