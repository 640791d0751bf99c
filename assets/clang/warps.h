// What the threads of a block and of a warp do together: barriers, votes, shuffles; also clocks and traps.
#pragma clang system_header
#ifndef WARPBOOK_WARPS_H
#define WARPBOOK_WARPS_H

// ---- barriers, fences, clocks -------------------------------------------------------------------

// clang 14 takes its barriers and fences for calls that touch no static variable, so a load of a __shared__ one may
// move across them. An empty asm that may change memory stops it on either side.
WB void wb_keep_order()
{
    asm volatile("" ::: "memory");
}
WB void wb_syncthreads()
{
    wb_keep_order();
    __syncthreads(); // is known to clang
    wb_keep_order();
}
#define __syncthreads wb_syncthreads
WB int __syncthreads_count(int p)
{
    wb_keep_order();
    int result = __nvvm_bar0_popc(p);
    wb_keep_order();
    return result;
}
WB int __syncthreads_and(int p)
{
    wb_keep_order();
    int result = __nvvm_bar0_and(p);
    wb_keep_order();
    return result;
}
WB int __syncthreads_or(int p)
{
    wb_keep_order();
    int result = __nvvm_bar0_or(p);
    wb_keep_order();
    return result;
}
WB void __syncwarp(unsigned mask = 0xffffffff)
{
    wb_keep_order();
    __nvvm_bar_warp_sync(mask);
    wb_keep_order();
}
WB void __threadfence_block()
{
    wb_keep_order();
    __nvvm_membar_cta();
    wb_keep_order();
}
WB void __threadfence()
{
    wb_keep_order();
    __nvvm_membar_gl();
    wb_keep_order();
}
WB void __threadfence_system()
{
    wb_keep_order();
    __nvvm_membar_sys();
    wb_keep_order();
}
WB size_t __cvta_generic_to_shared(const void *address)
{
    return (size_t)(const void __attribute__((address_space(3))) *)address;
}
WB long long clock64()
{
    return __nvvm_read_ptx_sreg_clock64();
}
WB int clock()
{
    return __nvvm_read_ptx_sreg_clock();
}
WB unsigned long long globaltimer()
{
    unsigned long long ns;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns));
    return ns;
}
WB void __nanosleep(unsigned ns)
{
    asm volatile("nanosleep.u32 %0;" ::"r"(ns));
}
WB void __trap()
{
    asm volatile("trap;");
}
WB void __brkpt()
{
    asm volatile("brkpt;");
}

extern "C" __device__ int printf(const char *format, ...);
extern "C" __device__ __attribute__((noreturn)) void
__assertfail(const char *what, const char *file, unsigned line, const char *function, size_t char_size);
#ifdef NDEBUG
#define assert(x) ((void)0)
#else
#define assert(x) ((x) ? (void)0 : __assertfail(#x, __FILE__, __LINE__, __PRETTY_FUNCTION__, 1))
#endif

// ---- memory ---------------------------------------------------------------------------------------

#if !__has_include(<new>) // else clang's own headers have these
extern "C" __device__ void *malloc(size_t bytes);
extern "C" __device__ void free(void *);
extern "C" __host__ __device__ void *memcpy(void *to, const void *from, size_t bytes);
extern "C" __host__ __device__ void *memset(void *to, int byte, size_t bytes);
__device__ inline void *operator new(size_t bytes)
{
    return malloc(bytes);
}
__device__ inline void *operator new[](size_t bytes)
{
    return malloc(bytes);
}
__device__ inline void *operator new(size_t, void *at)
{
    return at;
}
__device__ inline void operator delete(void *at)
{
    free(at);
}
__device__ inline void operator delete[](void *at)
{
    free(at);
}
__device__ inline void operator delete(void *at, size_t)
{
    free(at);
}
__device__ inline void operator delete[](void *at, size_t)
{
    free(at);
}
#endif

// ---- warp functions -----------------------------------------------------------------------------

WB int __all_sync(unsigned mask, int p)
{
    return __nvvm_vote_all_sync(mask, p);
}
WB int __any_sync(unsigned mask, int p)
{
    return __nvvm_vote_any_sync(mask, p);
}
WB int __uni_sync(unsigned mask, int p)
{
    return __nvvm_vote_uni_sync(mask, p);
}
WB unsigned __ballot_sync(unsigned mask, int p)
{
    return __nvvm_vote_ballot_sync(mask, p);
}
WB unsigned __activemask()
{
    unsigned mask;
    asm volatile("activemask.b32 %0;" : "=r"(mask));
    return mask;
}
// clang 14 gives the mask of a match of 64 bits 64 bits itself, which no instruction has.
#define WB_MATCH(T, S, WIDTH, IN)                                                                            \
    WB unsigned __match_any_sync(unsigned mask, T value)                                                     \
    {                                                                                                        \
        unsigned lanes;                                                                                      \
        asm volatile("match.any.sync.b" WIDTH " %0, %1, %2;"                                                 \
                     : "=r"(lanes)                                                                           \
                     : IN(__builtin_bit_cast(S, value)), "r"(mask));                                         \
        return lanes;                                                                                        \
    }                                                                                                        \
    WB unsigned __match_all_sync(unsigned mask, T value, int *all)                                           \
    {                                                                                                        \
        unsigned lanes;                                                                                      \
        asm volatile("{ .reg .pred %%all; match.all.sync.b" WIDTH " %0|%%all, %2, %3;"                       \
                     " selp.s32 %1, 1, 0, %%all; }"                                                          \
                     : "=r"(lanes), "=r"(*all)                                                               \
                     : IN(__builtin_bit_cast(S, value)), "r"(mask));                                         \
        return lanes;                                                                                        \
    }
