// Sums the columns of a matrix: first strips of 64 rows, a thread to a
// column, then the strips.
//@ param   rows = 4096
//@ param   cols = 2560
//@ buffer  m       float[rows * cols] = i % 7
//@ buffer  partial float[rows / 64 * cols]
//@ buffer  sums    float[cols]
//@ launch  sum_strips<<<dim3(cols / 128, rows / 64), 128>>>(
//@             m, partial, cols, 64)
//@ launch  sum_strips<<<dim3(cols / 128, 1), 128>>>(
//@             partial, sums, cols, rows / 64)
extern "C" __global__ void sum_strips(const float *m, float *sums,
                                      int cols, int height)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    const float *strip = m + blockIdx.y * height * cols;
    float sum = 0;
    for (int row = 0; row < height; row++)
        sum += strip[row * cols + col];
    sums[blockIdx.y * cols + col] = sum;
}
