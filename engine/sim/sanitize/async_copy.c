// Asynchronous copies by cp.async. A copy is pending until its thread has waited for the group that it was committed
// with. The simulator copies the bytes at once, so that an access that comes too early reads the right value: it is
// detected here alone. An access to the bytes of a pending copy is a finding, whatever barriers there are. The wait is
// when the copy writes: other threads need a barrier after it.
#include "engine/sim/sanitize/checks.h"

#include <string.h>

enum { MOST_COPIES = 1024 }; // pending copies of a warp; with more, the oldest count as completed
struct async_copy {          // the copies of one instruction of a warp
    const struct op *op;     // its access to shared memory
    uint32_t lanes;          // lanes whose copy is pending
    uint32_t group[LANES];   // how many groups each lane had committed before
    uint64_t at[LANES];
};
struct async_copies {
    struct async_copy *of[MAX_WARPS];
    size_t count[MAX_WARPS], room[MAX_WARPS], open; // open: of all warps
    uint32_t committed[MAX_WARPS][LANES];
    uint64_t *bits; // a bit per byte of shared memory: a pending copy writes it
    size_t bytes;
};

// ---- a block ------------------------------------------------------------------------------------------------------

void async_copies_end(struct checks *checks)
{
    struct async_copies *f = checks->async_copies;
    struct budget *budget = &checks->machine->memory->budget;
    if (!f)
        return;
    for (int w = 0; w < MAX_WARPS; w++)
        budget_give(budget, f->of[w]);
    budget_give(budget, f->bits);
    budget_give(budget, f);
    checks->async_copies = NULL;
}

void async_copies_start(struct checks *checks)
{
    struct async_copies *f = checks->async_copies;
    if (!f)
        return;
    memset(f->count, 0, sizeof f->count);
    memset(f->committed, 0, sizeof f->committed);
    memset(f->bits, 0, (f->bytes + 63) / 64 * sizeof *f->bits);
    f->open = 0;
}

// All blocks of a launch have the same shared memory.
static struct async_copies *async_copies_of(const struct warp *warp)
{
    struct checks *checks = warp->checks;
    if (checks->async_copies)
        return checks->async_copies;
    struct budget *budget = budget_of(warp);
    struct async_copies *f = budget_take(budget, FOR_CHECKS, sizeof *f);
    if (!f)
        return NULL;
    f->bytes = warp->block->shared_bytes;
    f->bits = budget_take(budget, FOR_CHECKS, ((f->bytes + 63) / 64 + 1) * sizeof *f->bits);
    checks->async_copies = f;
    if (!f->bits)
        async_copies_end(checks);
    return checks->async_copies;
}

// ---- copies ---------------------------------------------------------------------------------------------------------

static void drop_landed(struct async_copies *f, uint32_t warp)
{
    size_t kept = 0;
    for (size_t i = 0; i < f->count[warp]; i++)
        if (f->of[warp][i].lanes)
            f->of[warp][kept++] = f->of[warp][i];
    f->open -= f->count[warp] - kept;
    f->count[warp] = kept;
}

static void mark(struct async_copies *f, const struct async_copy *copy, uint32_t lanes, bool flies)
{
    for (; lanes; lanes &= lanes - 1)
        span_mark(f->bits, copy->at[__builtin_ctz(lanes)], copy->op->bytes, flies);
}

static struct async_copy *one_more(struct budget *budget, struct async_copies *f, uint32_t warp)
{
    if (f->count[warp] == MOST_COPIES) {
        mark(f, &f->of[warp][0], f->of[warp][0].lanes, false);
        f->of[warp][0].lanes = 0;
        drop_landed(f, warp);
    }
    if (f->count[warp] == f->room[warp]) {
        size_t room = f->room[warp] ? 2 * f->room[warp] : 8;
        struct async_copy *grown = budget_more(budget, FOR_CHECKS, f->of[warp], room * sizeof *grown);
        if (!grown)
            return NULL;
        f->of[warp] = grown;
        f->room[warp] = room;
    }
    f->open++;
    return &f->of[warp][f->count[warp]++];
}

