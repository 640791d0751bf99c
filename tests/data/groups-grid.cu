// Groups of more than one block, as tests/data/groups.cu has those
// within one.
//@ buffer seen unsigned[8 * 96] = 0
//@ launch blocks<<<dim3(4, 2), dim3(8, 12)>>>(seen) cluster dim3(2, 2) cooperative
//@ launch show<<<1, 8>>>(seen)
#include <cooperative_groups.h>
#include <stdio.h>
namespace cg = cooperative_groups;

struct sum {
    unsigned of = 2166136261u;
    __device__ sum &operator<<(unsigned value)
    {
        of = (of ^ value) * 16777619u;
        return *this;
    }
    __device__ sum &operator<<(int value)
    {
        return *this << (unsigned)value;
    }
    __device__ sum &operator<<(float value)
    {
        return *this << __float_as_uint(value);
    }
    __device__ sum &operator<<(unsigned long long value)
    {
        return *this << (unsigned)value << (unsigned)(value >> 32);
    }
    __device__ sum &operator<<(double value)
    {
        return *this << (unsigned long long)__double_as_longlong(value);
    }
    __device__ sum &operator<<(dim3 value)
    {
        return *this << value.x << value.y << value.z;
    }
};
__device__ unsigned long long told(cg::thread_group g)
{
    g.sync();
    return g.size() * 1000 + g.thread_rank();
}
__device__ unsigned where[8][96];

extern "C" __global__ void blocks(unsigned *seen)
{
    __shared__ unsigned here[96];
    cg::grid_group grid = cg::this_grid();
    cg::cluster_group cluster = cg::this_cluster();
    cg::thread_block block = cg::this_thread_block();
    const unsigned rank = block.thread_rank(), at = grid.block_rank();
    sum s;
    s << grid.size() << grid.thread_rank() << grid.num_blocks()
      << grid.is_valid() << grid.thread_index() << grid.dim_threads()
      << grid.num_clusters() << grid.cluster_rank()
      << grid.cluster_index() << grid.dim_clusters();
    s << cluster.num_blocks() << cluster.block_rank()
      << cluster.block_index() << cluster.dim_blocks()
      << cluster.thread_rank() << cluster.thread_index()
      << cluster.num_threads() << cluster.dim_threads();

    here[rank] = where[at][rank] = s.of;
    cluster.sync();
    for (unsigned i = 0; i < cluster.num_blocks(); i++) {
        unsigned *there = cluster.map_shared_rank(here, i);
        s << there[95 - rank] << cluster.query_shared_rank(there);
    }
    auto left = cluster.barrier_arrive();
    grid.sync();
    s << where[7 - at][rank];
    cluster.barrier_wait(static_cast<decltype(left) &&>(left));
    s << told(cluster) << told(block);

    auto token = grid.barrier_arrive();
    s << cg::group_size(grid);
    grid.barrier_wait(static_cast<decltype(token) &&>(token));
    where[at][rank] = s.of;
    grid.sync();
    s << where[(at + 3) % 8][rank];
    seen[at * 96 + rank] = s.of;
}

extern "C" __global__ void show(const unsigned *seen)
{
    sum s;
    for (int i = 0; i < 96; i++)
        s << seen[threadIdx.x * 96 + i];
    printf("row %d: %08x\n", threadIdx.x, s.of);
}
