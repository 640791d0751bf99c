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

// ---- mathematics: approximations in float -------------------------------------------------------

// What the special function unit gives.
WB1(float, __saturatef, float, __nvvm_fmin_f(__nvvm_fmax_f(a, 0.0f), 1.0f))
WB2(float, __fdividef, float, float, __nvvm_div_approx_f(a, b))
WB1(float, __frsqrt_rn, float, 1.0f / __nvvm_sqrt_rn_f(a))
WB1(float, __sinf, float, __nvvm_sin_approx_f(a))
WB1(float, __cosf, float, __nvvm_cos_approx_f(a))
WB1(float, __tanf, float, __nvvm_div_approx_f(__sinf(a), __cosf(a)))
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
WB float log2f(float a) // 2e-7 of 1 or of the result, whichever is more
{
    return __nvvm_lg2_approx_f(a);
}
WB1(float, logf, float, log2f(a) * 0.693147181f)
WB1(float, log10f, float, log2f(a) * 0.301029996f)
// An angle is brought to -pi/4 … pi/4 with pi/2 in three parts: 3 ulp up to some thousand turns.
WB float wb_turn(float a, int *quarter)
{
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
WB float fmodf(float a, float b) // exact while the quotient is below 2^24
{
    return fmaf(-truncf(a / b), b, a);
}
// The error grows with the exponent of the result: 3e-7 of it for each power of 2.
WB float powf(float a, float b)
{
    float value = exp2f(b * log2f(fabsf(a)));
    bool odd = rintf(b) == b && fabsf(b) < 16777216.0f && ((int)b & 1);
    if (b == 0.0f || a == 1.0f)
        return 1.0f;
    if (a < 0.0f && rintf(b) != b)
        return NAN;
    return a < 0.0f && odd ? -value : value;
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
WB2(float, fmod, float, float, fmodf(a, b))
WB2(float, pow, float, float, powf(a, b))

#endif
