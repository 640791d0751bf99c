//@ buffer a int[65536] = hash(i)
//@ buffer b int[65536] = 0
//@ launch cl_dims<<<dim3(4, 6, 2), 32>>>(a, b) cluster dim3(2, 3, 1)
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void cl_dims(int *a, int *b)
{
    cg::cluster_group c = cg::this_cluster();
    __shared__ int s[32];
    unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z), id, explicitly;
    s[threadIdx.x] = block;
    c.sync();
    asm("mov.u32 %0, %%clusterid.y;" : "=r"(id));
    asm("{ .reg .pred p; mov.pred p, %%is_explicit_cluster; selp.u32 %0, 1, 0, p; }" : "=r"(explicitly));
    dim3 in = c.block_index(), of = c.dim_blocks();
    int *o = c.map_shared_rank(s, (c.block_rank() + 1) % 6);
    int *out = b + (block * 32 + threadIdx.x) * 8;
    out[0] = o[threadIdx.x];
    out[1] = c.block_rank() * 100 + c.num_blocks();
    out[2] = in.x * 100 + in.y * 10 + in.z;
    out[3] = of.x * 100 + of.y * 10 + of.z;
    out[4] = id;
    out[5] = c.query_shared_rank(o);
    out[6] = explicitly;
    c.sync();
}
