// Mathematics in double, which clang has no library for without a Toolkit. Errors are below 5 units in the last place where
// nothing else is said. What float has no version of in functions.h is computed in double and rounded.
#pragma clang system_header
#ifndef WARPBOOK_DOUBLES_H
#define WARPBOOK_DOUBLES_H

// Terms are those of power series or of Chebyshev polynomials, the highest first.
template <int N> WB double wb_series(const double (&terms)[N], double a)
{
    double value = terms[0];
#pragma unroll
    for (int i = 1; i < N; i++)
        value = fma(value, a, terms[i]);
    return value;
}
WB double wb_power(int exponent) // of 2, from -1022 to 1023
{
    return __longlong_as_double((long long)(exponent + 1023) << 52);
}
// Twice from a, so that the result is rounded once: the first factor leaves it among the normal numbers.
WB double ldexp(double a, int exponent)
{
    int left = exponent < -2200 ? -2200 : exponent > 2200 ? 2200 : exponent;
    for (; left > 1000; left -= 1000)
        a *= wb_power(1000);
    if (left < -1000 && fabs(a) < 1) {
        a *= 0x1p110;
        left -= 110;
    }
    for (; left < -1900; left += 900)
        a *= wb_power(-900);
    return left < -1000 ? a * wb_power(left / 2) * wb_power(left - left / 2) : a * wb_power(left);
}
WB double frexp(double a, int *exponent)
{
    *exponent = 0;
    if (a == 0 || !isfinite(a))
        return a;
    const bool small = fabs(a) < 0x1p-1022;
    const long long bits = __double_as_longlong(small ? a * 0x1p54 : a);
    *exponent = (int)(bits >> 52 & 2047) - 1022 - (small ? 54 : 0);
    return __longlong_as_double((bits & ~(2047ll << 52)) | 1022ll << 52);
}
WB2(double, scalbn, double, int, ldexp(a, b))
WB2(double, scalbln, double, long, ldexp(a, b<-9999 ? -9999 : b> 9999 ? 9999 : (int)b))
WB double modf(double a, double *whole)
{
    *whole = trunc(a);
    return copysign(isinf(a) ? 0 : a - *whole, a);
}
WB int ilogb(double a)
{
    int exponent;
    frexp(a, &exponent);
    return a == 0 || a != a ? -2147483647 - 1 : isinf(a) ? 2147483647 : exponent - 1;
}
WB1(double, logb, double, a == 0 ? -(double)INFINITY : isfinite(a) ? (double)ilogb(a) : a * a)
WB1(int, signbit, double, __double_as_longlong(a) < 0)
WB1(int, signbit, float, __float_as_int(a) < 0)

// ---- exponentials and logarithms -----------------------------------------------------------------

