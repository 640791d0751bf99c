// A block takes a batch; each thread adds up a row of the matrix.
//@ title   A block per batch
//@ needs   L == 64 || L == 128 || L == 256
//@ launch  matvec_batches<<<N, L>>>(input, matrix, output, L, M, N)
extern "C" __global__ void matvec_batches(const double *input,
                                          const double *matrix,
                                          double *output, int L, int M,
                                          int N)
{
    extern __shared__ double averages[];
    int j = threadIdx.x;
    int k = blockIdx.x;

    double average = 0;
    for (int i = 0; i < M; i++)
        average += input[(k * L + j) * M + i];
    averages[j] = average / M;
    __syncthreads();

    double sum = 0;
    for (int i = 0; i < L; i++)
        sum += matrix[j * L + i] * averages[i];
    output[j * N + k] = sum;
}
