// The rules of definedness. A rule gets the operands of one lane as partial values and returns the undefined bits of the
// result: those that can come out both 0 and 1, whatever the undefined bits of the operands are. Rules may call a
// defined bit undefined, never an undefined one defined. Where exactness is cheap they are exact: bitwise operations,
// shifts, fields, permutes, narrowing and widening conversions, sums (by the smallest and the largest that they can be)
// and comparisons (by the ranges of both sides).
#include "engine/sim/sanitize/checks.h"

#include <string.h>

typedef struct partial_value partial;
typedef const struct definedness *how_t;

// ---- partial values --------------------------------------------------------------------------------------------

static partial cut(partial x, unsigned width)
{
    return (partial){ x.value & bits_below(width), x.undefined & bits_below(width) };
}

static partial extended(partial x, unsigned width, bool is_signed)
{
    return (partial){ bits_extended(x.value, width, is_signed) &
                          ~bits_extended(x.undefined, width, is_signed),
                      bits_extended(x.undefined, width, is_signed) };
}

static uint64_t most(partial x)
{
    return x.value | x.undefined;
}

static partial inverted(partial x, unsigned width)
{
    return (partial){ ~most(x) & bits_below(width), x.undefined & bits_below(width) };
}

// The result is undefined in all bits or in none.
static uint64_t all_if(bool undefined, unsigned width)
{
    return undefined ? bits_below(width) : 0;
}

// The bits in which two numbers and all those between them may differ.
static uint64_t differing(uint64_t a, uint64_t b)
{
    return a == b ? 0 : bits_below(64 - (unsigned)__builtin_clzll(a ^ b));
}

static unsigned trailing_zeros(uint64_t x)
{
    return x ? (unsigned)__builtin_ctzll(x) : 64;
}

static bool is_any(how_t how, const partial *s)
{
    for (int i = 0; i < how->count; i++)
        if (s[i].undefined)
            return true;
    return false;
}

// The default rule: any undefined bit makes all bits of the destination undefined.
static uint64_t any(how_t how, const partial *s)
{
    return all_if(is_any(how, s), 64);
}

static uint64_t copy(how_t how, const partial *s)
{
    return s[0].undefined;
}

// ---- bitwise -----------------------------------------------------------------------------------------------------

// Any function of three bits by its table, as lop3 has it.
static partial looked_up(unsigned table, partial a, partial b, partial c)
{
    uint64_t may[2] = { 0, 0 };
    for (unsigned m = 0; m < 8; m++) {
        uint64_t at_a = m & 4 ? most(a) : ~a.value, at_b = m & 2 ? most(b) : ~b.value;
        uint64_t at_c = m & 1 ? most(c) : ~c.value;
        may[table >> m & 1] |= at_a & at_b & at_c;
    }
    return (partial){ may[1] & ~may[0], may[0] & may[1] };
}

static uint64_t lookup(unsigned table, partial a, partial b)
{
    return looked_up(table, a, b, (partial){ 0, 0 }).undefined;
}

enum { TABLE_AND = 0xc0, TABLE_OR = 0xfc, TABLE_XOR = 0x3c };

static bool same_register(how_t how)
{
    const struct ptx_operand *a = &how->in->operands[1], *b = &how->in->operands[2];
    return a->kind == OPERAND_REGISTER && b->kind == OPERAND_REGISTER && a->reg == b->reg;
}

static uint64_t bit_and(how_t how, const partial *s)
{
    return lookup(TABLE_AND, s[0], s[1]);
}

static uint64_t bit_or(how_t how, const partial *s)
{
    return lookup(TABLE_OR, s[0], s[1]);
}

static uint64_t bit_xor(how_t how, const partial *s)
{
    return same_register(how) ? 0 : s[0].undefined | s[1].undefined;
}

// lop3.or d|p: p says whether the result is not 0, combined with another predicate.
static uint64_t lop3(how_t how, const partial *s)
{
    partial d = cut(looked_up((unsigned)s[3].value, s[0], s[1], s[2]), 32);
    partial p = { d.value != 0, !d.value && d.undefined };
    if (!how->second_output)
        return d.undefined;
    return lookup(ptx_has(how->in, "and") ? TABLE_AND : TABLE_OR, p, cut(s[4], 1)) & 1;
}

