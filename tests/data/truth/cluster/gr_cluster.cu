//@ buffer a int[65536] = hash(i)
//@ buffer b int[65536] = 0
//@ launch gr_cluster<<<8, 64>>>(a, b) cluster 2 cooperative
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void gr_cluster(int *a, int *b)
{
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    cg::cluster_group c = cg::this_cluster();
    cg::grid_group g = cg::this_grid();
    __shared__ int s[64];
    s[t] = a[i];
    c.sync();
    a[i] = c.map_shared_rank(s, c.block_rank() ^ 1)[t];
    g.sync();
    b[i] = a[511 - i];
}
