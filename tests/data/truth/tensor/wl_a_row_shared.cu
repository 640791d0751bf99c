//@ buffer a int[65536]  = hash(i)
//@ buffer b int[65536]  = 0
//@ buffer f float[65536] = 0
//@ buffer d double[8192] = (i * 7) & 63
//@ launch wl_a_row_shared<<<1, 32>>>(a, b, f, d)
__shared__ __align__(128) int s[8192];
__device__ static void fill(const int *a) { for (int i = threadIdx.x; i < 8192; i += blockDim.x) s[i] = a[i]; __syncthreads(); }
#include <mma.h>
using namespace nvcuda;
extern "C" __global__ void wl_a_row_shared(int *a, int *b, float *f, double *d)
{
    int t = threadIdx.x, lane = t & 31; (void)lane;
    fill(a);
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> x;
    wmma::load_matrix_sync(x, (const half *)s, 16);
    for (int i = 0; i < x.num_elements; i++)
        ((half *)b)[t * x.num_elements + i] = x.x[i];
}
