// The GPU of this worker: opened once, with its helper kernels, its ceilings and the modules of late.
#include "engine/run/worker.h"

#include <stdlib.h>
#include <string.h>

static const char ceiling_source[] = "engine/gpu/ceiling.cu";

// The helpers read for the flush of the L2 and measure the ceilings. Without them times are still right,
// only less comparable, so that a missing compiler here is not a failure.
static void load_helpers(struct worker *worker, struct error *error)
{
    struct error unused;
    struct text source = { 0 };
    char *path = path_shipped(ceiling_source);
    struct compiled compiled = { 0 };
    struct compile_request request = { .file = ceiling_source,
                                       .target = gpu_facts(worker->gpu)->target,
                                       .cubin = true };
    if (file_read(path, &source, &unused)) {
        request.source = text_string(&source);
        if (worker_compile(worker, &request, &compiled, &unused))
            worker->helpers = gpu_helpers_load(worker->gpu, compiled.cubin, compiled.ptx, error);
    }
    compiled_free(&compiled);
    text_free(&source);
    free(path);
}

bool worker_wait(void *context, const char *holder, double waited_ms)
{
    if (waited_ms > LOCK_WAIT_MS)
        return false;
    worker_stage(context, 60000, "waiting for %s, who measures on this GPU", holder);
    return true;
}

static bool learn_ceilings(struct worker *worker, bool measure, struct error *error)
{
    const struct gpu_facts *facts = gpu_facts(worker->gpu);
    if (!measure && gpu_ceilings_kept(facts, &worker->ceilings))
        return true;
    struct gpu_lock *lock = NULL;
    struct error unkept;
    worker_stage(worker, 60000, "measuring what %s can do at best", facts->name);
    if (!gpu_lock_take(facts->uuid, worker_wait, worker, &lock, error))
        return false;
    bool measured = gpu_ceilings_measure(worker->gpu, &worker->ceilings, error);
    gpu_lock_release(lock);
    if (measured)
        gpu_ceilings_keep(facts, &worker->ceilings,
                          &unkept); // a folder that cannot be written: measured again
    return measured;
}

static bool open_gpu(struct worker *worker, struct error *error)
{
    worker_stage(worker, 60000, "opening the GPU");
    if (!worker->driver && !driver_open(&worker->driver, error))
        return false;
    if (!gpu_open(worker->driver, 0, &worker->gpu, error))
        return false;
    load_helpers(worker, error); // counts only when it loses the GPU
    return true;
}

bool worker_gpu(struct worker *worker, bool measure, struct error *error)
{
    bool fresh = !worker->gpu;
    if (fresh && !open_gpu(worker, error))
        return false;
    if (worker->helpers && !gpu_lost(worker->gpu) && (fresh || measure))
        worker->ceilings_known = learn_ceilings(worker, measure, error);
    // Unknown ceilings only leave shares out; a lost GPU cannot run anything.
    return !gpu_lost(worker->gpu);
}

static void drop_module(struct worker *worker, struct kept_module *kept)
{
    if (kept->module)
        gpu_module_unload(worker->gpu, kept->module);
    sim_kernels_free(&kept->kernels);
    compiled_free(&kept->compiled);
    *kept = (struct kept_module){ 0 };
}

static bool kernels_read(const struct variant *variant, const char *ptx, struct sim_kernels *out,
                         struct error *error)
{
    struct sim_fault fault;
    return sim_kernels_read(ptx, strlen(ptx), out, &fault) || ptx_error(variant, &fault, error);
}

bool worker_module(struct worker *worker, const struct variant *variant, const char *source,
                   struct kept_module **out, struct error *error)
{
    uint64_t key = hash_bytes(source, strlen(source)) | 1; // 0 means free
    for (size_t i = 0; i < KEPT_MODULES; i++) {
        if (worker->modules[i].key == key) {
            *out = &worker->modules[i];
            (*out)->compiled.cached = true;
            (*out)->compiled.ms = 0;
            return true;
        }
    }
    struct kept_module *kept = &worker->modules[worker->next_module++ % KEPT_MODULES];
    drop_module(worker, kept);
    struct compile_request request = {
        .file = variant->path, .source = source, .target = gpu_facts(worker->gpu)->target, .cubin = true
    };
    worker_stage(worker, 20000, "compiling");
    *out = kept; // with its diagnostics, when it does not compile
    if (!worker_compile(worker, &request, &kept->compiled, error))
        return false;
    worker_stage(worker, 60000, "loading");
    if (!kernels_read(variant, kept->compiled.ptx, &kept->kernels, error))
        return false;
    if (!gpu_module_load(worker->gpu, kept->compiled.cubin, kept->compiled.ptx, &kept->module, error))
        return false;
    kept->key = key;
    return true;
}

void worker_gpu_close(struct worker *worker)
{
    worker_problem_drop(worker);
    if (worker->gpu) {
        for (size_t i = 0; i < KEPT_MODULES; i++)
            drop_module(worker, &worker->modules[i]);
        gpu_close(worker->gpu);
    }
    if (worker->driver)
        driver_close(worker->driver);
    worker->gpu = NULL;
    worker->driver = NULL;
}