// e to r - 1, |r| < 0.35.
WB double wb_exp_less_1(double r)
{
    const double series[] = { 0x1.93974a8c07c9dp-37, 0x1.6124613a86d09p-33, 0x1.1eed8eff8d898p-29,
                              0x1.ae64567f544e4p-26, 0x1.27e4fb7789f5cp-22, 0x1.71de3a556c734p-19,
                              0x1.a01a01a01a01ap-16, 0x1.a01a01a01a01ap-13, 0x1.6c16c16c16c17p-10,
                              0x1.1111111111111p-7,  0x1.5555555555555p-5,  0x1.5555555555555p-3,
                              0x1.0000000000000p-1 };
    return fma(wb_series(series, r) * r, r, r);
}
// 2 to the power `whole`, times e to the power r, whose small part is `more`.
WB double wb_exp(double whole, double r, double more)
{
    const double part = wb_exp_less_1(r), value = 1 + fma(more, 1 + part, part);
    const int half = (int)whole / 2;
    return value * wb_power(half) * wb_power((int)whole - half);
}
WB double exp(double a)
{
    const double near = a < -760 ? -760 : a > 720 ? 720 : a, whole = rint(near * 0x1.71547652b82fep+0);
    const double r = fma(whole, -0x1.62e42fefa39efp-1, near),
                 value = wb_exp(whole, r, whole * -0x1.abc9e3b39803fp-56);
    return a != a ? a : value;
}
WB double exp2(double a)
{
    const double near = a < -1090 ? -1090 : a > 1030 ? 1030 : a, whole = rint(near), part = near - whole;
    const double r = __dmul_rn(part, 0x1.62e42fefa39efp-1);
    const double value = wb_exp(whole, r, fma(part, 0x1.62e42fefa39efp-1, -r) + part * 0x1.abc9e3b39803fp-56);
    return a != a ? a : value;
}
WB double exp10(double a)
{
    const double near = a < -330 ? -330 : a > 310 ? 310 : a, whole = rint(near * 0x1.a934f0979a371p+1);
    const double rest = fma(whole, -0x1.34413509f79ffp-2, near) - whole * -0x1.9dc1da994fd21p-59; // in tens
    const double r = __dmul_rn(rest, 0x1.26bb1bbb55516p+1);
    const double value =
        wb_exp(whole, r, fma(rest, 0x1.26bb1bbb55516p+1, -r) + rest * -0x1.f48ad494ea3e9p-53);
    return a != a ? a : a == rint(a) && a >= 0 && a <= 15 ? rint(value) : value;
}
WB double expm1(double a)
{
    const double near = a < -40 ? -40 : a > 720 ? 720 : a, whole = rint(near * 0x1.71547652b82fep+0);
    const double r = fma(whole, -0x1.62e42fefa39efp-1, near), more = whole * -0x1.abc9e3b39803fp-56;
    if (whole == 0 || a != a)
        return a == 0 || a != a ? a : wb_exp_less_1(r);
    if (whole > 1000)
        return wb_exp(whole, r, more);
    const double scale = wb_power((int)whole);
    const double part = wb_exp_less_1(r);
    return fma(scale, fma(more, 1 + part, part), scale - 1);
}
// The mantissa, from 1 / sqrt 2 to sqrt 2.
WB double wb_mantissa(double a, double *exponent)
{
    int whole;
    double m = frexp(a, &whole);
    if (m < 0x1.6a09e667f3bcdp-1) {
        m *= 2;
        whole--;
    }
    *exponent = whole;
    return m;
}
// ln(1 + f) and `exponent` times ln 2, where 1 + f is such a mantissa; `more` is added.
WB double wb_log(double f, double exponent, double more)
{
    const double series[] = { 0x1.642c8590b2164p-4, 0x1.8618618618618p-4, 0x1.af286bca1af28p-4,
                              0x1.e1e1e1e1e1e1ep-4, 0x1.1111111111111p-3, 0x1.3b13b13b13b14p-3,
                              0x1.745d1745d1746p-3, 0x1.c71c71c71c71cp-3, 0x1.2492492492492p-2,
                              0x1.999999999999ap-2, 0x1.5555555555555p-1 };
    const double s = f / (2 + f), square = s * s, half = 0.5 * f * f;
    const double rest = s * (half + square * wb_series(series, square));
    return exponent * 0x1.62e42fee00000p-1 -
           ((half - (rest + (exponent * 0x1.a39ef35793c76p-33 + more))) - f);
}
WB double wb_log_outside(double a) // of 0, of what is negative, infinite or no number
{
    return a == 0 ? -(double)INFINITY : a < 0 ? (double)NAN : a;
}
WB double log(double a)
{
    double exponent;
    const double m = wb_mantissa(a, &exponent);
    return a > 0 && isfinite(a) ? wb_log(m - 1, exponent, 0) : wb_log_outside(a);
}
WB double log1p(double a)
{
    double exponent;
    const double sum = 1 + a, lost = sum < 2 ? a - (sum - 1) : 1 - (sum - a), m = wb_mantissa(sum, &exponent);
    if (!(sum > 0) || !isfinite(sum) || a == 0)
        return a == 0 ? a : wb_log_outside(sum);
    return wb_log(exponent == 0 ? a : m - 1, exponent, exponent == 0 ? 0 : lost / sum);
}
WB double log2(double a)
{
    double exponent;
    const double part = log(wb_mantissa(a, &exponent)), high = __dmul_rn(part, 0x1.71547652b82fep+0);
    const double low = fma(part, 0x1.71547652b82fep+0, -high) + part * 0x1.777d0ffda0d24p-56;
    return a > 0 && isfinite(a) ? exponent + (high + low) : wb_log_outside(a);
}
WB double log10(double a)
{
    const double ln = log(a), high = __dmul_rn(ln, 0x1.bcb7b1526e50ep-2);
    const double value = high + (fma(ln, 0x1.bcb7b1526e50ep-2, -high) + ln * 0x1.95355baaafad3p-57);
    return !(a > 0 && isfinite(a))                           ? ln
           : fabs(value - rint(value)) < 1e-15 * fabs(value) ? rint(value)
                                                             : value;
}
// log2 in two parts, for powers: its error is below 2^-63 of it.
WB double wb_log2_parts(double a, double *low)
{
    const double series[] = { 0x1.47ae147ae147bp-5, 0x1.642c8590b2164p-5, 0x1.8618618618618p-5,
                              0x1.af286bca1af28p-5, 0x1.e1e1e1e1e1e1ep-5, 0x1.1111111111111p-4,
                              0x1.3b13b13b13b14p-4, 0x1.745d1745d1746p-4, 0x1.c71c71c71c71cp-4,
                              0x1.2492492492492p-3, 0x1.999999999999ap-3 };
    double exponent;
    const double f = wb_mantissa(a, &exponent) - 1, d = 2 + f, s = f / d;
    const double s_low = (fma(-s, d, f) - s * (f - (d - 2))) / d;
    const double square = __dmul_rn(s, s), square_low = fma(s, s, -square) + 2 * s * s_low;
    // ln = 2 s (1 + square / 3 + square^2 / 5 + …), whose second term has two parts, too.
    const double third = __dmul_rn(square, 0x1.5555555555555p-2);
    const double third_low = fma(square, 0x1.5555555555555p-2, -third) + square * 0x1.5555555555555p-56 +
                             square_low * 0x1.5555555555555p-2 + square * square * wb_series(series, square);
    const double sum = third + third_low, sum_low = third_low - (sum - third);
    const double p = __dmul_rn(s, sum), p_low = fma(s, sum, -p) + s * sum_low + s_low * sum;
    const double ln = s + p, ln_low = p - (ln - s) + p_low + s_low;
    const double high = __dmul_rn(2 * ln, 0x1.71547652b82fep+0);
    const double high_low = fma(2 * ln, 0x1.71547652b82fep+0, -high) + 2 * ln * 0x1.777d0ffda0d24p-56 +
                            2 * ln_low * 0x1.71547652b82fep+0;
    const double all = exponent + high;
    *low = (exponent != 0 ? high - (all - exponent) : 0) + high_low;
    return all;
}
WB double pow(double a, double b)
{
    const bool whole = rint(b) == b, odd = whole && fabs(b) < 0x1p53 && ((long long)b & 1);
    if (b == 0 || a == 1)
        return 1;
    if (a != a || b != b)
        return a + b;
    if (isinf(b))
        return fabs(a) == 1 ? 1 : (fabs(a) > 1) == (b > 0) ? (double)INFINITY : 0;
    if (a == 0 || isinf(a)) {
        const double value = (a == 0) == (b > 0) ? 0 : (double)INFINITY;
        return odd ? copysign(value, a) : value;
    }
    if (a < 0 && !whole)
        return NAN;
    double low;
    const double high = wb_log2_parts(fabs(a), &low), near = fabs(b) > 0x1p70 ? copysign(0x1p70, b) : b;
    const double power = __dmul_rn(near, high), power_low = fma(near, high, -power) + near * low;
    const double most = power > 1030    ? 1030
                        : power < -1090 ? -1090
                                        : power,
                 exponent = rint(most), part = most - exponent;
    const double r = __dmul_rn(part, 0x1.62e42fefa39efp-1);
    const double more = fma(part, 0x1.62e42fefa39efp-1, -r) + part * 0x1.abc9e3b39803fp-56 +
                        (most == power ? power_low * 0x1.62e42fefa39efp-1 : 0);
    const double value = wb_exp(exponent, r, more);
    return a < 0 && odd ? -value : value;
}

