// Patterns: where the lanes of a load or store were, of which the next one of its instruction mostly repeats the distances. What
// is done for those that do is inline.
#ifndef WARPBOOK_SIM_PATTERN_H
#define WARPBOOK_SIM_PATTERN_H

#include "engine/sim/access/access.h"

#if LANES_BUILD
#define address_note BUILD_NAME(address_note)
#define address_check BUILD_NAME(address_check)
#define address_own BUILD_NAME(address_own)
#endif

// How a full warp's words lie, each lane's in its place, where no check looks at them (words.h): halves are rows of 16 lanes,
// quarters of 8, each consecutive or at one address.
enum lane_form {
    FORM_NONE, // one does, or it is another access
    FORM_SAME,
    FORM_ROW,
    FORM_HALVES,
    FORM_HALVES_SAME,
    FORM_QUARTERS,
    FORM_QUARTERS_SAME,
    FORM_SCATTERED
};
// What a load or store leaves for the next one of its instruction on the same host thread: where its lanes were, and what
// follows from the distances between them.
// Whether the lanes have words of shared memory, each another one.
enum lane_owned { OWNED_UNKNOWN, OWNED_APART, OWNED_OTHERWISE };
struct lane_pattern {
    uint64_t away[LANES];        // distances from lane 0's address
    uint32_t away_narrow[LANES]; // their lower halves, where the address row has 32 bits
    uint64_t kept;  // numbers these distances: equal numbers mean equal distances; [0] has the last one given
    uint32_t known; // lanes whose distances these are; 0: nothing is kept
    uint8_t space;  // enum ptx_space, resolved
    bool whole;     // all lanes were active; only then:
    uint8_t shape;  // enum lane_shape
    uint8_t row_width; // as in struct lane_addresses
    int64_t low;       // the lowest of these lanes, from lane 0
    uint64_t span;     // from there to the end of the highest one's bytes
    // What it costs when the lanes of `counted` are active, by the word of its sector in which lane 0's address begins, as far as
    // the bits of `costed` say. `skew`: the lowest two bits of that address.
    struct cost cost[SECTOR_BYTES / 4];
    uint32_t counted;
    uint8_t costed, skew;
    // Global memory: the last lane of each sector, by the same word, as far as the bits of `ended` say, where no lane comes back
    // to a sector; else 0. Then the active lanes cost as many sectors as have some of them.
    uint8_t ended;
    uint32_t ends[SECTOR_BYTES / 4];
    // `paired`: any lanes may be active. Words of shared memory meet in a bank only in lanes of `rivals` and those `apart` above
    // them; cost[1] is that of lanes among which two meet.
    bool paired;
    uint8_t apart;
    uint32_t rivals;
    uint8_t changes; // how often in a row another pattern followed
    // `quick`: nothing but the counters, if they, and the checks look at the access. The lowest lane may be at
    // `from` and up to `room` bytes above; the host has it `delta` above.
    bool quick;
    uint8_t noted; // of `quick`: a sample notes it, as loaded or as stored; 0: none does
    uint8_t form;  // enum lane_form; where a sample notes accesses, it has that form for itself
    uint8_t sampled_form;
    uint8_t meets; // of shared memory: which of `cost` is a full warp's
    bool in_row;   // of `quick`: all lanes are known, and are at consecutive elements
    // Of a run of bytes that a sample notes: what it knows of the allocation, NULL: it is none; and what it would note of a
    // run that begins with a line, 0: that follows from more.
    unsigned char *sampled;
    uint8_t sampled_bits;
    bool sampled_alone; // by one host thread
    uint64_t from, room, delta;
    struct sample_lines lines; // of global memory, for a sample
    uint8_t owned;             // enum lane_owned
    struct lane_words words;   // of OWNED_APART
};
typedef uint64_t cost_row __attribute__((vector_size(32), aligned(8), may_alias));
_Static_assert(sizeof(struct cost) == sizeof(cost_row), "a cost is added as one vector");

// ---- what it costs ----

// How many of the runs of lanes that end at the bits of `ends` have a lane of `active`: with ones from its start to the
// lane before its end, each such run carries into its end.
INLINE unsigned runs_of(uint32_t active, uint32_t ends)
{
    return (unsigned)__builtin_popcount((((active & ~ends) + ~ends) | active) & ends);
}
INLINE unsigned word_of_sector(uint64_t address)
{
    return (unsigned)address % SECTOR_BYTES / 4;
}
// What the active lanes cost, each with so many bytes; false: it is not known yet.
INLINE bool pattern_cost(const struct lane_pattern *p, uint32_t active, uint64_t first, unsigned bytes,
                         cost_row *out)
{
    const unsigned word = word_of_sector(first);
    const unsigned index = p->paired                  ? (active & active >> p->apart & p->rivals) != 0
                           : p->space == SPACE_SHARED ? 0
                                                      : word;
    if ((first & 3) != p->skew)
        return false;
    if ((p->paired || p->counted == active) && p->costed >> index & 1) {
        *out = *(const cost_row *)&p->cost[index];
        return true;
    }
    if (!(p->ended >> word & 1) || !p->ends[word])
        return false;
    const unsigned sectors = runs_of(active, p->ends[word]);
    const unsigned ideal = ((unsigned)__builtin_popcount(active) * bytes + SECTOR_BYTES - 1) / SECTOR_BYTES;
    *out = (cost_row){ 1, sectors, sectors < ideal ? sectors : ideal, 0 };
    return true;
}

