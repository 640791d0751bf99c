// As many tiles as fit into a row, and no more.
//@ title   Tiles in shared memory
//@ launch  multiply<<<dim3((n + 15) / 16, (n + 15) / 16),
//@                    dim3(16, 16)>>>(a, b, c, n)
extern "C" __global__ void multiply(const float *__restrict__ a,
                                    const float *__restrict__ b,
                                    float *__restrict__ c, int n)
{
    __shared__ float tileA[16][16], tileB[16][16];
    int x = threadIdx.x, y = threadIdx.y;
    int col = blockIdx.x * 16 + x;
    int row = blockIdx.y * 16 + y;

    float sum = 0;
    for (int first = 0; first < n / 16 * 16; first += 16) {
        tileA[y][x] =
            row < n && first + x < n ? a[row * n + first + x] : 0;
        tileB[y][x] =
            first + y < n && col < n ? b[(first + y) * n + col] : 0;
        __syncthreads();
        for (int k = 0; k < 16; k++)
            sum += tileA[y][k] * tileB[k][x];
        __syncthreads();
    }
    if (row < n && col < n)
        c[row * n + col] = sum;
}
