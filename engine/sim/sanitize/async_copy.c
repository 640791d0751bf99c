// Copies by cp.async that are still on their way: of every thread, until it has waited for the group that they were
// committed with. The bytes are there at once here, so what comes too early is seen only by this: an access to bytes
// that are on their way is a finding, a barrier or not. A copy that was waited for counts as written then, so that
// other threads need a barrier behind the wait.
#include "engine/sim/sanitize/checks.h"

#include <string.h>

enum { FLIGHTS_MOST = 1024 }; // of a warp; with more, the oldest count as arrived
struct flight {               // what one instruction of a warp copies
    const struct op *op;      // its side in shared memory
    uint32_t lanes;           // whose bytes are still on their way
    uint32_t group[LANES];    // how many the lane had committed before
    uint64_t at[LANES];
};
struct flights {
    struct flight *of[MAX_WARPS];
    size_t count[MAX_WARPS], room[MAX_WARPS], open; // open: of all warps
    uint32_t committed[MAX_WARPS][LANES];
    uint64_t *bits; // a bit per byte of shared memory: on its way
    size_t bytes;
};

// ---- a block ------------------------------------------------------------------------------------------------------

void flight_end(struct checks *checks)
{
    struct flights *f = checks->flights;
    struct budget *budget = &checks->machine->memory->budget;
    if (!f)
        return;
    for (int w = 0; w < MAX_WARPS; w++)
        budget_give(budget, f->of[w]);
    budget_give(budget, f->bits);
    budget_give(budget, f);
    checks->flights = NULL;
}

void flight_start(struct checks *checks)
{
    struct flights *f = checks->flights;
    if (!f)
        return;
    memset(f->count, 0, sizeof f->count);
    memset(f->committed, 0, sizeof f->committed);
    memset(f->bits, 0, (f->bytes + 63) / 64 * sizeof *f->bits);
    f->open = 0;
}

// All blocks of a launch have the same shared memory.
static struct flights *flights_of(const struct warp *warp)
{
    struct checks *checks = warp->checks;
    if (checks->flights)
        return checks->flights;
    struct budget *budget = budget_of(warp);
    struct flights *f = budget_take(budget, FOR_CHECKS, sizeof *f);
    if (!f)
        return NULL;
    f->bytes = warp->block->shared_bytes;
    f->bits = budget_take(budget, FOR_CHECKS, ((f->bytes + 63) / 64 + 1) * sizeof *f->bits);
    checks->flights = f;
    if (!f->bits)
        flight_end(checks);
    return checks->flights;
}

// ---- copies ---------------------------------------------------------------------------------------------------------

static void drop_landed(struct flights *f, uint32_t warp)
{
    size_t kept = 0;
    for (size_t i = 0; i < f->count[warp]; i++)
        if (f->of[warp][i].lanes)
            f->of[warp][kept++] = f->of[warp][i];
    f->open -= f->count[warp] - kept;
    f->count[warp] = kept;
}

static void mark(struct flights *f, const struct flight *flight, uint32_t lanes, bool flies)
{
    for (; lanes; lanes &= lanes - 1)
        span_mark(f->bits, flight->at[__builtin_ctz(lanes)], flight->op->bytes, flies);
}

static struct flight *one_more(struct budget *budget, struct flights *f, uint32_t warp)
{
    if (f->count[warp] == FLIGHTS_MOST) {
        mark(f, &f->of[warp][0], f->of[warp][0].lanes, false);
        f->of[warp][0].lanes = 0;
        drop_landed(f, warp);
    }
    if (f->count[warp] == f->room[warp]) {
        size_t room = f->room[warp] ? 2 * f->room[warp] : 8;
        struct flight *grown = budget_more(budget, FOR_CHECKS, f->of[warp], room * sizeof *grown);
        if (!grown)
            return NULL;
        f->of[warp] = grown;
        f->room[warp] = room;
    }
    f->open++;
    return &f->of[warp][f->count[warp]++];
}

void check_copy_leaves(struct warp *warp, const struct op *op, const uint64_t *at, uint32_t lanes)
{
    struct flights *f = warp->checks ? flights_of(warp) : NULL;
    struct flight *flight = f && lanes ? one_more(budget_of(warp), f, warp->index) : NULL;
    if (!flight)
        return;
    flight->op = op;
    flight->lanes = lanes;
    memcpy(flight->group, f->committed[warp->index], sizeof flight->group);
    memcpy(flight->at, at, sizeof flight->at);
    mark(f, flight, lanes, true);
}

