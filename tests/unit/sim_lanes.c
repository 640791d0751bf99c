// Integers, bits and comparisons on the lanes of a warp.
#include "tests/unit/sim_lanes.h"

// ---- integers --------------------------------------------------------------------------------------------

static uint64_t clamp32(wide x)
{
    return (uint64_t)(x > INT32_MAX ? INT32_MAX : x < INT32_MIN ? INT32_MIN : x);
}
static uint64_t
high_half(const struct values *x) // by halves of the factors; unsigned, then corrected for signs
{
    const uint64_t a = (uint64_t)x->v[0], b = (uint64_t)x->v[1];
    if (x->bits < 64)
        return (uint64_t)((int64_t)(x->v[0] * x->v[1]) >> x->bits);
    const uint64_t low = (a & 0xffffffff) * (b & 0xffffffff), m1 = (a >> 32) * (b & 0xffffffff),
                   m2 = (a & 0xffffffff) * (b >> 32);
    const uint64_t middle = (low >> 32) + (m1 & 0xffffffff) + (m2 & 0xffffffff);
    const uint64_t high = (a >> 32) * (b >> 32) + (m1 >> 32) + (m2 >> 32) + (middle >> 32);
    return high - (x->v[0] < 0 ? b : 0) - (x->v[1] < 0 ? a : 0);
}
static wide low24(wide a, bool negative)
{
    a &= 0xffffff;
    return negative && (a & 0x800000) ? a - 0x1000000 : a;
}
static uint64_t product24(const struct values *x)
{
    return (uint64_t)(low24(x->v[0], x->negative) * low24(x->v[1], x->negative));
}
REFERENCE(sum, a + b)
REFERENCE(difference, a - b)
REFERENCE(low_product, (uint64_t)a *(uint64_t)b)
REFERENCE(low_mad, (uint64_t)a *(uint64_t)b + (uint64_t)c)
REFERENCE(high_mad, high_half(x) + (uint64_t)c)
REFERENCE(wide_product, a *b)
REFERENCE(wide_mad, a *b + c)
REFERENCE(quotient, b == 0 ? -1 : a / b)
REFERENCE(rest, b == 0 ? -1 : a % b)
REFERENCE(smaller, a < b ? a : b)
REFERENCE(larger, a > b ? a : b)
REFERENCE(distance, (a > b ? a - b : b - a) + c)
REFERENCE(absolute, a < 0 ? -a : a)
REFERENCE(negation, -a)
REFERENCE(saturated_sum, clamp32(a + b))
REFERENCE(saturated_difference, clamp32(a - b))
REFERENCE(saturated_high, clamp32((a * b >> 32) + c))
REFERENCE(low24_mad, product24(x) + (uint64_t)c)
REFERENCE(high24, (uint64_t)((int64_t)product24(x) >> 16))
REFERENCE(high24_mad, (uint64_t)((int64_t)product24(x) >> 16) + (uint64_t)c)
static uint64_t dot(const struct values *x, bool a_signed, bool b_signed, int from, int a_bits)
{
    int64_t total = (int32_t)x->u[2];
    for (int i = 0; i < 32 / a_bits; i++) {
        int64_t a = (int64_t)(x->u[0] >> a_bits * i & ((1u << a_bits) - 1)),
                b = (int64_t)(x->u[1] >> 8 * (i + from) & 255);
        a -= a_signed && a >> (a_bits - 1) ? 1ll << a_bits : 0;
        b -= b_signed && b > 127 ? 256 : 0;
        total += a * b;
    }
    return (uint64_t)total;
}
REFERENCE(dot4_uu, dot(x, false, false, 0, 8))
REFERENCE(dot4_us, dot(x, false, true, 0, 8))
REFERENCE(dot4_su, dot(x, true, false, 0, 8))
REFERENCE(dot4_ss, dot(x, true, true, 0, 8))
REFERENCE(dot2_low_uu, dot(x, false, false, 0, 16))
REFERENCE(dot2_high_us, dot(x, false, true, 2, 16))
REFERENCE(dot2_high_su, dot(x, true, false, 2, 16))
REFERENCE(dot2_low_ss, dot(x, true, true, 0, 16))

