// An experiment: v2 with coalesced loads, and with the tree as it was.
//@ title   v2 with its loads cured
//@ why     Only the averages differ from v2: a warp makes one from a
//@ why     row. Whatever that gains, the loads had cost.
//@ needs   L <= 1024
//@ needs   L % 32 == 0
//@ launch  matvec_loads_cured<<<N, L>>>(input, matrix, output, L, M, N)
//@ owner   output <<<i % N, 0>>>

// Adds up terms[0 .. blockDim.x) into terms[0]: in each round the upper
// half goes onto the lower. With an odd number of terms, the middle one
// waits for the next round.
__device__ void add_up(double *terms)
{
    __syncthreads();
    for (int count = blockDim.x; count > 1; count = (count + 1) / 2) {
        if (threadIdx.x < count / 2)
            terms[threadIdx.x] += terms[threadIdx.x + (count + 1) / 2];
        __syncthreads();
    }
}

extern "C" __global__ void
matvec_loads_cured(const double *__restrict__ input,
                   const double *__restrict__ matrix,
                   double *__restrict__ output, int L, int M, int N)
{
    __shared__ double terms[1024], averages[1024];
    int j = threadIdx.x;
    int lane = threadIdx.x % 32;
    int k = blockIdx.x;

    for (int row = threadIdx.x / 32; row < L; row += blockDim.x / 32) {
        double sum = 0;
        for (int i = lane; i < M; i += 32)
            sum += input[(k * L + row) * M + i];
        for (int half = 16; half > 0; half /= 2)
            sum += __shfl_down_sync(0xffffffff, sum, half);
        if (lane == 0)
            averages[row] = sum / M;
    }
    __syncthreads();
    double average = averages[j];

    for (int row = 0; row < L; row++) {
        terms[j] = matrix[row * L + j] * average;
        add_up(terms);
        if (j == 0)
            output[row * N + k] = terms[0];
    }
}
