// Averages first, for all batches; then all products at once, as one product of two matrices. Its
// numbers are read once per tile, not once per batch.
//@ title   v5: averages, tiled product
//@ why     Reading the input is nearly all that is left: the matrix is read N / 64 times, no longer N times.
//@ scratch averages double[N * L]
//@ launch  average_rows<<<(N * L + 7) / 8, 256>>>(input, averages, M, N * L)
//@ launch  multiply<<<dim3((N + 63) / 64, (L + 31) / 32), dim3(16, 8)>>>(matrix, averages, output, L, N)
//@ owner   output <<<dim3(i % N / 64, i / N / 32), dim3(i % N % 16, i / N % 8)>>>

// A warp per row of the input.
extern "C" __global__ void average_rows(const double *__restrict__ input, double *__restrict__ averages,
                                        int M, int rows)
{
    int lane = threadIdx.x % 32;
    int row = blockIdx.x * 8 + threadIdx.x / 32;
    if (row >= rows)
        return; // the whole warp does, and there is no barrier below

    double sum = 0;
#pragma unroll 8
    for (int i = lane; i < M; i += 32) // eight loads are in flight at once
        sum += input[row * M + i];
    for (int half = 16; half > 0; half /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, half);
    if (lane == 0)
        averages[row] = sum / M;
}

// A thread's share of the next tile: every eighth row from `row` on, in one column; 0 outside the matrix.
__device__ void fetch(double *share, int count, const double *matrix, int rows, int cols, int row, int col)
{
    for (int r = 0; r < count; r++)
        share[r] = row + 8 * r < rows && col < cols ? matrix[(row + 8 * r) * cols + col] : 0;
}

// output[i][k] = sum over j of matrix[i][j] * averages[k][j]. A block makes a tile of 32 x 64 outputs and
// takes 16 steps of j at a time through shared memory. A thread makes 4 x 4 outputs in registers, so that
// eight numbers from shared memory serve for 16 products.
extern "C" __global__ void multiply(const double *__restrict__ matrix, const double *__restrict__ averages,
                                    double *__restrict__ output, int L, int N)
{
    __shared__ double a[32][17], b[64][17]; // padded by one: a column spreads over the banks
    int x = threadIdx.x;
    int y = threadIdx.y;
    int i0 = blockIdx.y * 32;
    int k0 = blockIdx.x * 64;
    double next_a[4], next_b[8], sum[4][4] = {};

    fetch(next_a, 4, matrix, L, L, i0 + y, x);
    fetch(next_b, 8, averages, N, L, k0 + y, x);
    for (int j0 = 0; j0 < L; j0 += 16) {
        for (int r = 0; r < 4; r++)
            a[y + 8 * r][x] = next_a[r];
        for (int r = 0; r < 8; r++)
            b[y + 8 * r][x] = next_b[r];
        __syncthreads();

        // The next tile is on its way while this one is used.
        fetch(next_a, 4, matrix, L, L, i0 + y, j0 + 16 + x);
        fetch(next_b, 8, averages, N, L, k0 + y, j0 + 16 + x);
        for (int j = 0; j < 16; j++)
            for (int r = 0; r < 4; r++)
                for (int c = 0; c < 4; c++)
                    sum[r][c] += a[y + 8 * r][j] * b[x + 16 * c][j];
        __syncthreads();
    }

    for (int r = 0; r < 4; r++)
        for (int c = 0; c < 4; c++) {
            int i = i0 + y + 8 * r;
            int k = k0 + x + 16 * c;
            if (i < L && k < N)
                output[i * N + k] = sum[r][c];
        }
}
