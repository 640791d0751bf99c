// Barriers of a block, and barriers inside a warp. Warps arrive at a block's barrier as a whole; a barrier without a count
// waits for all warps that have not exited.
#include "engine/sim/schedule/schedule.h"

#include <stdio.h>
#include <string.h>

static uint32_t voters(struct warp *warp, const struct op *op)
{
    uint32_t yes = ROWP(warp, op->c);
    return (op->imm & BARRIER_VOTE_NEGATED ? ~yes : yes) & warp->active;
}

static void vote(struct warp *warp, const struct op *op, struct barrier *barrier)
{
    uint32_t yes = voters(warp, op);
    barrier->votes_count += (uint32_t)__builtin_popcount(yes);
    barrier->votes_or |= yes != 0;
    barrier->votes_and &= yes == warp->active;
}

static void give_result(struct warp *warp, const struct op *op, const struct barrier *barrier)
{
    if (op->sub == BARRIER_POPC)
        EACH_LANE(warp, ROW32(warp, op->d), barrier->votes_count);
    else if (op->sub == BARRIER_AND || op->sub == BARRIER_OR)
        set_predicate(warp, op->d,
                      (op->sub == BARRIER_AND ? barrier->votes_and : barrier->votes_or) ? FULL_MASK : 0);
}

static uint32_t waiting(const struct block *block, int id)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < block->warp_count; i++)
        count += block->warps[i].state == WARP_AT_BARRIER && block->warps[i].barrier == id;
    return count;
}

static bool is_complete(const struct block *block, int id)
{
    const struct barrier *barrier = &block->barriers[id];
    if (barrier->expected)
        return barrier->arrived >= barrier->expected;
    return barrier->arrived / LANES >= block->live_warps;
}

// CUDA C++ requires every thread of the block to reach __syncthreads(), also those that have returned; some have.
static void report_passed(struct block *block, struct warp *last, const struct op *op)
{
    uint32_t ended = 0;
    for (uint32_t i = 0; i < block->warp_count; i++)
        ended += (uint32_t)__builtin_popcount(block->warps[i].exists & ~block->warps[i].live);
    if (block->passed_without)
        return;
    block->passed_without = true;
    struct finding_report report = {
        .kind = SIM_BARRIER, .severity = SIM_WARNING, .op = op, .lane = __builtin_ctz(last->live | 1u << 31)
    };
    char who[80];
    finding_add(last, &report,
                "%s reaches this barrier, but %u thread%s of the block had ended before. Every thread should "
                "reach it: no return before it, and no barrier inside an if, or in a loop of "
                "which some threads make fewer rounds.",
                finding_name_lane(last, report.lane, who), ended, ended == 1 ? "" : "s");
}

static void release(struct block *block, int id, struct warp *last, const struct op *op)
{
    struct barrier *barrier = &block->barriers[id];
    uint32_t released = 0, gone = 0;
    for (uint32_t i = 0; i < block->warp_count; i++) {
        struct warp *warp = &block->warps[i];
        gone |= warp->exists & ~warp->live;
        if (warp->state != WARP_AT_BARRIER || warp->barrier != id)
            continue;
        released |= 1u << i;
        warp->state = WARP_READY;
        if (warp->barrier_op->sub >= BARRIER_POPC)
            give_result(warp, warp->barrier_op, barrier);
    }
    if (gone && !barrier->expected)
        report_passed(block, last, op);
    *barrier = (struct barrier){ .votes_and = 1 };
    if (block->thread->checks)
        race_barrier(block, id, released);
}

static void report_split(struct warp *warp, const struct op *op)
{
    uint32_t away = warp->live & ~warp->active;
    struct finding_report report = {
        .kind = SIM_BARRIER, .severity = SIM_ERROR, .op = op, .lane = __builtin_ctz(warp->active)
    };
    char who[80];
    uint32_t other[3];
    warp_thread_of_lane(warp, __builtin_ctz(away), other);
    finding_add(warp, &report,
                "%s reaches this barrier with only %d of the %d threads of its warp; thread (%u,%u,%u) and "
                "others took another branch. Move the barrier to a place that all threads reach.",
                finding_name_lane(warp, report.lane, who), __builtin_popcount(warp->active),
                __builtin_popcount(warp->live), other[0], other[1], other[2]);
}

