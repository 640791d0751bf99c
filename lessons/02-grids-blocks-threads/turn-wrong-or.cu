// Turns a matrix around: what was in row r, column c of `in` goes to
// row c, column r of `out`. `in` has `rows` rows of `cols` floats.
//@ title   A thread per element of a matrix
//@ launch  turn<<<dim3((cols + 31) / 32, (rows + 7) / 8),
//@                dim3(32, 8)>>>(in, out, rows, cols)
extern "C" __global__ void turn(const float *in, float *out, int rows,
                                int cols)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;

    if (row < rows || col < cols)
        out[col * rows + row] = in[row * cols + col];
}
