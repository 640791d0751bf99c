// Operations that compilers seldom write: carries, pairs, saturation, flushing, orders with NaN, narrow conversions.
#include "tests/unit/sim_lanes.h"

// ---- integers --------------------------------------------------------------------------------------------

static uint64_t clamp32(wide x)
{
    return (uint64_t)(x > INT32_MAX ? INT32_MAX : x < INT32_MIN ? INT32_MIN : x);
}
static wide low24(uint64_t a)
{
    return (wide)((int64_t)(a << 40) >> 40);
}
static wide positive(wide x)
{
    return x < 0 ? 0 : x;
}
REFERENCE(smaller_or_zero, positive(a < b ? a : b))
REFERENCE(larger_or_zero, positive(a > b ? a : b))
REFERENCE(saturated_high24, clamp32((wide)(int32_t)(low24(x->u[0]) * low24(x->u[1]) >> 16) + c))

// One operation on both halves; `kind`: 's' minimum, 'l' maximum, '+' sum; below 0 becomes 0 where `relu`.
static uint64_t of_pairs(const struct values *x, char kind, bool negative, bool relu)
{
    uint64_t d = 0;
    for (int i = 0; i < 32; i += 16) {
        int32_t a = x->u[0] >> i & 0xffff, b = x->u[1] >> i & 0xffff;
        a -= negative && a > 32767 ? 65536 : 0;
        b -= negative && b > 32767 ? 65536 : 0;
        int32_t one = kind == '+' ? a + b : (a < b) == (kind == 's') ? a : b;
        one = relu && one < 0 ? 0 : one;
        d |= (uint64_t)(one & 0xffff) << i;
    }
    return d;
}
REFERENCE(pair_sum, of_pairs(x, '+', false, false))
REFERENCE(pair_least_u, of_pairs(x, 's', false, false))
REFERENCE(pair_most_u, of_pairs(x, 'l', false, false))
REFERENCE(pair_least_s, of_pairs(x, 's', true, false))
REFERENCE(pair_most_s, of_pairs(x, 'l', true, false))
REFERENCE(pair_least_relu, of_pairs(x, 's', true, true))
REFERENCE(pair_most_relu, of_pairs(x, 'l', true, true))

// The smaller or larger of each of four bytes; the third operand is only for masked bytes.
static uint64_t of_bytes(const struct values *x, bool larger, bool negative)
{
    uint64_t d = 0;
    for (int i = 0; i < 32; i += 8) {
        int32_t a = x->u[0] >> i & 0xff, b = x->u[1] >> i & 0xff;
        a -= negative && a > 127 ? 256 : 0;
        b -= negative && b > 127 ? 256 : 0;
        d |= (uint64_t)((larger == (a > b) ? a : b) & 0xff) << i;
    }
    return d;
}
REFERENCE(bytes_least_u, of_bytes(x, false, false))
REFERENCE(bytes_most_u, of_bytes(x, true, false))
REFERENCE(bytes_least_s, of_bytes(x, false, true))
REFERENCE(bytes_most_s, of_bytes(x, true, true))

static uint64_t dot2(const struct values *x, bool a_signed, bool b_signed, int from)
{
    int64_t total = (int64_t)x->u[2];
    for (int i = 0; i < 2; i++) {
        const uint64_t a = x->u[0] >> 16 * i & 0xffff, b = x->u[1] >> 8 * (i + from) & 0xff;
        total += (a_signed ? (int64_t)(int16_t)a : (int64_t)a) * (b_signed ? (int64_t)(int8_t)b : (int64_t)b);
    }
    return (uint64_t)total;
}
REFERENCE(dot2_high_uu, dot2(x, false, false, 2))
REFERENCE(dot2_low_us, dot2(x, false, true, 0))
REFERENCE(dot2_low_su, dot2(x, true, false, 0))
REFERENCE(dot2_high_ss, dot2(x, true, true, 2))

// The lowest n bits; what lies above them is 0 or the sign.
static uint64_t extended(uint64_t a, uint64_t n, bool negative)
{
    if (n == 0)
        return 0;
    for (uint64_t i = n; i < 32; i++)
        a = (a & ~(1ull << i)) | (negative ? (a >> (n - 1) & 1) << i : 0);
    return a;
}
REFERENCE(extended_wrap_u, extended(x->u[0], x->u[1] % 32, false))
REFERENCE(extended_wrap_s, extended(x->u[0], x->u[1] % 32, true))
REFERENCE(extended_clamp_u, extended(x->u[0], x->u[1] < 32 ? x->u[1] : 32, false))
REFERENCE(extended_clamp_s, extended(x->u[0], x->u[1] < 32 ? x->u[1] : 32, true))

