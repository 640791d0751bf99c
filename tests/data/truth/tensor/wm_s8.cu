//@ buffer a int[65536]  = hash(i)
//@ buffer b int[65536]  = 0
//@ buffer f float[65536] = 0
//@ buffer d double[8192] = (i * 7) & 63
//@ launch wm_s8<<<1, 32>>>(a, b, f, d)
#include <mma.h>
using namespace nvcuda;
extern "C" __global__ void wm_s8(int *a, int *b, float *f, double *d)
{
    int t = threadIdx.x, lane = t & 31; (void)lane;
    
    wmma::fragment<wmma::matrix_a, 16, 16, 16, signed char, wmma::row_major> x;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, signed char, wmma::col_major> y;
    wmma::fragment<wmma::accumulator, 16, 16, 16, int> c;
    wmma::fill_fragment(c, 0);
    wmma::load_matrix_sync(x, (const signed char *)a, 16);
    wmma::load_matrix_sync(y, (const signed char *)a + 4096, 16);
    for (int i = 0; i < x.num_elements; i++)
        x.x[i] = (t + i) & 7;
    for (int i = 0; i < y.num_elements; i++)
        y.x[i] = (t + 2 * i) & 3;
    wmma::mma_sync(c, x, y, c);
    wmma::store_matrix_sync((int *)b, c, 16, wmma::mem_row_major);
}
