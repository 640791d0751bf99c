// f16 and bf16 arithmetic on single values and pairs, rounded once. In f32 the product of two f16 is exact, and
// rounding their sum twice is harmless; all other results are rounded to odd first.
#include "engine/sim/lanes/lanes.h"

enum { HALF_FTZ = 1, HALF_SAT = 2, HALF_RELU = 4, HALF_KEEP_NAN = 8, HALF_CROSS = 16 };
typedef uint16_t val_f16, val_bf16;
typedef uint16_t out_f16, out_bf16;

INLINE uint32_t half_flush(uint32_t h, unsigned flags)
{
    return (flags & HALF_FTZ) && !(h & 0x7c00) ? h & 0x8000 : h;
}
INLINE float finished(float x, unsigned flags)
{
    const float clamped = flags & HALF_SAT ? saturate(x) : x;
    return (flags & HALF_RELU) && clamped <= 0 ? 0 : clamped;
}
INLINE float widen_f16(uint32_t h, unsigned flags)
{
    return f32_of_f16(half_flush(h, flags));
}
INLINE float widen_bf16(uint32_t h, unsigned flags)
{
    return f32_of_bf16(h);
}
INLINE uint32_t narrow_f16(float x, unsigned flags)
{
    return half_flush(f16_of_f32(finished(x, flags), FE_TONEAREST), flags);
}
INLINE uint32_t narrow_bf16(float x, unsigned flags)
{
    return bf16_of_f32(finished(x, flags), FE_TONEAREST);
}
INLINE float ordered(float a, float b, bool most, unsigned flags)
{
    const float x = flags & HALF_CROSS ? fabsf(a) : a, y = flags & HALF_CROSS ? fabsf(b) : b;
    const float chosen = most ? most_float(x, y) : least_float(x, y);
    const float crossing = flags & HALF_CROSS ? crossed(a, b, chosen) : chosen;
    return flags & HALF_KEEP_NAN ? keep_nan(a, b, crossing) : crossing;
}

// HALF_1 to HALF_3 make the handlers of a single value and of a pair from an expression of floats. The handler
// without flags is one that the compiler vectorises.
#define HALF_EITHER(name, F)                                                                                 \
    static void name##_##F(struct warp *w, const struct op *op)                                              \
    {                                                                                                        \
        if (op->sub)                                                                                         \
            name##_flagged_##F(w, op);                                                                       \
        else                                                                                                 \
            name##_plain_##F(w, op);                                                                         \
    }
