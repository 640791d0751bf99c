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
#endif
