// Moving a trace behind the screen: one task at a time has the walk, further moves wait for it. A few steps forward
// are made at once. And what the page shows of the trace, which is taken after every move, so that the screen can be
// drawn while the trace is moved.
#include "tui/view/step.h"

#include <stdlib.h>
#include <string.h>

// ---- a trace as it was when nothing moved it -----------------------------------------------------------------

static bool same_warp(const struct step_seen *a, const struct step_seen *b)
{
    return a->known && b->known && a->launch == b->launch && a->spot.block_number == b->spot.block_number &&
           a->spot.warp == b->spot.warp && a->spot.function && b->spot.function &&
           strcmp(a->spot.function, b->spot.function) == 0;
}

static const struct sim_register *register_in(const struct step_seen *seen, const char *name)
{
    if (seen->has_chosen && strcmp(seen->chosen.name, name) == 0)
        return &seen->chosen;
    for (size_t i = 0; i < seen->next_count; i++)
        if (strcmp(seen->next[i].name, name) == 0)
            return &seen->next[i];
    return NULL;
}

static uint32_t changed_lanes(const struct step_seen *seen, const struct step_seen *before)
{
    const struct sim_register *was =
        seen->has_chosen && same_warp(seen, before) ? register_in(before, seen->chosen.name) : NULL;
    uint32_t changed = 0;
    for (int i = 0; was && i < WALK_LANES; i++)
        changed |= (uint32_t)(was->value[i] != seen->chosen.value[i]) << i;
    return changed;
}

// The one that was asked for; else the first that the next instruction reads, or uses; else the one before.
static void choose_register(struct step_seen *seen, const struct step_seen *before,
                            const struct sim_trace *trace, const char *name)
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
    choose_register(seen, &before, trace, name);
    seen->changed = changed_lanes(seen, &before);
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

static bool has_finding(const struct step_seen *seen, const struct sim_finding *finding)
{
    for (size_t i = 0; i < seen->finding_count; i++)
        if (strcmp(seen->findings[i].sentence, finding->sentence) == 0)
            return true;
    return false;
}

const struct sim_finding *seen_news(const struct step_seen *seen, const struct step_seen *before)
{
    for (size_t i = 0; i < seen->finding_count; i++)
        if (!has_finding(before, &seen->findings[i]))
            return &seen->findings[i];
    return NULL;
}

// ---- making a move ------------------------------------------------------------------------------------------

enum { AT_ONCE = 32 }; // steps that take no time that one could notice

// At the end of a launch, forward is the next one.
static enum sim_arrival forward(struct walker *walker, uint64_t steps)
{
    struct stepper *walk = &walker->walk;
    if (!stepper_goes_on(walk))
        return sim_trace_forward(walk->trace, steps);
    walker->failed = !stepper_launch(walk, walk->launch + 1, &walker->error);
    walker->open = !walker->failed;
    return SIM_THERE;
}

static void open_walk(struct walker *walker)
{
    stepper_close(&walker->walk);
    walker->walk.setup.stop = walker->task ? &walker->task->stop : NULL;
    walker->failed = !stepper_open(&walker->walk, &walker->request, &walker->error);
    walker->walk.setup.stop = NULL; // the task ends before the walk
    walker->open = !walker->failed;
}

// The start is that of the first launch.
static enum sim_arrival to_start(struct walker *walker)
{
    if (walker->walk.launch == 0) {
        enum sim_arrival arrival = sim_trace_back(walker->walk.trace, UINT64_MAX);
        return arrival == SIM_AT_START ? SIM_THERE : arrival;
    }
    open_walk(walker);
    return SIM_THERE;
}

