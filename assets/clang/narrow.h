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

// By float, and rounded once more.
#define WB_NARROW_1(T, T2, NAME, VALUE)                                                                      \
    WB_NARROW T NAME(T h)                                                                                    \
    {                                                                                                        \
        const float a = h;                                                                                   \
        return VALUE;                                                                                        \
    }
#define WB_NARROW_1_2(T, T2, NAME, NAME_2, VALUE)                                                            \
    WB_NARROW_1(T, T2, NAME, VALUE)                                                                          \
    WB_NARROW T2 NAME_2(T2 h)                                                                                \
    {                                                                                                        \
        return { NAME(h.x), NAME(h.y) };                                                                     \
    }
#define WB_NARROW_2_2(T, T2, NAME, NAME_2, VALUE)                                                            \
    WB_NARROW T NAME(T h, T other)                                                                           \
    {                                                                                                        \
        const float a = h, b = other;                                                                        \
        return VALUE;                                                                                        \
    }                                                                                                        \
    WB_NARROW T2 NAME_2(T2 h, T2 other)                                                                      \
    {                                                                                                        \
        return { NAME(h.x, other.x), NAME(h.y, other.y) };                                                   \
    }
// Of both parts: 1 or 0 in each, and whether it is so for both.
#define WB_NARROW_COMPARE_2(T, T2, NAME)                                                                     \
    WB_NARROW T2 NAME##2(T2 a, T2 b)                                                                         \
    {                                                                                                        \
        return { T((float)NAME(a.x, b.x)), T((float)NAME(a.y, b.y)) };                                       \
    }
#define WB_NARROW_BOTH_2(T, T2, NAME, ONE)                                                                   \
    WB_NARROW bool NAME(T2 a, T2 b)                                                                          \
    {                                                                                                        \
        return ONE(a.x, b.x) && ONE(a.y, b.y);                                                               \
    }
