// How far apart in time warps ask for the same lines. DRAM brings a line once: who asks while it is on its way waits for it as
// well, and who asks later finds it in L2.
#include "engine/model/sm.h"

#include <math.h>
#include <stdlib.h>

enum { VISITS_MOST = 1024 }; // enough to tell the mean

struct visit {
    uint64_t line;
    uint32_t warp, step; // of the warp, which loads it
};

static int compare_visits(const void *a, const void *b)
{
    const struct visit *one = a, *other = b;
    if (one->line != other->line)
        return one->line < other->line ? -1 : 1;
    if (one->warp != other->warp)
        return one->warp < other->warp ? -1 : 1;
    return one->step < other->step ? -1 : one->step > other->step;
}

// One line in 2^shift is looked at.
static bool is_kept(uint64_t line, unsigned shift)
{
    return line * 0x9e3779b97f4a7c15u >> 1 >> (63 - shift) == 0;
}

// False: there are too many visits.
static bool gather_warp(const struct sim_sampled_warp *warp, const struct model_code *code, uint32_t number,
                        unsigned shift, struct visit *out, size_t *count)
{
    const uint64_t *touches = warp->touches;
    for (size_t s = 0; s < warp->step_count; touches += warp->steps[s++].touches) {
        if (code->code[warp->steps[s].index].access != SIM_GLOBAL_LOAD)
            continue;
        for (unsigned i = 0; i < warp->steps[s].touches; i++) {
            uint64_t line = touches[i] >> 4;
            if (!is_kept(line, shift))
                continue;
            if (*count == VISITS_MOST)
                return false;
            out[(*count)++] = (struct visit){ line, number, (uint32_t)s };
        }
    }
    return true;
}

static bool gather_visits(const struct sim_sample *sample, const struct model_code *code, unsigned shift,
                          struct visit *out, size_t *count)
{
    uint32_t number = 0;
    *count = 0;
    for (size_t b = 0; b < sample->block_count; b++)
        for (size_t w = 0; w < sample->blocks[b].warp_count; w++)
            if (!gather_warp(&sample->blocks[b].warps[w], code, number++, shift, out, count))
                return false;
    return true;
}

// The visits of one line, in the order of warps and steps: adds what is left of the wait for each warp that comes after the first.
static void add_line(const struct visit *visits, size_t count, double steps, double *waits, size_t *followers)
{
    uint32_t first = visits[0].step;
    for (size_t i = 1; i < count; i++)
        first = visits[i].step < first ? visits[i].step : first;
    for (size_t i = 0; i < count; i++)
        if (!i || visits[i].warp != visits[i - 1].warp) {
            *waits += fmax(0, 1 - (visits[i].step - first) / steps);
            ++*followers;
        }
    *waits -= 1; // that of the first one
    --*followers;
}

double sample_in_step(const struct sim_sample *sample, const struct model_code *code, double steps)
{
    struct visit *visits = malloc(VISITS_MOST * sizeof *visits);
    size_t count = 0, followers = 0;
    double waits = 0;
    bool found = false;
    for (unsigned shift = 0; visits && !found && shift < 32; shift++)
        found = gather_visits(sample, code, shift, visits, &count);
    if (found)
        qsort(visits, count, sizeof *visits, compare_visits);
    for (size_t i = 0, end; found && i < count; i = end) {
        for (end = i + 1; end < count && visits[end].line == visits[i].line;)
            end++;
        add_line(visits + i, end - i, steps, &waits, &followers);
    }
    free(visits);
    return followers ? waits / (double)followers : 1;
}
