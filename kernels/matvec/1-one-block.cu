// One block takes the batches one after another. Thread j averages row
// j; then, for every row of the matrix, thread j brings its term and
// the block adds the terms up.
//@ title   v1: one block
//@ why     A block runs on one SM: the others have nothing to do.
//@ needs   L <= 1024
//@ launch  matvec_one_block<<<1, L>>>(input, matrix, output, L, M, N)
//@ owner   output <<<0, 0>>>

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
matvec_one_block(const double *__restrict__ input,
                 const double *__restrict__ matrix,
                 double *__restrict__ output, int L, int M, int N)
{
    __shared__ double terms[1024];
    int j = threadIdx.x;

    for (int k = 0; k < N; k++) {
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
}
