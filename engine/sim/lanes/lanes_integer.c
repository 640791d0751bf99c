// Integer arithmetic on 32 lanes. PTX does not define division by zero; as on NVIDIA's GPUs, quotient and remainder
// have all bits set. INT_MIN / -1 is INT_MIN.
#include "engine/sim/lanes/lanes.h"

typedef unsigned __int128 uint128;
typedef __int128 int128;

#define EVERY_WIDTH(X) X(u16) X(u32) X(u64)
#define EVERY_SIGNED(X) X(s16) X(s32) X(s64)
#define EVERY_TYPE(X) EVERY_WIDTH(X) EVERY_SIGNED(X)

// The unsigned type, of at least 32 bits, in which a type's arithmetic wraps.
typedef uint32_t wrap_u16, wrap_s16, wrap_u32, wrap_s32;
typedef uint64_t wrap_u64, wrap_s64;
#define WRAP(T, x) ((wrap_##T)(x))

// ---- operations that ignore the sign ------------------------------------------------------------------

#define X(T)                                                                                                 \
    LANES_2(add_##T, T, T, T, WRAP(T, a) + b)                                                                \
    LANES_2(sub_##T, T, T, T, WRAP(T, a) - b)                                                                \
    LANES_2(mul_lo_##T, T, T, T, WRAP(T, a) * b)                                                             \
    LANES_3(mad_lo_##T, T, T, T, T, WRAP(T, a) * b + c)                                                      \
    LANES_1(neg_##T, T, T, -WRAP(T, a))
EVERY_WIDTH(X)
#undef X

// ---- order ---------------------------------------------------------------------------------------------

#define X(T)                                                                                                 \
    LANES_2(min_##T, T, T, T, a < b ? a : b)                                                                 \
    LANES_2(max_##T, T, T, T, a > b ? a : b)                                                                 \
    LANES_3(sad_##T, T, T, T, T, (a > b ? WRAP(T, a) - WRAP(T, b) : WRAP(T, b) - WRAP(T, a)) + WRAP(T, c))
EVERY_TYPE(X)
#undef X
LANES_1(abs_s16, s16, s16, a < 0 ? -WRAP(s16, a) : WRAP(s16, a))
LANES_1(abs_s32, s32, s32, a < 0 ? -WRAP(s32, a) : WRAP(s32, a))
LANES_1(abs_s64, s64, s64, a < 0 ? -WRAP(s64, a) : WRAP(s64, a))
LANES_2(min_relu_s32, s32, s32, s32, (a < b ? a : b) > 0 ? (a < b ? a : b) : 0)
LANES_2(max_relu_s32, s32, s32, s32, (a > b ? a : b) > 0 ? (a > b ? a : b) : 0)

// ---- division ------------------------------------------------------------------------------------------

// Divisors that are undefined in C are replaced by 1: zero, and -1, for which the quotient is the negation.
#define X(T)                                                                                                 \
    LANES_2(div_##T, T, T, T, b == 0 ? ~WRAP(T, 0) : WRAP(T, a / (b ? b : 1)))                               \
    LANES_2(rem_##T, T, T, T, b == 0 ? ~WRAP(T, 0) : WRAP(T, a % (b ? b : 1)))
EVERY_WIDTH(X)
#undef X
#define SAFE(b) ((b) == 0 || (b) == -1 ? 1 : (b))
#define X(T)                                                                                                 \
    LANES_2(div_##T, T, T, T, b == 0 ? ~WRAP(T, 0) : b == -1 ? -WRAP(T, a) : WRAP(T, a / SAFE(b)))           \
    LANES_2(rem_##T, T, T, T, b == 0 ? ~WRAP(T, 0) : WRAP(T, a % SAFE(b)))
EVERY_SIGNED(X)
#undef X

// ---- upper halves and wide products --------------------------------------------------------------------

typedef uint32_t twice_u16;
typedef int32_t twice_s16;
typedef uint64_t twice_u32;
typedef int64_t twice_s32;
typedef uint128 twice_u64;
typedef int128 twice_s64;
#define HIGH(T) ((twice_##T)a * b >> 8 * sizeof(val_##T))
#define X(T)                                                                                                 \
    LANES_2(mul_hi_##T, T, T, T, HIGH(T))                                                                    \
    LANES_3(mad_hi_##T, T, T, T, T, WRAP(T, HIGH(T)) + WRAP(T, c))
EVERY_TYPE(X)
#undef X
#define X(T, W)                                                                                              \
    LANES_2(mul_wide_##T, W, T, T, (val_##W)a *b)                                                            \
    LANES_3(mad_wide_##T, W, T, T, W, WRAP(W, (val_##W)a *b) + WRAP(W, c))
X(u16, u32)
X(s16, s32)
X(u32, u64)
X(s32, s64)
#undef X

INLINE int64_t clamp_s32(int64_t x)
{
    return x > INT32_MAX ? INT32_MAX : x < INT32_MIN ? INT32_MIN : x;
}
LANES_2(add_sat_s32, s32, s32, s32, clamp_s32((int64_t)a + b))
LANES_2(sub_sat_s32, s32, s32, s32, clamp_s32((int64_t)a - b))
LANES_3(mad_hi_sat_s32, s32, s32, s32, s32, clamp_s32(HIGH(s32) + c))

// mul24: the product of two 24-bit factors has 48 bits; .hi is bits 47 to 16.
#define LOW24(T, x) ((int64_t)((val_##T)((uint32_t)(x) << 8) >> 8))
#define PRODUCT24(T) (LOW24(T, a) * LOW24(T, b))
#define X(T)                                                                                                 \
    LANES_2(mul24_lo_##T, T, T, T, PRODUCT24(T))                                                             \
    LANES_2(mul24_hi_##T, T, T, T, PRODUCT24(T) >> 16)                                                       \
    LANES_3(mad24_lo_##T, T, T, T, T, (uint32_t)PRODUCT24(T) + (uint32_t)c)                                  \
    LANES_3(mad24_hi_##T, T, T, T, T, (uint32_t)(PRODUCT24(T) >> 16) + (uint32_t)c)
X(u32)
X(s32)
#undef X
LANES_3(mad24_hi_sat_s32, s32, s32, s32, s32, clamp_s32((int64_t)(int32_t)(PRODUCT24(s32) >> 16) + c))

// ---- carries -------------------------------------------------------------------------------------------

// `sum` is computed in twice the width; the bit above the type's width is the carry or borrow. IN: the instruction
// reads the carry flag, OUT: it writes it.
#define CARRIES(name, T, IN, OUT, sum)                                                                       \
    static void name(struct warp *w, const struct op *op)                                                    \
    {                                                                                                        \
        const row_##T *const ra = LANES_ROW(T, op->a), *const rb = LANES_ROW(T, op->b);                      \
        const row_##T *const rc = LANES_ROW(T, op->c);                                                       \
        row_##T *const rd = LANES_ROW(T, op->d);                                                             \
        uint32_t carries = w->carry;                                                                         \
        for (int i = 0; i < LANES; i++)                                                                      \
            if (w->active >> i & 1) {                                                                        \
                const twice_##T a = ra[i], b = rb[i], c = rc[i], carry = (IN) ? w->carry >> i & 1 : 0;       \
                const twice_##T t = (sum);                                                                   \
                (void)c, (void)carry;                                                                        \
                rd[i] = (row_##T)t;                                                                          \
                if (OUT)                                                                                     \
                    carries = (carries & ~(1u << i)) | (uint32_t)(t >> 8 * sizeof(row_##T) & 1) << i;        \
            }                                                                                                \
        w->carry = carries;                                                                                  \
    }
#define LOW_PRODUCT(T) ((twice_##T)(val_##T)(a * b))
#define HIGH_PRODUCT(T) ((twice_##T)(a * b >> 8 * sizeof(row_##T)))
#define SIGNED_HIGH(T, S) ((twice_##T)(val_##T)((twice_##S)(val_##S)a * (val_##S)b >> 8 * sizeof(row_##T)))
#define X(T, S)                                                                                              \
    CARRIES(add_cc_##T, T, 0, 1, a + b)                                                                      \
    CARRIES(addc_##T, T, 1, 0, a + b + carry)                                                                \
    CARRIES(addc_cc_##T, T, 1, 1, a + b + carry)                                                             \
    CARRIES(sub_cc_##T, T, 0, 1, a - b)                                                                      \
    CARRIES(subc_##T, T, 1, 0, a - b - carry)                                                                \
    CARRIES(subc_cc_##T, T, 1, 1, a - b - carry)                                                             \
    CARRIES(mad_lo_cc_##T, T, 0, 1, LOW_PRODUCT(T) + c)                                                      \
    CARRIES(madc_lo_##T, T, 1, 0, LOW_PRODUCT(T) + c + carry)                                                \
    CARRIES(madc_lo_cc_##T, T, 1, 1, LOW_PRODUCT(T) + c + carry)                                             \
    CARRIES(mad_hi_cc_##T, T, 0, 1, HIGH_PRODUCT(T) + c)                                                     \
    CARRIES(madc_hi_##T, T, 1, 0, HIGH_PRODUCT(T) + c + carry)                                               \
    CARRIES(madc_hi_cc_##T, T, 1, 1, HIGH_PRODUCT(T) + c + carry)                                            \
    CARRIES(mad_hi_cc_##S, T, 0, 1, SIGNED_HIGH(T, S) + c)                                                   \
    CARRIES(madc_hi_##S, T, 1, 0, SIGNED_HIGH(T, S) + c + carry)                                             \
    CARRIES(madc_hi_cc_##S, T, 1, 1, SIGNED_HIGH(T, S) + c + carry)
X(u32, s32)
X(u64, s64)
#undef X

// ---- dot products and pairs ----------------------------------------------------------------------------

#define BYTE(S, x, n) ((int32_t)(val_##S##8)((x) >> 8 * (n)))
#define HALF(S, x, n) ((int32_t)(val_##S##16)((x) >> 16 * (n)))
#define DOT4(A, B)                                                                                           \
    (BYTE(A, a, 0) * BYTE(B, b, 0) + BYTE(A, a, 1) * BYTE(B, b, 1) + BYTE(A, a, 2) * BYTE(B, b, 2) +         \
     BYTE(A, a, 3) * BYTE(B, b, 3))
// Two products of at most 65535 * 255 fit into 32 bits; the sum with c wraps, so it is unsigned.
#define DOT2(A, B, at) (HALF(A, a, 0) * BYTE(B, b, at) + HALF(A, a, 1) * BYTE(B, b, (at) + 1))
#define X(A, B)                                                                                              \
    LANES_3(dp4a_##A##B, u32, u32, u32, u32, (uint32_t)DOT4(A, B) + c)                                       \
    LANES_3(dp2a_lo_##A##B, u32, u32, u32, u32, (uint32_t)DOT2(A, B, 0) + c)                                 \
    LANES_3(dp2a_hi_##A##B, u32, u32, u32, u32, (uint32_t)DOT2(A, B, 2) + c)
X(u, u)
X(u, s)
X(s, u)
X(s, s)
#undef X

#define PAIR(low, high) (((uint32_t)(low)&0xffff) | (uint32_t)(high) << 16)
#define LEAST(x, y) ((x) < (y) ? (x) : (y))
#define MOST(x, y) ((x) > (y) ? (x) : (y))
LANES_2(add_16x2, u32, u32, u32, PAIR(a + b, (a >> 16) + (b >> 16)))
#define X(S)                                                                                                 \
    LANES_2(min_##S##16x2, u32, u32, u32,                                                                    \
            PAIR(LEAST(HALF(S, a, 0), HALF(S, b, 0)), LEAST(HALF(S, a, 1), HALF(S, b, 1))))                  \
    LANES_2(max_##S##16x2, u32, u32, u32,                                                                    \
            PAIR(MOST(HALF(S, a, 0), HALF(S, b, 0)), MOST(HALF(S, a, 1), HALF(S, b, 1))))
X(u)
X(s)
#undef X
LANES_2(min_relu_s16x2, u32, u32, u32,
        PAIR(MOST(0, LEAST(HALF(s, a, 0), HALF(s, b, 0))), MOST(0, LEAST(HALF(s, a, 1), HALF(s, b, 1)))))
LANES_2(max_relu_s16x2, u32, u32, u32,
        PAIR(MOST(0, MOST(HALF(s, a, 0), HALF(s, b, 0))), MOST(0, MOST(HALF(s, a, 1), HALF(s, b, 1)))))

#define APART(x, y) (MOST(x, y) - LEAST(x, y))
#define BYTES_APART(n) ((uint32_t)APART(BYTE(u, a, n), BYTE(u, b, n)))
#define HALVES_APART(n) ((uint32_t)APART(HALF(u, a, n), HALF(u, b, n)))
LANES_2(vabsdiff4, u32, u32, u32,
        BYTES_APART(0) | BYTES_APART(1) << 8 | BYTES_APART(2) << 16 | BYTES_APART(3) << 24)
LANES_2(vabsdiff2, u32, u32, u32, PAIR(HALVES_APART(0), HALVES_APART(1)))
LANES_3(vabsdiff4_add, u32, u32, u32, u32,
        BYTES_APART(0) + BYTES_APART(1) + BYTES_APART(2) + BYTES_APART(3) + c)
LANES_3(vabsdiff2_add, u32, u32, u32, u32, HALVES_APART(0) + HALVES_APART(1) + c)

#define EACH_BYTE(f, S)                                                                                      \
    ((f(BYTE(S, a, 0), BYTE(S, b, 0)) & 0xff) | (f(BYTE(S, a, 1), BYTE(S, b, 1)) & 0xff) << 8 |              \
     (f(BYTE(S, a, 2), BYTE(S, b, 2)) & 0xff) << 16 | (uint32_t)f(BYTE(S, a, 3), BYTE(S, b, 3)) << 24)
LANES_2(vmin4_u, u32, u32, u32, EACH_BYTE(LEAST, u))
LANES_2(vmax4_u, u32, u32, u32, EACH_BYTE(MOST, u))
LANES_2(vmin4_s, u32, u32, u32, EACH_BYTE(LEAST, s))
LANES_2(vmax4_s, u32, u32, u32, EACH_BYTE(MOST, s))

// ---- the table -----------------------------------------------------------------------------------------

#define ROWS_32(name, shape, run) ENTRY(name ".u32", shape, run##_u32), ENTRY(name ".s32", shape, run##_s32)
#define ROWS_SIGNED(name, shape, run)                                                                        \
    ENTRY(name ".s16", shape, run##_s16), ENTRY(name ".s32", shape, run##_s32),                              \
        ENTRY(name ".s64", shape, run##_s64)
#define ROWS_UNSIGNED(name, shape, run)                                                                      \
    ENTRY(name ".u16", shape, run##_u16), ENTRY(name ".u32", shape, run##_u32),                              \
        ENTRY(name ".u64", shape, run##_u64)
#define ROWS_BOTH(name, shape, run) ROWS_UNSIGNED(name, shape, run), ROWS_SIGNED(name, shape, run)
// Rows of one handler for signed and unsigned values.
#define ROWS_ALIKE(name, shape, run)                                                                         \
    ROWS_UNSIGNED(name, shape, run), ENTRY(name ".s16", shape, run##_u16),                                   \
        ENTRY(name ".s32", shape, run##_u32), ENTRY(name ".s64", shape, run##_u64)
#define ROWS_CARRY(name, shape, run)                                                                         \
    ENTRY(name ".u32", shape, run##_u32), ENTRY(name ".s32", shape, run##_u32),                              \
        ENTRY(name ".u64", shape, run##_u64), ENTRY(name ".s64", shape, run##_u64)
#define ROWS_CARRY_BOTH(name, shape, run)                                                                    \
    ROWS_32(name, shape, run), ENTRY(name ".u64", shape, run##_u64), ENTRY(name ".s64", shape, run##_s64)
#define ROWS_DOT(name, run)                                                                                  \
    ENTRY(name ".u32.u32", "tttt", run##_uu), ENTRY(name ".u32.s32", "tttt", run##_us),                      \
        ENTRY(name ".s32.u32", "tttt", run##_su), ENTRY(name ".s32.s32", "tttt", run##_ss)

static const struct lanes_row rows[] = {
    ROWS_ALIKE("add", "ttt", add),
    ROWS_ALIKE("sub", "ttt", sub),
    ROWS_ALIKE("mul.lo", "ttt", mul_lo),
    ROWS_ALIKE("mad.lo", "tttt", mad_lo),
    ROWS_BOTH("mul.hi", "ttt", mul_hi),
    ROWS_BOTH("mad.hi", "tttt", mad_hi),
    { "mul.wide.u16", "wtt", mul_wide_u16 },
    { "mul.wide.s16", "wtt", mul_wide_s16 },
    ROWS_32("mul.wide", "wtt", mul_wide),
    { "mad.wide.u16", "wttw", mad_wide_u16 },
    { "mad.wide.s16", "wttw", mad_wide_s16 },
    ROWS_32("mad.wide", "wttw", mad_wide),
    ROWS_BOTH("div", "ttt", div),
    ROWS_BOTH("rem", "ttt", rem),
    ROWS_BOTH("min", "ttt", min),
    ROWS_BOTH("max", "ttt", max),
    ROWS_BOTH("sad", "tttt", sad),
    ROWS_SIGNED("abs", "tt", abs),
    { "neg.s16", "tt", neg_u16 },
    { "neg.s32", "tt", neg_u32 },
    { "neg.s64", "tt", neg_u64 },
    { "min.relu.s32", "ttt", min_relu_s32 },
    { "max.relu.s32", "ttt", max_relu_s32 },
    { "add.sat.s32", "ttt", add_sat_s32 },
    { "sub.sat.s32", "ttt", sub_sat_s32 },
    { "mad.hi.sat.s32", "tttt", mad_hi_sat_s32 },
    ROWS_32("mul24.lo", "ttt", mul24_lo),
    ROWS_32("mul24.hi", "ttt", mul24_hi),
    ROWS_32("mad24.lo", "tttt", mad24_lo),
    ROWS_32("mad24.hi", "tttt", mad24_hi),
    { "mad24.hi.sat.s32", "tttt", mad24_hi_sat_s32 },
    ROWS_CARRY("add.cc", "ttt", add_cc),
    ROWS_CARRY("addc", "ttt", addc),
    ROWS_CARRY("addc.cc", "ttt", addc_cc),
    ROWS_CARRY("sub.cc", "ttt", sub_cc),
    ROWS_CARRY("subc", "ttt", subc),
    ROWS_CARRY("subc.cc", "ttt", subc_cc),
    ROWS_CARRY("mad.lo.cc", "tttt", mad_lo_cc),
    ROWS_CARRY("madc.lo", "tttt", madc_lo),
    ROWS_CARRY("madc.lo.cc", "tttt", madc_lo_cc),
    ROWS_CARRY_BOTH("mad.hi.cc", "tttt", mad_hi_cc),
    ROWS_CARRY_BOTH("madc.hi", "tttt", madc_hi),
    ROWS_CARRY_BOTH("madc.hi.cc", "tttt", madc_hi_cc),
    ROWS_DOT("dp4a", dp4a),
    ROWS_DOT("dp2a.lo", dp2a_lo),
    ROWS_DOT("dp2a.hi", dp2a_hi),
    { "add.u16x2", "uuu", add_16x2 },
    { "add.s16x2", "uuu", add_16x2 },
    { "min.u16x2", "uuu", min_u16x2 },
    { "min.s16x2", "uuu", min_s16x2 },
    { "max.u16x2", "uuu", max_u16x2 },
    { "max.s16x2", "uuu", max_s16x2 },
    { "min.relu.s16x2", "uuu", min_relu_s16x2 },
    { "max.relu.s16x2", "uuu", max_relu_s16x2 },
    { "min.s32.relu", "ttt", min_relu_s32 }, // so the headers of CUDA write it
    { "max.s32.relu", "ttt", max_relu_s32 },
    { "min.s16x2.relu", "uuu", min_relu_s16x2 },
    { "max.s16x2.relu", "uuu", max_relu_s16x2 },
    { "vabsdiff2.u32.u32.u32", "uuuu", vabsdiff2 },
    { "vabsdiff4.u32.u32.u32", "uuuu", vabsdiff4 },
    { "vabsdiff2.u32.u32.u32.add", "uuuu", vabsdiff2_add },
    { "vabsdiff4.u32.u32.u32.add", "uuuu", vabsdiff4_add },
    { "vmin4.u32.u32.u32", "uuuu", vmin4_u },
    { "vmax4.u32.u32.u32", "uuuu", vmax4_u },
    { "vmin4.s32.s32.s32", "uuuu", vmin4_s },
    { "vmax4.s32.s32.s32", "uuuu", vmax4_s },
    { NULL, NULL, NULL },
};

static bool decode(struct decoding *d, struct op *out)
{
    return lanes_take(d, out, rows, NULL);
}

const struct decoder LANES_TABLE(lanes_integer_decoders)[] = {
    { "add", decode },   { "sub", decode },   { "mul", decode },       { "mad", decode },
    { "div", decode },   { "rem", decode },   { "min", decode },       { "max", decode },
    { "sad", decode },   { "abs", decode },   { "neg", decode },       { "mul24", decode },
    { "mad24", decode }, { "addc", decode },  { "subc", decode },      { "madc", decode },
    { "dp4a", decode },  { "dp2a", decode },  { "vabsdiff2", decode }, { "vabsdiff4", decode },
    { "vmin4", decode }, { "vmax4", decode }, { NULL, NULL },
};
