// The control-flow graph of a function, and what is computed on it: where the sides of a branch reconverge (its immediate
// post-dominator), in which order the paths of a warp run (reverse postorder), which back edges are those of spin loops,
// which registers are live, and from which shared variable an address is derived (its provenance).
#include "engine/sim/access/access.h"
#include "engine/sim/module/module.h"

#include <stdlib.h>
#include <string.h>

// ---- the graph --------------------------------------------------------------------------------------------

// Node pc is the instruction at pc, node op_count the return after the last instruction, node op_count + 1 the way
// out: the successor of all exits and returns.
struct flow_graph {
    const struct function *function;
    struct deadline *deadline;
    int32_t nodes;
    struct flow_edges edges;
    int32_t main_from, main_to; // the only edge to an exit that counts; -1: all of them count
    int32_t *postorder;         // reverse postorder of the reversed graph, from the way out on
    int32_t *rank;              // a node's index in it; -1: the way out cannot be reached from the node
    int32_t *post_dominator;    // the immediate one; -1: not known yet
    int32_t visited;            // nodes in `postorder`
};

// Whether the edge exists in the current graph: all exits but the main one may be left out.
static bool edge_counts(const struct flow_graph *g, int32_t from, int32_t to)
{
    if (g->main_from < 0)
        return true;
    bool into_exit = to < g->nodes - 1 && flow_exits(&g->function->ops[to]) && !g->function->ops[to].guarded;
    bool guarded_exit = to == g->nodes - 1 && g->function->ops[from].guarded;
    return !(into_exit || guarded_exit) || (from == g->main_from && to == g->main_to);
}

bool flow_edges_list(struct flow_edges *e, const struct function *f)
{
    const int32_t nodes = (int32_t)f->op_count + 2;
    size_t most = flow_successors_most(f), edges = 0;
    int32_t *some = malloc(most * sizeof *some);
    *e = (struct flow_edges){ 0 };
    if (!some)
        return false;
    for (int32_t i = 0; i < nodes - 1; i++)
        edges += flow_successors(f, i, some);
    free(some);
    e->successors = malloc((edges + most) * sizeof *e->successors);
    e->predecessors = malloc((edges + 1) * sizeof *e->predecessors);
    e->successor_at = calloc((size_t)nodes + 1, sizeof *e->successor_at);
    e->predecessor_at = calloc((size_t)nodes + 2, sizeof *e->predecessor_at);
    if (!e->successors || !e->predecessors || !e->successor_at || !e->predecessor_at)
        return false;
    int32_t end = 0;
    for (int32_t i = 0; i < nodes - 1; i++) {
        end += (int32_t)flow_successors(f, i, e->successors + end);
        e->successor_at[i + 1] = end;
    }
    e->successor_at[nodes] = end;
    for (int32_t k = 0; k < end; k++)
        e->predecessor_at[e->successors[k] + 2]++;
    for (int32_t i = 0; i < nodes; i++)
        e->predecessor_at[i + 1] += e->predecessor_at[i];
    for (int32_t i = 0; i < nodes; i++)
        for (int32_t k = e->successor_at[i]; k < e->successor_at[i + 1]; k++)
            e->predecessors[e->predecessor_at[e->successors[k] + 1]++] = i;
    return true;
}

void flow_edges_free(struct flow_edges *e)
{
    free(e->successors);
    free(e->predecessors);
    free(e->successor_at);
    free(e->predecessor_at);
}

static bool graph_make(struct flow_graph *g, struct deadline *deadline, const struct function *f)
{
    *g = (struct flow_graph){
        .function = f, .deadline = deadline, .nodes = (int32_t)f->op_count + 2, .main_from = -1
    };
    const size_t nodes = (size_t)g->nodes;
    g->postorder = malloc(nodes * sizeof *g->postorder);
    g->rank = malloc(nodes * sizeof *g->rank);
    g->post_dominator = malloc(nodes * sizeof *g->post_dominator);
    return flow_edges_list(&g->edges, f) && g->postorder && g->rank && g->post_dominator;
}

static void graph_free(struct flow_graph *g)
{
    flow_edges_free(&g->edges);
    free(g->postorder);
    free(g->rank);
    free(g->post_dominator);
}

// ---- reconvergence: immediate post-dominators -------------------------------------------------------------

