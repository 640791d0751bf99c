// A sparse matrix times a vector, CSR, eight lanes to a row; rows have from 1 to 63 elements.
//@ param   rows = 1 << 18
//@ buffer  start int[rows + 1] = i * 32 + hash(i) % 32
//@ buffer  col   int[rows * 32 + 32] = (i / 32 + hash(i) % 8192) % rows
//@ buffer  val   float[rows * 32 + 32] = hash(i + 1) % 9 - 4
//@ buffer  x     float[rows] = i % 101 * 0.125
//@ buffer  y     float[rows]
//@ launch  spmv<<<rows / 32, 256>>>(start, col, val, x, y, rows)
__global__ void spmv(const int *__restrict__ start, const int *__restrict__ col, const float *__restrict__ val,
                     const float *__restrict__ x, float *__restrict__ y, int rows)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 8;
    int lane = threadIdx.x % 8;
    float sum = 0.0f;
    int end = start[row + 1];
    for (int j = start[row] + lane; j < end; j += 8)
        sum += val[j] * x[col[j]];
    sum += __shfl_down_sync(0xffffffff, sum, 4, 8);
    sum += __shfl_down_sync(0xffffffff, sum, 2, 8);
    sum += __shfl_down_sync(0xffffffff, sum, 1, 8);
    if (lane == 0)
        y[row] = sum;
}
