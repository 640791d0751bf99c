// Runs one warp in lockstep until it waits, exits or has used up its instructions.
#include "engine/sim/schedule/path.h"

#ifndef __clang__ // which makes two additions of two counters; gcc makes one of vectors, in up to seven instructions
#pragma GCC optimize("no-tree-slp-vectorize")
#endif

// ---- active lanes ----

// In vectors, written out: this file is compiled without those of AVX2, for which gcc makes some of such a loop by itself.
void warp_expand(struct warp *warp)
{
    typedef uint32_t lanes4 __attribute__((vector_size(16)));
    lanes4 bits = { 1, 2, 4, 8 }, *to = (lanes4 *)(void *)warp->lanes;
    for (int i = 0; i < LANES / 4; i++, bits <<= 4)
        to[i] = (lanes4)((bits & warp->active) != 0);
    warp->expanded = warp->active;
}

// ---- the loop, compiled with and without counting, checking and recording ----

#define LIKELY(x) __builtin_expect(!!(x), 1)

// The lanes of `mask` whose guard holds.
INLINE uint32_t guarded(const struct warp *warp, const struct op *op, uint32_t mask)
{
    if (!op->guarded)
        return mask;
    uint32_t guard = ROWP(warp, op->guard);
    return mask & (op->guard_negated ? ~guard : guard);
}

INLINE void follow_lanes(struct warp *warp, const struct op *op, uint32_t active, uint32_t mask)
{
    activate(warp, active);
    uninit_follow(warp, op);
    activate(warp, mask);
}

INLINE void run_lanes(struct warp *warp, const struct op *op, uint32_t active, uint32_t mask)
{
    if (LIKELY(active == mask)) {
        op->run(warp, op);
    } else if (active) {
        activate(warp, active);
        op->run(warp, op);
        activate(warp, mask);
    }
}

// Instructions that may change the path or the state of the warp; false: it waits, has exited or is stopped.
INLINE bool leave_path(struct warp *warp, const struct op *op, uint32_t active, bool counting)
{
    warp->active = active;
    if (op->kind == OP_BRANCH) {
        simt_split(warp, op, active);
        return true;
    }
    if (counting && op->kind == OP_EXIT && !op->guarded) { // count_leaving counts these
        warp->tallies[op->tally].warps--;
        warp->tallies[op->tally].lanes -= lane_count(warp->mask);
    }
    return steer(warp, op);
}

// How many plain instructions from this one on come before the path meets another one; at most `left`. A point of
// reconvergence that lies before the path is as far away as unsigned numbers reach.
INLINE int32_t plain_before(const struct op *op, int32_t pc, int32_t reconverge, int32_t limit, uint64_t left)
{
    const int32_t to_limit = limit - op->order;
    const uint32_t to_join = (uint32_t)reconverge - (uint32_t)pc;
    uint32_t most = op->plain < to_limit ? op->plain : (uint32_t)to_limit;
    most = most < to_join ? most : to_join;
    return (int32_t)(most < left ? most : left);
}

INLINE void count_step(struct tally *tally, uint32_t lanes)
{
    tally->warps++;
    tally->lanes += lanes;
}
INLINE void count_run_from(struct tally *tally, uint32_t lanes)
{
    tally->runs.warps++;
    tally->runs.lanes += lanes;
}
INLINE void count_run_before(struct tally *tally, uint32_t lanes)
{
    tally->runs.warps--;
    tally->runs.lanes -= lanes;
}
INLINE void count_stretch(struct tally *tally, uint32_t lanes)
{
    tally->stretches.warps++;
    tally->stretches.lanes += lanes;
}

// Executes at most so many plain instructions, and returns how many; *op is then the next one. With checks it stops after one
// that leaves undefined values in registers, which have to be followed from there on. Counts where the run begins.
INLINE int32_t run_plain(struct warp *warp, struct tally *tallies, const struct op **op, int32_t most,
                         uint32_t lanes, bool counting, bool checking)
{
    int32_t rest = most;
    if (counting)
        count_run_from(&tallies[(*op)->tally], lanes);
    do {
        (*op)->run(warp, *op);
        ++*op;
    } while (--rest && !(checking && warp->poisoned));
    return most - rest;
}

