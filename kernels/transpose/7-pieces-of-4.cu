// An experiment: strided writes with eight rows a thread. The eight
// floats that it stores fill a sector, and go there in eight pieces.
//@ title   Stores in 4-byte pieces
//@ why     Eight floats of a sector come from one thread now, and are
//@ why     stored one by one.
//@ needs   rows % 8 == 0
//@ launch  transpose_pieces_of_4<<<
//@             dim3((cols + 31) / 32, (rows + 31) / 32),
//@             dim3(32, 4)>>>(in, out, rows, cols)
//@ owner   out <<<dim3(i / rows / 32, i % rows / 32),
//@                dim3(i / rows % 32, i % rows % 32 / 8)>>>
extern "C" __global__ void
transpose_pieces_of_4(const float *__restrict__ in,
                      float *__restrict__ out, int rows, int cols)
{
    int col = blockIdx.x * 32 + threadIdx.x;
    int row = (blockIdx.y * 4 + threadIdx.y) * 8;
    if (row >= rows || col >= cols)
        return;

    float a[8];
    for (int d = 0; d < 8; d++)
        a[d] = in[(row + d) * cols + col];
    // The compiler may not put volatile stores together.
    volatile float *to = &out[col * rows + row];
    for (int d = 0; d < 8; d++)
        to[d] = a[d];
}
