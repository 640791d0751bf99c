// Modelled times: how long a launch would take on a GPU that need not be there. The first launch of each size is sampled for
// the model, up to a few sizes of a kernel; its figures come from `warpbook exec`, as the bytes of their struct.
#include "engine/exec/exec.h"
#include "engine/model/model.h"

#include <stdlib.h>
#include <string.h>

static struct gpu_figures *gpu; // NULL: no times

void time_open(void)
{
    const char *path = getenv("WARPBOOK_EXEC_FIGURES");
    FILE *file = path && *path ? fopen(path, "re") : NULL;
    if (!file)
        return;
    gpu = malloc(sizeof *gpu);
    if (gpu && fread(gpu, sizeof *gpu, 1, file) != 1) {
        free(gpu);
        gpu = NULL;
    }
    fclose(file);
}

bool time_wanted(struct exec_function *f, const struct sim_launch *launch)
{
    struct exec_size size = { .shared_bytes = launch->shared_bytes };
    memcpy(size.grid, launch->grid, sizeof size.grid);
    memcpy(size.block, launch->block, sizeof size.block);
    if (!gpu || f->size_count == SIZES_TIMED)
        return false;
    for (int i = 0; i < f->size_count; i++)
        if (memcmp(&f->sizes[i], &size, sizeof size) == 0)
            return false;
    f->sizes[f->size_count++] = size;
    return true;
}

// How often warps executed each instruction.
static uint64_t *executions_of(const struct sim_result *result, size_t count)
{
    uint64_t *out = calloc(count + 1, sizeof *out);
    for (size_t i = 0; out && i < result->instruction_count; i++)
        if ((size_t)result->instructions[i].index < count)
            out[result->instructions[i].index] = result->instructions[i].counters.warp_inst;
    return out;
}

bool time_of(const struct exec_function *f, const struct sim_launch *launch, const struct sim_result *result,
             struct model_time *out)
{
    struct sim_instruction *code = NULL;
    size_t count = sim_module_instructions(f->module->code, &code);
    uint64_t *executions = executions_of(result, count);
    struct machine_code *machine = calloc(count + 1, sizeof *machine);
    const struct model_code all = { .code = code, .machine = machine, .count = count };
    const struct model_launch one = { .result = result,
                                      .blocks = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2],
                                      .block_threads =
                                          (int)(launch->block[0] * launch->block[1] * launch->block[2]),
                                      .registers = -1,
                                      .shared_bytes = (int)result->shared_bytes };
    bool good = code && executions && machine && result->sample &&
                machine_code_of(code, count, executions, NULL, 0, gpu, machine) != MACHINE_NO_MEMORY &&
                model_time(gpu, &all, &one, 1, 0, out);
    free(machine);
    free(executions);
    free(code);
    return good;
}
