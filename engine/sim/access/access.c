// Loads and stores: ld, ldu, st, cp.async. The simulator has no caches, so that cache operators and eviction priorities have
// no effect.
#include "engine/sim/access/words.h"
#include "engine/sim/sanitize/sanitize.h"

#include <string.h>

// Values in host memory: unaligned, and allowed to alias everything.
typedef uint8_t any8 __attribute__((may_alias));
typedef uint16_t any16 __attribute__((may_alias, aligned(1)));
typedef uint32_t any32 __attribute__((may_alias, aligned(1)));
typedef uint64_t any64 __attribute__((may_alias, aligned(1)));
typedef int8_t anys8 __attribute__((may_alias));
typedef int16_t anys16 __attribute__((may_alias, aligned(1)));
typedef int32_t anys32 __attribute__((may_alias, aligned(1)));

// ---- moving between memory and rows -----------------------------------------------------------------------

// Copies of 128 bytes, written out: compilers make a call of a loop.
typedef uint64_t piece __attribute__((vector_size(32), aligned(1), may_alias));
INLINE void copy_pieces(void *to, const void *from, size_t bytes)
{
    for (size_t at = 0; at < bytes / sizeof(piece); at += 4) {
        const piece *source = (const piece *)from + at;
        piece *target = (piece *)to + at;
        const piece a = source[0], b = source[1], c = source[2], d = source[3];
        target[0] = a;
        target[1] = b;
        target[2] = c;
        target[3] = d;
    }
}

// Moves the part at offset `skip` of each lane's bytes; with SHAPE_ROW, lanes are `step` bytes apart.
typedef void (*mover)(struct warp *warp, row at, const struct lane_addresses *reach, unsigned skip,
                      unsigned step);

#define LOADER(name, memory, value, ROW)                                                                     \
    static void name(struct warp *warp, row at, const struct lane_addresses *reach, unsigned skip,           \
                     unsigned step)                                                                          \
    {                                                                                                        \
        value *restrict d = ROW(warp, at);                                                                   \
        const uint64_t *restrict lanes = reach->from;                                                        \
        const uint64_t shift = reach->delta + skip; /* from the simulated address to the host's */           \
        const unsigned char *from = address_host(reach, reach->first) + skip;                                \
        if (reach->mask != FULL_MASK) {                                                                      \
            for (uint32_t left = reach->mask; left; left &= left - 1) {                                      \
                int i = __builtin_ctz(left);                                                                 \
                d[i] = (value) * (const memory *)(uintptr_t)(lanes[i] + shift);                              \
            }                                                                                                \
        } else if (reach->shape == SHAPE_SAME) {                                                             \
            value v = (value) * (const memory *)from;                                                        \
            for (int i = 0; i < LANES; i++)                                                                  \
                d[i] = v;                                                                                    \
        } else if (reach->shape == SHAPE_SCATTERED) {                                                        \
            UNROLLED                                                                                         \
            for (int i = 0; i < LANES; i++)                                                                  \
                d[i] = (value) * (const memory *)(uintptr_t)(lanes[i] + shift);                              \
        } else if (step == sizeof(memory) && sizeof(memory) == sizeof(value)) {                              \
            copy_pieces(d, from, LANES * sizeof *d);                                                         \
        } else if (step == sizeof(memory)) {                                                                 \
            memory span[LANES];                                                                              \
            memcpy(span, from, sizeof span);                                                                 \
            for (int i = 0; i < LANES; i++)                                                                  \
                d[i] = (value)span[i];                                                                       \
        } else {                                                                                             \
            UNROLLED                                                                                         \
            for (int i = 0; i < LANES; i++)                                                                  \
                d[i] = (value) * (const memory *)(from + (size_t)i * step);                                  \
        }                                                                                                    \
    }
LOADER(load_u8, any8, uint32_t, ROW32)
LOADER(load_u16, any16, uint32_t, ROW32)
LOADER(load_32, any32, uint32_t, ROW32)
LOADER(load_u8_wide, any8, uint64_t, ROW64)
LOADER(load_u16_wide, any16, uint64_t, ROW64)
LOADER(load_u32_wide, any32, uint64_t, ROW64)
LOADER(load_s8_wide, anys8, uint64_t, ROW64)
LOADER(load_s16_wide, anys16, uint64_t, ROW64)
LOADER(load_s32_wide, anys32, uint64_t, ROW64)
LOADER(load_64, any64, uint64_t, ROW64)
LOADER(load_s8, anys8, uint32_t, ROW32)
LOADER(load_s16, anys16, uint32_t, ROW32)
// A register of 16 bits takes the sign in its own 16 bits only.
static void load_s8_short(struct warp *warp, row at, const struct lane_addresses *reach, unsigned skip,
                          unsigned step)
{
    load_s8(warp, at, reach, skip, step);
    uint32_t *d = ROW32(warp, at);
    for (uint32_t left = reach->mask; left; left &= left - 1)
        d[__builtin_ctz(left)] &= 0xffff;
}

