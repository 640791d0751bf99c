// One kernel file on the GPU: compile, place the data, repeat the launches under the clock, check.
#include "engine/run/shot.h"

#include <stdlib.h>
#include <string.h>

// The driver must take as many arguments as were packed, each in the bytes that it was packed in.
static bool find_function(struct shot *shot, struct packed_launch *packed, struct error *error)
{
    const struct sim_kernel *kernel = packed->kernel;
    struct gpu *gpu = shot->worker->gpu;
    struct gpu_function **function = &packed->launch.function;
    struct gpu_parameter takes[ARGUMENTS];
    for (size_t i = 0; i < kernel->parameter_count; i++)
        takes[i] = (struct gpu_parameter){ kernel->parameters[i].offset, kernel->parameters[i].bytes };
    return gpu_function_find(gpu, shot->module->module, kernel->name, function, error) &&
           gpu_function_takes(gpu, *function, takes, kernel->parameter_count, error);
}

static bool pack_launches(struct shot *shot, struct error *error)
{
    const struct variant *variant = &shot->variant;
    for (size_t l = 0; l < variant->launch_count; l++) {
        struct packed_launch *packed = &shot->launches[l];
        if (!launch_pack(packed, variant, &variant->launches[l], &shot->module->kernels, &shot->scope,
                         shot_placed, shot, error) ||
            !find_function(shot, packed, error))
            return false;
        shot->plain[l] = packed->launch;
    }
    return true;
}

static bool time_once(struct shot *shot, double *ms, struct error *error)
{
    return shot_reset(shot, error) && gpu_time(shot->worker->gpu, shot->plain, shot->variant.launch_count,
                                               true, shot->request->limit_ms, ms, error);
}

// The first run loads code and wakes clocks; it counts only when it is so long that this does not matter.
static bool measure(struct shot *shot, double times[128], size_t *count, struct record *out,
                    struct error *error)
{
    const double long_ms = 10;
    double first, spent = 0;
    worker_stage(shot->worker, shot->request->limit_ms + 10000, "running");
    bool ran = time_once(shot, &first, error);
    out->printed = worker_printed(shot->worker); // of one run; the repeats would only print it again
    if (!ran)
        return false;
    if (first >= long_ms) {
        times[(*count)++] = first;
        spent = first;
    }
    while (*count < 128 && !measuring_done(times, *count, spent, shot->request->reps)) {
        if (spent >= long_ms)
            worker_stage(shot->worker, shot->request->limit_ms + 10000, "running");
        if (!time_once(shot, &times[*count], error))
            return false;
        spent += times[(*count)++];
    }
    return true;
}

static bool measure_and_check(struct shot *shot, struct record *out, struct error *error)
{
    double times[128];
    size_t count = 0;
    if (!measure(shot, times, &count, out, error))
        return false;
    record_times(out, times, count);
    shot_record_uploads(shot, out);
    return shot_check(shot, out, error);
}

static bool run_shot(struct shot *shot, struct record *out, struct error *error)
{
    struct worker *worker = shot->worker;
    const struct request *request = shot->request;
    struct gpu_lock *lock = NULL;
    struct error no_gpu;
    bool gpu = worker_meet_kernel(worker, &no_gpu);
    if (!variant_parse(&shot->variant, request->lab, request->file, request->source, error))
        return false;
    if (!gpu) {
        *error = no_gpu;
        return false;
    }
    char code[20];
    format_into(code, sizeof code, "%016llx", (unsigned long long)variant_code(&shot->variant));
    out->title = mem_copy(shot->variant.title);
    out->code = mem_copy(code);
    if (!worker_plan(worker, request, &shot->variant, error))
        return false;
    record_problem(out, worker, request);
    shot_record_device(shot, out);
    shot->scope = launch_scope(&worker->problem, gpu_facts(worker->gpu)->sm_count, shot->bindings);
    bool suits;
    if (!variant_suits(&shot->variant, &shot->scope, &suits, out, error))
        return false;
    if (!suits)
        return true;
    if (!shot_count(shot, error))
        return false;
    char *source = variant_source(&shot->variant);
    bool compiled = worker_module(worker, &shot->variant, source, &shot->module, error);
    free(source);
    record_compiled(out, &shot->module->compiled);
    if (!compiled || !worker_fill(worker, &shot->variant, error) ||
        !gpu_lock_take(gpu_facts(worker->gpu)->uuid, worker_wait, worker, &lock, error))
        return false;
    bool done = shot_place(shot, error) && pack_launches(shot, error);
    if (done) {
        shot_record_resources(shot, out);
        done = measure_and_check(shot, out, error);
    }
    gpu_lock_release(lock);
    return done;
}

bool run_on_gpu(struct worker *worker, const struct request *request, struct record *out, struct error *error)
{
    struct shot *shot = mem_new(sizeof *shot);
    shot->worker = worker;
    shot->request = request;
    bool done = run_shot(shot, out, error);
    shot_free(shot);
    return done;
}
