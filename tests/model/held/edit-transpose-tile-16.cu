// transpose/tile with tiles of 16 x 16.
//@ param   rows = 2048
//@ param   cols = 4096
//@ buffer  in  float[rows * cols] = i
//@ buffer  out float[rows * cols]
//@ launch  transpose_tile<<<dim3((cols + 15) / 16, (rows + 15) / 16),
//@                          dim3(16, 16)>>>(in, out, rows, cols)
extern "C" __global__ void transpose_tile(const float *__restrict__ in,
                                          float *__restrict__ out,
                                          int rows, int cols)
{
    __shared__ float tile[16][16];

    int col = blockIdx.x * 16 + threadIdx.x;
    int row = blockIdx.y * 16 + threadIdx.y;
    if (row < rows && col < cols)
        tile[threadIdx.y][threadIdx.x] = in[row * cols + col];
    __syncthreads();

    int out_col = blockIdx.y * 16 + threadIdx.x;
    int out_row = blockIdx.x * 16 + threadIdx.y;
    if (out_row < cols && out_col < rows)
        out[out_row * rows + out_col] = tile[threadIdx.x][threadIdx.y];
}
