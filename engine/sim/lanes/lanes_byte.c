// Conversions to and from numbers of 8 bits, two in a register of 16: e4m3 (no infinities, up to 448) and e5m2 (up to 57344).
// Results too large for the type become its largest number, as .satfinite says, which PTX demands.
#include "engine/sim/lanes/lanes.h"

struct byte_format {
    uint32_t fraction, bias, most; // bits; of the exponent; the largest number's bits
};
static const struct byte_format e4m3 = { 3, 7, 0x7e }, e5m2 = { 2, 15, 0x7b };

// Rounds to nearest. Subnormals are multiples of the smallest one.
INLINE uint32_t byte_of_f32(float x, struct byte_format f)
{
    const uint32_t bits = bits_of_f32(x), size = bits & 0x7fffffff, sign = bits >> 24 & 0x80;
    const int exponent = (int)(size >> 23) - 127 + (int)f.bias;
    if (size > 0x7f800000)
        return 0x7f;
    if (exponent < -8 || !size)
        return sign;
    const uint32_t deeper = exponent < 1 ? (uint32_t)(1 - exponent) : 0;
    const uint32_t significand = (size & 0x7fffff) | 0x800000;
    const uint32_t rounded = exponent < 1
                                 ? cut(significand, 23 - f.fraction + deeper, 0, FE_TONEAREST)
                                 : cut(size - ((127 - f.bias) << 23), 23 - f.fraction, 0, FE_TONEAREST);
    return sign | (rounded > f.most ? f.most : rounded);
}
// Each number of 8 bits is one of f16.
INLINE uint32_t f16_of_byte(uint32_t x, struct byte_format f)
{
    const uint32_t sign = (x & 0x80) << 8, size = x & 0x7f;
    if (f.fraction == 2) // the upper half of a half
        return size > 0x7c ? HALF_NAN : sign | size << 8;
    if (size == 0x7f)
        return HALF_NAN;
    if (size >> 3)
        return sign | ((size << 7) + (8 << 10));
    return sign | f16_of_f32((float)size * 0x1p-9f, FE_TONEAREST);
}

