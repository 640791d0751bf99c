// What branches and loops cost: short arms are executed under a predicate, threads that part are told where they
// meet, loops are repeated.
#include "engine/model/lowering.h"

static double executed(const struct lower *l, int i)
{
    return l->of->executions ? (double)l->of->executions[i] : 0;
}

static bool leaves(const struct lower *l, int i)
{
    while (i < l->end && is(&l->code[i], "bra") && !l->code[i].guarded && l->code[i].target > i)
        i = l->code[i].target;
    return i < l->end && (is(&l->code[i], "ret") || is(&l->code[i], "exit"));
}

static bool can_be_guarded(const struct sim_instruction *in)
{
    return !is(in, "bar") && !is(in, "barrier") && !is(in, "call") && !is(in, "bra") && !is(in, "ret") &&
           !is(in, "exit") && !is(in, "brx") && !is(in, "div") && !is(in, "rem") && !is(in, "trap") &&
           !is(in, "vote") && !is(in, "shfl") && !is(in, "membar") && !is(in, "fence");
}

enum { GUARDED_MOST = 10 };

// The machine instructions of an arm that is short enough to be executed under a predicate instead of being jumped
// over; 0: it is not.
static float guarded_arm(const struct lower *l, int branch)
{
    int to = l->code[branch].target;
    float issues = 0;
    if (to <= branch + 1 || l->of->block[to - l->first] != block_of(l, branch) + 2)
        return 0;
    for (int i = branch + 1; i < to; i++) {
        if (!can_be_guarded(&l->code[i]))
            return 0;
        issues += l->out[i].issues;
    }
    return issues <= GUARDED_MOST ? issues : 0;
}

enum { DEPTH_MOST = 64 };

// Threads that part meet again at a place that is told before: two instructions, for each place.
static bool meets_first(const struct lower *l, int branch)
{
    const struct graph *graph = &l->of->graph;
    int block = block_of(l, branch), join = graph->postdominator[block];
    if (join < 0)
        return false;
    for (int b = graph->dominator[block], depth = 0; b >= 0 && depth < DEPTH_MOST;
         b = graph->dominator[b], depth++) {
        const struct graph_block *other = &graph->blocks[b];
        const struct sim_instruction *last = &l->code[l->first + other->end - 1];
        if (graph->postdominator[b] == join && is(last, "bra") && last->guarded)
            return false;
    }
    return true;
}

// Those that left by a branch do not arrive at the end that it leads to.
static void ends(struct lower *l)
{
    for (int i = l->first + 1; i < l->end && l->of->executions; i++) {
        const struct sim_instruction *in = &l->code[i], *before = &l->code[i - 1];
        if (!(is(in, "ret") || is(in, "exit")) || !in->leads || executed(l, i) <= executed(l, i - 1))
            continue;
        bool falls = !(is(before, "bra") && !before->guarded) && !is(before, "ret") && !is(before, "exit");
        if (falls)
            scale(&l->out[i], (float)(executed(l, i - 1) / executed(l, i)));
    }
}

static void branches(struct lower *l)
{
    for (int i = l->first; i < l->end; i++) {
        const struct sim_instruction *in = &l->code[i];
        if (!is(in, "bra") || in->target < l->first || in->target >= l->end)
            continue;
        bool differs = in->guarded && !l->values[guard_of(l, in)].uniform;
        bool forward = in->target > i;
        float arm = in->guarded && forward ? guarded_arm(l, i) : 0;
        nothing(&l->out[i]);
        if (!in->guarded) {
            const struct sim_instruction *before = &l->code[i > l->first ? i - 1 : i];
            bool turned = is(before, "bra") && before->guarded &&
                          before->target == i + 1; // one, with the other condition
            if (in->target != i + 1 && !turned)
                spend(&l->out[i], leaves(l, in->target) ? 0 : 1, PIPE_NONE);
        } else if (forward && leaves(l, in->target)) {
            spend(&l->out[i], 1, PIPE_NONE);
        } else if (arm > 0) {
            double all = executed(l, i), taken = executed(l, i + 1);
            if (all > taken)
                spend(&l->out[i], arm * (float)((all - taken) / all), PIPE_NONE);
        } else {
            spend(&l->out[i], forward && differs && meets_first(l, i) ? 3 : 1, PIPE_NONE);
        }
    }
}

// ---- loops -------------------------------------------------------------------------------------------------------

// UNROLLED_ENTRY: the checks for what is left over, of a warp whose threads stay together.
enum { UNROLLED = 4, UNROLLED_MOST = 72, UNROLLED_ENTRY = 7 };

