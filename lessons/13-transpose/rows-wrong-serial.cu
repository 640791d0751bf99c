// One block turns all tiles, one after the other.
//@ title   Four rows a thread
//@ launch  rows<<<1, dim3(32, 8)>>>(in, out, rows, cols)
extern "C" __global__ void rows(const float *__restrict__ in,
                                float *__restrict__ out, int rows,
                                int cols)
{
    __shared__ float tile[32][33];
    for (int top = 0; top < rows; top += 32)
        for (int left = 0; left < cols; left += 32) {
            int col = left + threadIdx.x, row = top + threadIdx.y;
            int out_col = top + threadIdx.x,
                out_row = left + threadIdx.y;
            for (int d = 0; d < 32; d += 8)
                if (row + d < rows && col < cols)
                    tile[threadIdx.y + d][threadIdx.x] =
                        in[(row + d) * cols + col];
            __syncthreads();
            for (int d = 0; d < 32; d += 8)
                if (out_row + d < cols && out_col < rows)
                    out[(out_row + d) * rows + out_col] =
                        tile[threadIdx.x][threadIdx.y + d];
            __syncthreads();
        }
}
