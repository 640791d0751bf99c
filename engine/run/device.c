// The GPU of an executor: opened once, with its helper kernels, its ceilings and the latest modules; what the process
// gives up when it is open; and what doctor says of it.
#include "engine/run/worker.h"

#include "engine/base/confine.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

// What a stage says of those who are served before; false: it has been too long.
bool worker_wait(void *context, const struct lock_queue *queue)
{
    enum { WAIT_MS = 600000, LONG_MS = 10000 }; // no usual run keeps a lock for so long
    char before[48] = "", since[32] = "";
    if (queue->waited_ms > WAIT_MS)
        return false;
    if (queue->before > 0)
        format_into(before, sizeof before, "%d before you, ", queue->before);
    if (queue->held_ms >= LONG_MS)
        format_into(since, sizeof since, " %.0f s", queue->held_ms / 1000);
    worker_stage(context, 60000, "waiting for the %s: %sheld%s by %s", queue->what, before, since,
                 queue->holder);
    return true;
}

static bool learn_ceilings(struct worker *worker, bool measure, struct error *error)
{
    const struct gpu_facts *facts = gpu_facts(worker->gpu);
    if (!measure && gpu_ceilings_kept(facts, &worker->ceilings))
        return true;
    struct error unkept;
    worker_stage(worker, 60000, "measuring what %s can do at best", facts->name);
    if (!lock_take(gpu_lock(worker->gpu), worker_wait, worker, error))
        return false;
    bool measured = gpu_ceilings_measure(worker->gpu, &worker->ceilings, error);
    lock_release(gpu_lock(worker->gpu));
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
    if (!gpu_open(worker->driver, GPU_ANY, &worker->gpu, error))
        return false;
    load_helpers(worker, error); // counts only when it loses the GPU
    return true;
}

// Opens a GPU, which this executor keeps, so that the rows of a ladder belong to one; with its helper kernels and its ceilings (measured when `measure` or not yet known).
static bool worker_gpu(struct worker *worker, bool measure, struct error *error)
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
    return sim_kernels_read(ptx, strlen(ptx), out, &fault) || launch_ptx_error(variant, &fault, error);
}

static bool compile_module(struct worker *worker, const struct variant *variant, const char *source,
                           const char *ptx, struct compiled *out, struct error *error)
{
    struct compile_request request = {
        .file = variant->path, .source = source, .target = gpu_facts(worker->gpu)->target, .cubin = true
    };
    if (!ptx) {
        worker_stage(worker, COMPILER_MOST_MS + 10000, "compiling");
        return worker_compile(worker, &request, out, error);
    }
    *out = (struct compiled){ .ptx = mem_copy(ptx), .target = request.target };
    format_into(out->compiler, sizeof out->compiler, "the asking machine");
    return true;
}

bool worker_module(struct worker *worker, const struct variant *variant, const char *source, const char *ptx,
                   struct kept_module **out, struct error *error)
{
    uint64_t key = hash_bytes(source, strlen(source)) | 1; // 0 means free
    if (ptx)
        key = hash_more(key, ptx, strlen(ptx)) | 1;
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
    *out = kept; // with its diagnostics, when it does not compile
    if (!compile_module(worker, variant, source, ptx, &kept->compiled, error))
        return false;
    worker_stage(worker, 60000, "loading");
    if (!kernels_read(variant, kept->compiled.ptx, &kept->kernels, error))
        return false;
    if (!gpu_module_load(worker->gpu, kept->compiled.cubin, kept->compiled.ptx, &kept->module, error))
        return false;
    kept->key = key;
    return true;
}

// ---- NVIDIA's libraries ---------------------------------------------------------------------------------

enum { LIBRARY_BLAS_FILE, LIBRARY_CUB_FILE };

static int library_file(const struct lab_library *library)
{
    return library->from == LIBRARY_CUB ? LIBRARY_CUB_FILE : LIBRARY_BLAS_FILE;
}

