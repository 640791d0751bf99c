// Transposes a matrix whose rows are not aligned, first without and
// then with a tile in shared memory.
//@ param   rows = 3001
//@ param   cols = 2047
//@ buffer  a float[rows * cols] = i % 8191
//@ buffer  b float[rows * cols]
//@ buffer  c float[rows * cols]
//@ launch  transpose_plain<<<dim3((cols + 15) / 16, (rows + 15) / 16),
//@                           dim3(16, 16)>>>(a, b, rows, cols)
//@ launch  transpose_tile<<<dim3((cols + 31) / 32, (rows + 31) / 32),
//@                          dim3(32, 8)>>>(a, c, rows, cols)
#define TILE 32

__global__ void transpose_plain(const float *in, float *out, int rows,
                                int cols)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (col < cols && row < rows)
        out[col * rows + row] = in[row * cols + col];
}

__global__ void transpose_tile(const float *in, float *out, int rows,
                               int cols)
{
    __shared__ float tile[TILE][TILE + 1];

    int x = blockIdx.x * TILE + threadIdx.x;
    int y = blockIdx.y * TILE + threadIdx.y;
    for (int k = 0; k < TILE; k += 8)
        if (x < cols && y + k < rows)
            tile[threadIdx.y + k][threadIdx.x] = in[(y + k) * cols + x];
    __syncthreads();

    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
    for (int k = 0; k < TILE; k += 8)
        if (x < rows && y + k < cols)
            out[(y + k) * rows + x] =
                tile[threadIdx.x][threadIdx.y + k];
}
