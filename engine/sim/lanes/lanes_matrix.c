// Products of small matrices by a whole warp: mma, mma.sp, wmma.mma; and movmatrix, which transposes one.
//
// Tensor cores do not add as scalar instructions do. All exact products of an element and its addend are aligned to the
// largest exponent among them and cut off towards zero, 25 bits after the point; the sum of these integers is exact, and
// is rounded once: to a float towards zero, to a half to nearest. Subnormals count, and a sum that vanishes is +0. An H100
// has no such instruction for fp8: the compiler widens its elements to halves and adds up two products. All of this was
// measured, and is equal in every bit that was tried (tests/data/truth/mma.csv, tests/data/truth/blind).
#include "engine/sim/lanes/lanes.h"
#include "engine/sim/machine/fragment.h"
#include "engine/sim/sanitize/fragments.h"
#include "engine/sim/sanitize/sanitize.h"

#include <stdlib.h>
#include <string.h>

// Columns are computed eight at a time.
enum {
    BATCH = 8,
    MOST_OPERAND = 16 * 256,
    MOST_FLOATS = 32 * 16,
    MOST_DOUBLES = 16 * 16,
    MOST_RESULTS = 256,
    MOST_HELD = 16 * 64 // elements of a sparse matrix
};
struct product {
    struct fragments of; // what op->fragments points to
    const struct matrix_shape *shape;
    const row *d_rows, *a_rows, *b_rows, *c_rows;
    unsigned depth; // columns of A as it is held
    row metadata;   // of a sparse A
    // Where each element of each register of each lane lies in its matrix, row after row.
    const uint16_t *a_places, *b_places, *c_places, *d_places;
    bool saturates, exclusive;  // .satfinite; .xor of single bits
    const struct order *orders; // in which products are added
    struct fragment_mix mix;    // of its operands, with what multiplies nevertheless
    lanes_fn multiply;
};

static const struct product *product_of(const struct op *op)
{
    return (const struct product *)(const void *)op->fragments;
}

// ---- between registers and matrices --------------------------------------------------------------------------------------

static void gather(struct warp *w, const row *rows, const struct fragment *f, const uint16_t *place,
                   uint32_t *to)
{
    const unsigned bits = element_bits(f->type);
    const uint32_t mask = bits < 32 ? (1u << bits) - 1 : ~0u;
    for (unsigned r = 0; r < f->registers; r++) {
        const uint32_t *from = ROW32(w, rows[r]);
        for (int lane = 0; lane < LANES; lane++)
            for (unsigned at = 0; at < f->elements; at++)
                to[*place++] = from[lane] >> at * bits % 32 & mask;
    }
}

static void scatter(struct warp *w, const row *rows, const struct fragment *f, const uint16_t *place,
                    const uint32_t *from)
{
    const unsigned bits = element_bits(f->type);
    for (unsigned r = 0; r < f->registers; r++) {
        uint32_t *to = ROW32(w, rows[r]);
        for (int lane = 0; lane < LANES; lane++, place += f->elements)
            if (w->active >> lane & 1) {
                to[lane] = from[place[0]];
                if (f->elements == 2)
                    to[lane] |= from[place[1]] << bits % 32;
            }
    }
}

static void gather_wide(struct warp *w, const row *rows, const struct fragment *f, const uint16_t *place,
                        double *to)
{
    for (unsigned r = 0; r < f->registers; r++)
        for (int lane = 0; lane < LANES; lane++)
            to[*place++] = ROWF64(w, rows[r])[lane];
}

static void scatter_wide(struct warp *w, const row *rows, const struct fragment *f, const uint16_t *place,
                         const double *from)
{
    for (unsigned r = 0; r < f->registers; r++)
        for (int lane = 0; lane < LANES; lane++, place++)
            if (w->active >> lane & 1)
                ROWF64(w, rows[r])[lane] = from[*place];
}