// ---- angles --------------------------------------------------------------------------------------

// An angle beyond 2^31 less its quarters of a turn: a times 2 / pi modulo 4, by whole numbers of 192 bits.
WB double wb_far_angle(double a, int *quarter, double *low)
{
    const unsigned long long words[] = {
        0,
        0xa2f9836e4e441529ull,
        0xfc2757d1f534ddc0ull,
        0xdb6295993c439041ull,
        0xfe5163abdebbc561ull,
        0xb7246e3a424dd2e0ull,
        0x06492eea09d1921cull,
        0xfe1deb1cb129a73eull,
        0xe88235f52ebb4484ull,
        0xe99c7026b45f7e41ull,
        0x3991d639835339f4ull,
        0x9c845f8bbdf9283bull,
        0x1ff897ffde05980full,
        0xef2f118b5a0a6d1full,
        0x6d367ecf27cb09b7ull,
        0x4f463f669e5fea2dull,
        0x7527bac7ebe5f17bull,
        0x3d0739f78a5292eaull,
        0x6bfb5fb11f8d5d08ull,
        0x56033046fc7b6babull,
        0xf0cfbc209af4361dull,
    };
    const long long bits = __double_as_longlong(a);
    const unsigned long long m = (bits & ((1ll << 52) - 1)) | 1ll << 52;
    const int from = (int)(bits >> 52 & 2047) - 1075 - 2 + 64;
    unsigned long long taken[3];
    for (int i = 0; i < 3; i++)
        taken[i] = from % 64
                       ? words[from / 64 + i] << from % 64 | words[from / 64 + i + 1] >> (64 - from % 64)
                       : words[from / 64 + i];
    const unsigned long long last = m * taken[2], over = __umul64hi(m, taken[2]),
                             middle = m * taken[1] + over;
    const unsigned long long first = m * taken[0] + __umul64hi(m, taken[1]) + (middle < over);
    const long long part = (long long)(first << 2 | middle >> 62);
    *quarter = (int)(first >> 62) + (part < 0);
    const double rough = (double)part;
    // What rounding to a double has lost; of 2^63 itself that is nothing.
    const double lost = rough == 0x1p63 ? -1.0 * (double)(0x7fffffffffffffffll - part + 1)
                                        : (double)(part - (long long)rough);
    const double rest = lost + (double)(middle << 2 | last >> 62) * 0x1p-64;
    const double turns = (rough + rest) * 0x1p-64, turns_low = (rest - ((rough + rest) - rough)) * 0x1p-64;
    const double angle = __dmul_rn(turns, 0x1.921fb54442d18p+0);
    *low = fma(turns, 0x1.921fb54442d18p+0, -angle) + turns * 0x1.1a62633145c07p-54 +
           turns_low * 0x1.921fb54442d18p+0;
    return angle;
}
WB double wb_angle(double a, int *quarter, double *low)
{
    if (!(fabs(a) < 0x1p31)) {
        const double sign = copysign(1, a);
        *quarter = 0;
        *low = 0;
        if (!isfinite(a))
            return NAN;
        const double angle = wb_far_angle(fabs(a), quarter, low);
        *quarter *= (int)sign;
        *low *= sign;
        return angle * sign;
    }
    const double turns = rint(a * 0x1.45f306dc9c883p-1);
    *quarter = (int)turns;
    const double rough = fma(turns, -0x1.921fb54442d18p+0, a); // which is exact
    const double part = __dmul_rn(turns, 0x1.1a62633145c07p-54),
                 part_low = fma(turns, 0x1.1a62633145c07p-54, -part);
    const double angle = rough - part;
    *low = (rough - angle) - part - part_low + turns * 0x1.f1976b7ed8fbcp-110;
    return angle;
}
WB float wb_far_turn(float a, int *quarter)
{
    double low;
    return (float)wb_angle(a, quarter, &low);
}
WB double wb_sine_near(double r, double low)
{
    const double series[] = { 0x1.952c77030ad4ap-49,  -0x1.ae7f3e733b81fp-41, 0x1.6124613a86d09p-33,
                              -0x1.ae64567f544e4p-26, 0x1.71de3a556c734p-19,  -0x1.a01a01a01a01ap-13,
                              0x1.1111111111111p-7,   -0x1.5555555555555p-3 };
    const double s = r * r;
    return r + fma(r * s, wb_series(series, s), low * (1 - 0.5 * s));
}
WB double wb_cosine_near(double r, double low)
{
    const double series[] = { 0x1.ae7f3e733b81fp-45,  -0x1.93974a8c07c9dp-37, 0x1.1eed8eff8d898p-29,
                              -0x1.27e4fb7789f5cp-22, 0x1.a01a01a01a01ap-16,  -0x1.6c16c16c16c17p-10,
                              0x1.5555555555555p-5 };
    const double s = r * r, half = 0.5 * s, value = 1 - half;
    return value + (((1 - value) - half) + fma(s * s, wb_series(series, s), -r * low));
}
WB double wb_wave(double r, double low, int quarter) // sines of the angle, and of what is a quarter further
{
    const double value = quarter & 1 ? wb_cosine_near(r, low) : wb_sine_near(r, low);
    return quarter & 2 ? -value : value;
}
WB double sin(double a)
{
    int quarter;
    double low;
    const double r = wb_angle(a, &quarter, &low);
    return a == 0 ? a : wb_wave(r, low, quarter);
}
WB double cos(double a)
{
    int quarter;
    double low;
    const double r = wb_angle(a, &quarter, &low);
    return wb_wave(r, low, quarter + 1);
}
WB void sincos(double a, double *sine, double *cosine)
{
    *sine = sin(a);
    *cosine = cos(a);
}
WB double tan(double a)
{
    int quarter;
    double low;
    const double r = wb_angle(a, &quarter, &low);
    return a == 0 ? a : wb_wave(r, low, quarter) / wb_wave(r, low, quarter + 1);
}
WB double wb_part_of_pi(double a, int more) // sine of a times pi, or of half of pi more
{
    const double turns = rint(2 * a), part = a - 0.5 * turns, r = __dmul_rn(part, 0x1.921fb54442d18p+1);
    const double low = fma(part, 0x1.921fb54442d18p+1, -r) + part * 0x1.1a62633145c07p-53;
    const double quarters = turns - 4 * trunc(turns / 4);
    return isfinite(a) ? wb_wave(r, low, (int)quarters + more) : (double)NAN;
}
WB1(double, sinpi, double, a == rint(a) && isfinite(a) ? copysign(0, a) : wb_part_of_pi(a, 0))
WB1(double, cospi, double, wb_part_of_pi(a, 1))
WB void sincospi(double a, double *sine, double *cosine)
{
    *sine = sinpi(a);
    *cosine = cospi(a);
}
// The arc of a tangent from 0 to 1, by the nearest eighth.
WB double wb_arc(double a, double below)
{
    const double arcs[] = { 0x0.0p+0,
                            0x1.fd5ba9aac2f6ep-4,
                            0x1.f5b75f92c80ddp-3,
                            0x1.6f61941e4def1p-2,
                            0x1.dac670561bb4fp-2,
                            0x1.1e00babdefeb4p-1,
                            0x1.4978fa3269ee1p-1,
                            0x1.700a7c5784634p-1,
                            0x1.921fb54442d18p-1 };
    const double lows[] = { 0x0.0p+0,
                            -0x1.cd37686760c17p-59,
                            0x1.8ab6e3cf7afbdp-57,
                            -0x1.c63aae6f6e918p-56,
                            0x1.a2b7f222f65e2p-56,
                            -0x1.928df287a668fp-58,
                            0x1.2419a87f2a458p-56,
                            -0x1.8c34d25aadef6p-56,
                            0x1.1a62633145c07p-55 };
    const double series[] = { -0x1.1111111111111p-4, 0x1.3b13b13b13b14p-4,  -0x1.745d1745d1746p-4,
                              0x1.c71c71c71c71cp-4,  -0x1.2492492492492p-3, 0x1.999999999999ap-3,
                              -0x1.5555555555555p-2 };
    const double y = a / below, eighth = rint(8 * y), at = eighth / 8;
    const double t = fma(-at, below, a) / fma(at, a, below), s = t * t;
    return arcs[(int)eighth] + (lows[(int)eighth] + fma(t * s, wb_series(series, s), t));
}
WB double atan2(double a, double b)
{
    const double y = fabs(a), x = fabs(b), most = fmax(x, y), least = fmin(x, y);
    if (a != a || b != b)
        return a + b;
    // Neither too small nor too large for their products.
    const double scale = most > 0x1p1000 ? 0x1p-100 : most < 0x1p-900 ? 0x1p100 : 1;
    double arc = most == 0      ? 0
                 : isinf(least) ? 0x1.921fb54442d18p-1
                 : isinf(most)  ? 0
                                : wb_arc(least * scale, most * scale);
    if (y > x)
        arc = 0x1.921fb54442d18p+0 - (arc - 0x1.1a62633145c07p-54);
    if (copysign(1, b) < 0)
        arc = 0x1.921fb54442d18p+1 - (arc - 0x1.1a62633145c07p-53);
    return copysign(arc, a);
}
WB1(double, atan, double, a == 0 ? a : atan2(a, 1.0))
WB1(double, asin, double, a == 0 ? a : fabs(a) <= 1 ? atan2(a, sqrt((1 - a) * (1 + a))) : (double)NAN)
WB1(double, acos, double, fabs(a) <= 1 ? atan2(sqrt((1 - a) * (1 + a)), a) : (double)NAN)

