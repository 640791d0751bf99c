// Modules, their kernels, and what a launch asks for: checked against what this GPU can do, so that a
// launch line that cannot work is answered with the numbers that do not fit, not with an error code.
#include "engine/base/confine.h"
#include "engine/gpu/driver.h"

#include <stdlib.h>
#include <string.h>

enum { SHARED_USUAL = 48 << 10 }; // bytes that a block may use without asking

// ---- modules and functions ------------------------------------------------------------------------

static bool load_fault(struct gpu *gpu, int code, const char *log, struct error *error)
{
    gpu_fault(gpu, code, "cuModuleLoadDataEx", "Loading the compiled kernels onto the GPU", error);
    struct text clean = { 0 };
    text_add_clean(&clean, log, strlen(log));
    if (clean.length > 0) {
        size_t at = strlen(error->text);
        format_into(error->text + at, sizeof error->text - at, "\nThe driver's assembler says: %s",
                    text_string(&clean));
    }
    text_free(&clean);
    return false;
}

enum { LOG_ROOM = 2048 };

static int load(const struct gpu *gpu, const void *image, cu_module *out, char log[LOG_ROOM])
{
    cu_jit_option options[] = { JIT_ERROR_LOG, JIT_ERROR_LOG_BYTES };
    void *values[] = { log, (void *)(uintptr_t)(LOG_ROOM - 1) };
    return gpu->driver->cuModuleLoadDataEx(out, image, 2, options, values);
}

bool gpu_module_load(struct gpu *gpu, const void *cubin, const char *ptx, struct gpu_module **out,
                     struct error *error)
{
    *out = NULL;
    if (!gpu_usable(gpu, error))
        return false;
    char log[LOG_ROOM] = "";
    cu_module handle = NULL;
    int code = cubin ? load(gpu, cubin, &handle, log) : CU_NO_BINARY_FOR_GPU;
    if (code == CU_NO_BINARY_FOR_GPU && ptx)
        code = load(gpu, ptx, &handle, log);
    if (code != 0)
        return load_fault(gpu, code, log, error);
    struct gpu_module *module = mem_new(sizeof *module);
    module->handle = handle;
    *out = module;
    return true;
}

void gpu_module_unload(struct gpu *gpu, struct gpu_module *module)
{
    if (!module)
        return;
    if (!gpu->lost)
        (void)gpu->driver->cuModuleUnload(module->handle); // an earlier fault shows here again
    for (size_t i = 0; i < module->count; i++) {
        free(module->functions[i]->name);
        free(module->functions[i]);
    }
    free(module->functions);
    free(module);
}

static int attribute(const struct driver *driver, cu_function function, int number)
{
    int value = 0;
    return driver->cuFuncGetAttribute(&value, number, function) == 0 ? value : -1;
}

bool gpu_function_find(struct gpu *gpu, struct gpu_module *module, const char *name,
                       struct gpu_function **out, struct error *error)
{
    *out = NULL;
    if (!gpu_usable(gpu, error))
        return false;
    for (size_t i = 0; i < module->count; i++)
        if (strcmp(module->functions[i]->name, name) == 0) {
            *out = module->functions[i];
            return true;
        }
    char doing[160];
    format_into(doing, sizeof doing, "Finding the kernel %s", name);
    cu_function handle = NULL;
    int code = gpu->driver->cuModuleGetFunction(&handle, module->handle, name);
    if (code != 0)
        return gpu_fault(gpu, code, "cuModuleGetFunction", doing, error);
    struct gpu_function *function = mem_new(sizeof *function);
    function->name = mem_copy(name);
    function->handle = handle;
    function->registers = attribute(gpu->driver, handle, FUNCTION_REGISTERS);
    function->shared_bytes = attribute(gpu->driver, handle, FUNCTION_SHARED_BYTES);
    function->max_threads = attribute(gpu->driver, handle, FUNCTION_MAX_THREADS);
    module->functions = array_room(module->functions, module->count, sizeof *module->functions);
    module->functions[module->count++] = function;
    *out = function;
    return true;
}

// The driver reads as many arguments as the loaded code has parameters, and of each as many bytes as it has. The
// question for one more than there are is an error, which compute-sanitizer would report; under it the question is not asked.
bool gpu_function_takes(struct gpu *gpu, const struct gpu_function *function,
                        const struct gpu_parameter *parameters, size_t count, struct error *error)
{
    if (!gpu_usable(gpu, error))
        return false;
    size_t asked = confine_state().profiler ? count : count + 1;
    for (size_t i = 0; gpu->driver->cuFuncGetParamInfo && i < asked; i++) {
        size_t offset = 0, bytes = 0;
        int code = gpu->driver->cuFuncGetParamInfo(function->handle, i, &offset, &bytes);
        bool there = code == 0, expected = i < count;
        if (code != 0 && code != CU_INVALID_VALUE) {
            char doing[160];
            format_into(doing, sizeof doing, "Looking at the parameters of %s", function->name);
            return gpu_fault(gpu, code, "cuFuncGetParamInfo", doing, error);
        }
        if (there != expected || (there && (offset != parameters[i].offset || bytes != parameters[i].bytes)))
            return error_set(
                error, EXIT_WRONG,
                "%s: the code on the GPU has other parameters than its PTX says, from number %zu on, "
                "so it is not started. Run it again with an empty cache; warpbook doctor says where "
                "that is.",
                function->name, i + 1);
    }
    return true;
}

