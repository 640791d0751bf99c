//@ buffer a int[65536]  = hash(i)
//@ buffer b int[65536]  = 0
//@ buffer f float[65536] = 0
//@ buffer d double[8192] = (i * 7) & 63
//@ launch st_wmma_sub<<<2, 64>>>(a, b, f, d)
// Experimental sub-byte wmma: s4 and u4 (8x8x32) and b1 (8x8x128) with xor and and.
#include <mma.h>
using namespace nvcuda;
namespace wx = nvcuda::wmma::experimental;
extern "C" __global__ void st_wmma_sub(int *a, int *b, float *f, double *d)
{
    __shared__ __align__(32) int s[2][8 * 8];
    const int w = threadIdx.x >> 5;
    const int *p = a + (blockIdx.x * 2 + w) * 4096;
    int *o = b + (blockIdx.x * 2 + w) * 512;
    if (w == 0) {
        wmma::fragment<wmma::matrix_a, 8, 8, 32, wx::precision::s4, wmma::row_major> x;
        wmma::fragment<wmma::matrix_b, 8, 8, 32, wx::precision::s4, wmma::col_major> y;
        wmma::fragment<wmma::accumulator, 8, 8, 32, int> c;
        wmma::fill_fragment(c, 0);
        for (int k = 0; k < 4; k++) {
            wmma::load_matrix_sync(x, p + k * 64, 64);              // 8 rows of 64 nibbles, half of each
            wmma::load_matrix_sync(y, p + 1024 + k * 32, 32);
            wmma::mma_sync(c, x, y, c);
        }
        wmma::store_matrix_sync(o, c, 8, wmma::mem_row_major);
        wmma::fragment<wmma::matrix_a, 8, 8, 32, wx::precision::u4, wmma::row_major> xu;
        wmma::fragment<wmma::matrix_b, 8, 8, 32, wx::precision::u4, wmma::col_major> yu;
        wmma::load_matrix_sync(xu, p + 2048, 32);
        wmma::load_matrix_sync(yu, p + 2304, 96);
        wmma::mma_sync(c, xu, yu, c);
        wmma::store_matrix_sync(o + 128, c, 12, wmma::mem_col_major);
    } else {
        wmma::fragment<wmma::matrix_a, 8, 8, 128, wx::precision::b1, wmma::row_major> x;
        wmma::fragment<wmma::matrix_b, 8, 8, 128, wx::precision::b1, wmma::col_major> y;
        wmma::fragment<wmma::accumulator, 8, 8, 128, int> c;
        wmma::fill_fragment(c, 3);
        wmma::load_matrix_sync(x, p, 128);
        wmma::load_matrix_sync(y, p + 512, 256);
        wmma::bmma_sync(c, x, y, c, wx::bmmaBitOpXOR, wx::bmmaAccumulateOpPOPC);
        wmma::store_matrix_sync(o, c, 8, wmma::mem_row_major);
        wmma::bmma_sync(c, x, y, c, wx::bmmaBitOpAND, wx::bmmaAccumulateOpPOPC);
        wmma::store_matrix_sync(s[w], c, 8, wmma::mem_col_major);
        __syncwarp();
        int l = threadIdx.x & 31;
        o[256 + l] = s[w][l]; o[288 + l] = s[w][32 + l];
    }
}
