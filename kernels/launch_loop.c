// Loops over launch lines, from `for` to `end`: how often each line is launched, and with which values.
#include "kernels/variant.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct unroller {
    const struct variant *variant;
    struct launch *launches;
    size_t count;
    struct expr_binding turns[LOOPS_DEEP]; // of the loops that are open, outermost first
    size_t depth;
    const struct expr_scope *outer;
    struct error *error;
};

struct expr_scope launch_inner_scope(const struct launch *launch, const struct expr_scope *scope,
                                     struct expr_binding *bindings)
{
    memcpy(bindings, launch->turns, launch->turn_count * sizeof *bindings);
    if (scope->count)
        memcpy(bindings + launch->turn_count, scope->bindings, scope->count * sizeof *bindings);
    return (struct expr_scope){ bindings, launch->turn_count + scope->count };
}

// Evaluates an expression of the innermost loop that is open.
static bool evaluate(const struct unroller *u, const struct expr *expr, struct expr_value *out)
{
    struct launch here = { .turn_count = u->depth };
    struct expr_binding bindings[EXPR_SCOPE];
    memcpy(here.turns, u->turns, sizeof here.turns);
    struct expr_scope scope = launch_inner_scope(&here, u->outer, bindings);
    return expr_eval(expr, &scope, out, u->error);
}

// The same for the loop's variable, which is a whole number.
static bool evaluate_turn(const struct unroller *u, const struct expr *expr, struct expr_value *out)
{
    if (!evaluate(u, expr, out))
        return false;
    return !out->real || expr_error(expr, u->error, "this is %g, and should be a whole number", out->r);
}

static bool add_launch(struct unroller *u, const struct launch *line, const char *loop)
{
    if (u->count == VARIANT_RUNS)
        return error_at(u->error, &u->variant->source, loop ? loop : line->at,
                        "these lines launch more than %d times; smaller sizes may launch less often",
                        VARIANT_RUNS);
    u->launches = array_room(u->launches, u->count, sizeof *u->launches);
    struct launch *launch = &u->launches[u->count++];
    *launch = *line;
    launch->turn_count = u->depth;
    memcpy(launch->turns, u->turns, sizeof launch->turns);
    return true;
}

static bool unroll_loop(struct unroller *u, size_t loop);

// Adds the launch lines from `from` to `to`, which are in the loop `inside`; -1: in none.
static bool unroll_lines(struct unroller *u, size_t from, size_t to, int inside)
{
    const struct variant *v = u->variant;
    size_t next = (size_t)(inside + 1); // loops are listed as they begin, the outer before the inner
    for (size_t l = from; l < to;) {
        while (next < v->loop_count && (v->loops[next].around != inside || v->loops[next].from < l))
            next++;
        if (next < v->loop_count && v->loops[next].from == l) {
            if (!unroll_loop(u, next))
                return false;
            l = v->loops[next].to;
        } else if (!add_launch(u, &v->launches[l++], inside < 0 ? NULL : v->loops[inside].at)) {
            return false;
        }
    }
    return true;
}

// A loop that launches nothing in its turns, because one within it has none, must come to an end, too.
static bool unroll_loop(struct unroller *u, size_t which)
{
    const struct launch_loop *loop = &u->variant->loops[which];
    struct expr_value turn, holds;
    if (!evaluate_turn(u, loop->first, &turn))
        return false;
    const size_t depth = u->depth++;
    for (int turns = 0;; turns++) {
        u->turns[depth] = (struct expr_binding){ loop->name, turn };
        if (!evaluate(u, loop->holds, &holds))
            return false;
        if (value_as_real(holds) == 0)
            break;
        if (turns == VARIANT_RUNS)
            return error_at(u->error, &u->variant->source, loop->at, "this loop has more than %d turns",
                            VARIANT_RUNS);
        if (!unroll_lines(u, loop->from, loop->to, (int)which) || !evaluate_turn(u, loop->next, &turn))
            return false;
    }
    u->depth = depth;
    return true;
}

bool variant_unroll(struct variant *variant, const struct expr_scope *scope, struct error *error)
{
    if (!variant->loop_count || variant->lines)
        return true;
    struct unroller u = { .variant = variant, .outer = scope, .error = error };
    bool good = unroll_lines(&u, 0, variant->launch_count, -1);
    if (good && !u.count)
        good = error_at(error, &variant->source, variant->loops[0].at,
                        "no loop has a turn, so nothing is launched");
    if (!good) {
        free(u.launches);
        return false;
    }
    variant->lines = variant->launches;
    variant->line_count = variant->launch_count;
    variant->launches = u.launches;
    variant->launch_count = u.count;
    return true;
}
