// f16 and bf16 as bits: exact widening to f32, and rounding back by integer arithmetic in any of the four modes.
// Results that f32 cannot hold are rounded to odd (the last bit is sticky) before they are rounded to half, which
// gives what a single rounding would have given.
#ifndef WARPBOOK_SIM_LANES_HALF_H
#define WARPBOOK_SIM_LANES_HALF_H

#include "engine/sim/lanes/lanes.h"

enum { HALF_NAN = 0x7fff };
typedef uint32_t row_f16, row_bf16;

INLINE float f32_of_f16(uint32_t h)
{
    const uint32_t size = (h & 0x7fff) << 13, sign = (h & 0x8000) << 16;
    const uint32_t exponent = size & 0x0f800000;
    const float scaled = f32_of_bits(size + 0x38800000) - f32_of_bits(0x38800000); // subnormal: size * 2^-24
    const uint32_t normal = size + (exponent == 0x0f800000 ? 0x70000000 : 0x38000000);
    return f32_of_bits((exponent ? normal : bits_of_f32(scaled)) | sign);
}
INLINE float f32_of_bf16(uint32_t h)
{
    return f32_of_bits(h << 16);
}

// Rounds off the lowest `drop` bits of `size`, the value without its sign; a carry rightly goes into the exponent.
INLINE uint32_t cut(uint32_t size, uint32_t drop, uint32_t sign, int mode)
{
    const uint32_t kept = size >> drop, ulp = 1u << drop, lost = size & (ulp - 1);
    const uint32_t up = mode == FE_TONEAREST  ? lost > ulp >> 1 || (lost == ulp >> 1 && (kept & 1))
                        : mode == FE_UPWARD   ? lost && !sign
                        : mode == FE_DOWNWARD ? lost && sign
                                              : 0;
    return kept + up;
}
INLINE uint32_t f16_of_f32(float x, int mode)
{
    const uint32_t bits = bits_of_f32(x), size = bits & 0x7fffffff, sign = bits >> 31;
    const int exponent = (int)(size >> 23);
    // A result below 2^-14 is subnormal and loses more bits; one far below leaves only a sticky bit.
    const int deeper = exponent < 113 ? (113 - exponent < 12 ? 113 - exponent : 12) : 0;
    const uint32_t significand = (size & 0x7fffff) | 0x800000;
    const uint32_t tiny = exponent < 101 ? size != 0 : significand;
    const uint32_t subnormal = cut(tiny, 13 + (uint32_t)deeper, sign, mode);
    const uint32_t normal = cut(size - (exponent >= 113 ? 112u << 23 : 0), 13, sign, mode);
    const bool away = mode == FE_TONEAREST || (mode == FE_UPWARD && !sign) || (mode == FE_DOWNWARD && sign);
    uint32_t h = exponent < 113 ? subnormal : normal;
    h = exponent > 142 || h > 0x7c00 ? (away ? 0x7c00 : 0x7bff) : h;
    h = size == 0x7f800000 ? 0x7c00 : h;
    return size > 0x7f800000 ? HALF_NAN : h | sign << 15;
}
INLINE uint32_t bf16_of_f32(float x, int mode)
{
    const uint32_t bits = bits_of_f32(x), size = bits & 0x7fffffff, sign = bits >> 31;
    return size > 0x7f800000 ? HALF_NAN : cut(size, 16, sign, mode) | sign << 15;
}

// Rounds an f64 to f32, to odd.
INLINE float odd_f32(double x)
{
    const float near = (float)x;
    const double gap = fabs(x) - fabs((double)near);
    const uint32_t bits = bits_of_f32(near);
    const uint32_t moved = gap > 0 ? bits + 1 : gap < 0 ? bits - 1 : bits;
    return f32_of_bits(bits & 1 ? bits : moved);
}
// a * b + c rounded to odd; the factors have at most 24 bits, so the product is exact in f64.
INLINE float odd_fma(float a, float b, float c)
{
    const double product = (double)a * b, addend = c, sum = product + addend;
    const double back = sum - product;
    const double rest = (product - (sum - back)) + (addend - back);
    const uint64_t bits = bits_of_f64(sum);
    const bool outward = (rest > 0) == (sum > 0);
    const uint64_t moved = outward ? bits + 1 : bits - 1;
    const bool lost = rest > 0 || rest < 0;
    return odd_f32(f64_of_bits(lost && !(bits & 1) ? moved : bits));
}

#endif