static uint64_t shifted_left(how_t how, const partial *s)
{
    uint64_t amount = s[1].value & bits_below(32);
    if (s[1].undefined)
        return all_if(true, how->width);
    return amount < how->width ? s[0].undefined << amount & bits_below(how->width) : 0;
}

static uint64_t shifted_right(how_t how, const partial *s)
{
    uint64_t amount = s[1].value & bits_below(32), last = how->width - 1;
    uint64_t bits = bits_extended(s[0].undefined, how->width, how->is_signed);
    if (s[1].undefined)
        return all_if(true, how->width);
    if (!how->is_signed)
        return amount <= last ? bits >> amount : 0;
    return (uint64_t)((int64_t)bits >> (amount < last ? amount : last)) & bits_below(how->width);
}

static uint64_t funnel(how_t how, const partial *s)
{
    bool wraps = ptx_has(how->in, "wrap");
    uint64_t both = s[1].undefined << 32 | (s[0].undefined & bits_below(32));
    uint64_t amount = wraps ? s[2].value & 31 : s[2].value & bits_below(32);
    if (s[2].undefined & (wraps ? 31 : bits_below(32)))
        return all_if(true, 32);
    amount = amount < 32 ? amount : 32;
    return (ptx_has(how->in, "l") ? both << amount >> 32 : both >> amount) & bits_below(32);
}

// ---- fields and permutes -----------------------------------------------------------------------------------------

// `length` bits of a sign-extended value from `at` on, filled up with the highest of them.
static uint64_t signed_field(int64_t bits, uint64_t at, uint64_t length)
{
    unsigned spare = length < 64 ? 64 - (unsigned)length : 0;
    int64_t moved = bits >> (at < 63 ? at : 63);
    return length == 0 ? 0 : (uint64_t)((int64_t)((uint64_t)moved << spare) >> spare);
}

static uint64_t field(how_t how, const partial *s)
{
    uint64_t at = s[1].value & 255, length = s[2].value & 255;
    uint64_t bits = bits_extended(s[0].undefined, how->width, how->is_signed);
    if ((s[1].undefined | s[2].undefined) & 255)
        return all_if(true, how->width);
    if (how->is_signed)
        return signed_field((int64_t)bits, at, length) & bits_below(how->width);
    return at < how->width ? bits >> at & bits_below((unsigned)length) : 0;
}

static uint64_t inserted_field(how_t how, const partial *s)
{
    uint64_t at = s[2].value & 255, length = s[3].value & 255;
    if ((s[2].undefined | s[3].undefined) & 255)
        return all_if(true, how->width);
    uint64_t mask = at < how->width ? bits_below((unsigned)length) << at & bits_below(how->width) : 0;
    return ((s[1].undefined & ~mask) | (mask ? s[0].undefined << at & mask : 0)) & bits_below(how->width);
}

static uint64_t field_mask(how_t how, const partial *s)
{
    uint64_t used = ptx_has(how->in, "wrap") ? 31 : bits_below(32);
    return all_if((s[0].undefined | s[1].undefined) & used, 32);
}

static uint64_t sign_extended(how_t how, const partial *s)
{
    bool wraps = ptx_has(how->in, "wrap");
    uint64_t length = wraps ? s[1].value & 31 : s[1].value & bits_below(32);
    if (s[1].undefined & (wraps ? 31 : bits_below(32)))
        return all_if(true, 32);
    length = length < 32 ? length : 32;
    if (!how->is_signed)
        return s[0].undefined & bits_below((unsigned)length);
    return signed_field((int64_t)bits_extended(s[0].undefined, 32, true), 0, length) & bits_below(32);
}