// The row of B that each element of a sparse A is multiplied with; NULL: A is not sparse, and it is that of its column.
static const uint8_t *factors_of(struct warp *w, const struct product *p, uint8_t to[MOST_HELD])
{
    const struct sparsity *s = &p->of.sparsity;
    if (!s->held)
        return NULL;
    memset(to, 0, MOST_HELD);
    for (unsigned i = 0; i < p->shape->m * s->held; i++) {
        const unsigned element = i % s->held;
        const struct sparse_place place = sparse_place(s, i / s->held, element);
        to[i] = (uint8_t)sparse_factor(s, element, ROW32(w, p->metadata)[place.lane] >> place.bit & 3);
    }
    return to;
}

static unsigned factor_at(const uint8_t *factors, unsigned start, unsigned k)
{
    return factors ? factors[start + k] : k;
}

// ---- integers ---------------------------------------------------------------------------------------------------------

// The values of elements of 1, 4 or 8 bits.
static void widen(enum element type, uint32_t *cells, unsigned count)
{
    const uint32_t sign = type == ELEMENT_S8 ? 0x80 : type == ELEMENT_S4 ? 8 : 0;
    for (unsigned i = 0; i < count; i++)
        cells[i] = (cells[i] ^ sign) - sign;
}

static uint32_t saturated(int64_t sum)
{
    return (uint32_t)(sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum);
}

static void multiply_integers(struct warp *w, const struct op *op)
{
    const struct product *p = product_of(op);
    uint32_t a[MOST_OPERAND], b[MOST_OPERAND], c[MOST_RESULTS];
    uint8_t held[MOST_HELD];
    const uint8_t *factors = factors_of(w, p, held);
    const unsigned depth = p->depth, columns = p->shape->n;
    gather(w, p->a_rows, &p->of.a, p->a_places, a);
    gather(w, p->b_rows, &p->of.b, p->b_places, b);
    gather(w, p->c_rows, &p->of.c, p->c_places, c);
    widen(p->of.a.type, a, p->shape->m * depth);
    widen(p->of.b.type, b, columns * p->shape->k);
    for (unsigned start = 0; start < p->shape->m * columns; start += BATCH) {
        const unsigned from = start / columns * depth;
        int32_t sum[BATCH] = { 0 };
        for (unsigned k = 0; k < depth; k++) {
            const uint32_t *from_b = b + factor_at(factors, from, k) * columns + start % columns;
            for (int j = 0; j < BATCH; j++) {
                const int32_t x = (int32_t)a[from + k], y = (int32_t)from_b[j];
                sum[j] += p->exclusive ? x ^ y : x * y;
            }
        }
        for (unsigned j = 0; j < BATCH; j++) {
            uint32_t *to = &c[start + j];
            *to = p->saturates ? saturated((int64_t)(int32_t)*to + sum[j]) : *to + (uint32_t)sum[j];
        }
    }
    scatter(w, p->d_rows, &p->of.d, p->d_places, c);
}

// ---- f64 --------------------------------------------------------------------------------------------------------------

// Of the operands that are NaN, the result is that of B, else the addend, else that of A, as a quiet one.
static double fused(double a, double b, double c)
{
    const double nan = b != b ? b : c != c ? c : a;
    if (nan != nan)
        return f64_of_bits(bits_of_f64(nan) | 1ull << 51);
    const double sum = fma(a, b, c);
    return sum == sum ? sum : f64_of_bits(0xfff8000000000000);
}

// One fused multiply-add after the other.
static void multiply_doubles(struct warp *w, const struct op *op)
{
    const struct product *p = product_of(op);
    double a[MOST_DOUBLES] = { 0 }, b[MOST_DOUBLES] = { 0 }, c[MOST_DOUBLES] = { 0 };
    const unsigned depth = p->shape->k, columns = p->shape->n;
    gather_wide(w, p->a_rows, &p->of.a, p->a_places, a);
    gather_wide(w, p->b_rows, &p->of.b, p->b_places, b);
    gather_wide(w, p->c_rows, &p->of.c, p->c_places, c);
    for (unsigned cell = 0; cell < p->shape->m * columns; cell++)
        for (unsigned k = 0; k < depth; k++)
            c[cell] = fused(a[cell / columns * depth + k], b[k * columns + cell % columns], c[cell]);
    scatter_wide(w, p->d_rows, &p->of.d, p->d_places, c);
}

