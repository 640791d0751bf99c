// Where stepping goes: forward and back, to lines, barriers, findings, warps and launches.
#include "tui/command/step.h"

#include <stdlib.h>

static void look_for_errors(struct session *s)
{
    struct sim_finding *findings;
    size_t count = walk_findings(&s->walk, &findings);
    for (size_t i = 0; i < count; i++)
        s->error_seen |= findings[i].severity == SIM_ERROR;
    free(findings);
}

// ---- moves ----------------------------------------------------------------------------------------------------

static void arrive(struct session *s, enum sim_arrival arrival)
{
    struct sim_spot spot;
    sim_trace_where(s->walk.trace, &spot);
    const char *why = walk_arrival(arrival, &spot);
    look_for_errors(s);
    if (why)
        text_addf(&s->show.out, "%s\n", why);
    step_where(&s->show);
}

void step_forward(struct session *s, const struct step_words *words)
{
    uint64_t steps;
    if (step_number(s, words, 1, 1, &steps))
        arrive(s, sim_trace_forward(s->walk.trace, steps));
}

void step_back(struct session *s, const struct step_words *words)
{
    uint64_t steps;
    if (step_number(s, words, 1, 1, &steps))
        arrive(s, sim_trace_back(s->walk.trace, steps));
}

void step_line(struct session *s, const struct step_words *words)
{
    arrive(s, sim_trace_line(s->walk.trace));
}

void step_line_back(struct session *s, const struct step_words *words)
{
    arrive(s, sim_trace_line_back(s->walk.trace));
}

void step_barrier(struct session *s, const struct step_words *words)
{
    arrive(s, walk_seek(s->walk.trace, sim_trace_barrier));
}

void step_conflict(struct session *s, const struct step_words *words)
{
    enum sim_arrival arrival = walk_seek(s->walk.trace, sim_trace_conflict);
    if (arrival == SIM_THERE)
        step_access(&s->show);
    arrive(s, arrival);
}

void step_to_finding(struct session *s, const struct step_words *words)
{
    struct sim_finding finding;
    enum sim_arrival arrival = sim_trace_finding(s->walk.trace);
    if (arrival == SIM_THERE && sim_trace_latest(s->walk.trace, &finding))
        step_finding(&s->show, &finding);
    arrive(s, arrival);
}

void step_goto(struct session *s, const struct step_words *words)
{
    uint64_t block, warp;
    if (words->count < 3)
        text_add(&s->show.out, "'goto' takes a block and a warp, such as 'goto 2 0'.\n");
    else if (step_number(s, words, 1, 0, &block) && step_number(s, words, 2, 0, &warp))
        arrive(s, sim_trace_goto(s->walk.trace, block, warp < UINT32_MAX ? (uint32_t)warp : UINT32_MAX));
}

void step_start(struct session *s, const struct step_words *words)
{
    enum sim_arrival arrival = sim_trace_back(s->walk.trace, UINT64_MAX);
    arrive(s, arrival == SIM_AT_START ? SIM_THERE : arrival);
}

void step_end(struct session *s, const struct step_words *words)
{
    enum sim_arrival arrival = sim_trace_end(s->walk.trace);
    arrive(s, arrival == SIM_AT_END ? SIM_THERE : arrival);
}

void step_next_launch(struct session *s, const struct step_words *words)
{
    struct error error;
    if (s->walk.launch + 1 >= s->walk.scene.variant.launch_count) {
        text_add(&s->show.out, "This is the last launch of the file.\n");
        return;
    }
    enum sim_arrival arrival = sim_trace_end(s->walk.trace);
    look_for_errors(s);
    if (!walk_goes_on(&s->walk)) {
        arrive(s, arrival == SIM_AT_END ? SIM_THERE : arrival);
        return;
    }
    if (walk_launch(&s->walk, s->walk.launch + 1, &error)) {
        s->show.trace = s->walk.trace;
        step_where(&s->show);
        return;
    }
    text_addf(&s->show.out, "%s\n", error.text);
    s->quit = true;
}