static void integers_are_exact(void **state)
{
    static const struct form forms[] = {
        EXACT("add", INTEGERS, "ttt", sum),
        EXACT("sub", INTEGERS, "ttt", difference),
        EXACT("mul.lo", INTEGERS, "ttt", low_product),
        EXACT("mad.lo", INTEGERS, "tttt", low_mad),
        EXACT("mul.hi", INTEGERS, "ttt", high_half),
        EXACT("mad.hi", INTEGERS, "tttt", high_mad),
        EXACT("mul.wide", "u16 s16 u32 s32", "wtt", wide_product),
        EXACT("mad.wide", "u16 s16 u32 s32", "wttw", wide_mad),
        EXACT("div", INTEGERS, "ttt", quotient),
        EXACT("rem", INTEGERS, "ttt", rest),
        EXACT("min", INTEGERS, "ttt", smaller),
        EXACT("max", INTEGERS, "ttt", larger),
        EXACT("sad", INTEGERS, "tttt", distance),
        EXACT("abs", "s16 s32 s64", "tt", absolute),
        EXACT("neg", "s16 s32 s64", "tt", negation),
        EXACT("add.sat", "s32", "ttt", saturated_sum),
        EXACT("sub.sat", "s32", "ttt", saturated_difference),
        EXACT("mad.hi.sat", "s32", "tttt", saturated_high),
        EXACT("mul24.lo", "u32 s32", "ttt", product24),
        EXACT("mul24.hi", "u32 s32", "ttt", high24),
        EXACT("mad24.lo", "u32 s32", "tttt", low24_mad),
        EXACT("mad24.hi", "u32 s32", "tttt", high24_mad),
        EXACT("dp4a.u32", "u32", "tttt", dot4_uu),
        EXACT("dp4a.u32", "s32", "tttt", dot4_us),
        EXACT("dp4a.s32", "u32", "tttt", dot4_su),
        EXACT("dp4a.s32", "s32", "tttt", dot4_ss),
        EXACT("dp2a.lo.u32", "u32", "tttt", dot2_low_uu),
        EXACT("dp2a.hi.u32", "s32", "tttt", dot2_high_us),
        EXACT("dp2a.hi.s32", "u32", "tttt", dot2_high_su),
        EXACT("dp2a.lo.s32", "s32", "tttt", dot2_low_ss),
    };
    CHECK(forms);
}

// A number of 128 bits from two halves, as a compiler writes it.
static void carries_go_from_half_to_half(void **state)
{
    static const struct {
        const char *low, *high;
    } pairs[] = { { "add.cc.u64", "addc.u64" }, { "sub.cc.s64", "subc.s64" } };
    uint64_t seed = 7;
    for (int minus = 0; minus < 2; minus++) {
        struct lanes_bench low, high;
        bench_open(&low, pairs[minus].low, "", (const char *const[]){ "u64", "u64", "u64" }, 3);
        bench_open(&high, pairs[minus].high, "", (const char *const[]){ "u64", "u64", "u64" }, 3);
        for (int round = 0; round < 40; round++) {
            const int build = round % low.builds;
            uint64_t a[2][LANES], b[2][LANES];
            for (int i = 0; i < LANES; i++) {
                for (int half = 0; half < 2; half++) {
                    struct lanes_bench *bench = half ? &high : &low;
                    put(bench, 1, i, a[half][i] = value(&seed, "u64"));
                    put(bench, 2, i, b[half][i] = value(&seed, "u64"));
                }
            }
            low.warp.active = high.warp.active = FULL_MASK;
            low.ops[build].run(&low.warp, &low.ops[build]);
            high.warp.carry = low.warp.carry;
            high.ops[build].run(&high.warp, &high.ops[build]);
            for (int i = 0; i < LANES; i++) {
                const unsigned __int128 x = (unsigned __int128)a[1][i] << 64 | a[0][i];
                const unsigned __int128 y = (unsigned __int128)b[1][i] << 64 | b[0][i];
                const unsigned __int128 z = minus ? x - y : x + y;
                assert_int_equal(get(&low, 0, i), (uint64_t)z);
                assert_int_equal(get(&high, 0, i), (uint64_t)(z >> 64));
            }
        }
        bench_close(&low);
        bench_close(&high);
    }
}

// ---- bits ------------------------------------------------------------------------------------------------