// ---- f16, bf16, tf32, fp8 ---------------------------------------------------------------------------------------------

struct number_format {
    int exponent, fraction; // bits of each
    int bias;
    bool has_infinity; // e4m3 has none; all ones are its NaN
    int dropped;       // low bits of the register that are ignored
};
static struct number_format format_of(enum element type)
{
    switch (type) {
    case ELEMENT_F16:
        return (struct number_format){ 5, 10, 15, true, 0 };
    case ELEMENT_BF16:
        return (struct number_format){ 8, 7, 127, true, 0 };
    case ELEMENT_TF32:
        return (struct number_format){ 8, 10, 127, true, 13 };
    case ELEMENT_E4M3:
        return (struct number_format){ 4, 3, 7, false, 0 };
    case ELEMENT_E5M2:
        return (struct number_format){ 5, 2, 15, true, 0 };
    default:
        return (struct number_format){ 8, 23, 127, true, 0 };
    }
}

// A number is significand * 2^(exponent - fraction bits of its format). Special: infinite or NaN.
enum { FINITE, INFINITE, NOT_A_NUMBER };
struct split_numbers {
    int32_t significand[MOST_FLOATS], exponent[MOST_FLOATS];
    uint8_t special[MOST_FLOATS];
    bool any_special;
};

static void take_apart(struct number_format f, const uint32_t *bits, unsigned count,
                       struct split_numbers *out)
{
    const uint32_t top = (1u << f.exponent) - 1, fraction_mask = (1u << f.fraction) - 1;
    uint32_t any = 0;
    for (unsigned i = 0; i < count; i++) {
        const uint32_t x = bits[i] >> f.dropped, exponent = x >> f.fraction & top,
                       fraction = x & fraction_mask;
        const int32_t size = (int32_t)(fraction | (exponent ? fraction_mask + 1 : 0));
        const bool last = exponent == top;
        const uint32_t special =
            f.has_infinity ? last * (1u + (fraction != 0)) : (last && fraction == fraction_mask) * 2u;
        out->significand[i] = x >> (f.fraction + f.exponent) & 1 ? -size : size;
        out->exponent[i] = (int32_t)(exponent ? exponent : 1) - f.bias;
        out->special[i] = (uint8_t)special;
        any |= special;
    }
    out->any_special = any != 0;
}

enum { CUT = 25 }; // bits after the point of the largest exponent that take part in a sum
enum { ZERO_EXPONENT = -1000 };

// A sum of integers with CUT bits after the point, times 2^exponent, as a float; towards zero.
static uint32_t f32_of_sum(int64_t sum, int exponent)
{
    if (!sum)
        return 0;
    const uint32_t sign = sum < 0 ? SIGN_F32 : 0;
    const uint64_t size = sum < 0 ? 0 - (uint64_t)sum : (uint64_t)sum;
    const int high = 63 - __builtin_clzll(size);
    int field = exponent - CUT + high + 127;
    if (field >= 255)
        return sign | 0x7f800000;
    int down = high - 23;
    if (field < 1) {
        down += 1 - field;
        field = 0;
    }
    const uint64_t kept = down >= 64 ? 0 : down >= 0 ? size >> down : size << -down;
    const uint32_t rounded = (uint32_t)field << 23 | ((uint32_t)kept & 0x7fffff);
    return rounded ? sign | rounded : 0;
}

// The same as a half; to nearest.
static uint32_t f16_of_sum(int64_t sum, int exponent)
{
    if (!sum)
        return 0;
    const uint32_t sign = sum < 0 ? 0x8000 : 0;
    const uint64_t size = sum < 0 ? 0 - (uint64_t)sum : (uint64_t)sum;
    const int high = 63 - __builtin_clzll(size);
    int field = exponent - CUT + high + 15;
    if (field >= 31)
        return sign | 0x7c00;
    int down = high - 10;
    if (field < 1) {
        down += 1 - field;
        field = 0;
    }
    if (down > 60)
        return 0;
    uint64_t kept = down >= 0 ? size >> down : size << -down;
    if (down > 0) {
        const uint64_t lost = size & ((1ull << down) - 1), half = 1ull << (down - 1);
        kept += lost > half || (lost == half && (kept & 1));
    }
    const uint32_t rounded = (uint32_t)((field ? (uint64_t)(field - 1) << 10 : 0) + kept);
    return rounded ? sign | rounded : 0;
}

