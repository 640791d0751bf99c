//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch matmul_batched<<<dim3(3, 3, 4), dim3(8, 8)>>>(a, b, f, d, v, c, idx, 1)
extern "C" __global__ void matmul_batched(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    __shared__ int sa[8][9], sb[8][9];
    const int M = 19, N = 23, K = 13;
    const int *A = a + blockIdx.z * M * K;
    const int *B = idx + blockIdx.z * K * N;
    int *C = b + blockIdx.z * M * N;
    int r = blockIdx.y * 8 + threadIdx.y, q = blockIdx.x * 8 + threadIdx.x;
    int sum = 0;
    for (int k0 = 0; k0 < K; k0 += 8) {
        int ka = k0 + threadIdx.x, kb = k0 + threadIdx.y;
        sa[threadIdx.y][threadIdx.x] = (r < M && ka < K) ? A[r * K + ka] : 0;
        sb[threadIdx.y][threadIdx.x] = (kb < K && q < N) ? B[kb * N + q] : 0;
        __syncthreads();
        for (int k = 0; k < 8; k++)
            sum += sa[threadIdx.y][k] * sb[k][threadIdx.x];
        __syncthreads();
    }
    if (r < M && q < N)
        C[r * N + q] = sum;
}