// ---- hyperbolic functions, roots, lengths --------------------------------------------------------

WB double sinh(double a)
{
    const double y = fabs(a), t = expm1(y), half = exp(0.5 * y);
    return a != a || a == 0 ? a : copysign(y < 700 ? 0.5 * (t + t / (t + 1)) : 0.5 * half * half, a);
}
WB double cosh(double a)
{
    const double y = fabs(a), e = exp(y), half = exp(0.5 * y);
    return a != a ? a : y < 700 ? 0.5 * e + 0.5 / e : 0.5 * half * half;
}
WB double tanh(double a)
{
    const double y = fabs(a), t = expm1(2 * fmin(y, 30.0));
    return a != a || a == 0 ? a : copysign(y > 22 ? 1 : t < 1 ? t / (t + 2) : 1 - 2 / (t + 2), a);
}
WB double asinh(double a)
{
    const double y = fabs(a), s = y * y;
    const double value = y > 0x1p28 ? log(y) + 0x1.62e42fefa39efp-1 : log1p(y + s / (1 + sqrt(s + 1)));
    return a == 0 || !isfinite(a) ? a : copysign(value, a);
}
WB double acosh(double a)
{
    const double t = a - 1;
    return a > 0x1p28 ? log(a) + 0x1.62e42fefa39efp-1 : a >= 1 ? log1p(t + sqrt(2 * t + t * t)) : (double)NAN;
}
WB1(double, atanh, double,
    a == 0         ? a
    : fabs(a) <= 1 ? copysign(0.5 * log1p(2 * fabs(a) / (1 - fabs(a))), a)
                   : (double)NAN)
