// A warp takes a row by itself, first of the input, then of the matrix,
// and adds it up with shuffles.
//@ title   v4: a warp per row
//@ why     Reads stay coalesced, and a single barrier remains: warps no
//@ why     longer wait for one another.
//@ launch  matvec_warps<<<N, 1024, L * 8>>>(
//@             input, matrix, output, L, M, N)
//@ owner   output <<<i % N, i / N % 32 * 32>>>

// Adds up one number of each lane; lane 0 gets the sum.
__device__ double warp_sum(double sum)
{
    for (int half = 16; half > 0; half /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, half);
    return sum;
}

extern "C" __global__ void
matvec_warps(const double *__restrict__ input,
             const double *__restrict__ matrix,
             double *__restrict__ output, int L, int M, int N)
{
    extern __shared__ double averages[]; // L of them
    int lane = threadIdx.x % 32;
    int warp = threadIdx.x / 32;
    int k = blockIdx.x;

    for (int row = warp; row < L; row += 32) {
        double sum = 0;
        for (int i = lane; i < M; i += 32)
            sum += input[(k * L + row) * M + i];
        sum = warp_sum(sum);
        if (lane == 0)
            averages[row] = sum / M;
    }
    __syncthreads();

    for (int row = warp; row < L; row += 32) {
        double sum = 0;
        for (int j = lane; j < L; j += 32)
            sum += matrix[row * L + j] * averages[j];
        sum = warp_sum(sum);
        if (lane == 0)
            output[row * N + k] = sum;
    }
}
