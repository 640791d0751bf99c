// Squared distances between all of 4096 queries and 2048 stored vectors of 128 numbers:
// lengths less twice the products, which tensor cores make from bf16. The first kernel
// computes the lengths, a warp for a vector. In the second a warp makes 32 x 32 distances
// and puts the lengths in as it copies the products from shared memory.
//@ param   queries = 4096
//@ param   stored = 2048
//@ buffer  vectors __nv_bfloat16[(queries + stored) * 128] = hash(i) % 64 * 0.03125 - 1
//@ buffer  square float[queries + stored]
//@ buffer  distance float[queries * stored]
//@ launch  lengths<<<(queries + stored) / 8, 256>>>(vectors, square)
//@ launch  distances<<<dim3(stored / 64, queries / 64), 128>>>(
//@             vectors, square, distance, queries, stored)
#include <cuda_bf16.h>
#include <mma.h>
using namespace nvcuda;

const int size = 128;

__global__ void lengths(const __nv_bfloat16 *vectors, float *square)
{
    int vector = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;
    const __nv_bfloat162 *from = (const __nv_bfloat162 *)(vectors + vector * size);
    float sum = 0;
    for (int k = lane; k < size / 2; k += 32) {
        float2 two = __bfloat1622float2(from[k]);
        sum += two.x * two.x + two.y * two.y;
    }
    for (int step = 16; step > 0; step /= 2)
        sum += __shfl_down_sync(~0u, sum, step);
    if (lane == 0)
        square[vector] = sum;
}

__global__ void distances(const __nv_bfloat16 *vectors, const float *square,
                          float *distance, int queries, int stored)
{
    __shared__ float products[4][32][36];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    int row = blockIdx.y * 64 + warp / 2 * 32;
    int column = blockIdx.x * 64 + warp % 2 * 32;
    const __nv_bfloat16 *a_from = vectors + row * size;
    const __nv_bfloat16 *b_from = vectors + (queries + column) * size;

    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum[2][2];
    for (int y = 0; y < 2; y++)
        for (int x = 0; x < 2; x++)
            wmma::fill_fragment(sum[y][x], 0.0f);

    for (int k = 0; k < size; k += 16) {
        wmma::fragment<wmma::matrix_a, 16, 16, 16, __nv_bfloat16, wmma::row_major> a[2];
        wmma::fragment<wmma::matrix_b, 16, 16, 16, __nv_bfloat16, wmma::col_major> b[2];
        for (int half = 0; half < 2; half++) {
            wmma::load_matrix_sync(a[half], a_from + half * 16 * size + k, size);
            wmma::load_matrix_sync(b[half], b_from + half * 16 * size + k, size);
        }
        for (int y = 0; y < 2; y++)
            for (int x = 0; x < 2; x++)
                wmma::mma_sync(sum[y][x], a[y], b[x], sum[y][x]);
    }

    for (int y = 0; y < 2; y++)
        for (int x = 0; x < 2; x++)
            wmma::store_matrix_sync(&products[warp][y * 16][x * 16], sum[y][x], 36,
                                    wmma::mem_row_major);
    __syncwarp();

    float of_column = square[queries + column + lane];
    for (int y = 0; y < 32; y++)
        distance[(size_t)(row + y) * stored + column + lane]
            = square[row + y] + of_column - 2 * products[warp][y][lane];
}
