// C = alpha A B + beta C with tiles of 128 x 128 for a block and 8 x 8 for a thread.
//@ param   m = 1024
//@ param   n = 2048
//@ param   k = 256
//@ buffer  a float[m * k] = hash(i) % 19 - 9
//@ buffer  b float[k * n] = hash(i + 3) % 15 - 7
//@ buffer  c float[m * n] = i & 15
//@ launch  gemm<<<dim3(n / 128, m / 128), 256>>>(a, b, c, n, k, 0.5, 2.0)
constexpr int BM = 128, BN = 128, BK = 8, TM = 8, TN = 8;

__global__ void __launch_bounds__(256) gemm(const float *A, const float *B, float *C, int n, int k, float alpha, float beta)
{
    __shared__ float As[BK][BM];
    __shared__ float Bs[BK][BN];

    const int tid = threadIdx.x;
    const int ty = tid / (BN / TN), tx = tid % (BN / TN);

    A += blockIdx.y * BM * k;
    B += blockIdx.x * BN;
    C += blockIdx.y * BM * n + blockIdx.x * BN;

    // each thread fetches one float4 of either tile
    const int arow = tid / 2, acol = tid % 2 * 4;
    const int brow = tid / 32, bcol = tid % 32 * 4;

    float acc[TM][TN] = {};
    float ra[TM], rb[TN];

    for (int k0 = 0; k0 < k; k0 += BK) {
        float4 t = *reinterpret_cast<const float4 *>(&A[arow * k + k0 + acol]);
        As[acol + 0][arow] = t.x;
        As[acol + 1][arow] = t.y;
        As[acol + 2][arow] = t.z;
        As[acol + 3][arow] = t.w;
        *reinterpret_cast<float4 *>(&Bs[brow][bcol]) = *reinterpret_cast<const float4 *>(&B[(k0 + brow) * n + bcol]);
        __syncthreads();

#pragma unroll
        for (int p = 0; p < BK; p++) {
#pragma unroll
            for (int i = 0; i < TM; i++)
                ra[i] = As[p][ty * TM + i];
#pragma unroll
            for (int j = 0; j < TN; j++)
                rb[j] = Bs[p][tx * TN + j];
#pragma unroll
            for (int i = 0; i < TM; i++)
#pragma unroll
                for (int j = 0; j < TN; j++)
                    acc[i][j] += ra[i] * rb[j];
        }
        __syncthreads();
    }

#pragma unroll
    for (int i = 0; i < TM; i++)
#pragma unroll
        for (int j = 0; j < TN; j += 4) {
            float4 *to = reinterpret_cast<float4 *>(&C[(ty * TM + i) * n + tx * TN + j]);
            float4 old = *to;
            old.x = alpha * acc[i][j] + beta * old.x;
            old.y = alpha * acc[i][j + 1] + beta * old.y;
            old.z = alpha * acc[i][j + 2] + beta * old.z;
            old.w = alpha * acc[i][j + 3] + beta * old.w;
            *to = old;
        }
}
