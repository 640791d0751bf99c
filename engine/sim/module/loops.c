// Loops that lanes leave in several ways. The compiler makes lanes wait for each other only where all ways out have met;
// what a `break` does before that is executed in each turn in which lanes take it, by these alone (op->apart). Where a loop
// has one way out, they meet at its beginning. What belongs to which loop is found by Aho, Lam, Sethi and Ullman's natural
// loops: the head of a back edge, and all that reaches the edge without passing the head.
#include "engine/sim/module/module.h"

#include <stdlib.h>
#include <string.h>

enum {
    LARGE = 20000, // instructions of a function; nothing is marked in larger ones
    WAYS = 32,     // out of one loop; the lanes of a warp cannot take more
    LOOPS = 512    // of one function
};

// A node's bits in a set.
typedef uint64_t *node_set;

struct loop {
    int32_t head;
    int32_t size;   // nodes
    int32_t around; // index of the smallest loop that this one is in; -1: it is in none
    node_set nodes;
};

struct loop_search {
    struct function *function;
    struct deadline *deadline;
    int32_t nodes; // as in flow.c: the instructions, the return after the last one, and the way out
    size_t words;  // of a set
    struct flow_edges edges;
    int32_t *stack;
    uint8_t *reached; // by how many of the ways out that go on
    node_set any, one;
    struct loop loops[LOOPS];
    int32_t count;
};

static bool holds(node_set set, int32_t node)
{
    return set[node / 64] >> (node % 64) & 1;
}

static void add(node_set set, int32_t node)
{
    set[node / 64] |= 1ull << (node % 64);
}

// The numbers of flow.c's scheduling order grow along every edge but those back to the head of a loop.
static bool is_back_edge(const struct loop_search *s, int32_t from, int32_t to)
{
    const struct op *op = &s->function->ops[to];
    return to < s->nodes - 1 && !flow_exits(op) && op->order <= s->function->ops[from].order;
}

static bool loop_begin(struct loop_search *s, int32_t head)
{
    struct loop *loop = &s->loops[s->count++];
    *loop =
        (struct loop){ .head = head, .size = 1, .around = -1, .nodes = calloc(s->words, sizeof(uint64_t)) };
    if (loop->nodes)
        add(loop->nodes, head);
    return loop->nodes != NULL;
}

// Adds what reaches a back edge from this node. Loops beyond LOOPS are left out. False: there is no memory.
static bool grow_loop(struct loop_search *s, int32_t head, int32_t from)
{
    int32_t at = 0, depth = 0;
    while (at < s->count && s->loops[at].head != head)
        at++;
    if (at == LOOPS)
        return true;
    if (at == s->count && !loop_begin(s, head))
        return false;
    struct loop *loop = &s->loops[at];
    s->stack[depth++] = from;
    while (depth) {
        const int32_t node = s->stack[--depth];
        if (holds(loop->nodes, node))
            continue;
        add(loop->nodes, node);
        loop->size++;
        for (int32_t e = s->edges.predecessor_at[node]; e < s->edges.predecessor_at[node + 1]; e++)
            if (!holds(loop->nodes, s->edges.predecessors[e]))
                s->stack[depth++] = s->edges.predecessors[e];
    }
    return true;
}

static bool find_loops(struct loop_search *s)
{
    for (int32_t i = 0; i < s->nodes - 1; i++) {
        if (deadline_passed(s->deadline))
            return false;
        for (int32_t e = s->edges.successor_at[i]; e < s->edges.successor_at[i + 1]; e++)
            if (is_back_edge(s, i, s->edges.successors[e]) && !grow_loop(s, s->edges.successors[e], i))
                return false;
    }
    for (int32_t i = 0; i < s->count; i++)
        for (int32_t k = 0; k < s->count; k++) {
            struct loop *in = &s->loops[i];
            const struct loop *out = &s->loops[k];
            if (i != k && out->size > in->size && holds(out->nodes, in->head) &&
                (in->around < 0 || out->size < s->loops[in->around].size))
                in->around = k;
        }
    return true;
}

// ---- loops that are unrolled ---------------------------------------------------------------------------

// The only instruction of the loop that writes the register, or the only one outside of it; NULL: there are others, or none.
static const struct ptx_instruction *only_writer(const struct loop_search *s, const struct loop *loop,
                                                 int reg, bool inside)
{
    const struct ptx_instruction *found = NULL;
    for (size_t i = 0; i < s->function->op_count; i++) {
        const struct op *op = &s->function->ops[i];
        if (holds(loop->nodes, (int32_t)i) != inside || !ptx_meets(ptx_each_written, op->from, reg))
            continue;
        if (found)
            return NULL;
        found = op->from;
    }
    return found;
}

static bool immediate(const struct ptx_instruction *in, const char *base, int at, int64_t *value)
{
    if (!in || strcmp(in->base, base) != 0 || in->operand_count != at + 1 ||
        in->operands[at].kind != OPERAND_IMMEDIATE)
        return false;
    *value = (int32_t)in->operands[at].bits;
    return true;
}

