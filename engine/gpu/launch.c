// Modules, their kernels, launches, and how long they take; and what a GPU can do at best, the 100 % of every bandwidth that
// is shown.
#include "engine/gpu/driver.h"

#include "engine/base/confine.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SHARED_USUAL = 48 << 10 }; // bytes that a block may use without asking

// ---- modules and functions ------------------------------------------------------------------------

static bool load_fault(struct gpu *gpu, int code, const char *log, struct error *error)
{
    gpu_fault(gpu, code, "cuModuleLoadDataEx", "Loading the compiled kernels onto the GPU", error);
    char *clean = text_clean(log);
    size_t at = strlen(error->text);
    if (*clean)
        format_into(error->text + at, sizeof error->text - at, "\nThe driver's assembler says: %s", clean);
    free(clean);
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

bool gpu_module_variable(struct gpu *gpu, struct gpu_module *module, const char *name, gpu_address *out,
                         size_t *bytes, struct error *error)
{
    enum { NOT_FOUND = 500 };
    char doing[160];
    *bytes = 0;
    if (!gpu_usable(gpu, error))
        return false;
    cu_address at = 0;
    format_into(doing, sizeof doing, "Finding the variable %s", name);
    int code = gpu->driver->cuModuleGetGlobal_v2(&at, bytes, module->handle, name);
    *bytes = code == 0 ? *bytes : 0;
    *out = at;
    return code == NOT_FOUND || gpu_answered(gpu, code, "cuModuleGetGlobal_v2", doing, error);
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
    if (!GPU_CALL(gpu, cuModuleGetFunction, (&handle, module->handle, name), doing, error))
        return false;
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
        return error_set(error, EXIT_WRONG,
                         "%s: a block of %llu threads; this kernel takes at most %d, because it uses %d "
                         "registers a thread or says so in __launch_bounds__.",
                         launch->name, (unsigned long long)threads, function->max_threads,
                         function->registers);
    return true;
}

static int shared_static(const struct gpu_function *function)
{
    return function->shared_bytes > 0 ? function->shared_bytes : 0;
}

// A launch that cannot work is refused before the driver sees it.
static bool launch_check(struct gpu *gpu, const struct gpu_launch *launch, struct error *error)
{
    static const uint32_t most_grid[3] = { 2147483647, 65535, 65535 }, most_block[3] = { 1024, 1024, 64 };
    if (launch->library)
        return true;
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
    if (!GPU_CALL(gpu, cuFuncSetAttribute, (function->handle, FUNCTION_MAX_DYNAMIC_SHARED, bytes), doing,
                  error))
        return false;
    function->dynamic_allowed = bytes;
    return true;
}

// With clusters, or all blocks at once.
static bool launch_together(struct gpu *gpu, const struct gpu_launch *launch, const char *doing,
                            struct error *error)
{
    struct driver_launch_attribute attributes[2] = { 0 };
    struct driver_launch_config config = { .shared_bytes = launch->shared_bytes, .attributes = attributes };
    memcpy(config.grid, launch->grid, sizeof config.grid);
    memcpy(config.block, launch->block, sizeof config.block);
    if (!gpu->driver->cuLaunchKernelEx)
        return error_set(
            error, EXIT_MISSING,
            "%s: this driver has no launches with clusters, or of all blocks at once, as CUDA 11.8 "
            "and later have.",
            launch->name);
    if (launch->cooperative)
        attributes[config.attribute_count++] =
            (struct driver_launch_attribute){ .id = LAUNCH_COOPERATIVE, .value.cooperative = 1 };
    if (launch->cluster[0]) {
        struct driver_launch_attribute *cluster = &attributes[config.attribute_count++];
        cluster->id = LAUNCH_CLUSTER;
        memcpy(cluster->value.cluster, launch->cluster, sizeof cluster->value.cluster);
    }
    uint64_t size = (uint64_t)launch->cluster[0] * launch->cluster[1] * launch->cluster[2];
    if (size > CLUSTER_USUAL &&
        !GPU_CALL(gpu, cuFuncSetAttribute, (launch->function->handle, FUNCTION_LARGE_CLUSTER, 1), doing,
                  error))
        return false;
    return GPU_CALL(gpu, cuLaunchKernelEx, (&config, launch->function->handle, launch->arguments, NULL),
                    doing, error);
}

static bool launch_queue(struct gpu *gpu, const struct gpu_launch *launch, struct error *error)
{
    if (launch->library)
        return gpu_library_call(launch->library, error);
    if (!shared_allow(gpu, launch, error))
        return false;
    char doing[160];
    launch_words(launch, doing, sizeof doing);
    if (launch->cooperative || launch->cluster[0])
        return launch_together(gpu, launch, doing, error);
    return GPU_CALL(gpu, cuLaunchKernel,
                    (launch->function->handle, launch->grid[0], launch->grid[1], launch->grid[2],
                     launch->block[0], launch->block[1], launch->block[2], launch->shared_bytes, NULL,
                     launch->arguments, NULL),
                    doing, error);
}

// ---- the kernels of ceiling.cu -----------------------------------------------------------------------

// Times are taken by the GPU itself, with an event before and one after. Everything is queued while the GPU is still busy
// with emptying its L2, so that the host's own slowness is not in the time. The kernels for that are in ceiling.cu.

// A tile is what a block of the helper kernels takes at a time: 8 elements of 16 bytes a thread. Sizes are multiples
// of HELPER_STEP, which is whole tiles for every block of a power of two up to 1024 threads.
#define HELPER_TILE(block) ((size_t)128 * (block))
enum { BLOCK = 256, HELPER_STEP = 1 << 20 };

static struct gpu_launch helper_launch(struct gpu_function *function, uint32_t grid, uint32_t block,
                                       void **arguments)
{
    return (struct gpu_launch){ .function = function,
                                .name = function->name,
                                .grid = { grid, 1, 1 },
                                .block = { block, 1, 1 },
                                .arguments = arguments };
}

// Queues a fill with changing values, without waiting for it.
static bool noise_fill(struct gpu *gpu, gpu_address to, size_t bytes, struct error *error)
{
    unsigned long long count = bytes / 4;
    void *arguments[] = { &to, &count };
    struct gpu_launch launch = helper_launch(gpu->noise, (uint32_t)gpu->facts.sm_count * 8, BLOCK, arguments);
    return launch_queue(gpu, &launch, error);
}

// Twice the L2, so that whatever was in it is replaced.
static bool flush_alloc(struct gpu *gpu, struct error *error)
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

// Queues what replaces the content of the L2; without the helpers that is a fill.
// Reading leaves clean lines; a fill leaves dirty ones, which the next kernel then pays to write back.
static bool l2_empty(struct gpu *gpu, struct error *error)
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

// Keeps the GPU busy for about `us` microseconds, so that what the host queues meanwhile starts at once. Without the
// helpers it does nothing.
static bool gpu_hold(struct gpu *gpu, double us, struct error *error)
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
    // The flush takes its memory now, so that what is free afterwards is free for buffers. When memory is short, it
    // tries again when it is needed.
    return flush_alloc(gpu, error) || !gpu->lost;
}