// Lanes of a kernel that exit are gone; other lanes need not wait for them. So a kernel's post-dominators are first
// taken in a graph with one exit, the main one, as if early exits were not there. Branches that cannot reach it are
// looked at again in the whole graph.

enum { LARGE = 20000 }; // instructions of a kernel; in larger ones is_one_sided is not asked

// Depth-first search of the reversed graph from the way out, with an explicit stack.
static bool number_backwards(struct flow_graph *g)
{
    int32_t *stack = malloc((size_t)g->nodes * 2 * sizeof *stack);
    if (!stack)
        return false;
    for (int32_t i = 0; i < g->nodes; i++)
        g->rank[i] = -1;
    int32_t depth = 0, place = g->nodes;
    stack[depth++] = g->nodes - 1;
    stack[depth++] = g->edges.predecessor_at[g->nodes - 1];
    g->rank[g->nodes - 1] = 0;
    while (depth) {
        int32_t node = stack[depth - 2], edge = stack[depth - 1];
        if (edge == g->edges.predecessor_at[node + 1]) {
            g->postorder[--place] = node;
            depth -= 2;
            continue;
        }
        stack[depth - 1]++;
        int32_t from = g->edges.predecessors[edge];
        if (g->rank[from] >= 0 || !edge_counts(g, from, node))
            continue;
        g->rank[from] = 0;
        stack[depth++] = from;
        stack[depth++] = g->edges.predecessor_at[from];
    }
    free(stack);
    g->visited = g->nodes - place;
    memmove(g->postorder, g->postorder + place, (size_t)g->visited * sizeof *g->postorder);
    for (int32_t i = 0; i < g->visited; i++)
        g->rank[g->postorder[i]] = i;
    return true;
}

// The nearest post-dominator that both nodes have.
static int32_t common_post_dominator(const struct flow_graph *g, int32_t a, int32_t b)
{
    while (a != b) {
        while (g->rank[a] > g->rank[b])
            a = g->post_dominator[a];
        while (g->rank[b] > g->rank[a])
            b = g->post_dominator[b];
    }
    return a;
}

// Immediate post-dominators by the iteration of Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm".
static bool find_post_dominators(struct flow_graph *g)
{
    if (!number_backwards(g))
        return false;
    for (int32_t i = 0; i < g->nodes; i++)
        g->post_dominator[i] = -1;
    g->post_dominator[g->nodes - 1] = g->nodes - 1;
    for (bool changed = true; changed;) {
        changed = false;
        for (int32_t i = 1; i < g->visited; i++) {
            int32_t node = g->postorder[i], best = -1;
            if (deadline_passed(g->deadline))
                return false;
            for (int32_t e = g->edges.successor_at[node]; e < g->edges.successor_at[node + 1]; e++) {
                int32_t to = g->edges.successors[e];
                if (g->rank[to] >= 0 && g->post_dominator[to] >= 0 && edge_counts(g, node, to))
                    best = best < 0 ? to : common_post_dominator(g, best, to);
            }
            changed |= best >= 0 && g->post_dominator[node] != best;
            if (best >= 0)
                g->post_dominator[node] = best;
        }
    }
    return true;
}

// Marks in `seen` the nodes from which this one can be reached; returns their number.
static int32_t mark_ancestors(const struct flow_graph *g, int32_t node, int32_t *stack, int32_t *seen)
{
    int32_t depth = 0, count = 0;
    memset(seen, 0, (size_t)g->nodes * sizeof *seen);
    stack[depth++] = node;
    seen[node] = 1;
    while (depth) {
        int32_t at = stack[--depth];
        count++;
        for (int32_t e = g->edges.predecessor_at[at]; e < g->edges.predecessor_at[at + 1]; e++)
            if (!seen[g->edges.predecessors[e]]) {
                seen[g->edges.predecessors[e]] = 1;
                stack[depth++] = g->edges.predecessors[e];
            }
    }
    return count;
}

// Whether the branch reconverges where one of its sides begins while the other side never gets there, since it only
// leads to an exit.
static bool is_one_sided(const struct flow_graph *g, const struct op *op, int32_t pc, int32_t *stack,
                         int32_t *seen)
{
    int32_t other = op->reconverge == op->target ? pc + 1 : op->reconverge == pc + 1 ? op->target : -1;
    if (g->nodes > LARGE || other < 0 || !op->guarded || other == op->reconverge)
        return false;
    mark_ancestors(g, op->reconverge, stack, seen);
    return !seen[other];
}