static wide shifted(const struct values *x, bool left)
{
    wide a = left ? (wide)x->u[0] : x->v[0];
    for (uint64_t i = 0; i < x->u[1] && i < 64; i++)
        a = left ? (wide)((uint64_t)a * 2) : a >> 1;
    return x->u[1] >= x->bits && left ? 0 : a;
}
static uint64_t funnelled(const struct values *x, bool left, bool wraps)
{
    const uint64_t both = x->u[1] << 32 | x->u[0];
    uint64_t n = wraps ? x->u[2] % 32 : x->u[2] > 32 ? 32 : x->u[2], d = left ? x->u[1] : x->u[0];
    for (uint64_t i = 0; i < n; i++)
        d = left ? (d << 1 & 0xffffffff) | (both >> (31 - i) & 1) : d >> 1 | (both >> (32 + i) & 1) << 31;
    return d;
}
static uint64_t permuted(const struct values *x)
{
    uint64_t d = 0;
    for (int i = 0; i < 4; i++) {
        const unsigned pick = x->u[2] >> 4 * i & 15;
        const unsigned byte = (pick & 4 ? x->u[1] : x->u[0]) >> 8 * (pick & 3) & 255;
        d |= (uint64_t)(pick & 8 ? (byte >> 7) * 255 : byte) << 8 * i;
    }
    return d;
}
// The bytes of b:a that a mode picks, lowest first, by the two bits of its selector.
static uint64_t permuted_by(const struct values *x, const char *const *picks)
{
    uint64_t d = 0;
    for (int i = 0; i < 4; i++) {
        const int pick = picks[x->u[2] & 3][i] - '0';
        d |= ((pick > 3 ? x->u[1] : x->u[0]) >> 8 * (pick & 3) & 255) << 8 * i;
    }
    return d;
}
#define PICKS(...) permuted_by(x, (const char *const[]){ __VA_ARGS__ })
static uint64_t highest(uint64_t a)
{
    uint64_t at = ~0ull;
    for (uint64_t i = 0; i < 64; i++)
        at = a >> i & 1 ? i : at;
    return at;
}
static uint64_t find_highest(const struct values *x)
{
    return highest((uint64_t)(x->v[0] < 0 ? -1 - x->v[0] : x->v[0]));
}
static uint64_t count_bits(const struct values *x)
{
    uint64_t n = 0;
    for (int i = 0; i < 64; i++)
        n += x->u[0] >> i & 1;
    return n;
}
static uint64_t reverse(const struct values *x)
{
    uint64_t d = 0;
    for (unsigned i = 0; i < x->bits; i++)
        d |= (x->u[0] >> i & 1) << (x->bits - 1 - i);
    return d;
}
static uint64_t field(const struct values *x)
{
    const unsigned at = x->u[1] & 255, length = x->u[2] & 255, top = x->bits - 1;
    const unsigned last = at + length - 1 < top ? at + length - 1 : top;
    const uint64_t sign = !x->negative || !length ? 0 : x->u[0] >> last & 1;
    uint64_t d = 0;
    for (unsigned i = 0; i < x->bits; i++)
        d |= (i < length && at + i <= top ? x->u[0] >> (at + i) & 1 : sign) << i;
    return d;
}
static uint64_t inserted(const struct values *x) // at 5, 9 bits
{
    return (x->u[1] & ~(511ull << 5)) | (x->u[0] & 511) << 5;
}
static uint64_t nth_set(const struct values *x)
{
    const int32_t offset = (int32_t)x->u[2];
    int64_t at = (int64_t)x->u[1], count = (offset < 0 ? -(int64_t)offset : offset) - 1;
    if (!offset)
        return at < 32 && x->u[0] >> at & 1 ? (uint64_t)at : ~0ull;
    for (; at >= 0 && at<32; at += offset> 0 ? 1 : -1)
        if (x->u[0] >> at & 1 && count-- == 0)
            return (uint64_t)at;
    return ~0ull;
}
REFERENCE(conjunction, a &b)
REFERENCE(disjunction, a | b)
REFERENCE(exclusion, a ^ b)
REFERENCE(complement, ~a)
REFERENCE(is_zero, a == 0)
REFERENCE(shift_left, shifted(x, true))
REFERENCE(shift_right, shifted(x, false))
REFERENCE(funnel_left_wrap, funnelled(x, true, true))
REFERENCE(funnel_left_clamp, funnelled(x, true, false))
REFERENCE(funnel_right_wrap, funnelled(x, false, true))
REFERENCE(funnel_right_clamp, funnelled(x, false, false))
REFERENCE(permuted_f4e, PICKS("0123", "1234", "2345", "3456"))
REFERENCE(permuted_b4e, PICKS("0765", "1076", "2107", "3210"))
REFERENCE(permuted_rc8, PICKS("0000", "1111", "2222", "3333"))
REFERENCE(permuted_ecl, PICKS("0123", "1123", "2223", "3333"))
REFERENCE(permuted_ecr, PICKS("0000", "0111", "0122", "0123"))
REFERENCE(permuted_rc16, PICKS("0101", "2323", "0101", "2323"))
REFERENCE(leading_zeros, x->bits - 1 - highest(x->u[0]))
REFERENCE(shift_amount, find_highest(x) == ~0ull ? ~0ull : x->bits - 1 - find_highest(x))
REFERENCE(exclusion_of_three, a ^ b ^ c)
REFERENCE(majority, (a & b) | (a & c) | (b & c))
REFERENCE(choice_by_a, (a & b) | (~a & c))
REFERENCE(mask_wrap, ((1ull << b % 32) - 1) << a % 32)
REFERENCE(mask_clamp, ((1ull << (b > 32 ? 32 : b)) - 1) << (a > 32 ? 32 : a))

