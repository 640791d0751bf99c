//@ buffer a int[65536]  = hash(i)
//@ buffer b int[65536]  = 0
//@ buffer f float[65536] = 0
//@ buffer d double[8192] = (i * 7) & 63
//@ launch st_wmma_16<<<4, 128>>>(a, b, f, d)
// wmma m16n16k16 half: the four layout combinations out of shared memory with leading
// dimensions 24, 40, 56 and 72; f32 and f16 accumulators stored in rows and columns.
#include <mma.h>
#include <cuda_fp16.h>
using namespace nvcuda;
template <class LA, class LB, int LDM>
__device__ void tile(const __half *A, const __half *B, float *cf, __half *ch, int which)
{
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, LA> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, LB> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
    wmma::fragment<wmma::accumulator, 16, 16, 16, __half> hc;
    wmma::fill_fragment(fc, 0.0f);
    wmma::fill_fragment(hc, __float2half(0.5f));
    wmma::load_matrix_sync(fa, A, LDM);
    wmma::load_matrix_sync(fb, B, LDM);
    wmma::mma_sync(fc, fa, fb, fc);
    wmma::mma_sync(hc, fa, fb, hc);
    for (int i = 0; i < fc.num_elements; i++) fc.x[i] *= 2.0f;
    wmma::mma_sync(fc, fa, fb, fc);
    wmma::store_matrix_sync(cf, fc, 16, which & 1 ? wmma::mem_row_major : wmma::mem_col_major);
    wmma::store_matrix_sync(ch, hc, 24, which & 2 ? wmma::mem_row_major : wmma::mem_col_major);
}
extern "C" __global__ void st_wmma_16(int *a, int *b, float *f, double *d)
{
    __shared__ __align__(32) __half sA[4][16 * 72];
    __shared__ __align__(32) __half sB[4][16 * 72];
    __shared__ __align__(32) __half sC[4][16 * 24];
    const int tid = threadIdx.x, lane = tid & 31, w = tid >> 5;
    const int gw = blockIdx.x * 4 + w;
    for (int i = lane; i < 16 * 72; i += 32) {
        int v = a[gw * 1152 + i];
        sA[w][i] = __float2half((float)((v & 63) - 32) * 0.0625f);
        sB[w][i] = __float2half((float)(((v >> 8) & 63) - 32) * 0.03125f);
    }
    for (int i = lane; i < 16 * 24; i += 32) sC[w][i] = __float2half(0.f);
    __syncwarp();
    float *o = f + gw * 256;
    if (w == 0)      tile<wmma::row_major, wmma::col_major, 24>(sA[w], sB[w], o, sC[w], 3);
    else if (w == 1) tile<wmma::row_major, wmma::row_major, 40>(sA[w], sB[w], o, sC[w], 2);
    else if (w == 2) tile<wmma::col_major, wmma::row_major, 56>(sA[w], sB[w], o, sC[w], 1);
    else             tile<wmma::col_major, wmma::col_major, 72>(sA[w], sB[w], o, sC[w], 0);
    __syncwarp();
    for (int i = lane; i < 16 * 24; i += 32) b[gw * 384 + i] = __half_as_ushort(sC[w][i]);
}