static bool set_reconvergence(const struct flow_graph *g, struct function *f, bool only_missing,
                              int32_t *stack, int32_t *seen)
{
    for (size_t i = 0; i < f->op_count; i++) {
        struct op *op = &f->ops[i];
        if (deadline_passed(g->deadline))
            return false;
        if ((op->kind != OP_BRANCH && op->kind != OP_INDEXED) || (only_missing && op->reconverge != NO_PC))
            continue;
        int32_t meets = g->rank[i] >= 0 ? g->post_dominator[i] : -1;
        op->reconverge = meets >= 0 && meets < g->nodes - 1 ? meets : NO_PC;
        if (op->kind == OP_BRANCH && g->main_from >= 0 && is_one_sided(g, op, (int32_t)i, stack, seen))
            op->reconverge = NO_MEETING;
    }
    return true;
}

// The main exit is the one that can be reached from most of the kernel.
static void choose_main_exit(struct flow_graph *g, int32_t *stack, int32_t *seen)
{
    int32_t best = 0, from = -1, to = -1, tried = 0;
    for (int32_t i = g->nodes - 2; i >= 0 && tried < 64; i--)
        for (int32_t e = g->edges.successor_at[i]; e < g->edges.successor_at[i + 1]; e++) {
            int32_t next = g->edges.successors[e];
            bool leaf =
                next < g->nodes - 1 && flow_exits(&g->function->ops[next]) && !g->function->ops[next].guarded;
            if (!leaf && !(next == g->nodes - 1 && g->function->ops[i].guarded))
                continue;
            tried++;
            int32_t before = mark_ancestors(g, i, stack, seen);
            if (before > best) {
                best = before;
                from = i;
                to = next;
            }
        }
    g->main_from = tried > 1 ? from : -1;
    g->main_to = to;
}

static bool reconvergence_mark(struct sim_module *module, struct function *f)
{
    struct flow_graph g;
    size_t nodes = f->op_count + 2;
    int32_t *stack = malloc(nodes * sizeof *stack), *seen = malloc(nodes * sizeof *seen);
    bool good = stack && seen && graph_make(&g, &module->deadline, f);
    if (good && f->from->entry)
        choose_main_exit(&g, stack, seen);
    if (good && g.main_from >= 0) {
        good = find_post_dominators(&g) && set_reconvergence(&g, f, false, stack, seen);
        g.main_from = -1;
    }
    good = good && find_post_dominators(&g) && set_reconvergence(&g, f, true, stack, seen);
    if (stack && seen)
        graph_free(&g);
    free(stack);
    free(seen);
    return good;
}

// ---- the order of the paths -------------------------------------------------------------------------------

// Each instruction gets a number that grows along every edge but back edges. The path with the lowest number runs
// first: it is the one furthest back, so the other paths are joined where they wait, also in code whose sides meet
// only far away, such as a loop that is left from its middle.

// Exits come before everything: lanes that only leave keep no other lanes waiting. All numbers differ.
static int32_t order_of_exit(int32_t pc)
{
    return pc - INT32_MAX;
}

static int by_value(const void *left, const void *right)
{
    const int32_t *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

static void sort_few(int32_t *values, size_t count)
{
    if (count == 2 && values[0] > values[1]) {
        int32_t swap = values[0];
        values[0] = values[1];
        values[1] = swap;
    }
    if (count > 2)
        qsort(values, count, sizeof *values, by_value);
}

// Numbers the nodes in reverse postorder, by a depth-first search that visits later successors first. The stack holds
// `node` for a node to be visited and ~node for one that is finished when all nodes after it are.
static bool number_nodes(struct deadline *deadline, const struct function *f, int32_t *stack, int32_t *some)
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
        size_t count = flow_successors(f, pc, some);
        sort_few(some, count);
        for (size_t i = 0; i < count; i++)
            if ((size_t)some[i] <= f->op_count && !f->ops[some[i]].order)
                stack[depth++] = some[i];
    }
    return true;
}

// Whether an instruction in a loop may be what a lane spins on: a read of memory that other lanes change.
static bool observes_others(const struct op *op)
{
    bool atomic = op->access == SIM_GLOBAL_ATOM || op->access == SIM_SHARED_ATOM;
    return (atomic && !op->dead) || (op->access != SIM_ACCESSES && op->from && ptx_has(op->from, "volatile"));
}

