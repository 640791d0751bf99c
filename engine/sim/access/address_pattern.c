// The same pattern again. An instruction in a loop, or in the next warp, mostly accesses memory in the same pattern as before,
// somewhere else. So its lanes are compared with those of the last time, by their distances from lane 0, in one pass over the
// address row; the extent, the shape and the cost are then known.
#include "engine/sim/access/address.h"

#include <string.h>

static void keep_cost(const struct warp *warp, struct lane_pattern *p, uint64_t first,
                      struct access_cost cost)
{
    const unsigned index = p->space == SPACE_SHARED ? 0 : word_of_sector(first);
    if (p->skew != (first & 3))
        p->ended = 0;
    if (p->counted != warp->active || p->skew != (first & 3))
        p->costed = 0;
    p->counted = warp->active;
    p->skew = first & 3;
    p->costed |= (uint8_t)(1u << index);
    p->cost[index] =
        (struct cost){ p->space != SPACE_CONST || cost.passes, cost.passes, cost.ideal, cost.conflicts };
    if (p->space == SPACE_CONST) { // wherever it begins in a sector
        for (unsigned i = 0; i < SECTOR_BYTES / 4; i++)
            p->cost[i] = p->cost[index];
        p->costed = 0xff;
    }
}

// The distance of two lanes that meet in a bank; 0: no two do.
static unsigned meeting_distance(const uint64_t at[LANES])
{
    uint32_t before = 0;
    uint8_t last[BANKS];
    for (unsigned i = 0; i < LANES; i++) {
        const unsigned bank = (unsigned)(at[i] / BANK_BYTES % BANKS);
        if (before >> bank & 1)
            return i - last[bank];
        before |= 1u << bank;
        last[bank] = (uint8_t)i;
    }
    return 0;
}

// Words of shared memory that do not meet in a bank, or two by two at one distance of lanes: what some of the lanes cost
// follows from which are active.
static void pair_lanes(const struct warp *warp, const struct op *op, const uint64_t at[LANES],
                       struct lane_pattern *p)
{
    p->paired = false;
    if (!warp->tallies || p->space != SPACE_SHARED || op->bytes != BANK_BYTES)
        return;
    const bool meeting = cost_shared(at, FULL_MASK, op->bytes, false, ATOMIC_NONE).conflicts != 0;
    const unsigned apart = meeting ? meeting_distance(at) : 0;
    uint32_t banks = 0, meet = 0;
    for (unsigned i = 0; meeting && i < LANES; i++) {
        banks |= 1u << at[i] / BANK_BYTES % BANKS;
        if (i + apart < LANES && (at[i] ^ at[i + apart]) / BANK_BYTES % BANKS == 0) {
            meet |= 1u << i;
            if (at[i] == at[i + apart])
                return;
        }
    }
    if (meeting && (meet & meet >> apart || __builtin_popcount(banks) + __builtin_popcount(meet) != LANES))
        return;
    p->paired = true;
    p->rivals = meet;
    p->apart = (uint8_t)apart;
    p->costed = 3;
    p->cost[0] = (struct cost){ 1, 1, 1, 0 };
    p->cost[1] = (struct cost){ 1, 2, 1, 1 };
}

static void keep_distances(const struct warp *warp, const struct op *op, const uint64_t at[restrict LANES],
                           uint64_t first, struct lane_pattern *p)
{
    for (int i = 0; i < LANES; i++)
        p->away[i] = at[i] - first;
    p->kept = ++warp->patterns->kept;
    if (op->wide)
        return;
    const uint32_t *restrict address = ROW32(warp, op->a);
    for (int i = 0; i < LANES; i++)
        p->away_narrow[i] = address[i] - address[0];
}

// Where some lanes are not active, which often depends on data, the distances of all are kept if their addresses are valid.
static void widen_pattern(const struct warp *warp, const struct op *op, const struct access_request *ask,
                          const uint64_t at[LANES], uint64_t moved, struct lane_pattern *p)
{
    uint64_t low, length, bits = 0;
    for (int i = 0; i < LANES; i++)
        bits |= at[i];
    address_extent(at, &low, &length);
    if (bits & (op->bytes - 1u) || length >= 1ull << OFFSET_BITS ||
        !run_host(warp, op, (enum ptx_space)p->space, low - moved, length + op->bytes, ask->write))
        return;
    p->known = FULL_MASK;
    p->low = (int64_t)(low - at[0]);
    p->span = length + op->bytes;
    pair_lanes(warp, op, at, p);
}

