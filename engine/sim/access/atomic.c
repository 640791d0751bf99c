// Atomics: atom and red. The lanes of a warp are serialised in lane order. Blocks on other host threads are excluded by C's
// atomics; with one host thread, and in shared memory, plain accesses suffice.
#include "engine/sim/access/access.h"
#include "engine/sim/lanes/lanes.h"

#include <string.h>

// ---- loops of compare and swap ------------------------------------------------------------------------------

// Atomics without a hardware instruction: the compiler emits a loop that loads the old value and tries to compare-and-swap
// the new one. The cost of such a loop depends on the values.
//
// Shared memory has none for floats and pairs of halves, nor for most 64-bit operations: each round loads and swaps. No
// memory has one for 16 bits: the containing word is loaded once, and each swap returns its current content.

// An atomic that is such a loop.
struct cas_loop {
    combiner combine;
    bool compares;   // it is itself a compare and swap
    bool leaves_out; // lanes that would not change the value leave after the load
    bool by_one;
    row b, c; // its operands
};

enum { WORD = 4 };

static uint64_t value_at(const struct lane_addresses *reach, int lane, unsigned bytes)
{
    uint64_t value = 0;
    memcpy(&value, address_host(reach, lane), bytes); // the host is little-endian: the low bytes come first
    return value;
}

// An operand of a lane; 0 where there is none.
static uint64_t operand(const struct warp *warp, row at, int lane, unsigned bytes)
{
    return !at ? 0 : bytes == 8 ? ROW64(warp, at)[lane] : ROW32(warp, at)[lane];
}

// The lanes that access shared memory. Each lane of a generic access has a space of its own.
static uint32_t lanes_in_shared(const struct warp *warp, const struct op *op, uint32_t lanes)
{
    uint64_t at[LANES];
    if (op->space != SPACE_GENERIC)
        return op->space == SPACE_SHARED ? lanes : 0;
    address_compute(warp, op, at);
    uint32_t shared = 0;
    for (uint32_t left = lanes; left; left &= left - 1) {
        int i = __builtin_ctz(left);
        shared |= (uint32_t)(address_space(at[i]) == SPACE_SHARED) << i;
    }
    return shared;
}

// ---- rounds of a load and a swap ---------------------------------------------------------------------

// The value that each lane has loaded, and the value that it would store.
struct cas_values {
    uint64_t now[LANES], then[LANES];
};

static void look(const struct warp *warp, const struct op *op, const struct cas_loop *loop,
                 struct cas_values *values, int lane)
{
    values->then[lane] = loop->combine(values->now[lane], operand(warp, loop->b, lane, op->bytes),
                                       operand(warp, loop->c, lane, op->bytes));
}

// Applies the successful swaps: every other lane at such an address will load another value.
static void write_down(const struct warp *warp, const struct op *op, const struct lane_addresses *reach,
                       const struct cas_loop *loop, struct cas_values *values, uint32_t through,
                       uint32_t left)
{
    for (; through; through &= through - 1) {
        int winner = __builtin_ctz(through);
        for (uint32_t others = left; others; others &= others - 1) {
            int i = __builtin_ctz(others);
            if (reach->at[i] != reach->at[winner])
                continue;
            values->now[i] = values->then[winner];
            look(warp, op, loop, values, i);
        }
    }
}

static void count_rounds(struct warp *warp, const struct op *op, const struct lane_addresses *reach,
                         const struct cas_loop *loop, uint32_t left)
{
    struct cas_values values;
    for (uint32_t lanes = left; lanes; lanes &= lanes - 1) {
        int i = __builtin_ctz(lanes);
        values.now[i] = value_at(reach, i, op->bytes);
        look(warp, op, loop, &values, i);
    }
    while (left) {
        cost_count(warp, op, COST_CAS_LOOP, cost_shared(reach->at, left, op->bytes, false, ATOMIC_NONE));
        for (uint32_t lanes = loop->leaves_out ? left : 0; lanes; lanes &= lanes - 1) {
            int i = __builtin_ctz(lanes);
            left &= ~((uint32_t)(values.now[i] == values.then[i]) << i);
        }
        if (!left)
            return;
        uint32_t before = left;
        cost_count(warp, op, COST_SHARED, cost_cas_round(reach->at, &left, op->bytes));
        write_down(warp, op, reach, loop, &values, before & ~left, left);
    }
}

// ---- 16 bits: one load, then rounds of a swap --------------------------------------------------------------------------------