// A nibble of the selector picks a byte, or by its highest bit that byte's sign for all eight bits.
static uint64_t permuted(how_t how, const partial *s)
{
    uint64_t bytes = s[1].undefined << 32 | (s[0].undefined & bits_below(32)), out = 0;
    uint64_t selectors = s[2].value, unsure = s[2].undefined;
    if (how->op->imm) { // of a mode: 16 bits of selectors for each of the four values of c
        if (unsure & 3)
            return all_if(true, 32);
        selectors = how->op->imm >> 16 * (selectors & 3);
        unsure = 0;
    }
    for (unsigned k = 0; k < 4; k++) {
        uint64_t nibble = selectors >> 4 * k & 15, byte = bytes >> 8 * (nibble & 7) & 255;
        if (unsure >> 4 * k & 15)
            byte = 255;
        else if (nibble & 8)
            byte = byte & 128 ? 255 : 0;
        out |= byte << 8 * k;
    }
    return out;
}

static uint64_t reversed(how_t how, const partial *s)
{
    uint64_t out = 0;
    for (unsigned i = 0; i < how->width; i++)
        out |= (s[0].undefined >> i & 1) << (how->width - 1 - i);
    return out;
}

// ---- counts ------------------------------------------------------------------------------------------------------

static unsigned leading_zeros(uint64_t x, unsigned width)
{
    return x ? (unsigned)__builtin_clzll(x) - (64 - width) : width;
}

static uint64_t counted(how_t how, const partial *s)
{
    partial x = cut(s[0], how->width);
    return differing((uint64_t)__builtin_popcountll(x.value), (uint64_t)__builtin_popcountll(most(x)));
}

static uint64_t zeros_counted(how_t how, const partial *s)
{
    partial x = cut(s[0], how->width);
    return differing(leading_zeros(most(x), how->width), leading_zeros(x.value, how->width));
}

// The place of the highest bit that differs from the sign; all ones when there is none.
static uint64_t highest_found(how_t how, const partial *s)
{
    partial x = cut(s[0], how->width);
    uint64_t sign = 1ull << (how->width - 1);
    if (how->is_signed && x.undefined & sign)
        return all_if(true, 32);
    if (how->is_signed && x.value & sign)
        x = inverted(x, how->width);
    if (x.undefined && x.value == 0)
        return all_if(true, 32);
    unsigned least = leading_zeros(most(x), how->width), last = leading_zeros(x.value, how->width);
    if (ptx_has(how->in, "shiftamt"))
        return differing(least, last);
    return differing(how->width - 1 - least, how->width - 1 - last);
}

// The n-th set bit from a place on: known when no undefined bit is passed on the way to it.
static uint64_t nth_found(how_t how, const partial *s)
{
    int32_t offset = (int32_t)(uint32_t)s[2].value;
    int64_t left = offset < 0 ? -(int64_t)offset : offset;
    if (s[1].undefined || s[2].undefined)
        return all_if(true, 32);
    if (offset == 0)
        return all_if(s[1].value < 32 && s[0].undefined >> s[1].value & 1, 32);
    for (int64_t at = (int64_t)(uint32_t)s[1].value; at >= 0 && at < 32 && left; at += offset < 0 ? -1 : 1) {
        if (s[0].undefined >> at & 1)
            return all_if(true, 32);
        left -= (int64_t)(s[0].value >> at & 1);
    }
    return 0;
}

static uint64_t is_zero(how_t how, const partial *s)
{
    partial x = cut(s[0], how->width);
    return x.undefined && !x.value;
}

// ---- sums and products ---------------------------------------------------------------------------------------------

static partial sum(partial a, partial b, unsigned width)
{
    uint64_t undefined = ((a.value + b.value) ^ (most(a) + most(b))) | a.undefined | b.undefined;
    undefined &= bits_below(width);
    return (partial){ (a.value + b.value) & bits_below(width) & ~undefined, undefined };
}

static partial difference(partial a, partial b, unsigned width)
{
    uint64_t undefined = ((a.value - most(b)) ^ (most(a) - b.value)) | a.undefined | b.undefined;
    undefined &= bits_below(width);
    return (partial){ (a.value - b.value) & bits_below(width) & ~undefined, undefined };
}

