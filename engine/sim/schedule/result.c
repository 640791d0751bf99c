// What a launch leaves: the counters of every instruction that ran, and their sums.
#include "engine/sim/access/access.h"
#include "engine/sim/schedule/schedule.h"

#include <stdlib.h>
#include <string.h>

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

// Whether a function that ran has a fence, be it one that was not reached.
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
            line->text = i < function->op_count ? op->from->text : "}"; // the end without a ret
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