// Reports two barriers in the source at which threads of one block meet. They do wait for each other, but hardly by intent.
static void report_pair(struct warp *warp, const struct op *op, const struct barrier *barrier)
{
    if (!barrier->first || barrier->first == op || barrier->first->from->line == op->from->line ||
        barrier->first->sub == BARRIER_ARRIVE || op->sub == BARRIER_ARRIVE || barrier->expected)
        return;
    struct finding_report report = { .kind = SIM_BARRIER,
                                     .severity = SIM_WARNING,
                                     .op = op,
                                     .other = barrier->first,
                                     .lane = __builtin_ctz(warp->active) };
    char who[80];
    finding_add(
        warp, &report,
        "%s waits at this barrier while other threads of the block wait at the one in line %d. Use one "
        "barrier that all of them reach.",
        finding_name_lane(warp, report.lane, who), barrier->first->from->line);
}

static bool numbers(struct warp *warp, const struct op *op, uint32_t *id, uint32_t *expected)
{
    int lane = __builtin_ctz(warp->active);
    *id = ROW32(warp, op->a)[lane];
    *expected = op->b ? ROW32(warp, op->b)[lane] : 0;
    if (*id < BARRIERS && *expected % LANES == 0 && *expected <= warp->block->warp_count * LANES)
        return true;
    struct finding_report report = { .kind = SIM_BARRIER, .severity = SIM_ERROR, .op = op, .lane = lane };
    char who[80];
    finding_add(
        warp, &report,
        "%s asks for barrier %u with %u threads. There are barriers 0 to 15, and the count is a multiple of "
        "32 and no more than the block has.",
        finding_name_lane(warp, lane, who), *id, *expected);
    return false;
}

// ---- the barrier of a cluster ----

// All warps of its blocks arrive, and wait for the phase to complete, in one step or two. Warps that have exited count as
// arrived. The block of rank 0 keeps the count.

static bool has_arrived(const struct warp *warp, uint32_t phase)
{
    return warp->state == WARP_DONE || (warp->arrived && warp->phase == phase);
}

static bool phase_is_complete(const struct block *first)
{
    uint32_t size = first->machine->cluster_size, present = first->cluster.arrived;
    for (uint32_t r = 0; r < size; r++)
        present += first->warp_count - block_peer(first, r)->live_warps;
    if (present < size * first->warp_count)
        return false;
    for (uint32_t r = 0; r < size; r++)
        for (uint32_t w = 0; w < first->warp_count; w++)
            if (!has_arrived(&block_peer(first, r)->warps[w], first->cluster.phases))
                return false;
    return true;
}

static void pass_cluster(struct warp *warp)
{
    warp->arrived = false;
    together_waited(warp, warp->phase);
}

static void complete_phase(struct block *first)
{
    uint32_t size = first->machine->cluster_size, phase = first->cluster.phases;
    first->cluster = (struct cluster_barrier){ .phases = phase + 1 };
    for (uint32_t r = 0; r < size; r++)
        for (uint32_t w = 0; w < first->warp_count; w++)
            if (block_peer(first, r)->warps[w].state == WARP_DONE)
                together_arrives(&block_peer(first, r)->warps[w], phase, true);
    for (uint32_t r = 0; r < size; r++)
        for (uint32_t w = 0; w < first->warp_count; w++) {
            struct warp *warp = &block_peer(first, r)->warps[w];
            if (warp->state != WARP_AT_BARRIER || warp->barrier != CLUSTER_BARRIER)
                continue;
            warp->state = WARP_READY;
            pass_cluster(warp);
        }
    if (first->machine->resident == 1 && first->thread->checks) // the block alone is its cluster
        race_barrier(first, 0, FULL_MASK);
}

static void report_turn(struct warp *warp, const struct op *op, const char *what)
{
    struct finding_report report = {
        .kind = SIM_BARRIER, .severity = SIM_ERROR, .op = op, .lane = __builtin_ctz(warp->active)
    };
    char who[80];
    finding_add(warp, &report,
                "%s %s. Every thread arrives at the cluster's barrier and then waits for it, in turn.",
                finding_name_lane(warp, report.lane, who), what);
}