// ---- launches --------------------------------------------------------------------------------------

// A sleep is an eighth of the time waited so far: the answer comes at most that much late, a short kernel is
// answered at once, and a long one costs a thousand questions a second.
static void pause_briefly(double waited_ms)
{
    double ms = waited_ms / 8;
    if (ms < 0.02)
        ms = 0.02;
    if (ms > 1)
        ms = 1;
    struct timespec nap = { 0, (long)(ms * 1e6) };
    (void)nanosleep(&nap, NULL); // a shorter sleep only asks earlier
}

bool gpu_await(struct gpu *gpu, cu_event event, int limit_ms, const char *doing, struct error *error)
{
    double start = clock_ms();
    for (;;) {
        int code = gpu->driver->cuEventQuery(event);
        if (code == 0)
            return true;
        if (code != CU_NOT_READY)
            return gpu_fault(gpu, code, "cuEventQuery", doing, error);
        double waited = clock_ms() - start;
        if (waited > limit_ms)
            break;
        if (waited > 0.02) // the first asks come without a pause
            pause_briefly(waited);
    }
    gpu->lost = true;
    return error_set(error, EXIT_WRONG,
                     "%s was given up: it took longer than its limit of %g s.\nLook for a loop that never "
                     "ends, or threads that wait for others that never come; otherwise allow it more time.",
                     doing, limit_ms / 1000.0);
}

