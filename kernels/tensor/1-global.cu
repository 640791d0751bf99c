// A tensor core multiplies two tiles of 16 x 16 halves and adds them to
// one of floats. A whole warp asks for that: each of the three tiles is
// a fragment, of which every lane holds a part. Here a warp computes
// one tile of C, and loads all that it multiplies from global memory.
//@ title   Fragments from global memory
//@ why     One instruction of a warp does 4096 products. Most of the
//@ why     time it has nothing to multiply.
//@ needs   n % 64 == 0
//@ launch  tensorGlobal<<<dim3(n / 64, n / 32), 256>>>(a, b, c, n)
#include <mma.h>
using namespace nvcuda;

extern "C" __global__ void tensorGlobal(const half *a, const half *b,
                                        float *c, int n)
{
    int warp = threadIdx.x / 32; // two rows of four
    int row = blockIdx.y * 32 + warp / 4 * 16;
    int col = blockIdx.x * 64 + warp % 4 * 16;

    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> x;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> y;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
    wmma::fill_fragment(sum, 0.0f);
    for (int k = 0; k < n; k += 16) {
        wmma::load_matrix_sync(x, &a[row * n + k], n);
        wmma::load_matrix_sync(y, &b[k * n + col], n);
        wmma::mma_sync(sum, x, y, sum);
    }
    wmma::store_matrix_sync(&c[row * n + col], sum, n,
                            wmma::mem_row_major);
}
