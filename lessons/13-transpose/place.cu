// Transposes each tile correctly in shared memory, without conflicts.
//@ title   Tiles that turn, and stay
//@ launch  place<<<dim3((cols + 31) / 32, (rows + 31) / 32),
//@                 dim3(32, 32)>>>(in, out, rows, cols)
extern "C" __global__ void place(const float *__restrict__ in,
                                 float *__restrict__ out, int rows,
                                 int cols)
{
    __shared__ float tile[32][33];
    int col = blockIdx.x * 32 + threadIdx.x;
    int row = blockIdx.y * 32 + threadIdx.y;
    if (row < rows && col < cols)
        tile[threadIdx.y][threadIdx.x] = in[row * cols + col];
    __syncthreads();

    int out_col = blockIdx.x * 32 + threadIdx.x;
    int out_row = blockIdx.y * 32 + threadIdx.y;
    if (out_row < cols && out_col < rows)
        out[out_row * rows + out_col] = tile[threadIdx.x][threadIdx.y];
}