static void integers_are_exact(void **state)
{
    static const struct form forms[] = {
        EXACT("min.relu", "s32", "ttt", smaller_or_zero),
        EXACT("max.relu", "s32", "ttt", larger_or_zero),
        EXACT("mad24.hi.sat", "s32", "tttt", saturated_high24),
        EXACT("add.u16x2", "-", "uuu", pair_sum),
        EXACT("add.s16x2", "-", "uuu", pair_sum),
        EXACT("min.u16x2", "-", "uuu", pair_least_u),
        EXACT("max.u16x2", "-", "uuu", pair_most_u),
        EXACT("min.s16x2", "-", "uuu", pair_least_s),
        EXACT("max.s16x2", "-", "uuu", pair_most_s),
        EXACT("min.relu.s16x2", "-", "uuu", pair_least_relu),
        EXACT("max.relu.s16x2", "-", "uuu", pair_most_relu),
        EXACT("vmin4.u32.u32", "u32", "tttt", bytes_least_u),
        EXACT("vmax4.u32.u32", "u32", "tttt", bytes_most_u),
        EXACT("vmin4.s32.s32", "s32", "tttt", bytes_least_s),
        EXACT("vmax4.s32.s32", "s32", "tttt", bytes_most_s),
        EXACT("dp2a.hi.u32.u32", "-", "uuuu", dot2_high_uu),
        EXACT("dp2a.lo.u32.s32", "-", "uuuu", dot2_low_us),
        EXACT("dp2a.lo.s32.u32", "-", "uuuu", dot2_low_su),
        EXACT("dp2a.hi.s32.s32", "-", "uuuu", dot2_high_ss),
        EXACT("szext.wrap.u32", "-", "uuu", extended_wrap_u),
        EXACT("szext.wrap.s32", "-", "uuu", extended_wrap_s),
        EXACT("szext.clamp.u32", "-", "uuu", extended_clamp_u),
        EXACT("szext.clamp.s32", "-", "uuu", extended_clamp_s),
    };
    CHECK(forms);
}

// ---- carries ---------------------------------------------------------------------------------------------

// Half `high` of a product, and what its instruction adds: all in 128 bits, of which the carry is one.
struct chain {
    const char *name; // with its type
    char kind;        // '+', '-', 'l' low product, 'h' high product
    bool in, out;
};

static unsigned __int128 chain_value(const struct chain *chain, const uint64_t *u, unsigned bits,
                                     bool negative, unsigned carry)
{
    const unsigned __int128 mask = ((unsigned __int128)1 << bits) - 1;
    const unsigned spare = 64 - bits;
    if (chain->kind == '+')
        return (unsigned __int128)u[0] + u[1] + carry;
    if (chain->kind == '-')
        return (unsigned __int128)u[0] - u[1] - carry;
    const unsigned __int128 product = negative
                                          ? (unsigned __int128)((wide)((int64_t)(u[0] << spare) >> spare) *
                                                                ((int64_t)(u[1] << spare) >> spare))
                                          : (unsigned __int128)u[0] * u[1];
    return ((chain->kind == 'h' ? product >> bits : product) & mask) + u[2] + carry;
}