// Marks the back edges of loops that may be spin loops.
static bool mark_spins(struct deadline *deadline, const struct function *f)
{
    for (size_t i = 0; i < f->op_count; i++) {
        struct op *op = &f->ops[i];
        if (deadline_passed(deadline))
            return false;
        if (op->kind != OP_BRANCH || op->target > (int32_t)i)
            continue;
        for (int32_t at = op->target; at < (int32_t)i && !op->spins; at++)
            op->spins = observes_others(&f->ops[at]);
    }
    return true;
}

static bool order_mark(struct sim_module *module, const struct function *f)
{
    size_t most = flow_successors_most(f), edges = f->op_count + 2;
    for (size_t i = 0; i <= f->op_count; i++)
        edges += 2 + (size_t)f->ops[i].target_count;
    int32_t *stack = malloc(edges * sizeof *stack), *some = malloc(most * sizeof *some);
    bool good = stack && some && number_nodes(&module->deadline, f, stack, some);
    for (size_t i = 0; good && i <= f->op_count; i++)
        if (f->ops[i].kind == OP_EXIT && !f->ops[i].guarded)
            f->ops[i].order = order_of_exit((int32_t)i);
    good = good && mark_spins(&module->deadline, f);
    free(stack);
    free(some);
    return good;
}

// Counts the plain instructions that follow each other, which a warp executes in one go.
static bool plain_mark(struct sim_module *module, const struct function *f)
{
    for (size_t i = f->op_count; i-- > 0;) {
        struct op *op = &f->ops[i];
        const struct op *next = op + 1;
        if (deadline_passed(&module->deadline))
            return false;
        if (op->kind != OP_LANES || op->guarded)
            continue;
        const bool follows = next->order == op->order + 1 && next->plain < UINT16_MAX;
        op->plain = (uint16_t)(1 + (follows ? next->plain : 0));
    }
    return true;
}

// Marks the stretches, which end before a place where paths may meet: there one of them may stop.
static bool stretch_mark(struct sim_module *module, const struct function *f)
{
    bool *meets = calloc(f->op_count + 1, sizeof *meets);
    for (size_t i = 0; meets && i < f->op_count; i++) {
        const struct op *op = &f->ops[i];
        if ((op->kind == OP_BRANCH || op->kind == OP_INDEXED) && (size_t)op->reconverge <= f->op_count)
            meets[op->reconverge] = true;
    }
    for (size_t i = f->op_count; meets && i-- > 0;) {
        struct op *op = &f->ops[i];
        const struct op *next = op + 1;
        const bool follows = op->plain && next->order == op->order + 1 && !meets[i + 1];
        if (op->plain || op->kind == OP_BRANCH)
            op->stretch = (uint16_t)(1 + (follows && next->stretch < UINT16_MAX ? next->stretch : 0));
    }
    free(meets);
    return meets && !deadline_passed(&module->deadline);
}

// ---- liveness --------------------------------------------------------------------------------------------

// Liveness of registers, by backward data flow over the control-flow graph. Registers that are live at the function's
// entry may be read before they are written; they start as zero, so that a run does not depend on what ran before it.
// An atomic whose result is dead counts as a reduction.

enum { MOST_WORDS = 16 << 20 }; // of all sets together: 128 MiB; a function that needs more is not analysed

struct liveness {
    const struct function *function;
    size_t words;   // of a set, one bit per register
    uint64_t *sets; // the registers that are live before each instruction
    uint64_t *now;  // scratch, one set
};

static void set_live(struct liveness *live, int reg, bool is_live_now)
{
    if ((size_t)reg >= live->function->from->register_count)
        return;
    uint64_t bit = (uint64_t)1 << (reg & 63);
    live->now[reg >> 6] = is_live_now ? live->now[reg >> 6] | bit : live->now[reg >> 6] & ~bit;
}

static void visit_written(void *live, int reg)
{
    set_live(live, reg, false);
}

static void visit_read(void *live, int reg)
{
    set_live(live, reg, true);
}

// The transfer function: from what is live after the instruction to what is live before it.
static void step_back(struct liveness *live, const struct ptx_instruction *in)
{
    if (in->guard < 0)
        ptx_each_written(in, visit_written, live);
    ptx_each_read(in, visit_read, live);
}

