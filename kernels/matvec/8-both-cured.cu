// An experiment: v2 with coalesced loads and without the tree. v4 is
// this one with 1024 threads a block.
//@ title   v2 with both cured
//@ why     The fourth corner of the square: neither scattered loads nor
//@ why     a tree, on a grid like that of v2.
//@ needs   L <= 1024
//@ needs   L % 32 == 0
//@ launch  matvec_both_cured<<<N, L>>>(input, matrix, output, L, M, N)
//@ owner   output <<<i % N, i / N % (L / 32) * 32>>>

// Adds up one number of each lane; lane 0 gets the sum.
__device__ double warp_sum(double sum)
{
    for (int half = 16; half > 0; half /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, half);
    return sum;
}

extern "C" __global__ void
matvec_both_cured(const double *__restrict__ input,
                  const double *__restrict__ matrix,
                  double *__restrict__ output, int L, int M, int N)
{
    __shared__ double averages[1024];
    int lane = threadIdx.x % 32;
    int warp = threadIdx.x / 32;
    int k = blockIdx.x;

    for (int row = warp; row < L; row += blockDim.x / 32) {
        double sum = 0;
        for (int i = lane; i < M; i += 32)
            sum += input[(k * L + row) * M + i];
        sum = warp_sum(sum);
        if (lane == 0)
            averages[row] = sum / M;
    }
    __syncthreads();

    for (int row = warp; row < L; row += blockDim.x / 32) {
        double sum = 0;
        for (int i = lane; i < L; i += 32)
            sum += matrix[row * L + i] * averages[i];
        sum = warp_sum(sum);
        if (lane == 0)
            output[row * N + k] = sum;
    }
}
