//@ buffer a int[65536] = hash(i)
//@ buffer b int[65536] = 0
//@ launch gr_one<<<4, 64>>>(a, b) cooperative
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void gr_one(int *a, int *b)
{
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    cg::grid_group g = cg::this_grid();
    atomicAdd(&a[0], i);
    g.sync();
    if (g.thread_rank() == 0)
        b[0] = a[0];
}
