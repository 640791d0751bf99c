// What cuda_fp16.h and cuda_bf16.h have in common.
#pragma clang system_header
#ifndef WARPBOOK_NARROW_H
#define WARPBOOK_NARROW_H

// Without debug information: their instructions then belong to the line that calls them.
#ifdef __clang__
#define WB_NARROW_MEMBER __attribute__((always_inline, nodebug, device))
#define WB_NARROW_BOTH                                                                                       \
    __attribute__((always_inline, nodebug, host, device)) // of the host of a whole program, too
#else
#define WB_NARROW_MEMBER __device__ __forceinline__
#define WB_NARROW_BOTH WB_NARROW_MEMBER
#endif
#define WB_NARROW static inline WB_NARROW_MEMBER

// Aligned so that one load or store moves both.
#define WB_NARROW_PAIR(T, T2)                                                                                \
    struct __align__(4) T2                                                                                   \
    {                                                                                                        \
        T x, y;                                                                                              \
        T2() = default;                                                                                      \
        WB_NARROW_BOTH T2(T low, T high) : x(low), y(high)                                                   \
        {                                                                                                    \
        }                                                                                                    \
    };

#define WB_NARROW_OPERATOR(T, T2, SIGN, NAME)                                                                \
    WB_NARROW T operator SIGN(T a, T b)                                                                      \
    {                                                                                                        \
        return NAME(a, b);                                                                                   \
    }                                                                                                        \
    WB_NARROW T &operator SIGN##=(T &a, T b)                                                                 \
    {                                                                                                        \
        return a = NAME(a, b);                                                                               \
    }                                                                                                        \
    WB_NARROW T2 operator SIGN(T2 a, T2 b)                                                                   \
    {                                                                                                        \
        return NAME##2(a, b);                                                                                \
    }
#define WB_NARROW_COMPARE(T, SIGN, NAME)                                                                     \
    WB_NARROW bool operator SIGN(T a, T b)                                                                   \
    {                                                                                                        \
        return (float)a SIGN(float) b;                                                                       \
    }                                                                                                        \
    WB_NARROW bool NAME(T a, T b)                                                                            \
    {                                                                                                        \
        return a SIGN b;                                                                                     \
    }
#define WB_NARROW_OPERATORS(T, T2)                                                                           \
    WB_NARROW_OPERATOR(T, T2, +, __hadd)                                                                     \
    WB_NARROW_OPERATOR(T, T2, -, __hsub)                                                                     \
    WB_NARROW_OPERATOR(T, T2, *, __hmul)                                                                     \
    WB_NARROW_COMPARE(T, <, __hlt)                                                                           \
    WB_NARROW_COMPARE(T, <=, __hle)                                                                          \
    WB_NARROW_COMPARE(T, >, __hgt)                                                                           \
    WB_NARROW_COMPARE(T, >=, __hge)                                                                          \
    WB_NARROW_COMPARE(T, ==, __heq)                                                                          \
    WB_NARROW_COMPARE(T, !=, __hne)                                                                          \
    WB_NARROW T operator/(T a, T b)                                                                          \
    {                                                                                                        \
        return (float)a / (float)b;                                                                          \
    }                                                                                                        \
    WB_NARROW T operator-(T a)                                                                               \
    {                                                                                                        \
        return -(float)a;                                                                                    \
    }                                                                                                        \
    WB_NARROW T __hmax(T a, T b)                                                                             \
    {                                                                                                        \
        return a > b || (float)b != (float)b ? a : b;                                                        \
    }                                                                                                        \
    WB_NARROW T __hmin(T a, T b)                                                                             \
    {                                                                                                        \
        return a < b || (float)b != (float)b ? a : b;                                                        \
    }

#endif