#define WB_NARROW_MATHEMATICS(T, T2)                                                                         \
    WB_NARROW_2_2(T, T2, __hdiv, __h2div, a / b)                                                             \
    WB_NARROW_2_2(T, T2, __hadd_sat, __hadd2_sat, fminf(fmaxf(a + b, 0.0f), 1.0f))                           \
    WB_NARROW_2_2(T, T2, __hsub_sat, __hsub2_sat, fminf(fmaxf(a - b, 0.0f), 1.0f))                           \
    WB_NARROW_2_2(T, T2, __hmul_sat, __hmul2_sat, fminf(fmaxf(a *b, 0.0f), 1.0f))                            \
    WB_NARROW_2_2(T, T2, __hadd_rn, __hadd2_rn, __hadd(h, other))                                            \
    WB_NARROW_2_2(T, T2, __hsub_rn, __hsub2_rn, __hsub(h, other))                                            \
    WB_NARROW_2_2(T, T2, __hmul_rn, __hmul2_rn, __hmul(h, other))                                            \
    WB_NARROW_1_2(T, T2, __hneg, __hneg2, -a)                                                                \
    WB_NARROW_1_2(T, T2, __habs, __habs2, fabsf(a))                                                          \
    WB_NARROW_1_2(T, T2, hsqrt, h2sqrt, sqrtf(a))                                                            \
    WB_NARROW_1_2(T, T2, hrsqrt, h2rsqrt, rsqrtf(a))                                                         \
    WB_NARROW_1_2(T, T2, hrcp, h2rcp, 1.0f / a)                                                              \
    WB_NARROW_1_2(T, T2, hexp, h2exp, expf(a))                                                               \
    WB_NARROW_1_2(T, T2, hexp2, h2exp2, exp2f(a))                                                            \
    WB_NARROW_1_2(T, T2, hexp10, h2exp10, exp10f(a))                                                         \
    WB_NARROW_1_2(T, T2, hlog, h2log, logf(a))                                                               \
    WB_NARROW_1_2(T, T2, hlog2, h2log2, log2f(a))                                                            \
    WB_NARROW_1_2(T, T2, hlog10, h2log10, log10f(a))                                                         \
    WB_NARROW_1_2(T, T2, hsin, h2sin, sinf(a))                                                               \
    WB_NARROW_1_2(T, T2, hcos, h2cos, cosf(a))                                                               \
    WB_NARROW_1_2(T, T2, htanh, h2tanh, tanhf(a))                                                            \
    WB_NARROW_1_2(T, T2, hfloor, h2floor, floorf(a))                                                         \
    WB_NARROW_1_2(T, T2, hceil, h2ceil, ceilf(a))                                                            \
    WB_NARROW_1_2(T, T2, htrunc, h2trunc, truncf(a))                                                         \
    WB_NARROW_1_2(T, T2, hrint, h2rint, rintf(a))                                                            \
    WB_NARROW T2 __hmax2(T2 a, T2 b)                                                                         \
    {                                                                                                        \
        return { __hmax(a.x, b.x), __hmax(a.y, b.y) };                                                       \
    }                                                                                                        \
    WB_NARROW T2 __hmin2(T2 a, T2 b)                                                                         \
    {                                                                                                        \
        return { __hmin(a.x, b.x), __hmin(a.y, b.y) };                                                       \
    }                                                                                                        \
    WB_NARROW T __hfma_sat(T a, T b, T c)                                                                    \
    {                                                                                                        \
        return fminf(fmaxf((float)__hfma(a, b, c), 0.0f), 1.0f);                                             \
    }                                                                                                        \
    WB_NARROW T __hfma_relu(T a, T b, T c)                                                                   \
    {                                                                                                        \
        return fmaxf((float)__hfma(a, b, c), 0.0f);                                                          \
    }                                                                                                        \
    WB_NARROW bool __hisnan(T a)                                                                             \
    {                                                                                                        \
        return (float)a != (float)a;                                                                         \
    }                                                                                                        \
    WB_NARROW int __hisinf(T a)                                                                              \
    {                                                                                                        \
        return fabsf((float)a) <= 3.4028235e38f || __hisnan(a) ? 0 : (float)a < 0 ? -1 : 1;                  \
    }                                                                                                        \
    WB_NARROW_COMPARE_2(T, T2, __heq)                                                                        \
    WB_NARROW_COMPARE_2(T, T2, __hne)                                                                        \
    WB_NARROW_COMPARE_2(T, T2, __hlt)                                                                        \
    WB_NARROW_COMPARE_2(T, T2, __hle)                                                                        \
    WB_NARROW_COMPARE_2(T, T2, __hgt)                                                                        \
    WB_NARROW_COMPARE_2(T, T2, __hge)                                                                        \
    WB_NARROW_BOTH_2(T, T2, __hbeq2, __heq)                                                                  \
    WB_NARROW_BOTH_2(T, T2, __hbne2, __hne)                                                                  \
    WB_NARROW_BOTH_2(T, T2, __hblt2, __hlt)                                                                  \
    WB_NARROW_BOTH_2(T, T2, __hble2, __hle)                                                                  \
    WB_NARROW_BOTH_2(T, T2, __hbgt2, __hgt)                                                                  \
    WB_NARROW_BOTH_2(T, T2, __hbge2, __hge)                                                                  \
    WB_NARROW T2 operator/(T2 a, T2 b)                                                                       \
    {                                                                                                        \
        return __h2div(a, b);                                                                                \
    }                                                                                                        \
    WB_NARROW T2 operator-(T2 a)                                                                             \
    {                                                                                                        \
        return __hneg2(a);                                                                                   \
    }                                                                                                        \
    WB_NARROW T2 &operator+=(T2 &a, T2 b)                                                                    \
    {                                                                                                        \
        return a = __hadd2(a, b);                                                                            \
    }                                                                                                        \
    WB_NARROW T2 &operator*=(T2 &a, T2 b)                                                                    \
    {                                                                                                        \
        return a = __hmul2(a, b);                                                                            \
    }                                                                                                        \
    WB_NARROW T &operator/=(T &a, T b)                                                                       \
    {                                                                                                        \
        return a = a / b;                                                                                    \
    }
