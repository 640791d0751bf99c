// Runs one PTX instruction on one warp and compares every lane with a slow reference that is computed another way:
// on corner values and random ones, with all lanes and with some (the others keep what they had), in place, and in
// all builds of the lanes_*.c that the processor can run.
#ifndef WARPBOOK_TESTS_UNIT_SIM_LANES_H
#define WARPBOOK_TESTS_UNIT_SIM_LANES_H

#include "engine/sim/lanes/lanes.h"
#include "engine/sim/schedule/schedule.h"

#include <fenv.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef __int128 wide;

struct values { // the operands of one lane, in every guise
    uint64_t u[3];
    wide v[3]; // by the type's sign
    float f[3];
    double r[3];
    unsigned bits; // of the type
    bool negative; // the type has a sign
};
typedef uint64_t (*reference_fn)(const struct values *x);
struct form {
    const char *name;  // "mul.wide"
    const char *types; // "u16 s16 u32 s32", each once; "-": the name says them all
    const char
        *shape; // of the operands, destination first. t: the type, w: twice as wide, u: u32, p: a predicate,
                // f: f32, d: f64, h: b16, l: u64
    reference_fn reference;
    int rounding;
    const char *tail; // what follows the operands
};

#define ROUNDED(name, types, shape, reference, rounding)                                                     \
    {                                                                                                        \
        name, types, shape, reference, rounding, ""                                                          \
    }
#define TAILED(name, types, shape, reference, tail)                                                          \
    {                                                                                                        \
        name, types, shape, reference, FE_TONEAREST, tail                                                    \
    }
#define EXACT(name, types, shape, reference) TAILED(name, types, shape, reference, "")

static inline uint64_t random_bits(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state * 0x2545f4914f6cdd1dull;
}

// ---- values ----------------------------------------------------------------------------------------------

static inline const char *type_of(char letter, const char *type)
{
    static const struct {
        const char *from, *to;
    } doubled[] = { { "u16", "u32" }, { "s16", "s32" }, { "u32", "u64" }, { "s32", "s64" } };
    for (size_t i = 0; letter == 'w' && i < sizeof doubled / sizeof doubled[0]; i++)
        if (!strcmp(doubled[i].from, type))
            return doubled[i].to;
    return letter == 'u'   ? "u32"
           : letter == 'p' ? "pred"
           : letter == 'f' ? "f32"
           : letter == 'd' ? "f64"
           : letter == 'h' ? "b16"
           : letter == 'l' ? "u64"
                           : type;
}
static inline unsigned bits_of(const char *type)
{
    return strstr(type, "64")                          ? 64
           : strstr(type, "16") && !strstr(type, "x2") ? 16
           : strstr(type, "8")                         ? 8
                                                       : 32;
}

static inline uint64_t corner(uint64_t n, const char *type)
{
    static const uint64_t integers[] = { 0,
                                         1,
                                         2,
                                         3,
                                         ~0ull,
                                         ~1ull,
                                         0x8000000000000000,
                                         0x7fffffffffffffff,
                                         0x80000000,
                                         0x7fffffff,
                                         0xffff,
                                         0x8000,
                                         0x7fff,
                                         31,
                                         32,
                                         33,
                                         63,
                                         64,
                                         16,
                                         0xff,
                                         0x80,
                                         0xffffffff00000000,
                                         100000,
                                         0xffffff,
                                         0x800000 };
    static const uint32_t floats[] = {
        0x00000000, 0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc00001,
        0x00000001, 0x80000001, 0x007fffff, 0x00800000, 0x7f7fffff, 0xff7fffff, 0x3f000000, 0xbf000000,
        0x3fc00000, 0x4f000000, 0x4effffff, 0xcf000000, 0xcf000001, 0x4f800000, 0x5f000000, 0xdf000000,
        0x477fe000, 0x477ff000, 0x33000000, 0x33000001, 0x387fc000, 0x5f800000
    };
    const double doubles[] = { 0.0,     -0.0,    1.0,      -1.0,         INFINITY,      -INFINITY,    NAN,
                               5e-324,  -5e-324, 2.3e-308, 1.7e308,      0.5,           -0.5,         1.5,
                               2.5,     1e-40,   3.5e38,   2147483647.5, -2147483648.5, 4294967295.5, 9.3e18,
                               -9.3e18, 1.9e19,  65519.99, 65520,        5.9e-8,        0.1 };
    uint64_t bits;
    if (!strcmp(type, "f32"))
        return floats[n % (sizeof floats / sizeof floats[0])];
    if (!strcmp(type, "f64")) {
        memcpy(&bits, &doubles[n % (sizeof doubles / sizeof doubles[0])], sizeof bits);
        return bits;
    }
    return integers[n % (sizeof integers / sizeof integers[0])];
}

