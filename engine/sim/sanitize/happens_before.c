// Happens-before: which earlier accesses are ordered before those of a lane. Barriers of the block and of the warp join
// the vector clocks of those who meet. Blocks of a launch are not ordered, whatever order they run in here, but by release
// and acquire: a block writes, makes a fence and then an atomic or a volatile access (the release), and another block
// makes one of those before it reads (the acquire). Warps of a block, and lanes of a warp, synchronise in this way too.
// What is acquired is not followed by address: any atomic acquires all that was released before it.
#include "engine/sim/sanitize/checks.h"

#include <string.h>

// ---- barriers and fences --------------------------------------------------------------------------------------

int32_t epoch_of(struct warp *warp)
{
    struct warp_checks *state = &warp->checks->warps[warp->index];
    if (state->epoch == 0)
        state->epoch = (int32_t)++ * warp->checks->epochs;
    return state->epoch;
}

static uint32_t running_warps(const struct block *block)
{
    uint32_t warps = 0;
    for (uint32_t w = 0; w < block->warp_count; w++)
        if (block->warps[w].state != WARP_DONE)
            warps |= 1u << w;
    return warps;
}

// Joins the vector clocks of some warps at a barrier, with those of warps that have arrived without waiting; the latter
// acquire nothing.
static void join_clocks(struct block *block, uint32_t warps, const int32_t *arrived)
{
    struct checks *c = block->machine->checks;
    int32_t next = (int32_t)*c->epochs + 1, known[MAX_WARPS];
    memcpy(known, arrived, sizeof known);
    for (uint32_t w = 0; w < block->warp_count; w++) {
        if (!(warps >> w & 1))
            continue;
        for (uint32_t v = 0; v < block->warp_count; v++)
            if (c->warps[w].clock[v] > known[v])
                known[v] = c->warps[w].clock[v];
        known[w] = next;
    }
    for (uint32_t w = 0; w < block->warp_count; w++)
        if (warps >> w & 1) {
            memcpy(c->warps[w].clock, known, sizeof known);
            c->warps[w].epoch = 0;
            c->warps[w].sync_epoch = next;
        }
}

void check_arrive(struct warp *warp, int id)
{
    struct checks *c = warp->checks;
    struct warp_checks *state = &c->warps[warp->index];
    for (uint32_t v = 0; v < warp->block->warp_count; v++)
        if (state->clock[v] > c->arrived_clock[id][v])
            c->arrived_clock[id][v] = state->clock[v];
    c->arrived_clock[id][warp->index] = (int32_t)*c->epochs + 1;
    state->epoch = 0;
}

void check_barrier(struct block *block, int id, uint32_t warps)
{
    struct checks *c = block->machine->checks;
    if (!c)
        return;
    uint32_t running = running_warps(block);
    if ((warps & running) != running) {
        join_clocks(block, warps, c->arrived_clock[id]);
        memset(c->arrived_clock[id], 0, sizeof c->arrived_clock[id]);
        return;
    }
    memset(c->arrived_clock[id], 0, sizeof c->arrived_clock[id]);
    c->ordered = (int32_t)*c->epochs + 1;
    for (uint32_t w = 0; w < block->warp_count; w++)
        c->warps[w].epoch = 0;
}

void check_warp_sync(struct warp *warp, uint32_t lanes)
{
    if (!warp->checks)
        return;
    struct warp_checks *state = &warp->checks->warps[warp->index];
    int32_t next = (int32_t)*warp->checks->epochs + 1;
    state->epoch = 0;
    if ((lanes & warp->live) == warp->live) {
        state->sync_epoch = next;
        state->partial_count = 0;
        return;
    }
    unsigned at = 0;
    while (at < state->partial_count && state->partial[at].lanes != lanes)
        at++;
    if (at == state->partial_count) // no room: one of the older ones is dropped
        at = state->partial_count < PARTIAL_SYNCS ? state->partial_count++ : (unsigned)next % PARTIAL_SYNCS;
    state->partial[at] = (struct partial_sync){ lanes, next };
}

// A fence ends the epoch: what comes after it is not released.
void check_fence(struct warp *warp, bool wide)
{
    if (!warp->checks)
        return;
    struct checks *c = warp->checks;
    if (wide)
        c->fence_epoch = (int32_t)*c->epochs;
    c->fences = true;
    c->warps[warp->index].fence = (int32_t)*c->epochs + 1;
    c->warps[warp->index].epoch = 0;
}

// ---- releases and acquires ---------------------------------------------------------------------------------------

const struct block_epochs *block_of_epoch(const struct checks *c, int32_t epoch)
{
    size_t low = 0, high = c->mark_count;
    if (high == 0 || epoch < c->marks[0].first)
        return NULL;
    while (high - low > 1) { // the last block that begins at or before the epoch
        size_t middle = low + (high - low) / 2;
        if (c->marks[middle].first <= epoch)
            low = middle;
        else
            high = middle;
    }
    return &c->marks[low];
}

// Between threads of a block: a thread that takes a lock acquires what was done before the lock was released.
static void release_acquire_in_block(struct checks *c, const struct warp *warp)
{
    struct warp_checks *state = &c->warps[warp->index];
    for (uint32_t w = 0; w < warp->block->warp_count; w++)
        if (c->released_clock[w] > state->clock[w])
            state->clock[w] = c->released_clock[w];
    if (c->released_clock[warp->index] > state->sync_epoch)
        state->sync_epoch = c->released_clock[warp->index];
    for (uint32_t w = 0; w < warp->block->warp_count && state->fence; w++) {
        int32_t known = w == warp->index ? state->fence : state->clock[w];
        c->released_clock[w] = known > c->released_clock[w] ? known : c->released_clock[w];
    }
}

void release_acquire(struct warp *warp, bool global)
{
    struct checks *c = warp->checks;
    if (c->fences)
        release_acquire_in_block(c, warp);
    if (!global)
        return;
    c->acquired = true;
    if (!c->mark_count)
        return;
    struct block_epochs *mark = &c->marks[c->mark_count - 1];
    mark->released_atomics = epoch_of(warp);
    if (c->fence_epoch)
        mark->released = c->fence_epoch;
}

static bool block_released_before(const struct checks *c, struct shadow_cell r)
{
    const struct block_epochs *mark = c->acquired ? block_of_epoch(c, r.epoch) : NULL;
    return mark && r.epoch <= (r.who & CELL_ATOMIC ? mark->released_atomics : mark->released);
}

static bool lanes_met(const struct warp_checks *state, int32_t epoch, unsigned a, unsigned b)
{
    for (unsigned i = 0; i < state->partial_count; i++)
        if (state->partial[i].epoch > epoch &&
            state->partial[i].lanes >> a & state->partial[i].lanes >> b & 1)
            return true;
    return false;
}

bool released_before(const struct access *access, struct shadow_cell r, unsigned lane)
{
    uint32_t warp = access->warp->index, thread = r.who >> CELL_THREAD;
    if (r.epoch < access->checks->block_first)
        return block_released_before(access->checks, r);
    const struct warp_checks *state = &access->checks->warps[warp];
    if (thread / LANES == warp)
        return lanes_met(state, r.epoch, thread % LANES, lane);
    return r.epoch < state->clock[thread / LANES];
}

enum race_scope race_scope_of(const struct access *access, struct shadow_cell r)
{
    if (r.epoch < access->checks->block_first)
        return OTHER_BLOCK;
    return (r.who >> CELL_THREAD) / LANES == access->warp->index ? SAME_WARP : SAME_BLOCK;
}
