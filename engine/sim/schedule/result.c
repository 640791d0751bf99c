// The result of a launch: counters of every instruction that ran, summed by line and for the launch.
#include "engine/sim/access/access.h"
#include "engine/sim/schedule/schedule.h"

#include <stdlib.h>
#include <string.h>

// ---- counters -----------------------------------------------------------------------------------------------

// An `atom` whose result is never read becomes a reduction, except in a kernel with a fence, and except where its address is
// sometimes in shared and sometimes in global memory.
static bool is_red(const struct op *op, const struct tally *tally, bool fenced)
{
    bool both = tally->cost[COST_SHARED].requests && tally->cost[COST_GLOBAL].requests;
    return atomic_is_red(op) && !both && !(fenced && strcmp(op->from->base, "atom") == 0);
}

// The counter to which an instruction's cost in one space belongs.
static enum sim_access access_in(const struct op *op, const struct tally *tally, enum cost_space space,
                                 bool fenced)
{
    bool loads =
        op->access == SIM_GLOBAL_LOAD || op->access == SIM_SHARED_LOAD || op->access == SIM_LOCAL_LOAD;
    bool fences = op->access == SIM_ACCESSES; // an instruction that costs something but accesses no memory
    bool stores = op->access == SIM_GLOBAL_STORE || op->access == SIM_SHARED_STORE ||
                  op->access == SIM_LOCAL_STORE || fences;
    if (space == COST_CAS_LOOP)
        return SIM_SHARED_LOAD;
    if (space == COST_CAS_FETCH)
        return SIM_GLOBAL_LOAD;
    if (space == COST_LOCAL)
        return loads ? SIM_LOCAL_LOAD : SIM_LOCAL_STORE;
    if (space == COST_SHARED) // cp.async loads from global memory and stores to shared memory
        return stores || strcmp(op->from->base, "cp") == 0 ? SIM_SHARED_STORE
               : loads                                     ? SIM_SHARED_LOAD
                                                           : SIM_SHARED_ATOM;
    return loads                       ? SIM_GLOBAL_LOAD
           : stores                    ? SIM_GLOBAL_STORE
           : is_red(op, tally, fenced) ? SIM_GLOBAL_RED
                                       : SIM_GLOBAL_ATOM;
}

static void count_add(struct sim_counters *to, const struct op *op, const struct tally *tally, bool fenced)
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

// ---- a launch's result --------------------------------------------------------------------------------------

static size_t executed(const struct sim_module *module, const struct tally *tallies)
{
    size_t count = 0;
    for (size_t i = 0; i < module->tally_count; i++)
        count += tallies[i].warps != 0;
    return count;
}

static bool is_fence(const struct op *op)
{
    static const char *const bases[] = { "membar", "fence", NULL };
    const struct ptx_instruction *in = op->from;
    bool orders = strcmp(in->base, "atom") == 0 &&
                  (ptx_has(in, "acq_rel") || ptx_has(in, "acquire") || ptx_has(in, "release"));
    return orders || (ptx_is_one_of(in->base, bases) && !ptx_has(in, "proxy"));
}

// Whether a function that ran contains a fence, even one that was not reached.
static bool has_fence(const struct sim_module *module, const struct tally *tallies)
{
    for (size_t f = 0; f < module->function_count; f++) {
        const struct function *function = &module->functions[f];
        bool ran = false, fenced = false;
        for (size_t i = 0; function->ops && i < function->op_count; i++) {
            ran |= tallies[function->ops[i].tally].warps != 0;
            fenced |= function->ops[i].kind != OP_UNKNOWN && is_fence(&function->ops[i]);
        }
        if (ran && fenced)
            return true;
    }
    return false;
}

bool result_fill(const struct machine *machine, const struct tally *tallies, struct sim_result *out)
{
    const struct sim_module *module = machine->module;
    bool fenced = has_fence(module, tallies);
    out->instructions = malloc((executed(module, tallies) + 1) * sizeof *out->instructions);
    if (!out->instructions)
        return false;
    for (size_t f = 0; f < module->function_count; f++) {
        const struct function *function = &module->functions[f];
        for (size_t i = 0; function->ops && i <= function->op_count; i++) {
            const struct op *op = &function->ops[i];
            if (!tallies[op->tally].warps)
                continue;
            struct sim_line *line = &out->instructions[out->instruction_count++];
            line->index = op->tally;
            line->text = i < function->op_count ? op->from->text : "}"; // the implicit ret at the end
            line->ptx_line = op->from->ptx_line;
            line->line = op->from->line;
            memset(&line->counters, 0, sizeof line->counters);
            count_add(&line->counters, op, &tallies[op->tally], fenced);
            sim_counters_add(&out->counters, &line->counters);
        }
    }
    return true;
}

void sim_result_free(struct sim_result *result)
{
    free(result->instructions);
    free(result->findings);
    free(result->printed);
    free(result->printed_lines);
    memset(result, 0, sizeof *result);
}