#define STORER(name, memory, value, ROW)                                                                     \
    static void name(struct warp *warp, row at, const struct lane_addresses *reach, unsigned skip,           \
                     unsigned step)                                                                          \
    {                                                                                                        \
        const value *restrict s = ROW(warp, at);                                                             \
        const uint64_t *restrict lanes = reach->from;                                                        \
        const uint64_t shift = reach->delta + skip;                                                          \
        unsigned char *to = address_host(reach, reach->first) + skip;                                        \
        if (reach->mask != FULL_MASK) {                                                                      \
            for (uint32_t left = reach->mask; left; left &= left - 1) {                                      \
                int i = __builtin_ctz(left);                                                                 \
                *(memory *)(uintptr_t)(lanes[i] + shift) = (memory)s[i];                                     \
            }                                                                                                \
        } else if (reach->shape == SHAPE_SAME) {                                                             \
            *(memory *)to = (memory)s[LANES - 1];                                                            \
        } else if (reach->shape == SHAPE_SCATTERED) {                                                        \
            UNROLLED                                                                                         \
            for (int i = 0; i < LANES; i++)                                                                  \
                *(memory *)(uintptr_t)(lanes[i] + shift) = (memory)s[i];                                     \
        } else if (step == sizeof(memory) && sizeof(memory) == sizeof(value)) {                              \
            copy_pieces(to, s, LANES * sizeof *s);                                                           \
        } else if (step == sizeof(memory)) {                                                                 \
            memory span[LANES];                                                                              \
            for (int i = 0; i < LANES; i++)                                                                  \
                span[i] = (memory)s[i];                                                                      \
            memcpy(to, span, sizeof span);                                                                   \
        } else {                                                                                             \
            UNROLLED                                                                                         \
            for (int i = 0; i < LANES; i++)                                                                  \
                *(memory *)(to + (size_t)i * step) = (memory)s[i];                                           \
        }                                                                                                    \
    }
STORER(store_8, any8, uint32_t, ROW32)
STORER(store_16, any16, uint32_t, ROW32)
STORER(store_32, any32, uint32_t, ROW32)
STORER(store_8_wide, any8, uint64_t, ROW64)
STORER(store_16_wide, any16, uint64_t, ROW64)
STORER(store_32_wide, any32, uint64_t, ROW64)
STORER(store_64, any64, uint64_t, ROW64)

// ---- ld ---------------------------------------------------------------------------------------------------

enum load_conversion { // op->sub: how a value is converted between memory and register; stores ignore the sign
    MOVE_U8,
    MOVE_S8,
    MOVE_S8_SHORT,
    MOVE_U16,
    MOVE_S16,
    MOVE_32,
    MOVE_U8_WIDE,
    MOVE_S8_WIDE,
    MOVE_U16_WIDE,
    MOVE_S16_WIDE,
    MOVE_U32_WIDE,
    MOVE_S32_WIDE,
    MOVE_64
};
static const mover loaders[] = { load_u8,       load_s8,       load_s8_short, load_u16,      load_s16,
                                 load_32,       load_u8_wide,  load_s8_wide,  load_u16_wide, load_s16_wide,
                                 load_u32_wide, load_s32_wide, load_64 };
static const mover storers[] = { store_8,       store_8,       store_8,      store_16,      store_16,
                                 store_32,      store_8_wide,  store_8_wide, store_16_wide, store_16_wide,
                                 store_32_wide, store_32_wide, store_64 };
static bool move_is_wide(unsigned move)
{
    return move >= MOVE_U8_WIDE;
}

// A load gives 0 to lanes that may not read.
static void clear_row(struct warp *warp, row at, bool wide, uint32_t lanes)
{
    for (uint32_t left = lanes; left; left &= left - 1) {
        int i = __builtin_ctz(left);
        if (wide)
            ROW64(warp, at)[i] = 0;
        else
            ROW32(warp, at)[i] = 0;
    }
}

static void move_parts(struct warp *warp, const struct op *op, const struct lane_addresses *reach, mover move)
{
    unsigned part = op->bytes / op->parts;
    for (unsigned k = 0; k < op->parts; k++)
        move(warp, op->rows[k], reach, k * part, op->bytes);
}

// Loads have handlers apart for the checks, which call more and would slow down those without.
INLINE void load_with(struct warp *warp, const struct op *op, bool checked)
{
    static const struct access_request ask = { .read = true };
    struct lane_addresses reach;
    bool any =
        address_resolve_quickly(warp, op, checked, &ask, &reach) || address_resolve(warp, op, &ask, &reach);
    if (!any || reach.mask != warp->active)
        for (unsigned k = 0; k < op->parts; k++)
            clear_row(warp, op->rows[k], move_is_wide(op->sub), warp->active);
    if (any)
        move_parts(warp, op, &reach, loaders[op->sub]);
}

