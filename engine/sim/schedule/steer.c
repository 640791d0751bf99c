// Instructions that may change the path or the state of a warp: ends, branches, calls, barriers and traps.
#include "engine/sim/schedule/path.h"

// ---- ends ----

// Lanes that exit at one instruction count as one execution of it, even if they reach it at different times.
static void count_leaving(struct warp *warp)
{
    if (warp->tallies && warp->leaving_at) {
        struct tally *tally = &warp->tallies[warp->leaving_at->tally];
        tally->warps++;
        tally->lanes += lane_count(warp->leaving);
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

// cooperative_groups tests for the workspace that only a cooperative launch has, and traps.
static const char *trap_sentence(const struct warp *warp)
{
    bool syncs = warp->function->special[SPECIAL_ENVREG1] && !warp->block->machine->launch->cooperative;
    return syncs ? "stops the kernel here: grid.sync() needs a cooperative launch, by "
                   "cudaLaunchCooperativeKernel or the word `cooperative` after a launch line."
                 : "itself stops the kernel here (trap).";
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
    if (!one) {
        simt_fan(warp, op, lanes);
        return;
    }
    warp->paths[warp->depth - 1].pc = first;
    simt_load(warp);
}

// ---- all that is not a plain instruction; false: the warp waits, has ended or is stopped ----

static void go_on(struct warp *warp)
{
    warp->paths[warp->depth - 1].pc = warp->pc + 1;
    if (warp->depth == 1 && warp->mask && warp->mask == warp->paths->mask) { // a path alone
        warp->pc++;
        warp->active = warp->mask;
    } else {
        simt_load(warp);
    }
}

static void call_function(struct warp *warp, const struct op *op)
{
    warp->paths[warp->depth - 1].pc = warp->pc + 1;
    if (call_enter(warp, op))
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

bool steer(struct warp *warp, const struct op *op)
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
    case OP_WAITS:
        warp->yields = false;
        activate(warp, warp->active);
        if (warp->active)
            op->run(warp, op);
        go_on(warp);
        return !warp->yields && !warp->block->machine->stop;
    case OP_TRAP:
        if (warp->active)
            stop_at(warp, op, SIM_TRAP, trap_sentence(warp));
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