// Around what is timed: an event before it; after it an event, a wait, and the time between the two.
static bool timing_begin(struct gpu *gpu, const char *doing, struct error *error)
{
    return GPU_CALL(gpu, cuEventRecord, (gpu->begin, NULL), doing, error);
}

static bool timing_end(struct gpu *gpu, int limit_ms, const char *doing, double *ms, struct error *error)
{
    float elapsed = 0;
    bool timed = GPU_CALL(gpu, cuEventRecord, (gpu->end, NULL), doing, error) &&
                 gpu_await(gpu, gpu->end, limit_ms, doing, error) &&
                 GPU_CALL(gpu, cuEventElapsedTime, (&elapsed, gpu->begin, gpu->end), doing, error);
    if (timed)
        *ms = (double)elapsed;
    return timed;
}

static bool queue_all(struct gpu *gpu, const struct gpu_launch *launches, size_t count, struct error *error)
{
    for (size_t i = 0; i < count; i++)
        if (!launch_queue(gpu, &launches[i], error))
            return false;
    return true;
}

static void running_words(const struct gpu_launch *launches, size_t count, char *out, size_t size)
{
    if (count == 1)
        format_into(out, size, "Running %s", launches[0].name);
    else
        format_into(out, size, "Running %s and %zu more", count > 0 ? launches[0].name : "nothing",
                    count > 0 ? count - 1 : 0);
}

bool gpu_time(struct gpu *gpu, const struct gpu_launch *launches, size_t count, bool flush_l2, int limit_ms,
              double *ms, struct error *error)
{
    if (!gpu_usable(gpu, error))
        return false;
    for (size_t i = 0; i < count; i++)
        if (!launch_check(gpu, &launches[i], error))
            return false;
    char doing[200];
    running_words(launches, count, doing, sizeof doing);
    // The host needs some 5 µs to queue a launch; emptying the L2 alone covers one or two. A library chooses among its
    // kernels first. Only a synchronising call makes the driver write out what kernels printed.
    double queueing_us = 6.0 * (double)count + (count > 0 && launches[0].library ? 60 : 0);
    return gpu_hold(gpu, 10.0 + queueing_us, error) && (!flush_l2 || l2_empty(gpu, error)) &&
           timing_begin(gpu, doing, error) && queue_all(gpu, launches, count, error) &&
           timing_end(gpu, limit_ms, doing, ms, error) && GPU_CALL(gpu, cuCtxSynchronize, (), doing, error);
}

// ---- ceilings --------------------------------------------------------------------------------------

static const struct ceilings unknown_ceilings = { NAN, NAN, { NAN, NAN, NAN }, NAN, NAN, "" };

enum {
    LIMIT_MS = 5000, // a helper kernel takes a few milliseconds at the very most
    EACH_SHAPE = 3,
    BEST_SHAPE = 11,
    EMPTY_LAUNCHES = 50,
    MOST_REPEATS = 50
};

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *times, size_t count)
{
    qsort(times, count, sizeof times[0], compare);
    return times[count / 2];
}

// The median of `repeats` times of one launch.
static bool median_of(struct gpu *gpu, const struct gpu_launch *launch, bool flush, int repeats, double *ms,
                      struct error *error)
{
    double times[MOST_REPEATS];
    for (int i = 0; i < repeats; i++)
        if (!gpu_time(gpu, launch, 1, flush, LIMIT_MS, &times[i], error))
            return false;
    *ms = median(times, (size_t)repeats);
    return true;
}

