// Launches: each runs to its end in the simulator when it is asked for. What it did wrong becomes the error that a GPU would
// answer with, and the program hears of it when it next waits.
#include "engine/exec/exec.h"
#include "engine/model/model.h"

#include <stdlib.h>
#include <string.h>

// ---- what <<< >>> leaves for the launch that follows it ---------------------------------------------------------------

enum { PUSHED = 16 };
struct configuration {
    struct cuda_dim3 grid, block;
    size_t shared_bytes;
    void *stream;
};
static _Thread_local struct configuration pushed[PUSHED];
static _Thread_local int pushed_count;

API_OF(unsigned, __cudaPushCallConfiguration, struct cuda_dim3 grid, struct cuda_dim3 block,
       size_t shared_bytes, void *stream)
{
    if (pushed_count == PUSHED)
        return 1;
    pushed[pushed_count++] = (struct configuration){ grid, block, shared_bytes, stream };
    return 0;
}

API(__cudaPopCallConfiguration, struct cuda_dim3 *grid, struct cuda_dim3 *block, size_t *shared_bytes,
    void *stream)
{
    if (pushed_count == 0)
        return exec_answer(CUDA_MISSING_CONFIGURATION);
    const struct configuration *top = &pushed[--pushed_count];
    *grid = top->grid;
    *block = top->block;
    *shared_bytes = top->shared_bytes;
    *(void **)stream = top->stream;
    return CUDA_OK;
}

// ---- the kernel --------------------------------------------------------------------------------------------------------

// Its number in its module; negative: it cannot run, which was said.
static int kernel_of(struct exec_function *f)
{
    if (f->kernel >= 0)
        return f->kernel;
    const char *why = "The kernel is not in the program's PTX.";
    if (!module_ready(f->module))
        why = f->module->why;
    else
        f->kernel = sim_kernel_find(f->module->code, f->name);
    if (f->kernel < 0) {
        char name[KERNEL_NAME];
        module_function_name(f, name, sizeof name);
        report_missing(name, why);
    }
    return f->kernel;
}

cuda_error launch_unknown(const void *host)
{
    return exec_answer(host && exec_major > 12 ? CUDA_INVALID_HANDLE : CUDA_INVALID_FUNCTION);
}

// 0, or the error with which the launch does not start, which is reported. A runtime of CUDA 13 (on an H200 with driver 580)
// tells no size from another argument; those before do so for grids and blocks.
static cuda_error misfit(const struct exec_function *f, const struct sim_launch *l)
{
    const uint32_t *g = l->grid, *b = l->block;
    const char *why = NULL;
    cuda_error code = exec_major > 12 ? CUDA_INVALID_VALUE : CUDA_INVALID_CONFIGURATION;
    size_t most = f->shared_most > SHARED_BLOCK ? f->shared_most : SHARED_BLOCK;
    const uint32_t most_threads = (uint32_t)sim_kernel_needs(f->module->code, f->kernel).max_threads;
    if (!g[0] || !g[1] || !g[2] || !b[0] || !b[1] || !b[2])
        why = "a dimension of the grid or of the block is 0";
    else if ((uint64_t)b[0] * b[1] * b[2] > THREADS_BLOCK || b[0] > THREADS_BLOCK || b[1] > THREADS_BLOCK ||
             b[2] > THREADS_BLOCK_Z)
        why = "a block has at most 1024 threads, 64 of them in z";
    else if (most_threads && b[0] * b[1] * b[2] > most_threads) {
        code = exec_major > 12 ? CUDA_INVALID_VALUE : CUDA_TOO_MANY_RESOURCES;
        why = "its __launch_bounds__ allow fewer threads in a block";
    } else if (g[0] > INT32_MAX || g[1] > BLOCKS_GRID_YZ || g[2] > BLOCKS_GRID_YZ)
        why = "a grid has at most 65535 blocks in y and in z";
    else if (l->shared_bytes > most) {
        code = CUDA_INVALID_VALUE;
        why = most == SHARED_BLOCK
                  ? "more than 48 KiB of dynamic shared memory have to be asked for by "
                    "cudaFuncSetAttribute"
                  : "it asks for more dynamic shared memory than cudaFuncSetAttribute has set";
    }
    if (!why)
        return CUDA_OK;
    char name[KERNEL_NAME];
    module_function_name(f, name, sizeof name);
    report_host(REPORT_ERROR, "invalid launch", NULL,
                "The launch of %s does not start: %s (grid %u,%u,%u, block %u,%u,%u, %u bytes).", name, why,
                g[0], g[1], g[2], b[0], b[1], b[2], l->shared_bytes);
    return code;
}

