// Averages are looked for where they are not.
//@ title   Four batches a block
//@ launch  four<<<(N + 3) / 4, 1024, 32 * L>>>(
//@             input, matrix, output, L, M, N)
// Adds up one number of each lane; lane 0 gets the sum.
__device__ double warp_sum(double sum)
{
    for (int half = 16; half > 0; half /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, half);
    return sum;
}

extern "C" __global__ void four(const double *input,
                                const double *matrix, double *output,
                                int L, int M, int N)
{
    extern __shared__ double averages[]; // batch b, row j: b * L + j
    int lane = threadIdx.x % 32;
    int warp = threadIdx.x / 32;
    // This batch and the next three, as far as they go.
    int k = blockIdx.x * 4;
    int batches = min(4, N - k);

    for (int row = warp; row < batches * L; row += 32) {
        double sum = 0;
        for (int i = lane; i < M; i += 32)
            sum += input[(k * L + row) * M + i];
        sum = warp_sum(sum);
        if (lane == 0)
            averages[row] = sum / M;
    }
    __syncthreads();

    for (int row = warp; row < L; row += 32) {
        double sum[4] = {};
        for (int j = lane; j < L; j += 32) {
            double number = matrix[row * L + j];
            for (int b = 0; b < 4; b++)
                if (b < batches)
                    sum[b] += number * averages[j * 4 + b];
        }
        for (int b = 0; b < 4; b++) {
            double all = warp_sum(sum[b]);
            if (lane == 0 && b < batches)
                output[row * N + k + b] = all;
        }
    }
}
