// Runs one warp in lockstep until it waits, exits or has used up its instructions.
#include "engine/sim/schedule/schedule.h"

// A loop that has run for LOOK_AFTER instructions is tested for progress: does the warp return to the same state? The state is
// hashed after each instruction of a round. Where registers are so many that this would take long, only short rounds are
// recognised.
enum { LOOK_AFTER = 200000, LONGEST_TURN = 4096, HASHED_MOST = 512 << 20 };

void warp_expand(struct warp *warp)
{
    for (int i = 0; i < LANES; i++)
        warp->lanes[i] = 0u - (warp->active >> i & 1u);
    warp->expanded = warp->active;
}

static inline void activate(struct warp *warp, uint32_t active)
{
    warp->active = active;
    if (active != FULL_MASK && active != warp->expanded)
        warp_expand(warp);
}

// ---- ends ----

// Lanes that exit at one instruction count as one execution of it, even if they reach it at different times.
static void count_leaving(struct warp *warp)
{
    if (warp->tallies && warp->leaving_at) {
        struct tally *tally = &warp->tallies[warp->leaving_at->tally];
        tally->warps++;
        tally->lanes += (uint32_t)__builtin_popcount(warp->leaving);
    }
    warp->leaving = 0;
    warp->leaving_at = NULL;
}

static void leave(struct warp *warp, const struct op *op, uint32_t lanes)
{
    if (!op->guarded) {
        if (warp->leaving_at != op)
            count_leaving(warp);
        warp->leaving_at = op;
        warp->leaving |= lanes;
    }
    warp->live &= ~lanes;
    simt_remove_lanes(warp, lanes);
    if (!warp->live)
        count_leaving(warp);
}

void warp_end_lanes(struct warp *warp, uint32_t lanes)
{
    warp->live &= ~lanes;
    simt_remove_lanes(warp, lanes);
}

static void leave_at_end(struct warp *warp, const struct op *op)
{
    uint32_t lanes = warp->active;
    warp->paths[warp->depth - 1].pc = warp->pc + 1;
    leave(warp, op, lanes);
    simt_load(warp);
}

// Lanes that return wait at the function's end, where the SIMT entry below, or the caller's, includes them.
static void return_some(struct warp *warp)
{
    struct simt_path *top = &warp->paths[warp->depth - 1];
    uint32_t rest = top->mask & ~warp->active;
    if (!rest) {
        top->pc = NO_PC;
        simt_load(warp);
        return;
    }
    struct simt_path others = { .mask = rest, .pc = warp->pc + 1, .reconverge = NO_PC, .frame = top->frame };
    top->pc = NO_PC;
    if (simt_push(warp, others))
        simt_load(warp);
}

static void stop_at(struct warp *warp, const struct op *op, enum sim_kind kind, const char *sentence)
{
    struct finding_report report = { .kind = kind,
                                     .severity = SIM_ERROR,
                                     .op = op,
                                     .lane =
                                         __builtin_ctz(warp->active ? warp->active : warp->mask | 1u << 31) };
    char who[80];
    if (kind == SIM_UNKNOWN)
        finding_add(warp, &report, "The simulator cannot run '%s': %s.",
                    op->from->text ? op->from->text : "?", op->trouble ? op->trouble : "it does not know it");
    else
        finding_add(warp, &report, "%s %s", finding_name_lane(warp, report.lane, who), sentence);
    launch_stop(warp->block->machine);
}

// ---- branches ----

static void fan_out(struct warp *warp, const struct op *op)
{
    uint32_t lanes = warp->active;
    if (!lanes) {
        warp->paths[warp->depth - 1].pc = warp->pc + 1;
        simt_load(warp);
        return;
    }
    const uint32_t *index = ROW32(warp, op->a);
    bool one = lanes == warp->mask;
    int32_t first = -1;
    for (uint32_t left = lanes; left; left &= left - 1) {
        uint32_t at = index[__builtin_ctz(left)];
        if (at >= (uint32_t)op->target_count) {
            warp->active = left & -left;
            stop_at(warp, op, SIM_OTHER, "jumps through a table, past its end.");
            return;
        }
        first = first < 0 ? op->targets[at] : first;
        one &= op->targets[at] == first;
    }
    if (one) {
        warp->paths[warp->depth - 1].pc = first;
    } else {
        if (warp->tallies)
            warp->tallies[op->tally].divergent++;
        if (!simt_fan(warp, op, lanes))
            return;
    }
    simt_load(warp);
}

