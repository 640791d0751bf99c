// Mathematics.
#pragma clang system_header
#ifndef WARPBOOK_FUNCTIONS_H
#define WARPBOOK_FUNCTIONS_H

// ---- mathematics: exactly rounded where a GPU has the instruction --------------------------------

#define WB_BOTH_TYPES_1(NAME, F, D)                                                                          \
    WB1(float, NAME##f, float, F)                                                                            \
    WB1(double, NAME, double, D)                                                                             \
    WB1(float, NAME, float, F)
#define WB_BOTH_TYPES_2(NAME, F, D)                                                                          \
    WB2(float, NAME##f, float, float, F)                                                                     \
    WB2(double, NAME, double, double, D)                                                                     \
    WB2(float, NAME, float, float, F)
WB_BOTH_TYPES_1(sqrt, __nvvm_sqrt_rn_f(a), __nvvm_sqrt_rn_d(a))
WB_BOTH_TYPES_1(rsqrt, __nvvm_rsqrt_approx_f(a), 1.0 / __nvvm_sqrt_rn_d(a))
WB_BOTH_TYPES_1(fabs, __builtin_fabsf(a), __builtin_fabs(a))
WB_BOTH_TYPES_1(floor, __nvvm_floor_f(a), __nvvm_floor_d(a))
WB_BOTH_TYPES_1(ceil, __nvvm_ceil_f(a), __nvvm_ceil_d(a))
WB_BOTH_TYPES_1(trunc, __nvvm_trunc_f(a), __nvvm_trunc_d(a))
WB_BOTH_TYPES_1(rint, __builtin_rintf(a), __builtin_rint(a))
WB_BOTH_TYPES_1(nearbyint, __builtin_rintf(a), __builtin_rint(a))
WB_BOTH_TYPES_2(fmin, __nvvm_fmin_f(a, b), __nvvm_fmin_d(a, b))
WB_BOTH_TYPES_2(fmax, __nvvm_fmax_f(a, b), __nvvm_fmax_d(a, b))
WB_BOTH_TYPES_2(copysign, __builtin_copysignf(a, b), __builtin_copysign(a, b))
WB_BOTH_TYPES_2(fdim, a > b ? a - b : a <= b ? 0.0f : NAN, a > b ? a - b : a <= b ? 0.0 : (double)NAN)
WB3(float, fmaf, float, float, float, __nvvm_fma_rn_f(a, b, c))
WB3(double, fma, double, double, double, __nvvm_fma_rn_d(a, b, c))
WB3(float, fma, float, float, float, __nvvm_fma_rn_f(a, b, c))
WB1(float, abs, float, __builtin_fabsf(a))
WB1(double, abs, double, __builtin_fabs(a))
// Halves away from zero, unlike rint.
WB1(float, roundf, float,
    fabsf(a) < 8388608.0f ? copysignf(truncf(fabsf(a) + (fabsf(a) == 0x1.fffffep-2f ? 0 : 0.5f)), a) : a)
WB1(double, round, double,
    fabs(a) < 0x1p52 ? copysign(trunc(fabs(a) + (fabs(a) == 0x1.fffffffffffffp-2 ? 0 : 0.5)), a) : a)
WB1(float, round, float, roundf(a))
WB1(int, isnan, float, a != a)
WB1(int, isnan, double, a != a)
WB1(int, isinf, float, fabsf(a) == INFINITY)
WB1(int, isinf, double, fabs(a) == INFINITY)
WB1(int, isfinite, float, fabsf(a) < INFINITY)
WB1(int, isfinite, double, fabs(a) < INFINITY)
// Not a number; what it says in its bits is not kept.
WB1(float, nanf, const char *, NAN)
WB1(double, nan, const char *, (double)NAN)

// ---- mathematics: approximations in float -------------------------------------------------------

// What the special function unit gives.
WB1(float, __saturatef, float, __nvvm_fmin_f(__nvvm_fmax_f(a, 0.0f), 1.0f))
WB2(float, __fdividef, float, float, __nvvm_div_approx_f(a, b))
WB2(float, fdividef, float, float, a / b)
WB2(double, fdivide, double, double, a / b)
WB2(float, fdivide, float, float, a / b)
WB1(float, __frsqrt_rn, float, 1.0f / __nvvm_sqrt_rn_f(a))
WB1(float, __sinf, float, __nvvm_sin_approx_f(a))
WB1(float, __cosf, float, __nvvm_cos_approx_f(a))
WB1(float, __tanf, float, __nvvm_div_approx_f(__sinf(a), __cosf(a)))
WB float __tanhf(float a)
{
    float value;
    asm("tanh.approx.f32 %0, %1;" : "=f"(value) : "f"(a));
    return value;
}
WB1(float, __log2f, float, __nvvm_lg2_approx_f(a))
WB1(float, __logf, float, __nvvm_lg2_approx_f(a) * 0.693147181f)
WB1(float, __log10f, float, __nvvm_lg2_approx_f(a) * 0.301029996f)
WB1(float, __expf, float, __nvvm_ex2_approx_f(a * 1.442695041f))
WB1(float, __exp10f, float, __nvvm_ex2_approx_f(a * 3.321928095f))
WB2(float, __powf, float, float, __nvvm_ex2_approx_f(b *__nvvm_lg2_approx_f(a)))
WB void __sincosf(float a, float *sine, float *cosine)
{
    *sine = __sinf(a);
    *cosine = __cosf(a);
}

// NVIDIA's library is more exact than these; each says its error. Doubles are in doubles.h.
WB1(float, exp2f, float, __nvvm_ex2_approx_f(a)) // 2 ulp
WB float expf(float a)                           // 3 ulp: the exponent's error is taken out before ex2
{
    float near = a < -110.0f ? -110.0f : a > 90.0f ? 90.0f : a; // beyond, the result is 0 or infinity
    float whole = rintf(near * 1.442695041f);
    float rest = fmaf(whole, 1.90465421e-9f, fmaf(whole, -0.693147182f, near));
    return __nvvm_ex2_approx_f(whole) * __nvvm_ex2_approx_f(rest * 1.442695041f);
}
// The logarithm of the mantissa, from 1 / sqrt 2 to sqrt 2; the instruction's is no good near 1.
WB float wb_ln(float a, float *exponent)
{
    const bool small = a < 0x1p-126f;
    const int bits = __float_as_int(small ? a * 0x1p23f : a), whole = (bits - 0x3f3504f3) >> 23;
    const float f = __int_as_float(bits - (whole << 23)) - 1.0f, half = 0.5f * f * f, s = f / (2.0f + f),
                z = s * s;
    const float series = z * fmaf(z, fmaf(z, fmaf(z, 0.222222222f, 0.285714286f), 0.4f), 0.666666667f);
    *exponent = (float)(small ? whole - 23 : whole);
    return f - (half - s * (half + series));
}
WB float wb_ln_outside(float a, float inside) // 0, what is negative, infinite or no number
{
    return a > 0.0f && a < INFINITY ? inside : a == 0.0f ? -INFINITY : a < 0.0f ? NAN : a;
}
WB float logf(float a) // 1 ulp
{
    float exponent;
    const float ln = wb_ln(a, &exponent);
    return wb_ln_outside(a, fmaf(exponent, 0x1.62ep-1f, fmaf(exponent, 3.19461850e-5f, ln)));
}
// To another base, whose factor has two parts: 2 ulp.
WB float log2f(float a)
{
    float exponent;
    const float ln = wb_ln(a, &exponent), high = ln * 1.44269502f;
    return wb_ln_outside(a, exponent + (high + fmaf(ln, 1.92596303e-8f, fmaf(ln, 1.44269502f, -high))));
}
WB float log10f(float a)
{
    float exponent;
    const float ln = wb_ln(a, &exponent), high = ln * 0.434294492f;
    const float low = fmaf(ln, -1.01030501e-8f, fmaf(ln, 0.434294492f, -high));
    return wb_ln_outside(a, fmaf(exponent, 0x1.344p-2f, high) + fmaf(exponent, 4.60503898e-6f, low));
}
WB float wb_far_turn(float a, int *quarter); // in doubles.h
// An angle is brought to -pi/4 … pi/4 with pi/2 in three parts: 3 ulp.
WB float wb_turn(float a, int *quarter)
{
    if (!(fabsf(a) < 10000.0f))
        return wb_far_turn(a, quarter);
    float turns = rintf(a * 0.636619772f);
    *quarter = (int)turns;
    return fmaf(turns, 1.71512451e-15f, fmaf(turns, 4.37113883e-8f, fmaf(turns, -1.57079637f, a)));
}
WB float wb_sine(float r)
{
    float s = r * r;
    return fmaf(r * s, fmaf(s, fmaf(s, -1.95181460e-4f, 8.33218648e-3f), -1.66666551e-1f), r);
}
WB float wb_cosine(float r)
{
    float s = r * r;
    return fmaf(s * s, fmaf(s, fmaf(s, 2.44328446e-5f, -1.38873128e-3f), 4.16666456e-2f),
                fmaf(s, -0.5f, 1.0f));
}
WB float sinf(float a)
{
    int quarter;
    float r = wb_turn(a, &quarter), value = quarter & 1 ? wb_cosine(r) : wb_sine(r);
    return quarter & 2 ? -value : value;
}
WB float cosf(float a)
{
    int quarter;
    float r = wb_turn(a, &quarter), value = quarter & 1 ? wb_sine(r) : wb_cosine(r);
    return (quarter + 1) & 2 ? -value : value;
}
WB1(float, tanf, float, sinf(a) / cosf(a))
WB void sincosf(float a, float *sine, float *cosine)
{
    *sine = sinf(a);
    *cosine = cosf(a);
}
WB float tanhf(float a) // 1e-6 of the result
{
    float s = a * a, e = expf(-2.0f * fabsf(a));
    float series = a * fmaf(s, fmaf(s, fmaf(s, -5.39682540e-2f, 0.133333333f), -0.333333333f), 1.0f);
    return fabsf(a) < 0.2f ? series : copysignf((1.0f - e) / (1.0f + e), a);
}
// The arc of a tangent from 0 to 1, and those that come from it: 2e-7 of the result.
WB float wb_arc(float a)
{
    const float series[] = { 1.04876493e-2f,  -3.03518648e-2f, 5.70895560e-2f,
                             -8.34972497e-2f, 0.109323415f,    -0.142600161f,
                             0.199980753f,    -0.333332763f,   1.0f };
    float s = a * a, value = -1.70117007e-3f;
    for (float term : series)
        value = fmaf(value, s, term);
    return a * value;
}
WB float atan2f(float a, float b)
{
    float y = fabsf(a), x = fabsf(b), most = fmaxf(x, y), least = fminf(x, y);
    float arc = most == 0.0f ? 0.0f : wb_arc(least == most ? 1.0f : least / most);
    arc = y > x ? 1.57079633f - arc : arc;
    arc = copysignf(1.0f, b) < 0.0f ? 3.14159265f - arc : arc;
    return a != a || b != b ? a + b : copysignf(arc, a);
}
WB float hypotf(float a, float b)
{
    float most = fmaxf(fabsf(a), fabsf(b)), part = fminf(fabsf(a), fabsf(b)) / most;
    float length = a != a || b != b ? a + b : most * sqrtf(fmaf(part, part, 1.0f));
    return most == INFINITY || (most == 0.0f && a == a && b == b) ? most : length;
}
WB1(float, atanf, float, atan2f(a, 1.0f))
WB1(float, asinf, float, atan2f(a, sqrtf((1.0f - a) * (1.0f + a))))
WB1(float, acosf, float, atan2f(sqrtf((1.0f - a) * (1.0f + a)), a))
WB1(float, exp, float, expf(a))
WB1(float, exp2, float, exp2f(a))
WB1(float, log, float, logf(a))
WB1(float, log2, float, log2f(a))
WB1(float, log10, float, log10f(a))
WB1(float, sin, float, sinf(a))
WB1(float, cos, float, cosf(a))
WB1(float, tan, float, tanf(a))
WB1(float, tanh, float, tanhf(a))
WB1(float, atan, float, atanf(a))
WB1(float, asin, float, asinf(a))
WB1(float, acos, float, acosf(a))
WB2(float, atan2, float, float, atan2f(a, b))
WB2(float, hypot, float, float, hypotf(a, b))

#endif
