// Comparisons and selections: setp, set, selp, slct. A comparison of two rows gives a bit per lane; setp stores the
// bits, set turns them into numbers. The halves of pairs (f16x2) are compared separately.
#include "engine/sim/lanes/lanes.h"

typedef uint32_t (*compare_fn)(const void *a, const void *b);

static const uint32_t lane_bit[LANES] __attribute__((aligned(64))) = {
#define X(n) 1u << (n), 1u << ((n) + 1), 1u << ((n) + 2), 1u << ((n) + 3)
    X(0), X(4), X(8), X(12), X(16), X(20), X(24), X(28)
#undef X
};

// ---- comparisons -----------------------------------------------------------------------------------------

// Defines a comparison twice: as a function that returns the bits, and as the handler of a setp without a third
// predicate.
#define COMPARE(name, T, condition)                                                                          \
    INLINE uint32_t bits_##name##_##T(const row_##T *ra, const row_##T *rb)                                  \
    {                                                                                                        \
        uint32_t bits = 0;                                                                                   \
        LANES_LOOP                                                                                           \
        {                                                                                                    \
            LET(T, a, ra);                                                                                   \
            LET(T, b, rb);                                                                                   \
            bits |= (condition) ? lane_bit[i] : 0;                                                           \
        }                                                                                                    \
        return bits;                                                                                         \
    }                                                                                                        \
    static uint32_t name##_##T(const void *a, const void *b)                                                 \
    {                                                                                                        \
        return bits_##name##_##T(a, b);                                                                      \
    }                                                                                                        \
    static void setp_##name##_##T(struct warp *w, const struct op *op)                                       \
    {                                                                                                        \
        set_predicate(w, op->d, bits_##name##_##T(LANES_ROW(T, op->a), LANES_ROW(T, op->b)));                \
    }
#define EVERY_WIDTH(X) X(u16) X(u32) X(u64)
#define EVERY_TYPE(X) EVERY_WIDTH(X) X(s16) X(s32) X(s64)
#define X(T)                                                                                                 \
    COMPARE(eq, T, a == b)                                                                                   \
    COMPARE(ne, T, a != b)
EVERY_WIDTH(X)
#undef X
#define X(T)                                                                                                 \
    COMPARE(lt, T, a < b)                                                                                    \
    COMPARE(le, T, a <= b)
EVERY_TYPE(X)
#undef X
typedef float row_flushed;
typedef float val_flushed;
#define FLOATS(T, f)                                                                                         \
    COMPARE(eq, T, f(a) == f(b))                                                                             \
    COMPARE(ne, T, f(a) < f(b) || f(b) < f(a))                                                               \
    COMPARE(lt, T, f(a) < f(b))                                                                              \
    COMPARE(le, T, f(a) <= f(b))                                                                             \
    COMPARE(equ, T, !(f(a) < f(b) || f(b) < f(a)))                                                           \
    COMPARE(neu, T, f(a) != f(b))                                                                            \
    COMPARE(ltu, T, !(f(b) <= f(a)))                                                                         \
    COMPARE(leu, T, !(f(b) < f(a)))                                                                          \
    COMPARE(num, T, a == a && b == b)                                                                        \
    COMPARE(nan, T, a != a || b != b)
#define AS_IS(x) (x)
FLOATS(f32, AS_IS)
FLOATS(flushed, flush)
FLOATS(f64, AS_IS)

// ---- setp and set in full ----------------------------------------------------------------------------------

enum half_format { FORMAT_PLAIN, FORMAT_F16, FORMAT_BF16, FORMAT_F16X2, FORMAT_BF16X2 };
struct comparison {
    compare_fn compare;
    enum half_format format; // of halves; they are widened first
    bool flushes;
    enum { WITH_NONE, WITH_AND, WITH_OR, WITH_XOR } with;
    row third;
    bool third_negated;
    row first, second;          // setp: predicates; 0: none
    uint32_t yes_low, yes_high; // set: what true gives in the low and the high half
};

static void widen(float *out, const row_u32 *r, const struct comparison *how, bool high)
{
    const bool brain = how->format == FORMAT_BF16 || how->format == FORMAT_BF16X2;
    for (int i = 0; i < LANES; i++) {
        const uint32_t h = high ? r[i] >> 16 : r[i] & 0xffff;
        const uint32_t kept = how->flushes && !(h & 0x7c00) ? h & 0x8000 : h;
        out[i] = brain ? f32_of_bf16(h) : f32_of_f16(kept);
    }
}
static uint32_t compared(struct warp *w, const struct op *op, const struct comparison *how, bool high)
{
    float a[LANES], b[LANES];
    if (how->format == FORMAT_PLAIN)
        return how->compare(w->frame + op->a, w->frame + op->b);
    widen(a, LANES_ROW(u32, op->a), how, high);
    widen(b, LANES_ROW(u32, op->b), how, high);
    return how->compare(a, b);
}
static uint32_t combined(const struct warp *w, const struct comparison *how, uint32_t bits)
{
    const uint32_t c = how->third_negated ? ~ROWP(w, how->third) : ROWP(w, how->third);
    switch (how->with) {
    case WITH_AND:
        return bits & c;
    case WITH_OR:
        return bits | c;
    case WITH_XOR:
        return bits ^ c;
    default:
        return bits;
    }
}
static bool is_pair(const struct comparison *how)
{
    return how->format == FORMAT_F16X2 || how->format == FORMAT_BF16X2;
}
static void setp_full(struct warp *w, const struct op *op)
{
    const struct comparison *how = (const void *)(uintptr_t)op->imm;
    const uint32_t low = compared(w, op, how, false);
    const uint32_t other = is_pair(how) ? compared(w, op, how, true) : ~low;
    const uint32_t first = combined(w, how, low), second = combined(w, how, other);
    if (how->first)
        set_predicate(w, how->first, first);
    if (how->second)
        set_predicate(w, how->second, second);
}
static void set_full(struct warp *w, const struct op *op)
{
    const struct comparison *how = (const void *)(uintptr_t)op->imm;
    const uint32_t low = combined(w, how, compared(w, op, how, false));
    const uint32_t high = is_pair(how) ? combined(w, how, compared(w, op, how, true)) : 0;
    LANES_EACH(u32, , (low & lane_bit[i] ? how->yes_low : 0) | (high & lane_bit[i] ? how->yes_high : 0))
}

// ---- which comparison --------------------------------------------------------------------------------------

// gt is lt with its operands swapped, and so on; lo, ls, hi and hs are comparisons of unsigned values.
static const struct {
    const char *name, *as;
    bool swapped;
} spellings[] = {
    { "eq", "eq", false },   { "ne", "ne", false },   { "lt", "lt", false },   { "le", "le", false },
    { "gt", "lt", true },    { "ge", "le", true },    { "lo", "lt", false },   { "ls", "le", false },
    { "hi", "lt", true },    { "hs", "le", true },    { "equ", "equ", false }, { "neu", "neu", false },
    { "ltu", "ltu", false }, { "leu", "leu", false }, { "gtu", "ltu", true },  { "geu", "leu", true },
    { "num", "num", false }, { "nan", "nan", false },
};
struct comparer {
    const char *name;
    enum ptx_type type;
    bool flushes;
    compare_fn compare;
    lanes_fn setp;
};
#define ROW(name, flushes, type, T)                                                                          \
    {                                                                                                        \
#name, type, flushes, name##_##T, setp_##name##_##T                                                  \
    }
#define ROWS_EQUAL(type, T) ROW(eq, false, type, T), ROW(ne, false, type, T)
#define ROWS_ORDER(type, T) ROW(lt, false, type, T), ROW(le, false, type, T)
#define ROWS_FLOAT(flushes, type, T)                                                                         \
    ROW(eq, flushes, type, T), ROW(ne, flushes, type, T), ROW(lt, flushes, type, T),                         \
        ROW(le, flushes, type, T), ROW(equ, flushes, type, T), ROW(neu, flushes, type, T),                   \
        ROW(ltu, flushes, type, T), ROW(leu, flushes, type, T), ROW(num, flushes, type, T),                  \
        ROW(nan, flushes, type, T)
static const struct comparer comparers[] = {
    ROWS_EQUAL(TYPE_B16, u16),        ROWS_EQUAL(TYPE_U16, u16),           ROWS_EQUAL(TYPE_S16, u16),
    ROWS_EQUAL(TYPE_B32, u32),        ROWS_EQUAL(TYPE_U32, u32),           ROWS_EQUAL(TYPE_S32, u32),
    ROWS_EQUAL(TYPE_B64, u64),        ROWS_EQUAL(TYPE_U64, u64),           ROWS_EQUAL(TYPE_S64, u64),
    ROWS_ORDER(TYPE_U16, u16),        ROWS_ORDER(TYPE_S16, s16),           ROWS_ORDER(TYPE_U32, u32),
    ROWS_ORDER(TYPE_S32, s32),        ROWS_ORDER(TYPE_U64, u64),           ROWS_ORDER(TYPE_S64, s64),
    ROWS_FLOAT(false, TYPE_F32, f32), ROWS_FLOAT(true, TYPE_F32, flushed), ROWS_FLOAT(false, TYPE_F64, f64),
};

static enum half_format format_of(enum ptx_type type)
{
    return type == TYPE_F16      ? FORMAT_F16
           : type == TYPE_F16X2  ? FORMAT_F16X2
           : type == TYPE_BF16   ? FORMAT_BF16
           : type == TYPE_BF16X2 ? FORMAT_BF16X2
                                 : FORMAT_PLAIN;
}
static const struct comparer *comparer_find(const char *name, enum ptx_type type, bool flushes, bool *swapped)
{
    const char *as = "";
    for (size_t i = 0; i < sizeof spellings / sizeof spellings[0]; i++)
        if (!strcmp(spellings[i].name, name)) {
            as = spellings[i].as;
            *swapped = spellings[i].swapped;
        }
    for (size_t i = 0; i < sizeof comparers / sizeof comparers[0]; i++)
        if (!strcmp(comparers[i].name, as) && comparers[i].type == type && comparers[i].flushes == flushes)
            return &comparers[i];
    return NULL;
}

// Sets `how` and the rows op->a and op->b; returns the comparer, or NULL with trouble set.
static const struct comparer *decode_comparison(struct decoding *d, struct op *out, enum ptx_type type,
                                                struct comparison *how)
{
    static const char *const withs[] = { "", "and", "or", "xor" };
    const struct ptx_instruction *in = d->in;
    bool swapped = false;
    how->format = format_of(type);
    how->flushes = ptx_has(in, "ftz") && type != TYPE_F64;
    for (int i = WITH_AND; i <= WITH_XOR; i++)
        if (ptx_has(in, withs[i]))
            how->with = i;
    const bool halves = how->format != FORMAT_PLAIN;
    const struct comparer *found = comparer_find(in->modifier_count ? in->modifiers[0] : "",
                                                 halves ? TYPE_F32 : type, how->flushes && !halves, &swapped);
    if (!found || in->operand_count != (how->with ? 4 : 3)) {
        decode_fails(d, "this form of it is not known");
        return NULL;
    }
    how->compare = found->compare;
    const row a = decode_value(d, &in->operands[1], type), b = decode_value(d, &in->operands[2], type);
    out->a = swapped ? b : a;
    out->b = swapped ? a : b;
    if (how->with) {
        how->third = decode_predicate(d, &in->operands[3]);
        how->third_negated = in->operands[3].negated;
    }
    return d->trouble ? NULL : found;
}
static bool keep_comparison(struct decoding *d, struct op *out, const struct comparison *how)
{
    struct comparison *kept = arena_take(d->module->arena, sizeof *kept);
    if (!kept)
        return decode_fails(d, "there is not enough memory");
    *kept = *how;
    out->imm = (uintptr_t)kept;
    return !d->trouble;
}

static bool decode_setp(struct decoding *d, struct op *out)
{
    const struct ptx_operand *to = &d->in->operands[0];
    struct comparison how = { 0 };
    const struct comparer *found = decode_comparison(d, out, d->in->types[0], &how);
    if (!found)
        return false;
    if (to->kind != OPERAND_PAIR && !how.with && how.format == FORMAT_PLAIN) {
        out->run = found->setp;
        out->d = decode_predicate(d, to);
        return !d->trouble;
    }
    const struct ptx_operand *first = to->kind == OPERAND_PAIR ? &to->parts[0] : to;
    const struct ptx_operand *second = to->kind == OPERAND_PAIR ? &to->parts[1] : NULL;
    how.first = first->kind == OPERAND_SINK ? 0 : decode_predicate(d, first);
    how.second = !second || second->kind == OPERAND_SINK ? 0 : decode_predicate(d, second);
    out->run = setp_full;
    return keep_comparison(d, out, &how);
}

static bool decode_set(struct decoding *d, struct op *out)
{
    static const struct {
        enum ptx_type type;
        uint32_t low, high;
    } truths[] = {
        { TYPE_U32, 0xffffffff, 0 },
        { TYPE_S32, 0xffffffff, 0 },
        { TYPE_B32, 0xffffffff, 0 },
        { TYPE_U16, 0xffff, 0 },
        { TYPE_S16, 0xffff, 0 },
        { TYPE_F32, 0x3f800000, 0 },
        { TYPE_F16, 0x3c00, 0 },
        { TYPE_BF16, 0x3f80, 0 },
        { TYPE_F16X2, 0x3c00, 0x3c000000 },
        { TYPE_BF16X2, 0x3f80, 0x3f800000 },
    };
    struct comparison how = { 0 };
    if (d->in->type_count != 2)
        return decode_fails(d, "it needs two types");
    if (!decode_comparison(d, out, d->in->types[1], &how))
        return false;
    for (size_t i = 0; i < sizeof truths / sizeof truths[0]; i++)
        if (truths[i].type == d->in->types[0]) {
            how.yes_low = is_pair(&how) ? truths[i].low & 0xffff : truths[i].low;
            how.yes_high = truths[i].high ? truths[i].high : how.yes_low << 16;
        }
    if (!how.yes_low)
        return decode_fails(d, "this form of it is not known");
    out->run = set_full;
    out->d = decode_destination(d, &d->in->operands[0], d->in->types[0]);
    return keep_comparison(d, out, &how);
}

// ---- choices -------------------------------------------------------------------------------------------------

#define X(T)                                                                                                 \
    static void selp_##T(struct warp *w, const struct op *op)                                                \
    {                                                                                                        \
        const row_##T *const ra = LANES_ROW(T, op->a), *const rb = LANES_ROW(T, op->b);                      \
        const uint32_t p = ROWP(w, op->c);                                                                   \
        LANES_EACH(T, LET(T, a, ra); LET(T, b, rb), p & lane_bit[i] ? a : b)                                 \
    }                                                                                                        \
    LANES_3(slct_s32_##T, T, T, T, s32, c >= 0 ? a : b)                                                      \
    LANES_3(slct_f32_##T, T, T, T, f32, c >= 0 ? a : b)                                                      \
    LANES_3(slct_flushed_##T, T, T, T, f32, flush(c) >= 0 ? a : b)
X(u32)
X(u64)
#undef X

static bool decode_selp(struct decoding *d, struct op *out)
{
    const unsigned bytes = d->in->type_count ? type_bytes(d->in->types[0]) : 0;
    if (bytes != 2 && bytes != 4 && bytes != 8)
        return decode_fails(d, "this form of it is not known");
    out->run = bytes == 8 ? selp_u64 : selp_u32;
    return lanes_operands(d, out, "tttp");
}
// With .ftz a negative subnormal becomes -0, for which c >= 0 holds.
static bool decode_slct(struct decoding *d, struct op *out)
{
    const bool real = d->in->type_count == 2 && d->in->types[1] == TYPE_F32, flushes = ptx_has(d->in, "ftz");
    const unsigned bytes = d->in->type_count == 2 ? type_bytes(d->in->types[0]) : 0;
    if (bytes != 2 && bytes != 4 && bytes != 8)
        return decode_fails(d, "this form of it is not known");
    if (bytes == 8)
        out->run = !real ? slct_s32_u64 : flushes ? slct_flushed_u64 : slct_f32_u64;
    else
        out->run = !real ? slct_s32_u32 : flushes ? slct_flushed_u32 : slct_f32_u32;
    return lanes_operands(d, out, "ttts");
}

const struct decoder LANES_TABLE(lanes_compare_decoders)[] = {
    { "setp", decode_setp }, { "set", decode_set }, { "selp", decode_selp },
    { "slct", decode_slct }, { NULL, NULL },
};
