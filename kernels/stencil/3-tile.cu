// A block first brings its cells into shared memory, and a halo of one
// cell around them: what its outermost cells need of their neighbours.
//@ title   Tile with a halo
//@ why     Global memory is asked 1.2 times for each number instead of
//@ why     nine times; shared memory is asked nine times.
//@ scratch other float[rows * cols]
//@ launch  stencilTile<<<dim3((cols + 31) / 32, (rows + 15) / 16),
//@             dim3(32, 16)>>>(
//@             in, other, rows, cols)
//@ launch  stencilTile<<<dim3((cols + 31) / 32, (rows + 15) / 16),
//@             dim3(32, 16)>>>(
//@             other, out, rows, cols)
//@ launch  stencilTile<<<dim3((cols + 31) / 32, (rows + 15) / 16),
//@             dim3(32, 16)>>>(
//@             out, other, rows, cols)
//@ launch  stencilTile<<<dim3((cols + 31) / 32, (rows + 15) / 16),
//@             dim3(32, 16)>>>(
//@             other, out, rows, cols)
//@ owner   out <<<dim3(i % cols / 32, i / cols / 16),
//@                dim3(i % cols % 32, i / cols % 16)>>>

// The lab's `weights`.
__constant__ float weight[9] = { 1 / 32.0f, 3 / 32.0f,  1 / 32.0f,
                                 3 / 32.0f, 16 / 32.0f, 3 / 32.0f,
                                 1 / 32.0f, 3 / 32.0f,  1 / 32.0f };

extern "C" __global__ void stencilTile(const float *__restrict__ in,
                                       float *__restrict__ out,
                                       int rows, int cols)
{
    __shared__ float tile[16 + 2][32 + 2];
    int firstCol = blockIdx.x * 32, firstRow = blockIdx.y * 16;

    // 18 x 34 numbers; outside of the plate there is 0.
    for (int y = threadIdx.y; y < 18; y += 16) {
        for (int x = threadIdx.x; x < 34; x += 32) {
            int row = firstRow + y - 1, col = firstCol + x - 1;
            bool inside =
                row >= 0 && row < rows && col >= 0 && col < cols;
            tile[y][x] = inside ? in[row * cols + col] : 0;
        }
    }
    __syncthreads();

    int row = firstRow + threadIdx.y, col = firstCol + threadIdx.x;
    float sum = 0;
#pragma unroll
    for (int k = 0; k < 9; k++)
        sum +=
            weight[k] * tile[threadIdx.y + k / 3][threadIdx.x + k % 3];
    if (row < rows && col < cols)
        out[row * cols + col] = sum;
}