int gpu_function_registers(struct gpu *gpu, struct gpu_function *function)
{
    return function->registers;
}

int gpu_function_shared(struct gpu *gpu, struct gpu_function *function)
{
    return function->shared_bytes;
}

// ---- one launch -----------------------------------------------------------------------------------

static bool dims_check(const struct gpu_launch *launch, const char *what, const uint32_t dims[3],
                       const uint32_t most[3], struct error *error)
{
    for (int i = 0; i < 3; i++) {
        if (dims[i] == 0)
            return error_set(error, EXIT_WRONG, "%s: the %s's %c size is 0, so nothing would run.",
                             launch->name, what, "xyz"[i]);
        if (dims[i] > most[i])
            return error_set(error, EXIT_WRONG, "%s: the %s's %c size is %u; CUDA allows at most %u.",
                             launch->name, what, "xyz"[i], dims[i], most[i]);
    }
    return true;
}

static bool threads_check(const struct gpu *gpu, const struct gpu_launch *launch, struct error *error)
{
    const struct gpu_function *function = launch->function;
    uint64_t threads = (uint64_t)launch->block[0] * launch->block[1] * launch->block[2];
    if (threads > (uint64_t)gpu->facts.max_block_threads)
        return error_set(error, EXIT_WRONG,
                         "%s: a block of %llu threads; this GPU takes at most %d in a block.", launch->name,
                         (unsigned long long)threads, gpu->facts.max_block_threads);
    if (function->max_threads > 0 && threads > (uint64_t)function->max_threads)
        return error_set(
            error, EXIT_WRONG,
            "%s: a block of %llu threads; this kernel takes at most %d, for it uses %d registers a "
            "thread or states so in __launch_bounds__.",
            launch->name, (unsigned long long)threads, function->max_threads, function->registers);
    return true;
}

static int shared_static(const struct gpu_function *function)
{
    return function->shared_bytes > 0 ? function->shared_bytes : 0;
}

bool launch_check(struct gpu *gpu, const struct gpu_launch *launch, struct error *error)
{
    static const uint32_t most_grid[3] = { 2147483647, 65535, 65535 }, most_block[3] = { 1024, 1024, 64 };
    if (!dims_check(launch, "grid", launch->grid, most_grid, error) ||
        !dims_check(launch, "block", launch->block, most_block, error) || !threads_check(gpu, launch, error))
        return false;
    uint64_t fixed = (uint64_t)shared_static(launch->function), total = fixed + launch->shared_bytes;
    if (total > (uint64_t)gpu->facts.shared_block_bytes)
        return error_set(
            error, EXIT_WRONG,
            "%s: a block asks for %llu bytes of shared memory (%llu in the kernel, %u on the launch "
            "line); this GPU gives a block at most %d.",
            launch->name, (unsigned long long)total, (unsigned long long)fixed, launch->shared_bytes,
            gpu->facts.shared_block_bytes);
    return true;
}

static void launch_words(const struct gpu_launch *launch, char *out, size_t size)
{
    format_into(out, size, "Starting %s", launch->name);
}

// More than the usual 48 KiB must be asked for, once for each kernel.
static bool shared_allow(struct gpu *gpu, const struct gpu_launch *launch, struct error *error)
{
    struct gpu_function *function = launch->function;
    int bytes = (int)launch->shared_bytes; // launch_check bounds it
    if (bytes + shared_static(function) <= SHARED_USUAL || bytes <= function->dynamic_allowed)
        return true;
    char doing[160];
    launch_words(launch, doing, sizeof doing);
    int code = gpu->driver->cuFuncSetAttribute(function->handle, FUNCTION_MAX_DYNAMIC_SHARED, bytes);
    if (code != 0)
        return gpu_fault(gpu, code, "cuFuncSetAttribute", doing, error);
    function->dynamic_allowed = bytes;
    return true;
}

bool launch_queue(struct gpu *gpu, const struct gpu_launch *launch, struct error *error)
{
    if (!shared_allow(gpu, launch, error))
        return false;
    int code = gpu->driver->cuLaunchKernel(
        launch->function->handle, launch->grid[0], launch->grid[1], launch->grid[2], launch->block[0],
        launch->block[1], launch->block[2], launch->shared_bytes, NULL, launch->arguments, NULL);
    if (code == 0)
        return true;
    char doing[160];
    launch_words(launch, doing, sizeof doing);
    return gpu_fault(gpu, code, "cuLaunchKernel", doing, error);
}