static void check_chain(const struct chain *chain, const char *type)
{
    struct lanes_bench b;
    char name[40];
    uint64_t seed = 99;
    const bool product = chain->kind == 'l' || chain->kind == 'h';
    const unsigned bits = bits_of(type);
    snprintf(name, sizeof name, "%s.%s", chain->name, type);
    bench_open(&b, name, "", (const char *const[]){ type, type, type, type }, product ? 4 : 3);
    for (int round = 0; round < 80; round++) {
        const int build = round % b.builds;
        uint64_t in[LANES][3] = { { 0 } };
        const uint32_t carry = (uint32_t)random_bits(&seed), before = 0x5a5a5a5a;
        b.warp.active = round & 2 ? FULL_MASK : (uint32_t)random_bits(&seed);
        b.warp.carry = carry;
        warp_expand(&b.warp);
        for (int i = 0; i < LANES; i++) {
            put(&b, 0, i, before);
            for (int k = 1; k < b.count; k++)
                put(&b, k, i, in[i][k - 1] = value(&seed, type));
        }
        b.ops[build].run(&b.warp, &b.ops[build]);
        for (int i = 0; i < LANES; i++) {
            const bool on = b.warp.active >> i & 1;
            const unsigned __int128 want =
                chain_value(chain, in[i], bits, *type == 's', chain->in ? carry >> i & 1 : 0);
            const uint64_t low = bits == 64 ? (uint64_t)want : (uint64_t)want & 0xffffffff;
            const uint64_t out = on && chain->out ? (uint64_t)(want >> bits & 1) : carry >> i & 1;
            if (get(&b, 0, i) != (on ? low : before) || (b.warp.carry >> i & 1) != out)
                fail_msg(
                    "%s of %llx, %llx, %llx with carry %u in lane %d gave %llx with %u, not %llx with %llu",
                    name, (unsigned long long)in[i][0], (unsigned long long)in[i][1],
                    (unsigned long long)in[i][2], carry >> i & 1, i, (unsigned long long)get(&b, 0, i),
                    b.warp.carry >> i & 1, (unsigned long long)low, (unsigned long long)out);
        }
    }
    bench_close(&b);
}

static void carries_come_and_go(void **state)
{
    static const struct chain chains[] = {
        { "add.cc", '+', false, true },    { "addc", '+', true, false },    { "addc.cc", '+', true, true },
        { "sub.cc", '-', false, true },    { "subc", '-', true, false },    { "subc.cc", '-', true, true },
        { "mad.lo.cc", 'l', false, true }, { "madc.lo", 'l', true, false }, { "madc.lo.cc", 'l', true, true },
        { "mad.hi.cc", 'h', false, true }, { "madc.hi", 'h', true, false }, { "madc.hi.cc", 'h', true, true },
    };
    static const char *const types[] = { "u32", "s32", "u64", "s64" };
    for (size_t i = 0; i < sizeof chains / sizeof *chains; i++)
        for (int t = 0; t < 4; t++)
            check_chain(&chains[i], types[t]);
}

