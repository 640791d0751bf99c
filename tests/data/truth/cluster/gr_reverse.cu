//@ buffer a int[65536] = hash(i)
//@ buffer b int[65536] = 0
//@ launch gr_reverse<<<8, 256>>>(a, b) cooperative
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void gr_reverse(int *a, int *b)
{
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    cg::grid_group g = cg::this_grid();
    a[i] = i * 3;
    g.sync();
    b[i] = a[2047 - i];
}
