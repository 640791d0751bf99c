// The dot products of 3000 pairs of vectors of 72 numbers; eight threads
// have a pair and add up by a tile of a cooperative group.
//@ param   pairs = 3000
//@ buffer  a   float[pairs * 72] = hash(i) % 10
//@ buffer  b   float[pairs * 72] = hash(i + 1) % 10
//@ buffer  dot float[pairs]
//@ launch  dots<<<(pairs + 7) / 8, 64>>>(a, b, dot, pairs)
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void dots(const float *a, const float *b, float *dot,
                     int pairs)
{
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<8> tile = cg::tiled_partition<8>(block);
    int pair = blockIdx.x * (blockDim.x / 8) + threadIdx.x / 8;
    if (pair >= pairs)
        return;

    float sum = 0.0f;
    for (int i = tile.thread_rank(); i < 72; i += tile.size())
        sum += a[pair * 72 + i] * b[pair * 72 + i];
    for (int d = tile.size() / 2; d > 0; d /= 2)
        sum += tile.shfl_down(sum, d);
    if (tile.thread_rank() == 0)
        dot[pair] = sum;
}