// ---- floating point --------------------------------------------------------------------------------------

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
// -0 is less than 0 here; a NaN gives way to a number.
static float in_order(float a, float b, bool most)
{
    if (a != a || b != b)
        return a != a ? b : a;
    if (a == b)
        return !signbit(a) == most ? a : b;
    return (a > b) == most ? a : b;
}
// `flags`: n keeps NaN, x takes sizes and crosses the signs, z flushes.
static uint64_t ordered(const struct values *x, bool most, const char *flags)
{
    float a = x->f[0], b = x->f[1];
    if (strchr(flags, 'z')) {
        a = zeroed(a);
        b = zeroed(b);
    }
    float chosen = in_order(a, b, most);
    if (strchr(flags, 'x'))
        chosen = copysignf(in_order(fabsf(a), fabsf(b), most), !signbit(a) == !signbit(b) ? 1.0f : -1.0f);
    return single(strchr(flags, 'n') && (a != a || b != b) ? NAN : chosen);
}
#define ORDERED(name, flags)                                                                                 \
    REFERENCE(least_##name, ordered(x, false, flags))                                                        \
    REFERENCE(most_##name, ordered(x, true, flags))
ORDERED(z, "z")
ORDERED(n, "n")
ORDERED(nz, "nz")
ORDERED(x, "x")
ORDERED(xz, "xz")
ORDERED(nx, "nx")
ORDERED(nxz, "nxz")
#define FLUSHED(name, value)                                                                                 \
    static uint64_t name(const struct values *x)                                                             \
    {                                                                                                        \
        const volatile float a = zeroed(x->f[0]), b = zeroed(x->f[1]);                                       \
        (void)a, (void)b;                                                                                    \
        return single(zeroed(value));                                                                        \
    }
FLUSHED(flushed_difference, a - b)
FLUSHED(flushed_reciprocal, 1 / a)
FLUSHED(flushed_root, sqrtf(a))
REFERENCE(reciprocal_root, single((float)(1 / sqrt(x->f[0]))))
REFERENCE(double_reciprocal_root, full(1 / sqrt(x->r[0])))
static uint64_t flushed_bits(uint64_t bits)
{
    return bits & 0x7f800000 ? bits : bits & 0x80000000;
}
REFERENCE(flushed_negation, flushed_bits(x->u[0] ^ 0x80000000))
REFERENCE(flushed_size, flushed_bits(x->u[0] & 0x7fffffff))

static void floats_are_exact(void **state)
{
    static const struct form forms[] = {
        EXACT("sub.ftz", "f32", "ttt", flushed_difference),
        EXACT("rcp.approx.ftz", "f32", "tt", flushed_reciprocal),
        EXACT("rcp.rn.ftz", "f32", "tt", flushed_reciprocal),
        EXACT("sqrt.approx.ftz", "f32", "tt", flushed_root),
        EXACT("rsqrt.approx", "f32", "tt", reciprocal_root),
        EXACT("rsqrt.approx", "f64", "tt", double_reciprocal_root),
        EXACT("neg.ftz", "f32", "tt", flushed_negation),
        EXACT("abs.ftz", "f32", "tt", flushed_size),
        EXACT("min.ftz", "f32", "ttt", least_z),
        EXACT("max.ftz", "f32", "ttt", most_z),
        EXACT("min.NaN", "f32", "ttt", least_n),
        EXACT("max.NaN", "f32", "ttt", most_n),
        EXACT("min.ftz.NaN", "f32", "ttt", least_nz),
        EXACT("max.ftz.NaN", "f32", "ttt", most_nz),
        EXACT("min.xorsign.abs", "f32", "ttt", least_x),
        EXACT("max.xorsign.abs", "f32", "ttt", most_x),
        EXACT("min.ftz.xorsign.abs", "f32", "ttt", least_xz),
        EXACT("max.ftz.xorsign.abs", "f32", "ttt", most_xz),
        EXACT("min.NaN.xorsign.abs", "f32", "ttt", least_nx),
        EXACT("max.NaN.xorsign.abs", "f32", "ttt", most_nx),
        EXACT("min.ftz.NaN.xorsign.abs", "f32", "ttt", least_nxz),
        EXACT("max.ftz.NaN.xorsign.abs", "f32", "ttt", most_nxz),
    };
    CHECK(forms);
}

// ---- comparisons -----------------------------------------------------------------------------------------

// relation: of the flushed operands; 'u' after it: also when there is a NaN.
static bool relates(const char *relation, double a, double b)
{
    const bool nan = a != a || b != b, also = relation[2] == 'u';
    const char *known[] = { "eq", "ne", "lt", "le", "gt", "ge" };
    const bool holds[] = { a == b, a < b || a > b, a < b, a == b || a<b, a> b, a == b || a > b };
    if (!strcmp(relation, "num") || !strcmp(relation, "nan"))
        return nan == (relation[1] == 'a');
    for (int i = 0; i < 6; i++)
        if (!strncmp(relation, known[i], 2))
            return nan ? also : holds[i];
    return false;
}
#define RELATION(name)                                                                                       \
    REFERENCE(name##_z, relates(#name, zeroed(x->f[0]), zeroed(x->f[1])))                                    \
    REFERENCE(name##_mask, relates(#name, x->f[0], x->f[1]) ? 0xffffffff : 0)                                \
    REFERENCE(name##_one, relates(#name, zeroed(x->f[0]), zeroed(x->f[1])) ? 0x3f800000 : 0)                 \
    REFERENCE(name##_wide, relates(#name, x->r[0], x->r[1]) ? 0xffffffff : 0)
#define RELATION_FORMS(name)                                                                                 \
    EXACT("setp." #name ".ftz.f32", "-", "pff", name##_z),                                                   \
        EXACT("set." #name ".u32.f32", "-", "uff", name##_mask),                                             \
        EXACT("set." #name ".ftz.f32.f32", "-", "fff", name##_one),                                          \
        EXACT("set." #name ".s32.f64", "-", "udd", name##_wide)
RELATION(eq)
RELATION(ne)
RELATION(lt)
RELATION(le)
RELATION(gt)
RELATION(ge)
RELATION(equ)
RELATION(neu)
RELATION(ltu)
RELATION(leu)
RELATION(gtu)
RELATION(geu)
RELATION(num)
RELATION(nan)
REFERENCE(differs, a != b ? 0xffffffff : 0)
REFERENCE(differs_and, a != b && (c & 1) ? 0xffffffff : 0)
REFERENCE(chosen_by_float, x->f[2] >= 0 ? x->u[0] : x->u[1])
REFERENCE(chosen_by_flushed, zeroed(x->f[2]) >= 0 ? x->u[0] : x->u[1])

static void comparisons_are_exact(void **state)
{
    static const struct form forms[] = {
        RELATION_FORMS(eq),
        RELATION_FORMS(ne),
        RELATION_FORMS(lt),
        RELATION_FORMS(le),
        RELATION_FORMS(gt),
        RELATION_FORMS(ge),
        RELATION_FORMS(equ),
        RELATION_FORMS(neu),
        RELATION_FORMS(ltu),
        RELATION_FORMS(leu),
        RELATION_FORMS(gtu),
        RELATION_FORMS(geu),
        RELATION_FORMS(num),
        RELATION_FORMS(nan),
        EXACT("set.ne.u32", INTEGERS, "utt", differs),
        EXACT("set.ne.and.u32", INTEGERS, "uttp", differs_and),
        EXACT("slct.u64.f32", "-", "lllf", chosen_by_float),
        EXACT("slct.ftz.u64.f32", "-", "lllf", chosen_by_flushed),
        EXACT("slct.ftz.b32.f32", "-", "uuuf", chosen_by_flushed),
    };
    CHECK(forms);
}

// ---- conversions -----------------------------------------------------------------------------------------

REFERENCE(low_byte, x->u[0] & 0xff)
REFERENCE(low_byte_signed, (int64_t)(int8_t)x->u[0])
REFERENCE(from_bf16, x->u[0] << 16) // a NaN keeps what it says
static uint64_t clamped(int64_t value, unsigned bits, bool negative)
{
    const int64_t most = (1ll << (bits - (negative ? 1 : 0))) - 1, least = negative ? -most - 1 : 0;
    return (uint64_t)(value > most ? most : value < least ? least : value) & ((1ull << bits) - 1);
}
static uint64_t packed(const struct values *x, unsigned bits, bool negative, bool above)
{
    return clamped((int32_t)x->u[0], bits, negative) << bits | clamped((int32_t)x->u[1], bits, negative) |
           (above ? x->u[2] << 2 * bits : 0);
}
REFERENCE(packed_u16, packed(x, 16, false, false))
REFERENCE(packed_s16, packed(x, 16, true, false))
REFERENCE(packed_u8, packed(x, 8, false, true))
REFERENCE(packed_s8, packed(x, 8, true, true))
REFERENCE(byte_to_float, single((float)(x->u[0] & 0xff)))
static uint64_t float_to_byte(const struct values *x)
{
    const float a = x->f[0];
    return a != a ? 0 : a >= 255 ? 255 : a <= 0 ? 0 : (uint64_t)a;
}
REFERENCE(flushed_double, full((double)zeroed(x->f[0])))
static uint64_t within_one(const struct values *x)
{
    const double a = x->r[0];
    return full(a != a || a <= 0 ? 0 : a > 1 ? 1 : a);
}

static void conversions_are_exact(void **state)
{
    static const struct form forms[] = {
        EXACT("cvt.u16.u8", "-", "hh", low_byte),
        EXACT("cvt.u32.u8", "-", "uh", low_byte),
        EXACT("cvt.u64.u8", "-", "lh", low_byte),
        EXACT("cvt.u32.u8", "-", "uu", low_byte),
        EXACT("cvt.s16.s8", "-", "hh", low_byte_signed),
        EXACT("cvt.s32.s8", "-", "uh", low_byte_signed),
        EXACT("cvt.s64.s8", "-", "lh", low_byte_signed),
        EXACT("cvt.s32.s8", "-", "uu", low_byte_signed),
        EXACT("cvt.u8.u32", "-", "hu", low_byte),
        EXACT("cvt.rn.f32.u8", "-", "fh", byte_to_float),
        EXACT("cvt.rzi.u8.f32", "-", "hf", float_to_byte),
        EXACT("cvt.f32.bf16", "-", "fh", from_bf16),
        EXACT("cvt.ftz.f64.f32", "-", "df", flushed_double),
        EXACT("cvt.sat.f64.f64", "-", "dd", within_one),
        EXACT("cvt.pack.sat.u16.s32", "-", "uuu", packed_u16),
        EXACT("cvt.pack.sat.s16.s32", "-", "uuu", packed_s16),
        EXACT("cvt.pack.sat.u8.s32.b32", "-", "uuuu", packed_u8),
        EXACT("cvt.pack.sat.s8.s32.b32", "-", "uuuu", packed_s8),
    };
    CHECK(forms);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers_are_exact),    cmocka_unit_test(carries_come_and_go),
        cmocka_unit_test(floats_are_exact),      cmocka_unit_test(comparisons_are_exact),
        cmocka_unit_test(conversions_are_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