void async_copy_leaves(struct warp *warp, const struct op *op, const uint64_t *at, uint32_t lanes)
{
    struct async_copies *f = warp->checks ? async_copies_of(warp) : NULL;
    struct async_copy *copy = f && lanes ? one_more(budget_of(warp), f, warp->index) : NULL;
    if (!copy)
        return;
    copy->op = op;
    copy->lanes = lanes;
    memcpy(copy->group, f->committed[warp->index], sizeof copy->group);
    memcpy(copy->at, at, sizeof copy->at);
    mark(f, copy, lanes, true);
}

void async_copy_commits(const struct warp *warp)
{
    struct async_copies *f = warp->checks ? async_copies_of(warp) : NULL;
    for (uint32_t left = f ? warp->active : 0; left; left &= left - 1)
        f->committed[warp->index][__builtin_ctz(left)]++;
}

// The bytes count as written by the wait: a barrier has to come after it.
static void land(struct warp *warp, const struct op *wait, struct async_copy *copy, uint32_t lanes)
{
    struct touched touched = { .op = wait,
                               .space = SPACE_SHARED,
                               .address = copy->at,
                               .mask = lanes,
                               .bytes = copy->op->bytes,
                               .write = true,
                               .parts = 1 };
    mark(warp->checks->async_copies, copy, lanes, false);
    copy->lanes &= ~lanes;
    checks_copy_lands(warp, &touched);
}

void async_copy_waits(struct warp *warp, const struct op *op, bool for_all, uint32_t but)
{
    struct async_copies *f = warp->checks ? warp->checks->async_copies : NULL;
    uint32_t w = warp->index;
    bool landed = false;
    for (size_t i = 0; f && i < f->count[w]; i++) {
        struct async_copy *copy = &f->of[w][i];
        uint32_t lanes = 0;
        for (uint32_t left = copy->lanes & warp->active; left; left &= left - 1) {
            int lane = __builtin_ctz(left);
            // The last `but` groups that were committed may stay pending.
            bool lands = for_all || (uint64_t)copy->group[lane] + but < f->committed[w][lane];
            lanes |= (uint32_t)lands << lane;
        }
        landed |= lanes != 0;
        if (lanes)
            land(warp, op, copy, lanes);
    }
    if (!f || !landed)
        return;
    drop_landed(f, w);
    for (size_t i = 0; i < f->count[w]; i++) // bytes of two copies are pending while one of them is
        mark(f, &f->of[w][i], f->of[w][i].lanes, true);
}

// ---- accesses to bytes of a pending copy ------------------------------------------------------------------------------------------------

// Whether a pending copy writes one of these bytes. An access is at a multiple of its size, so that it lies in one word.
static bool any_flies(const struct async_copies *f, uint64_t at, unsigned bytes)
{
    return f->bits[at >> 6] >> (at & 63) & (bytes < 64 ? (1ull << bytes) - 1 : ~0ull);
}

static uint32_t lanes_over(const struct async_copy *copy, uint64_t at, uint64_t bytes)
{
    uint32_t lanes = 0;
    for (uint32_t left = copy->lanes; left; left &= left - 1) {
        int lane = __builtin_ctz(left);
        bool over = at < copy->at[lane] + copy->op->bytes && copy->at[lane] < at + bytes;
        lanes |= (uint32_t)over << lane;
    }
    return lanes;
}

// The pending copy that writes these bytes, and its thread; the warp's own copies are the likeliest.
static const struct async_copy *find(const struct async_copies *f, uint32_t own, uint64_t at, uint64_t bytes,
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

void async_copies_check(const struct access *access)
{
    const struct async_copies *f = access->checks->async_copies;
    const struct touched *t = access->touched;
    uint32_t early = 0, thread;
    if (!f->open || !t->op->from || strcmp(t->op->from->base, "cp") == 0)
        return;
    for (uint32_t left = access->mask; left; left &= left - 1) {
        int lane = __builtin_ctz(left);
        early |= (uint32_t)any_flies(f, t->address[lane], t->bytes) << lane;
    }
    if (!early)
        return;
    const struct async_copy *copy =
        find(f, access->warp->index, t->address[__builtin_ctz(early)], t->bytes, &thread);
    if (copy)
        race_report_early(access, early, copy->op, thread);
}
