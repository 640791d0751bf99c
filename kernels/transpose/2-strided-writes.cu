// The same with the axes swapped: neighbouring threads read
// neighbouring floats, and now what they write lies a row apart.
//@ title   Naive, strided writes
//@ why     The strided side moves to the stores. L1 keeps the rest of a
//@ why     loaded sector, but collects no stores.
//@ launch  transpose_strided_writes<<<
//@             dim3((cols + 31) / 32, (rows + 31) / 32),
//@             dim3(32, 32)>>>(in, out, rows, cols)
//@ owner   out <<<dim3(i / rows / 32, i % rows / 32),
//@                dim3(i / rows % 32, i % rows % 32)>>>
extern "C" __global__ void
transpose_strided_writes(const float *__restrict__ in,
                         float *__restrict__ out, int rows, int cols)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows && col < cols)
        out[col * rows + row] = in[row * cols + col];
}
