// Between the files of a sample: sample.c and longest.c.
#ifndef WARPBOOK_SAMPLE_H
#define WARPBOOK_SAMPLE_H

#include "engine/sim/machine/machine.h"

struct recorder { // of one warp
    struct sim_sampled_warp *into;
    size_t step_limit, step_room, touch_room;
    uint16_t *seen;  // by instruction: steps of it that were recorded; NULL: all are, up to the limit
    bool full;       // no further steps
    bool leaves_out; // the step that is executed
};
void sampled_warp_clear(struct sim_sampled_warp *warp);

// ---- longest.c: few warps that run far longer than all others --------------------------------------------

enum { LONG_FIRST = 256 }; // instructions that a warp has executed when its first window begins

struct lengths;
struct sim_long_warp {
    uint64_t ran, block;
    uint32_t warp; // in its block
};
struct lengths *lengths_new(const struct machine *machine, size_t warps); // NULL: no memory
void lengths_free(struct lengths *lengths);
void lengths_window(struct lengths *lengths, struct warp *warp); // its next window begins, or its window ends
void lengths_block_ends(struct lengths *lengths, struct block *block);
// The long warps, the longest first; none: all are as long. `sum`: of each block's longest warp. False: no memory.
bool lengths_find(struct lengths *lengths, uint64_t sum, const struct sim_long_warp **out, size_t *count);
// What is known of the longest of them; `sampled` is its record where its block was sampled. False: no memory.
bool lengths_take(struct lengths *lengths, struct sim_sampled_warp *sampled, struct sim_long *out);

#endif