// ---- what came of it -------------------------------------------------------------------------------------------------------

static void keep_printed(struct exec_text *to, const char *text)
{
    size_t bytes = text ? strlen(text) : 0;
    char *more = bytes ? realloc(to->bytes, to->count + bytes) : NULL;
    if (!more)
        return;
    memcpy(more + to->count, text, bytes); // NOLINT(bugprone-not-null-terminated-result)
    to->bytes = more;
    to->count += bytes;
}

// Whether a GPU would notice an access: it knows pages, and the end of a buffer lies within one.
static bool is_noticed(uint64_t address)
{
    enum { DEVICE_PAGE = 2 << 20 };
    const struct exec_block *b =
        memory_block((const void *)(uintptr_t)address, true); // NOLINT(performance-no-int-to-ptr)
    return !b || b->freed ||
           address - b->address >= (b->bytes + DEVICE_PAGE - 1) / DEVICE_PAGE * (uint64_t)DEVICE_PAGE;
}

// The error that hardware would stop with; findings that it does not notice have none.
static cuda_error error_of(const struct sim_finding *f)
{
    if (f->severity != SIM_ERROR)
        return CUDA_OK;
    switch (f->kind) {
    case SIM_OUT_OF_BOUNDS:
        return f->space[0] != 'g' || is_noticed(f->address) ? CUDA_ILLEGAL_ADDRESS : CUDA_OK;
    case SIM_MISALIGNED:
        return CUDA_MISALIGNED;
    case SIM_ASSERT:
        return CUDA_ASSERT;
    case SIM_UNKNOWN:
        return CUDA_ILLEGAL_INSTRUCTION;
    case SIM_TRAP:
    case SIM_ENDLESS:
    case SIM_DEADLOCK:
    case SIM_OTHER:
        return CUDA_LAUNCH_FAILURE;
    default:
        return CUDA_OK;
    }
}

static bool is_counted(const struct exec_function *f)
{
    const struct exec_settings *s = &exec.settings;
    return (!*s->kernel || strstr(f->name, s->kernel)) && exec.launches > s->skip &&
           (!s->only || exec.launches == s->only) && (!s->most || f->counted < s->most);
}

static cuda_error run(struct exec_function *f, const struct sim_launch *launch)
{
    struct sim_result result;
    struct sim_fault fault;
    struct model_time time;
    if (exec.settings.keeps && is_counted(f))
        keep_launch(f, launch);
    bool counted = is_counted(f) && exec.settings.check != SIM_CHECK_NONE;
    bool timed = counted && time_wanted(f, launch);
    f->counted += counted;
    const struct sim_options options = { .check = counted ? exec.settings.check : SIM_CHECK_NONE,
                                         .threads = exec.settings.threads,
                                         .seed = exec.settings.seed,
                                         .instruction_limit = UINT64_MAX,
                                         .sample = timed,
                                         .limit_ms = exec.settings.limit_ms };
    if (options.check == SIM_CHECK_ALL && !f->module->with_host)
        managed_watch();
    const bool ran = sim_run(f->module->code, exec.memory, launch, &options, &result, &fault);
    managed_launched(f);
    if (!ran) {
        char name[KERNEL_NAME];
        module_function_name(f, name, sizeof name);
        report_host(REPORT_ERROR, "invalid launch", NULL, "The launch of %s does not start: %s", name,
                    fault.text);
        return exec_answer(fault.code ? fault.code : CUDA_TOO_MANY_RESOURCES);
    }
    if (!counted && exec.settings.check == SIM_CHECK_ALL)
        memory_wrote_unseen();
    for (size_t i = 0; i < result.finding_count && !exec.pending; i++)
        exec.pending = error_of(&result.findings[i]);
    keep_printed(&exec.printed, result.printed);
    keep_printed(&exec.asserted, result.asserted);
    timed = timed && time_of(f, launch, &result, &time);
    report_launch(f, launch, &result, counted, timed ? &time : NULL);
    sim_result_free(&result);
    return CUDA_OK;
}

