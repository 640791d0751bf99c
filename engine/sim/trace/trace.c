// A launch that stops after every instruction. The way back is the way from an earlier state, one step shorter:
// the same seed takes the same way, when everything is what it was.
#include "engine/sim/trace/trace.h"
#include "engine/sim/sanitize/check.h"
#include "engine/sim/schedule/schedule.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- the buffers as they were -------------------------------------------------------------------------------

static bool keep_written(struct budget *budget, struct kept *kept, const struct range *range)
{
    kept->shadowed = true;
    kept->range_bytes = range->bytes;
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
    t->kept_segments = t->memory->segments;
    if (!t->kept || !loaded_copy(t->memory, t->module, &t->kept_variables))
        return false;
    t->kept_count = t->memory->count;
    for (size_t i = FIRST_BUFFER; i < t->kept_count; i++) {
        const struct allocation *a = &t->memory->allocations[i];
        t->kept[i].bytes = budget_take(budget, FOR_TRACE, a->bytes);
        if (!t->kept[i].bytes)
            return false;
        memcpy(t->kept[i].bytes, a->host, a->bytes);
        if (a->shadow && !keep_written(budget, &t->kept[i], a->shadow))
            return false;
    }
    return true;
}

// What earlier launches touched is over; of their shadows only what they wrote still matters.
static bool restore_shadow(struct sim_memory *memory, struct allocation *a, const struct kept *kept)
{
    check_memory_drop(memory, a);
    if (!kept->shadowed)
        return true;
    struct range *range = budget_take(&memory->budget, FOR_CHECKS, sizeof *range);
    if (!range ||
        !range_make(range, &memory->budget, kept->range_bytes, kept->shift, kept->written != NULL)) {
        budget_give(&memory->budget, range);
        return false;
    }
    range->whole = kept->whole;
    if (kept->written)
        memcpy(range->written, kept->written, ((kept->range_bytes + 63) / 64 + 1) * 8);
    a->shadow = range;
    return true;
}

static bool restore(struct sim_trace *t)
{
    bool good = true;
    t->memory->segments = t->kept_segments;
    loaded_restore(t->memory, t->module, t->kept_variables);
    for (size_t i = FIRST_BUFFER; i < t->kept_count; i++) {
        struct allocation *a = &t->memory->allocations[i];
        memcpy(a->host, t->kept[i].bytes, a->bytes);
        good = restore_shadow(t->memory, a, &t->kept[i]) && good;
    }
    return good;
}

// ---- who is next ----------------------------------------------------------------------------------------------

const struct op *trace_op(const struct warp *warp)
{
    return &warp->function->ops[warp->pc];
}

uint32_t trace_active(const struct warp *warp, const struct op *op)
{
    uint32_t guard = op->guarded ? ROWP(warp, op->guard) : FULL_MASK;
    return warp->mask & (op->guard_negated ? ~guard : guard);
}

static bool is_ready(struct block *block, struct warp *warp)
{
    if (warp->state != WARP_READY)
        return false;
    path_load(warp); // it may stand at the end of a path
    if (warp->state == WARP_READY)
        return true;
    block_after_turn(block, warp);
    return false;
}

static bool next_block(struct sim_trace *t)
{
    struct machine *m = &t->machine;
    if (t->in_block) {
        if (m->checks)
            check_block_end(&m->threads[0].block);
        t->position++;
    }
    t->in_block = t->position < m->blocks && !m->stop;
    if (t->in_block)
        block_start(&m->threads[0], t->position, order_at(m->options.seed, t->position, m->blocks));
    t->turn = 0;
    t->moved = false;
    return t->in_block && !m->stop;
}

// Sets t->warp to who runs next, as block_run would choose it.
static void choose(struct sim_trace *t)
{
    struct block *block = &t->machine.threads[0].block;
    t->warp = NULL;
    while (!t->machine.stop) {
        if (t->in_block && t->turn < block->warp_count) {
            struct warp *warp = block_turn(block, t->turn);
            if (is_ready(block, warp)) {
                t->warp = warp;
                t->left = TURN;
                t->moved = true;
                return;
            }
            t->turn++;
        } else if (t->in_block && block_after_round(block, t->moved)) {
            t->turn = 0;
            t->moved = false;
        } else if (!next_block(t)) {
            return;
        }
    }
}

// Looking whether a loop spins takes more than one instruction: it counts as one step, wherever the trace comes from.
static uint64_t run_one(struct sim_trace *t)
{
    struct warp *warp = t->warp;
    const struct op *op = trace_op(warp);
    uint32_t active = trace_active(warp, op);
    trace_before(t, op, active);
    units_touch(t, op, active);
    uint64_t ran = warp_run(warp, 1);
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
        path_load(warp);
        if (warp->state == WARP_READY)
            return;
    }
    block_after_turn(warp->block, warp);
    t->turn++;
    choose(t);
}

void trace_step(struct sim_trace *t)
{
    struct warp *warp = t->warp;
    uint64_t ran = run_one(t);
    choose_after(t, warp);
    shots_step(t, ran);
}

// ---- from the start ---------------------------------------------------------------------------------------------

static bool begin(struct sim_trace *t, struct sim_fault *fault)
{
    t->steps = t->position = t->left = 0;
    t->turn = 0;
    t->in_block = t->moved = false;
    t->warp = NULL;
    t->last = (struct last_access){ 0 };
    if (!machine_open(&t->machine, t->module, t->memory, &t->launch, &t->options, fault))
        return false;
    t->machine.deadline = INFINITY; // a person steps
    choose(t);
    shots_start(t);
    return true;
}

// After a failure there is no machine: the trace can only be closed, or tried again.
bool trace_restart(struct sim_trace *t)
{
    struct sim_fault fault;
    shots_end(t);
    if (t->machine.threads)
        machine_close(&t->machine);
    t->machine = (struct machine){ 0 };
    return restore(t) && begin(t, &fault);
}

bool trace_near(struct sim_trace *t, uint64_t to)
{
    return (t->machine.threads && shots_load(t, to)) || trace_restart(t);
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
        t->options.check = SIM_CHECK_COUNTERS; // what an access costs is taken from the counters
    budget_start(&memory->budget, options->memory_limit);
    if (keep(t) && begin(t, fault))
        return true;
    t->machine = (struct machine){ 0 };
    sim_trace_close(t);
    *out = NULL;
    return false;
}

void sim_trace_close(struct sim_trace *t)
{
    if (!t)
        return;
    struct budget *budget = &t->memory->budget;
    shots_end(t);
    if (t->machine.threads)
        machine_close(&t->machine);
    for (size_t i = 0; i < t->kept_count; i++) {
        budget_give(budget, t->kept[i].bytes);
        budget_give(budget, t->kept[i].written);
    }
    budget_give(budget, t->kept);
    budget_give(budget, t->kept_variables);
    free(t);
}
