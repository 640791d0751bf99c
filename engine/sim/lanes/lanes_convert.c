// Conversions: cvt. The frequent forms have a handler each; the others go through 64-bit integers or doubles, which
// represent every narrower type exactly: read, round or clamp, write.
#include "engine/sim/lanes/lanes.h"

// ---- frequent forms ----------------------------------------------------------------------------------------

#define EVERY_SOURCE(X) X(u8) X(s8) X(u16) X(s16) X(u32) X(s32) X(u64)
// Between integers the source's signedness decides between sign and zero extension; longer values are truncated.
#define X(S)                                                                                                 \
    LANES_1(to_16_##S, u16, S, a)                                                                            \
    LANES_1(to_32_##S, u32, S, a)                                                                            \
    LANES_1(to_64_##S, u64, S, a)
EVERY_SOURCE(X)
#undef X
LANES_1(f32_of_s32, f32, s32, a)
LANES_1(f32_of_u32, f32, u32, a)
LANES_1(f64_of_s32, f64, s32, a)
LANES_1(f64_of_u32, f64, u32, a)
LANES_1(f64_of_f32, f64, f32, a)
LANES_1(f32_of_f64, f32, f64, one_nan(a))
LANES_1(f32_within_1, f32, f32, saturate(a))
LANES_1(f32_within_1_ftz, f32, f32, flush(saturate(a)))
LANES_1(f32_from_f16, f32, u16, one_nan(f32_of_f16(a)))
LANES_1(f32_from_bf16, f32, u16, f32_of_bf16(a))
LANES_1(f16_from_f32, u16, f32, f16_of_f32(a, FE_TONEAREST))
LANES_1(bf16_from_f32, u16, f32, bf16_of_f32(a, FE_TONEAREST))
LANES_2(f16x2_from_f32, u32, f32, f32, f16_of_f32(a, FE_TONEAREST) << 16 | f16_of_f32(b, FE_TONEAREST))
LANES_2(bf16x2_from_f32, u32, f32, f32, bf16_of_f32(a, FE_TONEAREST) << 16 | bf16_of_f32(b, FE_TONEAREST))

INLINE int32_t cut_to_s32(float x)
{
    const double wide = x == x ? (double)x : 0;
    return (int32_t)(wide > INT32_MAX ? INT32_MAX : wide < INT32_MIN ? INT32_MIN : wide);
}
LANES_1(s32_from_f32, s32, f32, cut_to_s32(a))

#define ROWS_INTEGER(S, suffix)                                                                              \
    { "cvt.u16" suffix, "ts", to_16_##S }, { "cvt.s16" suffix, "ts", to_16_##S },                            \
        { "cvt.u32" suffix, "ts", to_32_##S }, { "cvt.s32" suffix, "ts", to_32_##S },                        \
        { "cvt.u64" suffix, "ts", to_64_##S },                                                               \
    {                                                                                                        \
        "cvt.s64" suffix, "ts", to_64_##S                                                                    \
    }
static const struct lanes_row rows[] = {
    ROWS_INTEGER(u8, ".u8"),
    ROWS_INTEGER(s8, ".s8"),
    ROWS_INTEGER(u16, ".u16"),
    ROWS_INTEGER(s16, ".s16"),
    ROWS_INTEGER(u32, ".u32"),
    ROWS_INTEGER(s32, ".s32"),
    ROWS_INTEGER(u64, ".u64"),
    ROWS_INTEGER(u64, ".s64"),
    { "cvt.rn.f32.s32", "ts", f32_of_s32 },
    { "cvt.rn.f32.u32", "ts", f32_of_u32 },
    { "cvt.rn.f64.s32", "ts", f64_of_s32 },
    { "cvt.rn.f64.u32", "ts", f64_of_u32 },
    { "cvt.f64.f32", "ts", f64_of_f32 },
    { "cvt.rn.f32.f64", "ts", f32_of_f64 },
    { "cvt.sat.f32.f32", "ts", f32_within_1 },
    { "cvt.ftz.sat.f32.f32", "ts", f32_within_1_ftz },
    { "cvt.f32.f16", "ts", f32_from_f16 },
    { "cvt.f32.bf16", "ts", f32_from_bf16 },
    { "cvt.rn.f16.f32", "ts", f16_from_f32 },
    { "cvt.rn.bf16.f32", "ts", bf16_from_f32 },
    { "cvt.rzi.s32.f32", "ts", s32_from_f32 },
    { "cvt.rn.f16x2.f32", "tss", f16x2_from_f32 },
    { "cvt.rn.bf16x2.f32", "tss", bf16x2_from_f32 },
    { NULL, NULL, NULL },
};

// ---- every form ----------------------------------------------------------------------------------------------

struct cvt_form {
    enum ptx_type to, from;
    bool wide_from;    // the source's row is u64[32]
    unsigned row_bits; // of the destination's register: 16, 32 or 64
    int mode;          // of rounding to a float: FE_TONEAREST, …
    enum { INTEGRAL_NONE, INTEGRAL_NEAREST, INTEGRAL_ZERO, INTEGRAL_DOWN, INTEGRAL_UP } integral;
    bool ftz, sat, relu;
};

static bool is_float(enum ptx_type type)
{
    return type == TYPE_F16 || type == TYPE_BF16 || type == TYPE_F32 || type == TYPE_F64;
}
static bool is_integer(enum ptx_type type)
{
    return type_is_signed(type) || type == TYPE_U8 || type == TYPE_U16 || type == TYPE_U32 ||
           type == TYPE_U64;
}
// The low bits as a value of this integer type, extended to 64 bits.
static uint64_t extended(uint64_t bits, enum ptx_type type)
{
    const unsigned spare = 64 - 8 * type_bytes(type);
    return type_is_signed(type) ? (uint64_t)((int64_t)(bits << spare) >> spare) : bits << spare >> spare;
}

static void read_bits(struct warp *w, const struct op *op, const struct cvt_form *how, uint64_t *out)
{
    for (int i = 0; i < LANES; i++)
        out[i] = how->wide_from ? LANES_ROW(u64, op->a)[i] : LANES_ROW(u32, op->a)[i];
    if (is_integer(how->from))
        for (int i = 0; i < LANES; i++)
            out[i] = extended(out[i], how->from);
}
static double read_float(uint64_t bits, const struct cvt_form *how)
{
    const float x = f32_of_bits((uint32_t)bits);
    switch (how->from) {
    case TYPE_F16:
        return f32_of_f16(bits & 0xffff);
    case TYPE_BF16:
        return f32_of_bf16(bits & 0xffff);
    case TYPE_F32:
        return how->ftz ? flush(x) : x;
    default:
        return f64_of_bits(bits);
    }
}
static double integral(double x, const struct cvt_form *how)
{
    switch (how->integral) {
    case INTEGRAL_NEAREST:
        return rint(x);
    case INTEGRAL_ZERO:
        return trunc(x);
    case INTEGRAL_DOWN:
        return floor(x);
    case INTEGRAL_UP:
        return ceil(x);
    default:
        return x;
    }
}

// A value out of range is clamped. A NaN becomes 0, or only the sign bit is set if source or destination has 64 bits.
static uint64_t integer_of(double x, const struct cvt_form *how)
{
    const unsigned bits = 8 * type_bytes(how->to);
    const bool negative = type_is_signed(how->to);
    const double limit = negative ? ldexp(1, (int)bits - 1) : ldexp(1, (int)bits);
    const uint64_t most = (negative ? ~0ull >> 1 : ~0ull) >> (64 - bits);
    if (x != x)
        return how->from == TYPE_F64 || bits == 64 ? extended(1ull << (bits - 1), how->to) : 0;
    if (x >= limit)
        return most;
    if (negative)
        return x < -limit ? ~most : (uint64_t)(int64_t)x;
    return x <= 0 ? 0 : (uint64_t)x;
}
static bool below(uint64_t a, uint64_t b, bool negative)
{
    return negative ? (int64_t)a < (int64_t)b : a < b;
}
// .sat between integers: clamps to the range of the destination.
static uint64_t clamped(uint64_t x, const struct cvt_form *how)
{
    const unsigned bits = 8 * type_bytes(how->to);
    const uint64_t most = (type_is_signed(how->to) ? ~0ull >> 1 : ~0ull) >> (64 - bits);
    const uint64_t least = type_is_signed(how->to) ? ~most : 0;
    if (type_is_signed(how->from) && (int64_t)x < 0)
        return type_is_signed(how->to) && below(least, x, true) ? x : least;
    return most < x ? most : x;
}

// An integer as a double rounded to odd: beyond 53 bits the last bit is sticky, so that rounding the double again
// gives what rounding the integer once would have given.
static double odd_f64(uint64_t x, bool negative)
{
    const bool minus = negative && (int64_t)x < 0;
    const uint64_t size = minus ? -x : x;
    const uint64_t exact = size >> 53 ? size >> 11 << 11 | (uint64_t)((size & 2047) != 0) << 11 : size;
    return minus ? -(double)exact : (double)exact;
}
static uint64_t float_bits(double x, const struct cvt_form *how)
{
    const double plain = how->relu && x <= 0 ? 0 : how->sat ? saturate_f64(x) : x;
    float single;
    switch (how->to) {
    case TYPE_F16:
        return f16_of_f32(odd_f32(plain), how->mode);
    case TYPE_BF16:
        return bf16_of_f32(odd_f32(plain), how->mode);
    case TYPE_F32:
        single = one_nan((float)plain);
        return bits_of_f32(how->ftz ? flush(single) : single);
    default:
        return bits_of_f64(plain);
    }
}
static uint64_t float_of_integer(uint64_t x, const struct cvt_form *how)
{
    const bool negative = type_is_signed(how->from);
    if (how->sat || how->to == TYPE_F16 || how->to == TYPE_BF16)
        return float_bits(odd_f64(x, negative), how);
    if (how->to == TYPE_F32)
        return bits_of_f32(negative ? (float)(int64_t)x : (float)x);
    return bits_of_f64(negative ? (double)(int64_t)x : (double)x);
}

static uint64_t converted(uint64_t bits, const struct cvt_form *how)
{
    if (is_integer(how->from) && is_integer(how->to))
        return extended(how->sat ? clamped(bits, how) : bits, how->to);
    if (is_integer(how->from))
        return float_of_integer(bits, how);
    const double x = integral(read_float(bits, how), how);
    return is_integer(how->to) ? integer_of(x, how) : float_bits(x, how);
}
static void write_row(struct warp *w, const struct op *op, unsigned row_bits, const uint64_t *x)
{
    if (row_bits == 64) {
        LANES_EACH(u64, , x[i])
    } else {
        const uint64_t mask = row_bits == 16 ? 0xffff : 0xffffffff;
        LANES_EACH(u32, , x[i] & mask)
    }
}
// A barrier for the compiler: arithmetic is not moved across a change of the rounding mode.
#define HOLD(x) __asm__ volatile("" : : "r"(x) : "memory")
static void convert(struct warp *w, const struct op *op)
{
    const struct cvt_form *how = (const void *)(uintptr_t)op->imm;
    uint64_t x[LANES];
    const bool directed = how->mode != FE_TONEAREST && (how->to == TYPE_F32 || how->to == TYPE_F64);
    read_bits(w, op, how, x);
    if (directed)
        (void)fesetround(how->mode);
    HOLD(x);
    for (int i = 0; i < LANES; i++)
        x[i] = converted(x[i], how);
    HOLD(x);
    if (directed)
        (void)fesetround(FE_TONEAREST);
    write_row(w, op, how->row_bits, x);
}

// ---- pairs -----------------------------------------------------------------------------------------------------

// cvt.rn.f16x2.f32 d, a, b in the forms that have no handler of their own: a becomes the upper half.
static void convert_pair(struct warp *w, const struct op *op)
{
    const struct cvt_form *how = (const void *)(uintptr_t)op->imm;
    const row_u32 *const ra = LANES_ROW(u32, op->a), *const rb = LANES_ROW(u32, op->b);
    uint64_t x[LANES];
    for (int i = 0; i < LANES; i++)
        x[i] = converted(ra[i], how) << 16 | converted(rb[i], how);
    write_row(w, op, 32, x);
}
// cvt.pack.sat.u8.s32.b32 d, a, b, c: b and a, clamped, are the low parts, and c is shifted above them.
static void convert_pack(struct warp *w, const struct op *op)
{
    const struct cvt_form *how = (const void *)(uintptr_t)op->imm;
    const row_s32 *const ra = LANES_ROW(u32, op->a), *const rb = LANES_ROW(u32, op->b);
    const unsigned bits = 8 * type_bytes(how->to);
    const uint64_t mask = (1u << bits) - 1;
    uint64_t x[LANES];
    for (int i = 0; i < LANES; i++) {
        const uint64_t a = clamped(extended(ra[i], TYPE_S32), how),
                       b = clamped(extended(rb[i], TYPE_S32), how);
        x[i] = (a & mask) << bits | (b & mask);
        x[i] |= op->c ? (uint64_t)LANES_ROW(u32, op->c)[i] << 2 * bits : 0;
    }
    write_row(w, op, 32, x);
}

// ---- decoding ----------------------------------------------------------------------------------------------------

static unsigned register_bits(const struct decoding *d, const struct ptx_operand *operand, enum ptx_type type)
{
    const unsigned own = 8 * type_bytes(type);
    if (operand->kind != OPERAND_REGISTER || operand->reg < 0)
        return own < 16 ? 16 : own;
    const unsigned bits = 8 * type_bytes(d->function->from->registers[operand->reg].type);
    return bits < 16 ? 16 : bits;
}
static enum ptx_type plain_type(unsigned bits)
{
    return bits == 64 ? TYPE_B64 : bits == 32 ? TYPE_B32 : TYPE_B16;
}
static void decode_how(const struct ptx_instruction *in, struct cvt_form *how)
{
    static const char *const integrals[] = { "", "rni", "rzi", "rmi", "rpi" };
    how->mode = lanes_rounding(in);
    how->ftz = ptx_has(in, "ftz");
    how->sat = ptx_has(in, "sat");
    how->relu = ptx_has(in, "relu");
    for (int i = INTEGRAL_NEAREST; i <= INTEGRAL_UP; i++)
        if (ptx_has(in, integrals[i]))
            how->integral = i;
    if (is_float(how->from) && is_integer(how->to) && !how->integral)
        how->integral = INTEGRAL_ZERO;
}
static bool keep(struct decoding *d, struct op *out, const struct cvt_form *how)
{
    struct cvt_form *kept = arena_take(d->module->arena, sizeof *kept);
    if (!kept)
        return decode_fails(d, "there is not enough memory");
    *kept = *how;
    out->imm = (uintptr_t)kept;
    return !d->trouble;
}
static bool decode_any(struct decoding *d, struct op *out, struct cvt_form *how)
{
    const struct ptx_operand *to = &d->in->operands[0], *from = &d->in->operands[1];
    const unsigned from_bits = register_bits(d, from, how->from);
    if (d->in->operand_count != 2 || !(is_float(how->to) || is_integer(how->to)) ||
        !(is_float(how->from) || is_integer(how->from)))
        return decode_fails(d, "this form of it is not known");
    how->wide_from = from_bits == 64;
    how->row_bits = register_bits(d, to, how->to);
    out->run = convert;
    out->d = decode_destination(d, to, plain_type(how->row_bits));
    out->a = decode_value(d, from, from->kind == OPERAND_REGISTER ? plain_type(from_bits) : how->from);
    return keep(d, out, how);
}
static bool decode_pair(struct decoding *d, struct op *out, struct cvt_form *how)
{
    how->to = how->to == TYPE_F16X2 ? TYPE_F16 : TYPE_BF16;
    out->run = convert_pair;
    if (how->from != TYPE_F32)
        return decode_fails(d, "this form of it is not known");
    return lanes_operands(d, out, "tss") && keep(d, out, how);
}
static bool decode_pack(struct decoding *d, struct op *out, struct cvt_form *how)
{
    out->run = convert_pack;
    if (how->from != TYPE_S32 || !is_integer(how->to) || type_bytes(how->to) > 2)
        return decode_fails(d, "this form of it is not known");
    return lanes_operands(d, out, d->in->operand_count == 4 ? "ussu" : "uss") && keep(d, out, how);
}
// Whether both registers have their type's own width. Otherwise no handler of the table fits.
static bool is_natural(const struct decoding *d)
{
    const struct ptx_instruction *in = d->in;
    const unsigned to = 8 * type_bytes(in->types[0]), from = 8 * type_bytes(in->types[1]);
    return register_bits(d, &in->operands[0], in->types[0]) == to &&
           (register_bits(d, &in->operands[1], in->types[1]) == 64) == (from == 64);
}

static bool decode_cvt(struct decoding *d, struct op *out)
{
    const struct ptx_instruction *in = d->in;
    struct cvt_form how = { 0 };
    if (in->type_count < 2 || in->operand_count < 2)
        return decode_fails(d, "it needs two types and two operands");
    const struct lanes_row *found = is_natural(d) ? lanes_find(in, rows) : NULL;
    if (found) {
        out->run = found->run;
        return lanes_operands(d, out, found->shape);
    }
    how.to = in->types[0];
    how.from = in->types[1];
    decode_how(in, &how);
    if (ptx_has(in, "pack"))
        return decode_pack(d, out, &how);
    if (how.to == TYPE_F16X2 || how.to == TYPE_BF16X2)
        return decode_pair(d, out, &how);
    return decode_any(d, out, &how);
}

const struct decoder LANES_TABLE(lanes_convert_decoders)[] = {
    { "cvt", decode_cvt },
    { NULL, NULL },
};
