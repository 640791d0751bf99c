// A number of B, once in a register, serves four sums.
//@ title   Four elements of a column
//@ launch  multiply<<<dim3((n + 15) / 16, (n + 15) / 16),
//@                    dim3(16, 4)>>>(a, b, c, n)
extern "C" __global__ void multiply(const float *__restrict__ a,
                                    const float *__restrict__ b,
                                    float *__restrict__ c, int n)
{
    __shared__ float tileA[16][16], tileB[16][16];
    int x = threadIdx.x, y = threadIdx.y;
    int col = blockIdx.x * 16 + x;
    int top = blockIdx.y * 16;

    float sum[4] = {};
    for (int first = 0; first < n; first += 16) {
        for (int i = y; i < 16; i += 4) {
            int row = top + i;
            tileA[i][x] =
                row < n && first + x < n ? a[row * n + first + x] : 0;
            tileB[i][x] =
                first + i < n && col < n ? b[(first + i) * n + col] : 0;
        }
        __syncthreads();
        for (int k = 0; k < 16; k++) {
            float right = tileB[k][x];
            for (int r = 0; r < 4; r++)
                sum[r] += tileA[y + 4 * r][k] * right;
        }
        __syncthreads();
    }
    for (int r = 0; r < 4; r++)
        if (top + y + 4 * r < n && col < n)
            c[(top + y + 4 * r) * n + col] = sum[r];
}