static bool stops_unrolling(const struct sim_instruction *in)
{
    return is(in, "bar") || is(in, "barrier") || is(in, "call") || is(in, "vote") || is(in, "shfl") ||
           is(in, "match") || is(in, "atom") || is(in, "membar") || is(in, "fence") || is(in, "brx");
}

// i = i + constant, and nothing else writes it.
static bool steps(const struct lower *l, int i)
{
    const struct sim_instruction *in = &l->code[i];
    return is(in, "add") && in->immediate >= 0 && in->write_count == 1 && reads_of(in) == 1 &&
           in->writes[0] == in->reads[0] && !is_dead(l, i);
}

static bool defined_in(const struct lower *l, int value, const struct graph_block *block)
{
    for (int i = l->first + block->first; i < l->first + block->end; i++)
        for (int r = 0; r < l->code[i].write_count; r++)
            if (l->code[i].writes[r] == value)
                return true;
    return false;
}

// What is left over of a loop that the compiler repeated four times: three iterations at most.
static bool is_rest(const struct lower *l, int counter)
{
    for (int i = l->first; i < counter; i++) {
        const struct sim_instruction *in = &l->code[i];
        struct operands operands;
        long long mask;
        if (!is(in, "and") || in->write_count != 1 || in->writes[0] != l->code[counter].writes[0])
            continue;
        operands_read(in, &operands);
        if (operands_constant(&operands, 2, &mask) && mask >= 0 && mask < 2 * UNROLLED)
            return true;
    }
    return false;
}

// A loop of one block whose counter goes on by a constant is repeated, so that what it costs to go round is shared.
static bool unrolls(const struct lower *l, const struct graph_block *block, int *counter)
{
    int last = l->first + block->end - 1;
    const struct sim_instruction *branch = &l->code[last];
    if (!is(branch, "bra") || !branch->guarded || branch->target != l->first + block->first)
        return false;
    float issues = 0;
    for (int i = l->first + block->first; i < last; i++) {
        if (stops_unrolling(&l->code[i]))
            return false;
        issues += l->out[i].issues;
    }
    const struct sim_instruction *test = only_definition(l, guard_of(l, branch));
    if (!test || !is(test, "setp") || issues > UNROLLED_MOST || issues < 3)
        return false;
    for (int r = 0; r < reads_of(test); r++)
        for (int i = l->first + block->first; i < last; i++)
            if (steps(l, i) && l->code[i].writes[0] == test->reads[r]) {
                *counter = i;
                if (is_rest(l, i))
                    return false;
                for (int other = 0; other < reads_of(test); other++)
                    if (other != r && defined_in(l, test->reads[other], block))
                        return false;
                return true;
            }
    return false;
}

// A store may be what the next iteration reads, so that its loads cannot go before it.
static bool stores(const struct lower *l, const struct graph_block *block)
{
    for (int i = l->first + block->first; i < l->first + block->end; i++)
        if (is(&l->code[i], "st") || is(&l->code[i], "red"))
            return true;
    return false;
}

// The number of iterations is known, so that nothing has to be checked before and after.
static bool is_counted_out(const struct lower *l, const struct sim_instruction *test, int counter)
{
    int value = l->code[counter].writes[0];
    bool known = test->immediate >= 0;
    for (int i = l->first; i < l->end; i++)
        for (int r = 0; r < l->code[i].write_count && i != counter; r++)
            if (l->code[i].writes[r] == value)
                known = known && is(&l->code[i], "mov") && l->code[i].immediate == 1;
    return known;
}

static void loops(struct lower *l)
{
    for (int b = 0; b < l->of->graph.count; b++) {
        const struct graph_block *block = &l->of->graph.blocks[b];
        int counter, last = l->first + block->end - 1;
        if (!unrolls(l, block, &counter))
            continue;
        const struct sim_instruction *test = only_definition(l, guard_of(l, &l->code[last]));
        for (int i = l->first + block->first; i <= last; i++)
            if (i == last || steps(l, i) || &l->code[i] == test)
                scale(&l->out[i], 1.0f / UNROLLED);
        if (!is_counted_out(l, test, counter) && block->first > 0)
            spend(&l->out[l->first + block->first - 1],
                  l->values[result_of(l, test)].uniform ? UNROLLED_ENTRY : UNROLLED_ENTRY + 6, PIPE_NONE);
        if (!stores(l, block))
            l->out[l->first + block->first].unrolled = UNROLLED;
    }
}

void lower_control(struct lower *l)
{
    branches(l);
    ends(l);
    loops(l);
}
