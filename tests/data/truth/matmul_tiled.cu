//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch matmul_tiled<<<dim3(4, 4), dim3(16, 16)>>>(a, b, f, d, v, c, idx, 1)
template <int T>
static __device__ float matmul_tiled_dot(const float *A, const float *B, int row, int col, int N)
{
    __shared__ float As[T][T], Bs[T][T];
    float sum = 0.0f;
    for (int m = 0; m < N / T; m++) {
        As[threadIdx.y][threadIdx.x] = A[row * N + m * T + threadIdx.x];
        Bs[threadIdx.y][threadIdx.x] = B[(m * T + threadIdx.y) * N + col];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < T; k++)
            sum += As[threadIdx.y][k] * Bs[k][threadIdx.x];
        __syncthreads();
    }
    return sum;
}

extern "C" __global__ void matmul_tiled(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
    f[32768 + row * 64 + col] = matmul_tiled_dot<16>(f, f + 4096, row, col, 64);
}
