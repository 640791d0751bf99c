// A warp makes 32 x 32 elements of C: each fragment serves twice.
//@ title   More tiles for each warp
//@ needs   n % 32 == 0
//@ launch  multiply<<<dim3(n / (16 * 2), n / (16 * 2)), 32>>>(
//@             a, b, c, n)
#include <mma.h>
using namespace nvcuda;

enum { ROWS = 2, COLS = 2 }; // of tiles

extern "C" __global__ void multiply(const half *a, const half *b,
                                    float *c, int n)
{
    a += blockIdx.y * 16 * ROWS * n;
    b += blockIdx.x * 16 * COLS;
    c += blockIdx.y * 16 * ROWS * n + blockIdx.x * 16 * COLS;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major>
        x[ROWS];
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major>
        y[COLS];
    wmma::fragment<wmma::accumulator, 16, 16, 16, float>
        sum[ROWS][COLS];
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLS; j++)
            wmma::fill_fragment(sum[i][j], 0.0f);
    for (int k = 0; k < n; k += 16) {
        for (int i = 0; i < ROWS; i++)
            wmma::load_matrix_sync(x[i], a + 16 * i * n + k, n);
        for (int j = 0; j < COLS; j++)
            wmma::load_matrix_sync(y[j], b + k * n + 16 * j, n);
        for (int i = 0; i < ROWS; i++)
            for (int j = 0; j < COLS; j++)
                wmma::mma_sync(sum[i][j], x[i], y[j], sum[i][j]);
    }
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLS; j++) {
            float *to = c + 16 * i * n + 16 * j;
            wmma::store_matrix_sync(to, sum[i][j], n,
                                    wmma::mem_row_major);
        }
}
