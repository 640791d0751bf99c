// A thread for each cell, which loads its nine numbers and their nine
// weights. A launch for each time step.
//@ title   A thread for each cell
//@ why     Each number is loaded nine times, by neighbours; the caches
//@ why     have to make up for it.
//@ scratch other float[rows * cols]
//@ launch  stencilNaive<<<dim3((cols + 31) / 32, (rows + 7) / 8),
//@             dim3(32, 8)>>>(
//@             in, weights, other, rows, cols)
//@ launch  stencilNaive<<<dim3((cols + 31) / 32, (rows + 7) / 8),
//@             dim3(32, 8)>>>(
//@             other, weights, out, rows, cols)
//@ launch  stencilNaive<<<dim3((cols + 31) / 32, (rows + 7) / 8),
//@             dim3(32, 8)>>>(
//@             out, weights, other, rows, cols)
//@ launch  stencilNaive<<<dim3((cols + 31) / 32, (rows + 7) / 8),
//@             dim3(32, 8)>>>(
//@             other, weights, out, rows, cols)
//@ owner   out <<<dim3(i % cols / 32, i / cols / 8),
//@                dim3(i % cols % 32, i / cols % 8)>>>
extern "C" __global__ void
stencilNaive(const float *__restrict__ in,
             const float *__restrict__ weights, float *__restrict__ out,
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
            sum += weights[k] *
                   in[(row + k / 3 - 1) * cols + col + k % 3 - 1];
    } else {
        for (int k = 0; k < 9; k++) {
            int y = row + k / 3 - 1, x = col + k % 3 - 1;
            if (y >= 0 && y < rows && x >= 0 && x < cols)
                sum += weights[k] * in[y * cols + x];
        }
    }
    out[row * cols + col] = sum;
}
