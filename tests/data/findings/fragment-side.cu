// The fragment of A is filled with what was loaded as B: wmma says nothing of where an element is, but that both differ.
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
    for (int i = 0; i < a.num_elements; i++)
        a.x[i] = b.x[i];
    wmma::fill_fragment(sum, 0.0f);
    wmma::mma_sync(sum, a, b, sum);
    wmma::store_matrix_sync(out, sum, 16, wmma::mem_row_major);
}
