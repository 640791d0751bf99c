// The barrier of a cluster: all warps of its blocks arrive, and wait for the phase to complete, in one step or two. Warps that
// have exited count as arrived. The block of rank 0 keeps the count.
#include "engine/sim/schedule/schedule.h"

#include <stdio.h>

static bool has_arrived(const struct warp *warp, uint32_t phase)
{
    return warp->state == WARP_DONE || (warp->arrived && warp->phase == phase);
}

static bool is_complete(const struct block *first)
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

static void pass(struct warp *warp)
{
    warp->arrived = false;
    together_waited(warp, warp->phase);
}

static void complete(struct block *first)
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
            pass(warp);
        }
    if (first->machine->resident == 1 && first->thread->checks) // the block alone is its cluster
        race_barrier(first, 0, FULL_MASK);
}

static void report(struct warp *warp, const struct op *op, const char *what)
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
        report(warp, op, "arrives here a second time without having waited");
        return true;
    }
    warp->arrived = true;
    warp->phase = first->cluster.phases;
    first->cluster.arrived++;
    together_arrives(warp, warp->phase, !(op->imm & BARRIER_RELAXED));
    if (is_complete(first))
        complete(first);
    return true;
}

bool cluster_reach(struct warp *warp, const struct op *op)
{
    if (op->sub == BARRIER_CLUSTER_ARRIVE)
        return arrive(warp, op);
    if (!warp->arrived) {
        report(warp, op, "waits here without having arrived");
        return true;
    }
    if (block_peer(warp->block, 0)->cluster.phases > warp->phase) {
        pass(warp);
        return true;
    }
    warp->state = WARP_AT_BARRIER;
    warp->barrier = CLUSTER_BARRIER;
    warp->barrier_op = op;
    return false;
}

void cluster_settle(struct block *block)
{
    struct block *first = block_peer(block, 0);
    if (!block->live_warps)
        together_block_ends(block);
    if (first->cluster.arrived && is_complete(first))
        complete(first);
}
