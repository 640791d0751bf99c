//@ buffer a int[65536] = hash(i)
//@ buffer b int[65536] = 0
//@ launch cl_write<<<8, 128>>>(a, b) cluster 4
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void cl_write(int *a, int *b)
{
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    cg::cluster_group c = cg::this_cluster();
    __shared__ __align__(16) int s[512];
    for (int k = t; k < 512; k += blockDim.x)
        s[k] = a[blockIdx.x * 512 + k];
    c.sync();
    int *o = c.map_shared_rank(s, (c.block_rank() + 1) % c.num_blocks());
    o[t] = a[i] + 1;
    c.sync();
    b[i] = s[t];
}
