// What an assembler makes of a module's instructions: by the table, and corrected by the machine code where there is some.
#include "engine/model/assembler.h"

#include <stdlib.h>

enum machine_source machine_code_of(const struct sim_instruction *code, size_t count,
                                    const uint64_t *executions, const void *cubin, size_t cubin_bytes,
                                    const struct gpu_figures *gpu, struct machine_code *out)
{
    for (size_t i = 0; i < count; i++)
        out[i] = (struct machine_code){ .rank = (int)i };
    bool ok = true;
    for (size_t first = 0, end; first < count && ok; first = end) {
        for (end = first; end < count && code[end].function == code[first].function; end++)
            ;
        struct lowering w = {
            .code = code, .first = first, .end = end, .executions = executions, .gpu = gpu, .out = out
        };
        ok = lowering_open(&w) && lowering_count(&w) && order_blocks(&w);
        lowering_close(&w);
    }
    return ok ? MACHINE_TABLE : MACHINE_NO_MEMORY;
}
