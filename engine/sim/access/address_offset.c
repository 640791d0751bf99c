// Lanes in one buffer, or in shared memory, that go where data say: no pattern is kept of them. Offsets of 32 bits tell whether
// all are valid, and what they cost.
#include "engine/sim/access/address.h"

#include <string.h>

// Whether this access is not looked at for a pattern: atomics never are.
INLINE bool has_no_pattern(struct warp *warp, const struct op *op)
{
    if (!op->pattern)
        return true;
    struct lane_pattern *p = &warp->patterns[op->pattern];
    if (p->changes <= OFTEN || (p->changes + 1) % SELDOM == 0)
        return false;
    p->changes++;
    p->known = 0;
    make_slow(p);
    return true;
}

// Whether offsets whose bits are collected in `bits`, and those of the limit less each of them in `over`, are aligned and not above
// the limit, which is below 2^31.
INLINE bool all_placed(uint64_t bits, uint32_t over, uint32_t bytes)
{
    return !((bits | over) >> 31 || bits & (bytes - 1u));
}

// Finds the offset of each lane from `start`, which for lanes that are off is `own`. False: some leaves the first `bytes` bytes,
// or is not aligned.
INLINE bool find_offsets(const struct warp *warp, const struct op *op, bool full, uint64_t start,
                         size_t bytes, uint32_t own, uint32_t offset[restrict LANES])
{
    const uint32_t limit = (uint32_t)(bytes - op->bytes), *restrict on = warp->lanes;
    uint32_t over = 0;
    if (!op->wide) {
        const uint32_t *restrict address = ROW32(warp, op->a), from = (uint32_t)(op->imm - start);
        uint32_t bits = 0;
        for (unsigned i = 0; i < LANES; i++) {
            const uint32_t at = address[i] + from;
            offset[i] = full ? at : (at & on[i]) | (own & ~on[i]);
            bits |= offset[i];
            over |= limit - offset[i];
        }
        return all_placed(bits, over, op->bytes);
    }
    const uint64_t *restrict address = ROW64(warp, op->a), from = op->imm - start;
    uint64_t bits = 0;
    for (unsigned i = 0; i < LANES; i++) {
        const uint64_t at = address[i] + from;
        bits |= full ? at : at & (uint64_t)(int64_t)(int32_t)on[i];
        offset[i] = full ? (uint32_t)at : ((uint32_t)at & on[i]) | (own & ~on[i]);
        over |= limit - offset[i];
    }
    return all_placed(bits, over, op->bytes);
}

static void place_lanes(uint64_t start, const uint32_t offset[LANES], uint64_t at[LANES])
{
    for (int i = 0; i < LANES; i++)
        at[i] = start + offset[i];
}

static __attribute__((noinline)) void sample_offsets(struct warp *warp, const struct op *op,
                                                     const struct access_request *ask, uint64_t start,
                                                     const uint32_t offset[LANES], unsigned passes)
{
    uint64_t at[LANES];
    place_lanes(start, offset, at);
    address_sample(warp, op, ask, at, warp->active, passes);
}

static __attribute__((noinline)) struct access_cost cost_placed(const struct warp *warp, const struct op *op,
                                                                enum atomic_cost atomic, uint64_t start,
                                                                const uint32_t offset[LANES])
{
    uint64_t at[LANES];
    place_lanes(start, offset, at);
    return cost_global(at, warp->active, op->bytes, atomic);
}

INLINE void count_offsets(struct warp *warp, const struct op *op, const struct access_request *ask,
                          uint64_t start, const uint32_t offset[LANES])
{
    struct access_cost cost;
    if (!cost_offsets(offset, warp->active, op->bytes, ask->atomic, &cost))
        cost = cost_placed(warp, op, ask->atomic, start, offset);
    cost_count(warp, op, COST_GLOBAL, cost);
    if (warp->sample)
        sample_offsets(warp, op, ask, start, offset, cost.passes);
}

INLINE void count_words(struct warp *warp, const struct op *op, enum atomic_cost atomic, size_t bytes,
                        const uint32_t offset[LANES])
{
    const bool equal_are_one = atomic == ATOMIC_NONE || atomic == ATOMIC_MERGED;
    const unsigned waves = cost_words(offset, warp->active, bytes, equal_are_one),
                   times = atomic == ATOMIC_COMPARE ? 2 : 1;
    cost_count(warp, op, COST_SHARED, (struct access_cost){ waves * times, times, waves - 1 });
}

