// A block takes a batch, and a tree adds up.
//@ title   A block per batch
//@ needs   L == 64 || L == 128 || L == 256
//@ launch  matvec_batches<<<N, L>>>(input, matrix, output, L, M, N)
extern "C" __global__ void matvec_batches(const double *input,
                                          const double *matrix,
                                          double *output, int L, int M,
                                          int N)
{
    __shared__ double terms[256];
    int j = threadIdx.x;
    int k = blockIdx.x;

    double average = 0;
    for (int i = 0; i < M; i++)
        average += input[(k * L + j) * M + i];
    average /= M;

    for (int row = 0; row < L; row++) {
        __syncthreads();
        terms[j] = matrix[row * L + j] * average;
        for (int count = L / 2; count > 0; count /= 2) {
            __syncthreads();
            if (j < count)
                terms[j] += terms[j + count];
        }
        if (j == 0)
            output[row * N + k] = terms[0];
    }
}
