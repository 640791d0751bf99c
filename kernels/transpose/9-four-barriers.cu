// An experiment: four rows a thread, with as many barriers for a row as
// the padded tile has.
//@ title   Four rows, four barriers
//@ why     Three more barriers than "Four rows a thread", and nothing
//@ why     else. Whatever that costs, fewer barriers had gained.
//@ launch  transpose_four_barriers<<<
//@             dim3((cols + 31) / 32, (rows + 31) / 32),
//@             dim3(32, 8)>>>(in, out, rows, cols)
//@ owner   out <<<dim3(i / rows / 32, i % rows / 32),
//@                dim3(i % rows % 32, i / rows % 8)>>>
extern "C" __global__ void
transpose_four_barriers(const float *__restrict__ in,
                        float *__restrict__ out, int rows, int cols)
{
    __shared__ float tile[32][33];

    int col = blockIdx.x * 32 + threadIdx.x;
    int row = blockIdx.y * 32 + threadIdx.y;
    for (int down = 0; down < 32; down += 8)
        if (row + down < rows && col < cols)
            tile[threadIdx.y + down][threadIdx.x] =
                in[(row + down) * cols + col];
    __syncthreads();
    __syncthreads();
    __syncthreads();
    __syncthreads();

    int out_col = blockIdx.y * 32 + threadIdx.x;
    int out_row = blockIdx.x * 32 + threadIdx.y;
    for (int down = 0; down < 32; down += 8)
        if (out_row + down < cols && out_col < rows)
            out[(out_row + down) * rows + out_col] =
                tile[threadIdx.x][threadIdx.y + down];
}
