// An experiment: v2 without the tree and its barriers, and with the
// scattered loads as they were.
//@ title   v2 with its tree cured
//@ why     Only the products differ from v2: a warp makes one from a
//@ why     row. Whatever that gains, the tree had cost.
//@ needs   L <= 1024
//@ needs   L % 32 == 0
//@ launch  matvec_tree_cured<<<N, L>>>(input, matrix, output, L, M, N)
//@ owner   output <<<i % N, i / N % (L / 32) * 32>>>
extern "C" __global__ void
matvec_tree_cured(const double *__restrict__ input,
                  const double *__restrict__ matrix,
                  double *__restrict__ output, int L, int M, int N)
{
    __shared__ double averages[1024];
    int j = threadIdx.x;
    int lane = threadIdx.x % 32;
    int k = blockIdx.x;

    double average = 0;
    for (int i = 0; i < M; i++)
        average += input[(k * L + j) * M + i];
    averages[j] = average / M;
    __syncthreads();

    for (int row = threadIdx.x / 32; row < L; row += blockDim.x / 32) {
        double sum = 0;
        for (int i = lane; i < L; i += 32)
            sum += matrix[row * L + i] * averages[i];
        for (int half = 16; half > 0; half /= 2)
            sum += __shfl_down_sync(0xffffffff, sum, half);
        if (lane == 0)
            output[row * N + k] = sum;
    }
}