// ---- address_pattern.c ----

// Tells the sample of an access that was resolved quickly; `first`: lane 0's address, `passes`: as it was counted.
void address_note(struct warp *warp, const struct op *op, struct lane_pattern *p, uint64_t first,
                  unsigned passes);
// Shows the checks an access that repeats a pattern; `first`: lane 0's address, `low`: that of the pattern's lowest lane.
void address_check(struct warp *warp, const struct op *op, const struct access_request *ask,
                   const struct lane_pattern *p, uint64_t first, uint64_t low);
// Finds p->owned, and p->words.
void address_own(struct lane_pattern *p, const struct op *op);

// ---- whether it repeats ----

INLINE bool all_repeat_wide(const uint64_t *address, const uint64_t *away, uint64_t base)
{
    uint64_t unlike = 0;
    UNROLLED
    for (int i = 0; i < LANES; i++)
        unlike |= address[i] ^ (base + away[i]);
    return !unlike;
}
// Only the active lanes count.
INLINE bool some_repeat_wide(const uint64_t *address, const uint64_t *away, uint64_t base, const uint32_t *on)
{
    uint64_t unlike = 0;
    for (int i = 0; i < LANES; i++)
        unlike |= (address[i] ^ (base + away[i])) & (uint64_t)(int64_t)(int32_t)on[i];
    return !unlike;
}

// Whether the checks have nothing to do at a read in this pattern; its lowest lane is at `low`. In global memory some of the
// lanes are no less.
INLINE bool pattern_is_covered(struct warp *warp, const struct op *op, const struct lane_pattern *p,
                               uint64_t low)
{
    return (p->space == SPACE_GLOBAL || warp->active == p->known) &&
           checks_read_is_covered(warp, op, (enum ptx_space)p->space, low, p->span, NULL);
}

// Whether what the checks have to do at an access in this pattern is done; its lowest lane is at `low`.
INLINE bool pattern_is_settled(struct warp *warp, const struct op *op, bool write, struct lane_pattern *p,
                               uint64_t low)
{
    if (!write && pattern_is_covered(warp, op, p, low))
        return true;
    if (p->space != SPACE_SHARED)
        return false;
    if (p->owned == OWNED_UNKNOWN)
        address_own(p, op);
    return p->owned == OWNED_APART &&
           owners_settle(warp, op, write, low, &p->words, warp->active == p->known);
}

INLINE bool all_repeat_narrow(const uint32_t *address, const uint32_t *away, uint32_t base)
{
    uint32_t unlike = 0;
    for (int i = 0; i < LANES; i++)
        unlike |= address[i] ^ (base + away[i]);
    return !unlike;
}
INLINE bool some_repeat_narrow(const uint32_t *address, const uint32_t *away, uint32_t base,
                               const uint32_t *on)
{
    uint32_t unlike = 0;
    for (int i = 0; i < LANES; i++)
        unlike |= (address[i] ^ (base + away[i])) & on[i];
    return !unlike;
}
// Lane 0's address in a narrow row. Where lane 0 is not active, it may be below the start of shared memory.
INLINE uint64_t narrow_first(uint32_t address)
{
    return (uint64_t)(int64_t)(int32_t)address;
}
// Whether the active lanes, which the pattern knows, have its distances; `first`: lane 0's address, or where it would be.
INLINE bool pattern_repeats(const struct warp *warp, const struct op *op, const struct lane_pattern *p,
                            uint64_t *first)
{
    const uint32_t *on = warp->lanes;
    const int lane = __builtin_ctz(warp->active);
    const bool full = warp->active == FULL_MASK;
    if (op->wide) {
        const uint64_t *address = ROW64(warp, op->a), base = address[lane] - p->away[lane];
        *first = base + op->imm;
        return full ? all_repeat_wide(address, p->away, base) : some_repeat_wide(address, p->away, base, on);
    }
    const uint32_t *address = ROW32(warp, op->a), base = address[lane] - p->away_narrow[lane];
    *first = narrow_first(base + (uint32_t)op->imm);
    return full ? all_repeat_narrow(address, p->away_narrow, base)
                : some_repeat_narrow(address, p->away_narrow, base, on);
}