static bool arrive(struct warp *warp, const struct op *op)
{
    struct block *first = block_peer(warp->block, 0);
    if (warp->arrived) {
        report_turn(warp, op, "arrives here a second time without having waited");
        return true;
    }
    warp->arrived = true;
    warp->phase = first->cluster.phases;
    first->cluster.arrived++;
    together_arrives(warp, warp->phase, !(op->imm & BARRIER_RELAXED));
    if (phase_is_complete(first))
        complete_phase(first);
    return true;
}

static bool cluster_reach(struct warp *warp, const struct op *op)
{
    if (op->sub == BARRIER_CLUSTER_ARRIVE)
        return arrive(warp, op);
    if (!warp->arrived) {
        report_turn(warp, op, "waits here without having arrived");
        return true;
    }
    if (block_peer(warp->block, 0)->cluster.phases > warp->phase) {
        pass_cluster(warp);
        return true;
    }
    warp->state = WARP_AT_BARRIER;
    warp->barrier = CLUSTER_BARRIER;
    warp->barrier_op = op;
    return false;
}

static void cluster_settle(struct block *block)
{
    struct block *first = block_peer(block, 0);
    if (!block->live_warps)
        together_block_ends(block);
    if (first->cluster.arrived && phase_is_complete(first))
        complete_phase(first);
}

// ---- barriers of a block ----

static void result_alone(struct warp *warp, const struct op *op)
{
    struct barrier alone = { .votes_and = 1 };
    if (op->sub < BARRIER_POPC)
        return;
    vote(warp, op, &alone);
    give_result(warp, op, &alone);
}

static void wait_at(struct warp *warp, const struct op *op, uint32_t id)
{
    warp->state = WARP_AT_BARRIER;
    warp->barrier = (int)id;
    warp->barrier_op = op;
}

bool barrier_joined(struct warp *warp, const struct op *op)
{
    struct block *block = warp->block;
    if (op->sub != BARRIER_SYNC || op->b || warp->paths[warp->depth - 1].waits_at)
        return false;
    const uint32_t id = ROW32(warp, op->a)[__builtin_ctz(warp->live)];
    struct barrier *barrier = &block->barriers[id % BARRIERS];
    if (id >= BARRIERS || (barrier->first && barrier->first != op) || barrier->expected ||
        barrier->arrived / LANES + 1 >= block->live_warps)
        return false;
    barrier->first = op;
    barrier->arrived += LANES;
    block->met |= 1u << id;
    wait_at(warp, op, id);
    return true;
}

bool barrier_reach(struct warp *warp, const struct op *op)
{
    struct block *block = warp->block;
    uint32_t id, expected;
    if (!warp->active)
        return true;
    if (warp->active != warp->live)
        report_split(warp, op);
    bool cluster = op->sub == BARRIER_CLUSTER_ARRIVE || op->sub == BARRIER_CLUSTER_WAIT;
    if (warp->active == warp->live && cluster)
        return cluster_reach(warp, op);
    if (warp->active != warp->live || !numbers(warp, op, &id, &expected)) {
        result_alone(warp, op);
        return true;
    }
    struct barrier *barrier = &block->barriers[id];
    report_pair(warp, op, barrier);
    if (!barrier->first)
        barrier->first = op;
    barrier->expected = expected;
    barrier->arrived += LANES;
    block->met |= 1u << id;
    if (op->sub >= BARRIER_POPC)
        vote(warp, op, barrier);
    if (op->sub == BARRIER_ARRIVE && warp->checks)
        race_arrive(warp, (int)id);
    if (op->sub != BARRIER_ARRIVE)
        wait_at(warp, op, id);
    if (is_complete(block, (int)id))
        release(block, (int)id, warp, op);
    return warp->state != WARP_AT_BARRIER;
}

void barrier_settle(struct block *block)
{
    cluster_settle(block);
    for (uint32_t left = block->met; left; left &= left - 1) {
        const int id = __builtin_ctz(left);
        if (!block->barriers[id].arrived || !waiting(block, id) || !is_complete(block, id))
            continue;
        for (uint32_t i = 0; i < block->warp_count; i++)
            if (block->warps[i].state == WARP_AT_BARRIER && block->warps[i].barrier == id) {
                release(block, id, &block->warps[i], block->warps[i].barrier_op);
                break;
            }
    }
}

