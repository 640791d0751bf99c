// Two tiles of each matrix in shared memory: while one is multiplied,
// the other is being filled by asynchronous copies, which need no
// registers. Such a copy turns nothing, so A lies as it is, and a thread
// loads four numbers of a row at once.
//@ title   Two tiles, asynchronous copies
//@ why     Loads from far away run while a tile is multiplied, and one
//@ why     barrier a tile is left of two.
//@ needs   n % 128 == 0
//@ launch  matmulPipeline<<<dim3(n / 128, n / 128), 256>>>(
//@             a, b, c, n)
__device__ void copySixteen(float *to, const float *from)
{
    unsigned at = (unsigned)__cvta_generic_to_shared(to);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;"
                 :
                 : "r"(at), "l"(from)
                 : "memory");
}

extern "C" __global__ void __launch_bounds__(256, 2)
    matmulPipeline(const float *__restrict__ a,
                   const float *__restrict__ b, float *__restrict__ c,
                   int n)
{
    enum { DEPTH = 16 };
    __shared__ __align__(16) float tileA[2][128][DEPTH + 4];
    __shared__ __align__(16) float tileB[2][DEPTH][128];
    int tid = threadIdx.x, lane = tid % 32, warp = tid / 32;
    int laneRow = (lane >> 1 & 1) | (lane >> 2 & 6);
    int laneCol = (lane & 1) | (lane >> 1 & 2);
    // Its first row and column; the other rows are 8 apart, and it has
    // four more columns 16 on.
    int y = warp / 4 * 64 + laneRow;
    int x = warp % 4 * 32 + laneCol * 4;
    a += blockIdx.y * 128 * n;
    b += blockIdx.x * 128;
    c += blockIdx.y * 128 * n + blockIdx.x * 128;

    // What it copies: 16 bytes of a row of A and of B, two of each.
    int rowA = tid / 4, colA = tid % 4 * 4;
    int rowB = tid / 32, colB = tid % 32 * 4;
    const float *nextA = &a[rowA * n + colA];
    const float *nextB = &b[rowB * n + colB];

    float sum[8][8] = {};
    for (int round = -1, used = 1; round < n / DEPTH; round++) {
        // Its own copies of the last round have arrived; behind the
        // barrier those of all have, and nobody reads the old tile.
        asm volatile("cp.async.wait_all;" ::: "memory");
        __syncthreads();
        if (round + 1 < n / DEPTH) {
#pragma unroll
            for (int r = 0; r < 2; r++) {
                copySixteen(&tileA[1 - used][rowA + 64 * r][colA],
                            nextA + 64 * r * n);
                copySixteen(&tileB[1 - used][rowB + 8 * r][colB],
                            nextB + 8 * r * n);
            }
            nextA += DEPTH;
            nextB += DEPTH * n;
        }
        if (round >= 0) {
#pragma unroll
            for (int k = 0; k < DEPTH; k += 4) {
                float left[8][4], right[8];
#pragma unroll
                for (int i = 0; i < 8; i++)
                    *(float4 *)left[i] =
                        *(float4 *)&tileA[used][y + 8 * i][k];
#pragma unroll
                for (int q = 0; q < 4; q++) {
#pragma unroll
                    for (int j = 0; j < 8; j += 4)
                        *(float4 *)&right[j] =
                            *(float4 *)&tileB[used][k + q][x + 4 * j];
#pragma unroll
                    for (int i = 0; i < 8; i++)
#pragma unroll
                        for (int j = 0; j < 8; j++)
                            sum[i][j] += left[i][q] * right[j];
                }
            }
        }
        used = 1 - used;
    }
#pragma unroll
    for (int i = 0; i < 8; i++)
#pragma unroll
        for (int j = 0; j < 8; j += 4)
            *(float4 *)&c[(y + 8 * i) * n + x + 4 * j] =
                *(float4 *)&sum[i][j];
}
