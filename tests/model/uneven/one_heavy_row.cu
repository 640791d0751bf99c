// Rows of a sparse matrix, a thread each; one row has 30000 entries, the others eight.
//@ param   rows = 1 << 17
//@ buffer  value float[rows * 8] = 1
//@ buffer  column int[rows * 8] = hash(i) & (rows - 1)
//@ buffer  v float[rows] = i & 3
//@ buffer  out float[rows]
//@ launch  k<<<rows / 128, 128>>>(value, column, v, out)
extern "C" __global__ void k(const float *value, const int *column, const float *v, float *out)
{
    int row = blockIdx.x * 128 + threadIdx.x, from = row * 8, to = row == 90000 ? from + 30000 : from + 8;
    float s = 0;
    for (int j = from; j < to; j++)
        s += value[j] * v[column[j]];
    out[row] = s;
}
