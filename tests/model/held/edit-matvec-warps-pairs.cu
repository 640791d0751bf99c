// matvec/warps with loads of two doubles, and 512 threads a block.
//@ param   L = 384
//@ param   M = 512
//@ param   N = 132
//@ buffer  input  double[N * L * M] = i % 23
//@ buffer  matrix double[L * L] = i % 7
//@ buffer  output double[L * N]
//@ needs   L % 2 == 0
//@ needs   M % 2 == 0
//@ launch  matvec_warps<<<N, 512, L * 8>>>(
//@             input, matrix, output, L, M, N)

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

    for (int row = warp; row < L; row += 16) {
        const double2 *pairs =
            (const double2 *)(input + (k * L + row) * M);
        double sum = 0;
        for (int i = lane; i < M / 2; i += 32)
            sum += pairs[i].x + pairs[i].y;
        sum = warp_sum(sum);
        if (lane == 0)
            averages[row] = sum / M;
    }
    __syncthreads();

    for (int row = warp; row < L; row += 16) {
        const double2 *pairs = (const double2 *)(matrix + row * L);
        double sum = 0;
        for (int j = lane; j < L / 2; j += 32)
            sum += pairs[j].x * averages[2 * j] +
                   pairs[j].y * averages[2 * j + 1];
        sum = warp_sum(sum);
        if (lane == 0)
            output[row * N + k] = sum;
    }
}
