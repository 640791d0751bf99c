// matvec/coalesced with the sum of a row in a register, and unrolled.
//@ param   L = 256
//@ param   M = 512
//@ param   N = 160
//@ buffer  input  double[N * L * M] = i % 23
//@ buffer  matrix double[L * L] = i % 7
//@ buffer  output double[L * N]
//@ needs   L <= 1024
//@ launch  matvec_coalesced<<<N, L>>>(input, matrix, output, L, M, N)

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
matvec_coalesced(const double *__restrict__ input,
                 const double *__restrict__ matrix,
                 double *__restrict__ output, int L, int M, int N)
{
    __shared__ double terms[1024], averages[1024];
    int j = threadIdx.x;
    int k = blockIdx.x;

    for (int row = 0; row < L; row++) {
        double sum = 0;
#pragma unroll 4
        for (int i = j; i < M; i += blockDim.x)
            sum += input[(k * L + row) * M + i];
        terms[j] = sum;
        add_up(terms);
        if (j == 0)
            averages[row] = terms[0] / M;
    }
    __syncthreads();

    for (int row = 0; row < L; row++) {
        terms[j] = matrix[row * L + j] * averages[j];
        add_up(terms);
        if (j == 0)
            output[row * N + k] = terms[0];
    }
}