const struct sim_parameter *launch_parameters(const void *function, size_t *count)
{
    struct exec_function *f = module_function(function);
    *count = 1;
    if (!f || kernel_of(f) < 0)
        return NULL;
    const struct sim_kernel *kernel = &sim_module_kernels(f->module->code)->all[f->kernel];
    *count = kernel->parameter_count;
    return kernel->parameters;
}

// What a launch asks for besides its grid; an error is reported.
static cuda_error take_attributes(const struct exec_function *f, const struct cuda_launch_config *config,
                                  struct sim_launch *out)
{
    enum { PORTABLE = 8 }; // blocks that a cluster has on every GPU with clusters
    for (unsigned i = 0; i < config->attribute_count; i++) {
        const struct cuda_launch_attribute *a = &config->attributes[i];
        const unsigned *size = a->value.cluster;
        if (a->id < 0 || a->id > LAUNCH_ATTRIBUTE_LAST)
            return CUDA_INVALID_VALUE;
        if (a->id == LAUNCH_COOPERATIVE)
            out->cooperative = a->value.cooperative != 0;
        if (a->id != LAUNCH_CLUSTER)
            continue;
        const uint64_t blocks = (uint64_t)size[0] * size[1] * size[2];
        if (!blocks || (blocks > PORTABLE && !f->large_clusters)) {
            report_host(
                REPORT_ERROR, "invalid launch", NULL,
                "The cluster of %u x %u x %u blocks cannot be: it has at least 1, and at most %d unless "
                "cudaFuncAttributeNonPortableClusterSizeAllowed is set.",
                size[0], size[1], size[2], PORTABLE);
            return CUDA_INVALID_CLUSTER;
        }
        memcpy(out->cluster, size, sizeof out->cluster);
    }
    return CUDA_OK;
}

// A GPU reaches registered memory and managed variables at the host's address. Here they lie elsewhere for kernels, so that
// pointers to them among the arguments, those in structures as well, are replaced. The caller frees the bytes that then stand
// for the arguments.
static unsigned char *with_device_pointers(struct sim_argument *arguments, size_t count)
{
    size_t bytes = 0, at = 0;
    for (size_t i = 0; i < count; i++)
        bytes += (arguments[i].bytes + 15) / 16 * 16;
    unsigned char *all = memory_has_registered() || module_has_managed() ? calloc(1, bytes + 1) : NULL;
    for (size_t i = 0; all && i < count; i++) {
        unsigned char *copy = memcpy(all + at, arguments[i].at, arguments[i].bytes);
        for (size_t k = 0; k + sizeof(uint64_t) <= arguments[i].bytes; k += sizeof(uint64_t)) {
            uint64_t word;
            memcpy(&word, copy + k, sizeof word);
            word = module_address_of_managed(memory_of_registered(word));
            memcpy(copy + k, &word, sizeof word);
        }
        at += (arguments[i].bytes + 15) / 16 * 16;
        arguments[i].at = copy;
    }
    return all;
}

static uint32_t word_of(size_t bytes)
{
    return bytes > UINT32_MAX ? UINT32_MAX : (uint32_t)bytes;
}

cuda_error launch_fits(const void *host, struct cuda_dim3 grid, struct cuda_dim3 block, size_t shared_bytes)
{
    struct exec_function *f = module_function(host);
    if (!f || kernel_of(f) < 0)
        return launch_unknown(host);
    return misfit(f, &(struct sim_launch){ .kernel = f->kernel,
                                           .grid = { grid.x, grid.y, grid.z },
                                           .block = { block.x, block.y, block.z },
                                           .shared_bytes = word_of(shared_bytes) });
}