static void split(struct warp *warp, const struct op *op, uint32_t taken)
{
    if (warp->tallies)
        warp->tallies[op->tally].divergent++;
    if (simt_split(warp, op, taken))
        simt_load(warp);
}

// ---- all that is not a plain instruction; false: the warp waits, has ended or is stopped ----

static void go_on(struct warp *warp)
{
    warp->paths[warp->depth - 1].pc = warp->pc + 1;
    simt_load(warp);
}

static void call_function(struct warp *warp, const struct op *op)
{
    warp->paths[warp->depth - 1].pc = warp->pc + 1;
    if (frame_call(warp, op))
        simt_load(warp);
}

// A parked path was counted when it arrived.
static void uncount_second(struct warp *warp, const struct op *op)
{
    if (!warp->tallies || warp->paths[warp->depth - 1].waits_at != op)
        return;
    warp->tallies[op->tally].warps--;
    warp->tallies[op->tally].lanes -= (uint32_t)__builtin_popcount(warp->mask);
}

static void run_synced(struct warp *warp, const struct op *op)
{
    uncount_second(warp, op);
    if (!barrier_gather_lanes(warp, op))
        return;
    activate(warp, warp->active);
    if (op->kind == OP_SYNCED && warp->active)
        op->run(warp, op);
    go_on(warp);
}

// The paths of a warp may reach a barrier that is not .aligned one after the other.
static bool reach_barrier(struct warp *warp, const struct op *op)
{
    uncount_second(warp, op);
    if (!(op->imm & BARRIER_ALIGNED) && warp->active && warp->active != warp->live &&
        !barrier_gather_lanes(warp, op))
        return true;
    activate(warp, warp->active);
    if (!barrier_reach(warp, op)) {
        warp->paths[warp->depth - 1].pc = ++warp->pc;
        return false;
    }
    go_on(warp);
    return true;
}

static bool steer(struct warp *warp, const struct op *op)
{
    switch ((enum op_kind)op->kind) {
    case OP_EXIT:
        leave_at_end(warp, op);
        break;
    case OP_RETURN:
        return_some(warp);
        break;
    case OP_INDEXED:
        fan_out(warp, op);
        break;
    case OP_CALL:
        call_function(warp, op);
        if (launch_clock_coarse() > warp->block->machine->deadline) // a call may have copied many parameters
            return false;
        break;
    case OP_BARRIER:
        if (!reach_barrier(warp, op))
            return false;
        break;
    case OP_SYNCED:
    case OP_WARP_SYNC:
        run_synced(warp, op);
        break;
    case OP_TRAP:
        if (warp->active)
            stop_at(warp, op, SIM_TRAP, "stops the kernel here itself (trap).");
        else
            go_on(warp);
        break;
    default:
        if (warp->active)
            stop_at(warp, op, SIM_UNKNOWN, NULL);
        else
            go_on(warp);
        break;
    }
    return warp->state == WARP_READY && !warp->block->machine->stop;
}

// ---- the loop, compiled with and without counting ----

#define LIKELY(x) __builtin_expect(!!(x), 1)
#define INLINE static inline __attribute__((always_inline))

// The lanes of `mask` whose guard holds.
INLINE uint32_t guarded(const struct warp *warp, const struct op *op, uint32_t mask)
{
    if (!op->guarded)
        return mask;
    uint32_t guard = ROWP(warp, op->guard);
    return mask & (op->guard_negated ? ~guard : guard);
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
        split(warp, op, active);
        return true;
    }
    if (counting && op->kind == OP_EXIT && !op->guarded) { // count_leaving counts these
        warp->tallies[op->tally].warps--;
        warp->tallies[op->tally].lanes -= (uint32_t)__builtin_popcount(warp->mask);
    }
    return steer(warp, op);
}

