// Random accesses to the shared memory of other blocks, one launch each, for Nsight Compute to count: ../remote_random.csv.
#include <cooperative_groups.h>
#include <cstdio>
namespace cg = cooperative_groups;
__device__ unsigned hash(unsigned x)
{
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ x >> 16;
}
template <int KIND>
__global__ void __cluster_dims__(8)
    probe(int *out, unsigned seed, int ranks, int words, int step,
          int n)
{
    __shared__ __align__(16) int s[8192];
    cg::cluster_group c = cg::this_cluster();
    int lane = threadIdx.x;
    for (int i = lane; i < 8192; i += 32)
        s[i] = i;
    c.sync();
    int rank =
        (c.block_rank() + 1 + hash(seed * 64 + lane) % ranks) % 8;
    int *there = c.map_shared_rank(s, rank) +
                 (hash(seed * 64 + 32 + lane) % words * step & 8191);
    if (lane < n) {
        if (KIND == 0)
            out[blockIdx.x * 32 + lane] = *(volatile int *)there;
        if (KIND == 1)
            *(volatile int *)there = lane;
        if (KIND == 2)
            out[blockIdx.x * 32 + lane] = atomicAdd(there, lane + 1);
        if (KIND == 3)
            atomicAdd(there, lane + 1);
        if (KIND == 4)
            out[blockIdx.x * 32 + lane] =
                atomicMax(there, lane * 7 & 31);
        if (KIND == 5)
            out[blockIdx.x * 32 + lane] = atomicCAS(there, lane, 5);
        if (KIND == 6)
            out[blockIdx.x * 32 + lane] = (int)atomicAdd(
                (unsigned long long *)((size_t)there & ~7ull), 3ull);
        if (KIND == 7)
            out[blockIdx.x * 32 + lane] = atomicExch(there, lane);
    }
    c.sync();
}
int main()
{
    int *out;
    cudaMalloc(&out, 4096);
    static const int shapes[][4] = {
        { 1, 8192, 1, 32 }, { 2, 64, 1, 32 },   { 7, 64, 1, 32 },
        { 7, 256, 1, 32 },  { 7, 1024, 1, 32 }, { 3, 8192, 1, 32 },
        { 7, 8192, 1, 32 }, { 7, 8192, 1, 4 },  { 7, 8192, 1, 6 },
        { 2, 8, 256, 16 },  { 7, 16, 512, 16 }, { 1, 32, 256, 32 },
        { 1, 64, 128, 32 }, { 4, 4, 32, 3 },    { 7, 4, 32, 3 },
        { 7, 8, 32, 4 }
    };
    unsigned seed = 1;
    auto run = [&](auto kernel, int kind, const int *p) {
        printf("case %d %u %d %d %d %d\n", kind, seed, p[0], p[1], p[2],
               p[3]);
        kernel<<<8, 32>>>(out, seed++, p[0], p[1], p[2], p[3]);
    };
    for (int k = 0; k < 3; k++)
        for (auto &p : shapes)
            run(probe<0>, 0, p);
    for (auto &p : shapes)
        run(probe<1>, 1, p);
    for (int k = 0; k < 2; k++)
        for (auto &p : shapes)
            run(probe<2>, 2, p);
    for (auto &p : shapes)
        run(probe<3>, 3, p);
    for (auto &p : shapes)
        run(probe<4>, 4, p);
    for (auto &p : shapes)
        run(probe<5>, 5, p);
    for (auto &p : shapes)
        run(probe<6>, 6, p);
    for (auto &p : shapes)
        run(probe<7>, 7, p);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
