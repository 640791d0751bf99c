// Transposes pairs of floats without a tile, four rows to a thread.
//@ param   rows = 2048
//@ param   cols = 1024
//@ buffer  in  float2[rows * cols] = i % 4099
//@ buffer  out float2[rows * cols]
//@ launch  transpose<<<dim3(cols / 32, rows / 32), dim3(32, 8)>>>(
//@             in, out, rows, cols)
extern "C" __global__ void transpose(const float2 *in, float2 *out,
                                     int rows, int cols)
{
    int col = blockIdx.x * 32 + threadIdx.x;
    int row = blockIdx.y * 32 + threadIdx.y;
    for (int down = 0; down < 32; down += 8)
        out[col * rows + row + down] = in[(row + down) * cols + col];
}