static __attribute__((noinline)) void load_checked(struct warp *warp, const struct op *op)
{
    load_with(warp, op, true);
}

static void load(struct warp *warp, const struct op *op)
{
    if (checks_are_on(warp))
        load_checked(warp, op);
    else
        load_with(warp, op, false);
}

// The usual load of one part of another size than a word, where neither checks nor a sample look at it.
#define LOAD_WHOLE(name, memory, value, ROW)                                                                 \
    static void name(struct warp *warp, const struct op *op)                                                 \
    {                                                                                                        \
        struct lane_pattern *p = NULL;                                                                       \
        const uint64_t first = checks_are_on(warp) || warp->sample                                           \
                                   ? 0                                                                       \
                                   : words_find(warp, op, sizeof(memory), false, false, false, &p);          \
        value *restrict d = ROW(warp, op->d);                                                                \
        memory span[LANES];                                                                                  \
        if (!first) {                                                                                        \
            load(warp, op);                                                                                  \
            return;                                                                                          \
        }                                                                                                    \
        if (p->form == FORM_ROW) {                                                                           \
            memcpy(span, lane_word(p, first, 0), sizeof span);                                               \
        } else {                                                                                             \
            UNROLLED                                                                                         \
            for (unsigned i = 0; i < LANES; i++)                                                             \
                span[i] = *(const memory *)lane_word(p, first, i);                                           \
        }                                                                                                    \
        for (int i = 0; i < LANES; i++)                                                                      \
            d[i] = (value)span[i];                                                                           \
    }
LOAD_WHOLE(load_bytes, any8, uint32_t, ROW32)
LOAD_WHOLE(load_shorts, any16, uint32_t, ROW32)
LOAD_WHOLE(load_pairs, any64, uint64_t, ROW64)

INLINE void load_row(uint32_t *d, const unsigned char *from, bool same, unsigned width)
{
    if (!same) {
        memcpy(d, from, width * sizeof *d);
        return;
    }
    const uint32_t value = *(const any32 *)from;
    for (unsigned i = 0; i < width; i++)
        d[i] = value;
}

static void load_rows(struct warp *warp, row at, const struct lane_addresses *reach)
{
    bool same = reach->from[1] == reach->from[0];
    for (int i = 0; i < LANES; i += (int)reach->row_width) {
        const unsigned char *from = address_host(reach, i);
        if (reach->row_width == LANES / 2)
            load_row(ROW32(warp, at) + i, from, same, LANES / 2);
        else
            load_row(ROW32(warp, at) + i, from, same, LANES / 4);
    }
}

static void load_offsets(const struct warp *warp, uint32_t *restrict d, const struct lane_offsets *offsets)
{
    const unsigned char *base = offsets->base;
    if (warp->active == FULL_MASK) {
        UNROLLED
        for (int i = 0; i < LANES; i++)
            d[i] = *(const any32 *)(base + offsets->of_lane[i]);
        return;
    }
    for (uint32_t left = warp->active; left; left &= left - 1) {
        const int i = __builtin_ctz(left);
        d[i] = *(const any32 *)(base + offsets->of_lane[i]);
    }
}

// Some lanes of a warp, in a pattern. Where all are in a row they are read together, which those that are not active may be.
static void load_some(const struct warp *warp, uint32_t *restrict d, const struct lane_pattern *p,
                      uint64_t first)
{
    const uint64_t host = first + p->delta, *away = p->away;
    if (p->in_row) {
        words_copy_some(d, lane_word(p, host, 0), warp->lanes);
        return;
    }
    for (uint32_t left = warp->active; left; left &= left - 1) {
        const int i = __builtin_ctz(left);
        d[i] = *(const any_word *)(uintptr_t)(away[i] + host);
    }
}

static void load_reached(struct warp *warp, const struct op *op, const struct lane_addresses *reach)
{
    if (reach->shape == SHAPE_SCATTERED && reach->row_width)
        load_rows(warp, op->d, reach);
    else
        load_32(warp, op->d, reach, 0, 4);
}

static __attribute__((noinline)) void load_pattern(struct warp *warp, const struct op *op, uint64_t first)
{
    const struct lane_pattern *p = &warp->patterns[op->pattern];
    struct lane_addresses reach;
    if (warp->active != FULL_MASK) {
        load_some(warp, ROW32(warp, op->d), p, first);
        return;
    }
    pattern_reach(p, FULL_MASK, first, &reach);
    load_reached(warp, op, &reach);
}

