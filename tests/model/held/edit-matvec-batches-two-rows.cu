// matvec/batches with half the threads: each takes two rows and adds
// two terms before the tree.
//@ param   L = 256
//@ param   M = 256
//@ param   N = 132
//@ buffer  input  double[N * L * M] = i % 23
//@ buffer  matrix double[L * L] = i % 7
//@ buffer  output double[L * N]
//@ needs   L % 2 == 0
//@ launch  matvec_batches<<<N, L / 2>>>(
//@             input, matrix, output, L, M, N)

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
matvec_batches(const double *__restrict__ input,
               const double *__restrict__ matrix,
               double *__restrict__ output, int L, int M, int N)
{
    __shared__ double terms[512];
    int j = threadIdx.x;
    int k = blockIdx.x;

    double low = 0, high = 0;
    for (int i = 0; i < M; i++) {
        low += input[(k * L + j) * M + i];
        high += input[(k * L + j + blockDim.x) * M + i];
    }
    low /= M;
    high /= M;

    for (int row = 0; row < L; row++) {
        terms[j] = matrix[row * L + j] * low +
                   matrix[row * L + j + blockDim.x] * high;
        add_up(terms);
        if (j == 0)
            output[row * N + k] = terms[0];
    }
}