void check_copy_commits(const struct warp *warp)
{
    struct flights *f = warp->checks ? flights_of(warp) : NULL;
    for (uint32_t left = f ? warp->active : 0; left; left &= left - 1)
        f->committed[warp->index][__builtin_ctz(left)]++;
}

// The wait is where the bytes count as written: a barrier has to come after it.
static void land(struct warp *warp, const struct op *wait, struct flight *flight, uint32_t lanes)
{
    struct touched touched = { .op = wait,
                               .space = SPACE_SHARED,
                               .address = flight->at,
                               .mask = lanes,
                               .bytes = flight->op->bytes,
                               .write = true,
                               .parts = 1 };
    mark(warp->checks->flights, flight, lanes, false);
    flight->lanes &= ~lanes;
    check_late(warp, &touched);
}

void check_copy_waits(struct warp *warp, const struct op *op, bool for_all, uint32_t but)
{
    struct flights *f = warp->checks ? warp->checks->flights : NULL;
    uint32_t w = warp->index;
    bool landed = false;
    for (size_t i = 0; f && i < f->count[w]; i++) {
        struct flight *flight = &f->of[w][i];
        uint32_t lanes = 0;
        for (uint32_t left = flight->lanes & warp->active; left; left &= left - 1) {
            int lane = __builtin_ctz(left);
            // As many as `but` of the groups that were committed last may still be on their way.
            bool lands = for_all || (uint64_t)flight->group[lane] + but < f->committed[w][lane];
            lanes |= (uint32_t)lands << lane;
        }
        landed |= lanes != 0;
        if (lanes)
            land(warp, op, flight, lanes);
    }
    if (!f || !landed)
        return;
    drop_landed(f, w);
    for (size_t i = 0; i < f->count[w]; i++) // where two copies go, one may still be on its way
        mark(f, &f->of[w][i], f->of[w][i].lanes, true);
}

// ---- who comes too early ------------------------------------------------------------------------------------------------

// An access is at a multiple of its size, so that it lies in one word.
static bool any_flies(const struct flights *f, uint64_t at, unsigned bytes)
{
    return f->bits[at >> 6] >> (at & 63) & (bytes < 64 ? (1ull << bytes) - 1 : ~0ull);
}

static uint32_t lanes_over(const struct flight *flight, uint64_t at, uint64_t bytes)
{
    uint32_t lanes = 0;
    for (uint32_t left = flight->lanes; left; left &= left - 1) {
        int lane = __builtin_ctz(left);
        bool over = at < flight->at[lane] + flight->op->bytes && flight->at[lane] < at + bytes;
        lanes |= (uint32_t)over << lane;
    }
    return lanes;
}

// Whose copy it is; the warp's own are the likeliest.
static const struct flight *find(const struct flights *f, uint32_t own, uint64_t at, uint64_t bytes,
                                 uint32_t *thread)
{
    for (uint32_t k = 0; k < MAX_WARPS; k++) {
        uint32_t w = (own + k) % MAX_WARPS;
        for (size_t i = 0; i < f->count[w]; i++) {
            uint32_t lanes = lanes_over(&f->of[w][i], at, bytes);
            *thread = lanes ? w * LANES + (uint32_t)__builtin_ctz(lanes) : 0;
            if (lanes)
                return &f->of[w][i];
        }
    }
    return NULL;
}

void flight_look(const struct seen *seen)
{
    const struct flights *f = seen->checks->flights;
    const struct touched *t = seen->touched;
    uint32_t early = 0, thread;
    if (!f->open || !t->op->from || strcmp(t->op->from->base, "cp") == 0)
        return;
    for (uint32_t left = seen->mask; left; left &= left - 1) {
        int lane = __builtin_ctz(left);
        early |= (uint32_t)any_flies(f, t->address[lane], t->bytes) << lane;
    }
    if (!early)
        return;
    const struct flight *flight =
        find(f, seen->warp->index, t->address[__builtin_ctz(early)], t->bytes, &thread);
    if (flight)
        race_report_early(seen, early, flight->op, thread);
}
