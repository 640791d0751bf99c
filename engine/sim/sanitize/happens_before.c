// Which accesses are over for whom. Order comes from barriers of the block and of the warp; between the blocks of a
// launch there is none, whatever order they run in here, but for one case: a block writes, makes a fence and says so
// with an atomic or a volatile access, and another one hears of it in the same way before it reads. Warps of a block
// tell each other in this way too, and so do lanes of a warp.
#include "engine/sim/sanitize/checks.h"

#include <string.h>

// ---- barriers and fences --------------------------------------------------------------------------------------

int32_t check_segment(struct warp *warp)
{
    struct warp_checks *state = &warp->checks->warps[warp->index];
    if (state->segment == 0)
        state->segment = (int32_t)++ * warp->checks->segments;
    return state->segment;
}

static uint32_t running_warps(const struct block *block)
{
    uint32_t warps = 0;
    for (uint32_t w = 0; w < block->warp_count; w++)
        if (block->warps[w].state != WARP_DONE)
            warps |= 1u << w;
    return warps;
}

// Some warps met: each knows from now on what any of them knew, and what each of them did. Those that only arrived
// told what they had done, and learn nothing.
static void meet(struct block *block, uint32_t warps, const int32_t *told)
{
    struct checks *c = block->machine->checks;
    int32_t next = (int32_t)*c->segments + 1, known[MAX_WARPS];
    memcpy(known, told, sizeof known);
    for (uint32_t w = 0; w < block->warp_count; w++) {
        if (!(warps >> w & 1))
            continue;
        for (uint32_t v = 0; v < block->warp_count; v++)
            if (c->warps[w].before[v] > known[v])
                known[v] = c->warps[w].before[v];
        known[w] = next;
    }
    for (uint32_t w = 0; w < block->warp_count; w++)
        if (warps >> w & 1) {
            memcpy(c->warps[w].before, known, sizeof known);
            c->warps[w].segment = 0;
            c->warps[w].since = next;
        }
}

void check_arrive(struct warp *warp, int id)
{
    struct checks *c = warp->checks;
    struct warp_checks *state = &c->warps[warp->index];
    for (uint32_t v = 0; v < warp->block->warp_count; v++)
        if (state->before[v] > c->told[id][v])
            c->told[id][v] = state->before[v];
    c->told[id][warp->index] = (int32_t)*c->segments + 1;
    state->segment = 0;
}

void check_barrier(struct block *block, int id, uint32_t warps)
{
    struct checks *c = block->machine->checks;
    if (!c)
        return;
    uint32_t running = running_warps(block);
    if ((warps & running) != running) {
        meet(block, warps, c->told[id]);
        memset(c->told[id], 0, sizeof c->told[id]);
        return;
    }
    memset(c->told[id], 0, sizeof c->told[id]);
    c->ordered = (int32_t)*c->segments + 1;
    for (uint32_t w = 0; w < block->warp_count; w++)
        c->warps[w].segment = 0;
}

void check_warp_sync(struct warp *warp, uint32_t lanes)
{
    if (!warp->checks)
        return;
    struct warp_checks *state = &warp->checks->warps[warp->index];
    int32_t next = (int32_t)*warp->checks->segments + 1;
    state->segment = 0;
    if ((lanes & warp->live) == warp->live) {
        state->since = next;
        state->partial_count = 0;
        return;
    }
    unsigned at = 0;
    while (at < state->partial_count && state->partial[at].lanes != lanes)
        at++;
    if (at == state->partial_count) // the oldest gives way
        at = state->partial_count < PARTIAL_SYNCS ? state->partial_count++ : (unsigned)next % PARTIAL_SYNCS;
    state->partial[at] = (struct partial_sync){ lanes, next };
}

// What follows is a segment of its own, so that the fence has an end.
void check_fence(struct warp *warp, bool wide)
{
    if (!warp->checks)
        return;
    struct checks *c = warp->checks;
    if (wide)
        c->fenced = (int32_t)*c->segments;
    c->fences = true;
    c->warps[warp->index].fence = (int32_t)*c->segments + 1;
    c->warps[warp->index].segment = 0;
}

// ---- releases and acquires ---------------------------------------------------------------------------------------

const struct block_mark *order_mark(const struct checks *c, int32_t segment)
{
    size_t low = 0, high = c->mark_count;
    if (high == 0 || segment < c->marks[0].first)
        return NULL;
    while (high - low > 1) { // the last mark that begins at or before the segment
        size_t middle = low + (high - low) / 2;
        if (c->marks[middle].first <= segment)
            low = middle;
        else
            high = middle;
    }
    return &c->marks[low];
}

// The same between the threads of a block: who takes a lock sees what was done before it was given back.
static void talk_in_block(struct checks *c, const struct warp *warp)
{
    struct warp_checks *state = &c->warps[warp->index];
    for (uint32_t w = 0; w < warp->block->warp_count; w++)
        if (c->published[w] > state->before[w])
            state->before[w] = c->published[w];
    if (c->published[warp->index] > state->since)
        state->since = c->published[warp->index];
    for (uint32_t w = 0; w < warp->block->warp_count && state->fence; w++) {
        int32_t known = w == warp->index ? state->fence : state->before[w];
        c->published[w] = known > c->published[w] ? known : c->published[w];
    }
}

void order_talk(struct warp *warp, bool global)
{
    struct checks *c = warp->checks;
    if (c->fences)
        talk_in_block(c, warp);
    if (!global)
        return;
    c->acquired = true;
    if (!c->mark_count)
        return;
    struct block_mark *mark = &c->marks[c->mark_count - 1];
    mark->spoke = check_segment(warp);
    if (c->fenced)
        mark->released = c->fenced;
}

static bool was_told(const struct checks *c, struct record r)
{
    const struct block_mark *mark = c->acquired ? order_mark(c, r.segment) : NULL;
    return mark && r.segment <= (r.who & WHO_ATOMIC ? mark->spoke : mark->released);
}

static bool lanes_met(const struct warp_checks *state, int32_t segment, unsigned a, unsigned b)
{
    for (unsigned i = 0; i < state->partial_count; i++)
        if (state->partial[i].segment > segment &&
            state->partial[i].lanes >> a & state->partial[i].lanes >> b & 1)
            return true;
    return false;
}

bool order_is_told(const struct seen *seen, struct record r, unsigned lane)
{
    uint32_t warp = seen->warp->index, thread = r.who >> WHO_THREAD;
    if (r.segment < seen->checks->block_first)
        return was_told(seen->checks, r);
    const struct warp_checks *state = &seen->checks->warps[warp];
    if (thread / LANES == warp)
        return lanes_met(state, r.segment, thread % LANES, lane);
    return r.segment < state->before[thread / LANES];
}

enum nearness order_nearness(const struct seen *seen, struct record r)
{
    if (r.segment < seen->checks->block_first)
        return OTHER_BLOCK;
    return (r.who >> WHO_THREAD) / LANES == seen->warp->index ? SAME_WARP : SAME_BLOCK;
}