static __attribute__((noinline)) void load_word_anew(struct warp *warp, const struct op *op)
{
    static const struct access_request ask = { .read = true };
    struct lane_addresses reach;
    struct lane_offsets offsets;
    if (address_offsets(warp, op, &ask, &offsets)) {
        load_offsets(warp, ROW32(warp, op->d), &offsets);
        return;
    }
    const bool any = address_resolve(warp, op, &ask, &reach);
    if (!any || reach.mask != warp->active)
        clear_row(warp, op->d, false, warp->active);
    if (any)
        load_reached(warp, op, &reach);
}

// The most common load: one part of 32 bits.
INLINE void load_word_with(struct warp *warp, const struct op *op, bool checked)
{
    static const struct access_request ask = { .read = true };
    uint64_t first;
    if (pattern_serves(warp, op, checked, &ask, &first))
        load_pattern(warp, op, first);
    else
        load_word_anew(warp, op);
}

static __attribute__((noinline)) void load_word_slowly(struct warp *warp, const struct op *op)
{
    load_word_with(warp, op, false);
}

static __attribute__((noinline)) void load_word_checked(struct warp *warp, const struct op *op)
{
    if (!words_load(warp, op, true, false))
        load_word_with(warp, op, true);
}

static __attribute__((noinline)) void load_word_sampled(struct warp *warp, const struct op *op)
{
    if (!words_load(warp, op, false, true))
        load_word_slowly(warp, op);
}

static __attribute__((noinline)) void load_word_checked_and_sampled(struct warp *warp, const struct op *op)
{
    if (!words_load(warp, op, true, true))
        load_word_with(warp, op, true);
}

static void load_word(struct warp *warp, const struct op *op)
{
    if (checks_are_on(warp))
        (warp->sample ? load_word_checked_and_sampled : load_word_checked)(warp, op);
    else if (warp->sample)
        load_word_sampled(warp, op);
    else if (!words_load(warp, op, false, false))
        load_word_slowly(warp, op);
}

// What such a load waits for may have to come from a block that runs in turn with this one.
static void load_acquiring(struct warp *warp, const struct op *op)
{
    uint64_t at[LANES];
    address_compute(warp, op, at);
    warp->at_grid = at[__builtin_ctz(warp->active)] >> OFFSET_BITS == WORKSPACE;
    load(warp, op);
    warp->yields = warp->block->machine->resident > 1;
}

INLINE void store_with(struct warp *warp, const struct op *op, bool checked)
{
    const struct access_request ask = { .write = true, .values = op->rows };
    struct lane_addresses reach;
    if (address_resolve_quickly(warp, op, checked, &ask, &reach) || address_resolve(warp, op, &ask, &reach))
        move_parts(warp, op, &reach, storers[op->sub]);
}

static __attribute__((noinline)) void store_checked(struct warp *warp, const struct op *op)
{
    store_with(warp, op, true);
}

static __attribute__((noinline)) void store_slowly(struct warp *warp, const struct op *op)
{
    store_with(warp, op, false);
}

static void store(struct warp *warp, const struct op *op)
{
    if (checks_are_on(warp))
        store_checked(warp, op);
    else
        store_slowly(warp, op);
}

static __attribute__((noinline)) void store_word_checked(struct warp *warp, const struct op *op)
{
    if (!words_store(warp, op, true, false))
        store_checked(warp, op);
}

static __attribute__((noinline)) void store_word_sampled(struct warp *warp, const struct op *op)
{
    if (!words_store(warp, op, false, true))
        store(warp, op);
}

static void store_word(struct warp *warp, const struct op *op)
{
    if (checks_are_on(warp))
        (warp->sample ? store_checked : store_word_checked)(warp, op);
    else if (warp->sample)
        store_word_sampled(warp, op);
    else if (!words_store(warp, op, false, false))
        store_slowly(warp, op);
}

// ---- parameters -------------------------------------------------------------------------------------------

// The parameters of a kernel are the same for every lane; those of a device function are stored per lane in the
// parameter area. Counters count neither.
static void reach_launch(const struct warp *warp, const struct op *op, struct lane_addresses *out)
{
    out->at[0] = (uint64_t)(uintptr_t)(warp->block->machine->kernel_params + op->imm);
    out->from = out->at;
    out->delta = 0;
    out->shape = SHAPE_SAME;
    out->mask = warp->active;
    out->first = 0;
}

static void load_launch(struct warp *warp, const struct op *op)
{
    struct lane_addresses reach;
    reach_launch(warp, op, &reach);
    if (reach.mask != FULL_MASK)
        for (int i = 0; i < LANES; i++)
            reach.at[i] = reach.at[0];
    move_parts(warp, op, &reach, loaders[op->sub]);
}