static void live_after(struct liveness *live, int32_t pc, int32_t *next)
{
    memset(live->now, 0, live->words * sizeof *live->now);
    size_t count = flow_successors(live->function, pc, next);
    for (size_t i = 0; i < count; i++)
        if ((size_t)next[i] < live->function->op_count)
            for (size_t w = 0; w < live->words; w++)
                live->now[w] |= live->sets[(size_t)next[i] * live->words + w];
}

static bool find_live_sets(struct liveness *live, struct deadline *deadline, int32_t *next)
{
    size_t bytes = live->words * sizeof *live->now;
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t pc = live->function->op_count; pc-- > 0;) {
            if (deadline_passed(deadline))
                return false;
            live_after(live, (int32_t)pc, next);
            step_back(live, live->function->ops[pc].from);
            uint64_t *set = live->sets + pc * live->words;
            if (memcmp(set, live->now, bytes) != 0) {
                memcpy(set, live->now, bytes);
                changed = true;
            }
        }
    }
    return true;
}

static bool is_live(const struct liveness *live, int reg)
{
    return live->now[reg >> 6] >> (reg & 63) & 1;
}

// Whether the result may be read after the instruction.
static bool is_wanted(const struct liveness *live, const struct ptx_operand *to)
{
    if (to->kind == OPERAND_REGISTER)
        return to->reg < 0 || (size_t)to->reg >= live->function->from->register_count ||
               is_live(live, to->reg);
    bool wanted = to->kind != OPERAND_SINK && to->kind != OPERAND_VECTOR;
    for (int i = 0; to->kind == OPERAND_VECTOR && i < to->part_count; i++)
        wanted |= is_wanted(live, &to->parts[i]);
    return wanted;
}

static void mark_dead(struct liveness *live, struct function *f, int32_t *next)
{
    for (size_t pc = 0; pc < f->op_count; pc++) {
        const struct ptx_instruction *in = f->ops[pc].from;
        if (!in->base || strcmp(in->base, "atom") != 0 || !in->operand_count)
            continue;
        live_after(live, (int32_t)pc, next);
        f->ops[pc].dead = !is_wanted(live, &in->operands[0]);
    }
}

// Lists the rows of registers that are live at the entry; with `live` NULL nothing is known and all are listed.
static bool list_cleared(struct sim_module *module, struct function *f, const struct liveness *live)
{
    size_t count = f->from->register_count;
    f->cleared = arena_take(module->arena, (count + 1) * sizeof *f->cleared);
    if (!f->cleared)
        return false;
    for (size_t i = 0; i < count; i++) {
        unsigned bytes = type_bytes(f->from->registers[i].type);
        bool predicate = f->from->registers[i].type == TYPE_PRED;
        if (live && !(live->sets[i >> 6] >> (i & 63) & 1))
            continue;
        f->cleared[f->cleared_count++] =
            (struct constant_row){ .at = f->register_rows[i],
                                   .bits = predicate ? 4 : (uint64_t)LANES * (bytes < 4 ? 4 : bytes) };
    }
    return true;
}

static bool liveness_mark(struct sim_module *module, struct function *f)
{
    struct liveness live = { .function = f, .words = (f->from->register_count + 63) / 64 };
    if (!f->op_count || !live.words || live.words * f->op_count > MOST_WORDS)
        return list_cleared(module, f, NULL);
    live.sets = calloc(f->op_count * live.words, sizeof *live.sets);
    live.now = calloc(live.words, sizeof *live.now);
    int32_t *next = malloc(flow_successors_most(f) * sizeof *next);
    bool good = live.sets && live.now && next && find_live_sets(&live, &module->deadline, next);
    if (good) {
        mark_dead(&live, f, next);
        good = list_cleared(module, f, &live);
    }
    free(live.sets);
    free(live.now);
    free(next);
    return good;
}

// ---- provenance of shared addresses ----------------------------------------------------------------------

// Provenance of shared addresses: which shared variable an address is derived from. A register whose value is one
// variable's address plus numbers may only point into that variable. Without this, an index that is one too large
// would go unnoticed, because the next variable is the block's memory, too.
//
// The analysis is flow-insensitive: a register's provenance is the join over all instructions that write it. A value
// that is derived from two variables, or from one by more than an offset, may point anywhere in shared memory.