// The elements of a row of A and of a column of B that are multiplied at once.
struct order {
    uint8_t count; // 0: no more
    uint8_t at[16];
};
// What is multiplied: a row of A by eight columns of B.
struct product_batch {
    const struct split_numbers *a, *b;
    unsigned row, column; // of A, where it starts; of B, the first
    unsigned columns;     // of B
    const uint8_t *factors;
    const struct order *order;
    int fraction; // bits of both factors together
};
struct sums {
    int64_t size[BATCH];
    int32_t exponent[BATCH];
};

// The largest exponents among the products and addends; zeros have none.
static void find_exponents(const struct product_batch *s, const int32_t *addend,
                           const int32_t *addend_exponent, int32_t most[BATCH])
{
    for (int j = 0; j < BATCH; j++)
        most[j] = addend[j] ? addend_exponent[j] : ZERO_EXPONENT;
    for (unsigned i = 0; i < s->order->count; i++) {
        const unsigned k = s->order->at[i], from = factor_at(s->factors, s->row, k) * s->columns + s->column;
        const int32_t x = s->a->significand[s->row + k], e = s->a->exponent[s->row + k];
        const int32_t *y = &s->b->significand[from], *f = &s->b->exponent[from];
        for (int j = 0; j < BATCH; j++) {
            const int32_t here = x && y[j] ? e + f[j] : ZERO_EXPONENT;
            most[j] = here > most[j] ? here : most[j];
        }
    }
}

static uint64_t cut_off(uint64_t size, int up)
{
    return up >= 0 ? size << (up < 40 ? up : 40) : up > -64 ? size >> -up : 0;
}

static void add_batch(const struct product_batch *s, const int32_t *addend, const int32_t *addend_exponent,
                      int addend_fraction, struct sums *out)
{
    int32_t most[BATCH];
    find_exponents(s, addend, addend_exponent, most);
    for (int j = 0; j < BATCH; j++) {
        const int32_t far = most[j] - addend_exponent[j];
        const uint64_t size = (uint64_t)(addend[j] < 0 ? -(int64_t)addend[j] : addend[j]);
        const uint64_t kept = size ? cut_off(size, CUT - addend_fraction - far) : 0;
        out->size[j] = addend[j] < 0 ? -(int64_t)kept : (int64_t)kept;
        out->exponent[j] = most[j];
    }
    const int up = CUT - s->fraction;
    for (unsigned i = 0; i < s->order->count; i++) {
        const unsigned k = s->order->at[i], from = factor_at(s->factors, s->row, k) * s->columns + s->column;
        const int32_t x = s->a->significand[s->row + k], e = s->a->exponent[s->row + k];
        const int32_t *y = &s->b->significand[from], *f = &s->b->exponent[from];
        int32_t term[BATCH];
        for (int j = 0; j < BATCH; j++) {
            const int32_t product = x * y[j];
            const uint32_t far = (uint32_t)(most[j] - e - f[j]);
            const uint32_t kept = far < 32 ? (uint32_t)abs(product) << up >> far : 0;
            term[j] = product < 0 ? -(int32_t)kept : (int32_t)kept;
        }
        for (int j = 0; j < BATCH; j++)
            out->size[j] += term[j];
    }
}

enum sum_kind { ORDINARY, PLUS_INFINITE, MINUS_INFINITE, INVALID };

// What infinities and NaNs among the operands make of a sum.
static enum sum_kind special_sum(const struct product_batch *s, unsigned column, uint8_t addend,
                                 bool addend_minus)
{
    bool up = addend == INFINITE && !addend_minus, down = addend == INFINITE && addend_minus;
    bool invalid = addend == NOT_A_NUMBER;
    for (unsigned i = 0; i < s->order->count; i++) {
        const unsigned k = s->order->at[i], x = s->row + k,
                       y = factor_at(s->factors, s->row, k) * s->columns + s->column + column;
        if (!s->a->special[x] && !s->b->special[y])
            continue;
        invalid |= !s->a->significand[x] || !s->b->significand[y] || s->a->special[x] == NOT_A_NUMBER ||
                   s->b->special[y] == NOT_A_NUMBER;
        const bool minus = (s->a->significand[x] < 0) != (s->b->significand[y] < 0);
        up |= !minus;
        down |= minus;
    }
    return invalid || (up && down) ? INVALID : up ? PLUS_INFINITE : down ? MINUS_INFINITE : ORDINARY;
}

