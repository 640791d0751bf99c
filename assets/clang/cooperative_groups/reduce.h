// cooperative_groups::reduce: the values of a group within a warp, combined in the order of NVIDIA's own header.
#pragma clang system_header
#ifndef WARPBOOK_COOPERATIVE_GROUPS_REDUCE_H
#define WARPBOOK_COOPERATIVE_GROUPS_REDUCE_H

#include "scan.h"

namespace cooperative_groups
{

// With halves, quarters and so on of the tile: all threads get the result.
template <unsigned SIZE, typename PARENT, typename T, typename OP>
WB_GROUP T reduce(const thread_block_tile<SIZE, PARENT> &group, T value, OP op)
{
#pragma unroll
    for (unsigned with = SIZE / 2; with; with /= 2)
        value = op(value, group.shfl_xor(value, with));
    return value;
}

// A whole warp is a tile; of others, the last thread's scan is the result.
template <typename T, typename OP>
WB_GROUP T reduce(const coalesced_group &group, T value, OP op)
{
    return group.num_threads() == 32 ? reduce(thread_block_tile<32, void>(), value, op)
                                     : group.shfl(inclusive_scan(group, value, op), group.num_threads() - 1);
}

} // namespace cooperative_groups

#endif