static enum lane_form form_of(const struct lane_pattern *p)
{
    const bool same = p->away[1] == p->away[0];
    if (p->shape != SHAPE_SCATTERED)
        return p->shape == SHAPE_SAME ? FORM_SAME : FORM_ROW;
    switch (p->row_width) {
    case LANES / 2:
        return same ? FORM_HALVES_SAME : FORM_HALVES;
    case LANES / 4:
        return same ? FORM_QUARTERS_SAME : FORM_QUARTERS;
    default:
        return FORM_SCATTERED;
    }
}

// The heap's pieces are no allocations of their own, and blocks that run together have shared memory each.
static void make_quick(const struct warp *warp, const struct op *op, const struct access_request *ask,
                       uint64_t first, struct lane_pattern *p)
{
    const struct block *block = warp->block;
    if (op->space != p->space)
        return;
    p->noted = !warp->sample ? 0 : ask->write ? SAMPLE_STORED : SAMPLE_LOADED;
    p->sampled = NULL;
    p->sampled_bits = 0;
    if (p->space == SPACE_SHARED) {
        p->from = op->low;
        p->room = (op->high < block->shared_bytes ? op->high : block->shared_bytes) - p->from - p->span;
        p->delta = (uint64_t)(uintptr_t)block->shared;
        p->quick = block->machine->resident == 1;
        return;
    }
    const struct allocation *allocation = owner(warp, first + (uint64_t)p->low, p->span);
    if (!allocation || allocation->heap)
        return;
    p->delta = host_delta(allocation, first + (uint64_t)p->low);
    p->from = (uint64_t)(uintptr_t)allocation->host - p->delta;
    p->room = allocation->bytes - p->span;
    p->quick = true;
    if (op->fixed && p->space == SPACE_CONST) // which costs nothing
        p->noted = 0;
    if (!p->noted || p->space == SPACE_CONST || !p->whole || p->shape == SHAPE_SCATTERED)
        return;
    p->sampled = sample_known(warp->sample, first);
    p->sampled_alone = sample_is_alone(warp->sample);
    const bool one_sector = p->shape == SHAPE_SAME, one_line = p->span == SIM_LINE_BYTES;
    if (p->sampled && (one_sector || one_line))
        p->sampled_bits = (uint8_t)(p->noted * sample_sectors(0, p->span - 1));
}

static bool is_row(const uint64_t away[LANES], unsigned bytes)
{
    uint64_t unlike = 0;
    for (unsigned i = 0; i < LANES; i++)
        unlike |= away[i] ^ i * bytes;
    return !unlike;
}

static void quicken_pattern(const struct warp *warp, const struct op *op, const struct access_request *ask,
                            uint64_t first, struct lane_pattern *p)
{
    make_quick(warp, op, ask, first, p);
    p->meets = p->paired && FULL_MASK >> p->apart & p->rivals;
    p->in_row = p->known == FULL_MASK && is_row(p->away, op->bytes);
    if (p->quick && p->whole)
        *(warp->sample ? &p->sampled_form : &p->form) = (uint8_t)form_of(p);
}

void address_keep_pattern(struct warp *warp, const struct op *op, const struct access_request *ask,
                          enum ptx_space space, const struct lane_addresses *found, uint64_t low,
                          uint64_t span, struct access_cost cost)
{
    if (!warp->patterns || !op->pattern || ask->taken)
        return;
    struct lane_pattern *p = &warp->patterns[op->pattern];
    p->known = 0;
    make_slow(p);
    if (++p->changes > OFTEN && p->changes % SELDOM)
        return;
    uint64_t at[LANES];
    address_compute(warp, op, at);
    const uint64_t moved = at[found->first] - found->at[found->first];
    const uint64_t first = op->wide ? at[0] : narrow_first((uint32_t)at[0]);
    keep_distances(warp, op, at, first, p);
    p->known = warp->active;
    p->space = (uint8_t)space;
    p->whole = warp->active == FULL_MASK;
    p->shape = (uint8_t)found->shape;
    p->row_width = (uint8_t)found->row_width;
    p->low = (int64_t)(low + moved - first);
    p->span = span;
    p->paired = false;
    p->lines.active = 0;
    p->owned = OWNED_UNKNOWN;
    p->costed = p->ended = 0;
    keep_cost(warp, p, first, cost);
    if (p->whole)
        pair_lanes(warp, op, at, p);
    else
        widen_pattern(warp, op, ask, at, moved, p);
    if (!checks_are_on(warp) || space == SPACE_CONST)
        quicken_pattern(warp, op, ask, first, p);
}