// The product of two values that have been extended to 64 bits. A power of two moves the other side's bits; else what is
// below the lowest bit that an undefined one reaches is known.
static partial product(partial a, partial b)
{
    if (a.undefined && !b.undefined && b.value && !(b.value & (b.value - 1)))
        return (partial){ a.value * b.value, a.undefined << trailing_zeros(b.value) };
    if (b.undefined && !a.undefined && a.value && !(a.value & (a.value - 1)))
        return product(b, a);
    unsigned by_a = trailing_zeros(a.undefined) + trailing_zeros(most(b));
    unsigned by_b = trailing_zeros(b.undefined) + trailing_zeros(most(a));
    uint64_t known = bits_below(by_a < by_b ? by_a : by_b);
    return (partial){ a.value * b.value & known, ~known };
}

static uint64_t added(how_t how, const partial *s)
{
    if (ptx_has(how->in, "sat"))
        return any(how, s);
    return sum(cut(s[0], how->width), cut(s[1], how->width), how->width).undefined;
}

static uint64_t subtracted(how_t how, const partial *s)
{
    if (ptx_has(how->in, "sat"))
        return any(how, s);
    if (same_register(how))
        return 0;
    return difference(cut(s[0], how->width), cut(s[1], how->width), how->width).undefined;
}

static uint64_t negated(how_t how, const partial *s)
{
    return difference((partial){ 0, 0 }, cut(s[0], how->width), how->width).undefined;
}

static uint64_t absolute(how_t how, const partial *s)
{
    uint64_t sign = 1ull << (how->width - 1);
    if (s[0].undefined & sign)
        return all_if(true, how->width);
    return s[0].value & sign ? negated(how, s) : s[0].undefined;
}

// The upper half of a product of 64 bits: nothing is known above the lowest undefined bit.
static partial upper_product(partial a, partial b, bool is_signed)
{
    unsigned by_a = trailing_zeros(a.undefined) + trailing_zeros(most(b));
    unsigned by_b = trailing_zeros(b.undefined) + trailing_zeros(most(a));
    unsigned lowest = by_a < by_b ? by_a : by_b;
    uint64_t known = lowest >= 128 || !(a.undefined | b.undefined) ? ~0ull
                     : lowest > 64                                 ? bits_below(lowest - 64)
                                                                   : 0;
    unsigned __int128 all = is_signed ? (unsigned __int128)((__int128)(int64_t)a.value * (int64_t)b.value)
                                      : (unsigned __int128)a.value * b.value;
    return (partial){ (uint64_t)(all >> 64) & known, ~known };
}

// mul24 and mad24 multiply the low 24 bits of their operands.
static bool is_24_bit(how_t how)
{
    return how->in->base[3] == '2';
}

// mul and mad with .lo, .hi and .wide, and mul24 and mad24: the part of the product that goes into the result.
static partial product_part(how_t how, const partial *s)
{
    bool is_24 = is_24_bit(how);
    unsigned width = is_24 ? 24 : how->width;
    partial a = extended(s[0], width, how->is_signed), b = extended(s[1], width, how->is_signed);
    bool upper = ptx_has(how->in, "hi");
    if (upper && width == 64)
        return upper_product(a, b, how->is_signed);
    partial all = product(a, b);
    unsigned down = !upper ? 0 : is_24 ? 16 : width;
    return (partial){ all.value >> down, all.undefined >> down };
}

static unsigned product_width(how_t how)
{
    return ptx_has(how->in, "wide") ? 2 * how->width : how->width;
}

static uint64_t multiplied(how_t how, const partial *s)
{
    return product_part(how, s).undefined & bits_below(product_width(how));
}

static uint64_t multiplied_added(how_t how, const partial *s)
{
    unsigned width = product_width(how);
    if (ptx_has(how->in, "sat"))
        return any(how, s);
    return sum(cut(product_part(how, s), width), cut(s[2], width), width).undefined;
}

static partial piece(partial x, unsigned at, unsigned width, bool is_signed)
{
    return extended((partial){ x.value >> at, x.undefined >> at }, width, is_signed);
}