#define RELU(x) ((x) > 0 || (x) != (x) ? (x) : 0.0f)
#define FROM_FLOATS(name, format)                                                                            \
    LANES_2(name, u16, f32, f32, byte_of_f32(a, format) << 8 | byte_of_f32(b, format))                       \
    LANES_2(name##_relu, u16, f32, f32, byte_of_f32(RELU(a), format) << 8 | byte_of_f32(RELU(b), format))
#define FROM_HALVES(name, format)                                                                            \
    LANES_1(name, u16, u32,                                                                                  \
            byte_of_f32(f32_of_f16(a >> 16), format) << 8 | byte_of_f32(f32_of_f16(a & 0xffff), format))     \
    LANES_1(name##_relu, u16, u32,                                                                           \
            byte_of_f32(RELU(f32_of_f16(a >> 16)), format) << 8 |                                            \
                byte_of_f32(RELU(f32_of_f16(a & 0xffff)), format))
// What relu makes of a half: NaN stays.
INLINE uint32_t f16_relu(uint32_t half)
{
    return half == HALF_NAN || !(half & 0x8000) ? half : 0;
}
#define TO_HALVES(name, format)                                                                              \
    LANES_1(name, u32, u16, f16_of_byte(a >> 8, format) << 16 | f16_of_byte(a & 0xffu, format))              \
    LANES_1(name##_relu, u32, u16,                                                                           \
            f16_relu(f16_of_byte(a >> 8, format)) << 16 | f16_relu(f16_of_byte(a & 0xffu, format)))
FROM_FLOATS(e4m3_from_f32, e4m3)
FROM_FLOATS(e5m2_from_f32, e5m2)
FROM_HALVES(e4m3_from_f16, e4m3)
FROM_HALVES(e5m2_from_f16, e5m2)
TO_HALVES(f16_from_e4m3, e4m3)
TO_HALVES(f16_from_e5m2, e5m2)

// tf32 has the exponent of f32 and 10 bits after the point; the lower bits of a result are 0.
INLINE uint32_t tf32_away(float x)
{
    const uint32_t bits = bits_of_f32(x), size = bits & 0x7fffffff;
    return (size >= 0x7f800000 ? bits : bits + 0x1000) & ~0x1fffu;
}
INLINE uint32_t tf32_even(float x)
{
    const uint32_t bits = bits_of_f32(x), size = bits & 0x7fffffff;
    return size > 0x7f800000 ? 0x7fffe000 : cut(size, 13, 0, FE_TONEAREST) << 13 | (bits & SIGN_F32);
}
LANES_1(tf32_rna, u32, f32, tf32_away(a))
LANES_1(tf32_rn, u32, f32, tf32_even(a))

// The types of 8 bits are no types of registers: `shape` is written out, h: 16 bits, u: 32, f: a float.
static const struct {
    const char *name, *shape;
    lanes_fn run;
} rows[] = {
    { "cvt.rn.satfinite.e4m3x2.f32", "hff", e4m3_from_f32 },
    { "cvt.rn.satfinite.e5m2x2.f32", "hff", e5m2_from_f32 },
    { "cvt.rn.satfinite.relu.e4m3x2.f32", "hff", e4m3_from_f32_relu },
    { "cvt.rn.satfinite.relu.e5m2x2.f32", "hff", e5m2_from_f32_relu },
    { "cvt.rn.satfinite.e4m3x2.f16x2", "hu", e4m3_from_f16 },
    { "cvt.rn.satfinite.e5m2x2.f16x2", "hu", e5m2_from_f16 },
    { "cvt.rn.satfinite.relu.e4m3x2.f16x2", "hu", e4m3_from_f16_relu },
    { "cvt.rn.satfinite.relu.e5m2x2.f16x2", "hu", e5m2_from_f16_relu },
    { "cvt.rn.f16x2.e4m3x2", "uh", f16_from_e4m3 },
    { "cvt.rn.f16x2.e5m2x2", "uh", f16_from_e5m2 },
    { "cvt.rn.relu.f16x2.e4m3x2", "uh", f16_from_e4m3_relu },
    { "cvt.rn.relu.f16x2.e5m2x2", "uh", f16_from_e5m2_relu },
    { "cvt.rna.tf32.f32", "uf", tf32_rna },
    { "cvt.rna.satfinite.tf32.f32", "uf", tf32_rna },
    { "cvt.rn.tf32.f32", "uf", tf32_rn },
    { NULL, NULL, NULL },
};

static bool operand_row(struct decoding *d, int at, char letter, row *to)
{
    const enum ptx_type type = letter == 'h' ? TYPE_B16 : letter == 'f' ? TYPE_F32 : TYPE_B32;
    const struct ptx_operand *operand = &d->in->operands[at];
    *to = at ? decode_value(d, operand, type) : decode_destination(d, operand, type);
    return *to != 0;
}

static bool decode_cvt(struct decoding *d, struct op *out)
{
    for (size_t i = 0; rows[i].name; i++) {
        const struct lanes_row one[] = { { rows[i].name, rows[i].shape, rows[i].run }, { NULL, NULL, NULL } };
        row *const to[] = { &out->d, &out->a, &out->b };
        const int most = sizeof to / sizeof *to, length = (int)strlen(rows[i].shape);
        const int count = length < most ? length : most;
        if (!lanes_find(d->in, one))
            continue;
        if (d->in->operand_count != count)
            return decode_fails(d, "it has the wrong number of operands");
        for (int k = 0; k < count; k++)
            if (!operand_row(d, k, rows[i].shape[k], to[k]))
                return false;
        out->run = rows[i].run;
        return true;
    }
    return decode_fails(d, "this form of it is not known");
}

const struct decoder LANES_TABLE(lanes_byte_decoders)[] = { { "cvt", decode_cvt }, { NULL, NULL } };