// Adds products to the bits of numbers.
static void add_products(const struct product *p, struct product_batch *s, uint32_t *c)
{
    static const uint32_t float_of[] = { 0, 0x7f800000, 0xff800000, 0x7fffffff };
    static const uint32_t half_of[] = { 0, 0x7c00, 0xfc00, HALF_NAN };
    const bool half = p->of.d.type == ELEMENT_F16;
    const struct number_format format = format_of(p->of.d.type);
    const unsigned cells = p->shape->m * p->shape->n;
    struct split_numbers addend = { .any_special = false };
    take_apart(format, c, cells, &addend);
    const bool any_special = s->a->any_special || s->b->any_special || addend.any_special;
    for (unsigned start = 0; start < cells; start += BATCH) {
        struct sums sums;
        s->row = start / s->columns * p->depth;
        s->column = start % s->columns;
        add_batch(s, &addend.significand[start], &addend.exponent[start], format.fraction, &sums);
        for (unsigned j = 0; j < BATCH; j++) {
            const unsigned cell = start + j;
            const enum sum_kind outcome =
                any_special ? special_sum(s, j, addend.special[cell], addend.significand[cell] < 0)
                            : ORDINARY;
            c[cell] = outcome != ORDINARY ? (half ? half_of : float_of)[outcome]
                      : half              ? f16_of_sum(sums.size[j], sums.exponent[j])
                                          : f32_of_sum(sums.size[j], sums.exponent[j]);
        }
    }
}

static const struct order at_once[] = { { 16, { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 } },
                                        { 0, { 0 } } };
static const struct order of_eight[] = { { 8, { 0, 1, 2, 3, 4, 5, 6, 7 } }, { 0, { 0 } } };
static const struct order of_four[] = { { 4, { 0, 1, 2, 3 } }, { 0, { 0 } } };
static const struct order in_fours[] = { { 4, { 0, 1, 2, 3 } }, { 4, { 4, 5, 6, 7 } }, { 0, { 0 } } };
// The elements in the lower halves of registers of four, and those in the upper ones.
static const struct order by_halves[] = {
    { 16, { 0, 1, 4, 5, 8, 9, 12, 13, 16, 17, 20, 21, 24, 25, 28, 29 } },
    { 16, { 2, 3, 6, 7, 10, 11, 14, 15, 18, 19, 22, 23, 26, 27, 30, 31 } },
    { 0, { 0 } }
};

static float number_of(enum element type, uint32_t bits)
{
    return type == ELEMENT_F16 ? f32_of_f16(bits) : f32_of_bits(bits);
}

static uint32_t bits_of(enum element type, float number)
{
    return type == ELEMENT_F16 ? f16_of_f32(number, FE_TONEAREST) : bits_of_f32(one_nan(number));
}

static void multiply_floats(struct warp *w, const struct op *op)
{
    const struct product *p = product_of(op);
    uint32_t bits[MOST_FLOATS] = { 0 }, c[MOST_RESULTS] = { 0 }, sum[MOST_RESULTS] = { 0 };
    struct split_numbers a, b;
    uint8_t held[MOST_HELD];
    const struct number_format of_a = format_of(p->of.a.type), of_b = format_of(p->of.b.type);
    const bool bytes = element_bits(p->of.a.type) == 8;
    gather(w, p->a_rows, &p->of.a, p->a_places, bits);
    take_apart(of_a, bits, p->shape->m * p->depth, &a);
    gather(w, p->b_rows, &p->of.b, p->b_places, bits);
    take_apart(of_b, bits, p->shape->k * p->shape->n, &b);
    gather(w, p->c_rows, &p->of.c, p->c_places, c);
    struct product_batch s = { .a = &a,
                               .b = &b,
                               .columns = p->shape->n,
                               .factors = factors_of(w, p, held),
                               .fraction = of_a.fraction + of_b.fraction };
    for (s.order = p->orders; s.order->count; s.order++)
        add_products(p, &s, bytes ? sum : c);
    for (unsigned i = 0; bytes && i < p->shape->m * p->shape->n; i++)
        c[i] = bits_of(p->of.d.type, number_of(p->of.c.type, sum[i]) + number_of(p->of.c.type, c[i]));
    scatter(w, p->d_rows, &p->of.d, p->d_places, c);
}