// One in two is a corner, the others random; floats have exponents near each other every other time.
static inline uint64_t value(uint64_t *state, const char *type)
{
    const uint64_t random = random_bits(state), bits = random_bits(state);
    const unsigned width = bits_of(type);
    uint64_t x = random & 1 ? corner(bits >> 8, type) : bits >> (random & 2 ? 0 : (random >> 8 & 63));
    if (!(random & 1) && (random & 4) && !strcmp(type, "f32"))
        x = (bits & 0x83ffffff) | 0x3c000000;
    if (!(random & 1) && (random & 4) && !strcmp(type, "f64"))
        x = (bits & 0x803fffffffffffff) | 0x3fc0000000000000;
    if (!strcmp(type, "pred"))
        return x & 1;
    return width == 64 ? x : x & ((1ull << width) - 1);
}

static inline struct values guises(const uint64_t *u, const char *const *types, const char *type)
{
    struct values x = { .bits = bits_of(type), .negative = type[0] == 's' };
    for (int i = 0; i < 3; i++) {
        const unsigned spare = 64 - bits_of(types[i]);
        const uint32_t low = (uint32_t)u[i];
        x.u[i] = u[i];
        x.v[i] = types[i][0] == 's' ? (wide)((int64_t)(u[i] << spare) >> spare) : (wide)u[i];
        memcpy(&x.f[i], &low, sizeof low);
        memcpy(&x.r[i], &u[i], sizeof u[i]);
    }
    return x;
}

// ---- one instruction on one warp ---------------------------------------------------------------------------

enum { OPERANDS = 4 };
struct lanes_bench {
    struct sim_module *module;
    struct op ops[BUILDS]; // as the tables of each build decode it
    int builds;
    const char *types[OPERANDS]; // destination first
    row rows[OPERANDS];
    int count;
    unsigned char *frame;
    struct warp warp;
};

static inline bool decode_with(struct lanes_bench *b, const struct decoder *const *tables, struct op *out)
{
    struct function *f = &b->module->functions[0];
    struct decoding d = { b->module, f, &f->from->instructions[0], f->register_rows, NULL };
    const struct op empty = { .kind = OP_LANES, .access = SIM_ACCESSES, .parts = 1, .from = d.in };
    // NOLINTNEXTLINE(clang-analyzer-core.uninitialized.Branch): the analyzer does not follow rows of a table
    for (; *tables; tables++)
        for (const struct decoder *known = *tables; known->base; known++) {
            *out = empty;
            d.trouble = NULL;
            if (!strcmp(known->base, d.in->base) && known->decode(&d, out))
                return true;
        }
    return false;
}

