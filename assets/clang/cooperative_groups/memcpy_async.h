// cooperative_groups::memcpy_async: a group copies from global to shared memory while its threads go on, by cp.async from sm_80
// on. Before that, and where an address or the size is no multiple of 4, each thread loads and stores.
#pragma clang system_header
#ifndef WARPBOOK_COOPERATIVE_GROUPS_MEMCPY_ASYNC_H
#define WARPBOOK_COOPERATIVE_GROUPS_MEMCPY_ASYNC_H

#include "../cooperative_groups.h"

namespace cooperative_groups
{

namespace wb
{

#if __CUDA_ARCH__ >= 800
#define WB_GROUP_COPY(BYTES)                                                                                 \
    asm volatile("cp.async.ca.shared.global [%0], [%1], " BYTES                                              \
                 ";" ::"r"((unsigned)__cvta_generic_to_shared(to)),                                          \
                 "l"(from)                                                                                   \
                 : "memory")
WB_GROUP void copy(uint4 *to, const uint4 *from)
{
    WB_GROUP_COPY("16");
}
WB_GROUP void copy(uint2 *to, const uint2 *from)
{
    WB_GROUP_COPY("8");
}
WB_GROUP void copy(unsigned *to, const unsigned *from)
{
    WB_GROUP_COPY("4");
}
#undef WB_GROUP_COPY
#else
template <typename T> WB_GROUP void copy(T *to, const T *from)
{
    *to = *from;
}
#endif
WB_GROUP void copy(unsigned char *to, const unsigned char *from)
{
    *to = *from;
}

// Element after element, by the threads in turn.
template <typename T, typename GROUP>
WB_GROUP void copy_all(const GROUP &group, void *to, const void *from, size_t bytes)
{
    for (size_t i = group.thread_rank(); i < bytes / sizeof(T); i += group.num_threads())
        copy((T *)to + i, (const T *)from + i);
}

} // namespace wb

template <typename GROUP, typename T>
WB_GROUP void memcpy_async(const GROUP &group, T *to, const T *from, size_t bytes)
{
    const size_t fits = (size_t)to | (size_t)from | bytes;
    if (fits % 16 == 0)
        wb::copy_all<uint4>(group, to, from, bytes);
    else if (fits % 8 == 0)
        wb::copy_all<uint2>(group, to, from, bytes);
    else if (fits % 4 == 0)
        wb::copy_all<unsigned>(group, to, from, bytes);
    else
        wb::copy_all<unsigned char>(group, to, from, bytes);
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}
// By elements: as many as both sides have.
template <typename GROUP, typename T>
WB_GROUP void memcpy_async(const GROUP &group, T *to, size_t to_count, const T *from, size_t from_count)
{
    memcpy_async(group, to, from, (to_count < from_count ? to_count : from_count) * sizeof(T));
}

// Until all but the last so many copies have arrived, those of every thread of the group.
template <unsigned LAST, typename GROUP> WB_GROUP void wait_prior(const GROUP &group)
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_group %0;" ::"n"(LAST) : "memory");
#endif
    group.sync();
}
template <typename GROUP> WB_GROUP void wait(const GROUP &group)
{
    wait_prior<0>(group);
}

} // namespace cooperative_groups

#endif
