// Runs whatever PTX comes, with every check and small limits: no kernel may touch memory that it was not given,
// crash the simulator or keep it.
#include "engine/sim/sim.h"
#include "tests/fuzz/shared/fuzz.h"

#include <stdlib.h>
#include <string.h>

enum { BUFFER_BYTES = 4096, PARAMETERS_MOST = 64, MEMORY = 24 << 20 };

// Every argument in the size of its parameter: the address of one of the buffers where that fits, else 37. False: they
// are too large.
static bool give_arguments(const struct sim_kernel *kernel, const sim_address given[2], unsigned char *values,
                           struct sim_argument arguments[PARAMETERS_MOST])
{
    size_t used = 0;
    for (size_t i = 0; i < kernel->parameter_count; i++) {
        size_t bytes = kernel->parameters[i].bytes;
        if (i == PARAMETERS_MOST || bytes > BUFFER_BYTES - used)
            return false;
        arguments[i] = (struct sim_argument){ values + used, bytes };
        memset(values + used, 0, bytes);
        if (bytes == sizeof *given)
            memcpy(values + used, &given[i % 2], bytes);
        else if (bytes)
            values[used] = 37;
        used += bytes;
    }
    return true;
}

static void run_kernel(const struct sim_module *module, int kernel)
{
    const struct sim_kernel *known = &sim_module_kernels(module)->all[kernel];
    struct sim_argument arguments[PARAMETERS_MOST];
    unsigned char *bytes[3] = { malloc(BUFFER_BYTES), malloc(BUFFER_BYTES), malloc(BUFFER_BYTES) };
    struct sim_memory *memory = sim_memory_new();
    sim_address given[2];
    must(memory && bytes[0] && bytes[1] && bytes[2]);
    // No byte is 0, so that shared/guard.c sees one that goes astray.
    for (int i = 0; i < BUFFER_BYTES; i++)
        bytes[0][i] = bytes[1][i] = (unsigned char)(1 + i % 255);
    given[0] = sim_memory_add(memory, "in", bytes[0], BUFFER_BYTES, 4, SIM_INOUT);
    given[1] = sim_memory_add(memory, "out", bytes[1], BUFFER_BYTES, 4, SIM_OUT);
    struct sim_launch launch = { .kernel = kernel,
                                 .grid = { 2, 1, 1 },
                                 .block = { 40, 1, 1 },
                                 .arguments = arguments,
                                 .argument_count = known->parameter_count };
    struct sim_options options = { .check = SIM_CHECK_ALL,
                                   .threads = 1,
                                   .instruction_limit = 20000,
                                   .limit_ms = 500,
                                   .memory_limit = MEMORY };
    struct sim_result result = { 0 };
    struct sim_fault fault;
    if (give_arguments(known, given, bytes[2], arguments) &&
        sim_run(module, memory, &launch, &options, &result, &fault))
        sim_result_free(&result);
    sim_memory_free(memory);
    for (int i = 0; i < 3; i++)
        free(bytes[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sim_module *module;
    struct sim_fault fault;
    if (!sim_module_read((const char *)data, size, &module, &fault))
        return 0;
    for (size_t k = 0; k < sim_module_kernels(module)->count && k < 4; k++)
        run_kernel(module, (int)k);
    sim_module_free(module);
    return 0;
}
