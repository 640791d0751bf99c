// A block per batch: what was the loop over k is now the grid.
//@ title   v2: a block per batch
//@ why     N blocks keep every SM busy. Still, a warp reads 32 rows at
//@ why     once: each double in a sector of its own.
//@ needs   L <= 1024
//@ launch  matvec_batches<<<N, L>>>(input, matrix, output, L, M, N)
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
matvec_batches(const double *__restrict__ input,
               const double *__restrict__ matrix,
               double *__restrict__ output, int L, int M, int N)
{
    __shared__ double terms[1024];
    int j = threadIdx.x;
    int k = blockIdx.x;

    double average = 0;
    for (int i = 0; i < M; i++)
        average += input[(k * L + j) * M + i];
    average /= M;

    for (int row = 0; row < L; row++) {
        terms[j] = matrix[row * L + j] * average;
        add_up(terms);
        if (j == 0)
            output[row * N + k] = terms[0];
    }
}
