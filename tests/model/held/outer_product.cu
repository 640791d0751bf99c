// Adds the outer product of two vectors to a matrix.
//@ param   rows = 2048
//@ param   cols = 3072
//@ buffer  x float[rows] = i % 13
//@ buffer  y float[cols] = i % 17
//@ buffer  a float[rows * cols] = i % 3
//@ launch  outer<<<dim3(cols / 128, rows / 8), dim3(128, 2)>>>(
//@             x, y, a, cols)
extern "C" __global__ void outer(const float *x, const float *y,
                                 float *a, int cols)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * 8 + threadIdx.y * 4;
    float right = y[col];
    for (int r = 0; r < 4; r++)
        a[(row + r) * cols + col] += x[row + r] * right;
}