// The four products of sm_70, which later tensor cores do not know: ptxas calls a routine of multiply-adds of floats. To a
// half it adds the first two products, then the others; to a float all four together.
static float quad_sum(const uint32_t *x, const uint32_t *y, unsigned columns, float addend, bool to_half)
{
    float product[4] = { 0 }, sum = 0;
    for (unsigned k = 0; k < 4; k++)
        product[k] = f32_of_f16(x[k]) * f32_of_f16(y[k * columns]); // exact
    if (to_half)
        return addend + (product[0] + product[1]) + (product[2] + product[3]);
    for (unsigned k = 0; k < 4; k++)
        sum += product[k];
    return sum + addend;
}

static void multiply_quads(struct warp *w, const struct op *op)
{
    const struct product *p = product_of(op);
    uint32_t a[MOST_RESULTS] = { 0 }, b[MOST_RESULTS] = { 0 }, c[MOST_RESULTS] = { 0 };
    gather(w, p->a_rows, &p->of.a, p->a_places, a);
    gather(w, p->b_rows, &p->of.b, p->b_places, b);
    gather(w, p->c_rows, &p->of.c, p->c_places, c);
    const unsigned columns = p->of.d.columns;
    for (unsigned cell = 0; cell < p->of.d.rows * columns; cell++) {
        const struct fragment_place place = { cell / columns, cell % columns };
        const float sum =
            quad_sum(a + place.row * p->of.a.columns, b + fragment_factor(&p->of.d, place), p->of.b.columns,
                     number_of(p->of.c.type, c[cell]), p->of.d.type == ELEMENT_F16);
        c[cell] = bits_of(p->of.d.type, sum);
    }
    scatter(w, p->d_rows, &p->of.d, p->d_places, c);
}

static void multiply_mixed(struct warp *w, const struct op *op)
{
    const struct product *p = product_of(op);
    fragments_report(w, op, &p->mix);
    p->multiply(w, op);
}

// ---- movmatrix --------------------------------------------------------------------------------------------------------

static void transpose(struct warp *w, const struct op *op)
{
    const uint32_t *a = ROW32(w, op->a);
    uint32_t turned[LANES];
    for (unsigned i = 0; i < LANES; i++)
        turned[i] = matrix_transposed(a, i);
    uint32_t *d = ROW32(w, op->d);
    EACH_LANE(w, d, turned[i]);
}

// ---- decoding ---------------------------------------------------------------------------------------------------------

static const uint16_t *places_of(struct decoding *d, const struct fragment *f)
{
    uint16_t *all = arena_take(d->module->arena, (size_t)f->registers * LANES * f->elements * sizeof *all);
    uint16_t *next = all;
    for (unsigned r = 0; all && r < f->registers; r++)
        for (unsigned lane = 0; lane < LANES; lane++)
            for (unsigned at = 0; at < f->elements; at++) {
                const struct fragment_place place = fragment_place(f, lane, r, at);
                *next++ = (uint16_t)(place.row * f->columns + place.column);
            }
    return all;
}

// The rows of a fragment's registers, one operand or a vector of them; NULL: it has other registers.
static const row *rows_of(struct decoding *d, const struct ptx_operand *operand, const struct fragment *f,
                          bool written)
{
    const bool vector = operand->kind == OPERAND_VECTOR;
    const unsigned count = vector ? (unsigned)operand->part_count : 1;
    const enum ptx_type type = f->type == ELEMENT_F64 ? TYPE_F64 : TYPE_B32;
    row *rows = count == f->registers ? arena_take(d->module->arena, count * sizeof *rows) : NULL;
    for (unsigned k = 0; rows && k < count; k++) {
        const struct ptx_operand *part = vector ? &operand->parts[k] : operand;
        rows[k] = written ? decode_destination(d, part, type) : decode_value(d, part, type);
        if (!rows[k])
            return NULL;
    }
    return rows;
}

