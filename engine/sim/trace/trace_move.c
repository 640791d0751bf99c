// Where a trace goes: steps forward and back, and steps until something is so.
#include "engine/sim/trace/trace.h"

#include <string.h>

typedef bool (*reached)(const struct sim_trace *trace, const void *what);

void sim_trace_stop_when(struct sim_trace *t, const atomic_bool *stop)
{
    t->stop = stop;
}

static bool is_stopped(const struct sim_trace *t)
{
    return t->stop && *t->stop;
}

// Takes at least one step.
static enum sim_arrival go_until(struct sim_trace *t, reached is_there, const void *what)
{
    do {
        if (!t->warp)
            return SIM_AT_END;
        if (t->steps >= SIM_TRACE_MOST)
            return SIM_TOO_FAR;
        if (is_stopped(t))
            return SIM_STOPPED;
        trace_step(t);
    } while (!is_there(t, what));
    return SIM_THERE;
}

static bool has_steps(const struct sim_trace *t, const void *what)
{
    const uint64_t *steps = what;
    return t->steps >= *steps;
}

enum sim_arrival sim_trace_forward(struct sim_trace *t, uint64_t steps)
{
    uint64_t to = steps < SIM_TRACE_MOST ? t->steps + steps : t->steps + SIM_TRACE_MOST;
    return steps ? go_until(t, has_steps, &to) : SIM_THERE;
}

// From an earlier step to the step `to`.
static enum sim_arrival replay(struct sim_trace *t, uint64_t to)
{
    if (!trace_near(t, to))
        return SIM_NO_MEMORY;
    while (t->steps < to && t->warp && !is_stopped(t))
        trace_step(t);
    return t->steps < to && t->warp ? SIM_STOPPED : SIM_THERE;
}

enum sim_arrival sim_trace_back(struct sim_trace *t, uint64_t steps)
{
    uint64_t to = steps < t->steps ? t->steps - steps : 0;
    bool far = steps > t->steps;
    if (!steps)
        return SIM_THERE;
    if (t->steps == 0 && t->machine.threads)
        return SIM_AT_START;
    enum sim_arrival arrival = replay(t, to);
    return far && arrival == SIM_THERE ? SIM_AT_START : arrival;
}

// ---- until ----------------------------------------------------------------------------------------------------

// Code of no known line belongs to the line before it; where no line was known yet, every instruction is its own.
static bool is_other_line(int from, int to)
{
    return from ? to && to != from : true;
}

struct line_start {
    const struct warp *warp;
    uint64_t position;
    int line;
};

static bool left_line(const struct sim_trace *t, const void *what)
{
    const struct line_start *from = what;
    if (t->position != from->position || from->warp->state == WARP_DONE)
        return true;
    if (t->warp != from->warp)
        return false;
    return is_other_line(from->line, trace_op(t->warp)->from->line);
}

enum sim_arrival sim_trace_line(struct sim_trace *t)
{
    if (!t->warp)
        return SIM_AT_END;
    struct line_start from = { t->warp, t->position, trace_op(t->warp)->from->line };
    return go_until(t, left_line, &from);
}

// Where a warp came to its line, looked for from a step before `here` on.
struct line_search {
    uint64_t here, position, start; // position: of the warp's block
    uint32_t index;                 // of the warp
    int line;                       // where it was last
    bool whole, known, found;       // whole: this way has all that the warp did; known: `line` is
};

static void look_for_line(struct line_search *s, const struct sim_trace *t)
{
    int now = trace_op(t->warp)->from->line;
    if (t->position != s->position || t->warp->index != s->index)
        return;
    if (s->known ? is_other_line(s->line, now) : s->whole) {
        s->start = t->steps;
        s->found = true;
        s->line = now;
    }
    if (!s->known) {
        s->known = s->whole || now;
        s->line = now;
    }
}

// From *from or before, which becomes what lies before that. False: no memory.
static bool search_line(struct sim_trace *t, struct line_search *s, uint64_t *from)
{
    if (!trace_near(t, *from))
        return false;
    *from = t->steps ? t->steps - 1 : 0;
    s->whole = t->steps == 0 || t->position < s->position;
    s->known = false;
    while (t->steps < s->here && t->warp && !is_stopped(t)) {
        look_for_line(s, t);
        trace_step(t);
    }
    return true;
}

// A way that begins in the middle of a line does not tell where that began: then an earlier one does.
enum sim_arrival sim_trace_line_back(struct sim_trace *t)
{
    struct line_search s = { .here = t->steps, .position = t->position };
    if (t->steps == 0 && t->machine.threads)
        return SIM_AT_START;
    s.start = t->steps ? t->steps - 1 : 0;
    if (!t->warp)
        return replay(t, s.start);
    s.index = t->warp->index;
    uint64_t from = s.start;
    do {
        if (!search_line(t, &s, &from))
            return SIM_NO_MEMORY;
        if (t->steps < s.here)
            return SIM_STOPPED;
    } while (!s.found && !s.whole);
    return replay(t, s.start);
}

static bool at_barrier(const struct sim_trace *t, const void *what)
{
    return t->warp && (trace_op(t->warp)->kind == OP_BARRIER || trace_op(t->warp)->kind == OP_WARP_SYNC);
}

enum sim_arrival sim_trace_barrier(struct sim_trace *t)
{
    return go_until(t, at_barrier, NULL);
}

static bool conflicts(const struct sim_trace *t, const void *what)
{
    return t->last.op && t->last.step + 1 == t->steps && t->last.cost.passes > t->last.cost.ideal;
}

enum sim_arrival sim_trace_conflict(struct sim_trace *t)
{
    return go_until(t, conflicts, NULL);
}

static bool found_more(const struct sim_trace *t, const void *what)
{
    const size_t *before = what;
    return findings_count(t->machine.findings) > *before;
}

enum sim_arrival sim_trace_finding(struct sim_trace *t)
{
    size_t before = t->machine.findings ? findings_count(t->machine.findings) : 0;
    return go_until(t, found_more, &before);
}

struct goal {
    uint64_t block;
    uint32_t warp;
};

static bool runs_goal(const struct sim_trace *t, const void *what)
{
    const struct goal *goal = what;
    return t->warp && t->warp->block->number == goal->block && t->warp->index == goal->warp;
}

enum sim_arrival sim_trace_goto(struct sim_trace *t, uint64_t block, uint32_t warp)
{
    struct goal goal = { block, warp };
    if (!t->machine.threads)
        return SIM_NO_MEMORY;
    if (block >= t->machine.blocks || warp >= t->machine.threads[0].block.warp_count)
        return SIM_NO_SUCH_WARP;
    if (runs_goal(t, &goal))
        return SIM_THERE;
    enum sim_arrival arrival = go_until(t, runs_goal, &goal);
    if (arrival != SIM_AT_END)
        return arrival;
    if (!trace_restart(t))
        return SIM_NO_MEMORY;
    return runs_goal(t, &goal) ? SIM_THERE : go_until(t, runs_goal, &goal);
}

static bool never(const struct sim_trace *t, const void *what)
{
    return false;
}

enum sim_arrival sim_trace_end(struct sim_trace *t)
{
    enum sim_arrival arrival = go_until(t, never, NULL);
    return arrival == SIM_AT_END ? SIM_THERE : arrival;
}