// Where a path is, what it needs to go on, and the instructions that it may still execute.
struct course {
    const struct op *op, *ops, *join; // ops: the function's; join: where the path ends, NULL: nowhere
    int32_t reconverge, limit;
    uint32_t mask, lanes;
    uint64_t left;
};

INLINE void take_up(struct warp *warp, struct course *c)
{
    c->reconverge = warp->paths[warp->depth - 1].reconverge;
    c->limit = warp->limit;
    c->mask = warp->mask;
    c->lanes = lane_count(c->mask);
    c->ops = warp->function->ops;
    c->join = c->reconverge == NO_PC ? NULL : c->ops + c->reconverge;
    c->op = c->ops + warp->pc;
    activate(warp, c->mask);
}

// Executes plain instructions up to where another path waits, or as many as are left. False: there are none here, or each is to be
// looked at.
INLINE bool run_part(struct warp *warp, struct course *c, struct tally *tallies, bool counting, bool checking,
                     bool recording)
{
    const struct op *op = c->op;
    if (!op->plain || (recording && warp->recorded) || (checking && warp->poisoned))
        return false;
    const int32_t most = plain_before(op, (int32_t)(op - c->ops), c->reconverge, c->limit, c->left);
    if (recording && !sample_leaves_out(warp, op, most))
        return false;
    c->left -= (uint64_t)run_plain(warp, tallies, &c->op, most, c->lanes, counting, checking);
    if (counting)
        count_run_before(&tallies[c->op->tally], c->lanes);
    return true;
}

// Executes whole stretches until the path ends or something else than a stretch is to be done. Returns whether that is a branch
// which has been counted with the instructions before it.
INLINE bool run_stretches(struct warp *warp, struct course *c, struct tally *tallies, bool counting,
                          bool checking)
{
    const struct op *op = c->op;
    bool counted = false;
    while (op->stretch && op->stretch <= c->left && op->order + op->stretch <= c->limit && op != c->join &&
           !(checking && warp->poisoned)) {
        const struct op *const last = op + (op->stretch - 1);
        c->left -= op->stretch;
        if (counting)
            count_stretch(&tallies[op->tally], c->lanes);
        for (; op != last && !(checking && warp->poisoned); op++)
            op->run(warp, op);
        if (checking && warp->poisoned) { // the rest has not been executed
            if (counting) {
                count_run_before(&tallies[op->tally], c->lanes);
                count_run_from(&tallies[last->tally + 1], c->lanes);
            }
            c->left += (uint64_t)(last + 1 - op);
            break;
        }
        if (last->kind == OP_LANES) {
            op->run(warp, op);
            op++;
            continue;
        }
        const uint32_t active = guarded(warp, last, c->mask);
        const bool taken = active == c->mask, spins = taken && last->spins && c->limit != INT32_MAX;
        counted = spins || (active && !taken);
        if (counted)
            break;
        op = taken ? c->ops + last->target : last + 1;
    }
    c->op = op;
    return counted;
}

// The path has reached another one, or has used up its instructions.
INLINE void leave_turn(struct warp *warp, int32_t pc)
{
    warp->pc = pc;
    save_path(warp);
    simt_load(warp);
}

// The usual arrival at a barrier. False: nothing has been done.
INLINE bool joins_others(struct warp *warp, struct course *c, struct tally *tallies, bool counting,
                         bool checking)
{
    const struct op *op = c->op;
    if (op->kind != OP_BARRIER || op->guarded || c->mask != warp->live || (checking && warp->poisoned) ||
        !barrier_joined(warp, op))
        return false;
    c->left--;
    if (counting)
        count_step(&tallies[op->tally], c->lanes);
    warp->pc = (int32_t)(op - c->ops) + 1;
    save_path(warp);
    return true;
}

