// A product on tensor cores: tiles of floats become halves in shared memory; four warps make 64 x 64 of it.
#include <mma.h>
using namespace nvcuda;
//@ param   m = 512
//@ buffer  a float[m * m] = i % 5
//@ buffer  b float[m * m] = i % 3
//@ buffer  c float[m * m]
//@ launch  multiply<<<dim3(m / 64, m / 64), 128>>>(a, b, c, m)
extern "C" __global__ void multiply(const float *a, const float *b, float *c, int m)
{
    __shared__ __half p[64][40], q[32][72];
    int t = threadIdx.x, warp = t / 32, row = blockIdx.y * 64, column = blockIdx.x * 64;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum[4];
    for (int j = 0; j < 4; j++)
        wmma::fill_fragment(sum[j], 0.0f);
    for (int from = 0; from < m; from += 32) {
        for (int k = t; k < 2048; k += 128) {
            p[k / 32][k % 32] = __float2half(a[(row + k / 32) * m + from + k % 32]);
            q[k / 64][k % 64] = __float2half(b[(from + k / 64) * m + column + k % 64]);
        }
        __syncthreads();
        for (int k = 0; k < 32; k += 16) {
            wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> left;
            wmma::load_matrix_sync(left, &p[warp * 16][k], 40);
            for (int j = 0; j < 4; j++) {
                wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> right;
                wmma::load_matrix_sync(right, &q[k][j * 16], 72);
                wmma::mma_sync(sum[j], left, right, sum[j]);
            }
        }
        __syncthreads();
    }
    for (int j = 0; j < 4; j++)
        wmma::store_matrix_sync(c + (row + warp * 16) * m + column + j * 16, sum[j], m, wmma::mem_row_major);
}
