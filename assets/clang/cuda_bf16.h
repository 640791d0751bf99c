// bfloat16, for compilers that have no Toolkit beside them. Arithmetic is done in float and rounded, as GPUs before sm_80 do
// it; a product that is added (__hfma) is then rounded twice.
#pragma clang system_header
#ifndef WARPBOOK_CUDA_BF16_H
#define WARPBOOK_CUDA_BF16_H

#include "narrow.h"

struct __nv_bfloat16 {
    unsigned short bits;

    __nv_bfloat16() = default;
    WB_NARROW_BOTH __nv_bfloat16(float f)
    {
        unsigned u; // to the nearest, ties to even
        __builtin_memcpy(&u, &f, sizeof u);
        bits = f != f ? 0x7fff : (unsigned short)((u + 0x7fff + (u >> 16 & 1)) >> 16);
    }
    WB_NARROW_BOTH __nv_bfloat16(double d) : __nv_bfloat16((float)d) {}
    WB_NARROW_BOTH __nv_bfloat16(int i) : __nv_bfloat16((float)i) {}
    WB_NARROW_BOTH operator float() const
    {
        const unsigned u = (unsigned)bits << 16;
        float f;
        __builtin_memcpy(&f, &u, sizeof f);
        return f;
    }
};
typedef __nv_bfloat16 nv_bfloat16;

WB_NARROW_PAIR(__nv_bfloat16, __nv_bfloat162)
typedef __nv_bfloat162 nv_bfloat162;

#define WB_BFLOAT(NAME, OPERATION)                                                                           \
    WB_NARROW __nv_bfloat16 NAME(__nv_bfloat16 a, __nv_bfloat16 b)                                           \
    {                                                                                                        \
        return (float)a OPERATION(float) b;                                                                  \
    }                                                                                                        \
    WB_NARROW __nv_bfloat162 NAME##2(__nv_bfloat162 a, __nv_bfloat162 b)                                     \
    {                                                                                                        \
        return { NAME(a.x, b.x), NAME(a.y, b.y) };                                                           \
    }
WB_BFLOAT(__hadd, +)
WB_BFLOAT(__hsub, -)
WB_BFLOAT(__hmul, *)

WB_NARROW __nv_bfloat16 __hfma(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c)
{
    return (float)a * (float)b + (float)c;
}

WB_NARROW_OPERATORS(__nv_bfloat16, __nv_bfloat162)

static inline WB_NARROW_BOTH float __bfloat162float(__nv_bfloat16 h)
{
    return h;
}
static inline WB_NARROW_BOTH __nv_bfloat16 __float2bfloat16(float f)
{
    return f;
}
static inline WB_NARROW_BOTH __nv_bfloat16 __float2bfloat16_rn(float f)
{
    return f;
}
static inline WB_NARROW_BOTH float2 __bfloat1622float2(__nv_bfloat162 h)
{
    return { h.x, h.y };
}
static inline WB_NARROW_BOTH __nv_bfloat162 __floats2bfloat162_rn(float x, float y)
{
    return { x, y };
}
static inline WB_NARROW_BOTH unsigned short __bfloat16_as_ushort(__nv_bfloat16 h)
{
    return h.bits;
}

#undef WB_BFLOAT
WB_NARROW __nv_bfloat162 __hfma2(__nv_bfloat162 a, __nv_bfloat162 b, __nv_bfloat162 c)
{
    return { __hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y) };
}
WB_NARROW_MATHEMATICS(__nv_bfloat16, __nv_bfloat162)
WB_NARROW_PARTS(__nv_bfloat16, __nv_bfloat162, bfloat16, bfloat162)
WB_NARROW_SHUFFLES(__nv_bfloat16, __nv_bfloat162)

static inline WB_NARROW_BOTH float __low2float(__nv_bfloat162 h)
{
    return h.x;
}
static inline WB_NARROW_BOTH float __high2float(__nv_bfloat162 h)
{
    return h.y;
}
static inline WB_NARROW_BOTH __nv_bfloat162 __float2bfloat162_rn(float f)
{
    return { f, f };
}
WB_NARROW __nv_bfloat162 __float22bfloat162_rn(float2 f)
{
    return { f.x, f.y };
}
static inline WB_NARROW_BOTH __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 x, __nv_bfloat16 y)
{
    return { x, y };
}

// GPUs before sm_90 have no such instruction: the word that it is in is compared and swapped, as NVIDIA's header does it.
WB_NARROW __nv_bfloat162 atomicAdd(__nv_bfloat162 *at, __nv_bfloat162 value)
{
    unsigned old = atomicCAS((unsigned *)at, 0u, 0u), seen;
    __nv_bfloat162 before;
    do {
        seen = old;
        before = { __ushort_as_bfloat16((unsigned short)seen), __ushort_as_bfloat16((unsigned short)(seen >> 16)) };
        const __nv_bfloat162 sum = __hadd2(before, value);
        old = atomicCAS((unsigned *)at, seen, sum.x.bits | (unsigned)sum.y.bits << 16);
    } while (old != seen);
    return before;
}
WB_NARROW __nv_bfloat16 atomicAdd(__nv_bfloat16 *at, __nv_bfloat16 value)
{
    const bool high = (unsigned long long)at & 2;
    unsigned *word = (unsigned *)((unsigned long long)at & ~3ull), old = atomicCAS(word, 0u, 0u), seen;
    __nv_bfloat16 before;
    do {
        seen = old;
        before = __ushort_as_bfloat16((unsigned short)(high ? seen >> 16 : seen));
        const unsigned sum = __hadd(before, value).bits;
        old = atomicCAS(word, seen, high ? (seen & 0xffff) | sum << 16 : (seen & 0xffff0000) | sum);
    } while (old != seen);
    return before;
}

#endif