WB double cbrt(double a)
{
    if (a == 0 || !isfinite(a))
        return a;
    int exponent;
    const double m = frexp(fabs(a), &exponent);
    int third = exponent / 3 - (exponent % 3 < 0), rest = exponent - 3 * third;
    const double y = m * (double)(1 << rest); // from 0.5 to 4
    double x = fma(y, 0.22, 0.72);
#pragma unroll
    for (int i = 0; i < 4; i++) {
        const double cube = x * x * x;
        x *= (cube + 2 * y) / (2 * cube + y);
    }
    x -= fma(x * x, x, -y) / (3 * x * x);
    return copysign(ldexp(x, third), a);
}
WB1(double, rcbrt, double, 1.0 / cbrt(a))
WB double hypot(double a, double b)
{
    const double most = fmax(fabs(a), fabs(b)), least = fmin(fabs(a), fabs(b));
    if (isinf(a) || isinf(b))
        return INFINITY;
    if (a != a || b != b || most == 0)
        return a != a || b != b ? a + b : 0;
    const double scale = most > 0x1p500 ? 0x1p-600 : most < 0x1p-400 ? 0x1p600 : 1;
    const double x = most * scale, y = least * scale;
    return sqrt(fma(x, x, y * y)) / scale;
}
WB2(double, rhypot, double, double, 1.0 / hypot(a, b))
WB3(double, norm3d, double, double, double, hypot(hypot(a, b), c))
WB3(double, rnorm3d, double, double, double, 1.0 / hypot(hypot(a, b), c))
WB double norm4d(double a, double b, double c, double d)
{
    return hypot(hypot(a, b), hypot(c, d));
}
WB double rnorm4d(double a, double b, double c, double d)
{
    return 1.0 / norm4d(a, b, c, d);
}
WB double norm(int count, const double *of)
{
    double most = 0, sum = 0;
    for (int i = 0; i < count; i++)
        most = fmax(most, fabs(of[i]));
    const double scale = most > 0x1p500 ? 0x1p-600 : most < 0x1p-400 ? 0x1p600 : 1;
    for (int i = 0; i < count; i++)
        sum = fma(of[i] * scale, of[i] * scale, sum);
    return isinf(most) ? most : sqrt(sum) / scale;
}
WB double rnorm(int count, const double *of)
{
    return 1.0 / norm(count, of);
}

// ---- rests ---------------------------------------------------------------------------------------

// Exact: each step takes off a multiple of b whose factor has at most 53 bits.
WB double fmod(double a, double b)
{
    double rest = fabs(a);
    const double y = fabs(b);
    if (!isfinite(a) || b != b || y == 0)
        return a != a || b != b ? a + b : (double)NAN;
    int of_rest, of_y;
    while (rest >= y && !isinf(y)) {
        frexp(rest, &of_rest);
        frexp(y, &of_y);
        const int apart = of_rest - of_y > 50 ? of_rest - of_y - 50 : 0;
        const double step = ldexp(y, apart), times = trunc(rest / step), next = fma(-times, step, rest);
        rest = next < 0 ? next + step : next;
    }
    return copysign(rest, a);
}
WB double remquo(double a, double b, int *quotient)
{
    const double y = fabs(b), rest = isinf(b) && isfinite(a)
                                         ? fabs(a)
                                         : fabs(fmod(a, isfinite(b) && y < 0x1p1000 ? 8 * y : b));
    double left = rest;
    int count = 0;
    if (isfinite(b) && y < 0x1p1000)
        for (int part = 4; part; part /= 2)
            if (left >= part * y) {
                left -= part * y;
                count += part;
            }
    if (2 * left > y || (2 * left == y && count & 1)) {
        left -= y;
        count++;
    }
    *quotient = (a < 0) != (b < 0) ? -(count & 7) : count & 7;
    return left == 0 ? copysign(0, a) : a < 0 ? -left : left;
}
WB double remainder(double a, double b)
{
    int quotient;
    return remquo(a, b, &quotient);
}
WB double nextafter(double a, double b)
{
    if (a != a || b != b || a == b)
        return a != a || b != b ? a + b : b;
    if (a == 0)
        return copysign(0x1p-1074, b);
    return __longlong_as_double(__double_as_longlong(a) + ((a < b) == (a > 0) ? 1 : -1));
}
WB1(long, lrint, double, (long)rint(a))
WB1(long long, llrint, double, (long long)rint(a))
WB1(long, lround, double, (long)round(a))
WB1(long long, llround, double, (long long)round(a))

// ---- error functions -----------------------------------------------------------------------------

