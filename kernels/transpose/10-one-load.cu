// An experiment: four rows a thread, but each load waits for the one
// before it.
//@ title   Four rows, one load in flight
//@ why     One barrier for four rows, as in "Four rows a thread", but
//@ why     loads do not overlap. What that costs, overlapping gained.
//@ launch  transpose_one_load<<<
//@             dim3((cols + 31) / 32, (rows + 31) / 32),
//@             dim3(32, 8)>>>(in, out, rows, cols)
//@ owner   out <<<dim3(i / rows / 32, i % rows / 32),
//@                dim3(i % rows % 32, i / rows % 8)>>>
extern "C" __global__ void
transpose_one_load(const float *__restrict__ in,
                   float *__restrict__ out, int rows, int cols)
{
    __shared__ float tile[32][33];

    float before = 0;
    int col = blockIdx.x * 32 + threadIdx.x;
    int row = blockIdx.y * 32 + threadIdx.y;
    for (int down = 0; down < 32; down += 8)
        if (row + down < rows && col < cols) {
            // Always 0, but the address waits for the load before.
            int late = before == -1e30f;
            before = in[(row + down) * cols + col + late];
            tile[threadIdx.y + down][threadIdx.x] = before;
        }
    __syncthreads();

    int out_col = blockIdx.y * 32 + threadIdx.x;
    int out_row = blockIdx.x * 32 + threadIdx.y;
    for (int down = 0; down < 32; down += 8)
        if (out_row + down < cols && out_col < rows)
            out[(out_row + down) * rows + out_col] =
                tile[threadIdx.x][threadIdx.y + down];
}
