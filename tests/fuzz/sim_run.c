// Runs whatever PTX comes, with every check and small limits: no kernel may touch memory that it was not given,
// crash the simulator or keep it.
#include "engine/sim/steer.h"
#include "tests/fuzz/shared/fuzz.h"
#include "tests/fuzz/shared/limits.h"

#include <stdlib.h>
#include <string.h>

enum { BUFFER_BYTES = 4096, PARAMETERS_MOST = 64, PARAMETER_MOST = 1 << 16 };

// Every argument in the size of its parameter: the address of one of the buffers where that fits, else 37.
static void give_arguments(const struct ptx_function *function, const sim_address given[2],
                           const void *arguments[PARAMETERS_MOST])
{
    for (size_t i = 0; i < function->param_count; i++) {
        size_t bytes = function->params[i].bytes;
        unsigned char *value = calloc(1, bytes ? bytes : 1);
        must(value != NULL);
        if (bytes)
            *value = 37;
        if (bytes == sizeof *given)
            memcpy(value, &given[i % 2], bytes);
        arguments[i] = value;
    }
}

static void run_kernel(const struct sim_module *module, int kernel)
{
    const struct ptx_function *function = kernel_at(module, (size_t)kernel)->from;
    const void *arguments[PARAMETERS_MOST] = { NULL };
    unsigned char *buffers[2] = { calloc(1, BUFFER_BYTES), calloc(1, BUFFER_BYTES) };
    struct sim_memory *memory = sim_memory_new();
    sim_address given[2];
    must(memory && buffers[0] && buffers[1]);
    given[0] = sim_memory_add(memory, "in", buffers[0], BUFFER_BYTES, 4, SIM_INOUT);
    given[1] = sim_memory_add(memory, "out", buffers[1], BUFFER_BYTES, 4, SIM_OUT);
    give_arguments(function, given, arguments);
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
    for (size_t i = 0; i < function->param_count; i++)
        free((void *)arguments[i]);
    free(buffers[0]);
    free(buffers[1]);
}

// Without much memory.
static bool is_small(const struct function *function)
{
    const struct ptx_function *from = function->from;
    bool small = from->entry && from->param_count <= PARAMETERS_MOST;
    for (size_t i = 0; small && i < from->param_count; i++)
        small = from->params[i].bytes <= PARAMETER_MOST;
    return small;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sim_module *module;
    struct sim_fault fault;
    if (!sim_module_read((const char *)data, size, &module, &fault))
        return 0;
    for (size_t k = 0; module_is_small(module) && k < sim_kernel_count(module) && k < 4; k++) {
        int index = sim_kernel_find(module, sim_kernel_name(module, k));
        if (index >= 0 && is_small(kernel_at(module, (size_t)index)))
            run_kernel(module, index);
    }
    sim_module_free(module);
    return 0;
}
