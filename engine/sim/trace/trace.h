// A trace as its files share it: trace.c (the steps), trace_shot.c, trace_image.c and trace_unit.c (the way back),
// trace_move.c (where to), trace_view.c and trace_access.c (what there is to see).
#ifndef WARPBOOK_SIM_TRACE_H
#define WARPBOOK_SIM_TRACE_H

#include "engine/sim/sanitize/check.h"
#include "engine/sim/sanitize/finding.h"
#include "engine/sim/schedule/schedule.h"

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

// ---- shots: the state of a launch after some of its steps, to go back to --------------------------------------

struct image { // bytes that are written down or, when it loads, put back
    struct budget *budget;
    unsigned char *bytes;
    size_t at, room;
    bool loads, failed;
};
enum { UNIT = PAGE << 2 }; // bytes of a buffer that are copied together: one page of its shadow or more
struct piece {             // a unit's content and shadow; shots share it
    size_t users, bytes;
    unsigned char data[];
};
struct book { // of a buffer, by unit
    struct piece *
        *now; // what it held when it was last written down or put back; NULL: what it held at the start
    uint64_t *touched; // a bit each: touched since then
    size_t units;
    unsigned shift; // of its shadow then
};
struct held {
    size_t buffer, unit;
    struct piece *piece;
};
struct shot {
    uint64_t step;
    struct image image;
    struct held *held; // units that are not as they were at the start, in order
    size_t held_count;
    struct findings *findings;
};
enum { SHOTS = 256, SHOT_BYTES = 64 << 20 }; // the most that are kept, and their memory
struct shots {
    struct shot shot[SHOTS + 1]; // by step; the first is the start
    size_t count, bytes;
    struct book *books; // by allocation
    bool on;
    uint64_t next; // step of the next one
    uint64_t aim;  // where a move back goes to: they get denser towards it
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
    const atomic_bool *stop; // NULL: nobody ends a move
    struct shots shots;
};
const struct op *trace_op(const struct warp *warp); // the next one
uint32_t trace_active(const struct warp *warp, const struct op *op);
void trace_step(struct sim_trace *trace); // trace->warp is not NULL
bool trace_restart(struct sim_trace *trace);
// To the step `to` or not far before it. False: no memory.
bool trace_near(struct sim_trace *trace, uint64_t to);
bool trace_is_wide(const struct function *function, const struct ptx_operand *operand, unsigned bytes);

// trace_access.c: before and after an instruction
void trace_before(struct sim_trace *trace, const struct op *op, uint32_t active);
void trace_after(struct sim_trace *trace);

// trace_shot.c
void shots_start(struct sim_trace *trace); // at its first step
void shots_end(struct sim_trace *trace);
void shots_step(struct sim_trace *trace, uint64_t ran); // after each step, which ran so many instructions
bool shots_load(struct sim_trace *trace, uint64_t to);  // the nearest at or before; false: there is none
// trace_image.c
void image_reserve(struct image *image, size_t bytes); // room for so many more
void image_pass(struct image *image, void *what, size_t bytes);
void image_pass_pages(struct image *image, struct range *range, size_t from, size_t count);
bool image_pass_range(struct image *image, struct range *range);
void image_pass_trace(struct image *image, struct sim_trace *trace); // all but the buffers
// trace_unit.c: the buffers
bool units_start(struct sim_trace *trace);
void units_end(struct sim_trace *trace);
void units_touch(struct sim_trace *trace, const struct op *op, uint32_t active); // before it runs
bool units_touch_all(struct sim_trace *trace); // false: that is too much to copy
void units_pass_shadow(struct image *image, struct sim_trace *trace, size_t buffer);
bool units_save(struct sim_trace *trace, struct shot *shot);
bool units_load(struct sim_trace *trace, const struct shot *shot);
void units_drop(struct sim_trace *trace, struct shot *shot);

#endif