static void bits_are_exact(void **state)
{
    static const struct form forms[] = {
        EXACT("and", "b16 b32 b64 pred", "ttt", conjunction),
        EXACT("or", "b16 b32 b64 pred", "ttt", disjunction),
        EXACT("xor", "b16 b32 b64 pred", "ttt", exclusion),
        EXACT("not", "b16 b32 b64 pred", "tt", complement),
        EXACT("cnot", "b16 b32 b64", "tt", is_zero),
        EXACT("shl", "b16 b32 b64", "ttu", shift_left),
        EXACT("shr", "b16 b32 b64 " INTEGERS, "ttu", shift_right),
        EXACT("shf.l.wrap", "b32", "tttu", funnel_left_wrap),
        EXACT("shf.l.clamp", "b32", "tttu", funnel_left_clamp),
        EXACT("shf.r.wrap", "b32", "tttu", funnel_right_wrap),
        EXACT("shf.r.clamp", "b32", "tttu", funnel_right_clamp),
        EXACT("prmt", "b32", "tttt", permuted),
        EXACT("prmt.b32", "f4e", "uuuu", permuted_f4e),
        EXACT("prmt.b32", "b4e", "uuuu", permuted_b4e),
        EXACT("prmt.b32", "rc8", "uuuu", permuted_rc8),
        EXACT("prmt.b32", "ecl", "uuuu", permuted_ecl),
        EXACT("prmt.b32", "ecr", "uuuu", permuted_ecr),
        EXACT("prmt.b32", "rc16", "uuuu", permuted_rc16),
        TAILED("lop3", "b32", "tttt", exclusion_of_three, ", 0x96"),
        TAILED("lop3", "b32", "tttt", majority, ", 0xe8"),
        TAILED("lop3", "b32", "tttt", choice_by_a, ", 0xca"),
        EXACT("popc", "b32 b64", "ut", count_bits),
        EXACT("clz", "b32 b64", "ut", leading_zeros),
        EXACT("brev", "b32 b64", "tt", reverse),
        EXACT("bfind", "u32 s32 u64 s64", "ut", find_highest),
        EXACT("bfind.shiftamt", "u32 s32 u64 s64", "ut", shift_amount),
        EXACT("bfe", "u32 s32 u64 s64", "ttuu", field),
        TAILED("bfi", "b32 b64", "ttt", inserted, ", 5, 9"),
        EXACT("fns", "b32", "tttt", nth_set),
        EXACT("bmsk.wrap", "b32", "ttt", mask_wrap),
        EXACT("bmsk.clamp", "b32", "ttt", mask_clamp),
    };
    CHECK(forms);
}

// ---- comparisons -------------------------------------------------------------------------------------------

#define COMPARES_FLOATS(name, real)                                                                          \
    static uint64_t name##_float(const struct values *x)                                                     \
    {                                                                                                        \
        const double a = x->bits == 64 ? x->r[0] : x->f[0], b = x->bits == 64 ? x->r[1] : x->f[1];           \
        const bool nan = a != a || b != b;                                                                   \
        (void)nan;                                                                                           \
        return real;                                                                                         \
    }