// Finds the last lane of each sector, where lane 0 is at `first`. Lanes that are not known go with the one before them.
static void find_ends(struct lane_pattern *p, uint64_t first)
{
    const unsigned word = word_of_sector(first);
    uint64_t at[LANES], last = first + p->away[__builtin_ctz(p->known)];
    uint32_t ends = 1u << (LANES - 1);
    for (int i = 0; i < LANES; i++) {
        const uint64_t here = p->known >> i & 1 ? first + p->away[i] : last;
        if (i && (here ^ last) >= SECTOR_BYTES)
            ends |= 1u << (i - 1);
        at[i] = last = here;
    }
    const bool apart =
        cost_global(at, FULL_MASK, 1, ATOMIC_NONE).passes == (unsigned)__builtin_popcount(ends);
    p->ended |= (uint8_t)(1u << word);
    p->ends[word] = apart ? ends : 0;
}

static __attribute__((noinline)) struct access_cost count_anew(const struct warp *warp, const struct op *op,
                                                               const struct access_request *ask,
                                                               struct lane_pattern *p, uint64_t first,
                                                               enum lane_shape shape)
{
    const enum ptx_space space = (enum ptx_space)p->space;
    struct access_cost cost;
    if (shape != SHAPE_SCATTERED) {
        cost = address_shape_cost(op, space, first, shape, ask->write);
    } else {
        uint64_t at[LANES];
        address_compute(warp, op, at);
        cost = space == SPACE_SHARED  ? cost_shared(at, warp->active, op->bytes, ask->write, ATOMIC_NONE)
               : space == SPACE_CONST ? cost_of_constants(cost_constant(at, warp->active, 0))
                                      : cost_global(at, warp->active, op->bytes, ATOMIC_NONE);
    }
    keep_cost(warp, p, first, cost);
    if (shape == SHAPE_SCATTERED && op->wide && space == SPACE_GLOBAL &&
        !(p->ended >> word_of_sector(first) & 1))
        find_ends(p, first);
    return cost;
}

INLINE void count_again(struct warp *warp, const struct op *op, const struct access_request *ask,
                        struct lane_pattern *p, uint64_t first, enum lane_shape shape)
{
    const enum ptx_space space = (enum ptx_space)p->space;
    const uint32_t active = warp->active;
    cost_row cost;
    if (!pattern_cost(p, active, first, op->bytes, &cost)) {
        const struct access_cost now = count_anew(warp, op, ask, p, first, shape);
        cost = (cost_row){ 1, now.passes, now.ideal, now.conflicts };
    }
    struct cost *sum = &warp->tallies[op->tally].cost[space == SPACE_SHARED ? COST_SHARED : COST_GLOBAL];
    *(cost_row *)sum += cost;
    if (warp->recorder && space == SPACE_SHARED)
        sample_passes(warp, (unsigned)cost[1]);
    else if (is_recorded(warp) && space == SPACE_CONST)
        address_sample_constants(warp, p, first, (unsigned)cost[1]);
}

static __attribute__((noinline)) void note_lines_anew(struct warp *warp, const struct op *op,
                                                      struct lane_pattern *p, uint64_t first, unsigned kind)
{
    const uint32_t active = warp->active;
    const bool full = active == FULL_MASK, recorded = is_recorded(warp);
    uint64_t at[LANES];
    for (int i = 0; i < LANES; i++)
        at[i] = first + p->away[i];
    if (!full)
        keep_active(warp, at[__builtin_ctz(active)], at);
    if (!recorded) {
        sample_lines(warp, &p->lines, at, first, kind);
        return;
    }
    address_sample_lanes(warp, at, active, op->bytes, kind);
    if (!full || !p->row_width || kind == SAMPLE_LOADED)
        sample_waves(warp, cost_shared(at, active, op->bytes, false, ATOMIC_NONE).passes);
}

// Tells the sample of an access to global memory in the pattern of the last one.
static __attribute__((noinline)) void note_lines(struct warp *warp, const struct op *op,
                                                 struct lane_pattern *p, uint64_t first, unsigned kind)
{
    if (warp->active == FULL_MASK && p->shape != SHAPE_SCATTERED)
        sample_run(warp, first, p->shape == SHAPE_ROW ? LANES * op->bytes : op->bytes, kind == SAMPLE_STORED);
    else if (is_recorded(warp) || !sample_lines_again(warp, &p->lines, first, kind))
        note_lines_anew(warp, op, p, first, kind);
}

void address_note(struct warp *warp, const struct op *op, struct lane_pattern *p, uint64_t first,
                  unsigned passes)
{
    if (p->space == SPACE_SHARED)
        sample_passes(warp, passes);
    else if (p->space == SPACE_CONST && is_recorded(warp))
        address_sample_constants(warp, p, first, passes);
    else if (p->space != SPACE_CONST)
        note_lines(warp, op, p, first, p->noted);
}

