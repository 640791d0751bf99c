//@ buffer a int[65536]  = hash(i)
//@ buffer b int[65536]  = 0
//@ buffer f float[65536] = 0
//@ buffer d double[8192] = (i * 7) & 63
//@ launch st_wmma_int8<<<3, 64>>>(a, b, f, d)
// wmma with signed and unsigned chars in the three shapes, straight from the buffer a
// (leading dimensions 16, 32, 48, 80), accumulators to global and shared memory.
#include <mma.h>
using namespace nvcuda;
template <int M, int N, class T, class LA, class LB>
__device__ void go(const int *a, int *out, int lda, int ldb, wmma::layout_t lay, int ldc)
{
    wmma::fragment<wmma::matrix_a, M, N, 16, T, LA> fa;
    wmma::fragment<wmma::matrix_b, M, N, 16, T, LB> fb;
    wmma::fragment<wmma::accumulator, M, N, 16, int> fc;
    wmma::fill_fragment(fc, -5);
    for (int k = 0; k < 4; k++) {
        wmma::load_matrix_sync(fa, reinterpret_cast<const T *>(a + k * 1024), lda);
        wmma::load_matrix_sync(fb, reinterpret_cast<const T *>(a + k * 1024 + 8192), ldb);
        wmma::mma_sync(fc, fa, fb, fc);
    }
    wmma::store_matrix_sync(out, fc, ldc, lay);
}
extern "C" __global__ void st_wmma_int8(int *a, int *b, float *f, double *d)
{
    __shared__ __align__(32) int s[2][640];
    const int w = threadIdx.x >> 5, lane = threadIdx.x & 31;
    const int *src = a + blockIdx.x * 16384;
    int *out = b + (blockIdx.x * 2 + w) * 2048;
    for (int i = lane; i < 640; i += 32) s[w][i] = 0;
    __syncwarp();
    if (blockIdx.x == 0) {
        if (w == 0) go<16, 16, signed char, wmma::row_major, wmma::col_major>(src, out, 16, 32, wmma::mem_row_major, 16);
        else        go<16, 16, unsigned char, wmma::col_major, wmma::row_major>(src, out, 48, 80, wmma::mem_col_major, 20);
        go<16, 16, unsigned char, wmma::row_major, wmma::row_major>(src, s[w], 80, 16, wmma::mem_col_major, 36);
    } else if (blockIdx.x == 1) {
        if (w == 0) go<32, 8, signed char, wmma::row_major, wmma::row_major>(src, out, 48, 16, wmma::mem_row_major, 8);
        else        go<32, 8, unsigned char, wmma::col_major, wmma::col_major>(src, out, 32, 16, wmma::mem_col_major, 36);
        go<32, 8, signed char, wmma::row_major, wmma::col_major>(src, s[w], 16, 48, wmma::mem_row_major, 20);
    } else {
        if (w == 0) go<8, 32, signed char, wmma::row_major, wmma::col_major>(src, out, 80, 16, wmma::mem_row_major, 36);
        else        go<8, 32, unsigned char, wmma::col_major, wmma::row_major>(src, out, 16, 32, wmma::mem_col_major, 12);
        go<8, 32, signed char, wmma::col_major, wmma::row_major>(src, s[w], 32, 48, wmma::mem_col_major, 8);
    }
    __syncwarp();
    for (int i = lane; i < 640; i += 32) out[1280 + i] = s[w][i];
}