static __attribute__((noinline)) void check_offsets(struct warp *warp, const struct op *op,
                                                    const struct access_request *ask, uint64_t start,
                                                    const uint32_t offset[LANES])
{
    uint64_t at[LANES];
    uint32_t low = offset[0], high = low;
    for (int i = 0; i < LANES; i++) {
        low = offset[i] < low ? offset[i] : low;
        high = offset[i] > high ? offset[i] : high;
    }
    place_lanes(start, offset, at);
    address_show_checks(warp, op, ask, (enum ptx_space)op->space, at, warp->active, SHAPE_SCATTERED,
                        start + low, high - low + op->bytes);
}

INLINE bool may_have_offsets(struct warp *warp, const struct op *op, const struct access_request *ask)
{
    return op->a && warp->patterns && warp->active && !ask->taken && !ask->by_one && !ask->uncounted &&
           ask->atomic != ATOMIC_CAS_LOOP && has_no_pattern(warp, op);
}

static uint64_t address_of_lane(const struct warp *warp, const struct op *op, int lane)
{
    return op->wide ? ROW64(warp, op->a)[lane] + op->imm
                    : (uint32_t)(ROW32(warp, op->a)[lane] + (uint32_t)op->imm);
}

// `full`: all lanes are active.
INLINE bool find_in_shared(struct warp *warp, const struct op *op, const struct access_request *ask,
                           bool full, struct lane_offsets *out)
{
    const struct block *block = warp->block;
    const size_t bytes = op->high < block->shared_bytes ? op->high : block->shared_bytes;
    if (op->low || op->bytes > BANK_BYTES || op->bytes > bytes || !may_have_offsets(warp, op, ask))
        return false;
    const uint32_t own = full ? 0 : (uint32_t)address_of_lane(warp, op, __builtin_ctz(warp->active));
    if (!find_offsets(warp, op, full, 0, bytes, own, out->of_lane))
        return false;
    out->base = block->shared;
    if (warp->tallies)
        count_words(warp, op, ask->atomic, bytes, out->of_lane);
    if (checks_are_on(warp))
        check_offsets(warp, op, ask, 0, out->of_lane);
    return true;
}

// In global memory, where a sample does not record the step. `start`: the address whose offset is 0.
static bool find_in_global(struct warp *warp, const struct op *op, const struct access_request *ask,
                           struct lane_offsets *out, uint64_t *start)
{
    if (!op->wide || is_recorded(warp) || !may_have_offsets(warp, op, ask))
        return false;
    const uint64_t first = address_of_lane(warp, op, __builtin_ctz(warp->active));
    const struct allocation *allocation = owner(warp, first, op->bytes);
    if (!allocation || allocation->heap || allocation->bytes > INT32_MAX ||
        (ask->write && allocation->constant))
        return false;
    *start = first >> OFFSET_BITS << OFFSET_BITS;
    const uint32_t own = (uint32_t)(first - *start);
    if (!(warp->active == FULL_MASK
              ? find_offsets(warp, op, true, *start, allocation->bytes, own, out->of_lane)
              : find_offsets(warp, op, false, *start, allocation->bytes, own, out->of_lane)))
        return false;
    out->base = (unsigned char *)(uintptr_t)(*start + host_delta(allocation, first));
    if (warp->tallies)
        count_offsets(warp, op, ask, *start, out->of_lane);
    if (checks_are_on(warp))
        check_offsets(warp, op, ask, *start, out->of_lane);
    return true;
}

INLINE bool find_in_buffer(struct warp *warp, const struct op *op, const struct access_request *ask,
                           struct lane_offsets *out, uint64_t *start)
{
    *start = 0;
    if (op->space == SPACE_SHARED)
        return warp->active == FULL_MASK ? find_in_shared(warp, op, ask, true, out)
                                         : find_in_shared(warp, op, ask, false, out);
    return op->space == SPACE_GLOBAL && find_in_global(warp, op, ask, out, start);
}

bool address_offsets(struct warp *warp, const struct op *op, const struct access_request *ask,
                     struct lane_offsets *out)
{
    uint64_t start;
    return find_in_buffer(warp, op, ask, out, &start);
}

bool address_resolve_offsets(struct warp *warp, const struct op *op, const struct access_request *ask,
                             struct lane_addresses *out)
{
    struct lane_offsets offsets;
    uint64_t start;
    if (!find_in_buffer(warp, op, ask, &offsets, &start))
        return false;
    place_lanes(start, offsets.of_lane, out->at);
    out->delta = (uint64_t)(uintptr_t)offsets.base - start;
    out->first = __builtin_ctz(warp->active);
    out->shape = SHAPE_SCATTERED;
    out->row_width = 0;
    out->from = out->at;
    out->mask = warp->active;
    return true;
}
