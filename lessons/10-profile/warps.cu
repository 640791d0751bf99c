// A thread per row of the input, then a warp per row of the matrix.
//@ title   A block of 32 warps per batch
//@ launch  matvec_warps<<<N, 1024, L * 8>>>(
//@             input, matrix, output, L, M, N)
// Adds up one number of each lane; lane 0 gets the sum.
__device__ double warp_sum(double sum)
{
    for (int half = 16; half > 0; half /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, half);
    return sum;
}

extern "C" __global__ void matvec_warps(const double *input,
                                        const double *matrix,
                                        double *output, int L, int M,
                                        int N)
{
    extern __shared__ double averages[]; // L of them
    int lane = threadIdx.x % 32;
    int warp = threadIdx.x / 32;
    int k = blockIdx.x;

    // TODO: let a warp take a row, its lanes side by side.
    for (int row = threadIdx.x; row < L; row += 1024) {
        double sum = 0;
        for (int i = 0; i < M; i++)
            sum += input[(k * L + row) * M + i];
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
