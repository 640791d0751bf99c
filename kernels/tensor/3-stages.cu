// Three stages of a pipeline: while a pair of tiles is multiplied, the
// next two are in flight. Asynchronous copies are counted in groups,
// and a thread waits until all of its groups but the newest have come.
//@ title   Three stages of copies
//@ why     Loads from far away take longer than a pair of tiles takes
//@ why     to multiply, so more than one pair has to be in flight.
//@ needs   n % 128 == 0
//@ launch  tensorStages<<<dim3(n / 128, n / 128), 256, 3 * 18944>>>(
//@             a, b, c, n)
#include <mma.h>
using namespace nvcuda;

enum { STAGES = 3 };
struct Stage {
    half a[128][40], b[32][136];
};

__device__ void copySixteen(half *to, const half *from)
{
#if __CUDA_ARCH__ >= 800
    unsigned at = (unsigned)__cvta_generic_to_shared(to);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;"
                 :
                 : "r"(at), "l"(from)
                 : "memory");
#else
    *(int4 *)to = *(const int4 *)from; // older GPUs have no such copies
#endif
}

// What was copied since the last call is a group.
__device__ void endGroup()
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

// Until all of its groups but the newest have come.
__device__ void waitForOlder()
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2)
                 : "memory");
#endif
}

extern "C" __global__ void __launch_bounds__(256)
    tensorStages(const half *a, const half *b, float *c, int n)
{
    extern __shared__ __align__(128) unsigned char shared[];
    Stage *stage = (Stage *)shared;
    int tid = threadIdx.x, warp = tid / 32;
    int y = warp / 4 * 64,
        x = warp % 4 * 32; // in the block's part of C
    a += blockIdx.y * 128 * n;
    b += blockIdx.x * 128;
    c += blockIdx.y * 128 * n + blockIdx.x * 128;

    // What it copies: eight halves of a row, twice of each tile.
    int rowA = tid / 4, colA = tid % 4 * 8;
    int rowB = tid / 16, colB = tid % 16 * 8;
    auto fill = [&](int to, int first) {
#pragma unroll
        for (int r = 0; r < 128; r += 64)
            copySixteen(&stage[to].a[rowA + r][colA],
                        &a[(rowA + r) * n + first + colA]);
#pragma unroll
        for (int r = 0; r < 32; r += 16)
            copySixteen(&stage[to].b[rowB + r][colB],
                        &b[(first + rowB + r) * n + colB]);
    };

    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major>
        left[4];
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major>
        right[2];
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum[4][2];
#pragma unroll
    for (int i = 0; i < 4; i++)
#pragma unroll
        for (int j = 0; j < 2; j++)
            wmma::fill_fragment(sum[i][j], 0.0f);

    for (int s = 0; s < STAGES - 1; s++) {
        fill(s, 32 * s);
        endGroup();
    }
    int used = 0, filled = STAGES - 1;
    for (int first = 0; first < n; first += 32) {
        // Its own copies have arrived; after the barrier those of all
        // have, and nobody reads the stage that is filled next.
        waitForOlder();
        __syncthreads();
        int ahead = first + 32 * (STAGES - 1);
        if (ahead < n)
            fill(filled, ahead);
        endGroup(); // at the end an empty one, so that counts go on
#pragma unroll
        for (int k = 0; k < 32; k += 16) {
#pragma unroll
            for (int i = 0; i < 4; i++)
                wmma::load_matrix_sync(
                    left[i], &stage[used].a[y + 16 * i][k], 40);
#pragma unroll
            for (int j = 0; j < 2; j++)
                wmma::load_matrix_sync(
                    right[j], &stage[used].b[k][x + 16 * j], 136);
#pragma unroll
            for (int i = 0; i < 4; i++)
#pragma unroll
                for (int j = 0; j < 2; j++)
                    wmma::mma_sync(sum[i][j], left[i], right[j],
                                   sum[i][j]);
        }
        used = used + 1 < STAGES ? used + 1 : 0;
        filled = filled + 1 < STAGES ? filled + 1 : 0;
    }
#pragma unroll
    for (int i = 0; i < 4; i++)
#pragma unroll
        for (int j = 0; j < 2; j++)
            wmma::store_matrix_sync(&c[(y + 16 * i) * n + x + 16 * j],
                                    sum[i][j], n, wmma::mem_row_major);
}
