// A launch that stops after every instruction. A step back re-executes from an earlier state and stops one step sooner:
// execution is deterministic for a seed, provided that all state is restored.
#include "engine/sim/trace/trace.h"
#include "engine/sim/access/access.h"
#include "engine/sim/sanitize/checks.h"
#include "engine/sim/schedule/schedule.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- memory at the start -------------------------------------------------------------------------------

static bool keep_written(struct budget *budget, struct saved_allocation *kept, const struct shadow *range)
{
    kept->shadowed = true;
    kept->shadow_bytes = range->bytes;
    kept->shift = range->shift;
    kept->whole = range->whole;
    size_t bytes = ((range->bytes + 63) / 64 + 1) * 8;
    kept->written = range->written ? budget_take(budget, FOR_TRACE, bytes) : NULL;
    if (kept->written)
        memcpy(kept->written, range->written, bytes);
    return kept->written || !range->written;
}

static bool keep(struct sim_trace *t)
{
    struct budget *budget = &t->memory->budget;
    t->kept = budget_take(budget, FOR_TRACE, t->memory->count * sizeof *t->kept);
    t->kept_segments = t->memory->epochs;
    if (!t->kept || !memory_copy_variables(t->memory, t->module, &t->kept_variables))
        return false;
    t->kept_count = t->memory->count;
    for (size_t i = 1; i < t->kept_count; i++) {
        const struct allocation *a = &t->memory->allocations[i];
        if (!a->bytes || (i >= FIRST_VARIABLE && i < FIRST_BUFFER))
            continue;
        t->kept[i].bytes = budget_take(budget, FOR_TRACE, a->bytes);
        if (!t->kept[i].bytes)
            return false;
        memcpy(t->kept[i].bytes, a->host, a->bytes);
        if (a->shadow && !keep_written(budget, &t->kept[i], a->shadow))
            return false;
    }
    return true;
}

// Accesses of earlier launches happen before this one, so that of their shadows only the written bits matter.
static bool restore_shadow(struct sim_memory *memory, struct allocation *a,
                           const struct saved_allocation *kept)
{
    checks_memory_drop(memory, a);
    if (!kept->shadowed)
        return true;
    struct shadow *range = budget_take(&memory->budget, FOR_CHECKS, sizeof *range);
    if (!range ||
        !shadow_make(range, &memory->budget, kept->shadow_bytes, kept->shift, kept->written != NULL)) {
        budget_give(&memory->budget, range);
        return false;
    }
    range->whole = kept->whole;
    if (kept->written)
        memcpy(range->written, kept->written, ((kept->shadow_bytes + 63) / 64 + 1) * 8);
    a->shadow = range;
    return true;
}

static bool restore(struct sim_trace *t)
{
    bool good = true;
    t->memory->epochs = t->kept_segments;
    memory_restore_variables(t->memory, t->module, t->kept_variables);
    for (size_t i = trace_next(t, 0); i < t->kept_count; i = trace_next(t, i)) {
        struct allocation *a = &t->memory->allocations[i];
        memcpy(a->host, t->kept[i].bytes, a->bytes);
        good = restore_shadow(t->memory, a, &t->kept[i]) && good;
    }
    return good;
}

// ---- accesses -----------------------------------------------------------------------------------------------

// The last memory instruction is recorded in full, and formatted when it is asked for.

static bool is_access(const struct op *op)
{
    return (op->kind == OP_LANES || op->kind == OP_WAITS) && op->access < SIM_ACCESSES && op->bytes;
}

static struct cost costs_so_far(const struct warp *warp, const struct op *op)
{
    struct cost sum = { 0 };
    const struct tally *tally = &warp->tallies[op->tally];
    for (int i = 0; i < COST_REMOTE; i++) {
        sum.requests += tally->cost[i].requests;
        sum.passes += tally->cost[i].passes;
        sum.ideal += tally->cost[i].ideal;
        sum.conflicts += tally->cost[i].conflicts;
    }
    return sum;
}

static bool is_atomic(const struct op *op)
{
    return op->access == SIM_GLOBAL_RED || op->access == SIM_GLOBAL_ATOM || op->access == SIM_SHARED_ATOM ||
           strcmp(op->from->base, "atom") == 0 || strcmp(op->from->base, "red") == 0;
}

static bool brings_values(const struct op *op)
{
    if (is_atomic(op))
        return op->rows && op->rows[0] && !op->dead;
    return strncmp(op->from->base, "ld", 2) == 0;
}

// The operand that holds the values: the destination of an instruction that returns some, else the source.
static const struct ptx_operand *operand_of(const struct op *op)
{
    int at = strncmp(op->from->base, "st", 2) == 0 || strcmp(op->from->base, "red") == 0 ? 1
             : is_atomic(op) && !brings_values(op)                                       ? 2
                                                                                         : 0;
    return &op->from->operands[at];
}

