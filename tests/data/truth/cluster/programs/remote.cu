// Accesses to the shared memory of other blocks, one launch each, for Nsight Compute to count: ../remote.csv has the rows.
#include <cooperative_groups.h>
#include <cstdio>
namespace cg = cooperative_groups;
template <int KIND> __global__ void __cluster_dims__(8) probe(int *out, int per, int stride, int n)
{
    __shared__ __align__(16) int s[8192];
    cg::cluster_group c = cg::this_cluster();
    int lane = threadIdx.x;
    for (int i = lane; i < 8192; i += 32)
        s[i] = i;
    c.sync();
    int rank = (c.block_rank() + 1 + lane / per % 7) % 8;
    int *there = c.map_shared_rank(s, rank) + (lane * stride & 8191);
    if (lane < n) {
        if (KIND == 0)
            out[blockIdx.x * 32 + lane] = *(volatile int *)there;
        if (KIND == 1)
            *(volatile int *)there = lane;
        if (KIND == 2) {
            int4 v = *(int4 *)there;
            out[blockIdx.x * 32 + lane] = v.x ^ v.y ^ v.z ^ v.w;
        }
        if (KIND == 3)
            *(int4 *)there = make_int4(lane, 1, 2, 3);
        if (KIND == 4) {
            int2 v = *(int2 *)there;
            out[blockIdx.x * 32 + lane] = v.x ^ v.y;
        }
    }
    c.sync();
}
int main()
{
    int *out;
    cudaMalloc(&out, 4096);
    static const int plain[][3] = {
        { 32, 0, 32 },  { 32, 1, 32 },  { 32, 2, 32 },  { 32, 4, 32 },  { 32, 6, 32 }, { 32, 8, 32 },
        { 32, 16, 32 }, { 32, 32, 32 }, { 32, 33, 32 }, { 32, 40, 32 }, { 32, 8, 8 },  { 32, 8, 16 },
        { 32, 8, 17 },  { 32, 8, 20 },  { 32, 8, 24 },  { 32, 8, 28 },  { 16, 0, 32 }, { 16, 1, 32 },
        { 16, 2, 32 },  { 16, 4, 32 },  { 16, 8, 32 },  { 16, 32, 32 }, { 11, 1, 32 }, { 11, 8, 32 },
        { 8, 0, 32 },   { 8, 1, 32 },   { 8, 2, 32 },   { 8, 4, 32 },   { 8, 8, 32 },  { 7, 1, 32 },
        { 6, 1, 32 },   { 5, 0, 32 },   { 5, 1, 32 },   { 5, 8, 32 },   { 4, 8, 28 },  { 4, 2, 28 },
        { 4, 0, 28 },   { 2, 1, 32 },   { 2, 8, 32 },   { 1, 0, 7 },    { 1, 1, 7 },   { 1, 0, 32 },
        { 1, 1, 32 },   { 1, 8, 32 },   { 1, 8, 14 },   { 1, 8, 21 }
    };
    static const int wide[][3] = {
        { 32, 4, 32 }, { 32, 8, 32 }, { 32, 0, 32 }, { 32, 32, 32 }, { 16, 4, 32 },
        { 8, 4, 32 },  { 4, 4, 28 },  { 1, 4, 32 },  { 32, 4, 16 },  { 32, 4, 8 }
    };
    auto run = [&](auto kernel, int kind, const int *p) {
        printf("case %d %d %d %d\n", kind, p[0], p[1], p[2]);
        kernel<<<8, 32>>>(out, p[0], p[1], p[2]);
    };
    for (auto &p : plain)
        run(probe<0>, 0, p);
    for (auto &p : plain)
        run(probe<1>, 1, p);
    for (auto &p : wide)
        run(probe<2>, 2, p);
    for (auto &p : wide)
        run(probe<3>, 3, p);
    for (auto &p : wide)
        run(probe<4>, 4, p);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
