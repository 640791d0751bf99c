// A block loads tiles of 128 x 32 and 32 x 128 into shared memory, and
// a warp computes 64 x 32 elements, four by two fragments. Each
// fragment of A is multiplied by two of B, each of B by four of A.
// Eight more halves in a row keep rows loaded together in other banks.
//@ title   Tiles in shared memory
//@ why     A number serves 128 others in the block, and a fragment two
//@ why     or four in the warp.
//@ needs   n % 128 == 0
//@ launch  tensorShared<<<dim3(n / 128, n / 128), 256>>>(a, b, c, n)
#include <mma.h>
using namespace nvcuda;

extern "C" __global__ void __launch_bounds__(256)
    tensorShared(const half *a, const half *b, float *c, int n)
{
    __shared__ __align__(128) half tileA[128][40], tileB[32][136];
    int tid = threadIdx.x, warp = tid / 32;
    int y = warp / 4 * 64,
        x = warp % 4 * 32; // in the block's part of C
    a += blockIdx.y * 128 * n;
    b += blockIdx.x * 128;
    c += blockIdx.y * 128 * n + blockIdx.x * 128;

    // What it loads: eight halves of a row, twice of each tile.
    int rowA = tid / 4, colA = tid % 4 * 8;
    int rowB = tid / 16, colB = tid % 16 * 8;

    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major>
        left[4];
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major>
        right[2];
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum[4][2];
#pragma unroll
    for (int i = 0; i < 4; i++)
#pragma unroll
        for (int j = 0; j < 2; j++)
            wmma::fill_fragment(sum[i][j], 0.0f);

    for (int first = 0; first < n; first += 32) {
#pragma unroll
        for (int r = 0; r < 128; r += 64)
            *(int4 *)&tileA[rowA + r][colA] =
                *(const int4 *)&a[(rowA + r) * n + first + colA];
#pragma unroll
        for (int r = 0; r < 32; r += 16)
            *(int4 *)&tileB[rowB + r][colB] =
                *(const int4 *)&b[(first + rowB + r) * n + colB];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 32; k += 16) {
#pragma unroll
            for (int i = 0; i < 4; i++)
                wmma::load_matrix_sync(left[i], &tileA[y + 16 * i][k],
                                       40);
#pragma unroll
            for (int j = 0; j < 2; j++)
                wmma::load_matrix_sync(right[j], &tileB[k][x + 16 * j],
                                       136);
#pragma unroll
            for (int i = 0; i < 4; i++)
#pragma unroll
                for (int j = 0; j < 2; j++)
                    wmma::mma_sync(sum[i][j], left[i], right[j],
                                   sum[i][j]);
        }
        __syncthreads(); // before anybody loads the next tiles
    }
#pragma unroll
    for (int i = 0; i < 4; i++)
#pragma unroll
        for (int j = 0; j < 2; j++)
            wmma::store_matrix_sync(&c[(y + 16 * i) * n + x + 16 * j],
                                    sum[i][j], n, wmma::mem_row_major);
}