enum { ROUNDS = 64 }; // until the fixed point: in a function that needs more, no provenance is known

struct provenance {
    enum { NOT_SEEN, NUMBER, ADDRESS, ANYTHING } is; // NUMBER: made from no shared variable
    uint32_t low, high;                              // of an ADDRESS: the variable's bytes
};
struct provenance_state {
    const struct sim_module *module;
    const struct function *function;
    struct provenance *registers;
};

// ---- provenance: variables ----------------------------------------------------------------------------

static struct provenance variable_provenance(const struct sim_module *module,
                                             const struct ptx_variable *variable, uint64_t at)
{
    if (variable->unsized)
        return (struct provenance){ ADDRESS, (uint32_t)module->shared_bytes, UINT32_MAX };
    return (struct provenance){ variable->bytes ? ADDRESS : ANYTHING, (uint32_t)at,
                                (uint32_t)(at + variable->bytes) };
}

static struct provenance name_provenance(const struct provenance_state *o, const char *name)
{
    const struct ptx_function *from = o->function->from;
    for (size_t i = from->variable_count; i-- > 0;)
        if (from->variables[i].space != SPACE_PARAM && strcmp(from->variables[i].name, name) == 0)
            return from->variables[i].space == SPACE_SHARED
                       ? variable_provenance(o->module, &from->variables[i], o->function->variable_at[i])
                       : (struct provenance){ .is = NUMBER };
    for (size_t i = 0; i < o->module->variable_count; i++) {
        const struct module_variable *v = &o->module->variables[i];
        if (strcmp(v->from->name, name) == 0 && v->from->space == SPACE_SHARED)
            return variable_provenance(o->module, v->from, v->address);
    }
    return (struct provenance){ .is = NUMBER };
}

static bool has_shared_variables(const struct sim_module *module, const struct ptx_function *function)
{
    for (size_t i = 0; i < module->variable_count; i++)
        if (module->variables[i].from->space == SPACE_SHARED)
            return true;
    for (size_t i = 0; i < function->variable_count; i++)
        if (function->variables[i].space == SPACE_SHARED)
            return true;
    return false;
}

// ---- provenance: transfer functions ----------------------------------------------------------------------------

// The join of two values of which either may arrive.
static struct provenance join(struct provenance a, struct provenance b)
{
    if (a.is == NOT_SEEN)
        return b;
    bool same = a.is == b.is && a.low == b.low && a.high == b.high;
    return b.is == NOT_SEEN || same ? a : (struct provenance){ .is = ANYTHING };
}

// The sum of an address and a number is an address.
static struct provenance sum(struct provenance a, struct provenance b)
{
    if (a.is == NOT_SEEN || b.is == NOT_SEEN)
        return (struct provenance){ .is = NOT_SEEN };
    if (a.is == NUMBER)
        return b;
    return b.is == NUMBER ? a : (struct provenance){ .is = ANYTHING };
}

// The result of an operation that leaves a number a number but makes an address unknown.
static struct provenance altered(struct provenance a)
{
    return a.is == ADDRESS ? (struct provenance){ .is = ANYTHING } : a;
}

static bool is_declared(const struct provenance_state *o, int reg)
{
    return reg >= 0 && (size_t)reg < o->function->from->register_count;
}

static struct provenance operand_provenance(const struct provenance_state *o,
                                            const struct ptx_operand *operand)
{
    struct provenance all = { .is = NUMBER }, unknown = { .is = ANYTHING };
    switch (operand->kind) {
    case OPERAND_REGISTER:
        return is_declared(o, operand->reg) ? o->registers[operand->reg] : unknown;
    case OPERAND_SYMBOL:
        return name_provenance(o, operand->name);
    case OPERAND_MEMORY:
        if (operand->reg >= 0)
            return is_declared(o, operand->reg) ? o->registers[operand->reg] : unknown;
        return operand->name ? name_provenance(o, operand->name) : all;
    case OPERAND_VECTOR:
    case OPERAND_PAIR:
        for (int i = 0; i < operand->part_count; i++)
            all = sum(all, altered(operand_provenance(o, &operand->parts[i])));
        return all;
    default:
        return all;
    }
}

