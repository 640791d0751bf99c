// A thread per element. Neighbouring threads write neighbouring floats,
// but what they read lies a whole row apart.
//@ title   Naive, strided reads
//@ why     Every warp writes one run of 128 bytes and reads 32 places,
//@ why     each in a row of its own.
//@ launch  transpose_strided_reads<<<
//@             dim3((rows + 31) / 32, (cols + 31) / 32),
//@             dim3(32, 32)>>>(in, out, rows, cols)
//@ owner   out <<<dim3(i % rows / 32, i / rows / 32),
//@                dim3(i % rows % 32, i / rows % 32)>>>
extern "C" __global__ void
transpose_strided_reads(const float *__restrict__ in,
                        float *__restrict__ out, int rows, int cols)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    int col = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows && col < cols)
        out[col * rows + row] = in[row * cols + col];
}