WB_MATCH(int, unsigned, "32", "r")
WB_MATCH(unsigned, unsigned, "32", "r")
WB_MATCH(float, unsigned, "32", "r")
WB_MATCH(long long, long long, "64", "l")
WB_MATCH(unsigned long long, long long, "64", "l")
WB_MATCH(double, long long, "64", "l")

// Values come by reference: lanes whose value nobody takes may have none (the base that the first lane alone has counted), while
// clang takes it for granted that what is passed by value is defined, in all lanes.
// The last operand holds the width of the groups and how far a lane may reach. A value of 8 bytes goes in halves.
#define WB_SHUFFLE_4(NAME, HOW, REACH, T, SECOND)                                                            \
    WB T NAME(unsigned mask, const T &value, SECOND lane, int width = warpSize)                              \
    {                                                                                                        \
        int moved = __builtin_bit_cast(int, value);                                                          \
        moved = __nvvm_shfl_sync_##HOW##_i32(mask, moved, (int)lane, ((warpSize - width) << 8) | REACH);     \
        return __builtin_bit_cast(T, moved);                                                                 \
    }
#define WB_SHUFFLE_8(NAME, HOW, REACH, T, SECOND)                                                            \
    WB T NAME(unsigned mask, const T &value, SECOND lane, int width = warpSize)                              \
    {                                                                                                        \
        auto bits = __builtin_bit_cast(unsigned long long, value);                                           \
        int low = NAME(mask, (int)bits, lane, width), high = NAME(mask, (int)(bits >> 32), lane, width);     \
        bits = (unsigned long long)(unsigned)high << 32 | (unsigned)low;                                     \
        return __builtin_bit_cast(T, bits);                                                                  \
    }
#define WB_SHUFFLE(NAME, HOW, REACH, SECOND)                                                                 \
    WB_SHUFFLE_4(NAME, HOW, REACH, int, SECOND)                                                              \
    WB_SHUFFLE_4(NAME, HOW, REACH, unsigned, SECOND)                                                         \
    WB_SHUFFLE_4(NAME, HOW, REACH, float, SECOND)                                                            \
    WB_SHUFFLE_8(NAME, HOW, REACH, long, SECOND)                                                             \
    WB_SHUFFLE_8(NAME, HOW, REACH, unsigned long, SECOND)                                                    \
    WB_SHUFFLE_8(NAME, HOW, REACH, long long, SECOND)                                                        \
    WB_SHUFFLE_8(NAME, HOW, REACH, unsigned long long, SECOND)                                               \
    WB_SHUFFLE_8(NAME, HOW, REACH, double, SECOND)
WB_SHUFFLE(__shfl_sync, idx, 0x1f, int)
WB_SHUFFLE(__shfl_up_sync, up, 0, unsigned)
WB_SHUFFLE(__shfl_down_sync, down, 0x1f, unsigned)
WB_SHUFFLE(__shfl_xor_sync, bfly, 0x1f, int)

// One instruction from sm_80 on; here the lanes of the mask are read one after another.
#define WB_REDUCE(NAME, T, EXPRESSION)                                                                       \
    WB T NAME(unsigned mask, T value)                                                                        \
    {                                                                                                        \
        T a = __shfl_sync(mask, value, __builtin_ctz(mask));                                                 \
        for (unsigned rest = mask & (mask - 1); rest; rest &= rest - 1) {                                    \
            T b = __shfl_sync(mask, value, __builtin_ctz(rest));                                             \
            a = EXPRESSION;                                                                                  \
        }                                                                                                    \
        return a;                                                                                            \
    }
WB_REDUCE(__reduce_add_sync, unsigned, a + b)
WB_REDUCE(__reduce_add_sync, int, a + b)
WB_REDUCE(__reduce_min_sync, unsigned, a < b ? a : b)
WB_REDUCE(__reduce_min_sync, int, a < b ? a : b)
WB_REDUCE(__reduce_max_sync, unsigned, a > b ? a : b)
WB_REDUCE(__reduce_max_sync, int, a > b ? a : b)
WB_REDUCE(__reduce_and_sync, unsigned, a &b)
WB_REDUCE(__reduce_or_sync, unsigned, a | b)
WB_REDUCE(__reduce_xor_sync, unsigned, a ^ b)

#endif
