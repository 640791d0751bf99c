// Half precision, for compilers that have no Toolkit beside them: conversions, arithmetic and comparisons of __half and
// __half2, by the instructions that every GPU since sm_60 has. Not here: transcendental functions.
#pragma clang system_header
#ifndef WARPBOOK_CUDA_FP16_H
#define WARPBOOK_CUDA_FP16_H

#include "narrow.h"

struct __half {
    unsigned short bits;

    __half() = default;
    WB_NARROW_MEMBER __half(float f)
    {
        asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(f));
    }
    WB_NARROW_MEMBER __half(double d)
    {
        asm("cvt.rn.f16.f64 %0, %1;" : "=h"(bits) : "d"(d));
    }
    WB_NARROW_MEMBER __half(int i)
    {
        asm("cvt.rn.f16.s32 %0, %1;" : "=h"(bits) : "r"(i));
    }
    WB_NARROW_MEMBER operator float() const
    {
        float f;
        asm("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"(bits));
        return f;
    }
};
typedef __half half;

WB_NARROW_PAIR(__half, __half2)
typedef __half2 half2;

#define WB_HALF(NAME, OPERATION)                                                                             \
    WB_NARROW __half NAME(__half a, __half b)                                                                \
    {                                                                                                        \
        __half r;                                                                                            \
        asm(OPERATION ".f16 %0, %1, %2;" : "=h"(r.bits) : "h"(a.bits), "h"(b.bits));                         \
        return r;                                                                                            \
    }                                                                                                        \
    WB_NARROW __half2 NAME##2(__half2 a, __half2 b)                                                          \
    {                                                                                                        \
        return { NAME(a.x, b.x), NAME(a.y, b.y) };                                                           \
    }
WB_HALF(__hadd, "add.rn")
WB_HALF(__hsub, "sub.rn")
WB_HALF(__hmul, "mul.rn")

WB_NARROW __half __hfma(__half a, __half b, __half c)
{
    __half r;
    asm("fma.rn.f16 %0, %1, %2, %3;" : "=h"(r.bits) : "h"(a.bits), "h"(b.bits), "h"(c.bits));
    return r;
}
WB_NARROW __half2 __hfma2(__half2 a, __half2 b, __half2 c)
{
    return { __hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y) };
}

WB_NARROW_OPERATORS(__half, __half2)

WB_NARROW float __half2float(__half h)
{
    return h;
}
WB_NARROW __half __float2half(float f)
{
    return f;
}
WB_NARROW __half __float2half_rn(float f)
{
    return f;
}
WB_NARROW float2 __half22float2(__half2 h)
{
    return { h.x, h.y };
}
WB_NARROW float __low2float(__half2 h)
{
    return h.x;
}
WB_NARROW float __high2float(__half2 h)
{
    return h.y;
}
WB_NARROW __half2 __floats2half2_rn(float x, float y)
{
    return { x, y };
}
WB_NARROW __half2 __float22half2_rn(float2 f)
{
    return { f.x, f.y };
}
WB_NARROW __half2 __float2half2_rn(float f)
{
    return { f, f };
}
WB_NARROW __half2 __halves2half2(__half x, __half y)
{
    return { x, y };
}
WB_NARROW unsigned short __half_as_ushort(__half h)
{
    return h.bits;
}

#undef WB_HALF
#endif
