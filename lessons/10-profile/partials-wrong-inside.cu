// A barrier for the first warp alone.
//@ title   Shuffles in two stages
//@ needs   L % 32 == 0 && L <= 1024
//@ launch  matvec_partials<<<N, L, L * 8>>>(
//@             input, matrix, output, L, M, N)
// Adds up one number of each lane; lane 0 gets the sum.
__device__ double warp_sum(double sum)
{
    for (int half = 16; half > 0; half /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, half);
    return sum;
}

extern "C" __global__ void matvec_partials(const double *input,
                                           const double *matrix,
                                           double *output, int L, int M,
                                           int N)
{
    extern __shared__ double averages[]; // L of them
    __shared__ double partial[32];       // a sum of each warp
    int j = threadIdx.x, lane = j % 32, warp = j / 32;
    int warps = blockDim.x / 32;
    int k = blockIdx.x;

    for (int row = warp; row < L; row += warps) {
        double sum = 0;
        for (int i = lane; i < M; i += 32)
            sum += input[(k * L + row) * M + i];
        sum = warp_sum(sum);
        if (lane == 0)
            averages[row] = sum / M;
    }
    __syncthreads();

    for (int row = 0; row < L; row++) {
        double sum = warp_sum(matrix[row * L + j] * averages[j]);
        if (lane == 0)
            partial[warp] = sum;
        __syncthreads();
        if (warp == 0) {
            sum = warp_sum(lane < warps ? partial[lane] : 0);
            if (lane == 0)
                output[row * N + k] = sum;
            __syncthreads();
        }
    }
}
