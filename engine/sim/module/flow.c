// Where the paths of a warp meet again: the immediate post-dominator of each branch.
//
// In a kernel, lanes that end are gone; they need not meet anybody. So the post-dominators are first taken in a
// graph with one way out, that behind most of the code, as if early exits were not there. Branches that cannot
// reach it are looked at again in the whole graph.
#include "engine/sim/module/module.h"

#include <stdlib.h>
#include <string.h>

enum { LARGE = 20000 }; // instructions of a kernel; larger ones get no special care

static bool ends(const struct op *op)
{
    return op->kind == OP_EXIT || op->kind == OP_RETURN;
}

size_t flow_next_most(const struct function *function)
{
    size_t most = 2;
    for (size_t i = 0; i < function->op_count; i++)
        if ((size_t)function->ops[i].target_count + 1 > most)
            most = (size_t)function->ops[i].target_count + 1;
    return most;
}

// The return behind the last instruction is node op_count; the way out is op_count + 1.
size_t flow_next(const struct function *function, int32_t pc, int32_t *out)
{
    const struct op *op = &function->ops[pc];
    int32_t way_out = (int32_t)function->op_count + 1;
    size_t count = 0;
    if (op->kind == OP_BRANCH)
        out[count++] = op->target;
    else if (op->kind == OP_INDEXED)
        for (int32_t i = 0; i < op->target_count; i++)
            out[count++] = op->targets[i];
    else if (ends(op))
        out[count++] = way_out;
    else
        out[count++] = pc + 1;
    bool goes_on = op->kind == OP_BRANCH || op->kind == OP_INDEXED || ends(op);
    if (goes_on && op->guarded)
        out[count++] = pc + 1;
    return count;
}

struct graph {
    const struct function *function;
    struct deadline *deadline;
    int32_t nodes;           // with the way out, which is the last
    int32_t *next, *next_at; // next of node i: next[next_at[i] … next_at[i + 1])
    int32_t *before, *before_at;
    int32_t main_from, main_to; // the only edge into an end that counts; -1: all count
    int32_t *order, *rank,
        *parent; // post-dominators: nodes from the way out on; place in it or -1; the immediate one
    int32_t visited;
};

static bool counts(const struct graph *g, int32_t from, int32_t to)
{
    if (g->main_from < 0)
        return true;
    bool into_end = to < g->nodes - 1 && ends(&g->function->ops[to]) && !g->function->ops[to].guarded;
    bool guarded_end = to == g->nodes - 1 && g->function->ops[from].guarded;
    return !(into_end || guarded_end) || (from == g->main_from && to == g->main_to);
}

static bool graph_make(struct graph *g, struct deadline *deadline, const struct function *f)
{
    *g = (struct graph){
        .function = f, .deadline = deadline, .nodes = (int32_t)f->op_count + 2, .main_from = -1
    };
    size_t nodes = (size_t)g->nodes, most = flow_next_most(f), edges = 0;
    int32_t *some = malloc(most * sizeof *some);
    if (!some)
        return false;
    for (int32_t i = 0; i < g->nodes - 1; i++)
        edges += flow_next(f, i, some);
    free(some);
    g->next = malloc((edges + most) * sizeof *g->next);
    g->before = malloc((edges + 1) * sizeof *g->before);
    g->next_at = calloc(nodes + 1, sizeof *g->next_at);
    g->before_at = calloc(nodes + 2, sizeof *g->before_at);
    g->order = malloc(nodes * sizeof *g->order);
    g->rank = malloc(nodes * sizeof *g->rank);
    g->parent = malloc(nodes * sizeof *g->parent);
    if (!g->next || !g->before || !g->next_at || !g->before_at || !g->order || !g->rank || !g->parent)
        return false;
    int32_t end = 0;
    for (int32_t i = 0; i < g->nodes - 1; i++) {
        end += (int32_t)flow_next(f, i, g->next + end);
        g->next_at[i + 1] = end;
    }
    g->next_at[g->nodes] = end;
    for (int32_t e = 0; e < g->next_at[g->nodes]; e++)
        g->before_at[g->next[e] + 2]++;
    for (int32_t i = 0; i < g->nodes; i++)
        g->before_at[i + 1] += g->before_at[i];
    for (int32_t i = 0; i < g->nodes; i++)
        for (int32_t e = g->next_at[i]; e < g->next_at[i + 1]; e++)
            g->before[g->before_at[g->next[e] + 1]++] = i;
    return true;
}

static void graph_free(struct graph *g)
{
    free(g->next);
    free(g->before);
    free(g->next_at);
    free(g->before_at);
    free(g->order);
    free(g->rank);
    free(g->parent);
}

// Reverse post-order of the turned graph, from the way out; needs no recursion.
static bool arrange(struct graph *g)
{
    int32_t *stack = malloc((size_t)g->nodes * 2 * sizeof *stack);
    if (!stack)
        return false;
    for (int32_t i = 0; i < g->nodes; i++)
        g->rank[i] = -1;
    int32_t depth = 0, place = g->nodes;
    stack[depth++] = g->nodes - 1;
    stack[depth++] = g->before_at[g->nodes - 1];
    g->rank[g->nodes - 1] = 0;
    while (depth) {
        int32_t node = stack[depth - 2], edge = stack[depth - 1];
        if (edge == g->before_at[node + 1]) {
            g->order[--place] = node;
            depth -= 2;
            continue;
        }
        stack[depth - 1]++;
        int32_t from = g->before[edge];
        if (g->rank[from] >= 0 || !counts(g, from, node))
            continue;
        g->rank[from] = 0;
        stack[depth++] = from;
        stack[depth++] = g->before_at[from];
    }
    free(stack);
    g->visited = g->nodes - place;
    memmove(g->order, g->order + place, (size_t)g->visited * sizeof *g->order);
    for (int32_t i = 0; i < g->visited; i++)
        g->rank[g->order[i]] = i;
    return true;
}

