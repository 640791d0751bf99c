// A trace as its files share it: trace.c (the steps and the way back), trace_move.c (where to), trace_view.c and
// trace_access.c (what there is to see).
#ifndef WARPBOOK_SIM_TRACE_H
#define WARPBOOK_SIM_TRACE_H

#include "engine/sim/steer.h"

struct kept { // an allocation as it was when the trace opened
    unsigned char *bytes;
    bool shadowed;
    size_t range_bytes;
    unsigned shift;
    uint64_t *written; // NULL: all of it has content
    bool whole;
};
struct last_access { // raw, since it is taken at every memory instruction
    const struct op *op;
    uint64_t step, at[LANES], values[SIM_PARTS][LANES];
    uint32_t lanes, block[3];
    struct warp *warp;
    struct cost cost;
};
struct sim_trace {
    struct machine machine;
    const struct sim_module *module;
    struct sim_memory *memory;
    struct sim_launch launch;
    struct sim_options options;
    struct kept *kept; // by allocation
    size_t kept_count;
    unsigned char *kept_variables; // the module's
    uint32_t kept_segments;
    // Where the launch is. `warp` runs next; NULL: nobody does any more.
    struct warp *warp;
    uint64_t position; // of the running block
    uint32_t turn;     // in the round over its warps
    uint64_t left;     // of the turn
    bool in_block, moved;
    uint64_t steps;
    struct last_access last;
    const volatile bool *stop; // NULL: nobody ends a move
};
const struct op *trace_op(const struct warp *warp); // the next one
uint32_t trace_active(const struct warp *warp, const struct op *op);
void trace_step(struct sim_trace *trace); // trace->warp is not NULL
bool trace_restart(struct sim_trace *trace);
bool trace_is_wide(const struct function *function, const struct ptx_operand *operand, unsigned bytes);

// trace_access.c: before and after an instruction
void trace_before(struct sim_trace *trace, const struct op *op, uint32_t active);
void trace_after(struct sim_trace *trace);

#endif
