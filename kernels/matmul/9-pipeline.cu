// Two tiles of each matrix in shared memory: while one is multiplied,
// asynchronous copies, which bypass registers, fill the other. Copies
// of four bytes turn the tile of A as they go.
//@ title   Two tiles, asynchronous copies
//@ why     Loads from far away run while a tile is multiplied, and a
//@ why     tile needs one barrier instead of two.
//@ needs   n % 128 == 0
//@ launch  matmulPipeline<<<dim3(n / 128, n / 128), 256>>>(
//@             a, b, c, n)
__device__ void copyFour(float *to, const float *from)
{
#if __CUDA_ARCH__ >= 800
    unsigned at = (unsigned)__cvta_generic_to_shared(to);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;"
                 :
                 : "r"(at), "l"(from)
                 : "memory");
#else
    *to = *from; // older GPUs have no such copies
#endif
}

__device__ void copySixteen(float *to, const float *from)
{
#if __CUDA_ARCH__ >= 800
    unsigned at = (unsigned)__cvta_generic_to_shared(to);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;"
                 :
                 : "r"(at), "l"(from)
                 : "memory");
#else
    *(float4 *)to = *(const float4 *)from;
#endif
}

// Until its own copies have arrived.
__device__ void waitForCopies()
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

extern "C" __global__ void __launch_bounds__(256)
    matmulPipeline(const float *__restrict__ a,
                   const float *__restrict__ b, float *__restrict__ c,
                   int n)
{
    __shared__ __align__(16) float tileA[2][16][132];
    __shared__ __align__(16) float tileB[2][16][128];
    int tid = threadIdx.x, lane = tid % 32, warp = tid / 32;
    int laneRow = (lane >> 1 & 1) | (lane >> 2 & 6);
    int laneCol = (lane & 1) | (lane >> 1 & 2);
    // Its first row and column; it has four more 32 rows on, and four
    // more 16 columns on.
    int y = warp / 4 * 64 + laneRow * 4;
    int x = warp % 4 * 32 + laneCol * 4;
    a += blockIdx.y * 128 * n;
    b += blockIdx.x * 128;
    c += blockIdx.y * 128 * n + blockIdx.x * 128;

    // What it copies: eight numbers of a column of A, 16 rows apart,
    // and four of B, twice.
    int rowA = tid / 16, colA = tid % 16;
    int rowB = tid / 32, colB = tid % 32 * 4;
    auto fill = [&](int tile, int first) {
#pragma unroll
        for (int r = 0; r < 128; r += 16)
            copyFour(&tileA[tile][colA][rowA + r],
                     &a[(rowA + r) * n + first + colA]);
#pragma unroll
        for (int r = 0; r < 16; r += 8)
            copySixteen(&tileB[tile][rowB + r][colB],
                        &b[(first + rowB + r) * n + colB]);
    };

    float sum[8][8] = {};
    fill(0, 0);
    for (int first = 0, used = 0; first < n; first += 16) {
        // Its own copies have arrived; after the barrier those of all
        // have, and nobody reads the other tile any more.
        waitForCopies();
        __syncthreads();
        if (first + 16 < n)
            fill(1 - used, first + 16);
#pragma unroll
        for (int k = 0; k < 16; k++) {
            float left[8], right[8];
#pragma unroll
            for (int i = 0; i < 8; i += 4)
                *(float4 *)&left[i] =
                    *(float4 *)&tileA[used][k][y + 8 * i];
#pragma unroll
            for (int j = 0; j < 8; j += 4)
                *(float4 *)&right[j] =
                    *(float4 *)&tileB[used][k][x + 4 * j];
#pragma unroll
            for (int i = 0; i < 8; i++)
#pragma unroll
                for (int j = 0; j < 8; j++)
                    sum[i][j] += left[i] * right[j];
        }
        used = 1 - used;
    }
#pragma unroll
    for (int i = 0; i < 8; i++)
#pragma unroll
        for (int j = 0; j < 8; j += 4)
            *(float4 *)&c[(y + i % 4 + i / 4 * 32) * n + x + 4 * j] =
                *(float4 *)&sum[i][j];
}
