//@ buffer a int[65536]  = hash(i)
//@ buffer b int[65536]  = 0
//@ buffer f float[65536] = 0
//@ buffer d double[8192] = (i * 7) & 63
//@ launch wm_f16_f16<<<1, 32>>>(a, b, f, d)
__shared__ __align__(128) int s[8192];
__device__ static void fill(const int *a) { for (int i = threadIdx.x; i < 8192; i += blockDim.x) s[i] = a[i]; __syncthreads(); }
#include <mma.h>
using namespace nvcuda;
extern "C" __global__ void wm_f16_f16(int *a, int *b, float *f, double *d)
{
    int t = threadIdx.x, lane = t & 31; (void)lane;
    fill(a);
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> x;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> y;
    wmma::fragment<wmma::accumulator, 16, 16, 16, half> c;
    wmma::fill_fragment(c, 0);
    wmma::load_matrix_sync(x, (const half *)s, 16);
    wmma::load_matrix_sync(y, (const half *)s + 4096, 16);
    for (int i = 0; i < x.num_elements; i++)
        x.x[i] = (t + i) & 7;
    for (int i = 0; i < y.num_elements; i++)
        y.x[i] = (t + 2 * i) & 3;
    wmma::mma_sync(c, x, y, c);
    wmma::store_matrix_sync((half *)b, c, 16, wmma::mem_row_major);
}