struct cas_halves {       // lanes that access halves of words
    uint64_t word[LANES]; // address of each lane's word
    uint64_t now[LANES];  // value of each lane's half
    bool own, other;      // whether this round has changed the lane's half, or the other half of its word
};

static void look_back(const struct lane_addresses *reach, struct cas_halves *h, uint32_t changed, int lane)
{
    h->own = h->other = false;
    for (; changed; changed &= changed - 1) {
        int i = __builtin_ctz(changed);
        bool same = h->word[i] == h->word[lane];
        h->own |= same && reach->at[i] == reach->at[lane];
        h->other |= same && reach->at[i] != reach->at[lane];
    }
}

// Serialises the lanes. A swap fails when its word has changed since the round began; a 16-bit compare-and-swap is then
// retried only if the other half changed. Returns the lanes that retry.
static uint32_t go_round(const struct warp *warp, const struct lane_addresses *reach,
                         const struct cas_loop *loop, struct cas_halves *h, uint32_t left)
{
    uint32_t again = 0, changed = 0;
    for (uint32_t lanes = left; lanes; lanes &= lanes - 1) {
        int i = __builtin_ctz(lanes);
        look_back(reach, h, changed, i);
        if (h->other || (h->own && !loop->compares)) {
            again |= 1u << i;
            continue;
        }
        uint64_t then = loop->combine(h->now[i], operand(warp, loop->b, i, 2) & 0xffff,
                                      operand(warp, loop->c, i, 2) & 0xffff);
        changed |= (uint32_t)(then != h->now[i]) << i;
        for (int k = 0; k < LANES; k++)
            if (left >> k & 1 && reach->at[k] == reach->at[i])
                h->now[k] = then;
    }
    return again;
}

static void count_halves(struct warp *warp, const struct op *op, const struct lane_addresses *reach,
                         const struct cas_loop *loop, uint32_t left, bool shared)
{
    struct cas_halves h = { 0 };
    if (!left)
        return;
    for (uint32_t lanes = left; lanes; lanes &= lanes - 1) {
        int i = __builtin_ctz(lanes);
        h.word[i] = reach->at[i] & ~(uint64_t)(WORD - 1);
        h.now[i] = value_at(reach, i, 2);
    }
    if (shared)
        cost_count(warp, op, COST_CAS_LOOP, cost_shared(h.word, left, WORD, false, ATOMIC_NONE));
    else
        cost_count(warp, op, COST_CAS_FETCH, cost_global(h.word, left, WORD, ATOMIC_NONE));
    while (left) {
        if (shared)
            cost_count(warp, op, COST_SHARED, cost_shared(h.word, left, WORD, true, ATOMIC_COMPARE));
        else
            cost_count(warp, op, COST_GLOBAL, cost_global(h.word, left, WORD, ATOMIC_COMPARE));
        left = go_round(warp, reach, loop, &h, left);
    }
}

// ---- either ----------------------------------------------------------------------------------------------------------

static void cas_loop_count(struct warp *warp, const struct op *op, const struct lane_addresses *reach,
                           const struct cas_loop *loop)
{
    uint32_t shared = lanes_in_shared(warp, op, reach->mask), others = reach->mask & ~shared;
    if (op->bytes == 2) {
        count_halves(warp, op, reach, loop, shared, true);
        count_halves(warp, op, reach, loop, others, false);
        return;
    }
    count_rounds(warp, op, reach, loop, loop->by_one ? shared & -shared : shared);
    others = loop->by_one ? others & -others : others;
    if (!others)
        return;
    struct access_cost cost = cost_global(reach->at, others, op->bytes, ATOMIC_TURNS);
    cost_count(warp, op, COST_GLOBAL, cost);
    if (!warp->sample)
        return;
    sample_lanes(warp, reach->at, others, op->bytes, SAMPLE_LOADED | SAMPLE_STORED);
    sample_atomic(warp, reach->at, others, cost.passes);
}

// ---- atomics ------------------------------------------------------------------------------------------------

// ---- operations on a value --------------------------------------------------------------------------------

#define COMBINER(name, value)                                                                                \
    static uint64_t name(uint64_t old, uint64_t b, uint64_t c)                                               \
    {                                                                                                        \
        (void)c;                                                                                             \
        return (value);                                                                                      \
    }