INLINE uint64_t run(struct warp *warp, uint64_t budget, bool counting, bool checking)
{
    uint64_t left = budget;
    struct tally *tallies = warp->tallies;
    while (left && warp->depth) {
        const struct op *ops = warp->function->ops;
        int32_t pc = warp->pc, reconverge = warp->paths[warp->depth - 1].reconverge, limit = warp->limit;
        uint32_t mask = warp->mask, lanes = (uint32_t)__builtin_popcount(mask);
        activate(warp, mask);
        bool steered = false, on = true;
        while (LIKELY(left && pc != reconverge)) {
            const struct op *op = &ops[pc];
            if (op->order >= limit)
                break;
            left--;
            if (counting) {
                tallies[op->tally].warps++;
                tallies[op->tally].lanes += lanes;
            }
            uint32_t active = guarded(warp, op, mask);
            if (checking && warp->poisoned && active) {
                activate(warp, active);
                uninit_follow(warp, op);
                activate(warp, mask);
            }
            if (LIKELY(op->kind == OP_LANES)) {
                pc++;
                run_lanes(warp, op, active, mask);
                continue;
            }
            if (op->kind == OP_BRANCH && (active == mask || !active)) {
                pc = active ? op->target : pc + 1;
                if (active && op->spins && limit != INT32_MAX) {
                    simt_delay(warp);
                    break;
                }
                continue;
            }
            steered = true;
            warp->pc = pc;
            on = leave_path(warp, op, active, counting);
            break;
        }
        if (!on)
            break;
        if (steered)
            continue;
        warp->pc = pc;
        simt_save(warp);
        simt_load(warp);
    }
    return budget - left;
}

static uint64_t run_counting(struct warp *warp, uint64_t budget)
{
    return run(warp, budget, true, false);
}

static uint64_t run_checking(struct warp *warp, uint64_t budget)
{
    return run(warp, budget, true, true);
}

static uint64_t run_bare(struct warp *warp, uint64_t budget)
{
    return run(warp, budget, false, false);
}

static uint64_t run_some(struct warp *warp, uint64_t budget)
{
    return warp->checks    ? run_checking(warp, budget)
           : warp->tallies ? run_counting(warp, budget)
                           : run_bare(warp, budget);
}

// ---- loops that never end ----

static uint64_t state_hash(const struct warp *warp)
{
    const uint64_t *words = (const uint64_t *)(const void *)warp->frame;
    uint64_t hash = warp->mask;
    for (size_t i = 0; i < warp->function->frame_bytes / sizeof *words; i++)
        hash = (hash ^ words[i]) * 0x9e3779b97f4a7c15ull + (hash >> 29);
    return hash;
}

// Runs until the warp returns to its state. A round counts only if it goes through the same states as the one before: a warp
// that alternates between waiting and working makes progress.
static uint64_t look_for_spin(struct warp *warp)
{
    int32_t pc = warp->pc, depth = warp->depth;
    uint64_t hash = state_hash(warp), now = hash, states = 0,
             ran = 0; // the sum of all states, so that it does not matter where a round begins
    bool again = false;
    warp->spin.reads = false;
    uint64_t most = HASHED_MOST / warp->function->frame_bytes;
    while (ran < LONGEST_TURN && ran < most && warp->state == WARP_READY && !warp->block->machine->stop &&
           !again) {
        const struct op *op = &warp->function->ops[warp->pc];
        warp->spin.reads |= op->access != SIM_ACCESSES && op->space != SPACE_LOCAL;
        states += now * 0x9e3779b97f4a7c15ull + (uint64_t)warp->pc;
        ran += run_some(warp, 1);
        now = state_hash(warp);
        again = warp->pc == pc && warp->depth == depth && now == hash;
    }
    warp->spin.rounds = !again ? 0 : states == warp->spin.states ? warp->spin.rounds + 1 : 1;
    warp->spin.states = states;
    if (warp->state == WARP_READY) {
        simt_delay(warp);
        simt_rotate(warp);
        simt_load(warp);
    }
    return ran;
}

uint64_t warp_run(struct warp *warp, uint64_t budget)
{
    uint64_t ran = run_some(warp, budget);
    warp->clock += ran;
    if (warp->state != WARP_READY || ran < budget) {
        warp->spin.since = 0;
        warp->spin.rounds = 0;
        return ran;
    }
    warp->spin.since += ran;
    if (warp->spin.since >= LOOK_AFTER) {
        warp->spin.since = 0;
        ran += look_for_spin(warp);
    }
    return ran;
}
