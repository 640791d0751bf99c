// An experiment: the same eight floats a thread, stored as two pieces
// of 16 bytes.
//@ title   Stores in 16-byte pieces
//@ why     Only the size of the pieces differs from the step before.
//@ why     Whatever that gains, the number of pieces had cost.
//@ needs   rows % 8 == 0
//@ launch  transpose_pieces_of_16<<<
//@             dim3((cols + 31) / 32, (rows + 31) / 32),
//@             dim3(32, 4)>>>(in, out, rows, cols)
//@ owner   out <<<dim3(i / rows / 32, i % rows / 32),
//@                dim3(i / rows % 32, i % rows % 32 / 8)>>>
extern "C" __global__ void
transpose_pieces_of_16(const float *__restrict__ in,
                       float *__restrict__ out, int rows, int cols)
{
    int col = blockIdx.x * 32 + threadIdx.x;
    int row = (blockIdx.y * 4 + threadIdx.y) * 8;
    if (row >= rows || col >= cols)
        return;

    float a[8];
    for (int d = 0; d < 8; d++)
        a[d] = in[(row + d) * cols + col];
    float4 *to = (float4 *)&out[col * rows + row];
    to[0] = make_float4(a[0], a[1], a[2], a[3]);
    to[1] = make_float4(a[4], a[5], a[6], a[7]);
}
