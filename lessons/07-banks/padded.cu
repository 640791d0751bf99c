// The author says that the tile is padded.
//@ title   A padded tile
//@ needs   rows % 32 == 0
//@ needs   cols % 32 == 0
//@ launch  padded<<<dim3(cols / 32, rows / 32), 256>>>(
//@             in, out, rows, cols)
extern "C" __global__ void padded(const float *__restrict__ in,
                                  float *__restrict__ out, int rows,
                                  int cols)
{
    __shared__ float tile[33][32];
    int lane = threadIdx.x % 32;
    int row = blockIdx.y * 32, col = blockIdx.x * 32; // tile's corner

    for (int r = threadIdx.x / 32; r < 32; r += 8)
        tile[r][lane] = in[(row + r) * cols + col + lane];
    __syncthreads();
    for (int r = threadIdx.x / 32; r < 32; r += 8)
        out[(col + r) * rows + row + lane] = tile[lane][r];
}