// Of values of 32 bits. Of this width the compiler takes an instruction for them and makes no branch around the store of the
// result, which would be foreseen wrongly.
INLINE uint32_t lesser_signed(int32_t old, int32_t b)
{
    return (uint32_t)(b < old ? b : old);
}
INLINE uint32_t greater_signed(int32_t old, int32_t b)
{
    return (uint32_t)(b > old ? b : old);
}
INLINE uint32_t lesser(uint32_t old, uint32_t b)
{
    return b < old ? b : old;
}
INLINE uint32_t greater(uint32_t old, uint32_t b)
{
    return b > old ? b : old;
}
COMBINER(add, old + b)
COMBINER(bits_and, old &(b))
COMBINER(bits_or, old | b)
COMBINER(bits_xor, old ^ b)
COMBINER(exchange, ((void)old, b))
COMBINER(compare, old == b ? c : old)
COMBINER(min_u32, lesser((uint32_t)old, (uint32_t)b))
COMBINER(max_u32, greater((uint32_t)old, (uint32_t)b))
COMBINER(min_s32, lesser_signed((int32_t)old, (int32_t)b))
COMBINER(max_s32, greater_signed((int32_t)old, (int32_t)b))
COMBINER(min_u64, b < old ? b : old)
COMBINER(max_u64, b > old ? b : old)
COMBINER(min_s64, (int64_t)b < (int64_t)old ? b : old)
COMBINER(max_s64, (int64_t)b > (int64_t)old ? b : old)
COMBINER(inc, (uint32_t)old >= (uint32_t)b ? 0 : old + 1)
COMBINER(dec, (uint32_t)old == 0 || (uint32_t)old > (uint32_t)b ? b : old - 1)

// f32 subnormals are flushed to zero by global atomics on hardware, and kept here as add.f32 keeps them.
COMBINER(add_f32, bits_of_f32(one_nan(f32_of_bits((uint32_t)old) + f32_of_bits((uint32_t)b))))
COMBINER(add_f64, bits_of_f64(f64_of_bits(old) + f64_of_bits(b)))

// ---- halves -----------------------------------------------------------------------------------------------

