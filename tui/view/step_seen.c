// What the step page shows of a trace. It is taken after every move, so that the screen can be drawn while the trace is
// moved behind it.
#include "tui/view/step.h"

#include <stdlib.h>
#include <string.h>

static bool same_warp(const struct step_seen *a, const struct step_seen *b)
{
    return a->known && b->known && a->launch == b->launch && a->spot.block_number == b->spot.block_number &&
           a->spot.warp == b->spot.warp && a->spot.function && b->spot.function &&
           strcmp(a->spot.function, b->spot.function) == 0;
}

static const struct sim_register *find(const struct step_seen *seen, const char *name)
{
    if (seen->has_chosen && strcmp(seen->chosen.name, name) == 0)
        return &seen->chosen;
    for (size_t i = 0; i < seen->next_count; i++)
        if (strcmp(seen->next[i].name, name) == 0)
            return &seen->next[i];
    return NULL;
}

static uint32_t changes(const struct step_seen *seen, const struct step_seen *before)
{
    const struct sim_register *was =
        seen->has_chosen && same_warp(seen, before) ? find(before, seen->chosen.name) : NULL;
    uint32_t changed = 0;
    for (int i = 0; was && i < WALK_LANES; i++)
        changed |= (uint32_t)(was->value[i] != seen->chosen.value[i]) << i;
    return changed;
}

// The one that was asked for; else the first that the next instruction reads, or uses; else the one before.
static void choose(struct step_seen *seen, const struct step_seen *before, const struct sim_trace *trace,
                   const char *name)
{
    size_t at = 0;
    if (*name) {
        seen->has_chosen = sim_trace_register(trace, name, &seen->chosen);
        return;
    }
    while (at < seen->next_count && !seen->next[at].read)
        at++;
    if (at == seen->next_count)
        at = 0;
    seen->has_chosen = seen->next_count > 0;
    if (seen->has_chosen)
        seen->chosen = seen->next[at];
    else if (before->has_chosen && same_warp(seen, before))
        seen->has_chosen = sim_trace_register(trace, before->chosen.name, &seen->chosen);
}

static void take_shared(struct step_seen *seen, const struct sim_trace *trace)
{
    size_t words = sim_trace_shared_bytes(trace) / 4;
    seen->shared = mem_new((words + 1) * sizeof *seen->shared);
    seen->shared_words = sim_trace_shared(trace, 0, words, seen->shared);
}

void seen_take(struct step_seen *seen, const struct stepper *walk, const char *name)
{
    struct step_seen before = *seen;
    const struct sim_trace *trace = walk->trace;
    *seen = (struct step_seen){ .known = true, .launch = walk->launch };
    seen->launches = walk->setup.variant.launch_count;
    sim_trace_where(trace, &seen->spot);
    size_t count = sim_trace_registers(trace, seen->next, SEEN_REGISTERS);
    seen->next_count = count < SEEN_REGISTERS ? count : SEEN_REGISTERS;
    choose(seen, &before, trace, name);
    seen->changed = changes(seen, &before);
    seen->has_touched = sim_trace_touched(trace, &seen->touched);
    take_shared(seen, trace);
    seen->warp_count = sim_trace_warps(trace, seen->warps);
    count = sim_trace_stack(trace, seen->paths, SEEN_PATHS);
    seen->path_count = count < SEEN_PATHS ? count : SEEN_PATHS;
    seen->finding_count = stepper_findings(walk, &seen->findings);
    seen->printed = sim_trace_printed(trace);
    seen_free(&before);
}

void seen_free(struct step_seen *seen)
{
    free(seen->shared);
    free(seen->findings);
    free(seen->printed);
    *seen = (struct step_seen){ 0 };
}

static bool has(const struct step_seen *seen, const struct sim_finding *finding)
{
    for (size_t i = 0; i < seen->finding_count; i++)
        if (strcmp(seen->findings[i].sentence, finding->sentence) == 0)
            return true;
    return false;
}

const struct sim_finding *seen_news(const struct step_seen *seen, const struct step_seen *before)
{
    for (size_t i = 0; i < seen->finding_count; i++)
        if (!has(before, &seen->findings[i]))
            return &seen->findings[i];
    return NULL;
}
