// From the counts of single instructions to those of a launch and of the source's lines.
#include "engine/sim/access/access.h"

#include <stdlib.h>
#include <string.h>

// An `atom` whose result nobody reads becomes a reduction, but not in a kernel that has a fence, nor where it points now
// to shared memory and now to global.
static bool is_red(const struct op *op, const struct tally *tally, bool fenced)
{
    bool both = tally->cost[COST_SHARED].requests && tally->cost[COST_GLOBAL].requests;
    return atomic_is_red(op) && !both && !(fenced && strcmp(op->from->base, "atom") == 0);
}

// Under which name an instruction's cost in one space is counted.
static enum sim_access access_in(const struct op *op, const struct tally *tally, enum cost_space space,
                                 bool fenced)
{
    bool loads =
        op->access == SIM_GLOBAL_LOAD || op->access == SIM_SHARED_LOAD || op->access == SIM_LOCAL_LOAD;
    bool fences = op->access == SIM_ACCESSES; // what costs something and is no access
    bool stores = op->access == SIM_GLOBAL_STORE || op->access == SIM_SHARED_STORE ||
                  op->access == SIM_LOCAL_STORE || fences;
    if (space == COST_LOOP)
        return SIM_SHARED_LOAD;
    if (space == COST_FETCH)
        return SIM_GLOBAL_LOAD;
    if (space == COST_LOCAL)
        return loads ? SIM_LOCAL_LOAD : SIM_LOCAL_STORE;
    if (space == COST_SHARED) // cp.async loads from global memory and stores here
        return stores || strcmp(op->from->base, "cp") == 0 ? SIM_SHARED_STORE
               : loads                                     ? SIM_SHARED_LOAD
                                                           : SIM_SHARED_ATOM;
    return loads                       ? SIM_GLOBAL_LOAD
           : stores                    ? SIM_GLOBAL_STORE
           : is_red(op, tally, fenced) ? SIM_GLOBAL_RED
                                       : SIM_GLOBAL_ATOM;
}

void count_add(struct sim_counters *to, const struct op *op, const struct tally *tally, bool fenced)
{
    to->warp_inst += tally->warps;
    to->thread_inst += tally->lanes;
    if (op->kind == OP_BRANCH || op->kind == OP_INDEXED) {
        to->branches += tally->warps;
        to->divergent += tally->divergent;
    }
    if (op->kind == OP_BARRIER)
        to->barriers += tally->warps;
    for (int space = 0; space < COST_SPACES; space++) {
        const struct cost *cost = &tally->cost[space];
        if (!cost->requests)
            continue;
        enum sim_access access = access_in(op, tally, (enum cost_space)space, fenced);
        to->requests[access] += cost->requests;
        to->passes[access] += cost->passes;
        to->ideal[access] += cost->ideal;
        to->conflicts[access] += cost->conflicts;
    }
}

void sim_counters_add(struct sim_counters *to, const struct sim_counters *from)
{
    to->warp_inst += from->warp_inst;
    to->thread_inst += from->thread_inst;
    to->branches += from->branches;
    to->divergent += from->divergent;
    to->barriers += from->barriers;
    to->longest += from->longest;
    to->even += from->even;
    for (int i = 0; i < SIM_ACCESSES; i++) {
        to->requests[i] += from->requests[i];
        to->passes[i] += from->passes[i];
        to->ideal[i] += from->ideal[i];
        to->conflicts[i] += from->conflicts[i];
    }
}

static int by_line(const void *left, const void *right)
{
    const struct sim_line *x = left, *y = right;
    return (x->line > y->line) - (x->line < y->line);
}

size_t sim_result_lines(const struct sim_result *result, struct sim_line **out)
{
    *out = NULL;
    if (!result->instruction_count)
        return 0;
    struct sim_line *lines = malloc(result->instruction_count * sizeof *lines);
    if (!lines)
        return 0;
    memcpy(lines, result->instructions, result->instruction_count * sizeof *lines);
    qsort(lines, result->instruction_count, sizeof *lines, by_line);
    size_t count = 0;
    for (size_t i = 0; i < result->instruction_count; i++) {
        if (count && lines[count - 1].line == lines[i].line) {
            struct sim_line *line = &lines[count - 1];
            sim_counters_add(&line->counters, &lines[i].counters);
            if (lines[i].ptx_line < line->ptx_line)
                line->ptx_line = lines[i].ptx_line;
        } else {
            lines[count++] = lines[i];
        }
    }
    *out = lines;
    return count;
}
