// No tile: the stores go down a column.
//@ title   A transpose from an empty file
//@ launch  turn<<<dim3((cols + 31) / 32, (rows + 7) / 8),
//@                dim3(32, 8)>>>(in, out, rows, cols)
extern "C" __global__ void turn(const float *__restrict__ in,
                                float *__restrict__ out, int rows,
                                int cols)
{
    int col = blockIdx.x * 32 + threadIdx.x;
    int row = blockIdx.y * 8 + threadIdx.y;
    if (row < rows && col < cols)
        out[col * rows + row] = in[row * cols + col];
}