// Whether the address is one for all lanes, or the active ones took part when the first access of the basic block by this
// register was found to have these very distances. Lane 0's address is then known from any of them.
INLINE bool pattern_was_seen(const struct warp *warp, const struct op *op, const struct lane_pattern *p,
                             uint64_t *first)
{
    const int lane = __builtin_ctz(warp->active);
    if (!op->fixed) {
        if (!op->alike)
            return false;
        const struct seen_distances *seen = &warp->seen[op->seen - 1];
        if (p->kept != seen->kept || warp->active & ~seen->lanes)
            return false;
    }
    *first = op->wide ? ROW64(warp, op->a)[lane] - p->away[lane] + op->imm
                      : narrow_first(ROW32(warp, op->a)[lane] - p->away_narrow[lane] + (uint32_t)op->imm);
    return true;
}
// The pattern repeats: the first access by its register leaves that for the others, and these learn that theirs is equal.
INLINE void pattern_see(struct warp *warp, const struct op *op, struct lane_pattern *p)
{
    struct seen_distances *seen = &warp->seen[op->seen - 1];
    const struct lane_pattern *like = &warp->patterns[op->alike];
    if (!op->alike)
        *seen = (struct seen_distances){ p->kept, warp->active };
    else if (like->kept == seen->kept && !(warp->active & ~seen->lanes) &&
             all_repeat_wide(like->away, p->away, 0))
        p->kept = like->kept;
}
INLINE bool pattern_follows(struct warp *warp, const struct op *op, struct lane_pattern *p, uint64_t *first)
{
    if (pattern_was_seen(warp, op, p, first))
        return true;
    if (!pattern_repeats(warp, op, p, first))
        return false;
    if (op->seen)
        pattern_see(warp, op, p);
    return true;
}

// Whether a sample, which notes the pattern, has to be told of the access: to record it, or because it does not know all that
// it touches.
INLINE bool pattern_is_news(const struct warp *warp, struct lane_pattern *p, uint64_t first)
{
    if (sample_is_told(warp, p->noted))
        return true;
    if (p->sampled && warp->active == FULL_MASK)
        return !sample_run_known(p->sampled, first, p->span, p->noted, p->sampled_bits);
    return p->space == SPACE_GLOBAL && !sample_lines_known(warp, &p->lines, first);
}

// Whether the access is in the pattern of the last one; then it is counted and checked, and lane 0 is, or would be, at `first`.
INLINE bool resolve_quickly(struct warp *warp, const struct op *op, bool checked,
                            const struct access_request *ask, uint64_t *first)
{
    struct lane_pattern *p = &warp->patterns[op->pattern];
    const uint32_t active = warp->active;
    if (!p->quick || !active || active & ~p->known || (active == FULL_MASK && !p->whole) ||
        !pattern_follows(warp, op, p, first))
        return false;
    const uint64_t low = *first + (uint64_t)p->low;
    if (low - p->from > p->room || low & (op->bytes - 1u))
        return false;
    if (warp->tallies) {
        cost_row cost;
        if (!pattern_cost(p, active, *first, op->bytes, &cost))
            return false;
        struct cost *sum =
            &warp->tallies[op->tally].cost[p->space == SPACE_SHARED ? COST_SHARED : COST_GLOBAL];
        *(cost_row *)sum += cost;
        if (p->noted && pattern_is_news(warp, p, *first))
            address_note(warp, op, p, *first, (unsigned)cost[1]);
    }
    if (checked && p->space != SPACE_CONST && !pattern_is_settled(warp, op, ask->write, p, low))
        address_check(warp, op, ask, p, *first, low);
    return true;
}
// The usual load or store, in the pattern of the last one; false: address_resolve is to be asked. `checked`: the checks are on.
INLINE bool pattern_serves(struct warp *warp, const struct op *op, bool checked,
                           const struct access_request *ask, uint64_t *first)
{
    if (warp->patterns && resolve_quickly(warp, op, checked, ask, first))
        return true;
    if (op->seen && !op->alike)
        warp->seen[op->seen - 1].kept = 0;
    return false;
}
INLINE void pattern_reach(const struct lane_pattern *p, uint32_t active, uint64_t first,
                          struct lane_addresses *out)
{
    const bool full = active == FULL_MASK;
    out->from = p->away;
    out->delta = p->delta + first;
    out->mask = active;
    out->first = __builtin_ctz(active);
    out->shape = full ? (enum lane_shape)p->shape : SHAPE_SCATTERED;
    out->row_width = full ? p->row_width : 0;
}
INLINE bool address_resolve_quickly(struct warp *warp, const struct op *op, bool checked,
                                    const struct access_request *ask, struct lane_addresses *out)
{
    uint64_t first;
    if (!pattern_serves(warp, op, checked, ask, &first))
        return false;
    pattern_reach(&warp->patterns[op->pattern], warp->active, first, out);
    return true;
}

#endif
