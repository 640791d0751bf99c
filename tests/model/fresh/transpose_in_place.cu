// Transposes a square matrix in place: a block swaps a tile above the diagonal with the one opposite.
//@ param   n = 3072
//@ buffer  a float[n * n] = i % 8191
//@ launch  transpose_in_place<<<dim3(n / 32, n / 32), dim3(32, 8)>>>(a, n)
#define T 32
__global__ void transpose_in_place(float *a, int n)
{
    __shared__ float upper[T][T + 1];
    __shared__ float lower[T][T + 1];

    if (blockIdx.x < blockIdx.y)
        return;
    const int col = blockIdx.x * T, row = blockIdx.y * T;
    const int tx = threadIdx.x;

    for (int y = threadIdx.y; y < T; y += 8) {
        upper[y][tx] = a[(row + y) * n + col + tx];
        lower[y][tx] = a[(col + y) * n + row + tx];
    }
    __syncthreads();
    for (int y = threadIdx.y; y < T; y += 8) {
        a[(col + y) * n + row + tx] = upper[tx][y];
        if (blockIdx.x != blockIdx.y)
            a[(row + y) * n + col + tx] = lower[tx][y];
    }
}
