//@ buffer a int[65536] = hash(i)
//@ buffer b int[65536] = 0
//@ launch cl_reduce<<<8, 256>>>(a, b) cluster 4
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void cl_reduce(int *a, int *b)
{
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    cg::cluster_group c = cg::this_cluster();
    __shared__ int part[4];
    __shared__ int sum;
    if (t == 0)
        sum = 0;
    __syncthreads();
    atomicAdd(&sum, a[i] & 0xff);
    c.sync();
    if (t == 0)
        c.map_shared_rank(part, 0)[c.block_rank()] = sum;
    c.sync();
    if (c.block_rank() == 0 && t == 0)
        b[blockIdx.x / 4] = part[0] + part[1] + part[2] + part[3];
}
