// A product on tensor cores: a warp makes 16 x 16 of it, from global memory, in TF32.
#include <mma.h>
using namespace nvcuda;
//@ param   m = 512
//@ buffer  a float[m * m] = i % 5
//@ buffer  b float[m * m] = i % 3
//@ buffer  c float[m * m]
//@ launch  multiply<<<dim3(m / 64, m / 16), 128>>>(a, b, c, m)
extern "C" __global__ void multiply(const float *a, const float *b, float *c, int m)
{
    int row = blockIdx.y * 16, column = blockIdx.x * 64 + threadIdx.x / 32 * 16;
    wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> p;
    wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::row_major> q;
    wmma::fragment<wmma::accumulator, 16, 16, 8, float> sum;
    wmma::fill_fragment(sum, 0.0f);
    for (int k = 0; k < m; k += 8) {
        wmma::load_matrix_sync(p, a + row * m + k, m);
        wmma::load_matrix_sync(q, b + k * m + column, m);
        wmma::mma_sync(sum, p, q, sum);
    }
    wmma::store_matrix_sync(c + row * m + column, sum, m, wmma::mem_row_major);
}
