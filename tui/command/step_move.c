// Where stepping goes: forward and back, to lines, barriers, findings, warps and launches.
#include "tui/command/step.h"

#include <stdlib.h>
#include <string.h>

// ---- launches -------------------------------------------------------------------------------------------------

bool step_launch(struct session *s, size_t launch, struct error *error)
{
    const struct launch *line = &s->scene.variant.launches[launch];
    struct sim_launch what;
    struct sim_options options = scene_options(&s->scene);
    struct sim_fault fault;
    s->launch = launch;
    if (!scene_pack(&s->scene, line, &s->packed, &what, error))
        return false;
    if (!sim_trace_open(s->scene.module, s->scene.memory, &what, &options, &s->trace, &fault))
        return error_at(error, &s->scene.variant.source, line->at, "%s", fault.text);
    s->show.trace = s->trace;
    return true;
}

static bool has_ended(const struct session *s)
{
    struct sim_spot spot;
    sim_trace_where(s->trace, &spot);
    return spot.ended;
}

// Also those that only the end of the last launch can show.
size_t step_findings(const struct session *s, struct sim_finding **out)
{
    struct sim_finding *late = NULL;
    size_t count = sim_trace_findings(s->trace, out), more = 0;
    if (has_ended(s) && s->launch + 1 == s->scene.variant.launch_count &&
        s->scene.request->check == SIM_CHECK_ALL)
        more = sim_memory_never_written(s->scene.memory, &late);
    struct sim_finding *all = more ? realloc(*out, (count + more) * sizeof *all) : NULL;
    if (all) {
        memcpy(all + count, late, more * sizeof *all);
        *out = all;
        count += more;
    }
    free(late);
    return count;
}

static void look_for_errors(struct session *s)
{
    struct sim_finding *findings;
    size_t count = step_findings(s, &findings);
    for (size_t i = 0; i < count; i++)
        s->error_seen |= findings[i].severity == SIM_ERROR;
    free(findings);
}

// ---- moves ----------------------------------------------------------------------------------------------------

static void arrive(struct session *s, enum sim_arrival arrival)
{
    static const char *const why[] = {
        [SIM_AT_START] = "This is the start.\n",
        [SIM_AT_END] = "The launch ends before that.\n",
        [SIM_NO_SUCH_WARP] = "The launch has no such block and warp; 'where' says how many there are.\n",
        [SIM_NO_MEMORY] = "There is not enough memory to start over.\n",
    };
    look_for_errors(s);
    if (arrival == SIM_TOO_FAR)
        text_addf(&s->show.out,
                  "A trace goes no further than %d steps; take a smaller size with --set, or 'back'.\n",
                  SIM_TRACE_MOST);
    else if (arrival != SIM_THERE)
        text_add(&s->show.out, why[arrival]);
    step_where(&s->show);
}

void step_forward(struct session *s, const struct words *words)
{
    uint64_t steps;
    if (step_number(s, words, 1, 1, &steps))
        arrive(s, sim_trace_forward(s->trace, steps));
}

void step_back(struct session *s, const struct words *words)
{
    uint64_t steps;
    if (step_number(s, words, 1, 1, &steps))
        arrive(s, sim_trace_back(s->trace, steps));
}

void step_line(struct session *s, const struct words *words)
{
    arrive(s, sim_trace_line(s->trace));
}

void step_barrier(struct session *s, const struct words *words)
{
    arrive(s, sim_trace_barrier(s->trace));
}

void step_to_finding(struct session *s, const struct words *words)
{
    struct sim_finding finding;
    enum sim_arrival arrival = sim_trace_finding(s->trace);
    if (arrival == SIM_THERE && sim_trace_latest(s->trace, &finding))
        step_finding(&s->show, &finding);
    arrive(s, arrival);
}

void step_goto(struct session *s, const struct words *words)
{
    uint64_t block, warp;
    if (words->count < 3)
        text_add(&s->show.out, "'goto' takes a block and a warp, such as 'goto 2 0'.\n");
    else if (step_number(s, words, 1, 0, &block) && step_number(s, words, 2, 0, &warp))
        arrive(s, sim_trace_goto(s->trace, block, warp < UINT32_MAX ? (uint32_t)warp : UINT32_MAX));
}

void step_start(struct session *s, const struct words *words)
{
    enum sim_arrival arrival = sim_trace_back(s->trace, UINT64_MAX);
    arrive(s, arrival == SIM_AT_START ? SIM_THERE : arrival);
}

void step_end(struct session *s, const struct words *words)
{
    enum sim_arrival arrival = sim_trace_end(s->trace);
    arrive(s, arrival == SIM_AT_END ? SIM_THERE : arrival);
}

void step_next_launch(struct session *s, const struct words *words)
{
    struct error error;
    if (s->launch + 1 >= s->scene.variant.launch_count) {
        text_add(&s->show.out, "This is the last launch of the file.\n");
        return;
    }
    enum sim_arrival arrival = sim_trace_end(s->trace);
    look_for_errors(s);
    if (arrival == SIM_TOO_FAR) {
        arrive(s, arrival);
        return;
    }
    sim_trace_close(s->trace);
    s->trace = NULL;
    if (step_launch(s, s->launch + 1, &error)) {
        step_where(&s->show);
        return;
    }
    text_addf(&s->show.out, "%s\n", error.text);
    s->quit = true;
}
