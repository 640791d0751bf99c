// Where values come from that were made of memory that nobody has written. In registers taints tell it
// (check_taint.c); of those that were stored to shared or local memory it is kept here, word by word, so that a finding
// tells of the first read and not of the last copy. All of it is over with the block.
#include "engine/sim/sanitize/check.h"

#include <string.h>

enum { WORD = 4, SLOTS_SHIFT = 16, MOST_STEPS = 16 };
struct kept {
    uint64_t word;
    struct origin origin;
    uint32_t block; // by number in the launch; another one's is a free slot
    uint32_t bytes; // of the word: those that this is the origin of
};
struct origins {
    uint32_t block;
    bool any, full; // of this block: something was kept, something found no room
    struct kept kept[1 << SLOTS_SHIFT];
};

void origins_start(struct checks *checks)
{
    if (!checks->origins)
        return;
    checks->origins->block++;
    checks->origins->any = checks->origins->full = false;
}

void origins_end(struct checks *checks)
{
    budget_give(&checks->machine->memory->budget, checks->origins);
}

// Local memory has a word of its own in every thread.
static uint64_t word_at(const struct warp *warp, enum ptx_space space, int lane, uint64_t offset)
{
    uint64_t thread = warp->index * LANES + (uint32_t)lane + 1;
    return (space == SPACE_LOCAL ? thread << 48 : 0) | offset / WORD;
}

// The word's slot, or a free one; NULL: there is no room near.
static struct kept *slot_of(struct origins *origins, uint64_t word)
{
    uint64_t at = (word * 0x9e3779b97f4a7c15ull) >> (64 - SLOTS_SHIFT);
    for (int step = 0; step < MOST_STEPS; step++) {
        struct kept *kept = &origins->kept[(at + (unsigned)step) & ((1u << SLOTS_SHIFT) - 1)];
        if (kept->block != origins->block || kept->word == word)
            return kept;
    }
    return NULL;
}

static struct kept *find(struct origins *origins, uint64_t word)
{
    struct kept *kept = origins && origins->any ? slot_of(origins, word) : NULL;
    return kept && kept->block == origins->block ? kept : NULL;
}

static void keep(struct origins *origins, uint64_t word, uint32_t bytes, const struct origin *origin)
{
    struct kept *kept = slot_of(origins, word);
    if (!kept) {
        origins->full = true;
        return;
    }
    uint32_t others = kept->block == origins->block ? kept->bytes : 0;
    *kept = (struct kept){ word, *origin, origins->block, others | bytes };
    origins->any = true;
}

// The bytes of the word at `at` that lie in front of `end`.
static uint32_t bytes_of_word(uint64_t at, uint64_t end)
{
    uint64_t from = at % WORD, to = end - at + from < WORD ? end - at + from : WORD;
    return (1u << to) - (1u << from);
}
#define EACH_WORD(at, from, end) for (uint64_t at = from; at < (end); at = (at / WORD + 1) * WORD)

void origin_keep(const struct seen *seen, int lane, unsigned from, unsigned bytes,
                 const struct origin *origin)
{
    struct checks *c = seen->checks;
    if (seen->allocation) {
        seen->range->copied = true;
        return;
    }
    if (!c->origins && !(c->origins = budget_take(budget_of(seen->warp), FOR_CHECKS, sizeof *c->origins)))
        return;
    if (c->origins->block == 0)
        c->origins->block = 1;
    uint64_t start = offset_of(seen, lane) + from;
    EACH_WORD(at, start, start + bytes)
    keep(c->origins, word_at(seen->warp, seen->touched->space, lane, at), bytes_of_word(at, start + bytes),
         origin);
}

// Of what a lane reads without anybody having given it a value: where that began, here or long before.
struct origin origin_of(const struct seen *seen, int lane, unsigned from, unsigned bytes)
{
    const struct touched *t = seen->touched;
    struct origins *origins = seen->allocation ? NULL : seen->checks->origins;
    uint64_t start = offset_of(seen, lane) + from;
    EACH_WORD(at, start, start + bytes)
    {
        const struct kept *kept = find(origins, word_at(seen->warp, t->space, lane, at));
        if (kept && kept->bytes & bytes_of_word(at, start + bytes))
            return kept->origin;
    }
    return (struct origin){ .op = t->op,
                            .address = t->address[lane] + from,
                            .thread = seen->warp->index * LANES + (uint32_t)lane,
                            .space = t->space,
                            .vague = seen->allocation ? seen->range->copied : origins && origins->full };
}

void origin_forget_local(const struct warp *warp, int lane, uint64_t from, uint64_t bytes)
{
    struct origins *origins = warp->checks->origins;
    if (!origins || !origins->any)
        return;
    EACH_WORD(at, from, from + bytes)
    {
        struct kept *kept = find(origins, word_at(warp, SPACE_LOCAL, lane, at));
        if (kept)
            kept->bytes &= ~bytes_of_word(at, from + bytes);
    }
}

// A taint is told of by a lane that read it itself, or else by another, that gave it the value.
const struct origin *origin_in(const struct warp *warp, const struct taint *taint, uint32_t lanes)
{
    const struct warp_checks *state = &warp->checks->warps[warp->index];
    const struct reading *reading = &state->readings[taint->reading % READINGS];
    if (taint->reading == 0 || reading->number != taint->reading)
        return &taint->origin;
    return &reading->origin[__builtin_ctz(lanes & reading->lanes ? lanes & reading->lanes : reading->lanes)];
}
