// A sparse matrix times a vector, a warp a row, by shuffles.
//@ param rows = 1 << 14
//@ buffer column int[rows / 16 * 136 * 8] = hash(i) % rows
//@ buffer value float[rows / 16 * 136 * 8] = i & 7
//@ buffer x float[rows] = i & 15
//@ buffer y float[rows]
//@ launch multiply<<<rows / 8, 256>>>(column, value, x, y)
extern "C" __global__ void multiply(const int *column, const float *value, const float *x, float *y)
{
    int row = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32, more = row % 16;
    int first = (row + row / 16 * 120 + more * (more - 1) / 2) * 8, end = first + (more + 1) * 8;
    float sum = 0;
    for (int e = first + lane; e < end; e += 32)
        sum += value[e] * x[column[e]];
    for (int by = 16; by; by /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, by);
    if (lane == 0)
        y[row] = sum;
}
