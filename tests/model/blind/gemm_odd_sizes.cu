// Products of matrices whose sizes are no multiple of the tile, with
// one element of the result to a thread and with 4 x 4 of them.
//@ param   m = 777
//@ param   n = 1001
//@ param   k = 515
//@ buffer  a  float[m * k] = hash(i) % 19 * 0.25 - 2
//@ buffer  b  float[k * n] = hash(i + 4) % 23 * 0.25 - 3
//@ buffer  c1 float[m * n]
//@ buffer  c2 float[m * n]
//@ launch  gemmTile<<<dim3((n + 15) / 16, (m + 15) / 16),
//@                    dim3(16, 16)>>>(a, b, c1, m, n, k)
//@ launch  gemmRegisters<<<dim3((n + 63) / 64, (m + 63) / 64), 256>>>(
//@             a, b, c2, m, n, k)
__global__ void gemmTile(const float *A, const float *B, float *C,
                         int m, int n, int k)
{
    __shared__ float As[16][16];
    __shared__ float Bs[16][16];
    int row = blockIdx.y * 16 + threadIdx.y;
    int col = blockIdx.x * 16 + threadIdx.x;

    float sum = 0.0f;
    for (int t = 0; t < (k + 15) / 16; t++) {
        int ka = t * 16 + threadIdx.x;
        int kb = t * 16 + threadIdx.y;
        if (row < m && ka < k)
            As[threadIdx.y][threadIdx.x] = A[row * k + ka];
        else
            As[threadIdx.y][threadIdx.x] = 0.0f;
        if (col < n && kb < k)
            Bs[threadIdx.y][threadIdx.x] = B[kb * n + col];
        else
            Bs[threadIdx.y][threadIdx.x] = 0.0f;
        __syncthreads();
        for (int i = 0; i < 16; i++)
            sum += As[threadIdx.y][i] * Bs[i][threadIdx.x];
        __syncthreads();
    }
    if (row < m && col < n)
        C[row * n + col] = sum;
}

__global__ void gemmRegisters(const float *A, const float *B, float *C,
                              int m, int n, int k)
{
    __shared__ float As[8][64 + 4];
    __shared__ float Bs[8][64];
    int t = threadIdx.x;
    int row0 = blockIdx.y * 64, col0 = blockIdx.x * 64;
    int ty = t / 16 * 4, tx = t % 16 * 4;

    float acc[4][4] = {};
    for (int k0 = 0; k0 < k; k0 += 8) {
        for (int e = t; e < 64 * 8; e += 256) {
            int ar = row0 + e / 8, ac = k0 + e % 8;
            As[e % 8][e / 8] = ar < m && ac < k ? A[ar * k + ac] : 0.0f;
            int br = k0 + e / 64, bc = col0 + e % 64;
            Bs[e / 64][e % 64] =
                br < k && bc < n ? B[br * n + bc] : 0.0f;
        }
        __syncthreads();
#pragma unroll
        for (int i = 0; i < 8; i++) {
            float ra[4], rb[4];
            for (int x = 0; x < 4; x++) {
                ra[x] = As[i][ty + x];
                rb[x] = Bs[i][tx + x];
            }
            for (int y = 0; y < 4; y++)
                for (int x = 0; x < 4; x++)
                    acc[y][x] += ra[y] * rb[x];
        }
        __syncthreads();
    }
    for (int y = 0; y < 4; y++)
        for (int x = 0; x < 4; x++)
            if (row0 + ty + y < m && col0 + tx + x < n)
                C[(row0 + ty + y) * n + col0 + tx + x] = acc[y][x];
}
