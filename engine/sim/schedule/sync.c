// Barriers inside a warp: an instruction that names lanes runs when all of them have come to it. A path that is not
// complete is parked while its sisters run; lanes that cannot come any more are reported, and the path goes on.
#include "engine/sim/schedule/schedule.h"

#include <stdio.h>

static uint32_t named(const struct warp *warp, const struct op *op)
{
    const uint32_t *members = ROW32(warp, op->members);
    uint32_t all = 0;
    for (uint32_t left = warp->active; left; left &= left - 1)
        all |= members[__builtin_ctz(left)];
    return all;
}

static bool is_beside(const struct path *path, const struct op *op, const struct frame *frame)
{
    if (!path->waits_at)
        return false;
    return op->kind == OP_SYNCED ? path->waits_at == op && path->frame == frame
                                 : path->waits_at->kind == op->kind;
}

static uint32_t gathered(const struct warp *warp, const struct op *op)
{
    const struct path *top = &warp->paths[warp->depth - 1];
    uint32_t lanes = warp->active;
    for (int i = 0; i < warp->depth - 1; i++)
        if (is_beside(&warp->paths[i], op, top->frame))
            lanes |= warp->paths[i].mask;
    return lanes;
}

static void release(struct warp *warp, const struct op *op)
{
    struct path *top = &warp->paths[warp->depth - 1];
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
    struct report report = { .kind = SIM_SYNC_MASK,
                             .severity = ended ? SIM_WARNING : SIM_ERROR,
                             .op = op,
                             .lane = __builtin_ctz(warp->active) };
    char lanes[64];
    list_lanes(missing, lanes);
    char who[80];
    finding_add(
        warp, &report,
        "%s runs this with a mask that names lanes of its warp that %s (%s). Name only lanes that run it, or "
        "let all lanes come.",
        name_lane(warp, report.lane, who), ended ? "have returned before" : "do not come here", lanes);
}

static void report_stranger(struct warp *warp, const struct op *op, uint32_t strangers)
{
    struct report report = {
        .kind = SIM_SYNC_MASK, .severity = SIM_ERROR, .op = op, .lane = __builtin_ctz(strangers)
    };
    char lanes[64];
    list_lanes(strangers, lanes);
    char who[80];
    finding_add(
        warp, &report,
        "%s runs this, but its own mask does not name it (lanes %s). A lane must be in the mask that it "
        "passes.",
        name_lane(warp, report.lane, who), lanes);
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

// Lanes that pass different masks at one instruction are in order with those of their own mask only.
static void put_in_order(struct warp *warp, const struct op *op, uint32_t here, uint32_t all)
{
    const uint32_t *members = ROW32(warp, op->members);
    for (uint32_t left = here; left;) {
        uint32_t mask = members[__builtin_ctz(left)], group = 0;
        for (uint32_t lanes = left; lanes; lanes &= lanes - 1)
            if (members[__builtin_ctz(lanes)] == mask)
                group |= lanes & -lanes;
        check_warp_sync(warp, mask == all ? here : group);
        left &= ~group;
    }
}

bool sync_gather(struct warp *warp, const struct op *op)
{
    if (!warp->active)
        return true;
    uint32_t all = op->kind == OP_BARRIER ? warp->live : named(warp, op), here = warp->active;
    if ((all & warp->live) != here || warp->live != warp->exists)
        here = gathered(warp, op);
    uint32_t missing = all & warp->live & ~here;
    if (missing) {
        struct path *top = &warp->paths[warp->depth - 1];
        top->pc = warp->pc;
        top->waits_at = op;
        if (path_rotate(warp)) {
            path_load(warp);
            return false;
        }
        if (op->kind != OP_BARRIER) // barrier.c has a sentence for it
            report_missing(warp, op, missing, false);
    }
    if (op->kind != OP_BARRIER && (here != warp->active || all != warp->active))
        look_at_mask(warp, op, all);
    release(warp, op);
    if (op->kind != OP_WARP_SYNC)
        warp->active = here;
    if (op->kind != OP_BARRIER && warp->block->machine->checks)
        put_in_order(warp, op, here, all);
    return true;
}
