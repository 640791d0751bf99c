// Half precision, for compilers that have no Toolkit beside them: conversions, arithmetic and comparisons of __half and
// __half2, by the instructions that every GPU since sm_60 has; the host converts. Not here: transcendental functions.
#pragma clang system_header
#ifndef WARPBOOK_CUDA_FP16_H
#define WARPBOOK_CUDA_FP16_H

#include "narrow.h"

#if defined __clang__ && !defined __CUDA_ARCH__
// On the host, to the nearest, ties to even, as the instructions do.
static inline unsigned short wb_half_bits(double value)
{
    enum { INFINITE = 0x7c00, NO_NUMBER = 0x7fff, DIGITS = 10, BIAS = 15 };
    const double size = __builtin_fabs(value), least_normal = 0x1p-14, most = 65520;
    const int sign = __builtin_signbit(value) ? 0x8000 : 0;
    if (value != value)
        return NO_NUMBER;
    if (size >= most)
        return (unsigned short)(sign | INFINITE);
    if (size < least_normal)
        return (unsigned short)(sign | (int)__builtin_rint(__builtin_ldexp(size, BIAS - 1 + DIGITS)));
    const int exponent = __builtin_ilogb(size);
    const int digits = (int)__builtin_rint(__builtin_ldexp(size, DIGITS - exponent));
    return (unsigned short)(sign | (((exponent + BIAS - 1) << DIGITS) + digits));
}
static inline float wb_half_value(unsigned short bits)
{
    const int exponent = bits >> 10 & 31, digits = bits & 1023;
    const float size = exponent == 31 ? (digits ? __builtin_nanf("") : __builtin_inff())
                       : exponent     ? (float)__builtin_ldexp(1024 + digits, exponent - 25)
                                      : (float)__builtin_ldexp(digits, -24);
    return bits & 0x8000 ? -size : size;
}
#define WB_HALF_FROM(INSTRUCTION, CONSTRAINT, value) bits = wb_half_bits(value)
#else
#define WB_HALF_FROM(INSTRUCTION, CONSTRAINT, value)                                                         \
    asm("cvt.rn.f16." INSTRUCTION " %0, %1;" : "=h"(bits) : CONSTRAINT(value))
#endif

struct __half {
    unsigned short bits;

    __half() = default;
    WB_NARROW_BOTH __half(float f)
    {
        WB_HALF_FROM("f32", "f", f);
    }
    WB_NARROW_BOTH __half(double d)
    {
        WB_HALF_FROM("f64", "d", d);
    }
    WB_NARROW_BOTH __half(int i)
    {
        WB_HALF_FROM("s32", "r", i);
    }
    WB_NARROW_BOTH operator float() const
    {
#if defined __clang__ && !defined __CUDA_ARCH__
        return wb_half_value(bits);
#else
        float f;
        asm("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"(bits));
        return f;
#endif
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

static inline WB_NARROW_BOTH float __half2float(__half h)
{
    return h;
}
static inline WB_NARROW_BOTH __half __float2half(float f)
{
    return f;
}
static inline WB_NARROW_BOTH __half __float2half_rn(float f)
{
    return f;
}
static inline WB_NARROW_BOTH float2 __half22float2(__half2 h)
{
    return { h.x, h.y };
}
static inline WB_NARROW_BOTH float __low2float(__half2 h)
{
    return h.x;
}
static inline WB_NARROW_BOTH float __high2float(__half2 h)
{
    return h.y;
}
static inline WB_NARROW_BOTH __half2 __floats2half2_rn(float x, float y)
{
    return { x, y };
}
WB_NARROW __half2 __float22half2_rn(float2 f)
{
    return { f.x, f.y };
}
static inline WB_NARROW_BOTH __half2 __float2half2_rn(float f)
{
    return { f, f };
}
static inline WB_NARROW_BOTH __half2 __halves2half2(__half x, __half y)
{
    return { x, y };
}
WB_NARROW unsigned short __half_as_ushort(__half h)
{
    return h.bits;
}

#undef WB_HALF
WB_NARROW_MATHEMATICS(__half, __half2)
WB_NARROW_PARTS(__half, __half2, half, half2)
WB_NARROW_SHUFFLES(__half, __half2)

WB_NARROW __half atomicAdd(__half *at, __half value)
{
    __half old;
    asm volatile("atom.add.noftz.f16 %0, [%1], %2;" : "=h"(old.bits) : "l"(at), "h"(value.bits) : "memory");
    return old;
}
// Each part by itself.
WB_NARROW __half2 atomicAdd(__half2 *at, __half2 value)
{
    const unsigned both = value.x.bits | (unsigned)value.y.bits << 16;
    unsigned bits;
    asm volatile("atom.add.noftz.f16x2 %0, [%1], %2;" : "=r"(bits) : "l"(at), "r"(both) : "memory");
    return { __ushort_as_half((unsigned short)bits), __ushort_as_half((unsigned short)(bits >> 16)) };
}

#endif
