// What the lanes_*.c share. A handler is one loop over 32 lanes without a
// branch in it, made by LANES_1 to LANES_3 from the types of its rows and an
// expression; a table says which PTX text it is for. Every lanes_X.c is
// compiled once as it is and once more through lanes_X_v3.c, with LANES_V3 set,
// for AVX2 and FMA.
#ifndef WARPBOOK_SIM_LANES_H
#define WARPBOOK_SIM_LANES_H

#include "engine/sim/decode/decode.h"

#include <fenv.h>
#include <float.h>
#include <math.h>
#include <string.h>

// ---- decoders --------------------------------------------------------------------------------------------

// decode.c sets guard, from, tally, and dead; a decoder sets the rest, kind OP_LANES being the default.
// Each table ends with a row whose base is NULL. Several tables may know one base (add: integer, float and half), so
// decode.c asks every row with that base, in the order of the tables, until one takes the instruction. The lanes_*.c
// exist twice: the _v3 tables hold the same handlers compiled for AVX2 and FMA, for processors where lanes_wide().
bool lanes_wide(void); // lanes.c
extern atomic_bool
    lanes_baseline; // for tests: modules that are read now do without, whatever the processor has
extern const struct decoder integer_decoders[]; // lanes_integer.c: add sub mul mad div rem abs neg min max …
extern const struct decoder
    bit_decoders[]; // lanes_bit.c: and or xor not shl shr shf prmt lop3 popc clz bfe …
extern const struct decoder float_decoders[];   // lanes_float.c: f32 and f64, fma, rcp, sqrt, ex2, …
extern const struct decoder half_decoders[];    // lanes_half.c: f16, f16x2, bf16
extern const struct decoder convert_decoders[]; // lanes_convert.c: cvt, mov, cvta, selp, set, setp
extern const struct decoder integer_decoders_v3[], bit_decoders_v3[], float_decoders_v3[], half_decoders_v3[],
    convert_decoders_v3[];
extern const struct decoder exchange_decoders[]; // lanes_exchange.c: shfl vote match activemask redux elect

// ---- tables: lanes.c -----------------------------------------------------------------------------------

// `shape` names the operands, destination first. t: the instruction's type; w:
// twice as wide; u: u32; s: the instruction's second type; p: a predicate
// (source or destination). They go to d, a, b, c, e.
struct lanes_row {
    const char *name; // as it stands in PTX: "mul.wide.u32"
    const char *shape;
    lanes_fn run;
};
// The row whose name is the instruction's, without the modifiers in `skip`
// (NULL-terminated; NULL: none).
const struct lanes_row *lanes_find(const struct ptx_instruction *in, const struct lanes_row *rows,
                                   const char *const *skip);
bool lanes_operands(struct decoding *d, struct op *out, const char *shape);
// Both at once; fails when no row has the name.
bool lanes_take(struct decoding *d, struct op *out, const struct lanes_row *rows);
// FE_UPWARD, … by the instruction's .rz, .rm, .rp; FE_TONEAREST without one.
int lanes_rounding(const struct ptx_instruction *in);

// ---- the second build ----------------------------------------------------------------------------------

// The optimiser may assume that nobody looks at errno or at the floating-point
// exceptions.
#if defined(LANES_V3) && defined(__x86_64__) && defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma,bmi,bmi2,popcnt"))), apply_to = function)
#define LANES_END _Pragma("clang attribute pop")
#elif defined(LANES_V3) && defined(__x86_64__)
#pragma GCC target("avx2,fma,bmi,bmi2,popcnt")
#endif
#ifndef LANES_END
#define LANES_END
#endif
#ifdef __clang__
#pragma clang diagnostic ignored "-Wpass-failed" // division has no vectors
#define LANES_LOOP _Pragma("clang loop vectorize(assume_safety)") for (int i = 0; i < LANES; i++)
#else
#pragma GCC optimize("O3", "no-math-errno", "no-trapping-math")
#define LANES_LOOP _Pragma("GCC ivdep") for (int i = 0; i < LANES; i++)
#endif
#ifdef LANES_V3
#define LANES_TABLE(name) name##_v3
#else
#define LANES_TABLE(name) name
#endif

// ---- handlers ------------------------------------------------------------------------------------------

// A type's row, the C type of its value, and the unsigned type (or float) that
// is stored.
typedef uint32_t row_u8, row_s8, row_u16, row_s16, row_u32, row_s32;
typedef uint64_t row_u64, row_s64;
typedef float row_f32;
typedef double row_f64;
typedef uint8_t val_u8, out_u8, out_s8;
typedef int8_t val_s8;
typedef uint16_t val_u16, out_u16, out_s16;
typedef int16_t val_s16;
typedef uint32_t val_u32, out_u32, out_s32;
typedef int32_t val_s32;
typedef uint64_t val_u64, out_u64, out_s64;
typedef int64_t val_s64;
typedef float val_f32, out_f32;
typedef double val_f64, out_f64;

