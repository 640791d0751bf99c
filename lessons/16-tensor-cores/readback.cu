// The sums go through shared memory, so that a lane stores 16 bytes.
//@ title   Through shared memory to C
//@ needs   n % 16 == 0
//@ launch  multiply<<<dim3(n / 16, n / 16), 32>>>(a, b, c, n)
#include <mma.h>
using namespace nvcuda;

extern "C" __global__ void multiply(const half *a, const half *b,
                                    float *c, int n)
{
    __shared__ float tile[16][16];
    int lane = threadIdx.x;
    a += blockIdx.y * 16 * n;
    b += blockIdx.x * 16;
    c += blockIdx.y * 16 * n + blockIdx.x * 16;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> x;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> y;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
    wmma::fill_fragment(sum, 0.0f);
    for (int k = 0; k < n; k += 16) {
        wmma::load_matrix_sync(x, a + k, n);
        wmma::load_matrix_sync(y, b + k * n, n);
        wmma::mma_sync(sum, x, y, sum);
    }
    wmma::store_matrix_sync(&tile[0][0], sum, 16, wmma::mem_row_major);
    for (int i = lane; i < 16 * 4; i += 32) {
        int row = i / 4, col = i % 4 * 4;
        *(float4 *)&c[row * n + col] = *(const float4 *)&tile[row][col];
    }
}