// The turns of a loop that counts: `add r, r, step`, then `setp p, r, end` and `@p bra` back, where r began as a constant.
// 0: it is none.
static int64_t turns_of(const struct loop_search *s, const struct loop *loop, const struct op *back)
{
    int64_t step, begin, end;
    const int predicate = back->from ? back->from->guard : -1;
    const struct ptx_instruction *compare = predicate < 0 ? NULL : only_writer(s, loop, predicate, true);
    if (!immediate(compare, "setp", 2, &end) || compare->operands[1].kind != OPERAND_REGISTER)
        return 0;
    const int counter = compare->operands[1].reg;
    const struct ptx_instruction *adds = only_writer(s, loop, counter, true);
    if (!immediate(adds, "add", 2, &step) || adds->operands[1].kind != OPERAND_REGISTER ||
        adds->operands[1].reg != counter || !step ||
        !immediate(only_writer(s, loop, counter, false), "mov", 1, &begin))
        return 0;
    const int64_t turns = (end - begin + step - (step > 0 ? 1 : -1)) / step;
    return turns > 0 ? turns : 0;
}

// ptxas unrolls a loop with a constant number of turns when all of it is short. Then there is no loop any more: those who
// leave it in any turn wait for each other at what they do next. Of three loops with a `break` those with 332 and 420
// instructions in all were unrolled, and one with 680 was not (CUDA 13.0).
static bool is_unrolled(const struct loop_search *s, const struct loop *loop)
{
    enum { SHORT = 512 };
    const struct op *ops = s->function->ops;
    const struct op *back = NULL;
    if (ops[loop->head].from && ops[loop->head].from->nounroll)
        return false;
    for (int32_t i = 0; i < s->nodes - 2; i++)
        if (holds(loop->nodes, i) && ops[i].kind == OP_BRANCH && ops[i].target == loop->head) {
            if (back)
                return false;
            back = &ops[i];
        }
    const int64_t turns = back ? turns_of(s, loop, back) : 0;
    return turns && turns * loop->size <= SHORT;
}

// ---- ways out --------------------------------------------------------------------------------------------

// Finds in s->one what can be reached from a way out of the loop before the next turn of the loop around it. True: that turn,
// or the end of the function where there is none around; false: this way leaves the loop around as well.
static bool walk_out(const struct loop_search *s, const struct loop *loop, int32_t way)
{
    const struct loop *around = loop->around < 0 ? NULL : &s->loops[loop->around];
    bool goes_on = false;
    int32_t depth = 0;
    memset(s->one, 0, s->words * sizeof *s->one);
    s->stack[depth++] = way;
    add(s->one, way);
    while (depth) {
        const int32_t node = s->stack[--depth];
        if (node == s->nodes - 1) {
            goes_on = true;
            continue;
        }
        for (int32_t e = s->edges.successor_at[node]; e < s->edges.successor_at[node + 1]; e++) {
            const int32_t to = s->edges.successors[e];
            if (around && to == around->head)
                goes_on = true;
            else if (!holds(s->one, to) && !holds(loop->nodes, to) && (!around || holds(around->nodes, to))) {
                add(s->one, to);
                s->stack[depth++] = to;
            }
        }
    }
    return goes_on;
}

static int find_ways(const struct loop_search *s, const struct loop *loop, int32_t ways[WAYS])
{
    const struct loop *around = loop->around < 0 ? NULL : &s->loops[loop->around];
    int found = 0;
    for (int32_t i = 0; i < s->nodes - 1; i++) {
        if (!holds(loop->nodes, i))
            continue;
        for (int32_t e = s->edges.successor_at[i]; e < s->edges.successor_at[i + 1] && found < WAYS; e++) {
            const int32_t to = s->edges.successors[e];
            bool known = holds(loop->nodes, to) || (around && !holds(around->nodes, to));
            for (int w = 0; w < found; w++)
                known |= ways[w] == to;
            if (!known)
                ways[found++] = to;
        }
    }
    return found;
}

static void mark_loop(const struct loop_search *s, const struct loop *loop)
{
    int32_t ways[WAYS];
    const int found = find_ways(s, loop, ways);
    int go_on = 0;
    if (found < 2 || is_unrolled(s, loop))
        return;
    memset(s->any, 0, s->words * sizeof *s->any);
    memset(s->reached, 0, (size_t)s->nodes);
    for (int w = 0; w < found; w++) {
        const bool goes_on = walk_out(s, loop, ways[w]);
        go_on += goes_on;
        for (int32_t i = 0; i < s->nodes; i++)
            if (holds(s->one, i)) {
                add(s->any, i);
                s->reached[i] += goes_on;
            }
    }
    for (int32_t i = 0; i < s->nodes - 1; i++)
        if (holds(s->any, i) && s->reached[i] < go_on)
            s->function->ops[i].apart = true;
}

bool loops_mark(struct sim_module *module, struct function *function)
{
    if (function->op_count > LARGE)
        return true;
    struct loop_search *s = calloc(1, sizeof *s);
    if (!s)
        return false;
    s->function = function;
    s->deadline = &module->deadline;
    s->nodes = (int32_t)function->op_count + 2;
    s->words = ((size_t)s->nodes + 63) / 64;
    bool good = flow_edges_list(&s->edges, function);
    if (good) {
        const size_t edges = (size_t)s->edges.successor_at[s->nodes];
        s->stack = malloc((edges + (size_t)s->nodes) * sizeof *s->stack);
        s->reached = malloc((size_t)s->nodes);
        s->any = malloc(s->words * sizeof *s->any);
        s->one = malloc(s->words * sizeof *s->one);
        good = s->stack && s->reached && s->any && s->one && find_loops(s);
    }
    for (int32_t i = 0; good && i < s->count; i++) {
        mark_loop(s, &s->loops[i]);
        good = !deadline_passed(s->deadline);
    }
    for (int32_t i = 0; i < s->count; i++)
        free(s->loops[i].nodes);
    flow_edges_free(&s->edges);
    free(s->stack);
    free(s->reached);
    free(s->any);
    free(s->one);
    free(s);
    return good;
}
