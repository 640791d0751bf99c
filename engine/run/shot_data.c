// A run's buffers on the GPU: placed there, named in launch lines, and put back before every repeat.
#include "engine/run/shot.h"

#include <stdlib.h>
#include <string.h>

bool shot_names(const struct shot *shot, const char *buffer)
{
    const struct variant *variant = &shot->variant;
    for (size_t l = 0; l < variant->launch_count; l++) {
        const struct launch *launch = &variant->launches[l];
        for (size_t a = 0; a < launch->argument_count; a++)
            if (launch->arguments[a].name && strcmp(launch->arguments[a].name, buffer) == 0)
                return true;
    }
    return false;
}

// Whether a kernel of the launch's name may change its argument: it takes it as a pointer that is not to const.
static bool may_change_argument(const struct variant *variant, const struct launch *launch, size_t argument)
{
    struct kernel_parameter parameters[ARGUMENTS];
    const char *at = variant->text;
    int count = signature_next(&at, launch->kernel, parameters, ARGUMENTS);
    bool constant = count >= 0;
    for (; constant && count >= 0; count = signature_next(&at, launch->kernel, parameters, ARGUMENTS))
        if ((size_t)count == launch->argument_count)
            constant = argument < ARGUMENTS && parameters[argument].constant;
    return !constant;
}

static bool may_change(const struct variant *variant, const char *buffer)
{
    for (size_t l = 0; l < variant->launch_count; l++) {
        const struct launch *launch = &variant->launches[l];
        for (size_t a = 0; a < launch->argument_count; a++) {
            const char *name = launch->arguments[a].name;
            if (name && strcmp(name, buffer) == 0 && may_change_argument(variant, launch, a))
                return true;
        }
    }
    return false;
}

// Known before there is any data.
static bool has_input(const struct shot *shot, const struct problem_buffer *buffer)
{
    const struct problem *problem = &shot->worker->problem;
    return problem->lab ? buffer->direction != BUFFER_OUT
                        : shot->variant.buffers[buffer - problem->buffers].initial != NULL;
}

static bool wants_pristine(const struct shot *shot, const struct problem_buffer *buffer)
{
    return has_input(shot, buffer) &&
           (buffer->direction == BUFFER_INOUT || may_change(&shot->variant, buffer->name));
}

static bool place_buffer(struct shot *shot, size_t b, struct error *error)
{
    struct gpu *gpu = shot->worker->gpu;
    const struct problem_buffer *buffer = &shot->worker->problem.buffers[b];
    struct device_buffer *device = &shot->worker->device[b];
    if (!device->address) {
        if (!gpu_alloc(gpu, buffer->bytes, &device->address, error))
            return false;
        if (buffer->input) {
            worker_stage(shot->worker, 120000, "copying %s to the GPU", buffer->name);
            if (!gpu_upload(gpu, device->address, buffer->input, buffer->bytes, &device->upload_ms, error))
                return false;
        }
    }
    if (!wants_pristine(shot, buffer) || device->pristine)
        return true;
    return gpu_alloc(gpu, buffer->bytes, &device->pristine, error) &&
           gpu_copy(gpu, device->pristine, device->address, buffer->bytes, error);
}

// Buffers of other variants make room when the GPU is short of it.
static void drop_unnamed(struct shot *shot)
{
    struct worker *worker = shot->worker;
    for (size_t b = 0; b < worker->problem.buffer_count; b++) {
        if (shot_names(shot, worker->problem.buffers[b].name))
            continue;
        gpu_free(worker->gpu, worker->device[b].address);
        gpu_free(worker->gpu, worker->device[b].pristine);
        worker->device[b] = (struct device_buffer){ 0 };
    }
}

static double missing_bytes(const struct shot *shot)
{
    const struct problem *problem = &shot->worker->problem;
    double bytes = 0;
    for (size_t b = 0; b < problem->buffer_count; b++) {
        const struct problem_buffer *buffer = &problem->buffers[b];
        if (!shot_names(shot, buffer->name))
            continue;
        bytes += shot->worker->device[b].address ? 0 : (double)buffer->bytes;
        bytes +=
            wants_pristine(shot, buffer) && !shot->worker->device[b].pristine ? (double)buffer->bytes : 0;
    }
    return bytes;
}

