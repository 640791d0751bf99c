// Sums the rows of a matrix, a warp to a row.
//@ param   rows = 16384
//@ param   cols = 1000
//@ buffer  m    float[rows * cols] = i % 11
//@ buffer  sums float[rows]
//@ launch  sum_rows<<<rows / 8, dim3(32, 8)>>>(m, sums, cols)
extern "C" __global__ void sum_rows(const float *m, float *sums,
                                    int cols)
{
    int lane = threadIdx.x;
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    float sum = 0;
    for (int col = lane; col < cols; col += 32)
        sum += m[row * cols + col];
    for (int far = 16; far > 0; far >>= 1)
        sum += __shfl_xor_sync(0xffffffffu, sum, far);
    if (lane == 0)
        sums[row] = sum;
}