// Looked for while all files can be seen.
static void find_libraries(struct worker *worker)
{
    static const char *const blas[] = { "libcublas.so.14", "libcublas.so.13", "libcublas.so.12",
                                        "libcublas.so.11", "libcublas.so" };
    enum { ROOM = sizeof worker->library_paths[0] };
    char *cub = path_library("libwarpbook-cub.so"); // what `make cub` makes
    toolkit_library("WARPBOOK_CUBLAS", blas, sizeof blas / sizeof *blas,
                    worker->library_paths[LIBRARY_BLAS_FILE], ROOM);
    library_at("WARPBOOK_CUB", cub, worker->library_paths[LIBRARY_CUB_FILE], ROOM);
    free(cub);
}

bool worker_library(struct worker *worker, const struct lab *lab, struct gpu_library **out,
                    struct error *error)
{
    const struct lab_library *library = lab->library;
    const char *path = worker->library_paths[library_file(library)];
    if (worker->library_of == library) {
        *out = worker->library;
        return true;
    }
    if (!*path)
        return error_set(error, EXIT_MISSING,
                         library->from == LIBRARY_CUB
                             ? "CUB is not compiled here: 'make cub' does it where nvcc is."
                             : "cuBLAS is not installed here; it is a part of NVIDIA's CUDA Toolkit.");
    worker_stage(worker, 60000, "opening %s", library->title);
    gpu_library_close(worker->library);
    worker->library_of = NULL;
    if (!gpu_library_open(worker->gpu, library, path, &worker->library, error))
        return false;
    worker->library_of = library;
    *out = worker->library;
    return true;
}

void worker_give_back(struct worker *worker)
{
    for (size_t b = 0; b < worker->problem.buffer_count && worker->device && worker->gpu; b++) {
        gpu_free(worker->gpu, worker->device[b].address);
        gpu_free(worker->gpu, worker->device[b].pristine);
        worker->device[b] = (struct device_buffer){ 0 };
    }
}

void worker_gpu_close(struct worker *worker)
{
    worker_problem_drop(worker);
    if (worker->gpu) {
        for (size_t i = 0; i < KEPT_MODULES; i++)
            drop_module(worker, &worker->modules[i]);
        gpu_library_close(worker->library);
        gpu_close(worker->gpu);
    }
    if (worker->driver)
        driver_close(worker->driver);
    worker->gpu = NULL;
    worker->library = NULL;
    worker->library_of = NULL;
    worker->driver = NULL;
}

// ---- confinement ----------------------------------------------------------------------------------------

static void *end_thread(void *unused)
{
    pthread_exit(unused);
}

// The C library opens its unwinder when the first thread ends by pthread_exit, as OpenMP's do; later it could not.
static void load_unwinder(void)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, end_thread, NULL) == 0)
        pthread_join(thread, NULL);
}

static bool confine(struct worker *worker, const struct confine_plan *plan, struct error *error)
{
    struct confinement *confinement = confinement_new(plan);
    load_unwinder();
    worker->confined = confinement_apply(confinement);
    confinement_free(confinement);
    return worker->confined ||
           error_set(error, EXIT_MISSING, "The process that runs kernels cannot be confined: %s.",
                     strerror(errno));
}

bool worker_confine(struct worker *worker, struct error *error)
{
    return confine(worker, &(struct confine_plan){ .calls = CALLS_COMPUTE, .files = true, .own = true },
                   error);
}

// The files by which a user's number becomes a name, for the holder of a lock. Directories that are asked over a
// socket stay out of reach.
static const char *const accounts[] = { "/etc/passwd", "/etc/nsswitch.conf", "/var/lib/sss/mc" };