cuda_error launch_kernel(const void *host, const struct cuda_launch_config *config, void **arguments)
{
    struct cuda_dim3 grid = config->grid, block = config->block;
    size_t shared_bytes = config->shared_bytes;
    struct exec_function *f = module_function(host);
    if (exec_ready())
        return exec.sticky;
    exec.launches++;
    if (!f) {
        report_missing("a kernel that the program did not register", "Was it built with another compiler?");
        return launch_unknown(host);
    }
    if (kernel_of(f) < 0)
        return exec_answer(f->module->code ? CUDA_INVALID_FUNCTION : CUDA_NO_IMAGE);
    const struct sim_kernel *kernel = &sim_module_kernels(f->module->code)->all[f->kernel];
    struct sim_launch what = { .kernel = f->kernel,
                               .grid = { grid.x, grid.y, grid.z },
                               .block = { block.x, block.y, block.z },
                               .shared_bytes = word_of(shared_bytes),
                               .argument_count = kernel->parameter_count };
    cuda_error wrong = take_attributes(f, config, &what);
    if (!wrong)
        wrong = misfit(f, &what);
    if (wrong)
        return exec_answer(wrong);
    struct sim_argument *packed = calloc(kernel->parameter_count + 1, sizeof *packed);
    if (!packed)
        return exec_answer(CUDA_NO_MEMORY);
    for (size_t i = 0; i < kernel->parameter_count; i++)
        packed[i] = (struct sim_argument){ arguments[i], kernel->parameters[i].bytes };
    unsigned char *replaced = with_device_pointers(packed, kernel->parameter_count);
    what.arguments = packed;
    module_share(false);
    cuda_error code = run(f, &what);
    module_share(true);
    free(replaced);
    free(packed);
    return code;
}

static cuda_error launch_in(const struct cuda_launch_config *config, const void *host, void **arguments)
{
    const cuda_error code = stream_takes(config->stream);
    return code                          ? code
           : graph_takes(config->stream) ? graph_kernel(config, host, arguments)
                                         : launch_kernel(host, config, arguments);
}

API(cudaLaunchKernel, const void *host, struct cuda_dim3 grid, struct cuda_dim3 block, void **arguments,
    size_t shared_bytes, void *stream)
{
    ENTER();
    return launch_in(&(struct cuda_launch_config){ grid, block, shared_bytes, stream, NULL, 0 }, host,
                     arguments);
}
API_ALSO(cudaLaunchKernel_ptsz, cudaLaunchKernel);
API_ALSO(__cudaLaunchKernel, cudaLaunchKernel);
API_ALSO(__cudaLaunchKernel_ptsz, cudaLaunchKernel);

API(cudaLaunchCooperativeKernel, const void *host, struct cuda_dim3 grid, struct cuda_dim3 block,
    void **arguments, size_t shared_bytes, void *stream)
{
    ENTER();
    struct cuda_launch_attribute together = { .id = LAUNCH_COOPERATIVE, .value.cooperative = 1 };
    return launch_in(&(struct cuda_launch_config){ grid, block, shared_bytes, stream, &together, 1 }, host,
                     arguments);
}
API_ALSO(cudaLaunchCooperativeKernel_ptsz, cudaLaunchCooperativeKernel);

API(cudaLaunchKernelExC, const struct cuda_launch_config *config, const void *host, void **arguments)
{
    ENTER();
    return config && (config->attributes || !config->attribute_count) ? launch_in(config, host, arguments)
                                                                      : exec_answer(CUDA_INVALID_VALUE);
}
API_ALSO(cudaLaunchKernelExC_ptsz, cudaLaunchKernelExC);

API(__cudaGetKernel, const void **out, const void *host)
{
    ENTER();
    *out = host;
    return CUDA_OK;
}
API_ALSO(cudaGetKernel, __cudaGetKernel);
API_ALSO(cudaGetFuncBySymbol, __cudaGetKernel);

// ---- attributes of kernels -------------------------------------------------------------------------------------------------

API(cudaFuncGetAttributes, struct cuda_function *out, const void *host)
{
    ENTER();
    struct exec_function *f = module_function(host);
    if (!f)
        return launch_unknown(host);
    if (!out || kernel_of(f) < 0)
        return exec_answer(out ? CUDA_INVALID_FUNCTION : CUDA_INVALID_VALUE);
    const struct sim_kernel_needs needs = sim_kernel_needs(f->module->code, f->kernel);
    *out = (struct cuda_function){ .shared_bytes = needs.shared_bytes,
                                   .constant_bytes = needs.constant_bytes,
                                   .local_bytes = needs.local_bytes,
                                   .most_threads = needs.max_threads ? needs.max_threads : THREADS_BLOCK,
                                   .registers = 32,
                                   .ptx_version = f->module->target, // by which cub chooses its kernels
                                   .binary_version = 90,
                                   .most_dynamic_shared =
                                       (int)(f->shared_most > SHARED_BLOCK ? f->shared_most : SHARED_BLOCK),
                                   .carveout = -1 };
    return CUDA_OK;
}