void address_check(struct warp *warp, const struct op *op, const struct access_request *ask,
                   const struct lane_pattern *p, uint64_t first, uint64_t low)
{
    const bool full = warp->active == FULL_MASK;
    uint64_t at[LANES], length = p->span - op->bytes;
    for (int i = 0; i < LANES; i++)
        at[i] = first + p->away[i];
    if (!full)
        keep_active(warp, at[__builtin_ctz(warp->active)], at);
    if (warp->active != p->known)
        address_extent(at, &low, &length);
    address_show_checks(warp, op, ask, (enum ptx_space)p->space, at, warp->active,
                        full ? (enum lane_shape)p->shape : SHAPE_SCATTERED, low, length + op->bytes);
}

void address_own(struct lane_pattern *p, const struct op *op)
{
    struct lane_words *words = &p->words;
    uint64_t seen[(UINT16_MAX + 1) / 64];
    p->owned = OWNED_OTHERWISE;
    if (op->bytes != 4 || p->span > 4 * UINT16_MAX)
        return;
    *words = (struct lane_words){ .count = (unsigned)p->span / 4 };
    memset(seen, 0, (words->count + 63) / 64 * sizeof *seen);
    for (uint32_t left = p->known; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(left);
        const uint64_t from_lowest = p->away[lane] - (uint64_t)p->low;
        const uint64_t word = from_lowest / 4;
        if (from_lowest % 4 || seen[word / 64] >> word % 64 & 1)
            return;
        seen[word / 64] |= 1ull << word % 64;
        words->word[lane] = (uint16_t)word;
        if (words->count <= NEAR_WORDS)
            words->lane_of[word] = (uint16_t)(lane + 1);
    }
    p->owned = OWNED_APART;
}

// What more is to be done with the access; its lowest lane is at `low`, `moved` below the address in the register.
static __attribute__((noinline)) void note_again(struct warp *warp, const struct op *op,
                                                 const struct access_request *ask, struct lane_pattern *p,
                                                 uint64_t first, uint64_t low, uint64_t moved,
                                                 struct lane_addresses *out)
{
    const enum ptx_space space = (enum ptx_space)p->space;
    uint64_t length = p->span - op->bytes;
    if (warp->sample && space != SPACE_SHARED)
        note_lines(warp, op, p, first, ask->write ? SAMPLE_STORED : SAMPLE_LOADED);
    if (!checks_are_on(warp))
        return;
    address_compute(warp, op, out->at);
    if (warp->active != FULL_MASK)
        keep_active(warp, out->at[out->first], out->at);
    for (int i = 0; moved && i < LANES; i++)
        out->at[i] -= moved;
    if (warp->active != p->known)
        address_extent(out->at, &low, &length);
    address_show_checks(warp, op, ask, space, out->at, warp->active, out->shape, low, length + op->bytes);
}

bool address_find_again(struct warp *warp, const struct op *op, const struct access_request *ask,
                        struct lane_addresses *out)
{
    struct lane_pattern *p = &warp->patterns[op->pattern];
    uint64_t first;
    if (!warp->active || warp->active & ~p->known || !pattern_repeats(warp, op, p, &first))
        return false;
    const bool full = warp->active == FULL_MASK;
    const enum lane_shape shape = full ? (enum lane_shape)p->shape : SHAPE_SCATTERED;
    const uint64_t start = first + (uint64_t)p->low;
    uint64_t low = start;
    const enum ptx_space space = resolve(warp, op, &low);
    if (space != p->space || (full && !p->whole) || low & (op->bytes - 1u))
        return false;
    const uint64_t host = run_host(warp, op, space, low, p->span, ask->write);
    if (!host)
        return false;
    p->changes = 0;
    out->shape = shape;
    out->row_width = full ? p->row_width : 0;
    out->mask = warp->active;
    out->first = __builtin_ctz(warp->active);
    if (warp->tallies && !ask->uncounted && !(op->fixed && space == SPACE_CONST))
        count_again(warp, op, ask, p, first, shape);
    if (space != SPACE_CONST) {
        const bool checks = checks_are_on(warp);
        const bool covered = checks && !ask->write && pattern_is_covered(warp, op, p, low);
        if (warp->sample || (checks && !covered))
            note_again(warp, op, ask, p, first, low, start - low, out);
        if (checks && !p->quick)
            quicken_pattern(warp, op, ask, first, p);
    }
    out->from = p->away;
    out->delta = host + (first - start);
    return true;
}
