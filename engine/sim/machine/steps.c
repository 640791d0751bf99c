// The steps of a warp of a sampled block, in their order: all up to a limit, then few of each instruction.
#include "engine/sim/machine/sample.h"

#include <stdlib.h>

enum {
    OF_ONE = 16,  // of a warp's steps, those of one instruction are one in so many at most
    OF_EACH = 32, // steps of each instruction that are recorded of a warp past its limit
    OF_LONG = 2,  // the same past so many limits as FAR, in long basic blocks
    FAR = 4
};

// An array with room for one more, which grows when it must. NULL: no memory, and nothing more is recorded.
void *recorder_room(struct recorder *recorder, void *items, size_t count, size_t *room, size_t item)
{
    enum { GROWTH = 4 };
    if (count < *room)
        return items;
    size_t larger = *room ? *room * GROWTH : 256;
    void *grown = realloc(items, larger * item);
    if (grown)
        *room = larger;
    else
        recorder->full = true;
    return grown;
}

static __attribute__((noinline)) bool make_step_room(struct recorder *recorder)
{
    struct sim_sampled_warp *into = recorder->into;
    struct sim_step *steps =
        recorder_room(recorder, into->steps, into->step_count, &recorder->step_room, sizeof *steps);
    recorder->leaves_out = !steps;
    into->steps = steps ? steps : into->steps;
    return steps;
}

// A warp has reached its limit. From the next barrier on, all of its block have: so they record the same phases, and meet at
// the same barriers.
static bool is_past(struct recorder *recorder, const struct op *op)
{
    size_t count = recorder->into->step_count, limit = recorder->step_limit;
    if (!recorder->past_from)
        return count >= limit;
    bool past = recorder->barriers >= *recorder->past_from || count >= (recorder->barriers ? 2 : 1) * limit;
    if (op->kind == OP_BARRIER && ++recorder->barriers < *recorder->past_from && count >= limit)
        *recorder->past_from = recorder->barriers;
    return past;
}

// How many steps of one instruction are recorded.
static unsigned most_of(const struct recorder *recorder, bool past)
{
    return !past ? (unsigned)(recorder->step_limit / OF_ONE)
           : recorder->into->step_count < FAR * recorder->step_limit ? OF_EACH
                                                                     : OF_LONG;
}

// The number of steps at which another rule than the one that was found now may hold.
static size_t steps_until(const struct recorder *recorder, bool past)
{
    const size_t limit = recorder->step_limit;
    if (!past)
        return (recorder->barriers ? 2 : 1) * limit;
    return recorder->into->step_count < FAR * limit ? FAR * limit : SIZE_MAX;
}

// There is room for it.
INLINE void add_step(struct warp *warp, const struct op *op, unsigned lanes)
{
    struct sim_sampled_warp *into = warp->recorder->into;
    warp->recorded = true;
    into->steps[into->step_count++] =
        (struct sim_step){ .index = (uint32_t)op->tally, .lanes = (uint8_t)lanes };
}

// A call on processors that may not have the instruction, for which nothing has to be kept here.
static __attribute__((noinline)) void add_part_of_step(struct warp *warp, const struct op *op,
                                                       uint32_t active)
{
    add_step(warp, op, (unsigned)__builtin_popcount(active));
}

// Of a loop the first iterations, so that what comes after a long one is known as well: the same ones in all warps of a
// block, which meet at its barriers. Past the limit only what has hardly been recorded.
static __attribute__((noinline)) void record_step(struct warp *warp, const struct op *op, uint32_t active)
{
    struct recorder *recorder = warp->recorder;
    struct sim_sampled_warp *into = recorder->into;
    uint16_t *seen = recorder->seen ? &recorder->seen[op->tally] : NULL;
    bool past = is_past(recorder, op);
    recorder->full |= past && !seen;
    unsigned most = most_of(recorder, past);
    recorder->leaves_out = recorder->full || (seen && *seen >= most);
    recorder->most = most;
    recorder->steps_until = recorder->full || op->kind == OP_BARRIER ? 0 : steps_until(recorder, past);
    recorder->past_then = recorder->past_from ? *recorder->past_from : 0;
    warp->recorded = false;
    if (recorder->leaves_out)
        return;
    if (seen)
        ++*seen;
    if (into->step_count < recorder->step_room || make_step_room(recorder))
        add_step(warp, op, (unsigned)__builtin_popcount(active));
}

// Whether the next step is recorded by the rule of the last one.
INLINE bool goes_on(const struct recorder *recorder)
{
    return recorder->into->step_count < recorder->steps_until && *recorder->past_from == recorder->past_then;
}

INLINE void count_step(struct warp *warp, const struct op *op, uint32_t active)
{
    if (active == FULL_MASK)
        add_step(warp, op, LANES);
    else
        add_part_of_step(warp, op, active);
}

// Most steps are left out, or recorded, as the last one was; of a window all are recorded.
void sample_step(struct warp *warp, const struct op *op, uint32_t active)
{
    struct recorder *recorder = warp->recorder;
    uint16_t *seen = recorder->seen;
    const size_t count = recorder->into->step_count;
    if (!seen && count < recorder->step_room && count < recorder->step_limit) {
        recorder->leaves_out = false;
        count_step(warp, op, active);
        return;
    }
    if (!seen || op->kind == OP_BARRIER || !goes_on(recorder)) {
        record_step(warp, op, active);
        return;
    }
    seen += op->tally;
    recorder->leaves_out = *seen >= recorder->most;
    warp->recorded = false;
    if (recorder->leaves_out)
        return;
    if (count == recorder->step_room) {
        record_step(warp, op, active); // which makes room
        return;
    }
    ++*seen;
    count_step(warp, op, active);
}

bool sample_leaves_out(const struct warp *warp, const struct op *op, int32_t count)
{
    const struct recorder *recorder = warp->recorder;
    if (!recorder->seen || !goes_on(recorder))
        return false;
    for (int32_t i = 0; i < count; i++)
        if (recorder->seen[op->tally + i] < recorder->most)
            return false;
    return true;
}

void sample_passes(struct warp *warp, unsigned passes)
{
    struct recorder *recorder = warp->recorder;
    if (!recorder || recorder->leaves_out || !recorder->into->step_count)
        return;
    struct sim_step *step = &recorder->into->steps[recorder->into->step_count - 1];
    step->passes = (uint16_t)(step->passes + passes < UINT16_MAX ? step->passes + passes : UINT16_MAX);
}

void sample_waves(struct warp *warp, unsigned waves)
{
    const struct sim_sampled_warp *into = warp->recorder->into;
    into->steps[into->step_count - 1].waves = (uint16_t)waves;
}
