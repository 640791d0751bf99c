// The base of the lanes_*.c. A handler is one loop over 32 lanes without a
// branch in it, made by LANES_1 to LANES_3 from the types of its rows and an
// expression; a table says which PTX text it is for. Every lanes_X.c but
// lanes_exchange.c is compiled for each build (build.h).
#ifndef WARPBOOK_SIM_LANES_H
#define WARPBOOK_SIM_LANES_H

#include "engine/sim/decode/decode.h"

#include <fenv.h>
#include <float.h>
#include <math.h>
#include <string.h>

// ---- decoders --------------------------------------------------------------------------------------------

// module.c sets guard, from and tally of an op and flow.c sets dead; a decoder sets the rest;
// kind OP_LANES without an access is the default. Several tables may know one opcode (add: integer, float and half), so every
// row with that opcode is asked, in the order of the tables, until one accepts the instruction.
enum build lanes_build(void);     // lanes.c: the widest that the processor has, and lanes_widest allows
extern atomic_int lanes_widest;   // for tests: enum build, of modules that are read
DECODERS(lanes_integer_decoders); // add sub mul mad div rem abs neg min max …
DECODERS(lanes_bit_decoders);     // and or xor not shl shr shf prmt lop3 popc clz bfe …
DECODERS(lanes_float_decoders);   // f32 and f64: add mul fma rcp sqrt ex2 …
DECODERS(lanes_half_decoders);    // f16, f16x2, bf16, bf16x2
DECODERS(lanes_convert_decoders); // cvt
DECODERS(lanes_compare_decoders); // setp set selp slct
DECODERS(lanes_move_decoders);    // mov cvta isspacep
DECODERS(lanes_byte_decoders);    // cvt from and to numbers of 8 bits, and to tf32
DECODERS(lanes_matrix_decoders);  // mma wmma.mma movmatrix
extern const struct decoder lanes_exchange_decoders[]; // shfl vote match activemask redux elect; one build

// ---- tables: lanes.c -----------------------------------------------------------------------------------

// `shape` has a letter for each operand, the destination first; they become op->d, a, b, c, e. t: a value of the
// instruction's type; w: of a type twice as wide; u: u32; s: of the instruction's second type; p: a predicate.
struct lanes_row {
    const char *name; // as PTX writes it: "mul.wide.u32"
    const char *shape;
    lanes_fn run;
};
#define ENTRY(name, shape, run)                                                                              \
    {                                                                                                        \
        name, shape, run                                                                                     \
    }
// The row that has the instruction's name.
const struct lanes_row *lanes_find(const struct ptx_instruction *in, const struct lanes_row *rows);
bool lanes_operands(struct decoding *d, struct op *out, const char *shape);
// Takes handler and operands from the row that has the instruction's name, modifiers in `skip` (NULL-terminated; NULL: none)
// apart: the decoder of most instructions. Fails when no row has the name.
bool lanes_take(struct decoding *d, struct op *out, const struct lanes_row *rows, const char *const *skip);
// FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD for the modifiers .rz, .rm, .rp; FE_TONEAREST without one.
int lanes_rounding(const struct ptx_instruction *in);

// ---- what each build compiles ----------------------------------------------------------------------------------

// The optimiser may assume that errno and the floating-point exceptions are never read.
#ifdef __clang__
#pragma clang diagnostic ignored "-Wpass-failed" // division has no vectors
#define LANES_LOOP _Pragma("clang loop vectorize(assume_safety)") for (int i = 0; i < LANES; i++)
#else
#pragma GCC optimize("O3", "no-math-errno", "no-trapping-math")
#define LANES_LOOP _Pragma("GCC ivdep") for (int i = 0; i < LANES; i++)
#endif
#define LANES_TABLE(name) BUILD_NAME(name)

// ---- handlers ------------------------------------------------------------------------------------------

// For each PTX type: the C type of its row's items, of its value, and of what is stored (unsigned or a float).
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
// The loop over the lanes: `let` declares what `value` uses. Two rows are identical or do not overlap. `value` is
// computed for inactive lanes, too, and discarded; so it must have no side effects.
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
#else // one lane in place of 32, for which the analyzer would explore too many paths
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

// ---- bits of floating-point values ---------------------------------------------------------------------

// .ftz: a subnormal becomes a zero of its sign.
INLINE float flush(float x)
{
    const uint32_t bits = bits_of_f32(x);
    return f32_of_bits(bits & 0x7f800000 ? bits : bits & 0x80000000);
}
// f32 arithmetic has a single NaN as its result.
INLINE float one_nan(float x)
{
    return f32_of_bits(x == x ? bits_of_f32(x) : 0x7fffffff);
}
// .sat: clamps to [0, 1]; a NaN becomes +0.
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
// Minimum and maximum of a NaN and a number are the number, and -0 is less than +0. Equal values have equal bits
// except for zeros, among which | and & of the bits choose.
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
// .xorsign.abs: the absolute values are compared; the result has the sign of the product.
INLINE float crossed(float a, float b, float x)
{
    return f32_of_bits((bits_of_f32(x) & ~SIGN_F32) | ((bits_of_f32(a) ^ bits_of_f32(b)) & SIGN_F32));
}

