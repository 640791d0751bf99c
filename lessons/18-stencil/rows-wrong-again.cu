// A thread goes down 16 rows of a column.
//@ title   Down a column
//@ scratch other float[rows * cols]
//@ launch  stencil<<<dim3((cols + 127) / 128, (rows + 15) / 16),
//@             128>>>(in, other, rows, cols)
//@ launch  stencil<<<dim3((cols + 127) / 128, (rows + 15) / 16),
//@             128>>>(other, out, rows, cols)
//@ launch  stencil<<<dim3((cols + 127) / 128, (rows + 15) / 16),
//@             128>>>(out, other, rows, cols)
//@ launch  stencil<<<dim3((cols + 127) / 128, (rows + 15) / 16),
//@             128>>>(other, out, rows, cols)

// The lab's `weights`.
__constant__ float weight[9] = { 1 / 32.0f, 3 / 32.0f,  1 / 32.0f,
                                 3 / 32.0f, 16 / 32.0f, 3 / 32.0f,
                                 1 / 32.0f, 3 / 32.0f,  1 / 32.0f };

extern "C" __global__ void stencil(const float *__restrict__ in,
                                   float *__restrict__ out, int rows,
                                   int cols)
{
    int col = blockIdx.x * 128 + threadIdx.x;
    int first = blockIdx.y * 16, last = min(first + 16, rows);
    if (col >= cols)
        return;

    for (int row = last - 1; row >= first; row--) {
        float sum = 0; // the same from below
#pragma unroll
        for (int k = 0; k < 9; k++) {
            int y = row + k / 3 - 1, x = col + k % 3 - 1;
            if (y >= 0 && y < rows && x >= 0 && x < cols)
                sum += weight[k] * in[y * cols + x];
        }
        out[row * cols + col] = sum;
    }
}
