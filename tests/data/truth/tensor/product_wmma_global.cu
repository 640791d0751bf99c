//@ buffer a int[65536]  = hash(i)
//@ buffer b int[65536]  = 0
//@ buffer f float[65536] = 0
//@ buffer d double[8192] = (i * 7) & 63
//@ launch product_wmma_global<<<4, 32>>>(a, b, f, d)
#include <mma.h>
using namespace nvcuda;
// Two small integers as halves.
__device__ static unsigned two(int x) { unsigned r; asm("{.reg .f16 l, h; cvt.rn.f16.s32 l, %1; cvt.rn.f16.s32 h, %2; mov.b32 %0, {l, h};}" : "=r"(r) : "r"((x & 15) - 8), "r"((x >> 4 & 15) - 8)); return r; }
extern "C" __global__ void product_wmma_global(int *a, int *b, float *f, double *d)
{
    int t = threadIdx.x, lane = t & 31; (void)lane;
    // 32 x 32 x 32 from pairs of halves that are made first; a block makes a tile of 16 x 16.
    half *x = (half *)b, *y = x + 1024;
    for (int i = t; i < 512; i += 32)
        ((unsigned *)x)[blockIdx.x * 4096 + i] = two(a[i]), ((unsigned *)y)[blockIdx.x * 4096 + i] = two(a[i + 512]);
    __threadfence_block(); __syncthreads();
    x += blockIdx.x * 8192; y += blockIdx.x * 8192;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;
    wmma::fill_fragment(c, 0.0f);
    for (int k = 0; k < 32; k += 16) {
        wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fx;
        wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fy;
        wmma::load_matrix_sync(fx, x + (blockIdx.x / 2) * 16 * 32 + k, 32);
        wmma::load_matrix_sync(fy, y + k * 32 + (blockIdx.x % 2) * 16, 32);
        wmma::mma_sync(c, fx, fy, c);
    }
    wmma::store_matrix_sync(f + (blockIdx.x / 2) * 16 * 32 + (blockIdx.x % 2) * 16, c, 32, wmma::mem_row_major);
}
