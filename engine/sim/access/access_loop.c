// Atomics for which the hardware has no instruction: the compiler writes a loop that loads what is there and tries to
// swap it for what shall be there, until that has worked. What such a loop costs depends on the values.
//
// Shared memory has none for floats and pairs of halves, nor for most of 64 bits: each round loads, and swaps. No memory
// has one for 16 bits: there the word around them is loaded once, and each swap brings what is there now.
#include "engine/sim/access/access.h"

#include <string.h>

enum { WORD = 4 };

static uint64_t value_at(const struct reach *reach, int lane, unsigned bytes)
{
    uint64_t value = 0;
    memcpy(&value, reach_lane(reach, lane), bytes); // the low bytes come first
    return value;
}

static uint64_t operand(const struct warp *warp, row at, int lane, unsigned bytes)
{
    return !at ? 0 : bytes == 8 ? ROW64(warp, at)[lane] : ROW32(warp, at)[lane];
}

// The lanes of these in shared memory; of a generic access every lane may be somewhere else.
static uint32_t lanes_in_shared(const struct warp *warp, const struct op *op, uint32_t lanes)
{
    uint64_t at[LANES];
    if (op->space != SPACE_GENERIC)
        return op->space == SPACE_SHARED ? lanes : 0;
    reach_addresses(warp, op, at);
    uint32_t shared = 0;
    for (uint32_t left = lanes; left; left &= left - 1) {
        int i = __builtin_ctz(left);
        shared |= (uint32_t)(reach_space(at[i]) == SPACE_SHARED) << i;
    }
    return shared;
}

// ---- of the whole value: loads and swaps in turn ---------------------------------------------------------------------

// What the lanes would make of what is there, by now.
struct values {
    uint64_t now[LANES], then[LANES];
};

static void look(const struct warp *warp, const struct op *op, const struct loop *loop, struct values *values,
                 int lane)
{
    values->then[lane] = loop->combine(values->now[lane], operand(warp, loop->b, lane, op->bytes),
                                       operand(warp, loop->c, lane, op->bytes));
}

// The lanes that got through: who is at the same place has another value before it.
static void write_down(const struct warp *warp, const struct op *op, const struct reach *reach,
                       const struct loop *loop, struct values *values, uint32_t through, uint32_t left)
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

static void count_rounds(struct warp *warp, const struct op *op, const struct reach *reach,
                         const struct loop *loop, uint32_t left)
{
    struct values values;
    for (uint32_t lanes = left; lanes; lanes &= lanes - 1) {
        int i = __builtin_ctz(lanes);
        values.now[i] = value_at(reach, i, op->bytes);
        look(warp, op, loop, &values, i);
    }
    while (left) {
        reach_cost(warp, op, COST_LOOP, pattern_shared(reach->at, left, op->bytes, false, ATOMIC_NONE));
        for (uint32_t lanes = loop->leaves_out ? left : 0; lanes; lanes &= lanes - 1) {
            int i = __builtin_ctz(lanes);
            left &= ~((uint32_t)(values.now[i] == values.then[i]) << i);
        }
        if (!left)
            return;
        uint32_t before = left;
        reach_cost(warp, op, COST_SHARED, pattern_round(reach->at, &left, op->bytes));
        write_down(warp, op, reach, loop, &values, before & ~left, left);
    }
}

// ---- of 16 bits: one load, then swaps --------------------------------------------------------------------------------

struct halves {           // of words
    uint64_t word[LANES]; // each lane's
    uint64_t now[LANES];  // its half of it
    bool own, other;      // changed in this round: the half of the lane at hand; the other one
};

static void look_back(const struct reach *reach, struct halves *h, uint32_t changed, int lane)
{
    h->own = h->other = false;
    for (; changed; changed &= changed - 1) {
        int i = __builtin_ctz(changed);
        bool same = h->word[i] == h->word[lane];
        h->own |= same && reach->at[i] == reach->at[lane];
        h->other |= same && reach->at[i] != reach->at[lane];
    }
}

// The lanes go one after the other. A swap fails when the word is no longer what this round began with; a compare and
// swap of 16 bits then only tries again because of the half that it is not about. Returns who tries again.
static uint32_t go_round(const struct warp *warp, const struct reach *reach, const struct loop *loop,
                         struct halves *h, uint32_t left)
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

static void count_halves(struct warp *warp, const struct op *op, const struct reach *reach,
                         const struct loop *loop, uint32_t left, bool shared)
{
    struct halves h = { 0 };
    if (!left)
        return;
    for (uint32_t lanes = left; lanes; lanes &= lanes - 1) {
        int i = __builtin_ctz(lanes);
        h.word[i] = reach->at[i] & ~(uint64_t)(WORD - 1);
        h.now[i] = value_at(reach, i, 2);
    }
    if (shared)
        reach_cost(warp, op, COST_LOOP, pattern_shared(h.word, left, WORD, false, ATOMIC_NONE));
    else
        reach_cost(warp, op, COST_FETCH, pattern_global(h.word, left, WORD, ATOMIC_NONE));
    while (left) {
        if (shared)
            reach_cost(warp, op, COST_SHARED, pattern_shared(h.word, left, WORD, true, ATOMIC_COMPARE));
        else
            reach_cost(warp, op, COST_GLOBAL, pattern_global(h.word, left, WORD, ATOMIC_COMPARE));
        left = go_round(warp, reach, loop, &h, left);
    }
}

// ---- either ----------------------------------------------------------------------------------------------------------

void loop_count(struct warp *warp, const struct op *op, const struct reach *reach, const struct loop *loop)
{
    uint32_t shared = lanes_in_shared(warp, op, reach->mask), others = reach->mask & ~shared;
    if (op->bytes == 2) {
        count_halves(warp, op, reach, loop, shared, true);
        count_halves(warp, op, reach, loop, others, false);
        return;
    }
    count_rounds(warp, op, reach, loop, loop->by_one ? shared & -shared : shared);
    if (others)
        reach_cost(
            warp, op, COST_GLOBAL,
            pattern_global(reach->at, loop->by_one ? others & -others : others, op->bytes, ATOMIC_TURNS));
}