static struct provenance result_provenance(const struct provenance_state *o, const struct ptx_instruction *in)
{
    static const char *const copies[] = { "mov", "cvta", "cvt", NULL };
    static const char *const sums[] = { "add", "or", "xor", "and", NULL };
    static const char *const choices[] = { "selp", "min", "max", NULL };
    static const char *const loads[] = { "ld", "ldu", "atom", "setp", NULL };
    struct provenance source[PTX_OPERANDS] = { { .is = NOT_SEEN } }, all = { .is = NUMBER };
    int count = in->operand_count - 1;
    for (int i = 0; i < count; i++)
        source[i] = operand_provenance(o, &in->operands[i + 1]);
    if (ptx_is_one_of(in->base, loads))
        return all;
    if (count == 1 && ptx_is_one_of(in->base, copies))
        return source[0];
    if (count == 2 && ptx_is_one_of(in->base, sums))
        return sum(source[0], source[1]);
    if (count == 2 && strcmp(in->base, "sub") == 0)
        return sum(source[0], altered(source[1]));
    if (count == 3 && strcmp(in->base, "mad") == 0)
        return sum(source[2], sum(altered(source[0]), altered(source[1])));
    if (count == 2 && strcmp(in->base, "mapa") == 0) // the same place in another block
        return source[0];
    if (count >= 2 && ptx_is_one_of(in->base, choices))
        return join(source[0], source[1]);
    for (int i = 0; i < count; i++)
        all = sum(all, altered(source[i]));
    return all;
}

// ---- provenance: the fixed point ----------------------------------------------------------------------------

static bool join_into(struct provenance_state *o, const struct ptx_operand *operand, struct provenance from)
{
    bool changed = false;
    for (int i = 0; i < operand->part_count; i++)
        changed |= join_into(o, &operand->parts[i], altered(from));
    if (operand->kind != OPERAND_REGISTER || !is_declared(o, operand->reg))
        return changed;
    struct provenance *to = &o->registers[operand->reg], now = join(*to, from);
    changed |= now.is != to->is;
    *to = now;
    return changed;
}

static bool propagate(struct provenance_state *o)
{
    const struct ptx_function *from = o->function->from;
    bool changed = false;
    for (size_t i = 0; i < from->instruction_count; i++) {
        const struct ptx_instruction *in = &from->instructions[i];
        if (!in->base || in->broken)
            continue;
        for (int k = 0; k < in->call_return_count; k++)
            changed |= join_into(o, &in->call_returns[k], (struct provenance){ .is = NUMBER });
        if (ptx_writes_first(in))
            changed |= join_into(o, &in->operands[0], result_provenance(o, in));
    }
    return changed;
}

// The memory operand that is in shared memory; of an asynchronous copy it is the first one.
static const struct ptx_operand *address_operand(const struct ptx_instruction *in)
{
    for (int i = 0; i < in->operand_count; i++)
        if (in->operands[i].kind == OPERAND_MEMORY)
            return &in->operands[i];
    return NULL;
}

static void mark(const struct provenance_state *o, struct op *op)
{
    const struct ptx_instruction *in = op->from;
    bool copies = in && in->base && strcmp(in->base, "cp") == 0;
    bool reaches = op->space == SPACE_SHARED || op->space == SPACE_GENERIC || copies;
    const struct ptx_operand *operand = in && op->bytes && reaches ? address_operand(in) : NULL;
    struct provenance from = operand ? operand_provenance(o, operand) : (struct provenance){ .is = ANYTHING };
    if (from.is != ADDRESS)
        return;
    op->low = from.low;
    op->high = from.high;
}

static bool provenance_mark(struct sim_module *module, struct function *function)
{
    struct provenance_state o = { .module = module, .function = function };
    if (!has_shared_variables(module, function->from))
        return true;
    o.registers = arena_take(module->arena, (function->from->register_count + 1) * sizeof *o.registers);
    if (!o.registers)
        return false;
    int round = 0;
    while (round < ROUNDS && !deadline_passed(&module->deadline) && propagate(&o))
        round++;
    for (size_t i = 0; round < ROUNDS && i < function->op_count; i++)
        mark(&o, &function->ops[i]);
    return true;
}

// ---- all passes -------------------------------------------------------------------------------------------

bool flow_mark(struct sim_module *module, struct function *function)
{
    return reconvergence_mark(module, function) && liveness_mark(module, function) &&
           order_mark(module, function) && plain_mark(module, function) && stretch_mark(module, function) &&
           provenance_mark(module, function);
}
