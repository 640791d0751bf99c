// Moving a trace in the background: one task at a time has the walk, further moves wait for it. A few steps forward
// are made at once.
#include "tui/view/step.h"

#include <stdlib.h>
#include <string.h>

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

// On to where this warp is at a line: this one or, `or_after`, one below it.
static enum sim_arrival to_line(struct sim_trace *trace, const struct step_place *place, bool or_after)
{
    struct sim_spot spot;
    enum sim_arrival arrival = sim_trace_goto(trace, place->block, place->warp);
    sim_trace_where(trace, &spot);
    while (arrival == SIM_THERE && spot.line != place->line && !(or_after && spot.line > place->line)) {
        arrival = sim_trace_line(trace);
        sim_trace_where(trace, &spot);
    }
    return arrival;
}

// Goes to where the same warp first reaches the same line, or the next line with code; else to the launch's start.
static void go_to_place(struct walker *walker)
{
    const struct step_place *place = &walker->place;
    struct stepper *walk = &walker->walk;
    while (walk->launch < place->launch && sim_trace_end(walk->trace) == SIM_THERE && stepper_goes_on(walk))
        if (!stepper_launch(walk, walk->launch + 1, &walker->error)) {
            walker->failed = true;
            return;
        }
    if (to_line(walk->trace, place, false) == SIM_AT_END && to_line(walk->trace, place, true) == SIM_AT_END)
        (void)sim_trace_goto(walk->trace, place->block, place->warp);
}

static void open_walk(struct walker *walker)
{
    stepper_close(&walker->walk);
    walker->walk.setup.stop = walker->task ? &walker->task->stop : NULL;
    walker->walk.setup.debug = walker->debug;
    walker->failed = !stepper_open(&walker->walk, &walker->request, &walker->error);
    walker->walk.setup.stop = NULL; // the task ends before the walk
    if (!walker->failed && walker->place.known) {
        sim_trace_stop_when(walker->walk.trace, walker->task ? &walker->task->stop : NULL);
        go_to_place(walker);
    }
    walker->place.known = false;
    walker->open = !walker->failed;
}

// The start is that of the first launch.
static enum sim_arrival to_start(struct walker *walker)
{
    if (walker->walk.launch == 0)
        return walk_move(walker->walk.trace, &(struct move){ .go = GO_START });
    open_walk(walker);
    return SIM_THERE;
}

static enum sim_arrival make_move(struct walker *walker, const struct move *move)
{
    bool ended = move->go != GO_OPEN && stepper_ended(&walker->walk);
    switch (move->go) {
    case GO_FORWARD:
        return forward(walker, move->steps);
    case GO_START:
        return to_start(walker);
    case GO_OPEN:
        open_walk(walker);
        return SIM_THERE;
    default:
        if (move->go == GO_LINE && ended)
            return forward(walker, 1);
        return move->go == GO_END && ended ? SIM_THERE : walk_move(walker->walk.trace, move);
    }
}

// ---- moves as tasks, one after the other --------------------------------------------------------------------

static void work(struct task *task)
{
    struct walker *walker = task->context;
    walker->began = true;
    task_says(task, walker->move.go != GO_OPEN ? "stepping"
                    : walker->debug            ? "compiling the debug build"
                                               : "compiling for the simulator");
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
    walker->arrived(walker, &move, arrival);
    next(walker);
}

static void start(struct walker *walker, struct move move)
{
    bool anew = move.go == GO_OPEN || (move.go == GO_START && walker->walk.launch > 0);
    if (anew)
        walker->forget(walker);
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
    walker->arrived(walker, &move, arrival);
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

// Steps that wait one after the other become one move.
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