WB double erfcx(double a)
{
    const double terms[] = { 0x1.c93ee5360321dp-36,  -0x1.2d4bd7507eb41p-35, -0x1.70d012e086993p-32,
                             0x1.ddc1971ac8752p-32,  0x1.7297e8d5f3500p-29,  -0x1.06419738e1f4ap-28,
                             -0x1.4480080a810f6p-26, 0x1.2e5382f96914bp-25,  0x1.097c9b065caadp-23,
                             -0x1.8a20d4c4d254fp-22, -0x1.577ae8308b86ap-21, 0x1.08825c2cbd644p-18,
                             -0x1.69dbbee5bb66ap-21, -0x1.2cad05505c660p-15, 0x1.94e97748d9728p-14,
                             0x1.67089202412bep-14,  -0x1.7a758d82475dbp-10, 0x1.7dd003b48431ap-8,
                             -0x1.f3af379f36e49p-7,  0x1.e065e5d0ed783p-6,   -0x1.51a138cf9a075p-5,
                             0x1.1d36b86a34572p-5,   0x1.a4df354980a18p-7,   -0x1.f1bc409c96986p-4,
                             0x1.398fa42e218fbp+0 };
    if (a < 0.5) { // by the other side, whose results are not small
        const double s = __dmul_rn(a, a), low = fma(a, a, -s), e = exp(s);
        const double series[] = { -0x1.bc6250fb14231p-46, 0x1.bd577e658d020p-42,  -0x1.a289ee7e40f74p-38,
                                  0x1.6f448e13e85e1p-34,  -0x1.2b67310aa9f3ap-30, 0x1.c2e3054870b38p-27,
                                  -0x1.3777c55568ccdp-23, 0x1.87a00187a0018p-20,  -0x1.bbd779334ef0bp-17,
                                  0x1.c01c01c01c01cp-14,  -0x1.8d3018d3018d3p-11, 0x1.2f684bda12f68p-8,
                                  -0x1.8618618618618p-6,  0x1.999999999999ap-4,   -0x1.5555555555555p-2 };
        const double erf = 0x1.20dd750429b6dp+0 * fma(a * s, wb_series(series, s), a);
        return a > -0.5  ? (e + e * low) * (1 - erf)
               : a < -27 ? (double)INFINITY
                         : 2 * (e + e * low) - erfcx(-a);
    }
    const double t = (a - 3.5) / (a + 3.5);
    return isinf(a) ? 0 : wb_series(terms, (t - 0.125) / 0.875) / fma(2, a, 1);
}
WB double erfc(double a)
{
    const double y = fabs(a), s = __dmul_rn(y, y), low = fma(y, y, -s);
    if (a != a)
        return a;
    if (y < 0.5) {
        const double series[] = { -0x1.bc6250fb14231p-46, 0x1.bd577e658d020p-42,  -0x1.a289ee7e40f74p-38,
                                  0x1.6f448e13e85e1p-34,  -0x1.2b67310aa9f3ap-30, 0x1.c2e3054870b38p-27,
                                  -0x1.3777c55568ccdp-23, 0x1.87a00187a0018p-20,  -0x1.bbd779334ef0bp-17,
                                  0x1.c01c01c01c01cp-14,  -0x1.8d3018d3018d3p-11, 0x1.2f684bda12f68p-8,
                                  -0x1.8618618618618p-6,  0x1.999999999999ap-4,   -0x1.5555555555555p-2 };
        return 1 - 0x1.20dd750429b6dp+0 * fma(a * s, wb_series(series, s), a);
    }
    const double e = exp(-s), value = y > 28 ? 0 : fma(-e, low, e) * erfcx(y);
    return a < 0 ? 2 - value : value;
}
WB double erf(double a)
{
    const double series[] = { -0x1.bc6250fb14231p-46, 0x1.bd577e658d020p-42,  -0x1.a289ee7e40f74p-38,
                              0x1.6f448e13e85e1p-34,  -0x1.2b67310aa9f3ap-30, 0x1.c2e3054870b38p-27,
                              -0x1.3777c55568ccdp-23, 0x1.87a00187a0018p-20,  -0x1.bbd779334ef0bp-17,
                              0x1.c01c01c01c01cp-14,  -0x1.8d3018d3018d3p-11, 0x1.2f684bda12f68p-8,
                              -0x1.8618618618618p-6,  0x1.999999999999ap-4,   -0x1.5555555555555p-2 };
    const double s = a * a;
    return fabs(a) < 0.5 ? 0x1.20dd750429b6dp+0 * fma(a * s, wb_series(series, s), a)
                         : copysign(1 - erfc(fabs(a)), a);
}
// From a first guess, each step has three times as many digits.
WB double erfcinv(double a)
{
    if (!(a > 0 && a < 2))
        return a == 0 ? (double)INFINITY : a == 2 ? -(double)INFINITY : (double)NAN;
    const double y = a > 1 ? 2 - a : a, log_of = log(y * (2 - y)), half = 4.3307467508 + 0.5 * log_of;
    double x = sqrt(fmax(sqrt(half * half - log_of * 6.8027210884) - half, 0.0));
    for (int i = 0; i < 4; i++) {
        const double off = (erfc(x) - y) / (0x1.20dd750429b6dp+0 * exp(-x * x));
        x += off / (1 - x * off);
    }
    return a > 1 ? -x : x;
}
WB double erfinv(double a)
{
    const double y = fabs(a);
    if (!(y < 1))
        return y == 1 ? copysign((double)INFINITY, a) : (double)NAN;
    if (y > 0.5)
        return copysign(erfcinv(1 - y), a);
    double x = a / 0x1.20dd750429b6dp+0;
    for (int i = 0; i < 4; i++) {
        const double off = (erf(x) - a) / (0x1.20dd750429b6dp+0 * exp(-x * x));
        x -= off / (1 + x * off);
    }
    return x;
}
WB double normcdf(double a)
{
    const double root = -0x1.6a09e667f3bcdp-1, high = __dmul_rn(a, root);
    const double low =
        fma(a, root, -high) + a * 0x1.bdd3413b26456p-55; // by which the argument differs from the root's
    return 0.5 * (isfinite(a) ? erfc(high) - 0x1.20dd750429b6dp+0 * exp(-high * high) * low : erfc(high));
}
WB1(double, normcdfinv, double, erfcinv(2 * a) * -0x1.6a09e667f3bcdp+0)