// A turn that waits at a barrier goes on with the block's next warp, where warps take turns in their order and nothing is to be
// done between the two; not for long, so that the clock and the limits are looked at.
enum { HANDED_MOST = 4096 };

// The warp has executed `ran` instructions and waits. NULL: the turn is over.
static struct warp *hand_on(struct warp *warp, uint64_t ran, struct warp_turn *turn)
{
    struct warp *next = warp + 1;
    if (!turn->goes_on || warp->index + 1 >= warp->block->warp_count || next->state != WARP_READY ||
        next->spin.states || turn->handed > HANDED_MOST)
        return NULL;
    warp->clock += ran;
    warp->ran += ran;
    warp->spin = (struct spin){ .moved = true };
    turn->handed += ran;
    turn->warp = next;
    return next;
}

INLINE uint64_t run(struct warp_turn *turn, uint64_t budget, bool counting, bool checking, bool recording)
{
    struct warp *warp = turn->warp;
    struct course c = { .left = budget };
    struct tally *tallies = warp->tallies;
    while (c.left && warp->depth) {
        take_up(warp, &c);
        bool steered = false, on = true;
        while (LIKELY(c.left && c.op != c.join)) {
            const bool followed = checking && warp->poisoned;
            const bool counted =
                !recording && !followed && run_stretches(warp, &c, tallies, counting, checking);
            const struct op *op = c.op;
            if (!counted && (!c.left || op == c.join || op->order >= c.limit))
                break;
            if (!recording && !counted && joins_others(warp, &c, tallies, counting, checking)) {
                struct warp *next = hand_on(warp, budget - c.left, turn);
                if (!next)
                    return budget - c.left;
                warp = next;
                c.left = budget;
                steered = true;
                break;
            }
            if (!counted && run_part(warp, &c, tallies, counting, checking, recording))
                continue;
            c.left -= !counted;
            if (counting && !counted)
                count_step(&tallies[op->tally], c.lanes);
            const uint32_t active = guarded(warp, op, c.mask);
            if (recording)
                sample_step(warp, op, active);
            if (checking && warp->poisoned && active)
                follow_lanes(warp, op, active, c.mask);
            if (LIKELY(op->kind == OP_LANES)) {
                run_lanes(warp, op, active, c.mask);
                c.op++;
                continue;
            }
            if (op->kind == OP_BRANCH && (active == c.mask || !active)) {
                c.op = active ? c.ops + op->target : op + 1;
                if (!active || !op->spins || c.limit == INT32_MAX)
                    continue;
                simt_delay(warp);
                break;
            }
            if (op->kind == OP_SYNCED && !checking && active == c.mask && barrier_is_met(warp, op)) {
                op->run(warp, op);
                c.op++;
                continue;
            }
            steered = true;
            warp->pc = (int32_t)(op - c.ops);
            on = leave_path(warp, op, active, counting);
            break;
        }
        if (!on)
            break;
        if (!steered)
            leave_turn(warp, (int32_t)(c.op - c.ops));
    }
    return budget - c.left;
}

static uint64_t run_on(struct warp_turn *turn, uint64_t budget)
{
    const struct warp *warp = turn->warp;
    if (warp->recorder)
        return warp->checks ? run(turn, budget, true, true, true) : run(turn, budget, true, false, true);
    return warp->checks    ? run(turn, budget, true, true, false)
           : warp->tallies ? run(turn, budget, true, false, false)
                           : run(turn, budget, false, false, false);
}

// A sample of the launch may record other parts of the budget than the rest.
uint64_t warp_run_part(struct warp_turn *turn, uint64_t budget)
{
    struct warp *warp = turn->warp;
    if (!warp->sample)
        return run_on(turn, budget);
    uint64_t ran = 0, part, now;
    do {
        part = budget - ran < warp->until_window ? budget - ran : warp->until_window;
        now = run_on(turn, part);
        ran += now;
        warp->until_window -= now;
        if (!warp->until_window)
            sample_window(warp);
    } while (now == part && ran < budget && warp->state == WARP_READY && !warp->yields &&
             !warp->block->machine->stop);
    return ran;
}