static bool is_wide(const struct function *function, const struct ptx_operand *operand, unsigned bytes)
{
    if (operand->kind == OPERAND_VECTOR && operand->part_count)
        operand = &operand->parts[0];
    if (operand->kind != OPERAND_REGISTER || operand->reg < 0)
        return bytes == 8;
    return type_bytes(function->from->registers[operand->reg].type) == 8;
}

static struct cost cost_since(struct cost now, struct cost before)
{
    return (struct cost){ now.requests - before.requests, now.passes - before.passes,
                          now.ideal - before.ideal, now.conflicts - before.conflicts };
}

static void trace_before(struct sim_trace *t, const struct op *op, uint32_t active)
{
    struct traced_access *last = &t->last;
    if (!is_access(op) || !active)
        return;
    address_compute(t->warp, op, last->at);
    last->op = op;
    last->step = t->steps;
    last->lanes = active;
    last->brings = brings_values(op);
    last->warp = t->warp;
    memcpy(last->block, t->warp->block->id, sizeof last->block);
    last->cost = costs_so_far(t->warp, op);
    last->remote = t->warp->tallies[op->tally].cost[COST_REMOTE];
}

static void trace_after(struct sim_trace *t)
{
    struct traced_access *last = &t->last;
    const struct op *op = last->op;
    if (!op || last->step != t->steps)
        return;
    last->cost = cost_since(costs_so_far(last->warp, op), last->cost);
    last->remote = cost_since(last->warp->tallies[op->tally].cost[COST_REMOTE], last->remote);
    unsigned parts = op->rows ? op->parts < SIM_PARTS ? op->parts : SIM_PARTS : 0;
    const row *rows = parts && is_atomic(op) && !last->brings ? op->rows + op->parts : op->rows;
    bool wide = parts && is_wide(last->warp->function, operand_of(op), op->bytes / op->parts);
    for (unsigned k = 0; k < parts; k++)
        for (int i = 0; i < LANES; i++)
            last->values[k][i] = wide ? ROW64(last->warp, rows[k])[i] : ROW32(last->warp, rows[k])[i];
}

// ---- the next warp -------------------------------------------------------------------------------------------

static bool is_ready(struct block *block, struct warp *warp)
{
    if (warp->state != WARP_READY)
        return false;
    simt_load(warp); // its path may have ended
    if (warp->state == WARP_READY)
        return true;
    block_after_turn(block, warp);
    return false;
}

static bool next_block(struct sim_trace *t)
{
    struct machine *m = &t->machine;
    if (t->in_block)
        t->position++;
    t->in_block = t->position < m->units && !m->stop;
    if (t->in_block)
        block_start(&m->threads[0], t->position);
    t->turn = 0;
    t->moved = false;
    return t->in_block && !m->stop;
}

// Sets t->warp to the warp that block_run would run next.
static void choose(struct sim_trace *t)
{
    struct thread_state *thread = &t->machine.threads[0];
    t->warp = NULL;
    while (!t->machine.stop) {
        if (t->in_block && t->turn < block_turns(thread)) {
            struct warp *warp = block_turn(thread, t->turn);
            if (is_ready(warp->block, warp)) {
                t->warp = warp;
                t->left = block_budget(&t->machine);
                t->moved = true;
                return;
            }
            t->turn++;
        } else if (t->in_block && block_after_round(thread, t->moved)) {
            t->turn = 0;
            t->moved = false;
        } else if (!next_block(t)) {
            return;
        }
    }
}

// The test for a spinning loop executes several instructions; these count as one step, forward and back alike.
static uint64_t run_one(struct sim_trace *t)
{
    struct warp *warp = t->warp;
    const struct op *op = trace_next_op(warp);
    uint32_t active = trace_active_lanes(warp, op);
    trace_before(t, op, active);
    snapshots_mark_dirty(t, op, active);
    uint64_t ran = warp_run(&(struct warp_turn){ .warp = warp }, 1);
    block_look_at_memory(warp);
    trace_after(t);
    t->steps++;
    t->left--;
    return ran;
}

static void choose_after(struct sim_trace *t, struct warp *warp)
{
    if (t->machine.stop) {
        t->warp = NULL;
        return;
    }
    if (warp->state == WARP_READY && t->left) {
        simt_load(warp);
        if (warp->state == WARP_READY)
            return;
    }
    block_after_turn(warp->block, warp);
    t->turn++;
    choose(t);
}

static void trace_step(struct sim_trace *t)
{
    struct warp *warp = t->warp;
    uint64_t ran = run_one(t);
    choose_after(t, warp);
    snapshots_step(t, ran);
}

// ---- from the start ---------------------------------------------------------------------------------------------

