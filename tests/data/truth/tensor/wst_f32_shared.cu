//@ buffer a int[65536]  = hash(i)
//@ buffer b int[65536]  = 0
//@ buffer f float[65536] = 0
//@ buffer d double[8192] = (i * 7) & 63
//@ launch wst_f32_shared<<<1, 32>>>(a, b, f, d)
#include <mma.h>
using namespace nvcuda;
extern "C" __global__ void wst_f32_shared(int *a, int *b, float *f, double *d)
{
    int t = threadIdx.x, lane = t & 31; (void)lane;
    __shared__ __align__(128) float s[1024];
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;
    wmma::load_matrix_sync(c, (const float *)a, 32, wmma::mem_row_major);
    wmma::store_matrix_sync(s, c, 24, wmma::mem_row_major);
    wmma::store_matrix_sync(s + 512, c, 24, wmma::mem_col_major);
    __syncwarp();
    for (int i = 0; i < 16 * 24; i += 32) if ((i + t) % 24 < 16)
        b[i + t] = __float_as_int(s[i + t]) ^ __float_as_int(s[i + t + 512]);
}