// ---- halves -------------------------------------------------------------------------------------------

// f16 and bf16 as bits: exact widening to f32, and rounding back by integer arithmetic in any of the four modes.
// Results that f32 cannot hold are rounded to odd (the last bit is sticky) before they are rounded to half, which
// gives what a single rounding would have given.

enum { HALF_NAN = 0x7fff };
typedef uint32_t row_f16, row_bf16;

INLINE float f32_of_f16(uint32_t h)
{
    const uint32_t size = (h & 0x7fff) << 13, sign = (h & 0x8000) << 16;
    const uint32_t exponent = size & 0x0f800000;
    const float scaled = f32_of_bits(size + 0x38800000) - f32_of_bits(0x38800000); // subnormal: size * 2^-24
    const uint32_t normal = size + (exponent == 0x0f800000 ? 0x70000000 : 0x38000000);
    return f32_of_bits((exponent ? normal : bits_of_f32(scaled)) | sign);
}
INLINE float f32_of_bf16(uint32_t h)
{
    return f32_of_bits(h << 16);
}

// Rounds off the lowest `drop` bits of `size`, the value without its sign; a carry rightly goes into the exponent.
INLINE uint32_t cut(uint32_t size, uint32_t drop, uint32_t sign, int mode)
{
    const uint32_t kept = size >> drop, ulp = 1u << drop, lost = size & (ulp - 1);
    const uint32_t up = mode == FE_TONEAREST  ? lost > ulp >> 1 || (lost == ulp >> 1 && (kept & 1))
                        : mode == FE_UPWARD   ? lost && !sign
                        : mode == FE_DOWNWARD ? lost && sign
                                              : 0;
    return kept + up;
}
INLINE uint32_t f16_of_f32(float x, int mode)
{
    const uint32_t bits = bits_of_f32(x), size = bits & 0x7fffffff, sign = bits >> 31;
    const int exponent = (int)(size >> 23);
    // A result below 2^-14 is subnormal and loses more bits; one far below leaves only a sticky bit.
    const int deeper = exponent < 113 ? (113 - exponent < 12 ? 113 - exponent : 12) : 0;
    const uint32_t significand = (size & 0x7fffff) | 0x800000;
    const uint32_t tiny = exponent < 101 ? size != 0 : significand;
    const uint32_t subnormal = cut(tiny, 13 + (uint32_t)deeper, sign, mode);
    const uint32_t normal = cut(size - (exponent >= 113 ? 112u << 23 : 0), 13, sign, mode);
    const bool away = mode == FE_TONEAREST || (mode == FE_UPWARD && !sign) || (mode == FE_DOWNWARD && sign);
    uint32_t h = exponent < 113 ? subnormal : normal;
    h = exponent > 142 || h > 0x7c00 ? (away ? 0x7c00 : 0x7bff) : h;
    h = size == 0x7f800000 ? 0x7c00 : h;
    return size > 0x7f800000 ? HALF_NAN : h | sign << 15;
}
INLINE uint32_t bf16_of_f32(float x, int mode)
{
    const uint32_t bits = bits_of_f32(x), size = bits & 0x7fffffff, sign = bits >> 31;
    return size > 0x7f800000 ? HALF_NAN : cut(size, 16, sign, mode) | sign << 15;
}

// Rounds an f64 to f32, to odd.
INLINE float odd_f32(double x)
{
    const float near = (float)x;
    const double gap = fabs(x) - fabs((double)near);
    const uint32_t bits = bits_of_f32(near);
    const uint32_t moved = gap > 0 ? bits + 1 : gap < 0 ? bits - 1 : bits;
    return f32_of_bits(bits & 1 ? bits : moved);
}
// a * b + c rounded to odd; the factors have at most 24 bits, so the product is exact in f64.
INLINE float odd_fma(float a, float b, float c)
{
    const double product = (double)a * b, addend = c, sum = product + addend;
    const double back = sum - product;
    const double rest = (product - (sum - back)) + (addend - back);
    const uint64_t bits = bits_of_f64(sum);
    const bool outward = (rest > 0) == (sum > 0);
    const uint64_t moved = outward ? bits + 1 : bits - 1;
    const bool lost = rest > 0 || rest < 0;
    return odd_f32(f64_of_bits(lost && !(bits & 1) ? moved : bits));
}

#endif