// dp4a: four products of bytes and a sum; dp2a: two of a half and a byte.
static uint64_t dot_product(how_t how, const partial *s)
{
    bool four = strcmp(how->in->base, "dp4a") == 0, first = type_is_signed(how->in->types[0]);
    bool second = type_is_signed(how->in->types[1]);
    unsigned width = four ? 8 : 16, start = !four && ptx_has(how->in, "hi") ? 16 : 0;
    partial all = cut(s[2], 32);
    for (unsigned k = 0; k < (four ? 4 : 2); k++) {
        partial a = piece(s[0], k * width, width, first), b = piece(s[1], start + 8 * k, 8, second);
        all = sum(all, cut(product(a, b), 32), 32);
    }
    return all.undefined;
}

// ---- order ---------------------------------------------------------------------------------------------------------

// The smallest and the largest value that a partial value can have. The order of signed values is that of unsigned ones with the sign turned.
struct bounds {
    uint64_t low, high;
};
static struct bounds bounds_of(partial x, unsigned width, bool is_signed)
{
    uint64_t sign = is_signed ? 1ull << (width - 1) : 0;
    x = cut(x, width);
    x.value ^= sign & ~x.undefined;
    return (struct bounds){ x.value, most(x) };
}

// The smaller or the larger of two, where the ranges tell which of them it is.
static uint64_t chosen_by_order(how_t how, const partial *s)
{
    struct bounds a = bounds_of(s[0], how->width, how->is_signed);
    struct bounds b = bounds_of(s[1], how->width, how->is_signed);
    bool smaller = strcmp(how->in->base, "min") == 0;
    if (!is_any(how, s) || ptx_has(how->in, "relu"))
        return any(how, s);
    if (a.high <= b.low)
        return s[smaller ? 0 : 1].undefined;
    if (b.high <= a.low)
        return s[smaller ? 1 : 0].undefined;
    return all_if(true, how->width);
}

enum comparison_outcome { NO, YES, UNSURE };

static enum comparison_outcome inverse(enum comparison_outcome outcome)
{
    return outcome == UNSURE ? UNSURE : outcome == YES ? NO : YES;
}

static enum comparison_outcome is_below(struct bounds a, struct bounds b, bool or_equal)
{
    if (or_equal ? a.high <= b.low : a.high < b.low)
        return YES;
    return (or_equal ? a.low > b.high : a.low >= b.high) ? NO : UNSURE;
}

static enum comparison_outcome is_equal(partial a, partial b)
{
    if ((a.value ^ b.value) & ~(a.undefined | b.undefined))
        return NO;
    return a.undefined | b.undefined ? UNSURE : YES;
}

static bool is_one_of(const char *name, const char *one, const char *other)
{
    return strcmp(name, one) == 0 || strcmp(name, other) == 0;
}

// Comparisons of integers. Of floats only their bits are known here, so that every undefined bit counts.
static enum comparison_outcome compared(how_t how, const partial *s, enum ptx_type type)
{
    const char *name = how->in->modifiers[0];
    unsigned width = 8 * type_bytes(type);
    partial x = cut(s[0], width), y = cut(s[1], width);
    struct bounds a = bounds_of(x, width, type_is_signed(type)),
                  b = bounds_of(y, width, type_is_signed(type));
    if (type >= TYPE_F16 || width == 0)
        return UNSURE;
    if (strcmp(name, "eq") == 0)
        return is_equal(x, y);
    if (strcmp(name, "ne") == 0)
        return inverse(is_equal(x, y));
    if (is_one_of(name, "lt", "lo") || is_one_of(name, "le", "ls"))
        return is_below(a, b, name[1] == 'e' || name[1] == 's');
    if (is_one_of(name, "gt", "hi") || is_one_of(name, "ge", "hs"))
        return is_below(b, a, name[1] == 'e' || name[1] == 's');
    return UNSURE;
}

