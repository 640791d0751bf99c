// A padded tile, four rows a thread.
//@ title   A transpose from an empty file
//@ launch  turn<<<dim3((cols + 31) / 32, (rows + 31) / 32),
//@                dim3(32, 8)>>>(in, out, rows, cols)
extern "C" __global__ void turn(const float *__restrict__ in,
                                float *__restrict__ out, int rows,
                                int cols)
{
    __shared__ float tile[32][33];
    int col = blockIdx.x * 32 + threadIdx.x;
    int row = blockIdx.y * 32 + threadIdx.y;
    int out_col = blockIdx.y * 32 + threadIdx.x;
    int out_row = blockIdx.x * 32 + threadIdx.y;

    for (int d = 0; d < 32; d += 8)
        if (row + d < rows && col < cols)
            tile[threadIdx.y + d][threadIdx.x] =
                in[(row + d) * cols + col];
    __syncthreads();
    for (int d = 0; d < 32; d += 8)
        if (out_row + d < cols && out_col < rows)
            out[(out_row + d) * rows + out_col] =
                tile[threadIdx.x][threadIdx.y + d];
}
