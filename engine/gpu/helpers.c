// The kernels of ceiling.cu, loaded, and what every measurement uses them for: emptying the L2, and keeping
// the GPU busy while the host queues what is to be timed.
#include "engine/gpu/driver.h"

#include <stdlib.h>

enum { BLOCK = 256 };

struct gpu_launch helper_launch(struct gpu_function *function, uint32_t grid, uint32_t block,
                                void **arguments)
{
    return (struct gpu_launch){ .function = function,
                                .name = function->name,
                                .grid = { grid, 1, 1 },
                                .block = { block, 1, 1 },
                                .arguments = arguments };
}

bool noise_fill(struct gpu *gpu, gpu_address to, size_t bytes, struct error *error)
{
    unsigned long long count = bytes / 4;
    void *arguments[] = { &to, &count };
    struct gpu_launch launch = helper_launch(gpu->noise, (uint32_t)gpu->facts.sm_count * 8, BLOCK, arguments);
    return launch_queue(gpu, &launch, error);
}

// Twice the L2, so that whatever was in it is replaced.
bool flush_alloc(struct gpu *gpu, struct error *error)
{
    if (gpu->flush != 0)
        return true;
    size_t l2 = gpu->facts.l2_bytes > 0 ? (size_t)gpu->facts.l2_bytes : (size_t)64 << 20;
    size_t bytes = (2 * l2 + HELPER_STEP - 1) / HELPER_STEP * HELPER_STEP;
    if (!gpu_alloc(gpu, bytes, &gpu->flush, error))
        return false;
    gpu->flush_bytes = bytes;
    return !gpu->helpers || noise_fill(gpu, gpu->flush, bytes, error);
}

// Reading leaves clean lines; a fill leaves dirty ones, which the next kernel then pays to write back.
bool l2_empty(struct gpu *gpu, struct error *error)
{
    if (!flush_alloc(gpu, error))
        return false;
    if (!gpu->helpers)
        return gpu_fill(gpu, gpu->flush, 0x5a, gpu->flush_bytes, error);
    uint32_t tiles = (uint32_t)(gpu->flush_bytes / HELPER_TILE(BLOCK));
    void *arguments[] = { &gpu->flush, &tiles, &gpu->flush };
    struct gpu_launch launch = helper_launch(gpu->read, tiles, BLOCK, arguments);
    return launch_queue(gpu, &launch, error);
}

bool gpu_hold(struct gpu *gpu, double us, struct error *error)
{
    if (!gpu->helpers)
        return true;
    double mhz = gpu->facts.clock_mhz > 0 ? gpu->facts.clock_mhz : 1500;
    long long cycles = (long long)(us * mhz);
    void *arguments[] = { &cycles };
    struct gpu_launch launch = helper_launch(gpu->hold, 1, 1, arguments);
    return launch_queue(gpu, &launch, error);
}

static bool functions_find(struct gpu *gpu, struct gpu_module *module, struct error *error)
{
    struct {
        const char *name;
        struct gpu_function **function;
    } wanted[] = { { "warpbook_read", &gpu->read },
                   { "warpbook_copy", &gpu->copy },
                   { "warpbook_noise", &gpu->noise },
                   { "warpbook_empty", &gpu->empty },
                   { "warpbook_hold", &gpu->hold } };
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++)
        if (!gpu_function_find(gpu, module, wanted[i].name, wanted[i].function, error))
            return false;
    return true;
}

bool gpu_helpers_load(struct gpu *gpu, const void *cubin, const char *ptx, struct error *error)
{
    if (gpu->helpers)
        return true;
    struct gpu_module *module = NULL;
    if (!gpu_module_load(gpu, cubin, ptx, &module, error))
        return false;
    if (!functions_find(gpu, module, error)) {
        gpu_module_unload(gpu, module);
        return false;
    }
    gpu->helpers = module;
    // Now, so that what is free afterwards is free for buffers. Short of memory, it is tried again when needed.
    return flush_alloc(gpu, error) || !gpu->lost;
}
