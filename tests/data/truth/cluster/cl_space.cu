//@ buffer a int[65536] = hash(i)
//@ buffer b int[65536] = 0
//@ launch cl_space<<<8, 128>>>(a, b) cluster 2
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void cl_space(int *a, int *b)
{
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    cg::cluster_group c = cg::this_cluster();
    __shared__ __align__(16) int s[512];
    for (int k = t; k < 512; k += blockDim.x)
        s[k] = a[blockIdx.x * 512 + k];
    c.sync();
    unsigned at = (unsigned)__cvta_generic_to_shared(&s[t]), there, value;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(at), "r"(c.block_rank() ^ 1));
    asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(value) : "r"(there));
    asm volatile("red.shared::cluster.add.u32 [%0], %1;" ::"r"(there + 1024), "r"(t));
    c.sync();
    b[i] = value + s[t + 256];
}