// An executor with the GPU open keeps access to the driver's own files, to its locks, and to the cache, where the driver
// stores what it assembles.
static bool confine_to_driver(struct worker *worker, struct error *error)
{
    struct confine_plan plan = { .calls = CALLS_DRIVER, .files = true, .libraries = true, .own = true };
    struct driver_files files;
    struct error ignored;
    char *cache = path_cache(""), folders[2][sizeof worker->library_paths[0]];
    find_libraries(worker);
    for (int i = 0; i < 2; i++) { // a library opens others that lie beside it
        const char *path = worker->library_paths[i], *slash = strrchr(path, '/');
        format_into(folders[i], sizeof folders[i], "%.*s", slash ? (int)(slash - path) : 0, path);
        confine_read(&plan, folders[i]);
    }
    driver_files(worker->driver, &files);
    for (size_t i = 0; i < files.read_count; i++)
        confine_read(&plan, files.read[i]);
    for (size_t i = 0; i < files.change_count; i++)
        confine_change(&plan, files.change[i]);
    if (cache && folder_make(cache, &ignored)) // else nothing is kept, which is no error
        confine_change(&plan, cache);
    for (size_t i = 0; i < sizeof accounts / sizeof *accounts; i++)
        confine_read(&plan, accounts[i]);
    for (size_t i = 0; i < LOCK_FILES; i++) {
        confine_change(&plan, lock_file(gpu_lock(worker->gpu), i));
        confine_change(&plan, lock_file(worker->cpu_lock, i));
    }
    bool confined = confine(worker, &plan, error);
    free(cache);
    return confined;
}

// Where there is no GPU the kernel file is still read for what is wrong with it, by a process that does nothing after.
bool worker_meet_kernel(struct worker *worker, struct error *no_gpu)
{
    struct error error;
    bool opened = worker_gpu(worker, false, no_gpu);
    bool confined =
        worker->confined || (opened ? confine_to_driver(worker, &error) : worker_confine(worker, &error));
    if (!opened)
        worker->ends = true;
    if (!confined)
        *no_gpu = error;
    return opened && confined;
}

// ---- for doctor -----------------------------------------------------------------------------------------

static void set_number(json_t *object, const char *key, double number)
{
    if (isfinite(number))
        json_object_set_new(object, key, json_real(number));
}

static json_t *describe_facts(const struct gpu_facts *facts)
{
    json_t *gpu =
        json_pack("{s:s, s:s, s:i, s:i, s:i, s:i, s:i, s:i, s:i}", "name", facts->name, "uuid", facts->uuid,
                  "target", facts->target, "sm_count", facts->sm_count, "l2_bytes", facts->l2_bytes,
                  "shared_block_bytes", facts->shared_block_bytes, "driver_version", facts->driver_version,
                  "memory_bus_bits", facts->memory_bus_bits, "alike", facts->alike);
    set_number(gpu, "memory_bytes", facts->memory_bytes);
    set_number(gpu, "clock_mhz", facts->clock_mhz);
    set_number(gpu, "memory_clock_mhz", facts->memory_clock_mhz);
    return gpu;
}

static json_t *describe_ceilings(const struct ceilings *c)
{
    json_t *ceilings = json_pack("{s:s}", "date", c->date);
    set_number(ceilings, "read_gbps", c->read_gbps);
    set_number(ceilings, "copy_gbps", c->copy_gbps);
    set_number(ceilings, "shared_gbps", c->shared_gbps);
    set_number(ceilings, "launch_us", c->launch_us);
    json_t *tensor = json_object();
    for (int t = 0; t < TENSOR_TYPES; t++)
        set_number(tensor, tensor_names[t], c->tensor_gflops[t]);
    json_object_set_new(ceilings, "tensor_gflops", tensor);
    return ceilings;
}

json_t *worker_describe(struct worker *worker, bool measure)
{
    struct error error = { 0 };
    char host[256] = "unknown";
    gethostname(host, sizeof host - 1);
    json_t *result = json_pack("{s:s}", "host", host);
    if (!worker_gpu(worker, measure, &error) && !worker->gpu) {
        json_object_set_new(result, "gpu_missing", json_string(error.text));
        return result;
    }
    json_object_set_new(result, "gpu", describe_facts(gpu_facts(worker->gpu)));
    json_object_set_new(result, "driver_path", json_string(driver_path(worker->driver)));
    if (worker->ceilings_known)
        json_object_set_new(result, "ceilings", describe_ceilings(&worker->ceilings));
    else
        json_object_set_new(
            result, "ceilings_missing",
            json_string(*error.text ? error.text : "The helper kernels could not be compiled."));
    return result;
}
