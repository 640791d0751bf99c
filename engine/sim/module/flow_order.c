// In which order the paths of a warp go: a number for each instruction that grows along every way but those back to
// the head of a loop. The path that is furthest behind runs first, so that the others are met where they wait, also
// in code whose sides meet only far away, such as a loop that is left from its middle.
#include "engine/sim/module/module.h"

#include <stdlib.h>

// Ends come before everything: lanes that only leave keep nobody waiting. No two are equal.
static int32_t order_of_end(int32_t pc)
{
    return pc - INT32_MAX;
}

static int by_value(const void *left, const void *right)
{
    const int32_t *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

static void sort(int32_t *values, size_t count)
{
    if (count == 2 && values[0] > values[1]) {
        int32_t swap = values[0];
        values[0] = values[1];
        values[1] = swap;
    }
    if (count > 2)
        qsort(values, count, sizeof *values, by_value);
}

// Depth first, later instructions before earlier ones: what is finished last is first. On the stack a node stands
// as itself until it is visited, and as ~node until all behind it is finished.
static bool number(struct deadline *deadline, const struct function *f, int32_t *stack, int32_t *some)
{
    int32_t depth = 0, place = (int32_t)f->op_count;
    stack[depth++] = 0;
    while (depth) {
        int32_t pc = stack[--depth];
        if (deadline_passed(deadline))
            return false;
        if (pc < 0) {
            f->ops[~pc].order = place--;
            continue;
        }
        if (f->ops[pc].order) // it has been visited
            continue;
        f->ops[pc].order = -1;
        stack[depth++] = ~pc;
        size_t count = flow_next(f, pc, some);
        sort(some, count);
        for (size_t i = 0; i < count; i++)
            if ((size_t)some[i] <= f->op_count && !f->ops[some[i]].order)
                stack[depth++] = some[i];
    }
    return true;
}

// What a lane that goes round again may be waiting for: another lane that changes memory.
static bool looks_around(const struct op *op)
{
    bool atomic = op->access == SIM_GLOBAL_ATOM || op->access == SIM_SHARED_ATOM;
    return (atomic && !op->dead) || (op->access != SIM_ACCESSES && op->from && ptx_has(op->from, "volatile"));
}

static bool mark_spins(struct deadline *deadline, const struct function *f)
{
    for (size_t i = 0; i < f->op_count; i++) {
        struct op *op = &f->ops[i];
        if (deadline_passed(deadline))
            return false;
        if (op->kind != OP_BRANCH || op->target > (int32_t)i)
            continue;
        for (int32_t at = op->target; at < (int32_t)i && !op->spins; at++)
            op->spins = looks_around(&f->ops[at]);
    }
    return true;
}

bool flow_order(struct sim_module *module, const struct function *f)
{
    size_t most = flow_next_most(f), edges = f->op_count + 2;
    for (size_t i = 0; i <= f->op_count; i++)
        edges += 2 + (size_t)f->ops[i].target_count;
    int32_t *stack = malloc(edges * sizeof *stack), *some = malloc(most * sizeof *some);
    bool good = stack && some && number(&module->deadline, f, stack, some);
    for (size_t i = 0; good && i <= f->op_count; i++)
        if (f->ops[i].kind == OP_EXIT && !f->ops[i].guarded)
            f->ops[i].order = order_of_end((int32_t)i);
    good = good && mark_spins(&module->deadline, f);
    free(stack);
    free(some);
    return good;
}
