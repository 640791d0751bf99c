// The LU factors of matrices of 80 x 80, without pivots: a block of 128
// has one in shared memory, two barriers a column. 100 blocks in all.
//@ param   matrices = 100
//@ buffer  a float[matrices * 80 * 80] = (i % 81 == 0 ? 90
//@             : hash(i) % 100 * 0.01)
//@ launch  factor<<<matrices, 128>>>(a)
#define N 80

__global__ void factor(float *a)
{
    __shared__ float s[N][N];

    float *mine = a + blockIdx.x * N * N;
    for (int e = threadIdx.x; e < N * N; e += blockDim.x)
        s[e / N][e % N] = mine[e] + (e / N == e % N ? N : 0);
    __syncthreads();

    for (int k = 0; k < N - 1; k++) {
        float pivot = 1.0f / s[k][k];
        for (int r = k + 1 + threadIdx.x; r < N; r += blockDim.x)
            s[r][k] *= pivot;
        __syncthreads();
        int rest = N - 1 - k;
        for (int e = threadIdx.x; e < rest * rest; e += blockDim.x) {
            int r = k + 1 + e / rest, c = k + 1 + e % rest;
            s[r][c] -= s[r][k] * s[k][c];
        }
        __syncthreads();
    }

    for (int e = threadIdx.x; e < N * N; e += blockDim.x)
        mine[e] = s[e / N][e % N];
}