// A parameter of 32 or 64 bits in each lane of a full warp.
INLINE void load_whole_launch(struct warp *warp, const struct op *op, bool wide)
{
    typedef uint64_t pair __attribute__((vector_size(32), may_alias));
    const unsigned char *at = warp->block->machine->kernel_params + op->imm;
    const uint64_t value = wide ? *(const any64 *)at : *(const any32 *)at * 0x100000001ull;
    pair *d = (pair *)(void *)(warp->frame + op->d);
    if (warp->active != FULL_MASK) {
        load_launch(warp, op);
        return;
    }
    const pair all = { value, value, value, value };
    UNROLLED
    for (int i = 0; i < LANES / 8; i++)
        d[i] = all;
    UNROLLED
    for (int i = LANES / 8; i < LANES / 4 && wide; i++)
        d[i] = all;
}

static void load_launch_word(struct warp *warp, const struct op *op)
{
    load_whole_launch(warp, op, false);
}

static void load_launch_pair(struct warp *warp, const struct op *op)
{
    load_whole_launch(warp, op, true);
}

static bool reach_area(const struct warp *warp, const struct op *op, struct lane_addresses *out)
{
    size_t step = warp->function->param_bytes;
    if (op->imm > step || op->bytes > step - op->imm)
        return false;
    for (int i = 0; i < LANES; i++)
        out->at[i] = (uint64_t)(uintptr_t)warp->params + (uint64_t)i * step + op->imm;
    out->from = out->at;
    out->delta = 0;
    out->shape = SHAPE_SCATTERED;
    out->row_width = 0;
    out->mask = warp->active;
    out->first = __builtin_ctz(warp->active);
    return true;
}

static void load_area(struct warp *warp, const struct op *op)
{
    struct lane_addresses reach;
    if (warp->active && reach_area(warp, op, &reach))
        move_parts(warp, op, &reach, loaders[op->sub]);
}

static void store_area(struct warp *warp, const struct op *op)
{
    struct lane_addresses reach;
    if (warp->active && reach_area(warp, op, &reach))
        move_parts(warp, op, &reach, storers[op->sub]);
}

// ---- decoding ---------------------------------------------------------------------------------------------

// The conversion between this type in memory and a register of `width` bytes.
static int move_between(enum ptx_type type, unsigned width, bool short_register)
{
    bool wide = width == 8, minus = type_is_signed(type);
    switch (type_bytes(type)) {
    case 1:
        return wide             ? (minus ? MOVE_S8_WIDE : MOVE_U8_WIDE)
               : !minus         ? MOVE_U8
               : short_register ? MOVE_S8_SHORT
                                : MOVE_S8;
    case 2:
        return wide                       ? (minus ? MOVE_S16_WIDE : MOVE_U16_WIDE)
               : minus && !short_register ? MOVE_S16
                                          : MOVE_U16;
    case 4:
        return wide ? (minus ? MOVE_S32_WIDE : MOVE_U32_WIDE) : MOVE_32;
    case 8:
        return wide ? MOVE_64 : -1;
    default:
        return -1;
    }
}

static bool is_short_register(const struct decoding *d, const struct ptx_operand *operand)
{
    return operand->kind == OPERAND_REGISTER && operand->reg >= 0 &&
           type_bytes(d->function->from->registers[operand->reg].type) <= 2;
}

// The type that gives a register its row: its own, which may be wider than the value.
static enum ptx_type row_type(const struct decoding *d, const struct ptx_operand *operand, enum ptx_type type)
{
    return operand->kind == OPERAND_REGISTER && operand->reg >= 0
               ? d->function->from->registers[operand->reg].type
               : type;
}

// The conversion of one part and its register; -1: there is none.
static int move_of_part(const struct decoding *d, const struct ptx_operand *part, enum ptx_type type)
{
    unsigned bytes = type_bytes(type), width = bytes < 4 ? 4 : bytes;
    if (part->kind == OPERAND_REGISTER)
        width = decode_width(d, part);
    return move_between(type, width, is_short_register(d, part));
}

// All parts of a vector move like the first one that is not `_`; -1: their registers differ in width.
static int move_of(const struct decoding *d, const struct ptx_operand *parts, unsigned count,
                   enum ptx_type type)
{
    unsigned first = 0;
    while (first + 1 < count && parts[first].kind == OPERAND_SINK)
        first++;
    int move = move_of_part(d, &parts[first], type);
    for (unsigned k = first + 1; k < count; k++)
        if (parts[k].kind != OPERAND_SINK && move_of_part(d, &parts[k], type) != move)
            return -1;
    return move;
}