// The types are modifiers, in the order D, A, B, C; wmma with f16 names D and C alone.
static bool types_of(const struct ptx_instruction *in, enum element types[4])
{
    int count = 0;
    for (int i = 0; i < in->modifier_count; i++) {
        const enum element type = element_of_name(in->modifiers[i]);
        if (type != ELEMENT_NONE && count < 4)
            types[count++] = type;
    }
    if (count == 2) {
        types[3] = types[1];
        types[1] = types[2] = ELEMENT_F16;
    }
    return count == 2 || count == 4;
}

static const char *shape_name(const struct ptx_instruction *in)
{
    for (int i = 0; i < in->modifier_count; i++)
        if (in->modifiers[i][0] == 'm' && in->modifiers[i][1] >= '0' && in->modifiers[i][1] <= '9')
            return in->modifiers[i];
    return "";
}

// Whether the first or the second of its factors is said to lie by columns.
static bool lies_by_column(const struct ptx_instruction *in, int factor)
{
    for (int i = 0; i < in->modifier_count; i++) {
        const bool column = strcmp(in->modifiers[i], "col") == 0;
        if ((column || strcmp(in->modifiers[i], "row") == 0) && factor-- == 0)
            return column;
    }
    return false;
}

static const struct order *orders_of(unsigned depth, enum element type, bool wmma)
{
    return element_bits(type) == 8        ? by_halves
           : depth == 16                  ? at_once
           : depth == 4                   ? of_four
           : wmma && type == ELEMENT_TF32 ? in_fours
                                          : of_eight;
}

// Tensor cores multiply by eight columns (or rows) at once, and know neither fp8 nor 4 bits, which the compiler widens, nor
// xor, which it makes of two products.
static unsigned instructions_of(const struct product *p)
{
    const enum element type = p->of.a.type;
    const unsigned cells = p->shape->m * p->shape->n, count = cells > 128 ? cells / 128 : 1;
    const bool two = element_bits(type) == 4 || type == ELEMENT_E4M3 || type == ELEMENT_E5M2 ||
                     p->exclusive || (type == ELEMENT_TF32 && p->orders[1].count);
    return two ? 2 * count : count;
}

// All lanes of the warp take part.
static bool decode_whole_warp(struct decoding *d, struct op *out)
{
    static const struct ptx_operand all = { .kind = OPERAND_IMMEDIATE, .bits = FULL_MASK };
    out->kind = OP_SYNCED;
    out->members = decode_value(d, &all, TYPE_B32);
    return out->members != 0;
}

static bool decode_fragments(struct decoding *d, struct product *p)
{
    const struct ptx_instruction *in = d->in;
    p->a_places = places_of(d, &p->of.a);
    p->b_places = places_of(d, &p->of.b);
    p->c_places = places_of(d, &p->of.c);
    p->d_places = p->of.c.type == p->of.d.type ? p->c_places : places_of(d, &p->of.d);
    if (!p->a_places || !p->b_places || !p->c_places || !p->d_places)
        return decode_fails(d, "there is no memory left");
    p->d_rows = rows_of(d, &in->operands[0], &p->of.d, true);
    p->a_rows = rows_of(d, &in->operands[1], &p->of.a, false);
    p->b_rows = rows_of(d, &in->operands[2], &p->of.b, false);
    p->c_rows = rows_of(d, &in->operands[3], &p->of.c, false);
    return (p->d_rows && p->a_rows && p->b_rows && p->c_rows) ||
           decode_fails(d, d->trouble ? d->trouble : "its fragments have another number of registers");
}

