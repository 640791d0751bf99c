// The groups of more than one block: the grid of a cooperative launch and the cluster; and the group whose kind is known
// only when the kernel runs.
#pragma clang system_header
#ifndef WARPBOOK_COOPERATIVE_GROUPS_GRID_H
#define WARPBOOK_COOPERATIVE_GROUPS_GRID_H

namespace cooperative_groups
{

// ---- the grid -----------------------------------------------------------------------------------------

// A cooperative launch has a few words of memory, whose address is in two registers that the driver sets; the second word is
// for the barrier. Its lower 31 bits are the same after each meeting, and its highest bit changes when the last block
// arrives: the first block adds what the others lack.
class grid_group
{
    unsigned *const barrier;

    WB_GROUP void must_be_cooperative() const
    {
        if (!is_valid())
            __trap();
    }

  public:
    typedef unsigned arrival_token;

    WB_GROUP grid_group()
        : barrier(reinterpret_cast<unsigned *>((unsigned long long)wb::workspace_high() << 32 |
                                               wb::workspace_low()))
    {
    }
    WB_GROUP bool is_valid() const
    {
        return barrier != nullptr;
    }
    WB_GROUP arrival_token barrier_arrive() const
    {
        unsigned before = 0;
        must_be_cooperative();
        asm volatile("barrier.sync 0;" ::: "memory");
        if (wb::thread_in_block() == 0) {
            const unsigned others = (unsigned)num_blocks() - 1;
            const unsigned add = block_rank() ? 1 : 0x80000000 - others;
            asm volatile("atom.add.release.gpu.u32 %0, [%1], %2;"
                         : "=r"(before)
                         : "l"(barrier + 1), "r"(add)
                         : "memory");
        }
        return before;
    }
    WB_GROUP void barrier_wait(arrival_token &&before) const
    {
        unsigned now = before;
        if (wb::thread_in_block() == 0)
            while (!((now ^ before) & 0x80000000))
                asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(now) : "l"(barrier + 1) : "memory");
        asm volatile("barrier.sync 0;" ::: "memory");
    }
    WB_GROUP void sync() const
    {
        barrier_wait(barrier_arrive());
    }

    static WB_GROUP dim3 dim_blocks()
    {
        return dim3(gridDim.x, gridDim.y, gridDim.z);
    }
    static WB_GROUP dim3 group_dim()
    {
        return dim_blocks();
    }
    static WB_GROUP dim3 block_index()
    {
        return dim3(blockIdx.x, blockIdx.y, blockIdx.z);
    }
    static WB_GROUP unsigned long long num_blocks()
    {
        return (unsigned long long)gridDim.x * gridDim.y * gridDim.z;
    }
    static WB_GROUP unsigned long long block_rank()
    {
        return ((unsigned long long)blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    }
    static WB_GROUP dim3 dim_threads()
    {
        return dim3(gridDim.x * blockDim.x, gridDim.y * blockDim.y, gridDim.z * blockDim.z);
    }
    static WB_GROUP dim3 thread_index()
    {
        return dim3(blockIdx.x * blockDim.x + threadIdx.x, blockIdx.y * blockDim.y + threadIdx.y,
                    blockIdx.z * blockDim.z + threadIdx.z);
    }
    static WB_GROUP unsigned long long num_threads()
    {
        return num_blocks() * wb::threads_of_block();
    }
    static WB_GROUP unsigned long long size()
    {
        return num_threads();
    }
    static WB_GROUP unsigned long long thread_rank()
    {
        return block_rank() * wb::threads_of_block() + wb::thread_in_block();
    }
    static WB_GROUP dim3 dim_clusters()
    {
        return wb::clusters_size();
    }
    static WB_GROUP dim3 cluster_index()
    {
        return wb::clusters_at();
    }
    static WB_GROUP unsigned long long num_clusters()
    {
        return wb::volume(dim_clusters());
    }
    static WB_GROUP unsigned long long cluster_rank()
    {
        return wb::linear(cluster_index(), dim_clusters());
    }
};

WB_GROUP grid_group this_grid()
{
    return grid_group();
}

// ---- the cluster ----------------------------------------------------------------------------------------

class cluster_group
{
  public:
    struct arrival_token {
    };

