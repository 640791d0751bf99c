// Two time steps in a launch, with a halo of two.
//@ title   Two time steps
//@ scratch other float[rows * cols]
//@ launch  stencil<<<dim3((cols + 31) / 32, (rows + 7) / 8),
//@             dim3(32, 8)>>>(in, other, rows, cols)
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
    __shared__ float start[8 + 4][32 + 4], after[8 + 2][32 + 2];
    int firstRow = blockIdx.y * 8, firstCol = blockIdx.x * 32;
    for (int y = threadIdx.y; y < 12; y += 8) {
        for (int x = threadIdx.x; x < 36; x += 32) {
            int row = firstRow + y - 2, col = firstCol + x - 2;
            bool inside =
                row >= 0 && row < rows && col >= 0 && col < cols;
            start[y][x] = inside ? in[row * cols + col] : 0;
        }
    }
    __syncthreads();

    for (int y = threadIdx.y; y < 10; y += 8) {
        for (int x = threadIdx.x; x < 34; x += 32) {
            float sum = 0;
#pragma unroll
            for (int k = 0; k < 9; k++)
                sum += weight[k] * start[y + k / 3][x + k % 3];
            after[y][x] = sum;
        }
    }
    __syncthreads();

    int row = firstRow + threadIdx.y, col = firstCol + threadIdx.x;
    if (row >= rows || col >= cols)
        return;
    float sum = 0;
#pragma unroll
    for (int k = 0; k < 9; k++)
        sum +=
            weight[k] * after[threadIdx.y + k / 3][threadIdx.x + k % 3];
    out[row * cols + col] = sum;
}
