// transpose/strided-writes with blocks of 64 x 4.
//@ param   rows = 2048
//@ param   cols = 2048
//@ buffer  in  float[rows * cols] = i
//@ buffer  out float[rows * cols]
//@ launch  transpose_strided_writes<<<
//@             dim3((cols + 63) / 64, (rows + 3) / 4),
//@             dim3(64, 4)>>>(in, out, rows, cols)
extern "C" __global__ void
transpose_strided_writes(const float *__restrict__ in,
                         float *__restrict__ out, int rows, int cols)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows && col < cols)
        out[col * rows + row] = in[row * cols + col];
}