static size_t describe(const struct block *block, size_t at, char *out, size_t room)
{
    char whose[48] = "", number[8];
    if (block->machine->resident > 1)
        snprintf(whose, sizeof whose, " of block (%u,%u,%u)", block->id[0], block->id[1], block->id[2]);
    for (uint32_t i = 0; i < block->warp_count && at + 100 < room; i++) {
        const struct warp *warp = &block->warps[i];
        if (warp->state != WARP_AT_BARRIER || (i && block->warps[i - 1].state == WARP_AT_BARRIER &&
                                               block->warps[i - 1].barrier_op == warp->barrier_op))
            continue;
        snprintf(number, sizeof number, " %d", warp->barrier);
        at += (size_t)snprintf(out + at, room - at, "%s warp %u%s at %sbarrier%s in line %d", at ? "," : "",
                               i, whose, warp->barrier == CLUSTER_BARRIER ? "the cluster's " : "",
                               warp->barrier == CLUSTER_BARRIER ? "" : number, warp->barrier_op->from->line);
    }
    return at;
}

void barrier_report_stuck(struct thread_state *thread)
{
    char who[256] = "";
    size_t at = 0;
    uint32_t each = thread->block.warp_count;
    for (uint32_t k = 0; k < thread->machine->resident; k++)
        at = describe(&thread[k].block, at, who, sizeof who);
    for (uint32_t i = 0; i < block_turns(thread); i++) {
        struct warp *warp = &thread[i / each].block.warps[i % each];
        if (warp->state != WARP_AT_BARRIER)
            continue;
        struct finding_report report = { .kind = SIM_DEADLOCK,
                                         .severity = SIM_ERROR,
                                         .op = warp->barrier_op,
                                         .lane = __builtin_ctz(warp->live | 1u << 31) };
        char name[80];
        finding_add(
            warp, &report,
            "%s waits here for threads that never come, and no warp can go on:%s. Let every thread that a "
            "barrier counts reach it.",
            finding_name_lane(warp, report.lane, name), who);
        return;
    }
}

// ---- barriers inside a warp ---------------------------------------------------------------------------------

// An instruction with a member mask runs when all members have converged at it. A path with some of them is parked while
// its siblings run. Members that can no longer arrive are reported, and the path goes on without them.

static uint32_t named(const struct warp *warp, const struct op *op)
{
    typedef uint32_t lanes4 __attribute__((vector_size(16), may_alias));
    const uint32_t *members = ROW32(warp, op->members);
    uint32_t all = 0;
    if (warp->active == FULL_MASK) {
        lanes4 some = { 0 };
        for (int i = 0; i < LANES; i += 4)
            some |= *(const lanes4 *)(const void *)(members + i);
        return some[0] | some[1] | some[2] | some[3];
    }
    for (uint32_t left = warp->active; left; left &= left - 1)
        all |= members[__builtin_ctz(left)];
    return all;
}

static bool is_beside(const struct simt_path *path, const struct op *op, const struct frame *frame)
{
    if (!path->waits_at)
        return false;
    return op->kind == OP_SYNCED ? path->waits_at == op && path->frame == frame
                                 : path->waits_at->kind == op->kind;
}

static uint32_t gathered(const struct warp *warp, const struct op *op)
{
    const struct simt_path *top = &warp->paths[warp->depth - 1];
    uint32_t lanes = warp->active;
    for (int i = 0; i < warp->depth - 1; i++)
        if (is_beside(&warp->paths[i], op, top->frame))
            lanes |= warp->paths[i].mask;
    return lanes;
}

static void unpark(struct warp *warp, const struct op *op)
{
    struct simt_path *top = &warp->paths[warp->depth - 1];
    for (int i = 0; i < warp->depth - 1; i++)
        if (is_beside(&warp->paths[i], op, top->frame)) {
            warp->paths[i].waits_at = NULL;
            warp->paths[i].pc++;
        }
    top->waits_at = NULL;
}

