// What a launch leaves: the counters of every instruction that ran, and their sums.
#include "engine/sim/steer.h"

#include <stdlib.h>
#include <string.h>

static size_t executed(const struct sim_module *module, const struct tally *tallies)
{
    size_t count = 0;
    for (size_t i = 0; i < module->tally_count; i++)
        count += tallies[i].warps != 0;
    return count;
}

bool result_fill(const struct machine *machine, const struct tally *tallies, struct sim_result *out)
{
    const struct sim_module *module = machine->module;
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
            count_add(&line->counters, op, &tallies[op->tally]);
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