// setp and set: the outcome, or its opposite for the second of d|p, combined with a third predicate.
static bool comparison_is_undefined(how_t how, const partial *s, enum ptx_type type)
{
    bool sure = !(s[0].undefined | s[1].undefined);
    enum comparison_outcome outcome = compared(how, s, type);
    if (how->count < 3)
        return !sure && outcome == UNSURE;
    if (outcome == UNSURE && sure) // of floats: defined, but which is not known here
        return s[2].undefined;
    if (how->second_output)
        outcome = inverse(outcome);
    partial p = { outcome == YES, outcome == UNSURE };
    unsigned table = ptx_has(how->in, "and") ? TABLE_AND : ptx_has(how->in, "or") ? TABLE_OR : TABLE_XOR;
    return lookup(table, p, cut(s[2], 1)) & 1;
}

static uint64_t predicate_set(how_t how, const partial *s)
{
    return comparison_is_undefined(how, s, how->in->types[0]);
}

static uint64_t value_set(how_t how, const partial *s)
{
    return all_if(comparison_is_undefined(how, s, how->in->types[1]), how->width);
}

// ---- choices -----------------------------------------------------------------------------------------------------

static uint64_t either(const partial *s)
{
    return s[0].undefined | s[1].undefined | (s[0].value ^ s[1].value);
}

static uint64_t selected(how_t how, const partial *s)
{
    if (s[2].undefined & 1)
        return either(s) & bits_below(how->width);
    return s[s[2].value & 1 ? 0 : 1].undefined;
}

// slct takes the first where the third is not negative.
static uint64_t selected_by_sign(how_t how, const partial *s)
{
    bool real = how->in->types[1] == TYPE_F32;
    uint32_t bits = (uint32_t)s[2].value, size = bits & 0x7fffffff;
    if (real ? s[2].undefined & bits_below(32) : s[2].undefined & 1u << 31)
        return either(s) & bits_below(how->width);
    bool first = !(bits >> 31);
    if (real) // -0 counts as 0, and so does with .ftz what is too small; what is not a number takes the second
        first = size <= 0x7f800000 && (first || size == 0 || (ptx_has(how->in, "ftz") && size < 0x800000));
    return s[first ? 0 : 1].undefined;
}

// ---- conversions -------------------------------------------------------------------------------------------------

static bool is_integer(enum ptx_type type)
{
    return type >= TYPE_B8 && type <= TYPE_S64;
}

static uint64_t packed(how_t how, const partial *s)
{
    unsigned width = how->width;
    uint64_t low = all_if(s[1].undefined & bits_below(32), width);
    uint64_t high = all_if(s[0].undefined & bits_below(32), width) << width;
    return (low | high | (how->count > 2 ? s[2].undefined << 2 * width : 0)) & bits_below(32);
}

static uint64_t converted(how_t how, const partial *s)
{
    enum ptx_type to = how->in->types[0], from = how->in->types[1];
    unsigned from_width = 8 * type_bytes(from);
    if (ptx_has(how->in, "pack"))
        return packed(how, s);
    if (from_width == 0)
        return any(how, s);
    if ((to == TYPE_F16X2 || to == TYPE_BF16X2) && how->count == 2)
        return all_if(s[0].undefined, 16) << 16 | all_if(s[1].undefined, 16);
    partial x = cut(s[0], from_width);
    uint64_t bits = all_if(x.undefined, how->width);
    if (is_integer(to) && is_integer(from) && !ptx_has(how->in, "sat"))
        bits = bits_extended(x.undefined, from_width, type_is_signed(from));
    return bits_extended(bits & bits_below(how->width), how->width, how->is_signed);
}

// ---- floats and pairs --------------------------------------------------------------------------------------------

static uint64_t without_sign(how_t how, const partial *s)
{
    return s[0].undefined & bits_below(how->width - 1);
}

static uint64_t sign_copied(how_t how, const partial *s)
{
    uint64_t sign = 1ull << (how->width - 1);
    return (s[0].undefined & sign) | (s[1].undefined & (sign - 1));
}

// Two values of 16 bits, or four of 8, in a register of 32: a part is undefined where that part of any source has an undefined
// bit.
static uint64_t by_parts(uint64_t bits, unsigned width)
{
    uint64_t out = 0;
    for (unsigned at = 0; at < 32; at += width)
        out |= all_if(bits >> at & bits_below(width), width) << at;
    return out;
}