#define LANES_ROW(T, at) ((row_##T *)(void *)(w->frame + (at)))
// The loop itself: `let` declares what `value` uses. Rows may be the same,
// never overlap otherwise; the value of a lane that is off is computed too (it
// must have no effect) and thrown away.
#ifndef __clang_analyzer__
#define LANES_EACH(D, let, value)                                                                            \
    row_##D *const rd = LANES_ROW(D, op->d);                                                                 \
    const uint32_t *const on = w->lanes;                                                                     \
    if (w->active == FULL_MASK)                                                                              \
        LANES_LOOP                                                                                           \
        {                                                                                                    \
            let;                                                                                             \
            rd[i] = (out_##D)(value);                                                                        \
        }                                                                                                    \
    else                                                                                                     \
        LANES_LOOP                                                                                           \
        {                                                                                                    \
            let;                                                                                             \
            const out_##D v = (out_##D)(value);                                                              \
            rd[i] = on[i] ? v : rd[i];                                                                       \
        }
#else // one lane stands for all: the paths through them would be countless
#define LANES_EACH(D, let, value)                                                                            \
    row_##D *const rd = LANES_ROW(D, op->d);                                                                 \
    const int i = w->active ? 1 : 0;                                                                         \
    let;                                                                                                     \
    rd[i] = (out_##D)(value);
#endif
#define LET(T, name, r) const val_##T name = (val_##T)(r)[i]
#define LANES_1(name, D, A, value)                                                                           \
    static void name(struct warp *w, const struct op *op)                                                    \
    {                                                                                                        \
        const row_##A *const ra = LANES_ROW(A, op->a);                                                       \
        LANES_EACH(D, LET(A, a, ra), value)                                                                  \
    }
#define LANES_2(name, D, A, B, value)                                                                        \
    static void name(struct warp *w, const struct op *op)                                                    \
    {                                                                                                        \
        const row_##A *const ra = LANES_ROW(A, op->a);                                                       \
        const row_##B *const rb = LANES_ROW(B, op->b);                                                       \
        LANES_EACH(D, LET(A, a, ra); LET(B, b, rb), value)                                                   \
    }
#define LANES_3(name, D, A, B, C, value)                                                                     \
    static void name(struct warp *w, const struct op *op)                                                    \
    {                                                                                                        \
        const row_##A *const ra = LANES_ROW(A, op->a);                                                       \
        const row_##B *const rb = LANES_ROW(B, op->b);                                                       \
        const row_##C *const rc = LANES_ROW(C, op->c);                                                       \
        LANES_EACH(D, LET(A, a, ra); LET(B, b, rb); LET(C, c, rc), value)                                    \
    }
#define LANES_4(name, D, A, B, C, E, value)                                                                  \
    static void name(struct warp *w, const struct op *op)                                                    \
    {                                                                                                        \
        const row_##A *const ra = LANES_ROW(A, op->a);                                                       \
        const row_##B *const rb = LANES_ROW(B, op->b);                                                       \
        const row_##C *const rc = LANES_ROW(C, op->c);                                                       \
        const row_##E *const re = LANES_ROW(E, op->e);                                                       \
        LANES_EACH(D, LET(A, a, ra); LET(B, b, rb); LET(C, c, rc); LET(E, e, re), value)                     \
    }
#define INLINE static inline __attribute__((always_inline, unused))

// ---- bits of floating-point values ---------------------------------------------------------------------

INLINE uint32_t bits_of_f32(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}
INLINE float f32_of_bits(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}
INLINE uint64_t bits_of_f64(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}
INLINE double f64_of_bits(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}
// .ftz: a subnormal counts as a zero of its sign.
INLINE float flush(float x)
{
    const uint32_t bits = bits_of_f32(x);
    return f32_of_bits(bits & 0x7f800000 ? bits : bits & 0x80000000);
}
// The one NaN that f32 arithmetic gives.
INLINE float one_nan(float x)
{
    return f32_of_bits(x == x ? bits_of_f32(x) : 0x7fffffff);
}
// .sat: into [0, 1], NaN gives +0.
INLINE float saturate(float x)
{
    return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f;
}
INLINE double saturate_f64(double x)
{
    return x > 0.0 ? (x < 1.0 ? x : 1.0) : 0.0;
}

// ---- order of floating-point values ---------------------------------------------------------------------

#define SIGN_F32 0x80000000u
// Of a NaN and a number the number, -0 before +0. Equal values have equal bits
// but for zeros, so that | and & of the bits choose among those.
#define ORDER(F, U, of_bits, bits_of)                                                                        \
    INLINE F least_##F(F a, F b)                                                                             \
    {                                                                                                        \
        const F equal = of_bits(bits_of(a) | bits_of(b));                                                    \
        return a != a ? b : b != b ? a : a < b ? a : b < a ? b : equal;                                      \
    }                                                                                                        \
    INLINE F most_##F(F a, F b)                                                                              \
    {                                                                                                        \
        const F equal = of_bits(bits_of(a) & bits_of(b));                                                    \
        return a != a ? b : b != b ? a : a > b ? a : b > a ? b : equal;                                      \
    }
ORDER(float, uint32_t, f32_of_bits, bits_of_f32)
ORDER(double, uint64_t, f64_of_bits, bits_of_f64)
INLINE float keep_nan(float a, float b, float x)
{
    return a != a || b != b ? f32_of_bits(0x7fffffff) : x;
}
// .xorsign.abs: sizes are compared, the sign is the product's.
INLINE float crossed(float a, float b, float x)
{
    return f32_of_bits((bits_of_f32(x) & ~SIGN_F32) | ((bits_of_f32(a) ^ bits_of_f32(b)) & SIGN_F32));
}

// ---- decoders of convert_decoders that lie in files of their own -------------------------------------------

// lanes_compare.c
bool LANES_TABLE(decode_setp)(struct decoding *d, struct op *out);
bool LANES_TABLE(decode_set)(struct decoding *d, struct op *out);
bool LANES_TABLE(decode_selp)(struct decoding *d, struct op *out);
bool LANES_TABLE(decode_slct)(struct decoding *d, struct op *out);
// lanes_move.c
bool LANES_TABLE(decode_mov)(struct decoding *d, struct op *out);
bool LANES_TABLE(decode_cvta)(struct decoding *d, struct op *out);
bool LANES_TABLE(decode_isspacep)(struct decoding *d, struct op *out);

#endif