static inline void bench_open(struct lanes_bench *b, const char *name, const char *tail,
                              const char *const *types, int count)
{
#define ARITHMETIC(level)                                                                                    \
    {                                                                                                        \
        lanes_integer_decoders##level, lanes_bit_decoders##level, lanes_float_decoders##level,               \
            lanes_half_decoders##level, lanes_convert_decoders##level, lanes_compare_decoders##level,        \
            lanes_move_decoders##level, NULL                                                                 \
    }
    static const struct decoder *const decoders[][8] = EACH_BUILD(ARITHMETIC);
    static const char letters[] = "dabc";
    char text[600];
    struct sim_fault fault;
    int n = snprintf(text, sizeof text,
                     ".version 8.5\n.target sm_90\n.address_size 64\n.visible .entry k()\n{\n");
    for (int i = 0; i < count; i++)
        n += snprintf(text + n, sizeof text - (size_t)n, ".reg .%s %%%c;\n", types[i], letters[i]);
    n += snprintf(text + n, sizeof text - (size_t)n, "%s ", name);
    for (int i = 0; i < count; i++)
        n += snprintf(text + n, sizeof text - (size_t)n, "%s%%%c", i ? ", " : "", letters[i]);
    n += snprintf(text + n, sizeof text - (size_t)n, "%s;\nret;\n}\n", tail);
    *b = (struct lanes_bench){ .count = count };
    if (!sim_module_read(text, (size_t)n, &b->module, &fault))
        fail_msg("%s: %s", name, fault.text);
    b->builds = (int)lanes_build() + 1;
    for (int build = 0; build < b->builds; build++)
        if (!decode_with(b, decoders[build], &b->ops[build]))
            fail_msg("%s is not known", name);
    struct function *f = &b->module->functions[0];
    for (int i = 0; i < count; i++) {
        b->types[i] = types[i];
        for (size_t r = 0; r < f->from->register_count; r++)
            if (f->from->registers[r].name[1] == letters[i] || f->from->registers[r].name[0] == letters[i])
                b->rows[i] = f->register_rows[r];
    }
    b->frame = aligned_alloc(64, (f->frame_bytes + 63) & ~(size_t)63);
    assert_non_null(b->frame);
    memset(b->frame, 0, f->frame_bytes);
    for (size_t i = 0; i < f->constant_count; i++)
        for (int lane = 0; lane < LANES; lane++)
            if (f->constants[i].wide)
                ROW64(&(struct warp){ .frame = b->frame }, f->constants[i].at)[lane] = f->constants[i].bits;
            else
                ROW32(&(struct warp){ .frame = b->frame }, f->constants[i].at)
    [lane] = (uint32_t)f->constants[i].bits;
    b->warp.frame = b->frame;
    b->warp.function = f;
}
static inline void bench_close(struct lanes_bench *b)
{
    sim_module_free(b->module);
    free(b->frame);
}

static inline uint64_t get(const struct lanes_bench *b, int operand, int lane)
{
    unsigned char *at = b->frame + b->rows[operand];
    if (!strcmp(b->types[operand], "pred"))
        return *(uint32_t *)(void *)at >> lane & 1;
    return bits_of(b->types[operand]) == 64 ? ((uint64_t *)(void *)at)[lane] : ((uint32_t *)(void *)at)[lane];
}
static inline void put(struct lanes_bench *b, int operand, int lane, uint64_t x)
{
    unsigned char *at = b->frame + b->rows[operand];
    uint32_t *bits = (uint32_t *)(void *)at;
    if (!strcmp(b->types[operand], "pred"))
        *bits = (*bits & ~(1u << lane)) | (uint32_t)(x & 1) << lane;
    else if (bits_of(b->types[operand]) == 64)
        ((uint64_t *)(void *)at)[lane] = x;
    else
        bits[lane] = (uint32_t)x;
}
static inline bool is_nan_of(const char *type, uint64_t x)
{
    return !strcmp(type, "f64") && (x & 0x7fffffffffffffff) > 0x7ff0000000000000;
}

static inline void check_lanes(struct lanes_bench *b, const struct form *form, const char *name,
                               uint64_t (*in)[LANES], const uint64_t *before, const char *type)
{
    static const char *const none[] = { "u32", "u32", "u32" };
    const char *types[3] = { none[0], none[1], none[2] };
    for (int i = 1; i < b->count; i++)
        types[i - 1] = b->types[i];
    for (int lane = 0; lane < LANES; lane++) {
        const uint64_t u[3] = { in[0][lane], in[1][lane], in[2][lane] };
        const struct values x = guises(u, types, type);
        const bool on = b->warp.active >> lane & 1;
        uint64_t want = before[lane], got = get(b, 0, lane);
        if (on) {
            (void)fesetround(form->rounding);
            want = form->reference(&x);
            (void)fesetround(FE_TONEAREST);
            const unsigned bits = !strcmp(b->types[0], "pred") ? 1 : bits_of(b->types[0]);
            want = bits == 64 ? want : want & ((1ull << bits) - 1);
        }
        if (got != want && !(is_nan_of(b->types[0], got) && is_nan_of(b->types[0], want)))
            fail_msg("%s of %llx, %llx, %llx in lane %d of %08x gave %llx, not %llx", name,
                     (unsigned long long)u[0], (unsigned long long)u[1], (unsigned long long)u[2], lane,
                     b->warp.active, (unsigned long long)got, (unsigned long long)want);
    }
}