// Parts of pairs, bits, and whole numbers. N, N2: what T and T2 are called in names: half and half2.
#define WB_NARROW_PARTS(T, T2, N, N2)                                                                        \
    static inline WB_NARROW_BOTH T __low2##N(T2 h)                                                           \
    {                                                                                                        \
        return h.x;                                                                                          \
    }                                                                                                        \
    static inline WB_NARROW_BOTH T __high2##N(T2 h)                                                          \
    {                                                                                                        \
        return h.y;                                                                                          \
    }                                                                                                        \
    WB_NARROW T2 __low2##N2(T2 h)                                                                            \
    {                                                                                                        \
        return { h.x, h.x };                                                                                 \
    }                                                                                                        \
    WB_NARROW T2 __high2##N2(T2 h)                                                                           \
    {                                                                                                        \
        return { h.y, h.y };                                                                                 \
    }                                                                                                        \
    WB_NARROW T2 __lows2##N2(T2 a, T2 b)                                                                     \
    {                                                                                                        \
        return { a.x, b.x };                                                                                 \
    }                                                                                                        \
    WB_NARROW T2 __highs2##N2(T2 a, T2 b)                                                                    \
    {                                                                                                        \
        return { a.y, b.y };                                                                                 \
    }                                                                                                        \
    WB_NARROW T2 __lowhigh2highlow(T2 h)                                                                     \
    {                                                                                                        \
        return { h.y, h.x };                                                                                 \
    }                                                                                                        \
    static inline WB_NARROW_BOTH T2 __##N##2##N2(T h)                                                        \
    {                                                                                                        \
        return { h, h };                                                                                     \
    }                                                                                                        \
    static inline WB_NARROW_BOTH T __ushort_as_##N(unsigned short bits)                                      \
    {                                                                                                        \
        T h;                                                                                                 \
        h.bits = bits;                                                                                       \
        return h;                                                                                            \
    }                                                                                                        \
    static inline WB_NARROW_BOTH T __short_as_##N(short bits)                                                \
    {                                                                                                        \
        return __ushort_as_##N((unsigned short)bits);                                                        \
    }                                                                                                        \
    static inline WB_NARROW_BOTH short __##N##_as_short(T h)                                                 \
    {                                                                                                        \
        return (short)h.bits;                                                                                \
    }                                                                                                        \
    static inline WB_NARROW_BOTH T __int2##N##_rn(int i)                                                     \
    {                                                                                                        \
        return T(i);                                                                                         \
    }                                                                                                        \
    static inline WB_NARROW_BOTH T __double2##N(double d)                                                    \
    {                                                                                                        \
        return T(d);                                                                                         \
    }                                                                                                        \
    WB_NARROW T __uint2##N##_rn(unsigned i)                                                                  \
    {                                                                                                        \
        return T((double)i);                                                                                 \
    }                                                                                                        \
    WB_NARROW int __##N##2int_rn(T h)                                                                        \
    {                                                                                                        \
        return __float2int_rn(h);                                                                            \
    }                                                                                                        \
    WB_NARROW int __##N##2int_rz(T h)                                                                        \
    {                                                                                                        \
        return __float2int_rz(h);                                                                            \
    }                                                                                                        \
    WB_NARROW int __##N##2int_ru(T h)                                                                        \
    {                                                                                                        \
        return __float2int_ru(h);                                                                            \
    }                                                                                                        \
    WB_NARROW int __##N##2int_rd(T h)                                                                        \
    {                                                                                                        \
        return __float2int_rd(h);                                                                            \
    }                                                                                                        \
    WB_NARROW unsigned __##N##2uint_rn(T h)                                                                  \
    {                                                                                                        \
        return __float2uint_rn(h);                                                                           \
    }                                                                                                        \
    WB_NARROW unsigned __##N##2uint_rz(T h)                                                                  \
    {                                                                                                        \
        return __float2uint_rz(h);                                                                           \
    }                                                                                                        \
    WB_NARROW T2 make_##N2(T x, T y)                                                                         \
    {                                                                                                        \
        return { x, y };                                                                                     \
    }

#define WB_NARROW_SHUFFLE(T, T2, NAME, WHICH)                                                                \
    WB_NARROW T NAME(unsigned mask, const T &value, WHICH which, int width = 32)                             \
    {                                                                                                        \
        T moved;                                                                                             \
        moved.bits = (unsigned short)NAME(mask, (unsigned)value.bits, which, width);                         \
        return moved;                                                                                        \
    }                                                                                                        \
    WB_NARROW T2 NAME(unsigned mask, const T2 &value, WHICH which, int width = 32)                           \
    {                                                                                                        \
        T2 moved;                                                                                            \
        const unsigned both = NAME(mask, value.x.bits | (unsigned)value.y.bits << 16, which, width);         \
        moved.x.bits = (unsigned short)both;                                                                 \
        moved.y.bits = (unsigned short)(both >> 16);                                                         \
        return moved;                                                                                        \
    }
#define WB_NARROW_SHUFFLES(T, T2)                                                                            \
    WB_NARROW_SHUFFLE(T, T2, __shfl_sync, int)                                                               \
    WB_NARROW_SHUFFLE(T, T2, __shfl_up_sync, unsigned)                                                       \
    WB_NARROW_SHUFFLE(T, T2, __shfl_down_sync, unsigned)                                                     \
    WB_NARROW_SHUFFLE(T, T2, __shfl_xor_sync, int)

#endif