// Ways to spread the tiles over the GPU: blocks that stay and take one tile after the other, or a block for
// each tile. Which is best differs between GPUs.
struct shape {
    uint32_t block;
    bool stay;
};
static const struct shape shapes[] = { { 1024, true }, { 512, true },  { 256, true },
                                       { 512, false }, { 256, false }, { 128, false } };
enum { SHAPE_COUNT = sizeof shapes / sizeof shapes[0] };

static uint32_t grid_of(struct gpu *gpu, struct gpu_function *function, struct shape shape, uint32_t tiles)
{
    int blocks = 0;
    if (!shape.stay)
        return tiles;
    if (gpu->driver->cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function->handle, (int)shape.block,
                                                                 0) != 0 ||
        blocks < 1)
        blocks = 1;
    uint32_t resident = (uint32_t)blocks * (uint32_t)gpu->facts.sm_count;
    return resident < tiles ? resident : tiles;
}

static bool shape_time(struct gpu *gpu, struct gpu_function *function, struct shape shape, gpu_address from,
                       gpu_address to, size_t bytes, int repeats, double *ms, struct error *error)
{
    uint32_t tiles = (uint32_t)(bytes / HELPER_TILE(shape.block));
    void *arguments[] = { &from, &tiles, &to };
    struct gpu_launch launch =
        helper_launch(function, grid_of(gpu, function, shape, tiles), shape.block, arguments);
    return median_of(gpu, &launch, true, repeats, ms, error);
}

// The best shape by a few repeats each, and then its median over more.
static bool best_time(struct gpu *gpu, struct gpu_function *function, gpu_address from, gpu_address to,
                      size_t bytes, double *ms, struct error *error)
{
    size_t best = 0;
    double best_ms = INFINITY;
    for (size_t i = 0; i < SHAPE_COUNT; i++) {
        double shape_ms = 0;
        if (!shape_time(gpu, function, shapes[i], from, to, bytes, EACH_SHAPE, &shape_ms, error))
            return false;
        if (shape_ms < best_ms) {
            best_ms = shape_ms;
            best = i;
        }
    }
    return shape_time(gpu, function, shapes[best], from, to, bytes, BEST_SHAPE, ms, error);
}

// The driver's own copy between two buffers, timed like a launch.
static bool copy_by_driver(struct gpu *gpu, gpu_address from, gpu_address to, size_t bytes, double *ms,
                           struct error *error)
{
    const char *doing = "Measuring the driver's copy";
    double times[BEST_SHAPE];
    for (int i = 0; i < BEST_SHAPE; i++)
        if (!gpu_hold(gpu, 20, error) || !l2_empty(gpu, error) || !timing_begin(gpu, doing, error) ||
            !gpu_copy(gpu, to, from, bytes, error) || !timing_end(gpu, LIMIT_MS, doing, &times[i], error))
            return false;
    *ms = median(times, BEST_SHAPE);
    return true;
}

// A GPU that was idle needs some milliseconds of work until its clocks are up.
static bool warm_up(struct gpu *gpu, gpu_address data, size_t bytes, struct error *error)
{
    for (double spent = 0, ms = 0, rounds = 0; spent < 30 && rounds < 500; spent += ms, rounds++)
        if (!shape_time(gpu, gpu->read, shapes[0], data, data, bytes, 1, &ms, error))
            return false;
    return true;
}

static double gbps(double bytes, double ms)
{
    return ms > 0 ? bytes / ms / 1e6 : NAN;
}

// ---- tensor cores ----------------------------------------------------------------------------------

const char *const tensor_names[TENSOR_TYPES] = { "f16", "bf16", "tf32" };

// A warp multiplies four times 16 x 16 x 16 in a round, and half of that of tf32, whose factors are twice as large.
enum { TENSOR_WARPS = 16, TENSOR_FLOP = 4 * 2 * 16 * 16 * 16 };