    static WB_GROUP arrival_token barrier_arrive()
    {
        asm volatile("barrier.cluster.arrive;" ::: "memory");
        return arrival_token();
    }
    static WB_GROUP void barrier_wait()
    {
        asm volatile("barrier.cluster.wait;" ::: "memory");
    }
    static WB_GROUP void barrier_wait(arrival_token &&)
    {
        barrier_wait();
    }
    static WB_GROUP void sync()
    {
        barrier_arrive();
        barrier_wait();
    }
    // The rank of the block whose shared memory an address is in.
    static WB_GROUP unsigned query_shared_rank(const void *address)
    {
        unsigned rank;
        asm("getctarank.u64 %0, %1;" : "=r"(rank) : "l"(address));
        return rank;
    }
    // The same place in the shared memory of another block.
    template <typename T> static WB_GROUP T *map_shared_rank(T *address, int rank)
    {
        T *there;
        asm("mapa.u64 %0, %1, %2;" : "=l"(there) : "l"(address), "r"(rank));
        return there;
    }
    static WB_GROUP dim3 dim_blocks()
    {
        return wb::cluster_size();
    }
    static WB_GROUP dim3 block_index()
    {
        return wb::cluster_at();
    }
    static WB_GROUP unsigned num_blocks()
    {
        return wb::cluster_blocks();
    }
    static WB_GROUP unsigned block_rank()
    {
        return wb::cluster_rank();
    }
    static WB_GROUP dim3 dim_threads()
    {
        const dim3 blocks = dim_blocks();
        return dim3(blocks.x * blockDim.x, blocks.y * blockDim.y, blocks.z * blockDim.z);
    }
    static WB_GROUP dim3 thread_index()
    {
        const dim3 block = block_index();
        return dim3(block.x * blockDim.x + threadIdx.x, block.y * blockDim.y + threadIdx.y,
                    block.z * blockDim.z + threadIdx.z);
    }
    static WB_GROUP unsigned num_threads()
    {
        return num_blocks() * wb::threads_of_block();
    }
    static WB_GROUP unsigned size()
    {
        return num_threads();
    }
    static WB_GROUP unsigned thread_rank()
    {
        return block_rank() * wb::threads_of_block() + wb::thread_in_block();
    }
};

WB_GROUP cluster_group this_cluster()
{
    return cluster_group();
}

// ---- a group whose kind is known when the kernel runs -----------------------------------------------------

class thread_group
{
    enum kind { LANES, BLOCK, CLUSTER, GRID };
    kind is;
    coalesced_group lanes; // of LANES

  public:
    WB_GROUP thread_group(const coalesced_group &lanes) : is(LANES), lanes(lanes)
    {
    }
    template <unsigned SIZE, typename PARENT>
    WB_GROUP thread_group(const thread_block_tile<SIZE, PARENT> &tile)
        : is(LANES), lanes(tile.wb_lanes(), tile.meta_group_rank(), tile.meta_group_size())
    {
    }
    WB_GROUP thread_group(const thread_block &) : is(BLOCK), lanes(0, 0, 1)
    {
    }
    WB_GROUP thread_group(const cluster_group &) : is(CLUSTER), lanes(0, 0, 1)
    {
    }
    WB_GROUP thread_group(const grid_group &) : is(GRID), lanes(0, 0, 1)
    {
    }

