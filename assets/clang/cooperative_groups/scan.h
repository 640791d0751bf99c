// cooperative_groups::inclusive_scan and exclusive_scan, of groups within a warp.
#pragma clang system_header
#ifndef WARPBOOK_COOPERATIVE_GROUPS_SCAN_H
#define WARPBOOK_COOPERATIVE_GROUPS_SCAN_H

#include "operators.h"

namespace cooperative_groups
{

template <typename GROUP, typename T, typename OP>
WB_GROUP T inclusive_scan(const GROUP &group, T value, OP op)
{
    const unsigned rank = group.thread_rank(), all = group.num_threads();
    for (unsigned from = 1; from < all; from *= 2) {
        const T before = group.shfl_up(value, from);
        if (rank >= from)
            value = op(before, value);
    }
    return value;
}
template <typename GROUP, typename T> WB_GROUP T inclusive_scan(const GROUP &group, T value)
{
    return inclusive_scan(group, value, plus<T>());
}

// The first thread gets a zero.
template <typename GROUP, typename T, typename OP>
WB_GROUP T exclusive_scan(const GROUP &group, T value, OP op)
{
    const T before = group.shfl_up(inclusive_scan(group, value, op), 1);
    return group.thread_rank() ? before : T();
}
template <typename GROUP, typename T> WB_GROUP T exclusive_scan(const GROUP &group, T value)
{
    return exclusive_scan(group, value, plus<T>());
}

} // namespace cooperative_groups

#endif