static bool fits_device(struct shot *shot, double scratch, struct error *error)
{
    struct gpu *gpu = shot->worker->gpu;
    if (missing_bytes(shot) + scratch > 0.9 * gpu_free_bytes(gpu))
        drop_unnamed(shot);
    double need = missing_bytes(shot) + scratch, have = gpu_free_bytes(gpu);
    if (need <= have)
        return true;
    char needed[32], free_there[32];
    format_bytes(need, needed, sizeof needed);
    format_bytes(have, free_there, sizeof free_there);
    return error_set(error, EXIT_MISSING,
                     "This size needs %s of the GPU's memory, and %s are free on %s. Take a smaller one.",
                     needed, free_there, gpu_facts(gpu)->name);
}

bool shot_count(struct shot *shot, struct error *error)
{
    struct worker *worker = shot->worker;
    struct memory_need host = { 0 }, scratch = { 0 };
    need_problem(&host, &worker->problem, &shot->variant, false);
    return (worker->filled || need_fits_host(&host, shot->request, worker_free_bytes(worker), error)) &&
           need_scratch(&scratch, &shot->variant, &shot->scope, error) &&
           fits_device(shot, scratch.bytes, error);
}

static bool place_buffers(struct shot *shot, struct error *error)
{
    for (size_t b = 0; b < shot->worker->problem.buffer_count; b++)
        if (shot_names(shot, shot->worker->problem.buffers[b].name) && !place_buffer(shot, b, error))
            return false;
    return true;
}

static bool place_scratch(struct shot *shot, struct error *error)
{
    const struct variant *variant = &shot->variant;
    shot->scratch = mem_new((variant->scratch_count + 1) * sizeof *shot->scratch);
    for (size_t s = 0; s < variant->scratch_count; s++) {
        size_t bytes;
        if (!scratch_bytes(variant, &variant->scratch[s], &shot->scope, &bytes, error) ||
            !gpu_alloc(shot->worker->gpu, bytes, &shot->scratch[s], error))
            return false;
    }
    return true;
}

bool shot_placed(void *context, const char *name, struct placed *out)
{
    const struct shot *shot = context;
    for (size_t s = 0; s < shot->variant.scratch_count; s++) {
        if (strcmp(shot->variant.scratch[s].name, name) == 0) {
            *out = (struct placed){ shot->scratch[s], shot->variant.scratch[s].type };
            return true;
        }
    }
    const struct problem_buffer *buffer = problem_buffer_find(&shot->worker->problem, name);
    if (!buffer)
        return false;
    const struct device_buffer *device = &shot->worker->device[buffer - shot->worker->problem.buffers];
    *out = (struct placed){ device->address, buffer->type };
    return true;
}

// Puts back what kernels change and poisons what they must write.
bool shot_reset(struct shot *shot, struct error *error)
{
    struct worker *worker = shot->worker;
    for (size_t b = 0; b < worker->problem.buffer_count; b++) {
        const struct problem_buffer *buffer = &worker->problem.buffers[b];
        const struct device_buffer *device = &worker->device[b];
        if (!device->address || !shot_names(shot, buffer->name))
            continue;
        if (device->pristine &&
            !gpu_copy(worker->gpu, device->address, device->pristine, buffer->bytes, error))
            return false;
        if (buffer->direction == BUFFER_OUT &&
            !gpu_fill(worker->gpu, device->address, poison_byte(buffer->type), buffer->bytes, error))
            return false;
    }
    return true;
}

bool shot_place(struct shot *shot, struct error *error)
{
    return place_buffers(shot, error) && place_scratch(shot, error);
}

void shot_free(struct shot *shot)
{
    for (size_t s = 0; shot->scratch && s < shot->variant.scratch_count; s++)
        gpu_free(shot->worker->gpu, shot->scratch[s]);
    free(shot->scratch);
    variant_free(&shot->variant);
    free(shot);
}