// Finds the rows of an operand, or of each part of a vector, and how values move between them and memory.
static bool decode_parts(struct decoding *d, const struct ptx_operand *operand, enum ptx_type type,
                         bool loads, struct op *out)
{
    row *rows = arena_take(d->module->arena, out->parts * sizeof *rows);
    if (!rows)
        return decode_fails(d, "there is no memory left");
    bool vector = operand->kind == OPERAND_VECTOR;
    if ((vector ? operand->part_count : 1) != out->parts)
        return decode_fails(d, "the vector and the instruction differ in their number of parts");
    const struct ptx_operand *parts = vector ? operand->parts : operand;
    int move = move_of(d, parts, out->parts, type);
    if (move < 0)
        return decode_fails(d, "a register is too narrow for the value, or the parts differ in width");
    for (unsigned k = 0; k < out->parts; k++) {
        enum ptx_type own = row_type(d, &parts[k], type);
        rows[k] = loads ? decode_destination(d, &parts[k], own) : decode_value(d, &parts[k], own);
        if (!rows[k])
            return decode_fails(d, d->trouble ? d->trouble : "an operand is not a value");
    }
    out->rows = rows;
    out->d = rows[0];
    out->sub = (uint16_t)move;
    return true;
}

size_t access_kernel_param_bytes(const struct function *kernel)
{
    size_t end = 0;
    for (size_t i = 0; i < kernel->from->param_count; i++) {
        size_t here = kernel->param_at[i] + kernel->from->params[i].bytes;
        end = here > end ? here : end;
    }
    return end;
}

static bool decode_param(struct decoding *d, struct op *out, unsigned area, bool loads)
{
    if (area == 0) {
        size_t room = access_kernel_param_bytes(d->function);
        if (!loads)
            return decode_fails(d, "a kernel's parameters cannot be written");
        if (out->imm > room || out->bytes > room - out->imm)
            return decode_fails(d, "it reads beyond the kernel's parameters");
    }
    out->run = area != 0             ? (loads ? load_area : store_area)
               : out->parts != 1     ? load_launch
               : out->sub == MOVE_32 ? load_launch_word
               : out->sub == MOVE_64 ? load_launch_pair
                                     : load_launch;
    return true;
}

static lanes_fn load_of(const struct op *op)
{
    if (op->parts != 1)
        return load;
    return op->sub == MOVE_U8    ? load_bytes
           : op->sub == MOVE_U16 ? load_shorts
           : op->sub == MOVE_64  ? load_pairs
                                 : load;
}

enum { MOST_MOVED = 32 }; // bytes per lane

static bool decode_move(struct decoding *d, struct op *out, bool loads)
{
    const struct ptx_instruction *in = d->in;
    enum ptx_type type = in->type_count ? in->types[0] : TYPE_NONE;
    if (in->operand_count < 2 || type == TYPE_NONE || type == TYPE_PRED)
        return decode_fails(d, "it has no type or too few operands");
    if (type == TYPE_B128)
        return decode_fails(d, "values of 128 bits are not known; vectors are");
    out->space = (uint8_t)ptx_space_of(in);
    out->parts = (uint8_t)ptx_parts_of(in);
    out->bytes = (uint8_t)(out->parts * type_bytes(type));
    if (out->bytes > MOST_MOVED)
        return decode_fails(d, "a thread moves at most 32 bytes at once");
    if (!decode_address(d, &in->operands[loads ? 1 : 0], out))
        return false;
    unsigned area = out->sub;
    if (!decode_parts(d, &in->operands[loads ? 0 : 1], type, loads, out))
        return false;
    if (out->space == SPACE_PARAM && !out->a)
        return decode_param(d, out, area, loads);
    out->pattern = (int32_t)++d->module->pattern_count;
    out->access = out->space == SPACE_SHARED  ? (loads ? SIM_SHARED_LOAD : SIM_SHARED_STORE)
                  : out->space == SPACE_LOCAL ? (loads ? SIM_LOCAL_LOAD : SIM_LOCAL_STORE)
                  : out->space == SPACE_CONST || out->space == SPACE_PARAM
                      ? SIM_ACCESSES
                      : (loads ? SIM_GLOBAL_LOAD : SIM_GLOBAL_STORE);
    if (loads && ptx_has(in, "acquire") && out->access == SIM_GLOBAL_LOAD) {
        out->kind = OP_WAITS;
        out->run = load_acquiring;
        return true;
    }
    const bool word = out->sub == MOVE_32 && out->parts == 1;
    out->run = word ? (loads ? load_word : store_word) : loads ? load_of(out) : store;
    return true;
}

static bool decode_ld(struct decoding *d, struct op *out)
{
    return decode_move(d, out, true);
}

static bool decode_st(struct decoding *d, struct op *out)
{
    if (ptx_has(d->in, "bulk"))
        return decode_fails(d, "filling shared memory in bulk is not known");
    if (ptx_has(d->in, "async"))
        return mbarrier_decode_store(d, out, NULL);
    return decode_move(d, out, false);
}

// ---- cp.async ------------------------------------------------------------------------------------------------

// cp.async copies from global to shared memory and is waited for later. The simulator copies at once: a kernel that forgets
// to wait gets its data all the same, and a finding when it runs with the sanitizer.

