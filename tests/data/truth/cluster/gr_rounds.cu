//@ buffer a int[65536] = hash(i)
//@ buffer b int[65536] = 0
//@ launch gr_rounds<<<16, 128>>>(a, b) cooperative
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void gr_rounds(int *a, int *b)
{
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    cg::grid_group g = cg::this_grid();
    for (int n = 0; n < 8; n++) {
        b[i] += a[(i + 131) & 2047] & 0xff;
        g.sync();
        a[i] = b[i] + n;
        g.sync();
    }
}
