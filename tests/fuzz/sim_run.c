// Runs whatever PTX comes, with every check and small limits: no kernel may touch memory that it was not given,
// crash the simulator or keep it.
#include "engine/sim/steer.h"

#include <stdlib.h>
#include <string.h>

enum { BUFFER_BYTES = 4096, PARAMETERS = 16 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void run_kernel(const struct sim_module *module, int kernel)
{
    const struct ptx_function *function = kernel_at(module, (size_t)kernel)->from;
    uint64_t values[PARAMETERS];
    const void *arguments[PARAMETERS];
    unsigned char *buffers[2] = { calloc(1, BUFFER_BYTES), calloc(1, BUFFER_BYTES) };
    struct sim_memory *memory = sim_memory_new();
    sim_address given[2];
    if (function->param_count > PARAMETERS || !memory || !buffers[0] || !buffers[1])
        abort();
    given[0] = sim_memory_add(memory, "in", buffers[0], BUFFER_BYTES, 4, SIM_INOUT);
    given[1] = sim_memory_add(memory, "out", buffers[1], BUFFER_BYTES, 4, SIM_OUT);
    for (size_t i = 0; i < function->param_count; i++) {
        values[i] = function->params[i].bytes == 8 ? given[i % 2] : 37;
        arguments[i] = &values[i];
    }
    struct sim_launch launch = {
        .kernel = kernel, .grid = { 2, 1, 1 }, .block = { 40, 1, 1 }, .arguments = arguments
    };
    struct sim_options options = {
        .check = SIM_CHECK_ALL, .threads = 1, .instruction_limit = 20000, .limit_ms = 500
    };
    struct sim_result result = { 0 };
    struct sim_fault fault;
    if (sim_run(module, memory, &launch, &options, &result, &fault))
        sim_result_free(&result);
    sim_memory_free(memory);
    free(buffers[0]);
    free(buffers[1]);
}

// A parameter that is larger than one number would be read past its end.
static bool simple(const struct ptx_function *function)
{
    bool fits = function->entry && function->param_count <= PARAMETERS;
    for (size_t i = 0; fits && i < function->param_count; i++)
        fits = function->params[i].bytes <= sizeof(uint64_t);
    return fits;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sim_module *module;
    struct sim_fault fault;
    if (!sim_module_read((const char *)data, size, &module, &fault))
        return 0;
    for (size_t k = 0; k < sim_kernel_count(module) && k < 4; k++) {
        int index = sim_kernel_find(module, sim_kernel_name(module, k));
        if (index >= 0 && simple(kernel_at(module, (size_t)index)->from))
            run_kernel(module, index);
    }
    sim_module_free(module);
    return 0;
}
