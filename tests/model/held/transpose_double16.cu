// Transposes doubles by padded tiles of 16 x 16.
//@ param   rows = 1536
//@ param   cols = 2048
//@ buffer  in  double[rows * cols] = i
//@ buffer  out double[rows * cols]
//@ launch  transpose<<<dim3(cols / 16, rows / 16), dim3(16, 16)>>>(
//@             in, out, rows, cols)
extern "C" __global__ void transpose(const double *in, double *out,
                                     int rows, int cols)
{
    __shared__ double tile[16][17];
    int x = threadIdx.x, y = threadIdx.y;
    int col = blockIdx.x * 16, row = blockIdx.y * 16;

    tile[y][x] = in[(row + y) * cols + col + x];
    __syncthreads();
    out[(col + y) * rows + row + x] = tile[x][y];
}
