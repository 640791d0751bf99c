// Scaled scores of attention, Q * K^T / 8, on tensor cores: heads of 64
// in half precision, each warp has 32 queries and 32 keys. Above the
// diagonal whole tiles are skipped, as the future is not looked at.
//@ param   heads = 40
//@ param   length = 512
//@ buffer  q half[heads * length * 64] = hash(i) % 64 * 0.03125 - 1
//@ buffer  k half[heads * length * 64] = hash(i + 9) % 64 * 0.03125 - 1
//@ buffer  s float[heads * length * length] = 0
//@ launch  scores<<<dim3(length / 64, length / 64, heads), 128>>>(q, k, s,
//@                                                 length)
#include <mma.h>
using namespace nvcuda;

__global__ void scores(const half *q, const half *k, float *s, int length)
{
    if (blockIdx.x > blockIdx.y)
        return;

    int warp = threadIdx.x / 32;
    int row = blockIdx.y * 64 + warp / 2 * 32;
    int col = blockIdx.x * 64 + warp % 2 * 32;
    size_t head = blockIdx.z;
    q += head * length * 64;
    k += head * length * 64;
    s += head * length * length;

    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum[2][2];
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            wmma::fill_fragment(sum[i][j], 0.0f);

    for (int d = 0; d < 64; d += 16) {
        wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major>
            left[2];
        wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major>
            right[2];
        for (int i = 0; i < 2; i++) {
            wmma::load_matrix_sync(left[i], q + (row + 16 * i) * 64 + d, 64);
            wmma::load_matrix_sync(right[i], k + (col + 16 * i) * 64 + d, 64);
        }
        for (int i = 0; i < 2; i++)
            for (int j = 0; j < 2; j++)
                wmma::mma_sync(sum[i][j], left[i], right[j], sum[i][j]);
    }

    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) {
            for (int e = 0; e < sum[i][j].num_elements; e++)
                sum[i][j].x[e] *= 0.125f;
            wmma::store_matrix_sync(
                s + (size_t)(row + 16 * i) * length + col + 16 * j,
                sum[i][j], length, wmma::mem_row_major);
        }
}
