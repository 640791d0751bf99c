// f32 and f64 arithmetic on 32 lanes, rounded once as IEEE 754 demands. An f32 result that is NaN is the canonical
// NaN of NVIDIA's GPUs; f64 keeps the operands' payload. The .approx and .full forms are as exact as possible
// (division, reciprocals and roots are correctly rounded), so they may differ from a GPU's results in the last bits.
#include "engine/sim/lanes/lanes.h"

// ---- arithmetic ----------------------------------------------------------------------------------------

// Defines an f32 operation twice: `name`, and `name_ftz`, which flushes subnormal operands and results.
#define UNARY_F32(name, f)                                                                                   \
    LANES_1(name##_f32, f32, f32, one_nan(f(a)))                                                             \
    LANES_1(name##_ftz_f32, f32, f32, flush(one_nan(f(flush(a)))))
#define BINARY_F32(name, f)                                                                                  \
    LANES_2(name##_f32, f32, f32, f32, one_nan(f(a, b)))                                                     \
    LANES_2(name##_ftz_f32, f32, f32, f32, flush(one_nan(f(flush(a), flush(b)))))

#define SUM(a, b) ((a) + (b))
#define DIFFERENCE(a, b) ((a) - (b))
#define PRODUCT(a, b) ((a) * (b))
#define QUOTIENT(a, b) ((a) / (b))
BINARY_F32(add, SUM)
BINARY_F32(sub, DIFFERENCE)
BINARY_F32(mul, PRODUCT)
BINARY_F32(div, QUOTIENT)
LANES_3(fma_f32, f32, f32, f32, f32, one_nan(__builtin_fmaf(a, b, c)))
LANES_3(fma_ftz_f32, f32, f32, f32, f32, flush(one_nan(__builtin_fmaf(flush(a), flush(b), flush(c)))))
LANES_2(add_f64, f64, f64, f64, a + b)
LANES_2(sub_f64, f64, f64, f64, a - b)
LANES_2(mul_f64, f64, f64, f64, a *b)
LANES_2(div_f64, f64, f64, f64, a / b)
LANES_3(fma_f64, f64, f64, f64, f64, __builtin_fma(a, b, c))

#define RECIPROCAL(a) (1.0f / (a))
#define RECIPROCAL_ROOT(a) ((float)(1.0 / sqrt((double)(a))))
UNARY_F32(rcp, RECIPROCAL)
UNARY_F32(sqrt, sqrtf)
UNARY_F32(rsqrt, RECIPROCAL_ROOT)
LANES_1(rcp_f64, f64, f64, 1.0 / a)
LANES_1(sqrt_f64, f64, f64, sqrt(a))
LANES_1(rsqrt_f64, f64, f64, 1.0 / sqrt(a))
// rcp.approx.ftz.f64 and rsqrt.approx.ftz.f64 read and write only the upper 32 bits.
INLINE double upper(double x)
{
    const uint64_t bits = bits_of_f64(x) & 0xffffffff00000000;
    return f64_of_bits(bits & 0x7ff0000000000000 ? bits : bits & 0x8000000000000000);
}
LANES_1(rcp_approx_f64, f64, f64, upper(1.0 / upper(a)))
LANES_1(rsqrt_approx_f64, f64, f64, upper(1.0 / sqrt(upper(a))))

UNARY_F32(lg2, log2f)
UNARY_F32(sin, sinf)
UNARY_F32(cos, cosf)
LANES_1(tanh_f32, f32, f32, one_nan((float)tanh((double)a)))

// ---- powers of two ----------------------------------------------------------------------------------------

// 2^x in f64, by the series of e^(x ln 2) around the nearest integer. It is off by less than 2^-35 of the value, and exp2f's
// before rounding by less than 2^-8 of a unit in the last place: so rounded it is the same, unless it lies as near as that to
// the middle of two results. Returns the lanes in which it does, or in which the result may be subnormal, infinite or a NaN.
#if LANES_BUILD
#define TIMES_PLUS(x, y, z) __builtin_fma(x, y, z)
#else
#define TIMES_PLUS(x, y, z) ((x) * (y) + (z))
#endif
static uint32_t find_powers(const float *restrict from, float *restrict to)
{
    const double ln2 = 0x1.62e42fefa39efp-1, to_integer = 0x1.8p52, most = 126;
    const uint64_t lost = (1u << 29) - 1, middle = 1u << 28,
                   near = 1u << 21; // bits of f64 below those of f32
    uint64_t unsure[LANES];
    uint32_t lanes = 0;
    LANES_LOOP
    {
        const double x = (double)from[i], shifted = x + to_integer, z = (x - (shifted - to_integer)) * ln2;
        double sum = 1.0 / 362880;
        sum = TIMES_PLUS(sum, z, 1.0 / 40320);
        sum = TIMES_PLUS(sum, z, 1.0 / 5040);
        sum = TIMES_PLUS(sum, z, 1.0 / 720);
        sum = TIMES_PLUS(sum, z, 1.0 / 120);
        sum = TIMES_PLUS(sum, z, 1.0 / 24);
        sum = TIMES_PLUS(sum, z, 1.0 / 6);
        sum = TIMES_PLUS(sum, z, 0.5);
        sum = TIMES_PLUS(sum, z, 1.0);
        sum = TIMES_PLUS(sum, z, 1.0);
        const uint64_t bits = bits_of_f64(sum) + (bits_of_f64(shifted) << 52);
        to[i] = (float)f64_of_bits(bits);
        unsure[i] = (uint64_t)((bits & lost) - (middle - near) < 2 * near) | (uint64_t) !(fabs(x) < most);
    }
    for (int i = 0; i < LANES; i++)
        lanes |= (uint32_t)unsure[i] << i;
    return lanes;
}
static void powers_of_two(const struct warp *w, float *restrict from, float *restrict to)
{
    for (uint32_t left = find_powers(from, to) & w->active; left; left &= left - 1)
        to[__builtin_ctz(left)] = exp2f(from[__builtin_ctz(left)]);
}
static void ex2_f32(struct warp *w, const struct op *op)
{
    float from[LANES], power[LANES];
    memcpy(from, LANES_ROW(f32, op->a), sizeof from);
    powers_of_two(w, from, power);
    LANES_EACH(f32, , one_nan(power[i]))
}
static void ex2_ftz_f32(struct warp *w, const struct op *op)
{
    float from[LANES], power[LANES];
    memcpy(from, LANES_ROW(f32, op->a), sizeof from);
    LANES_LOOP from[i] = flush(from[i]);
    powers_of_two(w, from, power);
    LANES_EACH(f32, , flush(one_nan(power[i])))
}

// ---- signs, order --------------------------------------------------------------------------------------

#define SIGN_F64 0x8000000000000000u
LANES_1(neg_f32, u32, u32, a ^ SIGN_F32)
LANES_1(abs_f32, u32, u32, a & ~SIGN_F32)
LANES_1(neg_ftz_f32, f32, u32, flush(f32_of_bits(a ^ SIGN_F32)))
LANES_1(abs_ftz_f32, f32, u32, flush(f32_of_bits(a & ~SIGN_F32)))
LANES_1(neg_f64, u64, u64, a ^ SIGN_F64)
LANES_1(abs_f64, u64, u64, a & ~SIGN_F64)
// The sign of a with the absolute value of b.
LANES_2(copysign_f32, u32, u32, u32, (a & SIGN_F32) | (b & ~SIGN_F32))
LANES_2(copysign_f64, u64, u64, u64, (a & SIGN_F64) | (b & ~SIGN_F64))

#define LEAST_NAN(a, b) keep_nan(a, b, least_float(a, b))
#define MOST_NAN(a, b) keep_nan(a, b, most_float(a, b))
#define LEAST_CROSSED(a, b) crossed(a, b, least_float(fabsf(a), fabsf(b)))
#define MOST_CROSSED(a, b) crossed(a, b, most_float(fabsf(a), fabsf(b)))
#define LEAST_NAN_CROSSED(a, b) keep_nan(a, b, LEAST_CROSSED(a, b))
#define MOST_NAN_CROSSED(a, b) keep_nan(a, b, MOST_CROSSED(a, b))
BINARY_F32(min, least_float)
BINARY_F32(max, most_float)
BINARY_F32(min_nan, LEAST_NAN)
BINARY_F32(max_nan, MOST_NAN)
BINARY_F32(min_crossed, LEAST_CROSSED)
BINARY_F32(max_crossed, MOST_CROSSED)
BINARY_F32(min_nan_crossed, LEAST_NAN_CROSSED)
BINARY_F32(max_nan_crossed, MOST_NAN_CROSSED)
LANES_2(min_f64, f64, f64, f64, least_double(a, b))
LANES_2(max_f64, f64, f64, f64, most_double(a, b))

// ---- testp: a zero counts as normal --------------------------------------------------------------------

#define TESTS(name, U, condition)                                                                            \
    static void name##_##U(struct warp *w, const struct op *op)                                              \
    {                                                                                                        \
        const row_##U *const ra = LANES_ROW(U, op->a);                                                       \
        const uint64_t infinity = sizeof(row_##U) == 8 ? 0x7ff0000000000000 : 0x7f800000;                    \
        uint32_t bits = 0;                                                                                   \
        for (int i = 0; i < LANES; i++) {                                                                    \
            const uint64_t size = ra[i] & (row_##U) ~(row_##U)0 >> 1;                                        \
            bits |= (uint32_t)(condition) << i;                                                              \
        }                                                                                                    \
        set_predicate(w, op->d, bits);                                                                       \
    }
#define X(U)                                                                                                 \
    TESTS(finite, U, size < infinity)                                                                        \
    TESTS(infinite, U, size == infinity)                                                                     \
    TESTS(number, U, size <= infinity)                                                                       \
    TESTS(notanumber, U, size > infinity)                                                                    \
    TESTS(normal, U, size == 0 || ((size & infinity) != 0 && size < infinity))                               \
    TESTS(subnormal, U, size != 0 && (size & infinity) == 0)
X(u32)
X(u64)
#undef X

// ---- rounding modes and saturation ---------------------------------------------------------------------

// Runs the handler in imm with the rounding mode and the saturation in `sub`.
enum { MODE_SAT = 1, MODE_F64 = 2, MODE_ROUNDING = 4 };
// A mode is an index here: the numbers of <fenv.h> do not fit `sub` on every processor.
static const int roundings[] = { FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD };
static unsigned rounding_index(int mode)
{
    unsigned i = 0;
    while (roundings[i] != mode)
        i++;
    return i;
}
LANES_1(saturate_f32, f32, f32, saturate(a))
LANES_1(saturate_double, f64, f64, saturate_f64(a))
static void in_mode(struct warp *w, const struct op *op)
{
    const lanes_fn run = (lanes_fn)(uintptr_t)op->imm;
    const int mode = roundings[op->sub / MODE_ROUNDING];
    const bool rounds = mode != FE_TONEAREST;
    if (rounds)
        (void)fesetround(mode);
    run(w, op);
    if (rounds)
        (void)fesetround(FE_TONEAREST);
    if (op->sub & MODE_SAT) {
        struct op again = { .d = op->d, .a = op->d };
        (op->sub & MODE_F64 ? saturate_double : saturate_f32)(w, &again);
    }
}

// ---- the table -----------------------------------------------------------------------------------------

#define ROWS_FTZ(name, shape, run)                                                                           \
    ENTRY(name ".f32", shape, run##_f32), ENTRY(name ".ftz.f32", shape, run##_ftz_f32)
#define ROWS_FLOAT(name, shape, run) ROWS_FTZ(name, shape, run), ENTRY(name ".f64", shape, run##_f64)
#define ROWS_TEST(name)                                                                                      \
    ENTRY("testp." #name ".f32", "pt", name##_u32), ENTRY("testp." #name ".f64", "pt", name##_u64)
static const struct lanes_row rows[] = {
    ROWS_FLOAT("add", "ttt", add),
    ROWS_FLOAT("sub", "ttt", sub),
    ROWS_FLOAT("mul", "ttt", mul),
    ROWS_FLOAT("fma", "tttt", fma),
    ROWS_FLOAT("mad", "tttt", fma),
    ROWS_FLOAT("div", "ttt", div),
    ROWS_FTZ("div.approx", "ttt", div),
    ROWS_FTZ("div.full", "ttt", div),
    ROWS_FLOAT("rcp", "tt", rcp),
    ROWS_FTZ("rcp.approx", "tt", rcp),
    { "rcp.approx.ftz.f64", "tt", rcp_approx_f64 },
    ROWS_FLOAT("sqrt", "tt", sqrt),
    ROWS_FTZ("sqrt.approx", "tt", sqrt),
    ROWS_FTZ("rsqrt.approx", "tt", rsqrt),
    { "rsqrt.approx.f64", "tt", rsqrt_f64 },
    { "rsqrt.approx.ftz.f64", "tt", rsqrt_approx_f64 },
    ROWS_FTZ("ex2.approx", "tt", ex2),
    ROWS_FTZ("lg2.approx", "tt", lg2),
    ROWS_FTZ("sin.approx", "tt", sin),
    ROWS_FTZ("cos.approx", "tt", cos),
    { "tanh.approx.f32", "tt", tanh_f32 },
    ROWS_FLOAT("neg", "tt", neg),
    ROWS_FLOAT("abs", "tt", abs),
    { "copysign.f32", "ttt", copysign_f32 },
    { "copysign.f64", "ttt", copysign_f64 },
    ROWS_FLOAT("min", "ttt", min),
    ROWS_FLOAT("max", "ttt", max),
    { "min.NaN.f32", "ttt", min_nan_f32 },
    { "max.NaN.f32", "ttt", max_nan_f32 },
    { "min.ftz.NaN.f32", "ttt", min_nan_ftz_f32 },
    { "max.ftz.NaN.f32", "ttt", max_nan_ftz_f32 },
    { "min.xorsign.abs.f32", "ttt", min_crossed_f32 },
    { "max.xorsign.abs.f32", "ttt", max_crossed_f32 },
    { "min.ftz.xorsign.abs.f32", "ttt", min_crossed_ftz_f32 },
    { "max.ftz.xorsign.abs.f32", "ttt", max_crossed_ftz_f32 },
    { "min.NaN.xorsign.abs.f32", "ttt", min_nan_crossed_f32 },
    { "max.NaN.xorsign.abs.f32", "ttt", max_nan_crossed_f32 },
    { "min.ftz.NaN.xorsign.abs.f32", "ttt", min_nan_crossed_ftz_f32 },
    { "max.ftz.NaN.xorsign.abs.f32", "ttt", max_nan_crossed_ftz_f32 },
    ROWS_TEST(finite),
    ROWS_TEST(infinite),
    ROWS_TEST(number),
    ROWS_TEST(notanumber),
    ROWS_TEST(normal),
    ROWS_TEST(subnormal),
    { NULL, NULL, NULL },
};

static bool decode(struct decoding *d, struct op *out)
{
    static const char *const modes[] = { "rn", "rz", "rm", "rp", "sat", NULL };
    const int rounding = lanes_rounding(d->in);
    const bool saturates = ptx_has(d->in, "sat");
    if (!lanes_take(d, out, rows, modes))
        return false;
    if (rounding != FE_TONEAREST || saturates) {
        out->imm = (uintptr_t)out->run;
        out->run = in_mode;
        out->sub = (uint16_t)(rounding_index(rounding) * MODE_ROUNDING | (saturates ? MODE_SAT : 0) |
                              (d->in->types[0] == TYPE_F64 ? MODE_F64 : 0));
    }
    return true;
}

const struct decoder LANES_TABLE(lanes_float_decoders)[] = {
    { "add", decode }, { "sub", decode }, { "mul", decode },  { "fma", decode },   { "mad", decode },
    { "div", decode }, { "rcp", decode }, { "sqrt", decode }, { "rsqrt", decode }, { "ex2", decode },
    { "lg2", decode }, { "sin", decode }, { "cos", decode },  { "tanh", decode },  { "neg", decode },
    { "abs", decode }, { "min", decode }, { "max", decode },  { "testp", decode }, { "copysign", decode },
    { NULL, NULL },
};
