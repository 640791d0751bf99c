//@ buffer a int[65536] = hash(i)
//@ buffer b int[65536] = 0
//@ launch cl_split<<<8, 128>>>(a, b) cluster 4
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void cl_split(int *a, int *b)
{
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    cg::cluster_group c = cg::this_cluster();
    __shared__ int s[128], other[128];
    s[t] = a[i];
    auto token = c.barrier_arrive();
    other[t] = a[i + 1024];
    c.barrier_wait(static_cast<decltype(token) &&>(token));
    int v = c.map_shared_rank(s, (c.block_rank() + 1) % c.num_blocks())[t] + other[t];
    c.sync();
    b[i] = v;
}
