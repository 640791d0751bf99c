// Between the files of a sample: sample.c and longest.c.
#ifndef WARPBOOK_SAMPLE_H
#define WARPBOOK_SAMPLE_H

#include "engine/sim/machine/machine.h"

#include <stdlib.h>

struct recorder { // of one warp
    struct sim_sampled_warp *into;
    size_t step_limit, step_room, touch_room;
    // By what rule the last step was recorded or left out: so many of one instruction are recorded, up to that many steps and
    // while *past_from is the same.
    unsigned most;
    size_t steps_until;
    uint32_t past_then;
    uint32_t barriers; // that it reached
    uint32_t *
        past_from; // of the block: after so many barriers its warps are past their limits; NULL: each for itself
    uint64_t *own; // of the block: what it stored last, by line, as of a warp's touches; NULL: not noted
    uint16_t
        *seen; // by instruction: how often it was executed; NULL: all steps are recorded, up to the limit
    uint64_t highest; // line that the step touched
    bool full;        // no further steps
    bool leaves_out;  // the step that is executed
};
static inline void sampled_warp_clear(struct sim_sampled_warp *warp)
{
    free(warp->steps);
    free(warp->touches);
    *warp = (struct sim_sampled_warp){ 0 };
}
static inline void sampled_warps_free(struct sim_sampled_warp *warps, size_t count)
{
    for (size_t w = 0; warps && w < count; w++)
        sampled_warp_clear(&warps[w]);
    free(warps);
}

// ---- longest.c: few warps that run far longer than all others --------------------------------------------

enum { LONG_FIRST = 256 }; // instructions that a warp has executed when its first window begins

struct lengths *lengths_new(const struct machine *machine, size_t warps); // NULL: no memory
void lengths_free(struct lengths *lengths);
void lengths_block_ends(struct lengths *lengths, struct block *block);
// Tells what few warps do that run far longer than all others apart from what those do. False: no memory.
bool lengths_take(struct lengths *lengths, struct sim_sample *out);

#endif
