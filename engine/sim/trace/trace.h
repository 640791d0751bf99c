// A launch that stops after every instruction: trace.c steps, forward and back; trace_views.c shows registers,
// memory, the SIMT stack and the last access; trace_snapshot.c keeps the states that a step back starts from;
// trace_variables.c shows the variables of the source, trace_matrix.c a matrix instruction.
#ifndef WARPBOOK_SIM_TRACE_H
#define WARPBOOK_SIM_TRACE_H

#include "engine/sim/module/debug.h"
#include "engine/sim/sanitize/checks.h"
#include "engine/sim/schedule/schedule.h"

struct saved_allocation { // an allocation as it was when the trace opened
    unsigned char *bytes; // NULL: it is not brought back
    bool shadowed;
    size_t shadow_bytes;
    unsigned shift;
    uint64_t *written; // NULL: all of it has content
    bool whole;
};
struct traced_access { // the last memory instruction, unformatted, since every one is recorded
    const struct op *op;
    uint64_t step, at[LANES], values[SIM_PARTS][LANES];
    uint32_t lanes, block[3];
    bool brings; // its values come from memory: a load, or an atomic that returns
    struct warp *warp;
    struct cost cost, remote; // the latter in other blocks' shared memory
};

// ---- snapshots: the state of a launch after some of its steps ---------------------------------------------------------

struct state_image { // a serialised state, while it is written or (`loads`) restored
    struct budget *budget;
    unsigned char *bytes;
    size_t at, room;
    bool loads, failed;
};
enum { UNIT = PAGE << 2 }; // bytes of a buffer that are copied together: one page of its shadow or more
struct unit_copy {         // a unit's content and shadow, shared by snapshots
    size_t users, bytes;   // users: references to it
    unsigned char data[];
};
struct buffer_copies { // the units of one buffer
    struct unit_copy *
        *now;        // the copy that equals a clean unit; NULL: it holds what it held when the trace opened
    uint64_t *dirty; // a bit for each unit: it may differ from its copy
    size_t units;
    unsigned shift; // granularity of the shadow at the last snapshot
};
struct saved_unit { // one entry of a snapshot
    size_t buffer, unit;
    struct unit_copy *copy;
};
struct snapshot {
    uint64_t step;
    struct state_image image;
    struct saved_unit *saved; // units that differ from the start, by buffer and unit
    size_t saved_count;
    struct findings *findings;
};
enum { SNAPSHOTS = 256, SNAPSHOT_BYTES = 64 << 20 }; // the most that are kept, and their memory
struct snapshots {
    struct snapshot snapshot[SNAPSHOTS + 1]; // by step; the first is the start
    size_t count, bytes;
    struct buffer_copies *copies; // by allocation
    bool on;
    uint64_t next; // the step at which the next one is taken
    uint64_t aim;  // the target of a move back; snapshots get denser towards it
};
struct sim_trace {
    struct machine machine;
    const struct sim_module *module;
    struct sim_memory *memory;
    struct sim_launch launch;
    struct sim_options options;
    struct saved_allocation *kept; // by allocation
    size_t kept_count;
    unsigned char *kept_variables; // the module's
    uint32_t kept_segments;
    // The position of the launch. `warp` runs next; NULL: the launch is over.
    struct warp *warp;
    uint64_t position; // of the running block in the launch order
    uint32_t turn;     // index of the warp in the round over the block
    uint64_t left;     // instructions left of the turn
    bool in_block, moved;
    uint64_t steps;
    struct traced_access last;
    const atomic_bool *stop; // set by another thread to end a move; NULL: moves end by themselves
    struct snapshots snapshots;
    struct debug_info *debug; // the variables of the source; NULL: the PTX names none
};

// The number of the allocation after this one that is brought back: a buffer. Variables of modules are kept as a whole.
static inline size_t trace_next(const struct sim_trace *t, size_t number)
{
    do
        number++;
    while (number < t->kept_count && !t->kept[number].bytes);
    return number;
}

// The next instruction of a warp, and the lanes that its path and its guard leave active.
static inline const struct op *trace_next_op(const struct warp *warp)
{
    return &warp->function->ops[warp->pc];
}

static inline uint32_t trace_active_lanes(const struct warp *warp, const struct op *op)
{
    uint32_t guard = op->guarded ? ROWP(warp, op->guard) : FULL_MASK;
    return warp->mask & (op->guard_negated ? ~guard : guard);
}

// ---- trace_snapshot.c -------------------------------------------------------------------------------------------

void snapshots_start(struct sim_trace *trace); // at its first step
void snapshots_end(struct sim_trace *trace);
void snapshots_step(struct sim_trace *trace, uint64_t ran); // after each step, which ran so many instructions
bool snapshots_load(struct sim_trace *trace, uint64_t to);  // the nearest at or before; false: there is none
void snapshots_mark_dirty(struct sim_trace *trace, const struct op *op, uint32_t active); // before it runs

#endif
