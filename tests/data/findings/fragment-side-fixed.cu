// Each fragment is loaded as what it is.
//@ buffer x   half[256] = i & 15
//@ buffer out float[256]
//@ launch product<<<1, 32>>>(x, out)
#include <mma.h>
using namespace nvcuda;
extern "C" __global__ void product(const half *x, float *out)
{
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> b;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
    wmma::load_matrix_sync(b, x, 16);
    wmma::load_matrix_sync(a, x, 16);
    wmma::fill_fragment(sum, 0.0f);
    wmma::mma_sync(sum, a, b, sum);
    wmma::store_matrix_sync(out, sum, 16, wmma::mem_row_major);
}
