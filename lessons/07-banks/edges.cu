// Transposes any matrix; threads without an element do nothing.
//@ title   A tile at the edge
//@ launch  edges<<<dim3((cols + 31) / 32, (rows + 31) / 32), 1024>>>(
//@             in, out, rows, cols)
extern "C" __global__ void edges(const float *__restrict__ in,
                                 float *__restrict__ out, int rows,
                                 int cols)
{
    __shared__ float tile[32][33];
    int x = threadIdx.x % 32, y = threadIdx.x / 32;
    int row = blockIdx.y * 32, col = blockIdx.x * 32; // tile's corner

    if (row + y < rows && col + x < cols)
        tile[y][x] = in[(row + y) * cols + col + x];
    __syncthreads();
    if (row + y < rows && col + x < cols)
        out[(col + y) * rows + row + x] = tile[x][y];
}
