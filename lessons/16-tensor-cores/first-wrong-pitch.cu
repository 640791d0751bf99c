// The pitch is that of a tile, and not of the matrix.
//@ title   A tile for each warp
//@ needs   n % 16 == 0
//@ launch  multiply<<<dim3(n / 16, n / 16), 32>>>(a, b, c, n)
#include <mma.h>
using namespace nvcuda;

extern "C" __global__ void multiply(const half *a, const half *b,
                                    float *c, int n)
{
    a += blockIdx.y * 16 * n;
    b += blockIdx.x * 16;
    c += blockIdx.y * 16 * n + blockIdx.x * 16;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> x;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> y;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
    wmma::fill_fragment(sum, 0.0f);
    for (int k = 0; k < n; k += 16) {
        wmma::load_matrix_sync(x, a + k, 16);
        wmma::load_matrix_sync(y, b + k * n, n);
        wmma::mma_sync(sum, x, y, sum);
    }
    wmma::store_matrix_sync(c, sum, n, wmma::mem_row_major);
}
