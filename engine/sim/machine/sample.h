// Between the files of a sample: sample.c, steps.c, touched.c, atomic_turns.c and longest.c.
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

// ---- the whole ------------------------------------------------------------------------------------------------

enum {
    BLOCKS_MOST = 16,
    VISITS_MOST = 64,
    ALL_LOADED = 0x0f * SAMPLE_LOADED // of a line
};

struct noted { // of an allocation
    // A byte for each line, NULL: not noted. Of the lines whose visits are noted only a few are said to be loaded, those of the
    // part of the launch that runs: what it says needs no further note.
    unsigned char *known;
    // For the one line of each group whose visits are noted: what of it has been loaded in any part; and a bit for each part of
    // the launch that loaded it.
    unsigned char *loaded;
    uint64_t *visited;
    // Of an allocation with one such group: what has been done with all of it, SAMPLE_LOADED and SAMPLE_STORED, and after how
    // many requests that is to be seen.
    unsigned char whole, look_in;
    void *turns;  // uint64_t: for each unit of L2, in each of its parts, sectors of atomic requests x LANES
    size_t parts; // of the launch that are noted apart there: a power of 2
    void *swaps;  // uint32_t: of each word, compares and swaps that swapped. Both NULL: none yet
};
struct sample {
    const struct machine *machine;
    struct noted *noted; // by allocation, from the first one on
    uint64_t first_noted, noted_count;
    uint32_t *numbers; // of the allocations that there are
    size_t number_count;
    uint64_t swap_tries;
    bool footprint;
    bool alone; // one host thread
    // Where it is: what is known of lines whose visits are noted, of this part of the launch only.
    unsigned part, visit_count;
    unsigned char *visits[VISITS_MOST];
    struct lengths *lengths; // longest.c
    size_t step_limit;       // of a warp
    uint64_t first, apart;
    uint32_t *work; // by block
    struct sim_sampled_block *blocks;
    struct recorder *recorders; // warp after warp, block after block
    uint16_t *seen;             // of all recorders
    uint64_t *own;              // of all sampled blocks
    size_t own_lines;           // of each: a power of 2
    uint32_t past_from[BLOCKS_MOST];
    size_t block_count, warp_count;
    uint64_t atomics; // sectors of atomic requests
    atomic_bool failed;
};

// Groups of lines of which one has its visits noted.
INLINE size_t groups_of(size_t bytes)
{
    return bytes / SIM_LINE_BYTES / VISITED_GROUP + 1;
}

// NULL: there is no such allocation.
INLINE struct noted *noted_as(const struct sample *sample, uint64_t number)
{
    uint64_t at = number - sample->first_noted;
    return at < sample->noted_count ? &sample->noted[at] : NULL;
}

// ---- steps.c --------------------------------------------------------------------------------------------------

// An array with room for one more, which grows when it must. NULL: no memory, and nothing more is recorded.
void *recorder_room(struct recorder *recorder, void *items, size_t count, size_t *room, size_t item);

// ---- touched.c: what all blocks touched ------------------------------------------------------------------------

// Adds what the allocation's maps say.
void touched_count(struct noted *noted, size_t number, size_t bytes, struct sim_sample *out);

// ---- atomic_turns.c: where atomics meet ------------------------------------------------------------------------

// Parts of the launch in which an allocation's turns are noted apart: a power of 2.
size_t atomic_turns_parts(const struct sample *sample, size_t number);
// Raises the most turns of one unit in each window of 1, 2, 4 ... parts, and adds compares and swaps.
void atomic_turns_count(const struct sample *sample, size_t number,
                        uint64_t most[SIM_WINDOWS][SIM_LAUNCH_PARTS], struct sim_sample *out);
// Over all windows.
void atomic_turns_sum(uint64_t most[SIM_WINDOWS][SIM_LAUNCH_PARTS], struct sim_sample *out);

// ---- longest.c: few warps that run far longer than all others --------------------------------------------

enum { LONG_FIRST = 256 }; // instructions that a warp has executed when its first window begins

struct lengths *lengths_new(const struct machine *machine, size_t warps); // NULL: no memory
void lengths_free(struct lengths *lengths);
void lengths_block_ends(struct lengths *lengths, struct block *block);
// Tells what few warps do that run far longer than all others apart from what those do. False: no memory.
bool lengths_take(struct lengths *lengths, struct sim_sample *out);

#endif