static enum sim_arrival make_move(struct walker *walker, const struct move *move)
{
    struct sim_trace *trace = walker->walk.trace;
    switch (move->go) {
    case GO_FORWARD:
        return forward(walker, move->steps);
    case GO_BACK:
        return sim_trace_back(trace, move->steps);
    case GO_LINE:
        return stepper_ended(&walker->walk) ? forward(walker, 1) : sim_trace_line(trace);
    case GO_LINE_BACK:
        return sim_trace_line_back(trace);
    case GO_BARRIER:
        return walk_seek(trace, sim_trace_barrier);
    case GO_CONFLICT:
        return walk_seek(trace, sim_trace_conflict);
    case GO_FINDING:
        return sim_trace_finding(trace);
    case GO_START:
        return to_start(walker);
    case GO_END:
        return stepper_ended(&walker->walk) ? SIM_THERE : sim_trace_end(trace);
    case GO_WARP:
        return sim_trace_goto(trace, move->block, move->warp);
    default:
        open_walk(walker);
        return SIM_THERE;
    }
}

// ---- moves as tasks, one after the other --------------------------------------------------------------------

static void work(struct task *task)
{
    struct walker *walker = task->context;
    walker->began = true;
    task_says(task, walker->move.go == GO_OPEN ? "compiling for the simulator" : "stepping");
    if (walker->open)
        sim_trace_stop_when(walker->walk.trace, &task->stop);
    walker->arrival = make_move(walker, &walker->move);
    if (walker->open)
        sim_trace_stop_when(walker->walk.trace, NULL);
}

static void walker_free(struct walker *walker)
{
    stepper_close(&walker->walk);
    request_free(&walker->request);
    free(walker);
}

static void next(struct walker *walker);

static void done(struct app *app, struct task *task)
{
    struct walker *walker = task->context;
    walker->task = NULL;
    if (!walker->page) {
        walker_free(walker);
        return;
    }
    walker->stopped = task->stop && !walker->open;
    if (!walker->began && !walker->open)
        walker->failed = !error_set(&walker->error, EXIT_USAGE, "It was stopped before it began.");
    enum sim_arrival arrival = walker->began ? walker->arrival : SIM_STOPPED;
    if (walker->failed || arrival != SIM_THERE)
        walker->waiting_count = 0; // they were meant for another place
    struct move move = walker->move;
    walker->arrived(walker->page, &move, arrival);
    next(walker);
}

static void start(struct walker *walker, struct move move)
{
    bool anew = move.go == GO_OPEN || (move.go == GO_START && walker->walk.launch > 0);
    if (anew)
        walker->forget(walker->page);
    struct task *task = mem_new(sizeof *task);
    walker->move = move;
    walker->began = false;
    walker->task = task;
    *task = (struct task){ .work = work, .done = done, .context = walker };
    tasks_add(walker->page->app->tasks, LANE_HELP, task);
}

static void begin(struct walker *walker, struct move move)
{
    bool quick = move.go == GO_FORWARD && move.steps <= AT_ONCE && walker->open;
    if (!quick || stepper_goes_on(&walker->walk)) {
        start(walker, move);
        return;
    }
    enum sim_arrival arrival = make_move(walker, &move);
    walker->arrived(walker->page, &move, arrival);
}

static void next(struct walker *walker)
{
    while (walker->waiting_count && !walker->task) {
        struct move move = walker->waiting[0];
        walker->waiting_count--;
        memmove(walker->waiting, walker->waiting + 1, walker->waiting_count * sizeof *walker->waiting);
        begin(walker, move);
    }
}

// Steps that wait one behind the other become one move.
static void wait_in_line(struct walker *walker, struct move move)
{
    struct move *last = walker->waiting_count ? &walker->waiting[walker->waiting_count - 1] : NULL;
    if (last && last->go == move.go && (move.go == GO_FORWARD || move.go == GO_BACK))
        last->steps += last->steps < SIM_TRACE_MOST ? move.steps : 0;
    else if (walker->waiting_count < MOVES_WAITING)
        walker->waiting[walker->waiting_count++] = move;
}

void walker_go(struct walker *walker, struct move move)
{
    if (walker->task)
        wait_in_line(walker, move);
    else if (walker->open || move.go == GO_OPEN)
        begin(walker, move);
}

void walker_stop(struct walker *walker)
{
    walker->waiting_count = 0;
    if (walker->task)
        walker->task->stop = true;
}

void walker_leave(struct walker *walker)
{
    walker_stop(walker);
    walker->page = NULL;
    if (!walker->task)
        walker_free(walker);
}