static bool begin(struct sim_trace *t, struct sim_fault *fault)
{
    t->steps = t->position = t->left = 0;
    t->turn = 0;
    t->in_block = t->moved = false;
    t->warp = NULL;
    t->last = (struct traced_access){ 0 };
    if (!launch_open(&t->machine, t->module, t->memory, &t->launch, &t->options, fault))
        return false;
    t->machine.deadline = INFINITY; // a person steps: there is no time limit
    choose(t);
    snapshots_start(t);
    return true;
}

// A failure leaves no machine: the trace can be closed or restarted, nothing else.
static bool trace_restart(struct sim_trace *t)
{
    struct sim_fault fault;
    snapshots_end(t);
    if (t->machine.threads)
        launch_close(&t->machine);
    return restore(t) && begin(t, &fault);
}

static bool trace_near(struct sim_trace *t, uint64_t to)
{
    return (t->machine.threads && snapshots_load(t, to)) || trace_restart(t);
}

bool sim_trace_open(const struct sim_module *module, struct sim_memory *memory,
                    const struct sim_launch *launch, const struct sim_options *options,
                    struct sim_trace **out, struct sim_fault *fault)
{
    struct sim_trace *t = calloc(1, sizeof *t);
    *out = t;
    *fault = (struct sim_fault){ .text = "There is not enough memory to trace this launch." };
    if (!t)
        return false;
    t->module = module;
    t->memory = memory;
    t->launch = *launch;
    t->options = *options;
    t->options.threads = 1;
    if (t->options.check == SIM_CHECK_NONE)
        t->options.check = SIM_CHECK_COUNTERS; // the cost of an access is the difference of two counters
    t->debug = debug_read(module);
    budget_start(&memory->budget, options->memory_limit);
    if (heap_ready(memory, module) && keep(t) && begin(t, fault))
        return true;
    sim_trace_close(t);
    *out = NULL;
    return false;
}

void sim_trace_close(struct sim_trace *t)
{
    if (!t)
        return;
    struct budget *budget = &t->memory->budget;
    snapshots_end(t);
    if (t->machine.threads)
        launch_close(&t->machine);
    for (size_t i = 0; i < t->kept_count; i++) {
        budget_give(budget, t->kept[i].bytes);
        budget_give(budget, t->kept[i].written);
    }
    budget_give(budget, t->kept);
    budget_give(budget, t->kept_variables);
    if (t->debug)
        arena_free(t->debug->arena);
    free(t);
}

// ---- moves: steps forward and back, and steps until a condition holds ---------------------------------------

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

// Goes back to an earlier step and executes up to the step `to`.
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

// An instruction without a line belongs to the line before it; before the first known line, each is a line of its own.
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
    return is_other_line(from->line, trace_next_op(t->warp)->from->line);
}

enum sim_arrival sim_trace_line(struct sim_trace *t)
{
    if (!t->warp)
        return SIM_AT_END;
    struct line_start from = { t->warp, t->position, trace_next_op(t->warp)->from->line };
    return go_until(t, left_line, &from);
}

// A search for the step at which a warp entered its current line, over the steps before `here`.
struct line_search {
    uint64_t here, position, start; // position: of the warp's block, or of those that run together
    uint64_t block;                 // and the warp's number in it
    uint32_t index;
    int line;                 // the line at the last step
    bool whole, known, found; // whole: the replay covers all that the warp did; known: `line` is valid
};

static void look_for_line(struct line_search *s, const struct sim_trace *t)
{
    int now = trace_next_op(t->warp)->from->line;
    if (t->warp->block->number != s->block || t->warp->index != s->index)
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

// Replays from *from or an earlier snapshot, and sets *from to the step before that. False: no memory.
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

// A replay that begins inside the line cannot tell where the line began; the search then starts earlier.
enum sim_arrival sim_trace_line_back(struct sim_trace *t)
{
    struct line_search s = { .here = t->steps, .position = t->position };
    if (t->steps == 0 && t->machine.threads)
        return SIM_AT_START;
    s.start = t->steps ? t->steps - 1 : 0;
    if (!t->warp)
        return replay(t, s.start);
    s.index = t->warp->index;
    s.block = t->warp->block->number;
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
    return t->warp &&
           (trace_next_op(t->warp)->kind == OP_BARRIER || trace_next_op(t->warp)->kind == OP_WARP_SYNC);
}

enum sim_arrival sim_trace_barrier(struct sim_trace *t)
{
    return go_until(t, at_barrier, NULL);
}

static bool at_matrix(const struct sim_trace *t, const void *what)
{
    struct sim_matrix unused[SIM_MATRICES];
    return sim_trace_matrices(t, unused) > 0;
}

enum sim_arrival sim_trace_matrix(struct sim_trace *t)
{
    return go_until(t, at_matrix, NULL);
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
