// transpose/wide without padding, so that a row of the tile can be
// stored by 16 bytes as well.
//@ param   rows = 4096
//@ param   cols = 3072
//@ needs   rows % 4 == 0
//@ needs   cols % 4 == 0
//@ buffer  in  float[rows * cols] = i
//@ buffer  out float[rows * cols]
//@ launch  transpose_wide<<<dim3((cols + 31) / 32, (rows + 31) / 32),
//@                          dim3(8, 32)>>>(in, out, rows, cols)
extern "C" __global__ void transpose_wide(const float *__restrict__ in,
                                          float *__restrict__ out,
                                          int rows, int cols)
{
    __shared__ float4 tile[32][8];

    int across = 4 * threadIdx.x;
    int col = blockIdx.x * 32 + across;
    int row = blockIdx.y * 32 + threadIdx.y;
    if (row < rows && col < cols)
        tile[threadIdx.y][threadIdx.x] =
            *(const float4 *)&in[row * cols + col];
    __syncthreads();

    int out_col = blockIdx.y * 32 + across;
    int out_row = blockIdx.x * 32 + threadIdx.y;
    if (out_row < cols && out_col < rows) {
        const float *column = (const float *)tile + threadIdx.y;
        float4 four;
        four.x = column[(across + 0) * 32];
        four.y = column[(across + 1) * 32];
        four.z = column[(across + 2) * 32];
        four.w = column[(across + 3) * 32];
        *(float4 *)&out[out_row * rows + out_col] = four;
    }
}
