// What an assembler makes of a module's instructions: by the table, and corrected by the machine code where there is
// some.
#include "engine/model/assembler.h"

#include <stdlib.h>
#include <string.h>

static size_t count_functions(const struct sim_instruction *code, size_t count)
{
    size_t functions = 0;
    for (size_t i = 0; i < count; i++)
        functions += !i || code[i].function != code[i - 1].function;
    return functions;
}

static bool lower_all(struct lowering *functions, const struct lowering *common, size_t count)
{
    bool ok = true;
    size_t k = 0;
    for (size_t first = 0, end; first < count && ok; first = end, k++) {
        for (end = first; end < count && common->code[end].function == common->code[first].function; end++)
            ;
        functions[k] = *common;
        functions[k].first = first;
        functions[k].end = end;
        ok = lowering_open(&functions[k]) && lowering_count(&functions[k]);
    }
    return ok;
}

enum machine_source machine_code_of(const struct sim_instruction *code, size_t count,
                                    const uint64_t *executions, const void *cubin, size_t cubin_bytes,
                                    const struct gpu_figures *gpu, struct machine_code *out)
{
    size_t function_count = count_functions(code, count);
    struct lowering *functions = calloc(function_count + 1, sizeof *functions);
    struct lowering common = { .code = code, .executions = executions, .gpu = gpu, .out = out };
    struct cubin read;
    for (size_t i = 0; i < count; i++)
        out[i] = (struct machine_code){ .rank = (int)i };
    enum machine_source source = MACHINE_NO_MEMORY;
    if (functions && lower_all(functions, &common, count))
        source = MACHINE_TABLE;
    if (source == MACHINE_TABLE && cubin_read(&read, cubin, cubin_bytes)) {
        if (match_code(functions, function_count, &read))
            source = MACHINE_CUBIN;
        cubin_free(&read);
    }
    for (size_t k = 0; k < function_count && source != MACHINE_NO_MEMORY; k++)
        if (!functions[k].ordered && !order_blocks(&functions[k], NULL))
            source = MACHINE_NO_MEMORY;
    for (size_t i = 0; i < count; i++) // no machine code says how long these take; a sleep's operand does
        out[i].known &= !code[i].outside && (!code[i].base || strcmp(code[i].base, "nanosleep") != 0);
    for (size_t k = 0; functions && k < function_count; k++)
        lowering_close(&functions[k]);
    free(functions);
    return source;
}
