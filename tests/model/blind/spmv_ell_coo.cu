// A sparse matrix times a vector in the hybrid format: 12 elements of
// each row as ELL, the rest as COO with an atomic for each.
//@ param   rows = 200000
//@ param   extra = 600000
//@ param   width = 12
//@ buffer  ecol int[rows * width] = (hash(i) % 5 == 0 ? -1
//@                 : hash(i) % 3 == 0 ? hash(i + 3) % rows
//@                 : (i % rows + hash(i) % 500) % rows)
//@ buffer  eval float[rows * width] = hash(i + 1) % 17 * 0.25 - 2
//@ buffer  crow int[extra] = hash(i / 60) % 400 * (hash(i / 60 + 1)
//@                                                 % 500)
//@ buffer  ccol int[extra] = hash(i + 8) % rows
//@ buffer  cval float[extra] = hash(i + 9) % 13 * 0.5 - 3
//@ buffer  x    float[rows] = i % 37 * 0.5
//@ buffer  y    float[rows]
//@ launch  ell<<<(rows + 191) / 192, 192>>>(ecol, eval, x, y, rows,
//@                                          width)
//@ launch  coo<<<(extra + 191) / 192, 192>>>(crow, ccol, cval, x, y,
//@                                           extra)
__global__ void ell(const int *__restrict__ col,
                    const float *__restrict__ val,
                    const float *__restrict__ x, float *__restrict__ y,
                    int rows, int width)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    float dot = 0;
    for (int k = 0; k < width; k++) {
        int c = col[k * rows + row];
        if (c >= 0)
            dot += val[k * rows + row] * x[c];
    }
    y[row] = dot;
}

__global__ void coo(const int *__restrict__ row,
                    const int *__restrict__ col,
                    const float *__restrict__ val,
                    const float *__restrict__ x, float *y, int count)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k < count)
        atomicAdd(&y[row[k]], val[k] * x[col[k]]);
}