// Takes more rounds until they take a while.
static bool tensor_rate(struct gpu *gpu, enum tensor_type type, gpu_address out, double *gflops,
                        struct error *error)
{
    enum { FIRST_ROUNDS = 16, MOST_ROUNDS = 1 << 14 };
    const double while_ms = 0.2;
    struct error missing;
    struct gpu_function *function = NULL;
    char name[40];
    format_into(name, sizeof name, "warpbook_tensor_%s", tensor_names[type]);
    if (!gpu_function_find(gpu, gpu->helpers, name, &function, &missing))
        return true; // not compiled for this GPU
    for (int rounds = FIRST_ROUNDS; rounds <= MOST_ROUNDS; rounds *= 4) {
        void *arguments[] = { &rounds, &out };
        uint32_t blocks = 2 * (uint32_t)gpu->facts.sm_count;
        struct gpu_launch launch = helper_launch(function, blocks, TENSOR_WARPS / 2 * 32, arguments);
        double ms = 0, each = TENSOR_FLOP / (type == TENSOR_TF32 ? 2.0 : 1.0);
        if (!median_of(gpu, &launch, false, EACH_SHAPE, &ms, error))
            return false;
        if (ms > 0)
            *gflops = each * rounds * TENSOR_WARPS * gpu->facts.sm_count / ms / 1e6;
        if (ms >= while_ms)
            break;
    }
    return true;
}

static bool measure(struct gpu *gpu, gpu_address data, size_t bytes, struct ceilings *out,
                    struct error *error)
{
    size_t half = bytes / 2;
    double read_ms = 0, copy_ms = 0, driver_ms = 0, empty_ms = 0;
    struct gpu_launch empty = helper_launch(gpu->empty, 1, 32, NULL);
    if (!noise_fill(gpu, data, bytes, error) || !warm_up(gpu, data, bytes, error) ||
        !best_time(gpu, gpu->read, data, data, bytes, &read_ms, error) ||
        !best_time(gpu, gpu->copy, data, data + half, half, &copy_ms, error) ||
        !copy_by_driver(gpu, data, data + half, half, &driver_ms, error) ||
        !median_of(gpu, &empty, false, EMPTY_LAUNCHES, &empty_ms, error))
        return false;
    out->read_gbps = gbps((double)bytes, read_ms);
    out->copy_gbps = gbps((double)(2 * half), fmin(copy_ms, driver_ms));
    out->shared_gbps = 128.0 * gpu->facts.sm_count * gpu->facts.clock_mhz / 1000;
    out->launch_us = empty_ms * 1000;
    for (int t = 0; t < TENSOR_TYPES; t++)
        if (!tensor_rate(gpu, (enum tensor_type)t, data, &out->tensor_gflops[t], error))
            return false;
    clock_date(out->date, sizeof out->date);
    return true;
}

bool gpu_ceilings_measure(struct gpu *gpu, struct ceilings *out, struct error *error)
{
    *out = unknown_ceilings;
    if (!gpu_usable(gpu, error))
        return false;
    if (!gpu->helpers)
        return error_set(error, EXIT_MISSING,
                         "The GPU's ceilings cannot be measured: the kernels of "
                         "engine/gpu/ceiling.cu are not loaded.");
    if (!flush_alloc(gpu, error))
        return false;
    double room = fmin((double)(1 << 30), gpu_free_bytes(gpu) / 4);
    size_t least = 2 * gpu->flush_bytes, step = (size_t)2 * HELPER_STEP;
    size_t bytes = room > 0 ? (size_t)room / step * step : 0;
    if (bytes < least)
        return error_set(
            error, EXIT_MISSING,
            "The GPU's ceilings cannot be measured: that takes %zu MiB of free memory, and %.0f MiB "
            "are free. End other programs that use this GPU.",
            4 * least >> 20, gpu_free_bytes(gpu) / (1 << 20));
    gpu_address data = 0;
    if (!gpu_alloc(gpu, bytes, &data, error))
        return false;
    bool right = measure(gpu, data, bytes, out, error);
    gpu_free(gpu, data);
    return right;
}

// ---- ceilings in the cache folder ------------------------------------------------------------------

enum { METHOD = 2, MOST_BYTES = 16 << 10 }; // METHOD grows when the kernels or the way of measuring change

