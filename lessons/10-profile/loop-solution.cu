// A block takes one batch after another; thread j computes output j.
//@ title   One block
//@ needs   L <= 1024
//@ launch  matvec_one_block<<<1, L>>>(input, matrix, output, L, M, N)
extern "C" __global__ void matvec_one_block(const double *input,
                                            const double *matrix,
                                            double *output, int L,
                                            int M, int N)
{
    __shared__ double averages[1024];
    int j = threadIdx.x;
    int i = 0;

    for (int k = 0; k < N; k++) {
        double sum = 0;
        for (i = 0; i < M; ++i)
            sum += input[(k * L + j) * M + i];
        __syncthreads();
        averages[j] = sum / M;
        __syncthreads();

        sum = 0;
        for (i = 0; i < L; ++i)
            sum += matrix[j * L + i] * averages[i];
        output[j * N + k] = sum;
    }
}
