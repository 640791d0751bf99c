// A sparse matrix in CSR times a vector, in double precision, a warp to a
// row; most rows have 8 elements, one in 64 has 308.
//@ param   rows = 120000
//@ param   elements = rows * 8 + (rows + 63) / 64 * 300
//@ buffer  start  int[rows + 1] = i * 8 + (i + 63) / 64 * 300
//@ buffer  column int[elements] = hash(i) % rows
//@ buffer  value  double[elements] = 0.01 * (hash(i + 2) % 100)
//@ buffer  x      double[rows] = 0.5 + i % 3
//@ buffer  y      double[rows]
//@ launch  spmvVector<<<(rows + 7) / 8, 256>>>(start, column, value, x,
//@                                             y, rows)
__global__ void spmvVector(const int *start, const int *column,
                           const double *value, const double *x,
                           double *y, int rows)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x & 31;
    if (row >= rows)
        return;

    double sum = 0.0;
    int end = start[row + 1];
    for (int e = start[row] + lane; e < end; e += 32)
        sum += value[e] * x[column[e]];
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_down_sync(0xffffffffu, sum, d);
    if (lane == 0)
        y[row] = sum;
}
