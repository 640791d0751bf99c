// Cooperative groups, for compilers that have no Toolkit beside them: sets of threads as values, which know their size and
// a thread's rank, meet, vote and exchange values. Reductions, scans and asynchronous copies are in the folder of the
// same name. Not here: tiles of more than 32 threads, and what needs cuda::atomic or cuda::barrier.
#pragma clang system_header
#ifndef WARPBOOK_COOPERATIVE_GROUPS_H
#define WARPBOOK_COOPERATIVE_GROUPS_H

// Without debug information: their instructions then belong to the line that calls them.
#ifdef __clang__
#define WB_GROUP __attribute__((always_inline, nodebug, device)) inline
#define WB_GROUP_BYTES __builtin_memcpy
#else
#define WB_GROUP __device__ __forceinline__
#define WB_GROUP_BYTES memcpy
#endif

namespace cooperative_groups
{

// ---- lanes of a warp, by masks ------------------------------------------------------------------

namespace wb
{

#define WB_GROUP_SPECIAL(NAME, REGISTER)                                                                     \
    WB_GROUP unsigned NAME()                                                                                 \
    {                                                                                                        \
        unsigned value;                                                                                      \
        asm volatile("mov.u32 %0, %%" REGISTER ";" : "=r"(value));                                           \
        return value;                                                                                        \
    }
WB_GROUP_SPECIAL(lane, "laneid")
WB_GROUP_SPECIAL(workspace_high, "envreg1")
WB_GROUP_SPECIAL(workspace_low, "envreg2")
WB_GROUP_SPECIAL(cluster_rank, "cluster_ctarank")
WB_GROUP_SPECIAL(cluster_blocks, "cluster_nctarank")
#define WB_GROUP_SPECIAL_3(NAME, REGISTER)                                                                   \
    WB_GROUP_SPECIAL(NAME##_x, REGISTER ".x")                                                                \
    WB_GROUP_SPECIAL(NAME##_y, REGISTER ".y")                                                                \
    WB_GROUP_SPECIAL(NAME##_z, REGISTER ".z")                                                                \
    WB_GROUP dim3 NAME()                                                                                     \
    {                                                                                                        \
        return dim3(NAME##_x(), NAME##_y(), NAME##_z());                                                     \
    }
WB_GROUP_SPECIAL_3(cluster_at, "cluster_ctaid")
WB_GROUP_SPECIAL_3(cluster_size, "cluster_nctaid")
WB_GROUP_SPECIAL_3(clusters_at, "clusterid")
WB_GROUP_SPECIAL_3(clusters_size, "nclusterid")
#undef WB_GROUP_SPECIAL_3
#undef WB_GROUP_SPECIAL

WB_GROUP unsigned volume(dim3 size)
{
    return size.x * size.y * size.z;
}
WB_GROUP unsigned linear(dim3 at, dim3 size)
{
    return (at.z * size.y + at.y) * size.x + at.x;
}
WB_GROUP unsigned thread_in_block()
{
    return linear(dim3(threadIdx.x, threadIdx.y, threadIdx.z), dim3(blockDim.x, blockDim.y, blockDim.z));
}
WB_GROUP unsigned threads_of_block()
{
    return blockDim.x * blockDim.y * blockDim.z;
}

WB_GROUP unsigned lowest(unsigned count) // a mask of so many lanes
{
    return count < 32 ? (1u << count) - 1 : 0xffffffff;
}
WB_GROUP unsigned rank_in(unsigned mask)
{
    return __popc(mask & lowest(lane()));
}
// The lane of a rank: half of what is left each time, without a branch.
WB_GROUP unsigned lane_of(unsigned mask, unsigned rank)
{
    unsigned at = 0;
#pragma unroll
    for (unsigned width = 16; width; width /= 2) {
        const unsigned below = __popc(mask >> at & lowest(width));
        const bool above = rank >= below;
        at += above ? width : 0;
        rank -= above ? below : 0;
    }
    return at;
}
// A bit for each lane -> a bit for each rank.
WB_GROUP unsigned by_rank(unsigned mask, unsigned lanes)
{
    unsigned ranks = 0, rank = 0;
    for (unsigned left = mask; left; left &= left - 1, rank++)
        ranks |= (lanes & left & -left) ? 1u << rank : 0;
    return ranks;
}

// Shuffles of any type that can be copied, a word at a time; by reference as in warps.h.
#define WB_GROUP_SHUFFLE(NAME)                                                                               \
    template <typename T> WB_GROUP T NAME(unsigned mask, const T &value, unsigned by, unsigned width)        \
    {                                                                                                        \
        unsigned words[(sizeof(T) + 3) / 4] = { 0 };                                                         \
        T moved;                                                                                             \
        WB_GROUP_BYTES(words, &value, sizeof value);                                                         \
        _Pragma("unroll") for (unsigned i = 0; i < sizeof words / 4; i++) words[i] =                         \
            __##NAME##_sync(mask, words[i], by, width);                                                      \
        WB_GROUP_BYTES(&moved, words, sizeof moved);                                                         \
        return moved;                                                                                        \
    }
WB_GROUP_SHUFFLE(shfl)
WB_GROUP_SHUFFLE(shfl_up)
WB_GROUP_SHUFFLE(shfl_down)
WB_GROUP_SHUFFLE(shfl_xor)
#undef WB_GROUP_SHUFFLE

// Copies of a value, as integers that match_any and match_all know.
template <typename T> WB_GROUP unsigned long long bits_of(T value)
{
    static_assert(sizeof(T) <= 8, "match_any and match_all compare up to 8 bytes.");
    unsigned long long bits = 0;
    WB_GROUP_BYTES(&bits, &value, sizeof value);
    return bits;
}
template <typename T> WB_GROUP unsigned match_any(unsigned mask, T value)
{
    return sizeof(T) > 4 ? __match_any_sync(mask, bits_of(value))
                         : __match_any_sync(mask, (unsigned)bits_of(value));
}
template <typename T> WB_GROUP unsigned match_all(unsigned mask, T value, int *all)
{
    return sizeof(T) > 4 ? __match_all_sync(mask, bits_of(value), all)
                         : __match_all_sync(mask, (unsigned)bits_of(value), all);
}

} // namespace wb

// ---- the block ----------------------------------------------------------------------------------

class thread_block
{
  public:
    struct arrival_token {
    };

    static WB_GROUP void sync()
    {
        __syncthreads();
    }
    WB_GROUP arrival_token barrier_arrive() const
    {
        return arrival_token();
    }
    WB_GROUP void barrier_wait(arrival_token &&) const
    {
        __syncthreads();
    }
    static WB_GROUP unsigned thread_rank()
    {
        return wb::thread_in_block();
    }
    static WB_GROUP unsigned num_threads()
    {
        return wb::threads_of_block();
    }
    static WB_GROUP unsigned size()
    {
        return num_threads();
    }
    static WB_GROUP dim3 group_index()
    {
        return dim3(blockIdx.x, blockIdx.y, blockIdx.z);
    }
    static WB_GROUP dim3 thread_index()
    {
        return dim3(threadIdx.x, threadIdx.y, threadIdx.z);
    }
    static WB_GROUP dim3 dim_threads()
    {
        return dim3(blockDim.x, blockDim.y, blockDim.z);
    }
    static WB_GROUP dim3 group_dim()
    {
        return dim_threads();
    }
};

WB_GROUP thread_block this_thread_block()
{
    return thread_block();
}

// ---- lanes that a mask names ------------------------------------------------------------------------

class coalesced_group
{
    unsigned lanes, part, parts;

  public:
    // `part` of the `parts` that another group was divided into.
    WB_GROUP coalesced_group(unsigned lanes, unsigned part, unsigned parts)
        : lanes(lanes), part(part), parts(parts)
    {
    }
    WB_GROUP unsigned wb_lanes() const
    {
        return lanes;
    }
    WB_GROUP void sync() const
    {
        __syncwarp(lanes);
    }
    WB_GROUP unsigned num_threads() const
    {
        return __popc(lanes);
    }
    WB_GROUP unsigned size() const
    {
        return num_threads();
    }
    WB_GROUP unsigned thread_rank() const
    {
        return wb::rank_in(lanes);
    }
    WB_GROUP unsigned meta_group_rank() const
    {
        return part;
    }
    WB_GROUP unsigned meta_group_size() const
    {
        return parts;
    }
    template <typename T> WB_GROUP T shfl(const T &value, unsigned rank) const
    {
        return wb::shfl(lanes, value, wb::lane_of(lanes, rank), 32);
    }
    // Up and down: a thread beyond whose end the source lies keeps its value.
    template <typename T> WB_GROUP T shfl_up(const T &value, unsigned by) const
    {
        const unsigned rank = thread_rank();
        return shfl(value, rank >= by ? rank - by : rank);
    }
    template <typename T> WB_GROUP T shfl_down(const T &value, unsigned by) const
    {
        const unsigned rank = thread_rank();
        return shfl(value, rank + by < num_threads() ? rank + by : rank);
    }
    WB_GROUP int any(int predicate) const
    {
        return __any_sync(lanes, predicate);
    }
    WB_GROUP int all(int predicate) const
    {
        return __all_sync(lanes, predicate);
    }
    WB_GROUP unsigned ballot(int predicate) const
    {
        return wb::by_rank(lanes, __ballot_sync(lanes, predicate));
    }
    template <typename T> WB_GROUP unsigned match_any(T value) const
    {
        return wb::by_rank(lanes, wb::match_any(lanes, value));
    }
    template <typename T> WB_GROUP unsigned match_all(T value, int &all) const
    {
        return wb::by_rank(lanes, wb::match_all(lanes, value, &all));
    }
};

WB_GROUP coalesced_group coalesced_threads()
{
    return coalesced_group(__activemask(), 0, 1);
}

// ---- tiles: neighbours in a warp --------------------------------------------------------------------

template <unsigned SIZE, typename PARENT = void> class thread_block_tile;

template <unsigned SIZE> class thread_block_tile<SIZE, void>
{
    static_assert(SIZE == 1 || SIZE == 2 || SIZE == 4 || SIZE == 8 || SIZE == 16 || SIZE == 32,
                  "Without a CUDA Toolkit, a tile has 1, 2, 4, 8, 16 or 32 threads.");
    unsigned part, parts;

  public:
    WB_GROUP thread_block_tile(unsigned part = 0, unsigned parts = 1) : part(part), parts(parts)
    {
    }
    static WB_GROUP unsigned wb_lanes()
    {
        return wb::lowest(SIZE) << (wb::lane() & ~(SIZE - 1));
    }
    static WB_GROUP void sync()
    {
        __syncwarp(wb_lanes());
    }
    static WB_GROUP constexpr unsigned num_threads()
    {
        return SIZE;
    }
    static WB_GROUP constexpr unsigned size()
    {
        return SIZE;
    }
    static WB_GROUP unsigned thread_rank()
    {
        return wb::thread_in_block() & (SIZE - 1);
    }
    WB_GROUP unsigned meta_group_rank() const
    {
        return part;
    }
    WB_GROUP unsigned meta_group_size() const
    {
        return parts;
    }
    template <typename T> WB_GROUP T shfl(const T &value, unsigned rank) const
    {
        return wb::shfl(wb_lanes(), value, rank, SIZE);
    }
    template <typename T> WB_GROUP T shfl_up(const T &value, unsigned by) const
    {
        return wb::shfl_up(wb_lanes(), value, by, SIZE);
    }
    template <typename T> WB_GROUP T shfl_down(const T &value, unsigned by) const
    {
        return wb::shfl_down(wb_lanes(), value, by, SIZE);
    }
    template <typename T> WB_GROUP T shfl_xor(const T &value, unsigned with) const
    {
        return wb::shfl_xor(wb_lanes(), value, with, SIZE);
    }
    WB_GROUP int any(int predicate) const
    {
        return __any_sync(wb_lanes(), predicate);
    }
    WB_GROUP int all(int predicate) const
    {
        return __all_sync(wb_lanes(), predicate);
    }
    WB_GROUP unsigned ballot(int predicate) const
    {
        return wb_from_first(__ballot_sync(wb_lanes(), predicate));
    }
    template <typename T> WB_GROUP unsigned match_any(T value) const
    {
        return wb_from_first(wb::match_any(wb_lanes(), value));
    }
    template <typename T> WB_GROUP unsigned match_all(T value, int &all) const
    {
        return wb_from_first(wb::match_all(wb_lanes(), value, &all));
    }

  private:
    static WB_GROUP unsigned wb_from_first(unsigned lanes) // a bit for each lane -> a bit for each rank
    {
        return lanes >> (wb::lane() & ~(SIZE - 1)) & wb::lowest(SIZE);
    }
};

template <unsigned SIZE, typename PARENT> class thread_block_tile : public thread_block_tile<SIZE, void>
{
  public:
    WB_GROUP explicit thread_block_tile(const PARENT &parent)
        : thread_block_tile<SIZE, void>(parent.thread_rank() / SIZE, (parent.num_threads() + SIZE - 1) / SIZE)
    {
    }
};

WB_GROUP thread_block_tile<1, void> this_thread()
{
    return thread_block_tile<1, void>();
}

template <unsigned SIZE, typename PARENT>
WB_GROUP thread_block_tile<SIZE, PARENT> tiled_partition(const PARENT &parent)
{
    return thread_block_tile<SIZE, PARENT>(parent);
}

// ---- parts of a group that hold the same label ----------------------------------------------------------

namespace wb
{
// The parts are numbered by their first lanes.
template <typename GROUP, typename T> WB_GROUP coalesced_group labeled(const GROUP &group, T label)
{
    const unsigned lanes = match_any(group.wb_lanes(), label);
    const bool first = !(lanes & lowest(lane()));
    const unsigned all_first = __ballot_sync(group.wb_lanes(), first);
    return coalesced_group(lanes, __popc(all_first & lowest(__ffs(lanes) - 1)), __popc(all_first));
}
template <typename GROUP> WB_GROUP coalesced_group binary(const GROUP &group, bool label)
{
    const unsigned all = group.wb_lanes(), yes = __ballot_sync(all, label);
    return coalesced_group(label ? yes : all & ~yes, label, 2);
}
} // namespace wb

template <typename T> WB_GROUP coalesced_group labeled_partition(const coalesced_group &group, T label)
{
    return wb::labeled(group, label);
}
template <unsigned SIZE, typename PARENT, typename T>
WB_GROUP coalesced_group labeled_partition(const thread_block_tile<SIZE, PARENT> &group, T label)
{
    return wb::labeled(group, label);
}
WB_GROUP coalesced_group binary_partition(const coalesced_group &group, bool label)
{
    return wb::binary(group, label);
}
template <unsigned SIZE, typename PARENT>
WB_GROUP coalesced_group binary_partition(const thread_block_tile<SIZE, PARENT> &group, bool label)
{
    return wb::binary(group, label);
}

} // namespace cooperative_groups

#include "cooperative_groups/grid.h"

#endif