#define COMPARES(name, integer, real)                                                                        \
    REFERENCE(name##_integer, integer)                                                                       \
    COMPARES_FLOATS(name, real)
COMPARES(eq, a == b, a == b)
COMPARES(ne, a != b, !nan && a != b)
COMPARES(lt, a < b, a < b)
COMPARES(le, a <= b, a <= b)
COMPARES(gt, a > b, a > b)
COMPARES(ge, a >= b, a >= b)
COMPARES_FLOATS(equ, nan || a == b)
COMPARES_FLOATS(neu, nan || a != b)
COMPARES_FLOATS(ltu, nan || a < b)
COMPARES_FLOATS(leu, nan || a <= b)
COMPARES_FLOATS(gtu, nan || a > b)
COMPARES_FLOATS(geu, nan || a >= b)
COMPARES_FLOATS(num, !nan)
COMPARES_FLOATS(nan, nan)
REFERENCE(lt_and, a < b && (c & 1))
REFERENCE(ge_or, a >= b || (c & 1))
REFERENCE(eq_xor, (a == b) != (c & 1))
REFERENCE(lt_mask, a < b ? 0xffffffff : 0)
REFERENCE(less_float_mask, x->f[0] < x->f[1] ? 0xffffffff : 0)
REFERENCE(less_float_one, x->f[0] < x->f[1] ? 0x3f800000 : 0)
REFERENCE(half_less, widened(x->u[0], false) < widened(x->u[1], false))
REFERENCE(brain_greater, widened(x->u[0], true) > widened(x->u[1], true))
REFERENCE(chosen, c & 1 ? x->u[0] : x->u[1])
REFERENCE(chosen_by_sign, (int32_t)x->u[2] >= 0 ? x->u[0] : x->u[1])
REFERENCE(chosen_by_float, x->f[2] >= 0 ? x->u[0] : x->u[1])

#define BOTH(name)                                                                                           \
    EXACT("setp." #name, INTEGERS, "ptt", name##_integer),                                                   \
        EXACT("setp." #name, "f32 f64", "ptt", name##_float)
#define UNORDERED(name) EXACT("setp." #name, "f32 f64", "ptt", name##_float)
static void comparisons_are_exact(void **state)
{
    static const struct form forms[] = {
        BOTH(eq),
        BOTH(ne),
        BOTH(lt),
        BOTH(le),
        BOTH(gt),
        BOTH(ge),
        EXACT("setp.eq", "b16 b32 b64", "ptt", eq_integer),
        EXACT("setp.ne", "b16 b32 b64", "ptt", ne_integer),
        EXACT("setp.lo", "u16 u32 u64", "ptt", lt_integer),
        EXACT("setp.ls", "u16 u32 u64", "ptt", le_integer),
        EXACT("setp.hi", "u16 u32 u64", "ptt", gt_integer),
        EXACT("setp.hs", "u16 u32 u64", "ptt", ge_integer),
        UNORDERED(equ),
        UNORDERED(neu),
        UNORDERED(ltu),
        UNORDERED(leu),
        UNORDERED(gtu),
        UNORDERED(geu),
        UNORDERED(num),
        UNORDERED(nan),
        EXACT("setp.lt.and", INTEGERS, "pttp", lt_and),
        EXACT("setp.ge.or", INTEGERS, "pttp", ge_or),
        EXACT("setp.eq.xor", INTEGERS, "pttp", eq_xor),
        EXACT("setp.lt", "f16", "phh", half_less),
        EXACT("setp.gt", "bf16", "phh", brain_greater),
        EXACT("set.lt.u32", INTEGERS, "utt", lt_mask),
        EXACT("set.lt.u32", "f32", "utt", less_float_mask),
        EXACT("set.lt.f32", "f32", "ftt", less_float_one),
        EXACT("selp", "b16 b32 b64 u16 s32 u64 f32 f64", "tttp", chosen),
        EXACT("slct.b32", "s32", "uuut", chosen_by_sign),
        EXACT("slct.u64", "s32", "lllt", chosen_by_sign),
        EXACT("slct.f32", "f32", "tttt", chosen_by_float),
    };
    CHECK(forms);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers_are_exact),
        cmocka_unit_test(carries_go_from_half_to_half),
        cmocka_unit_test(bits_are_exact),
        cmocka_unit_test(comparisons_are_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
