//@ buffer a int[65536]  = hash(i)
//@ buffer b int[65536]  = 0
//@ buffer f float[65536] = 0
//@ buffer d double[8192] = (i * 7) & 63
//@ launch st_wmma_rect<<<2, 128>>>(a, b, f, d)
// wmma m32n8k16 and m8n32k16; operands in global (a part of b, initialised here) and shared memory,
// accumulators loaded from and stored to memory in rows and columns with odd leading dimensions.
#include <mma.h>
#include <cuda_fp16.h>
using namespace nvcuda;
extern "C" __global__ void st_wmma_rect(int *a, int *b, float *f, double *d)
{
    __shared__ __align__(128) __half s[4][1024];
    __shared__ __align__(128) float acc[4][32 * 12 + 8 * 36];
    const int tid = threadIdx.x, lane = tid & 31, w = tid >> 5;
    // a region of b holds half matrices: block-private 2048 halves
    __half *g = reinterpret_cast<__half *>(b + 32768 + blockIdx.x * 1024);
    for (int i = tid; i < 2048; i += 128) g[i] = __int2half_rn((a[blockIdx.x * 2048 + i] & 31) - 16);
    for (int i = lane; i < 1024; i += 32) s[w][i] = __int2half_rn((a[8192 + w * 1024 + i] >> 27));
    for (int i = lane; i < 32 * 12 + 8 * 36; i += 32) acc[w][i] = (float)(i % 13) - 6.0f;
    __syncthreads();
    float *o = f + (blockIdx.x * 4 + w) * 1024;
    if (w < 2) {
        wmma::fragment<wmma::matrix_a, 32, 8, 16, __half, wmma::row_major> ar;
        wmma::fragment<wmma::matrix_a, 32, 8, 16, __half, wmma::col_major> ac;
        wmma::fragment<wmma::matrix_b, 32, 8, 16, __half, wmma::row_major> br;
        wmma::fragment<wmma::matrix_b, 32, 8, 16, __half, wmma::col_major> bc;
        wmma::fragment<wmma::accumulator, 32, 8, 16, float> c;
        wmma::load_matrix_sync(c, acc[w], 12, wmma::mem_row_major);
        if (w == 0) {
            wmma::load_matrix_sync(ar, g, 24);              // global, row, ldm 24
            wmma::load_matrix_sync(bc, s[w], 40);           // shared, col, ldm 40
            wmma::mma_sync(c, ar, bc, c);
            wmma::store_matrix_sync(o, c, 8, wmma::mem_row_major);
        } else {
            wmma::load_matrix_sync(ac, s[w], 40);           // shared, col
            wmma::load_matrix_sync(br, g + 1024, 8);        // global, row, dense
            wmma::mma_sync(c, ac, br, c);
            wmma::mma_sync(c, ac, br, c);
            wmma::store_matrix_sync(o, c, 36, wmma::mem_col_major);
        }
    } else {
        wmma::fragment<wmma::matrix_a, 8, 32, 16, __half, wmma::row_major> ar;
        wmma::fragment<wmma::matrix_a, 8, 32, 16, __half, wmma::col_major> ac;
        wmma::fragment<wmma::matrix_b, 8, 32, 16, __half, wmma::row_major> br;
        wmma::fragment<wmma::matrix_b, 8, 32, 16, __half, wmma::col_major> bc;
        wmma::fragment<wmma::accumulator, 8, 32, 16, float> c;
        wmma::load_matrix_sync(c, acc[w] + 32 * 12, 8, wmma::mem_col_major);
        if (w == 2) {
            wmma::load_matrix_sync(ar, s[w], 56);
            wmma::load_matrix_sync(bc, g, 16);
            wmma::mma_sync(c, ar, bc, c);
            wmma::store_matrix_sync(o, c, 36, wmma::mem_row_major);
        } else {
            wmma::load_matrix_sync(ac, g + 512, 8);
            wmma::load_matrix_sync(br, s[w], 48);
            for (int i = 0; i < 3; i++) wmma::mma_sync(c, ac, br, c);
            wmma::store_matrix_sync(acc[w], c, 12, wmma::mem_col_major);
            __syncwarp();
            for (int i = lane; i < 256; i += 32) o[i] = acc[w][(i & 31) * 12 + (i >> 5)];
        }
    }
}
