// Floating point on the lanes of a warp, and conversions: one rounding, by the mode.
#include "tests/unit/sim_lanes.h"

// ---- floating point ----------------------------------------------------------------------------------------

// Holds sums and products of f32 exactly, and those of f64 nearly: binary128, which is `long double` on arm64.
#ifdef __SIZEOF_FLOAT128__
typedef __float128 quad;
#else
typedef long double quad;
_Static_assert(LDBL_MANT_DIG == 113, "quad is binary128");
#endif

static uint64_t single(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return x != x ? 0x7fffffff : bits;
}
static uint64_t full(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}
static float zeroed(float x)
{
    return fpclassify(x) == FP_SUBNORMAL ? copysignf(0, x) : x;
}
static float within(float x)
{
    return x != x || x < 0 ? 0 : x > 1 ? 1 : x == 0 ? 0 : x;
}
static double in_order(double a, double b, bool most)
{
    if (a != a || b != b)
        return a != a ? b : a;
    if (a == b)
        return !signbit(a) == most ? a : b;
    return (a > b) == most ? a : b;
}
#define FLOATS(name, of_f32, of_f64)                                                                         \
    static uint64_t name(const struct values *x)                                                             \
    {                                                                                                        \
        if (x->bits == 32) {                                                                                 \
            const volatile float a = x->f[0], b = x->f[1], c = x->f[2];                                      \
            (void)a, (void)b, (void)c;                                                                       \
            return single(of_f32);                                                                           \
        }                                                                                                    \
        const volatile double a = x->r[0], b = x->r[1], c = x->r[2];                                         \
        (void)a, (void)b, (void)c;                                                                           \
        return full(of_f64);                                                                                 \
    }
#define FLUSHED(name, value)                                                                                 \
    static uint64_t name(const struct values *x)                                                             \
    {                                                                                                        \
        const volatile float a = zeroed(x->f[0]), b = zeroed(x->f[1]), c = zeroed(x->f[2]);                  \
        (void)a, (void)b, (void)c;                                                                           \
        return single(zeroed(value));                                                                        \
    }
FLOATS(float_sum, (float)((quad)a + b), a + b)
FLOATS(float_difference, (float)((quad)a - b), a - b)
FLOATS(float_product, (float)((quad)a *b), (double)((quad)a *b))
FLOATS(float_quotient, (float)((quad)a / b), (double)((quad)a / b))
FLOATS(float_fma, fmaf(a, b, c), fma(a, b, c))
FLOATS(float_reciprocal, (float)((quad)1 / a), (double)((quad)1 / a))
FLOATS(float_root, (float)sqrtl(a), (double)sqrtl(a))
FLOATS(float_sum_within, within((float)((quad)a + b)), 0)
FLOATS(float_fma_within, within(fmaf(a, b, c)), 0)
FLOATS(float_least, (float)in_order(a, b, false), in_order(a, b, false))
FLOATS(float_most, (float)in_order(a, b, true), in_order(a, b, true))
FLOATS(float_least_nan, a != a || b != b ? NAN : (float)in_order(a, b, false), 0)
FLUSHED(flushed_sum, (float)((quad)a + b))
FLUSHED(flushed_product, (float)((quad)a *b))
FLUSHED(flushed_fma, fmaf(a, b, c))
FLUSHED(flushed_quotient, (float)((quad)a / b))
FLUSHED(flushed_least, (float)in_order(a, b, false))
FLUSHED(flushed_reciprocal_root, (float)(1 / sqrt(a)))
FLUSHED(flushed_power, exp2f(a))
static uint64_t top_bit(const struct values *x)
{
    return 1ull << (x->bits - 1);
}
static uint64_t sign_changed(const struct values *x)
{
    return x->u[0] ^ top_bit(x);
}
static uint64_t sign_dropped(const struct values *x)
{
    return x->u[0] & (top_bit(x) - 1);
}
static uint64_t sign_copied(const struct values *x)
{
    return (x->u[0] & top_bit(x)) | (x->u[1] & (top_bit(x) - 1));
}
static int class_of(const struct values *x)
{
    return x->bits == 32 ? fpclassify(x->f[0]) : fpclassify(x->r[0]);
}
REFERENCE(tested_finite, class_of(x) != FP_NAN && class_of(x) != FP_INFINITE)
REFERENCE(tested_infinite, class_of(x) == FP_INFINITE)
REFERENCE(tested_number, class_of(x) != FP_NAN)
REFERENCE(tested_nan, class_of(x) == FP_NAN)
REFERENCE(tested_normal, class_of(x) == FP_NORMAL || class_of(x) == FP_ZERO)
REFERENCE(tested_subnormal, class_of(x) == FP_SUBNORMAL)