    WB_GROUP bool wb_is_block() const
    {
        return is == BLOCK;
    }
    WB_GROUP const coalesced_group &wb_coalesced() const
    {
        return lanes;
    }
    WB_GROUP void sync() const
    {
        if (is == LANES)
            lanes.sync();
        else if (is == BLOCK)
            thread_block::sync();
        else if (is == CLUSTER)
            cluster_group::sync();
        else
            grid_group().sync();
    }
    WB_GROUP unsigned long long num_threads() const
    {
        return is == LANES     ? lanes.num_threads()
               : is == BLOCK   ? thread_block::num_threads()
               : is == CLUSTER ? cluster_group::num_threads()
                               : grid_group::num_threads();
    }
    WB_GROUP unsigned long long size() const
    {
        return num_threads();
    }
    WB_GROUP unsigned long long thread_rank() const
    {
        return is == LANES     ? lanes.thread_rank()
               : is == BLOCK   ? thread_block::thread_rank()
               : is == CLUSTER ? cluster_group::thread_rank()
                               : grid_group::thread_rank();
    }
};

namespace wb
{
WB_GROUP void check_tile(unsigned size)
{
    if (size == 0 || size > 32 || (size & (size - 1)))
        __trap();
}
} // namespace wb

// Tiles of a size that is computed: 1, 2, 4, 8, 16 or 32. The last one may be smaller.
WB_GROUP coalesced_group tiled_partition(const coalesced_group &parent, unsigned size)
{
    wb::check_tile(size);
    const unsigned part = parent.thread_rank() / size, first = part * size, all = parent.num_threads();
    const unsigned end = first + size < all ? first + size : all;
    const unsigned from = wb::lowest(wb::lane_of(parent.wb_lanes(), first));
    const unsigned to = end < all ? wb::lowest(wb::lane_of(parent.wb_lanes(), end)) : 0xffffffff;
    return all <= size ? parent
                       : coalesced_group(parent.wb_lanes() & to & ~from, part, (all + size - 1) / size);
}
WB_GROUP thread_group tiled_partition(const thread_block &parent, unsigned size)
{
    wb::check_tile(size);
    const unsigned rank = parent.thread_rank(), all = parent.num_threads(), first = rank & ~(size - 1);
    const unsigned count = all - first < size ? all - first : size;
    return coalesced_group(wb::lowest(count) << (first & 31), rank / size, (all + size - 1) / size);
}
WB_GROUP thread_group tiled_partition(const thread_group &parent, unsigned size)
{
    if (parent.wb_is_block())
        return tiled_partition(thread_block(), size);
    return tiled_partition(parent.wb_coalesced(), size);
}

// ---- the same, as functions -----------------------------------------------------------------------------------

template <typename GROUP> WB_GROUP void sync(const GROUP &group)
{
    group.sync();
}
template <typename GROUP> WB_GROUP auto thread_rank(const GROUP &group) -> decltype(group.thread_rank())
{
    return group.thread_rank();
}
template <typename GROUP> WB_GROUP auto group_size(const GROUP &group) -> decltype(group.num_threads())
{
    return group.num_threads();
}

// One thread of the group calls the function; of a group within a warp all can have its result.
template <typename GROUP, typename FUNCTION, typename... ARGUMENTS>
WB_GROUP void invoke_one(const GROUP &group, FUNCTION &&function, ARGUMENTS &&...arguments)
{
    if (group.thread_rank() == 0)
        function(static_cast<ARGUMENTS &&>(arguments)...);
}
template <typename GROUP, typename FUNCTION, typename... ARGUMENTS>
WB_GROUP auto invoke_one_broadcast(const GROUP &group, FUNCTION &&function, ARGUMENTS &&...arguments)
    -> decltype(function(static_cast<ARGUMENTS &&>(arguments)...))
{
    decltype(function(static_cast<ARGUMENTS &&>(arguments)...)) result{};
    if (group.thread_rank() == 0)
        result = function(static_cast<ARGUMENTS &&>(arguments)...);
    return group.shfl(result, 0);
}

} // namespace cooperative_groups

#endif
