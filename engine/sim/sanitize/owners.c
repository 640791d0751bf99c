// Who touches what in shared memory between two barriers of the whole block, for a launch that guesses that no two threads
// meet there (guess.c): while each granule has one thread that touches it, or is only read, or only updated by atomics,
// nothing can race and nothing is recorded.
#include "engine/sim/sanitize/checks.h"

#include <string.h>

// What has touched a granule. The number of a thread, from 1 on, is that of the only one; WRITTEN goes with it.
enum word_owner {
    NUMBER = 0x07ff,
    SEVERAL_WROTE = NUMBER, // lanes of one instruction
    SEVERAL_READ = 0x0800,
    BY_ATOMICS = 0x1000,
    WRITTEN = 0x8000
};
_Static_assert(MAX_WARPS *LANES < SEVERAL_WROTE, "threads of a block have numbers");

struct owners {
    int32_t began; // checks.ordered
    unsigned shift;
    size_t low, high, count; // granules touched since then: from `low` to before `high`
    uint16_t cell[];
};

void owners_start(struct checks *c)
{
    const struct shadow *shared = &c->shared;
    if (c->owners || !shared->bytes || !(c->guesses & GUESS_OWN))
        return;
    const size_t count = (shared->bytes >> shared->shift) + 1;
    c->owners = budget_spare(shared->budget, FOR_CHECKS, sizeof *c->owners + count * sizeof *c->owners->cell);
    if (c->owners)
        *c->owners = (struct owners){ .shift = shared->shift, .low = count, .count = count };
}

void owners_end(struct checks *c)
{
    budget_give(c->shared.budget, c->owners);
    c->owners = NULL;
}

// The granules of these bytes are to be touched.
static struct owners *owners_of(const struct access *access, uint64_t low, uint64_t bytes)
{
    struct owners *o = access->checks->owners;
    if (!o || o->shift != access->range->shift)
        return NULL;
    const size_t first = low >> o->shift, end = ((low + bytes - 1) >> o->shift) + 1;
    if (end > o->count)
        return NULL;
    if (o->began != access->checks->ordered) {
        if (o->low < o->high)
            memset(o->cell + o->low, 0, (o->high - o->low) * sizeof *o->cell);
        o->began = access->checks->ordered;
        o->low = o->count;
        o->high = 0;
    }
    o->low = first < o->low ? first : o->low;
    o->high = end > o->high ? end : o->high;
    return o;
}

// ---- lanes in a row, a granule each --------------------------------------------------------------------------

static bool read_row(uint16_t *restrict cell, uint16_t first)
{
    uint16_t bad = 0;
    for (unsigned i = 0; i < LANES; i++) {
        const uint16_t now = cell[i], mine = (uint16_t)(first + i);
        const uint16_t other = (uint16_t)((now & NUMBER) ^ mine);
        bad |= other ? now & (WRITTEN | BY_ATOMICS) : 0;
        cell[i] = now == 0 ? mine : other ? SEVERAL_READ : now;
    }
    return !bad;
}

static bool write_row(uint16_t *restrict cell, uint16_t first)
{
    uint16_t bad = 0;
    for (unsigned i = 0; i < LANES; i++) {
        const uint16_t now = cell[i], mine = (uint16_t)(first + i);
        bad |= now ? (now & (uint16_t)~WRITTEN) ^ mine : 0;
        cell[i] = mine | WRITTEN;
    }
    return !bad;
}

// ---- other lanes ------------------------------------------------------------------------------------------------

// `each`: granules of a lane.
INLINE bool read_lanes(const struct access *access, uint16_t *cell, unsigned each)
{
    const unsigned shift = access->range->shift, thread = access->warp->index * LANES + 1;
    unsigned bad = 0;
    for (uint32_t left = access->mask; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(left), mine = thread + lane;
        uint16_t *at = cell + (offset_of(access, (int)lane) >> shift);
        for (unsigned k = 0; k < each; k++) {
            const unsigned now = at[k], other = (now & NUMBER) ^ mine;
            bad |= other ? now & (WRITTEN | BY_ATOMICS) : 0;
            at[k] = (uint16_t)(now == 0 ? mine : other ? SEVERAL_READ : now);
        }
    }
    return !bad;
}

// Lanes are compared before they write, since they may meet each other: the values that they write are compared in race.c.
INLINE enum owners_verdict write_lanes(const struct access *access, uint16_t *cell, unsigned each)
{
    const unsigned shift = access->range->shift, thread = access->warp->index * LANES + 1;
    unsigned bad = 0, met = 0;
    for (uint32_t left = access->mask; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(left), mine = thread + lane;
        const uint16_t *at = cell + (offset_of(access, (int)lane) >> shift);
        for (unsigned k = 0; k < each; k++)
            bad |= at[k] ? (at[k] & (unsigned)~WRITTEN) ^ mine : 0;
    }
    for (uint32_t left = access->mask; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(left), mine = thread + lane;
        uint16_t *at = cell + (offset_of(access, (int)lane) >> shift);
        for (unsigned k = 0; k < each; k++) {
            const unsigned other = at[k] ? (at[k] & NUMBER) ^ mine : 0;
            met |= other;
            at[k] = (uint16_t)((other ? SEVERAL_WROTE : mine) | WRITTEN);
        }
    }
    return bad ? OWNERS_CLASH : met ? OWNERS_MEET : OWNERS_APART;
}

static bool update_lanes(const struct access *access, uint16_t *cell, unsigned each)
{
    unsigned bad = 0;
    for (uint32_t left = access->mask; left; left &= left - 1) {
        uint16_t *at = cell + (offset_of(access, __builtin_ctz(left)) >> access->range->shift);
        for (unsigned k = 0; k < each; k++) {
            bad |= at[k] & ~BY_ATOMICS;
            at[k] = BY_ATOMICS;
        }
    }
    return !bad;
}

enum owners_verdict owners_note(const struct access *access, uint64_t low, uint64_t bytes, enum touch how)
{
    struct owners *o = owners_of(access, low, bytes);
    bool fits = false;
    if (!o)
        return OWNERS_CLASH;
    const unsigned each = access->touched->bytes >> access->range->shift;
    if (how == TOUCH_ATOMIC) {
        fits = update_lanes(access, o->cell, each);
    } else if (access->straight && each == 1) {
        uint16_t *cells = o->cell + (offset_of(access, 0) >> access->range->shift);
        const uint16_t first = (uint16_t)(access->warp->index * LANES + 1);
        fits = how == TOUCH_READ ? read_row(cells, first) : write_row(cells, first);
    } else if (how == TOUCH_READ) {
        fits = each == 1 ? read_lanes(access, o->cell, 1) : read_lanes(access, o->cell, each);
    } else {
        return each == 1 ? write_lanes(access, o->cell, 1) : write_lanes(access, o->cell, each);
    }
    return fits ? OWNERS_APART : OWNERS_CLASH;
}
