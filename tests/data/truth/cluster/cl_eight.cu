//@ buffer a int[65536] = hash(i)
//@ buffer b int[65536] = 0
//@ launch cl_eight<<<16, 128>>>(a, b) cluster 8
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void cl_eight(int *a, int *b)
{
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    cg::cluster_group c = cg::this_cluster();
    __shared__ __align__(16) int s[512];
    for (int k = t; k < 512; k += blockDim.x)
        s[k] = a[blockIdx.x * 512 + k];
    c.sync();
    const int *o = c.map_shared_rank(s, t & 7);
    b[i] = o[t];
    c.sync();
}
