// The barrier comes before the wait.
//@ title   Three stages
//@ needs   n % 32 == 0
//@ launch  multiply<<<dim3(n / 32, n / 32), 128>>>(a, b, c, n)
#include <mma.h>
using namespace nvcuda;

enum { STAGES = 3 };

// Starts a copy of 16 bytes to shared memory; the thread goes on.
__device__ void copySixteen(half *to, const half *from)
{
    unsigned at = (unsigned)__cvta_generic_to_shared(to);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;"
                 :
                 : "r"(at), "l"(from)
                 : "memory");
}

extern "C" __global__ void multiply(const half *a, const half *b,
                                    float *c, int n)
{
    __shared__ __align__(128) half tileA[STAGES][32][40];
    __shared__ __align__(128) half tileB[STAGES][32][40];
    int tid = threadIdx.x, warp = tid / 32;
    int y = warp / 2 * 16, x = warp % 2 * 16;
    a += blockIdx.y * 32 * n;
    b += blockIdx.x * 32;
    c += blockIdx.y * 32 * n + blockIdx.x * 32;

    int row = tid / 4, col = tid % 4 * 8;
    auto fill = [&](int stage, int first) {
        if (first < n) {
            copySixteen(&tileA[stage][row][col],
                        &a[row * n + first + col]);
            copySixteen(&tileB[stage][row][col],
                        &b[(first + row) * n + col]);
        }
        asm volatile("cp.async.commit_group;" ::: "memory");
    };

    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major>
        left;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major>
        right;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
    wmma::fill_fragment(sum, 0.0f);
    for (int s = 0; s < STAGES - 1; s++)
        fill(s, 32 * s);
    for (int first = 0, used = 0; first < n; first += 32) {
        __syncthreads();
        asm volatile("cp.async.wait_group 1;" ::: "memory");
        fill((used + STAGES - 1) % STAGES, first + 32 * (STAGES - 1));
        for (int k = 0; k < 32; k += 16) {
            wmma::load_matrix_sync(left, &tileA[used][y][k], 40);
            wmma::load_matrix_sync(right, &tileB[used][k][x], 40);
            wmma::mma_sync(sum, left, right, sum);
        }
        used = (used + 1) % STAGES;
    }
    wmma::store_matrix_sync(c + y * n + x, sum, n, wmma::mem_row_major);
}