static uint64_t halves(how_t how, const partial *s)
{
    uint64_t bits = 0;
    for (int i = 0; i < how->count; i++)
        bits |= s[i].undefined;
    return by_parts(bits, 16);
}

// vmin4, vmax4, vabsdiff2 and vabsdiff4; the third source counts only for the sum of .add.
static uint64_t simd_parts(how_t how, const partial *s)
{
    if (ptx_has(how->in, "add"))
        return any(how, s);
    return by_parts(s[0].undefined | s[1].undefined,
                    how->in->base[strlen(how->in->base) - 1] == '4' ? 8 : 16);
}

// ---- the table -----------------------------------------------------------------------------------------------------

static const struct {
    const char *base;
    definedness_rule integer, real; // NULL: `any`
} rules[] = {
    { "mov", copy, copy },
    { "cvta", copy, copy },
    { "and", bit_and, NULL },
    { "or", bit_or, NULL },
    { "xor", bit_xor, NULL },
    { "not", copy, NULL },
    { "lop3", lop3, NULL },
    { "shl", shifted_left, NULL },
    { "shr", shifted_right, NULL },
    { "shf", funnel, NULL },
    { "bfe", field, NULL },
    { "bfi", inserted_field, NULL },
    { "bmsk", field_mask, NULL },
    { "szext", sign_extended, NULL },
    { "prmt", permuted, NULL },
    { "brev", reversed, NULL },
    { "popc", counted, NULL },
    { "clz", zeros_counted, NULL },
    { "bfind", highest_found, NULL },
    { "fns", nth_found, NULL },
    { "cnot", is_zero, NULL },
    { "add", added, NULL },
    { "sub", subtracted, NULL },
    { "neg", negated, copy },
    { "abs", absolute, without_sign },
    { "copysign", NULL, sign_copied },
    { "mul", multiplied, NULL },
    { "mad", multiplied_added, NULL },
    { "mul24", multiplied, NULL },
    { "mad24", multiplied_added, NULL },
    { "dp4a", dot_product, NULL },
    { "dp2a", dot_product, NULL },
    { "min", chosen_by_order, NULL },
    { "max", chosen_by_order, NULL },
    { "vmin4", simd_parts, NULL },
    { "vmax4", simd_parts, NULL },
    { "vabsdiff2", simd_parts, NULL },
    { "vabsdiff4", simd_parts, NULL },
    { "setp", predicate_set, predicate_set },
    { "set", value_set, value_set },
    { "selp", selected, selected },
    { "slct", selected_by_sign, selected_by_sign },
    { "cvt", converted, converted },
};

static bool is_pair(const struct ptx_instruction *in)
{
    return in->types[0] == TYPE_F16X2 || in->types[0] == TYPE_BF16X2 || ptx_has(in, "u16x2") ||
           ptx_has(in, "s16x2");
}

struct definedness definedness_of(const struct op *op, bool values_known)
{
    const struct ptx_instruction *in = op->from;
    struct definedness how = { .op = op,
                               .in = in,
                               .rule = any,
                               .count = in->operand_count - 1,
                               .width = in->types[0] == TYPE_PRED ? 1 : 8 * type_bytes(in->types[0]),
                               .is_signed = type_is_signed(in->types[0]) };
    static const char *const not_by_halves[] = { "mov", "cvt", "set", "setp", "selp", NULL };
    if (is_pair(in) && !ptx_is_one_of(in->base, not_by_halves)) {
        how.rule = halves;
        return how;
    }
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        if (strcmp(rules[i].base, in->base) != 0)
            continue;
        definedness_rule rule = in->types[0] >= TYPE_F16 ? rules[i].real : rules[i].integer;
        if (rule && (values_known || rule == copy) && how.count <= DEFINEDNESS_SOURCES &&
            (how.width || rule == copy))
            how.rule = rule;
        break;
    }
    return how;
}

uint64_t definedness_result(const struct definedness *how, const struct partial_value *source)
{
    return how->rule(how, source);
}
