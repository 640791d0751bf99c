//@ buffer a int[65536] = hash(i)
//@ buffer b int[65536] = 0
//@ launch cl_histogram<<<8, 256>>>(a, b) cluster 2
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void cl_histogram(int *a, int *b)
{
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    cg::cluster_group c = cg::this_cluster();
    __shared__ int bins[128];
    if (t < 128)
        bins[t] = 0;
    c.sync();
    for (int n = 0; n < 8; n++) {
        unsigned x = a[i + n * 2048] & 255;
        atomicAdd(c.map_shared_rank(bins, x >> 7) + (x & 127), 1);
    }
    c.sync();
    if (t < 128)
        atomicAdd(&b[c.block_rank() * 128 + t], bins[t]);
}
