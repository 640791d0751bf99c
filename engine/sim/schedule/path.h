// Private to the files that run a warp: its paths (simt.c), calls (call.c), what changes a path (steer.c), the loop (execute.c) and
// turns (turn.c).
#ifndef WARPBOOK_SIM_PATH_H
#define WARPBOOK_SIM_PATH_H

#include "engine/sim/schedule/schedule.h"

// ---- simt.c ----

// Keeps where the running path is.
INLINE void save_path(struct warp *warp)
{
    warp->paths[warp->depth - 1].pc = warp->pc;
}

void simt_delay(struct warp *warp); // the running path comes after the others
INLINE void simt_remove_lanes(struct warp *warp, uint32_t lanes)
{
    for (int i = 0; i < warp->depth; i++)
        warp->paths[i].mask &= ~lanes;
    warp->mask &= ~lanes;
    warp->active &= ~lanes;
}
// A divergent branch: parts the running path in the lanes that take it and those that do not, or by its table of targets, and
// selects the path that runs.
void simt_split(struct warp *warp, const struct op *op, uint32_t taken);
void simt_fan(struct warp *warp, const struct op *op, uint32_t lanes);

// ---- call.c ----

bool call_enter(struct warp *warp, const struct op *op);             // false: the launch is stopped
void call_return(struct warp *warp, const struct simt_path *bottom); // copies the results to the caller

// ---- steer.c ----

// False: the warp waits, has ended or is stopped.
bool steer(struct warp *warp, const struct op *op);

// ---- execute.c ----

INLINE void activate(struct warp *warp, uint32_t active)
{
    warp->active = active;
    if (active != FULL_MASK && active != warp->expanded)
        warp_expand(warp);
}
// The builtin is a call on processors that may not have the instruction.
INLINE uint32_t lane_count(uint32_t mask)
{
    return mask == FULL_MASK ? LANES : (uint32_t)__builtin_popcount(mask);
}

// Runs the turn for so many instructions, which a sample records in parts. Returns how many there were.
uint64_t warp_run_part(struct warp_turn *turn, uint64_t budget);

#endif
