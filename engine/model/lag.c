// How far apart in time warps ask for the same lines. DRAM brings a line once: who asks while it is on its way waits for it as
// well, and who asks later finds it in L2.
#include "engine/model/sm.h"

#include <math.h>
#include <stdlib.h>

enum {
    VISITS_MOST = 1024, // enough to tell the mean
    SHIFT_MOST = 31
};

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

struct kept_visits { // those of one line in 2^shift: as many lines as fit
    struct visit *all;
    size_t count;
    unsigned shift;
};

static bool is_kept(uint64_t line, unsigned shift)
{
    return line * 0x9e3779b97f4a7c15u >> 1 >> (63 - shift) == 0;
}

// Keeps about half of the lines.
static void keep_fewer(struct kept_visits *kept)
{
    size_t count = kept->count;
    kept->shift++;
    kept->count = 0;
    for (size_t i = 0; i < count; i++)
        if (is_kept(kept->all[i].line, kept->shift))
            kept->all[kept->count++] = kept->all[i];
}

static void keep_visit(struct kept_visits *kept, struct visit visit)
{
    while (kept->count == VISITS_MOST && kept->shift < SHIFT_MOST && is_kept(visit.line, kept->shift))
        keep_fewer(kept);
    if (!is_kept(visit.line, kept->shift))
        return;
    if (kept->count < VISITS_MOST)
        kept->all[kept->count] = visit;
    kept->count++;
}

static void gather_warp(const struct sim_sampled_warp *warp, const struct model_code *code, uint32_t number,
                        struct kept_visits *out)
{
    const uint64_t *touches = warp->touches;
    for (size_t s = 0; s < warp->step_count; touches += warp->steps[s++].touches) {
        if (!warp->steps[s].touches || code->code[warp->steps[s].index].access != SIM_GLOBAL_LOAD)
            continue;
        for (unsigned i = 0; i < warp->steps[s].touches; i++)
            if (is_kept(touches[i] >> 4, out->shift))
                keep_visit(out, (struct visit){ touches[i] >> 4, number, (uint32_t)s });
    }
}

static void gather_visits(const struct sim_sample *sample, const struct model_code *code,
                          struct kept_visits *out)
{
    uint32_t number = 0;
    for (size_t b = 0; b < sample->block_count; b++)
        for (size_t w = 0; w < sample->blocks[b].warp_count; w++)
            gather_warp(&sample->blocks[b].warps[w], code, number++, out);
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
    struct kept_visits kept = { .all = malloc(VISITS_MOST * sizeof *kept.all) };
    size_t followers = 0;
    double waits = 0;
    if (kept.all)
        gather_visits(sample, code, &kept);
    if (kept.count > VISITS_MOST) // of one line
        kept.count = 0;
    if (kept.count)
        qsort(kept.all, kept.count, sizeof *kept.all, compare_visits);
    for (size_t i = 0, end; i < kept.count; i = end) {
        for (end = i + 1; end < kept.count && kept.all[end].line == kept.all[i].line;)
            end++;
        add_line(kept.all + i, end - i, steps, &waits, &followers);
    }
    free(kept.all);
    return followers ? waits / (double)followers : 1;
}