// ---- the gamma function: 20 units in the last place ----------------------------------------------

WB double wb_stirling(double a) // ln of it for a >= 8, without the leading term (a - 1/2) ln a - a
{
    const double series[] = { -0x1.e4286cb0f5398p-6, 0x1.a41a41a41a41ap-8,   -0x1.f6ab0d9993c7dp-10,
                              0x1.b951e2b18ff23p-11, -0x1.3813813813814p-11, 0x1.a01a01a01a01ap-11,
                              -0x1.6c16c16c16c17p-9, 0x1.5555555555555p-4 };
    const double t = 1 / a;
    return 0x1.d67f1c864beb5p-1 + t * wb_series(series, t * t);
}
WB double lgamma(double a)
{
    const double terms[] = { 0x1.95a1a3aa9df99p-30,  -0x1.a283564541250p-29, -0x1.f88206a4a8bbbp-29,
                             0x1.034ff4e678816p-27,  0x1.ed386b522dfd8p-27,  -0x1.fe0f43107e644p-26,
                             0x1.349389c70a1dbp-27,  -0x1.491818361fe5dp-26, 0x1.b15da15ef66ecp-24,
                             -0x1.c6697b4306415p-23, 0x1.aba9aae2643cfp-22,  -0x1.c3ee6fd3f4078p-21,
                             0x1.e5ebc24390cd7p-20,  -0x1.027a77320de46p-18, 0x1.13df5c29f7946p-17,
                             -0x1.284b7b7570031p-16, 0x1.402f44c69de2cp-15,  -0x1.5c86ebc7a274cp-14,
                             0x1.7ed732472e58fp-13,  -0x1.a96a3ea2d22dbp-12, 0x1.dfebcf93da4a6p-11,
                             -0x1.145121fc5cf96p-9,  0x1.47974853a554bp-8,   -0x1.95ce223a97d37p-7,
                             0x1.0e0c9df293546p-5,   -0x1.9ae6509ea10b4p-4,  0x1.b0ee6072093cep-2 };
    if (!isfinite(a))
        return a != a ? a : (double)INFINITY;
    if (a <= 0) {
        const double sine = fabs(sinpi(a));
        return sine == 0 ? (double)INFINITY : 0x1.250d048e7a1bdp+0 - log(sine * fabs(a)) - lgamma(-a);
    }
    if (a >= 8)
        return (a - 0.5) * (log(a) - 1) - 0.5 + wb_stirling(a);
    double product = 1, y = a;
    for (; y > 3; product *= y)
        y -= 1;
    if (a < 1)
        y += 1;
    const double value = wb_series(terms, y - 2) * ((y - 1) * (y - 2));
    return a < 1 ? value - log(a) : product > 1 ? value + log(product) : value;
}
WB double tgamma(double a)
{
    const double terms[] = { 0x1.6c3032e6c6f69p-35,  -0x1.1123e91f561a5p-33, 0x1.27e540fa0105ep-33,
                             -0x1.bbd59618e79efp-32, 0x1.f076f989ef310p-30,  -0x1.74558a9281aefp-28,
                             0x1.08a9773a0b118p-26,  -0x1.8cf2aff0a8622p-25, 0x1.2b48ecb68cfadp-23,
                             -0x1.c0c9137946e79p-22, 0x1.504d6f0e1fffep-20,  -0x1.f7fa735e7333ep-19,
                             0x1.7991e760184a3p-17,  -0x1.1a2c30f8def74p-15, 0x1.a752c67eb605dp-14,
                             -0x1.374fd5a85a843p-12, 0x1.e022b743d0702p-11,  -0x1.3d88cfe56716ep-9,
                             0x1.283bd374eadabp-7,   -0x1.b77ac1ca2dcabp-7,  0x1.a8c4dba620d58p-4,
                             0x1.08ea88ee5619cp-6,   0x1.c5bf891b4ef6bp-1 };
    if (a != a || a == 0 || isinf(a))
        return a == 0 ? copysign((double)INFINITY, a) : a < 0 ? (double)NAN : a;
    if (a < 0 && a == rint(a))
        return NAN;
    if (a < -20) {
        const double sine = sinpi(a);
        return a < -184 ? copysign(0, sine) : 0x1.921fb54442d18p+1 / (sine * -a * tgamma(-a));
    }
    if (a > 20) {
        const double half = pow(a, 0.5 * (a - 0.5));
        return a > 172 ? (double)INFINITY : half * (exp(-a) * exp(wb_stirling(a))) * half;
    }
    double product = 1, y = a;
    for (; y > 2; product *= y)
        y -= 1;
    double below = 1;
    for (; y < 1; y += 1)
        below *= y;
    return wb_series(terms, 2 * y - 3) * product / below;
}

// ---- float by double -------------------------------------------------------------------------------