static bool decode_metadata(struct decoding *d, struct product *p)
{
    enum { GROUP = 4 }; // of lanes, to whose rows a selector refers
    const struct ptx_operand *selector = &d->in->operands[5];
    struct sparsity *s = &p->of.sparsity;
    *s = (struct sparsity){ p->of.a.type, p->depth, (unsigned)selector->bits };
    if (selector->kind != OPERAND_IMMEDIATE || selector->bits >= GROUP ||
        sparse_place(s, 0, s->held - 1).lane >= GROUP)
        return decode_fails(d, "this shape of it has no such sparsity selector");
    p->metadata = decode_value(d, &d->in->operands[4], TYPE_B32);
    return p->metadata || decode_fails(d, "its metadata is no register of 32 bits");
}

static bool decode_product(struct decoding *d, struct op *out)
{
    const struct ptx_instruction *in = d->in;
    const bool wmma = in->base[0] == 'w';
    enum element types[4];
    const bool sparse = !wmma && (ptx_has(in, "sp") || ptx_has(in, "sp::ordered_metadata"));
    if (in->operand_count != (sparse ? 6 : 4) || !ptx_has(in, "sync") || !types_of(in, types) ||
        (wmma && !ptx_has(in, "mma")))
        return decode_fails(d, "this form of it is not known");
    struct product *p = arena_take(d->module->arena, sizeof *p);
    if (!p)
        return decode_fails(d, "there is no memory left");
    p->shape = wmma ? wmma_shape_of(shape_name(in), types[1], types[2], types[0])
                    : mma_shape_of(shape_name(in), sparse, types[1], types[2], types[0]);
    if (!p->shape)
        return decode_fails(d, "this shape of it is not known with these types");
    struct fragment (*of)(const struct matrix_shape *, enum matrix, enum element) =
        wmma ? wmma_fragment : mma_fragment;
    struct matrix_shape held = *p->shape; // of A
    held.k /= sparse ? 2 : 1;
    p->depth = held.k;
    p->of.a = of(&held, MATRIX_A, types[1]);
    p->of.b = of(p->shape, MATRIX_B, types[2]);
    p->of.c = of(p->shape, MATRIX_C, types[3]);
    p->of.d = of(p->shape, MATRIX_C, types[0]);
    p->of.a.crosswise = lies_by_column(in, 0);
    p->of.b.crosswise = !lies_by_column(in, 1);
    if (types[0] != types[3] && !(p->of.d.quads && types[0] == ELEMENT_F32 && types[3] == ELEMENT_F16))
        return decode_fails(d, "its addend has another type than its result");
    if (!wmma && !p->of.a.quads && (p->of.a.crosswise || p->of.b.crosswise))
        return decode_fails(d, "this shape of it takes A by rows and B by columns");
    if (sparse && !decode_metadata(d, p))
        return false;
    p->saturates = ptx_has(in, "satfinite");
    p->exclusive = ptx_has(in, "xor");
    p->orders = orders_of(p->depth, types[1], wmma);
    p->of.instructions = instructions_of(p);
    out->fragments = &p->of;
    out->run = p->of.d.quads                 ? multiply_quads
               : p->of.d.type == ELEMENT_S32 ? multiply_integers
               : p->of.d.type == ELEMENT_F64 ? multiply_doubles
                                             : multiply_floats;
    p->multiply = out->run;
    if (fragments_mixed(d->function->from, in, (const struct fragment *const[]){ &p->of.a, &p->of.b },
                        &p->mix))
        out->run = multiply_mixed;
    return decode_fragments(d, p) && decode_whole_warp(d, out);
}

static bool decode_movmatrix(struct decoding *d, struct op *out)
{
    const struct ptx_instruction *in = d->in;
    if (in->operand_count != 2 || !ptx_has(in, "trans") || !ptx_has(in, "b16"))
        return decode_fails(d, "this form of it is not known");
    out->d = decode_destination(d, &in->operands[0], TYPE_B32);
    out->a = decode_value(d, &in->operands[1], TYPE_B32);
    out->run = transpose;
    return out->d && out->a && decode_whole_warp(d, out);
}

const struct decoder LANES_TABLE(lanes_matrix_decoders)[] = {
    { "mma", decode_product }, { "wmma", decode_product }, { "movmatrix", decode_movmatrix }, { NULL, NULL }
};