struct copy { // what op->imm points to
    struct op from, to;
    // The u32 row of the number of bytes that are read, or the predicate that keeps them from being read; what is not
    // read is zero-filled. Neither: all bytes are read.
    row size, ignored;
    enum copy_form form; // as ptxas compiles it
    bool past_l1;
};

static void copy_lane(unsigned char *to, const unsigned char *from, unsigned bytes, uint32_t size)
{
    uint32_t taken = size < bytes ? size : bytes;
    memcpy(to, from, taken);
    memset(to + taken, 0, bytes - taken);
}

// What the copy costs beside the source's sectors, which are counted when its addresses are resolved; past L1 it moves some
// of them several times.
static void count_copy(struct warp *warp, const struct copy *copy, const uint64_t to[LANES], uint32_t lanes,
                       uint32_t empty, uint64_t sectors_before)
{
    uint64_t from[LANES];
    address_compute(warp, &copy->from, from);
    const struct copy_cost cost = cost_copy(&(struct warp_copy){ .from = from,
                                                                 .to = to,
                                                                 .mask = lanes,
                                                                 .empty = empty,
                                                                 .bytes = copy->to.bytes,
                                                                 .past_l1 = copy->past_l1,
                                                                 .form = copy->form });
    cost_count(warp, &copy->to, COST_SHARED, cost.shared);
    if (copy->past_l1)
        warp->tallies[copy->from.tally].cost[COST_GLOBAL].passes = sectors_before + cost.sectors;
}

// Continues with fewer lanes, or with all that were active again.
static void narrow(struct warp *warp, uint32_t active)
{
    warp->active = warp->expanded = active;
    for (int i = 0; i < LANES; i++)
        warp->lanes[i] = active >> i & 1 ? FULL_MASK : 0;
}

// The bytes that each lane reads; NULL: all.
static const uint32_t *sizes_of(const struct warp *warp, const struct op *op, const struct copy *copy,
                                uint32_t own[LANES])
{
    if (copy->size)
        return ROW32(warp, copy->size);
    if (!copy->ignored)
        return NULL;
    for (int i = 0; i < LANES; i++)
        own[i] = ROWP(warp, copy->ignored) >> i & 1 ? 0 : op->bytes;
    return own;
}

static void copy_lanes(struct warp *warp, const struct op *op)
{
    const struct copy *copy = (const struct copy *)(uintptr_t)op->imm;
    uint32_t own[LANES];
    const uint32_t *sizes = sizes_of(warp, op, copy, own);
    const struct access_request reads = { .read = true, .taken = sizes };
    static const struct access_request writes = { .write = true, .uncounted = true };
    struct lane_addresses source, target;
    const uint64_t sectors_before = warp->tallies ? warp->tallies[op->tally].cost[COST_GLOBAL].passes : 0;
    uint32_t active = warp->active;
    // A lane that reads no bytes does not dereference its source.
    uint32_t empty = 0;
    for (int i = 0; sizes && i < LANES; i++)
        empty |= (uint32_t)(sizes[i] == 0) << i;
    if (empty)
        narrow(warp, active & ~empty);
    if (!warp->active || !address_resolve(warp, &copy->from, &reads, &source))
        source.mask = 0;
    if (empty)
        narrow(warp, active);
    if (!address_resolve(warp, &copy->to, &writes, &target))
        return;
    const uint32_t lanes = target.mask & (source.mask | empty);
    uint64_t to[LANES];
    if (warp->tallies || checks_are_on(warp))
        address_compute(warp, &copy->to, to);
    if (checks_are_on(warp))
        async_copy_leaves(warp, &copy->to, to, lanes);
    if (warp->tallies && lanes)
        count_copy(warp, copy, to, lanes, empty & lanes, sectors_before);
    for (uint32_t left = lanes; left; left &= left - 1) {
        int i = __builtin_ctz(left);
        bool takes = source.mask >> i & 1;
        uint32_t size = !takes ? 0 : sizes ? sizes[i] : op->bytes;
        unsigned char *at =
            target.shape == SHAPE_SCATTERED
                ? address_host(&target, i)
                : address_host(&target, target.first) + (target.shape == SHAPE_ROW ? i * op->bytes : 0);
        const unsigned char *data =
            !takes ? at
            : source.shape == SHAPE_SCATTERED
                ? address_host(&source, i)
                : address_host(&source, source.first) + (source.shape == SHAPE_ROW ? i * op->bytes : 0);
        copy_lane(at, data, op->bytes, size);
    }
}

static void commit(struct warp *warp, const struct op *op)
{
    async_copy_commits(warp);
}

static void wait_for_all(struct warp *warp, const struct op *op)
{
    async_copy_waits(warp, op, true, 0);
}

static void wait_for_groups(struct warp *warp, const struct op *op)
{
    async_copy_waits(warp, op, false, (uint32_t)op->imm);
}