static inline void check_once(struct lanes_bench *b, const struct form *form, const char *name,
                              uint64_t *state, uint32_t active, const char *type)
{
    uint64_t in[3][LANES] = { { 0 } }, before[LANES];
    for (int i = 1; i < b->count; i++)
        for (int lane = 0; lane < LANES; lane++)
            in[i - 1][lane] = value(state, b->types[i]);
    for (int lane = 0; lane < LANES; lane++)
        before[lane] = value(state, b->types[0]);
    b->warp.active = active;
    warp_expand(&b->warp);
    for (int build = 0; build < b->builds; build++) {
        for (int lane = 0; lane < LANES; lane++) {
            put(b, 0, lane, before[lane]);
            before[lane] = get(b, 0, lane);
            for (int i = 1; i < b->count; i++)
                put(b, i, lane, in[i - 1][lane]);
        }
        b->ops[build].run(&b->warp, &b->ops[build]);
        check_lanes(b, form, name, in, before, type);
    }
}

// The result goes where the first operand was.
static inline void check_in_place(struct lanes_bench *b, const struct form *form, const char *name,
                                  uint64_t *state, const char *type)
{
    const row was = b->rows[0];
    struct op kept[BUILDS];
    memcpy(kept, b->ops, sizeof kept);
    if (b->count < 2 || strcmp(b->types[0], b->types[1]) || !b->ops[0].d)
        return;
    uint64_t in[3][LANES] = { { 0 } };
    for (int build = 0; build < b->builds; build++) {
        for (int i = 1; i < b->count; i++)
            for (int lane = 0; lane < LANES; lane++)
                put(b, i, lane, in[i - 1][lane] = value(state, b->types[i]));
        b->warp.active = FULL_MASK;
        b->ops[build].d = b->rows[0] = b->rows[1];
        b->ops[build].run(&b->warp, &b->ops[build]);
        check_lanes(b, form, name, in, in[0], type);
        b->ops[build] = kept[build];
        b->rows[0] = was;
    }
}

static inline void check_form(const struct form *form, const char *type)
{
    struct lanes_bench b;
    char name[80];
    const char *types[OPERANDS];
    const int count = (int)strlen(form->shape);
    uint64_t state = 0x9e3779b97f4a7c15;
    for (int i = 0; i < count; i++)
        types[i] = type_of(form->shape[i], type);
    snprintf(name, sizeof name, "%s%s%s", form->name, *type == '-' ? "" : ".", *type == '-' ? "" : type);
    bench_open(&b, name, form->tail, types, count);
    for (int round = 0; round < 60; round++) {
        const uint32_t active = round % 3 == 0   ? FULL_MASK
                                : round % 3 == 1 ? (uint32_t)random_bits(&state)
                                                 : 1u << (round / 3 & 31);
        check_once(&b, form, name, &state, active, type);
    }
    check_in_place(&b, form, name, &state, type);
    bench_close(&b);
}
static inline void check_forms(const struct form *forms, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char types[80], *save;
        snprintf(types, sizeof types, "%s", forms[i].types);
        for (char *type = strtok_r(types, " ", &save); type; type = strtok_r(NULL, " ", &save))
            check_form(&forms[i], type);
    }
}
#define CHECK(forms) check_forms(forms, sizeof forms / sizeof forms[0])
#define REFERENCE(name, expression)                                                                          \
    static uint64_t name(const struct values *x)                                                             \
    {                                                                                                        \
        const wide a = x->v[0], b = x->v[1], c = x->v[2];                                                    \
        (void)a, (void)b, (void)c;                                                                           \
        return (uint64_t)(expression);                                                                       \
    }
#define INTEGERS "u16 s16 u32 s32 u64 s64"

// An f16 or, `brain`, a bf16.
static inline double widened(uint64_t h, bool brain)
{
    const int fraction = brain ? 7 : 10, bias = brain ? 127 : 15, top = brain ? 255 : 31;
    const int exponent = (int)(h >> fraction) & top, bits = (int)h & ((1 << fraction) - 1);
    const double sign = h & 0x8000 ? -1 : 1;
    if (exponent == top)
        return bits ? NAN : sign * INFINITY;
    return sign * (exponent ? ldexp(bits + (1 << fraction), exponent - bias - fraction)
                            : ldexp(bits, 1 - bias - fraction));
}

#endif
