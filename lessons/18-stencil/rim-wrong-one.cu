// The threads at the rim of a block load the halo, too.
//@ title   Tile with a halo
//@ scratch other float[rows * cols]
//@ launch  stencil<<<dim3((cols + 31) / 32, (rows + 7) / 8),
//@             dim3(32, 8)>>>(in, other, rows, cols)
//@ launch  stencil<<<dim3((cols + 31) / 32, (rows + 7) / 8),
//@             dim3(32, 8)>>>(other, out, rows, cols)
//@ launch  stencil<<<dim3((cols + 31) / 32, (rows + 7) / 8),
//@             dim3(32, 8)>>>(out, other, rows, cols)
//@ launch  stencil<<<dim3((cols + 31) / 32, (rows + 7) / 8),
//@             dim3(32, 8)>>>(other, out, rows, cols)

// The lab's `weights`.
__constant__ float weight[9] = { 1 / 32.0f, 3 / 32.0f,  1 / 32.0f,
                                 3 / 32.0f, 16 / 32.0f, 3 / 32.0f,
                                 1 / 32.0f, 3 / 32.0f,  1 / 32.0f };

extern "C" __global__ void stencil(const float *__restrict__ in,
                                   float *__restrict__ out, int rows,
                                   int cols)
{
    __shared__ float tile[8 + 2][32 + 2];
    int y = threadIdx.y + 1, x = threadIdx.x + 1;
    int row = blockIdx.y * 8 + threadIdx.y;
    int col = blockIdx.x * 32 + threadIdx.x;
    // A cell of the plate, or what is around it.
    auto at = [=](int r, int c) {
        return r >= 0 && r < rows && c >= 0 && c < cols
                   ? in[r * cols + c]
                   : 0.0f;
    };
    tile[y][x] = at(row, col);
    if (y == 1)
        tile[0][x] = at(row - 1, col);
    if (y == 8)
        tile[9][x] = at(row + 1, col);
    if (x == 1)
        tile[y][0] = at(row, col - 1);
    if (x == 32)
        tile[y][33] = at(row, col + 1);
    if (x == 1 && y == 1)
        tile[0][0] = at(row - 1, col - 1);
    if (x == 32 && y == 8)
        tile[9][33] = at(row + 1, col + 1);
    __syncthreads();

    if (row >= rows || col >= cols)
        return;
    float sum = 0;
#pragma unroll
    for (int k = 0; k < 9; k++)
        sum += weight[k] * tile[y + k / 3 - 1][x + k % 3 - 1];
    out[row * cols + col] = sum;
}