#define DIRECTED(name, types, shape, f)                                                                      \
    ROUNDED(name ".rz", types, shape, f, FE_TOWARDZERO), ROUNDED(name ".rm", types, shape, f, FE_DOWNWARD),  \
        ROUNDED(name ".rp", types, shape, f, FE_UPWARD)
static void floats_are_rounded_once(void **state)
{
    static const struct form forms[] = {
        EXACT("add", "f32 f64", "ttt", float_sum),
        EXACT("add.rn", "f32 f64", "ttt", float_sum),
        EXACT("sub", "f32 f64", "ttt", float_difference),
        EXACT("mul", "f32 f64", "ttt", float_product),
        EXACT("fma.rn", "f32 f64", "tttt", float_fma),
        EXACT("mad.rn", "f32 f64", "tttt", float_fma),
        EXACT("div.rn", "f32 f64", "ttt", float_quotient),
        EXACT("rcp.rn", "f32 f64", "tt", float_reciprocal),
        EXACT("sqrt.rn", "f32 f64", "tt", float_root),
        DIRECTED("add", "f32 f64", "ttt", float_sum),
        DIRECTED("sub", "f32 f64", "ttt", float_difference),
        DIRECTED("mul", "f32", "ttt", float_product),
        DIRECTED("fma", "f32 f64", "tttt", float_fma),
        EXACT("add.sat", "f32", "ttt", float_sum_within),
        EXACT("fma.rn.sat", "f32", "tttt", float_fma_within),
        EXACT("add.ftz", "f32", "ttt", flushed_sum),
        EXACT("mul.rn.ftz", "f32", "ttt", flushed_product),
        EXACT("fma.rn.ftz", "f32", "tttt", flushed_fma),
        EXACT("div.approx.ftz", "f32", "ttt", flushed_quotient),
        EXACT("div.full.ftz", "f32", "ttt", flushed_quotient),
        EXACT("div.full", "f32", "ttt", float_quotient),
        EXACT("rsqrt.approx.ftz", "f32", "tt", flushed_reciprocal_root),
        EXACT("ex2.approx.ftz", "f32", "tt", flushed_power),
        EXACT("min", "f32 f64", "ttt", float_least),
        EXACT("max", "f32 f64", "ttt", float_most),
        EXACT("min.NaN", "f32", "ttt", float_least_nan),
        EXACT("min.ftz", "f32", "ttt", flushed_least),
        EXACT("neg", "f32 f64", "tt", sign_changed),
        EXACT("abs", "f32 f64", "tt", sign_dropped),
        EXACT("copysign", "f32 f64", "ttt", sign_copied),
        EXACT("testp.finite", "f32 f64", "pt", tested_finite),
        EXACT("testp.infinite", "f32 f64", "pt", tested_infinite),
        EXACT("testp.number", "f32 f64", "pt", tested_number),
        EXACT("testp.notanumber", "f32 f64", "pt", tested_nan),
        EXACT("testp.normal", "f32 f64", "pt", tested_normal),
        EXACT("testp.subnormal", "f32 f64", "pt", tested_subnormal),
    };
    CHECK(forms);
}

// ---- halves ----------------------------------------------------------------------------------------------