// The ops of both sides live as long as the module, since findings and shadow cells keep pointers to their ops.
static bool decode_side(struct decoding *d, const struct op *whole, struct op *side, int operand,
                        enum ptx_space space, unsigned bytes)
{
    *side = (struct op){ .from = whole->from,
                         .tally = whole->tally,
                         .pattern = (int32_t)++d->module->pattern_count,
                         .high = UINT32_MAX,
                         .space = (uint8_t)space,
                         .bytes = (uint8_t)bytes,
                         .parts = 1,
                         .access = SIM_GLOBAL_LOAD };
    return decode_address(d, &d->in->operands[operand], side);
}

static bool selects(const struct ptx_instruction *in, uint64_t one, uint64_t other)
{
    const struct ptx_operand *from = in->operands + 1;
    return strcmp(in->base, "selp") == 0 && from[0].kind == OPERAND_IMMEDIATE &&
           from[1].kind == OPERAND_IMMEDIATE && from[0].bits == one && from[1].bits == other;
}

// Where a size is all or nothing by a predicate, shortly before, ptxas passes the predicate instead. A size that is a number of
// enough bytes is dropped.
static enum copy_form form_of_size(const struct decoding *d, const struct ptx_operand *size, uint64_t bytes)
{
    enum { SHORTLY = 256 };
    if (size->kind == OPERAND_IMMEDIATE)
        return size->bits < bytes ? COPY_SIZED : COPY_WHOLE;
    const struct ptx_instruction *first = d->function->from->instructions, *in = d->in;
    first = in - first > SHORTLY ? in - SHORTLY : first;
    while (in > first && size->kind == OPERAND_REGISTER) {
        in--;
        if (ptx_writes_first(in) && in->operands[0].kind == OPERAND_REGISTER &&
            in->operands[0].reg == size->reg)
            return selects(in, bytes, 0) || selects(in, 0, bytes) ? COPY_IGNORED : COPY_SIZED;
    }
    return COPY_SIZED;
}

static bool access_decode_copy(struct decoding *d, struct op *out)
{
    const struct ptx_instruction *in = d->in;
    if (!ptx_has(in, "async") || (ptx_has(in, "reduce") && !ptx_has(in, "bulk")))
        return decode_fails(d, "this form of it is not known");
    if (ptx_has(in, "bulk") || ptx_has(in, "mbarrier"))
        return mbarrier_decode_copy(d, out);
    out->imm = in->operand_count ? in->operands[0].bits : 0;
    out->run = ptx_has(in, "commit_group") ? commit
               : ptx_has(in, "wait_all")   ? wait_for_all
               : ptx_has(in, "wait_group") ? wait_for_groups
                                           : NULL;
    if (out->run)
        return true;
    if (in->operand_count < 3 || in->operands[2].kind != OPERAND_IMMEDIATE)
        return decode_fails(d, "it copies 4, 8 or 16 bytes, and names how many");
    uint64_t bytes = in->operands[2].bits;
    struct copy *copy = arena_take(d->module->arena, sizeof *copy);
    if (!copy || (bytes != 4 && bytes != 8 && bytes != 16))
        return decode_fails(d, copy ? "it copies 4, 8 or 16 bytes" : "there is no memory left");
    if (!decode_side(d, out, &copy->to, 0, SPACE_SHARED, (unsigned)bytes) ||
        !decode_side(d, out, &copy->from, 1, SPACE_GLOBAL, (unsigned)bytes))
        return false;
    // The fourth operand is the size of the source, a predicate to ignore it, or a cache policy of 64 bits.
    if (in->operand_count > 3 && decode_width(d, &in->operands[3]) == 1) {
        if (in->operands[3].negated)
            return decode_fails(d, "its predicate cannot be negated");
        if (!(copy->ignored = decode_predicate(d, &in->operands[3])))
            return false;
        copy->form = COPY_IGNORED;
    } else if (in->operand_count > 3 && decode_width(d, &in->operands[3]) != 8 &&
               !(copy->size = decode_value(d, &in->operands[3], TYPE_B32))) {
        return false;
    } else if (copy->size) {
        copy->form = form_of_size(d, &in->operands[3], bytes);
    }
    copy->past_l1 = ptx_has(in, "cg");
    out->space = SPACE_GLOBAL;
    out->access = SIM_GLOBAL_LOAD;
    out->bytes = (uint8_t)bytes;
    out->parts = 1;
    out->imm = (uint64_t)(uintptr_t)copy;
    out->run = copy_lanes;
    return true;
}

const struct decoder memory_decoders[] = { { "ld", decode_ld },
                                           { "ldu", decode_ld },
                                           { "st", decode_st },
                                           { "cp", access_decode_copy },
                                           { NULL, NULL } };
