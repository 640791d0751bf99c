//@ buffer a int[65536]  = hash(i)
//@ buffer b int[65536]  = 0
//@ buffer f float[65536] = 0
//@ buffer d double[8192] = (i * 7) & 63
//@ launch st_wmma_mixed<<<3, 96>>>(a, b, f, d)
// wmma bf16 (16x16x16, 32x8x16), tf32 (16x16x8) and double (8x8x4).
#include <mma.h>
#include <cuda_bf16.h>
using namespace nvcuda;
extern "C" __global__ void st_wmma_mixed(int *a, int *b, float *f, double *d)
{
    __shared__ __align__(32) __nv_bfloat16 sb[32 * 24 + 16 * 40];
    __shared__ __align__(32) float sf[16 * 12 + 8 * 20];
    __shared__ __align__(32) double sd[2 * 8 * 8];
    const int t = threadIdx.x, w = t >> 5;
    for (int i = t; i < 32 * 24 + 16 * 40; i += 96) sb[i] = __float2bfloat16((float)((a[blockIdx.x * 4096 + i] & 511) - 256) / 32.0f);
    for (int i = t; i < 16 * 12 + 8 * 20; i += 96) sf[i] = (float)((a[blockIdx.x * 4096 + 2048 + i] & 0xffff) - 32768) / 4096.0f;
    for (int i = t; i < 128; i += 96) sd[i] = (double)(a[blockIdx.x * 4096 + 3072 + i] & 0xffff) / 3.0;
    __syncthreads();
    if (w == 0) {
        wmma::fragment<wmma::matrix_a, 16, 16, 16, __nv_bfloat16, wmma::row_major> x;
        wmma::fragment<wmma::matrix_b, 16, 16, 16, __nv_bfloat16, wmma::row_major> y;
        wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;
        wmma::fill_fragment(c, 0.0f);
        wmma::load_matrix_sync(x, sb, 24);
        wmma::load_matrix_sync(y, sb + 32 * 24, 40);
        wmma::mma_sync(c, x, y, c);
        wmma::store_matrix_sync(f + blockIdx.x * 1024, c, 16, wmma::mem_row_major);
        wmma::fragment<wmma::matrix_a, 32, 8, 16, __nv_bfloat16, wmma::row_major> x2;
        wmma::fragment<wmma::matrix_b, 32, 8, 16, __nv_bfloat16, wmma::col_major> y2;
        wmma::fragment<wmma::accumulator, 32, 8, 16, float> c2;
        wmma::fill_fragment(c2, 1.0f);
        wmma::load_matrix_sync(x2, sb, 24);
        wmma::load_matrix_sync(y2, sb + 32 * 24, 40);
        wmma::mma_sync(c2, x2, y2, c2);
        wmma::store_matrix_sync(f + blockIdx.x * 1024 + 256, c2, 8, wmma::mem_row_major);
    } else if (w == 1) {
        wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> x;
        wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::row_major> y;
        wmma::fragment<wmma::accumulator, 16, 16, 8, float> c;
        wmma::load_matrix_sync(x, sf, 12);
        wmma::load_matrix_sync(y, sf + 16 * 12, 20);
        for (int i = 0; i < x.num_elements; i++) x.x[i] = wmma::__float_to_tf32(x.x[i]);
        for (int i = 0; i < y.num_elements; i++) y.x[i] = wmma::__float_to_tf32(y.x[i]);
        wmma::fill_fragment(c, 0.25f);
        for (int k = 0; k < 3; k++) wmma::mma_sync(c, x, y, c);
        wmma::store_matrix_sync(f + blockIdx.x * 1024 + 512, c, 20, wmma::mem_col_major);
    } else {
        wmma::fragment<wmma::matrix_a, 8, 8, 4, double, wmma::row_major> x;
        wmma::fragment<wmma::matrix_b, 8, 8, 4, double, wmma::col_major> y;
        wmma::fragment<wmma::accumulator, 8, 8, 4, double> c;
        wmma::load_matrix_sync(c, d + blockIdx.x * 64, 8, wmma::mem_row_major);
        for (int k = 0; k < 8; k += 4) {
            wmma::load_matrix_sync(x, sd + k, 8);
            wmma::load_matrix_sync(y, sd + 64 + k, 8);
            wmma::mma_sync(c, x, y, c);
        }
        wmma::store_matrix_sync(d + 1024 + blockIdx.x * 256, c, 10, wmma::mem_col_major);
    }
}