// The sum of two halves is exact enough in float that rounding it again gives the nearest half.
#define HALVES(name, half, result)                                                                           \
    static uint32_t name##_one(uint32_t old, uint32_t other)                                                 \
    {                                                                                                        \
        const float x = f32_of_##half(old & 0xffff), y = f32_of_##half(other & 0xffff);                      \
        return half##_of_f32(result, FE_TONEAREST);                                                          \
    }                                                                                                        \
    COMBINER(name, name##_one((uint32_t)old, (uint32_t)b))                                                   \
    COMBINER(name##_two, name##_one((uint32_t)old, (uint32_t)b) |                                            \
                             name##_one((uint32_t)old >> 16, (uint32_t)b >> 16) << 16)
HALVES(add_f16, f16, x + y)
HALVES(add_bf16, bf16, x + y)
HALVES(min_f16, f16, least_float(x, y))
HALVES(max_f16, f16, most_float(x, y))
HALVES(min_bf16, bf16, least_float(x, y))
HALVES(max_bf16, bf16, most_float(x, y))

// ---- which there are --------------------------------------------------------------------------------------

enum {
    ROW_COMPARE = 1,
    ROW_MERGES = 2,
    ROW_REDUCES = 4,
    ROW_ADDS = 8,
    ROW_COUNTS = 16,
    ROW_LOOPS = 32,
    ROW_LEAVES = 64
};
static const struct atomic_row { // indexed by op->sub
    const char *name, *types;
    combiner combine;
    // REDUCES: hardware has a red for it; MERGES: one lane can do it for the warp; LOOPS: shared memory has no instruction for it; LEAVES: that loop skips the swap when nothing changes
    unsigned flags;
} atomics[] = {
    { "add", " u32 s32 u64 s64 ", add, ROW_MERGES | ROW_REDUCES | ROW_ADDS },
    { "and", " b32 b64 ", bits_and, ROW_MERGES | ROW_REDUCES },
    { "or", " b32 b64 ", bits_or, ROW_MERGES | ROW_REDUCES },
    { "xor", " b32 b64 ", bits_xor, ROW_MERGES | ROW_REDUCES },
    { "exch", " b32 b64 ", exchange, 0 }, // with cas, the only 64-bit atomic of shared memory
    { "cas", " b16 b32 b64 ", compare, ROW_COMPARE },
    { "min", " u32 ", min_u32, ROW_MERGES | ROW_REDUCES },
    { "max", " u32 ", max_u32, ROW_MERGES | ROW_REDUCES },
    { "min", " s32 ", min_s32, ROW_MERGES | ROW_REDUCES },
    { "max", " s32 ", max_s32, ROW_MERGES | ROW_REDUCES },
    { "min", " u64 ", min_u64, ROW_REDUCES | ROW_LEAVES },
    { "max", " u64 ", max_u64, ROW_REDUCES | ROW_LEAVES },
    { "min", " s64 ", min_s64, ROW_REDUCES | ROW_LEAVES },
    { "max", " s64 ", max_s64, ROW_REDUCES | ROW_LEAVES },
    { "inc", " u32 ", inc, ROW_REDUCES | ROW_COUNTS },
    { "dec", " u32 ", dec, ROW_REDUCES },
    { "add", " f32 ", add_f32, ROW_REDUCES | ROW_LOOPS },
    { "add", " f64 ", add_f64, ROW_REDUCES },
    { "add", " f16 ", add_f16, ROW_REDUCES },
    { "add", " f16x2 ", add_f16_two, ROW_REDUCES | ROW_LOOPS },
    { "add", " bf16 ", add_bf16, ROW_REDUCES },
    { "add", " bf16x2 ", add_bf16_two, ROW_REDUCES | ROW_LOOPS },
    { "min", " f16 ", min_f16, ROW_REDUCES },
    { "min", " f16x2 ", min_f16_two, ROW_REDUCES },
    { "max", " f16 ", max_f16, ROW_REDUCES },
    { "max", " f16x2 ", max_f16_two, ROW_REDUCES },
    { "min", " bf16 ", min_bf16, ROW_REDUCES },
    { "min", " bf16x2 ", min_bf16_two, ROW_REDUCES },
    { "max", " bf16 ", max_bf16, ROW_REDUCES },
    { "max", " bf16x2 ", max_bf16_two, ROW_REDUCES },
};

// op->e: what the compiler knows about the operands, and what follows from that: whether hardware reduces, always or if the
// result is never read, and how a reduction and another atomic are requested.
enum {
    KNOWN_ADDRESS = 1,
    KNOWN_VALUE = 2,
    VALUE_ONE = 4,
    VALUE_ALL_ONES = 8,
    NO_RESULT = 16,
    IS_RED = 32,
    IS_RED_IF_DEAD = 64,
    REQUEST_SHIFT = 8, // of a reduction; that of another atomic lies above
    REQUEST_BITS = 4,
    REQUEST_COST = 7, // enum atomic_cost
    REQUEST_BY_ONE = 8
};

// A 16-bit value shares its word with another one, so that the whole word is swapped.
static bool is_part_of_word(const struct op *op)
{
    return op->bytes == 2;
}

// There is no reduction of a pair of halves through a generic pointer.
static bool is_generic_pair(const struct op *op)
{
    enum ptx_type type = op->from->types[0];
    return op->space == SPACE_GENERIC && (type == TYPE_F16X2 || type == TYPE_BF16X2);
}

bool atomic_is_red(const struct op *op)
{
    return op->e & IS_RED || (op->dead && op->e & IS_RED_IF_DEAD);
}

// ---- cost -------------------------------------------------------------------------------------------------

// The compiler lets one lane act for the warp when the address is uniform: with the reduction of the warp's values where an
// instruction computes it, else for a uniform value.
static bool is_by_one(const struct op *op, bool dead)
{
    unsigned flags = atomics[op->sub].flags, part = op->bytes / op->parts;
    if (!(op->e & KNOWN_ADDRESS) || !(flags & ROW_MERGES) || op->parts > 1)
        return false;
    if (flags & ROW_ADDS && op->e & KNOWN_VALUE)
        return true;
    return dead && part == 4;
}

// A generic address may be in shared memory, for which the instruction may not exist.
static bool is_loop(const struct op *op)
{
    const struct atomic_row *what = &atomics[op->sub];
    if (op->parts > 1)
        return false; // global memory has all of them
    if (is_part_of_word(op))
        return true;
    bool shared = op->space == SPACE_SHARED || op->space == SPACE_GENERIC;
    bool long_one = op->bytes / op->parts == 8 && what->combine != exchange && what->combine != compare;
    return shared && (what->flags & ROW_LOOPS || long_one);
}

// For an addition of 1, shared memory adds the number of lanes.
static enum atomic_cost cost_of(const struct op *op, bool dead)
{
    unsigned flags = atomics[op->sub].flags, part = op->bytes / op->parts;
    if (is_loop(op))
        return ATOMIC_CAS_LOOP;
    if (flags & ROW_COMPARE)
        return ATOMIC_COMPARE;
    bool counts = (flags & ROW_ADDS && op->e & VALUE_ONE) || (flags & ROW_COUNTS && op->e & VALUE_ALL_ONES);
    return dead && counts && part == 4 && op->parts == 1 ? ATOMIC_MERGED : ATOMIC_TURNS;
}

static void count_loop(struct warp *warp, const struct op *op, const struct lane_addresses *reach,
                       bool by_one)
{
    const struct atomic_row *what = &atomics[op->sub];
    struct cas_loop loop = { .combine = what->combine,
                             .compares = what->flags & ROW_COMPARE,
                             .leaves_out = what->flags & ROW_LEAVES,
                             .by_one = by_one,
                             .b = op->rows[op->parts],
                             .c = op->c };
    cas_loop_count(warp, op, reach, &loop);
}

// ---- doing it ---------------------------------------------------------------------------------------------

#define ALONE(T)                                                                                             \
    {                                                                                                        \
        T old;                                                                                               \
        memcpy(&old, at, sizeof old);                                                                        \
        T now = (T)combine(old, b, c);                                                                       \
        memcpy(at, &now, sizeof now);                                                                        \
        return old;                                                                                          \
    }
// A value that stays is not stored: cores would hand its line around for nothing.
#define AMONG_OTHERS(T)                                                                                      \
    {                                                                                                        \
        T old = __atomic_load_n((T *)at, __ATOMIC_ACQUIRE), now;                                             \
        do                                                                                                   \
            now = (T)combine(old, b, c);                                                                     \
        while (now != old &&                                                                                 \
               !__atomic_compare_exchange_n((T *)at, &old, now, false, __ATOMIC_SEQ_CST, __ATOMIC_ACQUIRE)); \
        return old;                                                                                          \
    }

INLINE uint64_t do_alone(void *at, unsigned bytes, combiner combine, uint64_t b, uint64_t c)
{
    if (bytes == 8)
        ALONE(uint64_t)
    if (bytes == 4)
        ALONE(uint32_t)
    ALONE(uint16_t)
}

INLINE uint64_t do_among_others(void *at, unsigned bytes, combiner combine, uint64_t b, uint64_t c)
{
    if (combine == add && bytes == 8)
        return __atomic_fetch_add((uint64_t *)at, b, __ATOMIC_SEQ_CST);
    if (combine == add && bytes == 4)
        return __atomic_fetch_add((uint32_t *)at, (uint32_t)b, __ATOMIC_SEQ_CST);
    if (bytes == 8)
        AMONG_OTHERS(uint64_t)
    if (bytes == 4)
        AMONG_OTHERS(uint32_t)
    AMONG_OTHERS(uint16_t)
}

void atomic_apply(void *at, unsigned bytes, combiner combine, uint64_t value)
{
    (void)do_among_others(at, bytes, combine, value, 0);
}

static void give(struct warp *warp, row at, int lane, bool wide, uint64_t value)
{
    if (wide)
        ROW64(warp, at)[lane] = value;
    else
        ROW32(warp, at)[lane] = (uint32_t)value;
}

static bool is_alone(const struct warp *warp, const struct op *op)
{
    return op->space == SPACE_SHARED || warp->block->machine->options.threads == 1;
}

// rows: `parts` destinations (0: none), then `parts` sources; op->c: the third operand of cas. Whether the last part was as
// compared with.
static bool one_lane(struct warp *warp, const struct op *op, unsigned char *at, int lane, bool alone)
{
    unsigned part = op->bytes / op->parts;
    bool equal = false;
    for (unsigned k = 0; k < op->parts; k++, at += part) {
        uint64_t b = operand(warp, op->rows[op->parts + k], lane, part);
        uint64_t c = operand(warp, op->c, lane, part);
        uint64_t old = alone ? do_alone(at, part, atomics[op->sub].combine, b, c)
                             : do_among_others(at, part, atomics[op->sub].combine, b, c);
        equal = old == b;
        if (op->rows[k])
            give(warp, op->rows[k], lane, part == 8, old);
    }
    return equal;
}

static const struct access_request *request_of(const struct op *op)
{
#define REQUESTS(cost)                                                                                       \
    [cost] = { .read = true, .write = true, .atomic = (cost) }, [(cost) | REQUEST_BY_ONE] = {                \
        .read = true,                                                                                        \
        .write = true,                                                                                       \
        .atomic = (cost),                                                                                    \
        .by_one = true                                                                                       \
    }
    static const struct access_request requests[1 << REQUEST_BITS] = {
        REQUESTS(ATOMIC_TURNS), REQUESTS(ATOMIC_MERGED), REQUESTS(ATOMIC_COMPARE), REQUESTS(ATOMIC_CAS_LOOP)
    };
#undef REQUESTS
    return &requests[op->e >> (atomic_is_red(op) ? REQUEST_SHIFT : REQUEST_SHIFT + REQUEST_BITS) &
                     ((1 << REQUEST_BITS) - 1)];
}

static bool find(struct warp *warp, const struct op *op, const struct access_request *ask,
                 struct lane_addresses *reach)
{
    bool any = address_resolve(warp, op, ask, reach);
    if (any && ask->atomic == ATOMIC_CAS_LOOP && warp->tallies && !reach->remote)
        count_loop(warp, op, reach, ask->by_one);
    for (uint32_t left = warp->active & ~reach->mask; left; left &= left - 1)
        for (unsigned k = 0; k < op->parts; k++)
            if (op->rows[k])
                give(warp, op->rows[k], __builtin_ctz(left), op->bytes / op->parts == 8, 0);
    return any;
}

static void atomic(struct warp *warp, const struct op *op)
{
    struct lane_addresses reach;
    const struct access_request *ask = request_of(op);
    if (!find(warp, op, ask, &reach))
        return;
    bool alone = is_alone(warp, op);
    uint32_t through = 0;
    for (uint32_t left = reach.mask; left; left &= left - 1) {
        int i = __builtin_ctz(left);
        through |= (uint32_t)one_lane(warp, op, address_host(&reach, i), i, alone) << i;
    }
    if (warp->sample && atomics[op->sub].flags & ROW_COMPARE && op->space != SPACE_SHARED)
        sample_swaps(warp, reach.at, reach.mask, through);
}

typedef uint32_t any_word __attribute__((may_alias));
INLINE any_word *word_at(unsigned char *base, uint32_t offset)
{
    return (any_word *)(void *)(base + offset);
}

// Of a word of each lane: its lanes, where they are, and what there was goes to `old` if it is not NULL.
INLINE void combine_lanes(const struct lane_offsets *at, uint32_t lanes, const uint32_t *value, uint32_t *old,
                          combiner combine)
{
    unsigned char *const base = at->base;
    if (lanes == FULL_MASK && !old) {
        UNROLLED
        for (int i = 0; i < LANES; i++) {
            any_word *word = word_at(base, at->of_lane[i]);
            *word = (uint32_t)combine(*word, value[i], 0);
        }
        return;
    }
    for (uint32_t left = lanes; left; left &= left - 1) {
        const int i = __builtin_ctz(left);
        any_word *word = word_at(base, at->of_lane[i]);
        const uint32_t was = *word;
        *word = (uint32_t)combine(was, value[i], 0);
        if (old)
            old[i] = was;
    }
}

// The same among other host threads.
INLINE void combine_lanes_among_others(const struct lane_offsets *at, uint32_t lanes, const uint32_t *value,
                                       uint32_t *old, combiner combine)
{
    unsigned char *const base = at->base;
    for (uint32_t left = lanes; left; left &= left - 1) {
        const int i = __builtin_ctz(left);
        const uint64_t was = do_among_others(base + at->of_lane[i], WORD, combine, value[i], 0);
        if (old)
            old[i] = (uint32_t)was;
    }
}

// What is counted as ATOMIC_MERGED adds 1.
static void add_one_each(unsigned char *base, const uint32_t offset[LANES])
{
    UNROLLED
    for (int i = 0; i < LANES; i++)
        ++*word_at(base, offset[i]);
}

// Most atomics are of one word of 32 bits: each operation on those has a loop of its own.
INLINE void combine_words(struct warp *warp, const struct op *op, combiner combine)
{
    const struct access_request *ask = request_of(op);
    const uint32_t *value = ROW32(warp, op->rows[1]);
    uint32_t *d = op->rows[0] && !op->dead ? ROW32(warp, op->rows[0]) : NULL;
    const bool alone = is_alone(warp, op);
    struct lane_addresses reach;
    struct lane_offsets offsets;
    if (address_offsets(warp, op, ask, &offsets)) {
        if (!alone)
            combine_lanes_among_others(&offsets, warp->active, value, d, combine);
        else if (ask->atomic == ATOMIC_MERGED && warp->active == FULL_MASK)
            add_one_each(offsets.base, offsets.of_lane);
        else
            combine_lanes(&offsets, warp->active, value, d, combine);
        return;
    }
    if (!find(warp, op, ask, &reach))
        return;
    for (uint32_t left = reach.mask; left; left &= left - 1) {
        const int i = __builtin_ctz(left);
        unsigned char *at = address_host(&reach, i);
        const uint32_t old = alone ? (uint32_t)do_alone(at, WORD, combine, value[i], 0)
                                   : (uint32_t)do_among_others(at, WORD, combine, value[i], 0);
        if (d)
            d[i] = old;
    }
}

#define WORDS(combine)                                                                                       \
    static void combine##_words(struct warp *warp, const struct op *op)                                      \
    {                                                                                                        \
        combine_words(warp, op, combine);                                                                    \
    }
WORDS(add)
WORDS(bits_and)
WORDS(bits_or)
WORDS(bits_xor)
WORDS(exchange)
WORDS(min_u32)
WORDS(max_u32)
WORDS(min_s32)
WORDS(max_s32)
WORDS(inc)
WORDS(dec)
WORDS(add_f32)

static lanes_fn handler_of(const struct op *op)
{
    static const struct {
        combiner combine;
        lanes_fn run;
    } words[] = { { add, add_words },           { bits_and, bits_and_words }, { bits_or, bits_or_words },
                  { bits_xor, bits_xor_words }, { exchange, exchange_words }, { min_u32, min_u32_words },
                  { max_u32, max_u32_words },   { min_s32, min_s32_words },   { max_s32, max_s32_words },
                  { inc, inc_words },           { dec, dec_words },           { add_f32, add_f32_words } };
    for (size_t i = 0; op->bytes == WORD && op->parts == 1 && i < sizeof words / sizeof *words; i++)
        if (words[i].combine == atomics[op->sub].combine)
            return words[i].run;
    return atomic;
}

// ---- decoding ---------------------------------------------------------------------------------------------

static bool find_row(struct decoding *d, struct op *out, enum ptx_type *type)
{
    const struct ptx_instruction *in = d->in;
    if (!in->type_count)
        return decode_fails(d, "it has no type");
    *type = in->types[0];
    for (size_t i = 0; i < sizeof atomics / sizeof *atomics; i++) {
        if (!ptx_has(in, atomics[i].name))
            continue;
        for (const char *at = atomics[i].types; *at == ' ' && at[1];) {
            char name[8] = "";
            size_t length = strcspn(at + 1, " ");
            memcpy(name, at + 1, length < sizeof name ? length : sizeof name - 1);
            if (type_from_name(name) == *type) {
                out->sub = (uint16_t)i;
                return true;
            }
            at += 1 + length;
        }
    }
    return decode_fails(d, "this operation is not known for this type");
}

static const struct ptx_operand *part_of(const struct ptx_operand *operand, unsigned k, unsigned parts)
{
    if (operand->kind != OPERAND_VECTOR)
        return parts == 1 ? operand : NULL;
    return (unsigned)operand->part_count == parts ? &operand->parts[k] : NULL;
}

static bool decode_rows(struct decoding *d, struct op *out, const struct ptx_operand *result,
                        const struct ptx_operand *value, enum ptx_type type)
{
    row *rows = arena_take(d->module->arena, 2 * out->parts * sizeof *rows);
    if (!rows)
        return decode_fails(d, "there is no memory left");
    for (unsigned k = 0; k < out->parts; k++) {
        const struct ptx_operand *to = result ? part_of(result, k, out->parts) : NULL;
        const struct ptx_operand *from = part_of(value, k, out->parts);
        if (!from || (result && !to))
            return decode_fails(d, "the vector and the instruction differ in their number of parts");
        bool wide = type_bytes(type) == 8;
        bool wants = to && to->kind == OPERAND_REGISTER;
        if ((wants && (decode_width(d, to) == 8) != wide) ||
            (from->kind == OPERAND_REGISTER && (decode_width(d, from) == 8) != wide))
            return decode_fails(d, "a register and the value differ in width");
        rows[k] = wants ? decode_destination(d, to, type) : 0;
        rows[out->parts + k] = decode_value(d, from, type);
        if ((wants && !rows[k]) || !rows[out->parts + k])
            return false;
    }
    out->rows = rows;
    out->d = rows[0];
    out->b = rows[out->parts];
    return true;
}

static void note_what_is_known(struct decoding *d, struct op *out, const struct ptx_operand *address,
                               const struct ptx_operand *value)
{
    out->e = decode_is_uniform(d, address) ? KNOWN_ADDRESS : 0;
    out->e |= decode_is_uniform(d, value) ? KNOWN_VALUE : 0;
    if (value->kind == OPERAND_IMMEDIATE)
        out->e |=
            (value->bits == 1 ? VALUE_ONE : 0) | ((uint32_t)value->bits == FULL_MASK ? VALUE_ALL_ONES : 0);
}

static row request_bits(const struct op *op, bool red)
{
    return (row)cost_of(op, red) | (is_by_one(op, red) ? REQUEST_BY_ONE : 0);
}

static void note_what_follows(struct op *out)
{
    if (!is_part_of_word(out) && !is_generic_pair(out))
        out->e |= out->e & NO_RESULT ? IS_RED : atomics[out->sub].flags & ROW_REDUCES ? IS_RED_IF_DEAD : 0;
    out->e |= request_bits(out, true) << REQUEST_SHIFT;
    out->e |= request_bits(out, false) << (REQUEST_SHIFT + REQUEST_BITS);
}

// Vectors of floating-point values, up to 16 bytes in global memory, are added; those of halves also compared.
static bool is_vector(const struct op *op, enum ptx_type type)
{
    return type >= TYPE_F16 && type <= TYPE_F32 && op->bytes <= 16 &&
           (op->space == SPACE_GLOBAL || op->space == SPACE_GENERIC);
}

combiner atomic_combiner(struct decoding *d, unsigned *bytes)
{
    struct op found;
    enum ptx_type type;
    if (!find_row(d, &found, &type) || !(atomics[found.sub].flags & ROW_REDUCES))
        return NULL;
    *bytes = type_bytes(type);
    return atomics[found.sub].combine;
}

static bool decode_atomic(struct decoding *d, struct op *out, bool returns)
{
    const struct ptx_instruction *in = d->in;
    enum ptx_type type = TYPE_NONE;
    if (!find_row(d, out, &type))
        return false;
    uint16_t which = out->sub;
    if (ptx_has(in, "async"))
        return mbarrier_decode_store(d, out, atomics[which].combine);
    bool compares = atomics[which].flags & ROW_COMPARE;
    int first = returns ? 1 : 0;
    if (in->operand_count < first + (compares ? 3 : 2))
        return decode_fails(d, "it has too few operands");
    out->parts = (uint8_t)ptx_parts_of(in);
    out->bytes = (uint8_t)(out->parts * type_bytes(type));
    out->space = (uint8_t)ptx_space_of(in);
    if (out->parts > 1 && !is_vector(out, type))
        return decode_fails(d, "there is no atomic operation on such a vector");
    if (!decode_address(d, &in->operands[first], out) ||
        !decode_rows(d, out, returns ? &in->operands[0] : NULL, &in->operands[first + 1], type))
        return false;
    out->sub = which;
    if (compares) {
        const struct ptx_operand *swap = &in->operands[first + 2];
        if (swap->kind == OPERAND_REGISTER && (decode_width(d, swap) == 8) != (type_bytes(type) == 8))
            return decode_fails(d, "a register and the value differ in width");
        out->c = decode_value(d, swap, type);
        if (!out->c)
            return false;
    }
    note_what_is_known(d, out, &in->operands[first], &in->operands[first + 1]);
    out->e |= returns ? 0 : NO_RESULT;
    note_what_follows(out);
    out->access = out->space == SPACE_SHARED ? SIM_SHARED_ATOM : returns ? SIM_GLOBAL_ATOM : SIM_GLOBAL_RED;
    out->run = handler_of(out);
    return true;
}

static bool decode_atom(struct decoding *d, struct op *out)
{
    return decode_atomic(d, out, true);
}

static bool decode_red(struct decoding *d, struct op *out)
{
    return decode_atomic(d, out, false);
}

const struct decoder atomic_decoders[] = { { "atom", decode_atom }, { "red", decode_red }, { NULL, NULL } };
