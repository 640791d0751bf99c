// matvec/tiled without the padding of its tiles, and with the rows of
// the input unrolled twice instead of eight times.
//@ param   L = 256
//@ param   M = 256
//@ param   N = 256
//@ buffer  input  double[N * L * M] = i % 23
//@ buffer  matrix double[L * L] = i % 7
//@ buffer  output double[L * N]
//@ buffer  averages double[N * L]
//@ launch  average_rows<<<(N * L + 7) / 8, 256>>>(
//@             input, averages, M, N * L)
//@ launch  multiply<<<dim3((N + 63) / 64, (L + 31) / 32),
//@                    dim3(32, 4)>>>(matrix, averages, output, L, N)

// A warp per row of the input.
extern "C" __global__ void
average_rows(const double *__restrict__ input,
             double *__restrict__ averages, int M, int rows)
{
    int lane = threadIdx.x % 32;
    int row = blockIdx.x * 8 + threadIdx.x / 32;
    if (row >= rows)
        return; // the whole warp does, and there is no barrier below

    double sum = 0;
    // Two loads are in flight at once.
#pragma unroll 2
    for (int i = lane; i < M; i += 32)
        sum += input[row * M + i];
    for (int half = 16; half > 0; half /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, half);
    if (lane == 0)
        averages[row] = sum / M;
}

// A thread's share of the next tile: every fourth row from `row` on, in
// one column; 0 outside the matrix.
__device__ void fetch(double *share, int count, const double *matrix,
                      int rows, int cols, int row, int col)
{
    for (int r = 0; r < count; r++)
        share[r] = row + 4 * r < rows && col < cols
                       ? matrix[(row + 4 * r) * cols + col]
                       : 0;
}

// output[i][k] = sum over j of matrix[i][j] * averages[k][j]. A block
// makes a tile of 32 x 64 outputs and takes 32 steps of j at a time
// through shared memory. A thread makes 8 x 2 outputs in registers, so
// that ten numbers from shared memory serve for 16 products. All lanes
// of a warp have the same y: what they read of `a` is one word for all.
// The bound of two blocks on an SM lets the compiler use many
// registers.
extern "C" __global__ void __launch_bounds__(128, 2)
    multiply(const double *__restrict__ matrix,
             const double *__restrict__ averages,
             double *__restrict__ output, int L, int N)
{
    // Pairs of j.
    __shared__ double2 a[32][16], b[64][16];
    int x = threadIdx.x;
    int y = threadIdx.y;
    int i0 = blockIdx.y * 32;
    int k0 = blockIdx.x * 64;
    double next_a[8], next_b[16], sum[8][2] = {};

    fetch(next_a, 8, matrix, L, L, i0 + y, x);
    fetch(next_b, 16, averages, N, L, k0 + y, x);
    for (int j0 = 0; j0 < L; j0 += 32) {
        for (int r = 0; r < 8; r++)
            ((double *)a[y + 4 * r])[x] = next_a[r];
        for (int r = 0; r < 16; r++)
            ((double *)b[y + 4 * r])[x] = next_b[r];
        __syncthreads();

        // The next tile is on its way while this one is used.
        fetch(next_a, 8, matrix, L, L, i0 + y, j0 + 32 + x);
        fetch(next_b, 16, averages, N, L, k0 + y, j0 + 32 + x);
#pragma unroll
        for (int pair = 0; pair < 16; pair++) {
            double2 left[8], right[2];
            for (int r = 0; r < 8; r++)
                left[r] = a[y + 4 * r][pair];
            for (int c = 0; c < 2; c++)
                right[c] = b[x + 32 * c][pair];
            for (int r = 0; r < 8; r++)
                for (int c = 0; c < 2; c++) {
                    sum[r][c] += left[r].x * right[c].x;
                    sum[r][c] += left[r].y * right[c].y;
                }
        }
        __syncthreads();
    }

    for (int r = 0; r < 8; r++)
        for (int c = 0; c < 2; c++) {
            int i = i0 + y + 4 * r;
            int k = k0 + x + 32 * c;
            if (i < L && k < N)
                output[i * N + k] = sum[r][c];
        }
}
