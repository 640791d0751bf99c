// Bit operations on 32 lanes: logic, shifts (by the width or more they shift everything out), funnel shifts,
// permutes, bit fields and counts. Logic of predicates is one operation for all lanes.
#include "engine/sim/lanes/lanes.h"

#define EVERY_WIDTH(X) X(u16) X(u32) X(u64)
#define EVERY_SIGNED(X) X(s16) X(s32) X(s64)
#define WIDTH(T) (8 * sizeof(val_##T))

// ---- logic and shifts ----------------------------------------------------------------------------------

#define X(T)                                                                                                 \
    LANES_2(and_##T, T, T, T, a &b)                                                                          \
    LANES_2(or_##T, T, T, T, a | b)                                                                          \
    LANES_2(xor_##T, T, T, T, a ^ b)                                                                         \
    LANES_1(not_##T, T, T, ~a)                                                                               \
    LANES_1(cnot_##T, T, T, a == 0)                                                                          \
    LANES_2(shl_##T, T, T, u32, b < WIDTH(T) ? a << (b & (WIDTH(T) - 1)) : 0)                                \
    LANES_2(shr_##T, T, T, u32, b < WIDTH(T) ? a >> (b & (WIDTH(T) - 1)) : 0)
EVERY_WIDTH(X)
#undef X
#define X(T) LANES_2(shr_##T, T, T, u32, a >> (b < WIDTH(T) ? b : WIDTH(T) - 1))
EVERY_SIGNED(X)
#undef X

#define PREDICATES(name, value)                                                                              \
    static void name(struct warp *w, const struct op *op)                                                    \
    {                                                                                                        \
        const uint32_t a = ROWP(w, op->a), b = ROWP(w, op->b);                                               \
        (void)b;                                                                                             \
        set_predicate(w, op->d, value);                                                                      \
    }
PREDICATES(and_pred, a &b)
PREDICATES(or_pred, a | b)
PREDICATES(xor_pred, a ^ b)
PREDICATES(not_pred, ~a)

// A funnel shift takes both halves as one value; an amount above 31 wraps or is clamped to 32.
#define FUNNEL ((uint64_t)b << 32 | a)
LANES_3(shf_l_wrap, u32, u32, u32, u32, FUNNEL << (c & 31) >> 32)
LANES_3(shf_l_clamp, u32, u32, u32, u32, FUNNEL << (c < 32 ? c : 32) >> 32)
LANES_3(shf_r_wrap, u32, u32, u32, u32, FUNNEL >> (c & 31))
LANES_3(shf_r_clamp, u32, u32, u32, u32, FUNNEL >> (c < 32 ? c : 32))

// ---- any function of three bits ------------------------------------------------------------------------

INLINE uint32_t choose(uint32_t which, uint32_t one, uint32_t zero)
{
    return zero ^ ((one ^ zero) & which);
}
static void lop3(struct warp *w, const struct op *op)
{
    const row_u32 *const ra = LANES_ROW(u32, op->a), *const rb = LANES_ROW(u32, op->b);
    const row_u32 *const rc = LANES_ROW(u32, op->c);
    uint32_t m[8];
    for (int i = 0; i < 8; i++)
        m[i] = -((uint32_t)op->imm >> i & 1);
    LANES_EACH(u32, LET(u32, a, ra); LET(u32, b, rb);
               LET(u32, c, rc), choose(a, choose(b, choose(c, m[7], m[6]), choose(c, m[5], m[4])),
                                       choose(b, choose(c, m[3], m[2]), choose(c, m[1], m[0]))))
}
// lop3.or, lop3.and: d is the result; the predicate rows[0] is "the result is not zero", combined with the predicate
// e.
static void lop3_predicate(struct warp *w, const struct op *op)
{
    uint32_t bits = 0;
    const row_u32 *const rd = LANES_ROW(u32, op->d);
    const uint32_t with = op->sub & 2 ? ~ROWP(w, op->e) : ROWP(w, op->e);
    lop3(w, op);
    for (int i = 0; i < LANES; i++)
        bits |= (uint32_t)(rd[i] != 0) << i;
    set_predicate(w, op->rows[0], op->sub & 1 ? bits & with : bits | with);
}

// ---- permutes ------------------------------------------------------------------------------------------

// A selector's nibble picks one of the eight bytes of b:a; with its top bit set it replicates that byte's sign
// instead.
INLINE uint32_t picked(uint64_t bytes, uint32_t nibble)
{
    const uint32_t byte = (uint32_t)(bytes >> 8 * (nibble & 7)) & 0xff;
    return nibble & 8 ? (byte & 0x80 ? 0xff : 0) : byte;
}
INLINE uint32_t permuted(uint32_t a, uint32_t b, uint32_t selector)
{
    const uint64_t bytes = (uint64_t)b << 32 | a;
    return picked(bytes, selector) | picked(bytes, selector >> 4) << 8 | picked(bytes, selector >> 8) << 16 |
           picked(bytes, selector >> 12) << 24;
}
LANES_3(prmt, u32, u32, u32, u32, permuted(a, b, c))
// The two low bits of c choose one of the mode's four selectors, which imm holds.
LANES_3(prmt_mode, u32, u32, u32, u32, permuted(a, b, (uint32_t)(op->imm >> 16 * (c & 3)) & 0xffff))
static const struct {
    const char *name;
    uint64_t selectors;
} modes[] = { { "f4e", 0x6543543243213210 }, { "b4e", 0x0123701267015670 }, { "rc8", 0x3333222211110000 },
              { "ecl", 0x3333322232113210 }, { "ecr", 0x3210221011100000 }, { "rc16", 0x3232101032321010 } };

// ---- counts --------------------------------------------------------------------------------------------

INLINE uint32_t ones(uint32_t x)
{
    x -= x >> 1 & 0x55555555;
    x = (x & 0x33333333) + (x >> 2 & 0x33333333);
    return (((x + (x >> 4)) & 0x0f0f0f0f) * 0x01010101) >> 24;
}
INLINE uint32_t reversed(uint32_t x)
{
    x = (x >> 1 & 0x55555555) | (x & 0x55555555) << 1;
    x = (x >> 2 & 0x33333333) | (x & 0x33333333) << 2;
    x = (x >> 4 & 0x0f0f0f0f) | (x & 0x0f0f0f0f) << 4;
    x = (x >> 8 & 0x00ff00ff) | (x & 0x00ff00ff) << 8;
    return x >> 16 | x << 16;
}
// Sets every bit below the highest one that is set.
INLINE uint32_t smeared(uint32_t x)
{
    x |= x >> 1;
    x |= x >> 2;
    x |= x >> 4;
    x |= x >> 8;
    return x | x >> 16;
}
#define LOW(x) ((uint32_t)(x))
#define UPPER(x) ((uint32_t)((uint64_t)(x) >> 32))
#define ZEROS_32(x) (32 - ones(smeared(x)))
#define ZEROS_64(x) (UPPER(x) ? ZEROS_32(UPPER(x)) : 32 + ZEROS_32(LOW(x)))
LANES_1(popc_u32, u32, u32, ones(a))
LANES_1(popc_u64, u32, u64, ones(LOW(a)) + ones(UPPER(a)))
LANES_1(clz_u32, u32, u32, ZEROS_32(a))
LANES_1(clz_u64, u32, u64, ZEROS_64(a))
LANES_1(brev_u32, u32, u32, reversed(a))
LANES_1(brev_u64, u64, u64, (uint64_t)reversed(LOW(a)) << 32 | reversed(UPPER(a)))
// bfind: the position of the highest bit that differs from the sign. Without such a bit the result is all ones: that
// is 31 - 32, and .shiftamt sets it explicitly.
#define UNSIGN(a) ((a) < 0 ? ~(a) : (a))
LANES_1(bfind_u32, u32, u32, 31 - ZEROS_32(a))
LANES_1(bfind_u64, u32, u64, 63 - ZEROS_64(a))
LANES_1(bfind_s32, u32, s32, 31 - ZEROS_32((uint32_t)UNSIGN(a)))
LANES_1(bfind_s64, u32, s64, 63 - ZEROS_64(UNSIGN(a)))
#define AMOUNT(zeros, width) ((zeros) == (width) ? 0xffffffffu : (zeros))
LANES_1(bfind_shiftamt_u32, u32, u32, AMOUNT(ZEROS_32(a), 32))
LANES_1(bfind_shiftamt_u64, u32, u64, AMOUNT(ZEROS_64(a), 64))
LANES_1(bfind_shiftamt_s32, u32, s32, AMOUNT(ZEROS_32((uint32_t)UNSIGN(a)), 32))
LANES_1(bfind_shiftamt_s64, u32, s64, AMOUNT(ZEROS_64(UNSIGN(a)), 64))

// fns: the position of the offset-th set bit from `base` upwards, or downwards if the offset is negative.
INLINE uint32_t found(uint32_t mask, uint32_t base, int32_t offset)
{
    const int step = offset < 0 ? -1 : 1;
    int64_t left = offset < 0 ? -(int64_t)offset : offset;
    if (offset == 0)
        return base < 32 && (mask >> base & 1) ? base : 0xffffffff;
    for (int64_t at = base; at >= 0 && at < 32; at += step)
        if ((mask >> at & 1) && --left == 0)
            return (uint32_t)at;
    return 0xffffffff;
}
LANES_3(fns, u32, u32, u32, s32, found(a, b, c))

// ---- fields --------------------------------------------------------------------------------------------

#define LOWEST(T, n) ((n) < WIDTH(T) ? ((val_##T)1 << ((n) & (WIDTH(T) - 1))) - 1 : (val_##T) - 1)
#define X(T)                                                                                                 \
    INLINE val_##T field_##T(val_##T a, uint32_t at, uint32_t length)                                        \
    {                                                                                                        \
        return (at < WIDTH(T) ? a >> (at & (WIDTH(T) - 1)) : 0) & LOWEST(T, length);                         \
    }                                                                                                        \
    INLINE val_##T inserted_##T(val_##T a, val_##T b, uint32_t at, uint32_t length)                          \
    {                                                                                                        \
        const val_##T mask = at < WIDTH(T) ? LOWEST(T, length) << (at & (WIDTH(T) - 1)) : 0;                 \
        return (b & ~mask) | ((at < WIDTH(T) ? a << (at & (WIDTH(T) - 1)) : 0) & mask);                      \
    }
X(u32)
X(u64)
#undef X
// Bits beyond the value's end are copies of its sign.
INLINE int64_t signed_field(int64_t a, uint32_t at, uint32_t length)
{
    const uint32_t spare = length < 64 ? 64 - length : 0;
    const int64_t moved = a >> (at < 63 ? at : 63);
    return length == 0 ? 0 : (int64_t)((uint64_t)moved << (spare & 63)) >> (spare & 63);
}
LANES_3(bfe_u32, u32, u32, u32, u32, field_u32(a, b & 0xff, c & 0xff))
LANES_3(bfe_u64, u64, u64, u32, u32, field_u64(a, b & 0xff, c & 0xff))
LANES_3(bfe_s32, s32, s32, u32, u32, signed_field(a, b & 0xff, c & 0xff))
LANES_3(bfe_s64, s64, s64, u32, u32, signed_field(a, b & 0xff, c & 0xff))
LANES_4(bfi_u32, u32, u32, u32, u32, u32, inserted_u32(a, b, c & 0xff, e & 0xff))
LANES_4(bfi_u64, u64, u64, u64, u32, u32, inserted_u64(a, b, c & 0xff, e & 0xff))
LANES_2(bmsk_wrap, u32, u32, u32, LOWEST(u32, b & 31) << (a & 31))
LANES_2(bmsk_clamp, u32, u32, u32, a < 32 ? LOWEST(u32, b) << (a & 31) : 0)
LANES_2(szext_wrap_u32, u32, u32, u32, a &LOWEST(u32, b & 31))
LANES_2(szext_clamp_u32, u32, u32, u32, a &LOWEST(u32, b))
LANES_2(szext_wrap_s32, s32, s32, u32, signed_field(a, 0, b & 31))
LANES_2(szext_clamp_s32, s32, s32, u32, signed_field(a, 0, b < 32 ? b : 32))

// ---- the table -----------------------------------------------------------------------------------------

#define ROWS_WIDTH(name, shape, run)                                                                         \
    ENTRY(name ".b16", shape, run##_u16), ENTRY(name ".b32", shape, run##_u32),                              \
        ENTRY(name ".b64", shape, run##_u64)
#define ROWS_COUNT(name, shape, run)                                                                         \
    ENTRY(name ".b32", shape, run##_u32), ENTRY(name ".b64", shape, run##_u64)
#define ROWS_SIGNS(name, shape, run)                                                                         \
    ENTRY(name ".u32", shape, run##_u32), ENTRY(name ".u64", shape, run##_u64),                              \
        ENTRY(name ".s32", shape, run##_s32), ENTRY(name ".s64", shape, run##_s64)
static const struct lanes_row rows[] = {
    ROWS_WIDTH("and", "ttt", and),
    ROWS_WIDTH("or", "ttt", or),
    ROWS_WIDTH("xor", "ttt", xor),
    ROWS_WIDTH("not", "tt", not ),
    ROWS_WIDTH("cnot", "tt", cnot),
    ROWS_WIDTH("shl", "ttu", shl),
    ROWS_WIDTH("shr", "ttu", shr),
    { "shr.u16", "ttu", shr_u16 },
    { "shr.u32", "ttu", shr_u32 },
    { "shr.u64", "ttu", shr_u64 },
    { "shr.s16", "ttu", shr_s16 },
    { "shr.s32", "ttu", shr_s32 },
    { "shr.s64", "ttu", shr_s64 },
    { "shf.l.wrap.b32", "tttu", shf_l_wrap },
    { "shf.l.clamp.b32", "tttu", shf_l_clamp },
    { "shf.r.wrap.b32", "tttu", shf_r_wrap },
    { "shf.r.clamp.b32", "tttu", shf_r_clamp },
    { "prmt.b32", "tttu", prmt },
    ROWS_COUNT("popc", "ut", popc),
    ROWS_COUNT("clz", "ut", clz),
    ROWS_COUNT("brev", "tt", brev),
    ROWS_SIGNS("bfind", "ut", bfind),
    ROWS_SIGNS("bfind.shiftamt", "ut", bfind_shiftamt),
    { "fns.b32", "tttt", fns },
    ROWS_SIGNS("bfe", "ttuu", bfe),
    ROWS_COUNT("bfi", "tttuu", bfi),
    { "bmsk.wrap.b32", "ttt", bmsk_wrap },
    { "bmsk.clamp.b32", "ttt", bmsk_clamp },
    { "szext.wrap.u32", "ttu", szext_wrap_u32 },
    { "szext.clamp.u32", "ttu", szext_clamp_u32 },
    { "szext.wrap.s32", "ttu", szext_wrap_s32 },
    { "szext.clamp.s32", "ttu", szext_clamp_s32 },
    { NULL, NULL, NULL },
};

// Logic of predicates has a table of its own, since "p" operands have other rows than values.
static bool decode(struct decoding *d, struct op *out)
{
    static const struct lanes_row predicates[] = {
        { "and.pred", "ppp", and_pred }, { "or.pred", "ppp", or_pred }, { "xor.pred", "ppp", xor_pred },
        { "not.pred", "pp", not_pred },  { NULL, NULL, NULL },
    };
    return lanes_take(d, out, d->in->types[0] == TYPE_PRED ? predicates : rows, NULL);
}

static bool decode_prmt(struct decoding *d, struct op *out)
{
    static const struct lanes_row any = { "prmt", "tttu", prmt_mode };
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++)
        if (ptx_has(d->in, modes[i].name)) {
            out->run = any.run;
            out->imm = modes[i].selectors;
            return lanes_operands(d, out, any.shape);
        }
    return lanes_take(d, out, rows, NULL);
}

// lop3.b32 d, a, b, c, table; lop3.or.b32 d|p, a, b, c, table, q.
static bool decode_lop3(struct decoding *d, struct op *out)
{
    const struct ptx_instruction *in = d->in;
    const struct ptx_operand *to = &in->operands[0];
    const bool combines = to->kind == OPERAND_PAIR;
    if (in->operand_count != (combines ? 6 : 5) || in->operands[4].kind != OPERAND_IMMEDIATE)
        return decode_fails(d, "its operands are not those of a lop3");
    out->run = combines ? lop3_predicate : lop3;
    out->imm = in->operands[4].bits;
    out->d = decode_destination(d, combines ? &to->parts[0] : to, TYPE_B32);
    out->a = decode_value(d, &in->operands[1], TYPE_B32);
    out->b = decode_value(d, &in->operands[2], TYPE_B32);
    out->c = decode_value(d, &in->operands[3], TYPE_B32);
    if (combines) {
        row *predicate = arena_take(d->module->arena, sizeof *predicate);
        if (!predicate)
            return decode_fails(d, "there is not enough memory");
        *predicate = decode_predicate(d, &to->parts[1]);
        out->rows = predicate;
        out->e = decode_predicate(d, &in->operands[5]);
        out->sub = (ptx_has(in, "and") ? 1 : 0) | (in->operands[5].negated ? 2 : 0);
    }
    return !d->trouble;
}

const struct decoder LANES_TABLE(lanes_bit_decoders)[] = {
    { "and", decode },   { "or", decode },        { "xor", decode },       { "not", decode },
    { "cnot", decode },  { "shl", decode },       { "shr", decode },       { "shf", decode },
    { "popc", decode },  { "clz", decode },       { "brev", decode },      { "bfind", decode },
    { "fns", decode },   { "bfe", decode },       { "bfi", decode },       { "bmsk", decode },
    { "szext", decode }, { "prmt", decode_prmt }, { "lop3", decode_lop3 }, { NULL, NULL },
};