static int32_t meet(const struct graph *g, int32_t a, int32_t b)
{
    while (a != b) {
        while (g->rank[a] > g->rank[b])
            a = g->parent[a];
        while (g->rank[b] > g->rank[a])
            b = g->parent[b];
    }
    return a;
}

// Cooper, Harvey and Kennedy's iteration.
static bool dominate(struct graph *g)
{
    if (!arrange(g))
        return false;
    for (int32_t i = 0; i < g->nodes; i++)
        g->parent[i] = -1;
    g->parent[g->nodes - 1] = g->nodes - 1;
    for (bool changed = true; changed;) {
        changed = false;
        for (int32_t i = 1; i < g->visited; i++) {
            int32_t node = g->order[i], best = -1;
            if (deadline_passed(g->deadline))
                return false;
            for (int32_t e = g->next_at[node]; e < g->next_at[node + 1]; e++) {
                int32_t to = g->next[e];
                if (g->rank[to] >= 0 && g->parent[to] >= 0 && counts(g, node, to))
                    best = best < 0 ? to : meet(g, best, to);
            }
            changed |= best >= 0 && g->parent[node] != best;
            if (best >= 0)
                g->parent[node] = best;
        }
    }
    return true;
}

// How many nodes can come before this one.
static int32_t reach_back(const struct graph *g, int32_t node, int32_t *stack, int32_t *seen)
{
    int32_t depth = 0, count = 0;
    memset(seen, 0, (size_t)g->nodes * sizeof *seen);
    stack[depth++] = node;
    seen[node] = 1;
    while (depth) {
        int32_t at = stack[--depth];
        count++;
        for (int32_t e = g->before_at[at]; e < g->before_at[at + 1]; e++)
            if (!seen[g->before[e]]) {
                seen[g->before[e]] = 1;
                stack[depth++] = g->before[e];
            }
    }
    return count;
}

// The sides meet where one of them starts, but the other one never gets there: it only leads to the end.
static bool is_one_sided(const struct graph *g, const struct op *op, int32_t pc, int32_t *stack,
                         int32_t *seen)
{
    int32_t other = op->reconverge == op->target ? pc + 1 : op->reconverge == pc + 1 ? op->target : -1;
    if (g->nodes > LARGE || other < 0 || !op->guarded || other == op->reconverge)
        return false;
    reach_back(g, op->reconverge, stack, seen);
    return !seen[other];
}

static bool store(const struct graph *g, struct function *f, bool only_missing, int32_t *stack, int32_t *seen)
{
    for (size_t i = 0; i < f->op_count; i++) {
        struct op *op = &f->ops[i];
        if (deadline_passed(g->deadline))
            return false;
        if ((op->kind != OP_BRANCH && op->kind != OP_INDEXED) || (only_missing && op->reconverge != NO_PC))
            continue;
        int32_t meets = g->rank[i] >= 0 ? g->parent[i] : -1;
        op->reconverge = meets >= 0 && meets < g->nodes - 1 ? meets : NO_PC;
        if (op->kind == OP_BRANCH && g->main_from >= 0 && is_one_sided(g, op, (int32_t)i, stack, seen))
            op->reconverge = NO_MEETING;
    }
    return true;
}

// The edge into an end that has most of the kernel before it.
static void choose_main(struct graph *g, int32_t *stack, int32_t *seen)
{
    int32_t best = 0, from = -1, to = -1, tried = 0;
    for (int32_t i = g->nodes - 2; i >= 0 && tried < 64; i--)
        for (int32_t e = g->next_at[i]; e < g->next_at[i + 1]; e++) {
            int32_t next = g->next[e];
            bool leaf =
                next < g->nodes - 1 && ends(&g->function->ops[next]) && !g->function->ops[next].guarded;
            if (!leaf && !(next == g->nodes - 1 && g->function->ops[i].guarded))
                continue;
            tried++;
            int32_t before = reach_back(g, i, stack, seen);
            if (before > best) {
                best = before;
                from = i;
                to = next;
            }
        }
    g->main_from = tried > 1 ? from : -1;
    g->main_to = to;
}

bool flow_join(struct sim_module *module, struct function *f)
{
    struct graph g;
    size_t nodes = f->op_count + 2;
    int32_t *stack = malloc(nodes * sizeof *stack), *seen = malloc(nodes * sizeof *seen);
    bool good = stack && seen && graph_make(&g, &module->deadline, f);
    if (good && f->from->entry)
        choose_main(&g, stack, seen);
    if (good && g.main_from >= 0) {
        good = dominate(&g) && store(&g, f, false, stack, seen);
        g.main_from = -1;
    }
    good = good && dominate(&g) && store(&g, f, true, stack, seen);
    if (stack && seen)
        graph_free(&g);
    free(stack);
    free(seen);
    return good;
}
