// Cholesky factors of many symmetric 16 x 16 matrices in double
// precision; half a warp does one, a lane to each row.
//@ param   count = 12000
//@ buffer  a double[count * 256] = ((i % 256 / 16 == i % 16)
//@             * (12 + hash(i) % 8)
//@             + hash(i / 256 + i % 256 / 16 + i % 16) % 9 * 0.125)
//@ buffer  l double[count * 256]
//@ launch  cholesky<<<count / 8, 128>>>(a, l)
const int N = 16;

__global__ void cholesky(const double *a, double *l)
{
    __shared__ double s[8][N][N + 1];

    int mine = threadIdx.x / N;
    int row = threadIdx.x % N;
    double (*m)[N + 1] = s[mine];
    const double *from = a + (size_t)blockIdx.x * 8 * N * N;
    double *to = l + (size_t)blockIdx.x * 8 * N * N;

    for (int k = threadIdx.x; k < 8 * N * N; k += blockDim.x)
        s[k / (N * N)][k / N % N][k % N] = from[k];
    __syncthreads();

    for (int j = 0; j < N; j++) {
        double sum = m[row][j];
        for (int k = 0; k < j; k++)
            sum -= m[row][k] * m[j][k];
        double pivot = sqrt(__shfl_sync(0xffffffff, sum, j, N));
        __syncwarp();
        if (row == j)
            m[row][j] = pivot;
        else if (row > j)
            m[row][j] = sum / pivot;
        else
            m[row][j] = 0.0;
        __syncwarp();
    }
    __syncthreads();
    for (int k = threadIdx.x; k < 8 * N * N; k += blockDim.x)
        to[k] = s[k / (N * N)][k / N % N][k % N];
}