// The UUID becomes part of a path: nothing but what UUIDs consist of.
static char *path_of(const struct gpu_facts *facts)
{
    const char *allowed = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-";
    if (!facts->uuid[0] || facts->uuid[strspn(facts->uuid, allowed)])
        return NULL;
    char below[80];
    format_into(below, sizeof below, "devices/%s.json", facts->uuid);
    return path_cache(below);
}

static bool number_read(const json_t *object, const char *key, double least, double most, double *out)
{
    const json_t *value = json_object_get(object, key);
    if (!json_is_number(value))
        return false;
    *out = json_number_value(value);
    return *out >= least && *out <= most;
}

static bool read_all(const json_t *object, const struct gpu_facts *facts, struct ceilings *out)
{
    double method = 0, driver = 0;
    if (!number_read(object, "method", METHOD, METHOD, &method) ||
        !number_read(object, "driver_version", facts->driver_version, facts->driver_version, &driver) ||
        !number_read(object, "read_gbps", 1, 1e6, &out->read_gbps) ||
        !number_read(object, "copy_gbps", 1, 1e6, &out->copy_gbps) ||
        !number_read(object, "launch_us", 0.01, 1e5, &out->launch_us))
        return false;
    if (!number_read(object, "shared_gbps", 1, 1e8, &out->shared_gbps))
        out->shared_gbps = NAN; // follows from the clock, which not every driver reports
    for (int t = 0; t < TENSOR_TYPES; t++)
        if (!number_read(json_object_get(object, "tensor_gflops"), tensor_names[t], 1, 1e9,
                         &out->tensor_gflops[t]))
            out->tensor_gflops[t] = NAN;
    const char *date = json_string_value(json_object_get(object, "date"));
    format_clean(out->date, sizeof out->date, date ? date : "", date ? strlen(date) : 0);
    return true;
}

bool gpu_ceilings_kept(const struct gpu_facts *facts, struct ceilings *out)
{
    *out = unknown_ceilings;
    struct error ignored; // a file that is not there, or damaged, means: measure again
    struct text content = { 0 };
    char *path = path_of(facts);
    bool right = false;
    if (path && file_exists(path) && private_read(path, &content, &ignored) && content.length <= MOST_BYTES) {
        json_t *object = json_loadb(text_string(&content), content.length, JSON_REJECT_DUPLICATES, NULL);
        right = read_all(object, facts, out);
        json_decref(object);
    }
    if (!right)
        *out = unknown_ceilings;
    text_free(&content);
    free(path);
    return right;
}

static json_t *number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static bool write_all(const char *path, const struct gpu_facts *facts, const struct ceilings *ceilings,
                      struct error *error)
{
    json_t *object =
        json_pack("{s:i, s:s, s:s, s:i, s:s, s:o, s:o, s:o, s:o}", "method", METHOD, "uuid", facts->uuid,
                  "name", facts->name, "driver_version", facts->driver_version, "date", ceilings->date,
                  "read_gbps", number(ceilings->read_gbps), "copy_gbps", number(ceilings->copy_gbps),
                  "shared_gbps", number(ceilings->shared_gbps), "launch_us", number(ceilings->launch_us));
    json_t *tensor = json_object();
    for (int t = 0; t < TENSOR_TYPES; t++)
        json_object_set_new(tensor, tensor_names[t], number(ceilings->tensor_gflops[t]));
    json_object_set_new(object, "tensor_gflops", tensor);
    char *text = object ? json_dumps(object, JSON_INDENT(2)) : NULL;
    json_decref(object);
    if (!text)
        return error_set(error, EXIT_MISSING, "The GPU's ceilings cannot be written as JSON.");
    bool right = private_replace(path, text, strlen(text), error);
    free(text);
    return right;
}

bool gpu_ceilings_keep(const struct gpu_facts *facts, const struct ceilings *ceilings, struct error *error)
{
    char *path = path_of(facts);
    if (!path)
        error_set(error, EXIT_MISSING,
                  "There is no cache folder to keep the GPU's ceilings in; set $WARPBOOK_CACHE.");
    bool right = path && write_all(path, facts, ceilings, error);
    free(path);
    return right;
}