#define HALF_1(name, F, value)                                                                               \
    INLINE uint32_t name##_of_##F(uint32_t ha, unsigned flags)                                               \
    {                                                                                                        \
        const float a = widen_##F(ha, flags);                                                                \
        return narrow_##F(value, flags);                                                                     \
    }                                                                                                        \
    LANES_1(name##_plain_##F, F, F, name##_of_##F(a, 0))                                                     \
    LANES_1(name##_plain_##F##x2, u32, u32, name##_of_##F(a & 0xffff, 0) | name##_of_##F(a >> 16, 0) << 16)  \
    LANES_1(name##_flagged_##F, F, F, name##_of_##F(a, op->sub))                                             \
    LANES_1(name##_flagged_##F##x2, u32, u32,                                                                \
            name##_of_##F(a & 0xffff, op->sub) | name##_of_##F(a >> 16, op->sub) << 16)                      \
    HALF_EITHER(name, F)                                                                                     \
    HALF_EITHER(name, F##x2)
#define HALF_2(name, F, value)                                                                               \
    INLINE uint32_t name##_of_##F(uint32_t ha, uint32_t hb, unsigned flags)                                  \
    {                                                                                                        \
        const float a = widen_##F(ha, flags), b = widen_##F(hb, flags);                                      \
        return narrow_##F(value, flags);                                                                     \
    }                                                                                                        \
    LANES_2(name##_plain_##F, F, F, F, name##_of_##F(a, b, 0))                                               \
    LANES_2(name##_plain_##F##x2, u32, u32, u32,                                                             \
            name##_of_##F(a & 0xffff, b & 0xffff, 0) | name##_of_##F(a >> 16, b >> 16, 0) << 16)             \
    LANES_2(name##_flagged_##F, F, F, F, name##_of_##F(a, b, op->sub))                                       \
    LANES_2(name##_flagged_##F##x2, u32, u32, u32,                                                           \
            name##_of_##F(a & 0xffff, b & 0xffff, op->sub) | name##_of_##F(a >> 16, b >> 16, op->sub) << 16) \
    HALF_EITHER(name, F)                                                                                     \
    HALF_EITHER(name, F##x2)
#define HALF_3(name, F, value)                                                                               \
    INLINE uint32_t name##_of_##F(uint32_t ha, uint32_t hb, uint32_t hc, unsigned flags)                     \
    {                                                                                                        \
        const float a = widen_##F(ha, flags), b = widen_##F(hb, flags), c = widen_##F(hc, flags);            \
        return narrow_##F(value, flags);                                                                     \
    }                                                                                                        \
    LANES_3(name##_plain_##F, F, F, F, F, name##_of_##F(a, b, c, 0))                                         \
    LANES_3(name##_plain_##F##x2, u32, u32, u32, u32,                                                        \
            name##_of_##F(a & 0xffff, b & 0xffff, c & 0xffff, 0) |                                           \
                name##_of_##F(a >> 16, b >> 16, c >> 16, 0) << 16)                                           \
    LANES_3(name##_flagged_##F, F, F, F, F, name##_of_##F(a, b, c, op->sub))                                 \
    LANES_3(name##_flagged_##F##x2, u32, u32, u32, u32,                                                      \
            name##_of_##F(a & 0xffff, b & 0xffff, c & 0xffff, op->sub) |                                     \
                name##_of_##F(a >> 16, b >> 16, c >> 16, op->sub) << 16)                                     \
    HALF_EITHER(name, F)                                                                                     \
    HALF_EITHER(name, F##x2)

HALF_2(add, f16, a + b)
HALF_2(sub, f16, a - b)
HALF_2(mul, f16, a *b)
HALF_2(add, bf16, odd_fma(a, 1.0f, b))
HALF_2(sub, bf16, odd_fma(b, -1.0f, a))
HALF_2(mul, bf16, odd_fma(a, b, -0.0f))
#define X(F)                                                                                                 \
    HALF_3(fma, F, odd_fma(a, b, c))                                                                         \
    HALF_2(min, F, ordered(a, b, false, flags))                                                              \
    HALF_2(max, F, ordered(a, b, true, flags))                                                               \
    HALF_1(tanh, F, (float)tanh((double)a))
X(f16)
X(bf16)
#undef X

// An H100 cuts ex2 off where it rounds everything else; what is too large for a half is infinite all the same.
INLINE uint32_t f16_cut_off(float x)
{
    return x >= 0x1p16f ? 0x7c00 : f16_of_f32(x, FE_TOWARDZERO);
}
#define HALF_BITS(name, F, value)                                                                            \
    INLINE uint32_t name##_of_##F(uint32_t a, unsigned flags)                                                \
    {                                                                                                        \
        return value;                                                                                        \
    }                                                                                                        \
    LANES_1(name##_##F, u16, u16, name##_of_##F(a, op->sub))                                                 \
    LANES_1(name##_##F##x2, u32, u32,                                                                        \
            name##_of_##F(a & 0xffff, op->sub) | name##_of_##F(a >> 16, op->sub) << 16)
HALF_BITS(ex2, f16, half_flush(f16_cut_off(exp2f(widen_f16(a, flags))), flags))
HALF_BITS(ex2, bf16, bf16_of_f32(exp2f(widen_bf16(a, flags)), FE_TOWARDZERO))

// A NaN becomes the one that arithmetic has.
#define NEG(a, infinity) (((a)&0x7fff) > (infinity) ? 0x7fff : (a) ^ 0x8000)
#define ABS(a, infinity) (((a)&0x7fff) > (infinity) ? 0x7fff : (a)&0x7fff)
HALF_BITS(neg, f16, NEG(half_flush(a, flags), 0x7c00))
HALF_BITS(neg, bf16, NEG(a, 0x7f80))
HALF_BITS(abs, f16, ABS(half_flush(a, flags), 0x7c00))
HALF_BITS(abs, bf16, ABS(a, 0x7f80))

#define ROWS_HALF(name, shape, run)                                                                          \
    ENTRY(name ".f16", shape, run##_f16), ENTRY(name ".f16x2", shape, run##_f16x2),                          \
        ENTRY(name ".bf16", shape, run##_bf16), ENTRY(name ".bf16x2", shape, run##_bf16x2)
static const struct lanes_row rows[] = {
    ROWS_HALF("add", "ttt", add),
    ROWS_HALF("sub", "ttt", sub),
    ROWS_HALF("mul", "ttt", mul),
    ROWS_HALF("fma", "tttt", fma),
    ROWS_HALF("min", "ttt", min),
    ROWS_HALF("max", "ttt", max),
    ROWS_HALF("ex2.approx", "tt", ex2),
    ROWS_HALF("tanh.approx", "tt", tanh),
    ROWS_HALF("neg", "tt", neg),
    ROWS_HALF("abs", "tt", abs),
    { NULL, NULL, NULL },
};

static bool decode(struct decoding *d, struct op *out)
{
    static const char *const modes[] = { "rn", "ftz", "sat", "relu", "NaN", "xorsign", "abs", NULL };
    static const uint16_t flags[] = { 0, HALF_FTZ, HALF_SAT, HALF_RELU, HALF_KEEP_NAN, HALF_CROSS, 0 };
    const enum ptx_type type = d->in->type_count ? d->in->types[0] : TYPE_NONE;
    if (!lanes_take(d, out, rows, modes))
        return false;
    for (int i = 0; modes[i]; i++)
        if (ptx_has(d->in, modes[i]))
            out->sub |= flags[i];
    // bfloat16 keeps subnormals: the .ftz of ex2.approx.ftz.bf16 concerns its input only.
    if (type == TYPE_BF16 || type == TYPE_BF16X2)
        out->sub &= (uint16_t)~HALF_FTZ;
    return true;
}

const struct decoder LANES_TABLE(lanes_half_decoders)[] = {
    { "add", decode },  { "sub", decode }, { "mul", decode }, { "fma", decode },
    { "min", decode },  { "max", decode }, { "ex2", decode }, { "neg", decode },
    { "tanh", decode }, { "abs", decode }, { NULL, NULL },
};