static void list_lanes(uint32_t lanes, char out[64])
{
    int at = 0, many = 0;
    for (uint32_t left = lanes; left && at < 40; left &= left - 1, many++)
        at += snprintf(out + at, (size_t)(64 - at), "%s%d", many ? ", " : "", __builtin_ctz(left));
    if (__builtin_popcount(lanes) > many)
        snprintf(out + at, (size_t)(64 - at), ", …");
}

static void report_missing(struct warp *warp, const struct op *op, uint32_t missing, bool ended)
{
    struct finding_report report = { .kind = SIM_SYNC_MASK,
                                     .severity = ended ? SIM_WARNING : SIM_ERROR,
                                     .op = op,
                                     .lane = __builtin_ctz(warp->active) };
    char lanes[64];
    list_lanes(missing, lanes);
    char who[80];
    finding_add(warp, &report,
                "%s runs this with a mask that names lanes of its warp that %s (%s). Name only lanes that "
                "run it, or let all of them run it.",
                finding_name_lane(warp, report.lane, who),
                ended ? "have returned before" : "do not come here", lanes);
}

static void report_stranger(struct warp *warp, const struct op *op, uint32_t strangers)
{
    struct finding_report report = {
        .kind = SIM_SYNC_MASK, .severity = SIM_ERROR, .op = op, .lane = __builtin_ctz(strangers)
    };
    char lanes[64];
    list_lanes(strangers, lanes);
    char who[80];
    finding_add(
        warp, &report,
        "%s runs this, but its own mask does not name it (lanes %s). A lane must be in the mask that it "
        "passes.",
        finding_name_lane(warp, report.lane, who), lanes);
}

static void look_at_mask(struct warp *warp, const struct op *op, uint32_t all)
{
    const uint32_t *members = ROW32(warp, op->members);
    uint32_t strangers = 0, ended = all & warp->exists & ~warp->live;
    for (uint32_t left = warp->active; left; left &= left - 1)
        if (!(members[__builtin_ctz(left)] & left & -left))
            strangers |= left & -left;
    if (strangers)
        report_stranger(warp, op, strangers);
    if (ended && op->kind == OP_SYNCED)
        report_missing(warp, op, ended, true);
}

// Lanes that pass different masks to one instruction synchronise only with the lanes of their own mask.
static void put_in_order(struct warp *warp, const struct op *op, uint32_t here, uint32_t all)
{
    const uint32_t *members = ROW32(warp, op->members);
    for (uint32_t left = here; left;) {
        uint32_t mask = members[__builtin_ctz(left)], group = 0;
        for (uint32_t lanes = left; lanes; lanes &= lanes - 1)
            if (members[__builtin_ctz(lanes)] == mask)
                group |= lanes & -lanes;
        race_warp_sync(warp, mask == all ? here : group);
        left &= ~group;
    }
}

// A whole warp, in which no lane has exited, has nothing to wait for, and nothing to report where all lanes are named.
bool barrier_is_met(const struct warp *warp, const struct op *op)
{
    return warp->active == FULL_MASK && warp->live == FULL_MASK && !warp->paths[warp->depth - 1].waits_at &&
           named(warp, op) == FULL_MASK;
}

bool barrier_gather_lanes(struct warp *warp, const struct op *op)
{
    if (!warp->active)
        return true;
    uint32_t all = op->kind == OP_BARRIER ? warp->live : named(warp, op), here = warp->active;
    if ((all & warp->live) != here || warp->live != warp->exists)
        here = gathered(warp, op);
    uint32_t missing = all & warp->live & ~here;
    if (missing) {
        struct simt_path *top = &warp->paths[warp->depth - 1];
        top->pc = warp->pc;
        top->waits_at = op;
        if (simt_rotate(warp)) {
            simt_load(warp);
            return false;
        }
        if (op->kind != OP_BARRIER) // barrier_reach reports it for a barrier
            report_missing(warp, op, missing, false);
    }
    if (op->kind != OP_BARRIER && (here != warp->active || all != warp->active))
        look_at_mask(warp, op, all);
    unpark(warp, op);
    if (op->kind != OP_WARP_SYNC)
        warp->active = here;
    if (op->kind != OP_BARRIER && warp->block->thread->checks)
        put_in_order(warp, op, here, all);
    return true;
}