// The half next to x, found by bisection; `rest` is what x itself has lost.
static uint64_t nearest_half(quad x, quad rest, bool brain, int mode)
{
    const uint64_t infinity = brain ? 0x7f80 : 0x7c00,
                   sign = x < 0 || (x == 0 && signbit((double)x)) ? 0x8000 : 0;
    const quad size = x < 0 ? -x : x, more = x < 0 ? -rest : rest;
    if (x != x)
        return 0x7fff;
    if (size - size != 0)
        return infinity | sign;
    uint64_t low = 0, high = infinity;
    while (high - low > 1) {
        const uint64_t middle = (low + high) / 2;
        if ((quad)widened(middle, brain) <= size)
            low = middle;
        else
            high = middle;
    }
    const quad below = widened(low, brain);
    const quad above = high == infinity ? (quad)ldexp(1, brain ? 128 : 16) : (quad)widened(high, brain);
    if (size == below && more == 0)
        return low | sign;
    const quad gap = (size - below) - (above - size) + (size - below == above - size ? more : 0);
    const bool up =
        mode == FE_TONEAREST ? gap > 0 || (gap == 0 && (low & 1)) : mode == (sign ? FE_DOWNWARD : FE_UPWARD);
    return (up ? high : low) | sign;
}
static uint64_t half_sum(quad a, quad b, bool brain)
{
    const volatile quad sum = a + b, back = sum - a;
    const quad rest = (a - (sum - back)) + (b - back);
    return nearest_half(sum, rest == rest ? rest : 0, brain, FE_TONEAREST);
}
// One half's operation, applied to a single or to both halves of a pair.
typedef uint64_t (*half_fn)(uint64_t a, uint64_t b, uint64_t c, bool brain);
static uint64_t of_halves(const struct values *x, half_fn f, bool pair, bool brain)
{
    const uint64_t low = f(x->u[0] & 0xffff, x->u[1] & 0xffff, x->u[2] & 0xffff, brain);
    return pair ? low | f(x->u[0] >> 16, x->u[1] >> 16, x->u[2] >> 16, brain) << 16 : low;
}
#define HALVES(name, value)                                                                                  \
    static uint64_t name##_one(uint64_t ha, uint64_t hb, uint64_t hc, bool brain)                            \
    {                                                                                                        \
        const quad a = widened(ha, brain), b = widened(hb, brain), c = widened(hc, brain);                   \
        (void)a, (void)b, (void)c;                                                                           \
        return value;                                                                                        \
    }                                                                                                        \
    REFERENCE(name##_f16, of_halves(x, name##_one, false, false))                                            \
    REFERENCE(name##_f16x2, of_halves(x, name##_one, true, false))                                           \
    REFERENCE(name##_bf16, of_halves(x, name##_one, false, true))                                            \
    REFERENCE(name##_bf16x2, of_halves(x, name##_one, true, true))
HALVES(halves_sum, half_sum(a, b, brain))
HALVES(halves_difference, half_sum(a, -b, brain))
HALVES(halves_product, nearest_half(a *b, 0, brain, FE_TONEAREST))
HALVES(halves_fma, half_sum(a *b, c, brain))
HALVES(halves_fma_positive, half_sum(a *b, c, brain) & 0x8000 ? 0 : half_sum(a * b, c, brain))
static uint64_t half_within(uint64_t h, bool brain)
{
    const double x = widened(h, brain);
    return x != x || x <= 0 ? 0 : x >= 1 ? (brain ? 0x3f80 : 0x3c00) : h;
}
static uint64_t halves_sum_within_one(uint64_t ha, uint64_t hb, uint64_t hc, bool brain)
{
    return half_within(half_sum(widened(ha, brain), widened(hb, brain), brain), brain);
}
REFERENCE(halves_sum_within_f16, of_halves(x, halves_sum_within_one, false, false))
REFERENCE(halves_sum_within_f16x2, of_halves(x, halves_sum_within_one, true, false))
HALVES(halves_least, nearest_half(in_order((double)a, (double)b, false), 0, brain, FE_TONEAREST))
HALVES(halves_most, nearest_half(in_order((double)a, (double)b, true), 0, brain, FE_TONEAREST))
// A NaN becomes the one that arithmetic has.
HALVES(halves_negated, a != a ? 0x7fff : ha ^ 0x8000)
HALVES(halves_absolute, a != a ? 0x7fff : ha & 0x7fff)
#define HALF_FORMS(name, shape, f)                                                                           \
    EXACT(name, "f16", shape, f##_f16), EXACT(name, "f16x2", shape, f##_f16x2),                              \
        EXACT(name, "bf16", shape, f##_bf16), EXACT(name, "bf16x2", shape, f##_bf16x2)
REFERENCE(to_f16, nearest_half(x->f[0], 0, false, FE_TONEAREST))
REFERENCE(to_bf16, nearest_half(x->f[0], 0, true, FE_TONEAREST))
REFERENCE(to_f16_zero, nearest_half(x->f[0], 0, false, FE_TOWARDZERO))
REFERENCE(to_f16_down, nearest_half(x->f[0], 0, false, FE_DOWNWARD))
REFERENCE(to_f16_up, nearest_half(x->f[0], 0, false, FE_UPWARD))
REFERENCE(to_bf16_zero, nearest_half(x->f[0], 0, true, FE_TOWARDZERO))
REFERENCE(double_to_f16, nearest_half(x->r[0], 0, false, FE_TONEAREST))
REFERENCE(double_to_bf16, nearest_half(x->r[0], 0, true, FE_TONEAREST))
REFERENCE(integer_to_f16, nearest_half((quad)a, 0, false, FE_TONEAREST))
REFERENCE(integer_to_bf16, nearest_half((quad)a, 0, true, FE_TONEAREST))
REFERENCE(pair_to_f16x2,
          nearest_half(x->f[0], 0, false, FE_TONEAREST) << 16 | nearest_half(x->f[1], 0, false, FE_TONEAREST))
REFERENCE(pair_to_bf16x2,
          nearest_half(x->f[0], 0, true, FE_TONEAREST) << 16 | nearest_half(x->f[1], 0, true, FE_TONEAREST))
REFERENCE(pair_to_f16x2_zero, nearest_half(x->f[0], 0, false, FE_TOWARDZERO) << 16 |
                                  nearest_half(x->f[1], 0, false, FE_TOWARDZERO))
REFERENCE(from_f16, single((float)widened(x->u[0], false)))
REFERENCE(from_f16_to_double, full(widened(x->u[0], false)))

static void halves_are_rounded_once(void **state)
{
    static const struct form forms[] = {
        HALF_FORMS("add", "ttt", halves_sum),
        HALF_FORMS("sub.rn", "ttt", halves_difference),
        HALF_FORMS("mul", "ttt", halves_product),
        HALF_FORMS("fma.rn", "tttt", halves_fma),
        HALF_FORMS("fma.rn.relu", "tttt", halves_fma_positive),
        EXACT("add.sat", "f16", "ttt", halves_sum_within_f16),
        EXACT("add.rn.sat", "f16x2", "ttt", halves_sum_within_f16x2),
        HALF_FORMS("min", "ttt", halves_least),
        HALF_FORMS("max", "ttt", halves_most),
        HALF_FORMS("neg", "tt", halves_negated),
        HALF_FORMS("abs", "tt", halves_absolute),
        EXACT("cvt.rn.f16", "f32", "ht", to_f16),
        EXACT("cvt.rn.bf16", "f32", "ht", to_bf16),
        EXACT("cvt.rz.f16", "f32", "ht", to_f16_zero),
        EXACT("cvt.rm.f16", "f32", "ht", to_f16_down),
        EXACT("cvt.rp.f16", "f32", "ht", to_f16_up),
        EXACT("cvt.rz.bf16", "f32", "ht", to_bf16_zero),
        EXACT("cvt.rn.f16", "f64", "ht", double_to_f16),
        EXACT("cvt.rn.bf16", "f64", "ht", double_to_bf16),
        EXACT("cvt.rn.f16", INTEGERS, "ht", integer_to_f16),
        EXACT("cvt.rn.bf16", INTEGERS, "ht", integer_to_bf16),
        EXACT("cvt.rn.f16x2", "f32", "utt", pair_to_f16x2),
        EXACT("cvt.rn.bf16x2", "f32", "utt", pair_to_bf16x2),
        EXACT("cvt.rz.f16x2", "f32", "utt", pair_to_f16x2_zero),
        EXACT("cvt.f32", "f16", "fh", from_f16),
        EXACT("cvt.f64", "f16", "dh", from_f16_to_double),
    };
    CHECK(forms);
}

// ---- conversions -----------------------------------------------------------------------------------------

// The integral value nearest to x by the mode, then into the range of the type.
static uint64_t to_integer(const struct values *x, int mode, unsigned bits, bool negative)
{
    const bool from_f64 = x->bits == 64;
    const quad value = from_f64 ? (quad)x->r[0] : (quad)x->f[0];
    const wide most = ((wide)1 << (bits - (negative ? 1 : 0))) - 1, least = negative ? -most - 1 : 0;
    if (value != value)
        return from_f64 || bits == 64 ? 1ull << (bits - 1) : 0;
    if (value > (quad)most + 1 || value < (quad)least - 1)
        return (uint64_t)(value > 0 ? most : least);
    wide whole = (wide)value;
    const quad left = value - (quad)whole;
    if (mode == FE_UPWARD)
        whole += left > 0;
    else if (mode == FE_DOWNWARD)
        whole -= left < 0;
    else if (mode == FE_TONEAREST &&
             (left > 0.5 || left < -0.5 || ((left == 0.5 || left == -0.5) && (whole & 1))))
        whole += left > 0 ? 1 : -1;
    return (uint64_t)(whole > most ? most : whole < least ? least : whole);
}
static uint64_t saturated(const struct values *x, unsigned bits, bool negative)
{
    const wide most = ((wide)1 << (bits - (negative ? 1 : 0))) - 1, least = negative ? -most - 1 : 0;
    return (uint64_t)(x->v[0] > most ? most : x->v[0] < least ? least : x->v[0]);
}
#define TO_INTEGER(T, bits, negative)                                                                        \
    REFERENCE(nearest_##T, to_integer(x, FE_TONEAREST, bits, negative))                                      \
    REFERENCE(zero_##T, to_integer(x, FE_TOWARDZERO, bits, negative))                                        \
    REFERENCE(down_##T, to_integer(x, FE_DOWNWARD, bits, negative))                                          \
    REFERENCE(up_##T, to_integer(x, FE_UPWARD, bits, negative))                                              \
    REFERENCE(saturated_##T, saturated(x, bits, negative))
TO_INTEGER(u16, 16, false)
TO_INTEGER(s16, 16, true)
TO_INTEGER(u32, 32, false)
TO_INTEGER(s32, 32, true)
TO_INTEGER(u64, 64, false)
TO_INTEGER(s64, 64, true)
#define TO_INTEGER_FORMS(T, to)                                                                              \
    EXACT("cvt.rni." #T, "f32 f64", to, nearest_##T), EXACT("cvt.rzi." #T, "f32 f64", to, zero_##T),         \
        EXACT("cvt.rmi." #T, "f32 f64", to, down_##T), EXACT("cvt.rpi." #T, "f32 f64", to, up_##T),          \
        EXACT("cvt.sat." #T, INTEGERS, to, saturated_##T)
FLOATS(integral_nearest, rintf(a), rint(a))
FLOATS(integral_zero, truncf(a), trunc(a))
FLOATS(integral_down, floorf(a), floor(a))
FLOATS(integral_up, ceilf(a), ceil(a))
REFERENCE(same_value, a)
REFERENCE(integer_to_f32, single((float)a))
REFERENCE(integer_to_f64, full((double)a))
REFERENCE(single_to_double, full((double)x->f[0]))
static uint64_t double_to_single(const struct values *x)
{
    const volatile double wide_value = x->r[0];
    return single((float)wide_value);
}
REFERENCE(single_within, single(within(x->f[0])))

static void conversions_are_exact(void **state)
{
    static const struct form forms[] = {
        TO_INTEGER_FORMS(u16, "ht"),
        TO_INTEGER_FORMS(s16, "ht"),
        TO_INTEGER_FORMS(u32, "ut"),
        TO_INTEGER_FORMS(s32, "ut"),
        TO_INTEGER_FORMS(u64, "lt"),
        TO_INTEGER_FORMS(s64, "lt"),
        EXACT("cvt.u16", INTEGERS, "ht", same_value),
        EXACT("cvt.s16", INTEGERS, "ht", same_value),
        EXACT("cvt.u32", INTEGERS, "ut", same_value),
        EXACT("cvt.s32", INTEGERS, "ut", same_value),
        EXACT("cvt.u64", INTEGERS, "lt", same_value),
        EXACT("cvt.s64", INTEGERS, "lt", same_value),
        EXACT("cvt.rn.f32", INTEGERS, "ft", integer_to_f32),
        EXACT("cvt.rn.f64", INTEGERS, "dt", integer_to_f64),
        EXACT("cvt.f64", "f32", "dt", single_to_double),
        EXACT("cvt.rn.f32", "f64", "ft", double_to_single),
        ROUNDED("cvt.rz.f32", "f64", "ft", double_to_single, FE_TOWARDZERO),
        ROUNDED("cvt.rm.f32", "f64", "ft", double_to_single, FE_DOWNWARD),
        ROUNDED("cvt.rp.f32", "f64", "ft", double_to_single, FE_UPWARD),
        ROUNDED("cvt.rz.f32", INTEGERS, "ft", integer_to_f32, FE_TOWARDZERO),
        ROUNDED("cvt.rm.f32", INTEGERS, "ft", integer_to_f32, FE_DOWNWARD),
        ROUNDED("cvt.rp.f32", INTEGERS, "ft", integer_to_f32, FE_UPWARD),
        EXACT("cvt.rni.f32", "f32", "tt", integral_nearest),
        EXACT("cvt.rzi.f32", "f32", "tt", integral_zero),
        EXACT("cvt.rmi.f32", "f32", "tt", integral_down),
        EXACT("cvt.rpi.f32", "f32", "tt", integral_up),
        EXACT("cvt.rni.f64", "f64", "tt", integral_nearest),
        EXACT("cvt.rmi.f64", "f64", "tt", integral_down),
        EXACT("cvt.sat.f32", "f32", "tt", single_within),
        EXACT("mov", "b16 b32 b64 f32 f64 pred", "tt", same_value),
        EXACT("cvta.to.global", "u64", "tt", same_value),
    };
    CHECK(forms);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(floats_are_rounded_once),
        cmocka_unit_test(halves_are_rounded_once),
        cmocka_unit_test(conversions_are_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