#define WB_FLOAT(NAME)                                                                                       \
    WB1(float, NAME##f, float, (float)NAME((double)a))                                                       \
    WB1(float, NAME, float, (float)NAME((double)a))
WB_FLOAT(exp10)
WB_FLOAT(expm1)
WB_FLOAT(log1p)
WB_FLOAT(sinpi)
WB_FLOAT(cospi)
WB_FLOAT(sinh)
WB_FLOAT(cosh)
WB_FLOAT(asinh)
WB_FLOAT(acosh)
WB_FLOAT(atanh)
WB_FLOAT(cbrt)
WB_FLOAT(rcbrt)
WB_FLOAT(erf)
WB_FLOAT(erfc)
WB_FLOAT(erfcx)
WB_FLOAT(erfinv)
WB_FLOAT(erfcinv)
WB_FLOAT(normcdf)
WB_FLOAT(normcdfinv)
WB_FLOAT(lgamma)
WB_FLOAT(tgamma)
WB_FLOAT(logb)
#undef WB_FLOAT
WB float powf(float a, float b)
{
    const bool whole = rintf(b) == b, odd = whole && fabsf(b) < 0x1p24f && ((int)b & 1);
    const double value = exp2((double)b * log2(fabs((double)a)));
    return b == 0 || a == 1 || (a == -1 && isinf(b)) ? 1.0f
           : a != a || b != b                        ? a + b
           : a < 0 && !whole                         ? NAN
           : odd                                     ? copysignf((float)value, a)
                                                     : (float)value;
}
WB2(float, pow, float, float, powf(a, b))
WB float fmodf(float a, float b)
{
    if (!(fabsf(a) < 0x1p23f * fabsf(b)) || isinf(b))
        return (float)fmod((double)a, (double)b);
    const float rest =
        fmaf(-truncf(a / b), b, a); // which is exact, and too little where the quotient was rounded up
    return copysignf(rest * a < 0 ? fabsf(b) - fabsf(rest) : rest, a);
}
WB2(float, fmod, float, float, fmodf(a, b))
WB2(float, remainderf, float, float, (float)remainder((double)a, (double)b))
WB2(float, remainder, float, float, remainderf(a, b))
WB2(float, rhypotf, float, float, (float)rhypot((double)a, (double)b))
WB3(float, norm3df, float, float, float, (float)norm3d((double)a, (double)b, (double)c))
WB3(float, rnorm3df, float, float, float, (float)rnorm3d((double)a, (double)b, (double)c))
WB float norm4df(float a, float b, float c, float d)
{
    return (float)norm4d(a, b, c, d);
}
WB float rnorm4df(float a, float b, float c, float d)
{
    return (float)rnorm4d(a, b, c, d);
}
WB double wb_norm(int count, const float *of)
{
    double sum = 0;
    bool infinite = false;
    for (int i = 0; i < count; i++) {
        infinite |= isinf(of[i]);
        sum = fma((double)of[i], (double)of[i], sum);
    }
    return infinite ? (double)INFINITY : sqrt(sum);
}
WB float normf(int count, const float *of)
{
    return (float)wb_norm(count, of);
}
WB float rnormf(int count, const float *of)
{
    return (float)(1.0 / wb_norm(count, of));
}
WB2(float, ldexpf, float, int, (float)ldexp((double)a, b))
WB2(float, ldexp, float, int, ldexpf(a, b))
WB2(float, scalbnf, float, int, ldexpf(a, b))
WB2(float, scalbn, float, int, ldexpf(a, b))
WB2(float, scalblnf, float, long, (float)scalbln((double)a, b))
WB2(float, scalbln, float, long, scalblnf(a, b))
WB float frexpf(float a, int *exponent)
{
    return (float)frexp((double)a, exponent);
}
WB float frexp(float a, int *exponent)
{
    return frexpf(a, exponent);
}
WB float modff(float a, float *whole)
{
    *whole = truncf(a);
    return copysignf(isinf(a) ? 0 : a - *whole, a);
}
WB float modf(float a, float *whole)
{
    return modff(a, whole);
}
WB1(int, ilogbf, float, ilogb((double)a))
WB1(int, ilogb, float, ilogb((double)a))
WB float remquof(float a, float b, int *quotient)
{
    return (float)remquo((double)a, (double)b, quotient);
}
WB float nextafterf(float a, float b)
{
    if (a != a || b != b || a == b)
        return a != a || b != b ? a + b : b;
    if (a == 0)
        return copysignf(0x1p-149f, b);
    return __int_as_float(__float_as_int(a) + ((a < b) == (a > 0) ? 1 : -1));
}
WB2(float, nextafter, float, float, nextafterf(a, b))
WB void sincospif(float a, float *sine, float *cosine)
{
    *sine = sinpif(a);
    *cosine = cospif(a);
}
WB void sincospi(float a, float *sine, float *cosine)
{
    sincospif(a, sine, cosine);
}
WB void sincos(float a, float *sine, float *cosine)
{
    sincosf(a, sine, cosine);
}
WB1(long, lrintf, float, (long)rintf(a))
WB1(long long, llrintf, float, (long long)rintf(a))
WB1(long, lroundf, float, (long)roundf(a))
WB1(long long, llroundf, float, (long long)roundf(a))
WB1(long, lrint, float, (long)rintf(a))
WB1(long, lround, float, (long)roundf(a))

// Of two types, the wider one counts; whole numbers are doubles.
#define WB_MIXED(NAME)                                                                                       \
    WB2(double, NAME, double, float, NAME(a, (double)b))                                                     \
    WB2(double, NAME, float, double, NAME((double)a, b))                                                     \
    WB2(double, NAME, double, int, NAME(a, (double)b))                                                       \
    WB2(double, NAME, int, double, NAME((double)a, b))                                                       \
    WB2(double, NAME, int, int, NAME((double)a, (double)b))
WB_MIXED(pow)
WB_MIXED(atan2)
WB_MIXED(fmod)
WB_MIXED(hypot)
WB_MIXED(fmin)
WB_MIXED(fmax)
WB_MIXED(copysign)
#undef WB_MIXED
WB2(float, pow, float, int, powf(a, (float)b))
WB1(double, sqrt, int, sqrt((double)a))
WB1(double, exp, int, exp((double)a))
WB1(double, log, int, log((double)a))
WB1(double, log2, int, log2((double)a))
WB1(double, sin, int, sin((double)a))
WB1(double, cos, int, cos((double)a))
WB1(double, floor, int, a)
WB1(double, ceil, int, a)

#endif
