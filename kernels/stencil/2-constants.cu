// The weights are known beforehand, so they are constants: operands of
// the arithmetic, without a load. The rest is as in step 1.
//@ title   Weights as constants
//@ why     Half of the loads were of weights. A constant that all lanes
//@ why     need at once costs no load.
//@ scratch other float[rows * cols]
//@ launch  stencilConstants<<<dim3((cols + 31) / 32, (rows + 7) / 8),
//@             dim3(32, 8)>>>(
//@             in, other, rows, cols)
//@ launch  stencilConstants<<<dim3((cols + 31) / 32, (rows + 7) / 8),
//@             dim3(32, 8)>>>(
//@             other, out, rows, cols)
//@ launch  stencilConstants<<<dim3((cols + 31) / 32, (rows + 7) / 8),
//@             dim3(32, 8)>>>(
//@             out, other, rows, cols)
//@ launch  stencilConstants<<<dim3((cols + 31) / 32, (rows + 7) / 8),
//@             dim3(32, 8)>>>(
//@             other, out, rows, cols)
//@ owner   out <<<dim3(i % cols / 32, i / cols / 8),
//@                dim3(i % cols % 32, i / cols % 8)>>>

// The lab's `weights`.
__constant__ float weight[9] = { 1 / 32.0f, 3 / 32.0f,  1 / 32.0f,
                                 3 / 32.0f, 16 / 32.0f, 3 / 32.0f,
                                 1 / 32.0f, 3 / 32.0f,  1 / 32.0f };

extern "C" __global__ void
stencilConstants(const float *__restrict__ in, float *__restrict__ out,
                 int rows, int cols)
{
    int col = blockIdx.x * 32 + threadIdx.x;
    int row = blockIdx.y * 8 + threadIdx.y;
    if (col >= cols || row >= rows)
        return;

    float sum = 0;
    if (row > 0 && row < rows - 1 && col > 0 && col < cols - 1) {
#pragma unroll
        for (int k = 0; k < 9; k++)
            sum += weight[k] *
                   in[(row + k / 3 - 1) * cols + col + k % 3 - 1];
    } else {
        for (int k = 0; k < 9; k++) {
            int y = row + k / 3 - 1, x = col + k % 3 - 1;
            if (y >= 0 && y < rows && x >= 0 && x < cols)
                sum += weight[k] * in[y * cols + x];
        }
    }
    out[row * cols + col] = sum;
}