API(cudaFuncSetAttribute, const void *host, int attribute, int value)
{
    ENTER();
    enum { DYNAMIC_SHARED = 8, CARVEOUT = 9, LARGE_CLUSTERS = 14, ATTRIBUTE_LAST };
    struct exec_function *f = module_function(host);
    if (!f)
        return launch_unknown(host);
    if (attribute < DYNAMIC_SHARED || attribute > ATTRIBUTE_LAST ||
        (attribute == DYNAMIC_SHARED && (value < 0 || value > SHARED_OPTIN)) ||
        (attribute == CARVEOUT && (value < -1 || value > 100)))
        return exec_answer(CUDA_INVALID_VALUE);
    if (attribute == DYNAMIC_SHARED)
        f->shared_most = (size_t)value;
    if (attribute == LARGE_CLUSTERS)
        f->large_clusters = value != 0;
    return CUDA_OK;
}

API(cudaFuncSetCacheConfig, const void *host, int config)
{
    ENTER();
    if (!module_function(host))
        return launch_unknown(host);
    return config >= 0 && config < CACHE_CONFIGS ? CUDA_OK : exec_answer(CUDA_INVALID_VALUE);
}
API_ALSO(cudaFuncSetSharedMemConfig, cudaFuncSetCacheConfig);

API(cudaFuncGetName, const char **out, const void *host)
{
    ENTER();
    const struct exec_function *f = module_function(host);
    if (!f || !out)
        return f ? exec_answer(CUDA_INVALID_VALUE) : launch_unknown(host);
    *out = f->name;
    return CUDA_OK;
}

API(cudaFuncGetParamInfo, const void *host, size_t index, size_t *offset, size_t *bytes)
{
    ENTER();
    size_t count;
    const struct sim_parameter *parameters = launch_parameters(host, &count);
    if (!offset || !parameters || index >= count)
        return exec_answer(parameters || !count ? CUDA_INVALID_VALUE : CUDA_INVALID_FUNCTION);
    *offset = parameters[index].offset;
    if (bytes)
        *bytes = parameters[index].bytes;
    return CUDA_OK;
}

// What every GPU with clusters has.
API(cudaOccupancyMaxPotentialClusterSize, int *out, const void *host, const struct cuda_launch_config *config)
{
    ENTER();
    enum { PORTABLE = 8 };
    if (!out || !config || !module_function(host))
        return exec_answer(CUDA_INVALID_VALUE);
    *out = PORTABLE;
    return CUDA_OK;
}

API(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, int *out, const void *host, int threads,
    size_t shared_bytes, unsigned flags)
{
    ENTER();
    struct exec_function *f = module_function(host);
    if (!f)
        return launch_unknown(host);
    enum { FLAGS_KNOWN = 1 }; // as cudaOccupancyDisableCachingOverride
    if (!out || threads <= 0 || flags & ~(unsigned)FLAGS_KNOWN)
        return exec_answer(CUDA_INVALID_VALUE);
    struct sim_kernel_needs needs = { 0 };
    if (kernel_of(f) >= 0)
        needs = sim_kernel_needs(f->module->code, f->kernel);
    *out = 0; // where no block of so many threads runs
    if (threads > THREADS_BLOCK || (needs.max_threads && threads > needs.max_threads))
        return CUDA_OK;
    shared_bytes += needs.shared_bytes;
    int blocks = THREADS_SM / ((threads + 31) / 32 * 32);
    int shared = (int)(SHARED_SM / (shared_bytes + SHARED_RESERVED));
    *out = blocks < shared ? blocks : shared;
    if (*out > BLOCKS_SM)
        *out = BLOCKS_SM;
    return CUDA_OK;
}

API(cudaOccupancyMaxActiveBlocksPerMultiprocessor, int *out, const void *host, int threads,
    size_t shared_bytes)
{
    ENTER();
    return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(out, host, threads, shared_bytes, 0);
}

API(cudaOccupancyAvailableDynamicSMemPerBlock, size_t *out, const void *host, int blocks, int threads)
{
    ENTER();
    if (!out || blocks <= 0 || !module_function(host))
        return exec_answer(CUDA_INVALID_VALUE);
    size_t each = (unsigned)SHARED_SM / (unsigned)blocks - (unsigned)SHARED_RESERVED;
    *out = each < SHARED_OPTIN ? each : SHARED_OPTIN;
    return CUDA_OK;
}
