// One kernel file on the GPU: compile, place the data, repeat the launches under the clock, check.
#include "engine/run/simulation.h"
#include "engine/run/worker.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Everything of one run that the next one does not share.
struct gpu_run {
    struct worker *worker;
    const struct request *request;
    struct variant variant;
    struct kept_module *module;
    struct expr_binding bindings[SCOPE_BINDINGS];
    struct expr_scope scope;       // the problem's parameters and sm_count
    gpu_address *scratch;          // one per scratch line
    struct gpu_texture **textures; // one per texture or surface line
    struct given given;
    struct gpu_library *library; // that of the lab, in the place of a kernel file; NULL: there is a file
    struct packed_launch launches[LAUNCHES];
    struct gpu_launch plain[LAUNCHES]; // the same, as gpu_time takes them
    uint64_t vary;                     // the state of other data at each repeat; 0: the lab's own data
    bool follows;                      // the lab's answer was seen to follow them
    struct compare_result check;       // of all repeats then
};

// ---- its buffers: placed on the GPU, named in launch lines, and put back before every repeat --------

static bool is_named(const struct gpu_run *run, const char *buffer)
{
    return run->library || variant_uses(&run->variant, buffer); // a library gets them all
}

// Whether the buffer will have an input; the answer is known before there is any data.
static bool has_input(const struct gpu_run *run, const struct problem_buffer *buffer)
{
    const struct problem *problem = &run->worker->problem;
    return problem->lab ? buffer->direction != BUFFER_OUT
                        : run->variant.buffers[buffer - problem->buffers].initial.given;
}

static bool wants_pristine(const struct gpu_run *run, const struct problem_buffer *buffer)
{
    return has_input(run, buffer) &&
           (buffer->direction == BUFFER_INOUT || variant_may_change(&run->variant, buffer->name));
}

static bool place_buffer(struct gpu_run *run, size_t b, struct error *error)
{
    struct gpu *gpu = run->worker->gpu;
    const struct problem_buffer *buffer = &run->worker->problem.buffers[b];
    struct device_buffer *device = &run->worker->device[b];
    if (!device->address) {
        if (!gpu_alloc(gpu, buffer->bytes, &device->address, error))
            return false;
        if (buffer->input) {
            worker_stage(run->worker, 120000, "copying %s to the GPU", buffer->name);
            if (!gpu_upload(gpu, device->address, buffer->input, buffer->bytes, &device->upload_ms, error))
                return false;
        }
    }
    if (!wants_pristine(run, buffer) || device->pristine)
        return true;
    return gpu_alloc(gpu, buffer->bytes, &device->pristine, error) &&
           gpu_copy(gpu, device->pristine, device->address, buffer->bytes, error);
}

// Buffers of other variants make room when the GPU is short of it.
static void drop_unnamed(struct gpu_run *run)
{
    struct worker *worker = run->worker;
    for (size_t b = 0; b < worker->problem.buffer_count; b++) {
        if (is_named(run, worker->problem.buffers[b].name))
            continue;
        gpu_free(worker->gpu, worker->device[b].address);
        gpu_free(worker->gpu, worker->device[b].pristine);
        worker->device[b] = (struct device_buffer){ 0 };
    }
}

static double missing_bytes(const struct gpu_run *run)
{
    const struct problem *problem = &run->worker->problem;
    double bytes = 0;
    for (size_t b = 0; b < problem->buffer_count; b++) {
        const struct problem_buffer *buffer = &problem->buffers[b];
        if (!is_named(run, buffer->name))
            continue;
        bytes += run->worker->device[b].address ? 0 : (double)buffer->bytes;
        bytes += wants_pristine(run, buffer) && !run->worker->device[b].pristine ? (double)buffer->bytes : 0;
    }
    return bytes;
}

static bool fits_device(struct gpu_run *run, double scratch, struct error *error)
{
    struct gpu *gpu = run->worker->gpu;
    if (missing_bytes(run) + scratch > 0.9 * gpu_free_bytes(gpu))
        drop_unnamed(run);
    double need = missing_bytes(run) + scratch, have = gpu_free_bytes(gpu);
    if (need <= have)
        return true;
    char needed[32], free_there[32];
    format_bytes(need, needed, sizeof needed);
    format_bytes(have, free_there, sizeof free_there);
    return error_set(error, EXIT_MISSING,
                     "This size needs %s of the GPU's memory, and %s are free on %s. Choose a smaller one.",
                     needed, free_there, gpu_facts(gpu)->name);
}

static bool count_memory(struct gpu_run *run, struct error *error)
{
    struct worker *worker = run->worker;
    struct budget_need host = { 0 }, scratch = { 0 };
    budget_add_problem(&host, &worker->problem, &run->variant, false);
    return (worker->filled || budget_fits_host(&host, run->request, worker_free_bytes(worker), error)) &&
           budget_add_scratch(&scratch, &run->variant, &run->scope, error) &&
           fits_device(run, scratch.bytes, error);
}

static bool place_buffers(struct gpu_run *run, struct error *error)
{
    for (size_t b = 0; b < run->worker->problem.buffer_count; b++)
        if (is_named(run, run->worker->problem.buffers[b].name) && !place_buffer(run, b, error))
            return false;
    return true;
}

static bool place_scratch(struct gpu_run *run, struct error *error)
{
    const struct variant *variant = &run->variant;
    run->scratch = mem_new((variant->scratch_count + 1) * sizeof *run->scratch);
    for (size_t s = 0; s < variant->scratch_count; s++) {
        size_t bytes;
        if (!launch_declared_bytes(variant, &variant->scratch[s], &run->scope, &bytes, error) ||
            !gpu_alloc(run->worker->gpu, bytes, &run->scratch[s], error))
            return false;
    }
    return true;
}

// A buffer or scratch, and its bytes.
static bool find_memory(const struct gpu_run *run, const char *name, struct placed *out, size_t *bytes)
{
    for (size_t s = 0; s < run->variant.scratch_count; s++) {
        const struct declared *scratch = &run->variant.scratch[s];
        if (strcmp(scratch->name, name) == 0) {
            *out = (struct placed){ .address = run->scratch[s],
                                    .type = scratch->type,
                                    .layout = &scratch->layout };
            struct error ignored;
            return launch_declared_bytes(&run->variant, scratch, &run->scope, bytes, &ignored);
        }
    }
    const struct problem_buffer *buffer = problem_buffer_find(&run->worker->problem, name);
    if (!buffer)
        return false;
    const struct device_buffer *device = &run->worker->device[buffer - run->worker->problem.buffers];
    *out = (struct placed){ .address = device->address, .type = buffer->type };
    if (!run->worker->problem.lab)
        out->layout = &run->variant.buffers[buffer - run->worker->problem.buffers].layout;
    *bytes = buffer->bytes;
    return true;
}

static bool find_placed(void *context, const char *name, struct placed *out)
{
    const struct gpu_run *run = context;
    const struct texture *texture = variant_texture(&run->variant, name);
    size_t bytes;
    if (texture) {
        const struct gpu_texture *made = run->textures[texture - run->variant.textures];
        *out = (struct placed){ .address = gpu_texture_handle(made), .handle = true };
        return true;
    }
    return find_memory(run, name, out, &bytes) || given_value(&run->given, name, out);
}

static bool write_variable(void *context, const char *name, const void *bytes, size_t size, size_t *there,
                           struct error *error)
{
    const struct gpu_run *run = context;
    gpu_address at = 0;
    return gpu_module_variable(run->worker->gpu, run->module->module, name, &at, there, error) &&
           (*there != size || gpu_upload(run->worker->gpu, at, bytes, size, NULL, error));
}

// Puts back what kernels change and poisons what they must write.
static bool reset_data(struct gpu_run *run, struct error *error)
{
    struct worker *worker = run->worker;
    for (size_t b = 0; b < worker->problem.buffer_count; b++) {
        const struct problem_buffer *buffer = &worker->problem.buffers[b];
        const struct device_buffer *device = &worker->device[b];
        if (!device->address || !is_named(run, buffer->name))
            continue;
        if (device->pristine &&
            !gpu_copy(worker->gpu, device->address, device->pristine, buffer->bytes, error))
            return false;
        if (buffer->direction == BUFFER_OUT &&
            !gpu_fill(worker->gpu, device->address, compare_poison(buffer->type), buffer->bytes, error))
            return false;
    }
    return run->library ||
           given_write(&run->given, &(struct symbol_writer){ run->module->compiled.ptx, write_variable, run },
                       error);
}

// ---- its textures and surfaces: copies of buffers, made before a launch that takes them ----------------

// What else of the launch reaches the surface's texels: its buffer, a texture or another surface; NULL: nothing.
static const char *other_way(const struct variant *variant, const struct launch *launch,
                             const struct texture *surface)
{
    if (launch_takes(launch, surface->buffer))
        return surface->buffer;
    for (size_t t = 0; t < variant->texture_count; t++)
        if (&variant->textures[t] != surface && strcmp(variant->textures[t].buffer, surface->buffer) == 0 &&
            launch_takes(launch, variant->textures[t].name))
            return variant->textures[t].name;
    return NULL;
}

// The GPU gives a surface memory of its own, so that a launch must not reach its texels in two ways.
static bool has_one_way(const struct gpu_run *run, const struct texture *surface, struct error *error)
{
    const struct variant *variant = &run->variant;
    for (size_t l = 0; l < variant->launch_count; l++) {
        const struct launch *launch = &variant->launches[l];
        const char *other = other_way(variant, launch, surface);
        if (other && launch_takes(launch, surface->name))
            return error_at(
                error, &variant->source, surface->at,
                "%s takes this surface and %s, and on a GPU they are two memories during a launch; "
                "use one of them, or two launches",
                launch->kernel, other);
    }
    return true;
}

static struct gpu_image gpu_image_of(const struct texture *texture, const struct sim_image *image)
{
    static const int kinds[] = { [SIM_TEXEL_UNSIGNED] = GPU_TEXEL_UNSIGNED,
                                 [SIM_TEXEL_SIGNED] = GPU_TEXEL_SIGNED,
                                 [SIM_TEXEL_FLOAT] = GPU_TEXEL_FLOAT },
                     edges[] = { [SIM_EDGE_WRAP] = GPU_EDGE_WRAP,
                                 [SIM_EDGE_CLAMP] = GPU_EDGE_CLAMP,
                                 [SIM_EDGE_MIRROR] = GPU_EDGE_MIRROR,
                                 [SIM_EDGE_BORDER] = GPU_EDGE_BORDER };
    return (struct gpu_image){ .at = image->at,
                               .pitch = image->pitch,
                               .width = image->width,
                               .height = image->height,
                               .depth = image->depth,
                               .layers = image->layers,
                               .kind = kinds[image->kind],
                               .channels = image->channels,
                               .bits = image->bits,
                               .in_place = !image->surface && !texture->sizes[TEXTURE_WIDTH],
                               .surface = image->surface,
                               .linear = image->linear,
                               .normalised = image->normalised,
                               .unit = image->unit,
                               .edge = edges[image->edge[0]] };
}

static bool place_textures(struct gpu_run *run, struct error *error)
{
    const struct variant *variant = &run->variant;
    run->textures = mem_new((variant->texture_count + 1) * sizeof *run->textures);
    for (size_t t = 0; t < variant->texture_count; t++) {
        const struct texture *texture = &variant->textures[t];
        struct sim_setup_buffer buffer = { .name = texture->buffer };
        struct placed at;
        struct sim_image image;
        if (!find_memory(run, texture->buffer, &at, &buffer.size))
            return error_at(error, &variant->source, texture->buffer_at, "there is no buffer %s",
                            texture->buffer);
        buffer.address = at.address;
        buffer.type = at.type;
        if ((texture->surface && !has_one_way(run, texture, error)) ||
            !texture_image(variant, texture, &buffer, &run->scope, &image, error))
            return false;
        const struct gpu_image of = gpu_image_of(texture, &image);
        if (!gpu_texture_make(run->worker->gpu, &of, &run->textures[t], error))
            return false;
    }
    return true;
}

// Copies the buffers to the textures and surfaces that the launch takes, or what its surfaces got back to the buffers.
static bool copy_textures(struct gpu_run *run, const struct launch *launch, bool back, struct error *error)
{
    const struct variant *variant = &run->variant;
    for (size_t t = 0; t < variant->texture_count; t++) {
        const struct texture *texture = &variant->textures[t];
        if (launch_takes(launch, texture->name) && (!back || texture->surface) &&
            !gpu_texture_copy(run->worker->gpu, run->textures[t], back, error))
            return false;
    }
    return true;
}

static bool time_launch(struct gpu_run *run, size_t which, bool flush, double *ms, struct error *error)
{
    const struct launch *launch = &run->variant.launches[which];
    return copy_textures(run, launch, false, error) &&
           gpu_time(run->worker->gpu, &run->plain[which], 1, flush, run->request->limit_ms, ms, error) &&
           copy_textures(run, launch, true, error);
}

// The launches of a file without textures are timed as a whole, those of others one by one, without the copies between them.
static bool time_launches(struct gpu_run *run, double *ms, struct error *error)
{
    const size_t count = run->library ? 1 : run->variant.launch_count;
    double one;
    if (!run->variant.texture_count)
        return gpu_time(run->worker->gpu, run->plain, count, true, run->request->limit_ms, ms, error);
    *ms = 0;
    for (size_t l = 0; l < count; l++) {
        if (!time_launch(run, l, l == 0, &one, error))
            return false;
        *ms += one;
    }
    return true;
}

static bool place_data(struct gpu_run *run, struct error *error)
{
    return place_buffers(run, error) && place_scratch(run, error) && place_textures(run, error) &&
           given_make(&run->given, &run->variant, &run->scope, find_placed, run, error);
}

static void free_run(struct gpu_run *run)
{
    for (size_t t = 0; run->textures && t < run->variant.texture_count; t++)
        gpu_texture_free(run->worker->gpu, run->textures[t]);
    free(run->textures);
    for (size_t s = 0; run->scratch && s < run->variant.scratch_count; s++)
        gpu_free(run->worker->gpu, run->scratch[s]);
    free(run->scratch);
    given_free(&run->given);
    variant_free(&run->variant);
    free(run);
}

// ---- its answers: every element compared as it arrives ----------------------------------------------

struct piece_check {
    struct compare_result *check;
    const struct problem_buffer *buffer;
};

static void compare_one_piece(void *context, const void *bytes, size_t offset, size_t length)
{
    struct piece_check *pieces = context;
    compare_piece(pieces->check, pieces->buffer, bytes, offset, length);
}

static bool compare_all(struct gpu_run *run, struct compare_result *check, struct record *out,
                        struct error *error)
{
    struct worker *worker = run->worker;
    worker_stage(worker, 120000, "checking");
    for (size_t b = 0; b < worker->problem.buffer_count; b++) {
        const struct problem_buffer *buffer = &worker->problem.buffers[b];
        struct problem_buffer as = compare_as(buffer, &run->variant);
        struct piece_check pieces = { check, &as };
        double ms = 0;
        if (!buffer->want || !worker->device[b].address || !is_named(run, buffer->name))
            continue;
        if (!gpu_download_each(worker->gpu, worker->device[b].address, buffer->bytes, compare_one_piece,
                               &pieces, &ms, error))
            return false;
        out->d2h_ms = (isnan(out->d2h_ms) ? 0 : out->d2h_ms) + ms;
        out->d2h_bytes = (isnan(out->d2h_bytes) ? 0 : out->d2h_bytes) + (double)buffer->bytes;
    }
    return true;
}

static bool check_answers(struct gpu_run *run, struct record *out, struct error *error)
{
    struct text where = { 0 };
    if (!run->check.compared && !compare_all(run, &run->check, out, error))
        return false;
    compare_owner(&run->check, &run->variant, &run->scope, &where);
    record_check(out, &run->check, &run->worker->problem, text_string(&where));
    text_free(&where);
    return true;
}

// ---- resources, device and uploads in the record ----------------------------------------------------

static void record_resources(const struct gpu_run *run, size_t which, struct record *out)
{
    const struct gpu_launch *launch = &run->plain[which];
    struct gpu *gpu = run->worker->gpu;
    const char *kernel = run->launches[which].kernel->name;
    const struct resources *r = compiled_resources(&run->module->compiled, kernel);
    int registers = gpu_function_registers(gpu, launch->function);
    int shared = gpu_function_shared(gpu, launch->function);
    const struct arch *arch = occupancy_arch(gpu_facts(gpu)->target);
    out->target = gpu_facts(gpu)->target;
    record_launched(out, &(struct launched){ .kernel = run->variant.launches[which].spelled,
                                             .launches = run->variant.launch_count,
                                             .grid = launch->grid,
                                             .block = launch->block,
                                             .shared_more = launch->shared_bytes,
                                             .registers = registers,
                                             .shared = shared,
                                             .spills = r ? r->spill_bytes : -1 });
    if (!arch)
        return;
    struct occupancy occupancy = occupancy_of(arch, (int)out->block_threads, registers,
                                              (shared > 0 ? shared : 0) + (int)launch->shared_bytes);
    out->blocks_per_sm = occupancy.blocks;
    out->occupancy_pct = occupancy.percent;
    free(out->occupancy_limit);
    out->occupancy_limit = mem_copy(occupancy_limiter_name(occupancy.limiter));
}

// Of several launches the record describes the longest: each is timed once more, alone, in their order. Of those that take
// about as long the first is taken, or else the next run would describe another one.
static bool record_longest(struct gpu_run *run, struct record *out, struct error *error)
{
    const double clearly = 1.25;
    size_t longest = 0;
    double most = 0, ms;
    if (run->library || run->variant.launch_count < 2)
        return true;
    if (!reset_data(run, error))
        return false;
    for (size_t l = 0; l < run->variant.launch_count; l++) {
        if (!time_launch(run, l, false, &ms, error))
            return false;
        if (ms > clearly * most) {
            most = ms;
            longest = l;
        }
    }
    if (longest)
        record_resources(run, longest, out);
    return true;
}

// A multiplication and an addition in each FP32 lane and clock, at the clock that the driver states; under load a GPU may
// run slower. NAN where either is unknown.
static double fp32_gflops(const struct gpu_facts *facts)
{
    bool half = facts->target < 86; // 64 lanes an SM up to GA100, 128 from GA102 on
    if (facts->target < 70 || !(facts->clock_mhz > 0))
        return NAN;
    return 2.0 * (half ? 64 : 128) * facts->sm_count * facts->clock_mhz / 1000;
}

static void record_device(const struct gpu_run *run, struct record *out)
{
    const struct worker *worker = run->worker;
    const struct gpu_facts *facts = gpu_facts(worker->gpu);
    out->device = mem_copy(facts->name);
    out->driver = text_format("CUDA %d.%d", facts->driver_version / 1000, facts->driver_version % 1000 / 10);
    if (!worker->problem.lab || !worker->ceilings_known)
        return;
    const struct ceilings *c = &worker->ceilings;
    enum ceiling which = worker->problem.lab->ceiling;
    if (which == CEILING_FP32)
        out->ceiling_gflops = fp32_gflops(facts);
    if (which == CEILING_TENSOR)
        out->ceiling_gflops = c->tensor_gflops[TENSOR_F16];
    out->ceiling_gbps = which == CEILING_SHARED ? c->shared_gbps
                        : which == CEILING_COPY ? c->copy_gbps
                                                : c->read_gbps;
}

static void record_uploads(const struct gpu_run *run, struct record *out)
{
    const struct problem *problem = &run->worker->problem;
    out->h2d_ms = out->h2d_bytes = 0;
    for (size_t b = 0; b < problem->buffer_count; b++) {
        if (!problem->buffers[b].input || !is_named(run, problem->buffers[b].name))
            continue;
        out->h2d_ms += run->worker->device[b].upload_ms;
        out->h2d_bytes += (double)problem->buffers[b].bytes;
    }
}

// ---- the run ----------------------------------------------------------------------------------------

// The driver must take as many arguments as were packed, each in the bytes that it was packed in.
static bool find_function(struct gpu_run *run, struct packed_launch *packed, struct error *error)
{
    const struct sim_kernel *kernel = packed->kernel;
    struct gpu *gpu = run->worker->gpu;
    struct gpu_function **function = &packed->launch.function;
    struct gpu_parameter takes[ARGUMENTS];
    for (size_t i = 0; i < kernel->parameter_count; i++)
        takes[i] = (struct gpu_parameter){ kernel->parameters[i].offset, kernel->parameters[i].bytes };
    return gpu_function_find(gpu, run->module->module, kernel->name, function, error) &&
           gpu_function_takes(gpu, *function, takes, kernel->parameter_count, error);
}

static bool pack_launches(struct gpu_run *run, struct error *error)
{
    const struct variant *variant = &run->variant;
    for (size_t l = 0; l < variant->launch_count; l++) {
        struct packed_launch *packed = &run->launches[l];
        if (!launch_pack(packed, variant, &variant->launches[l], &run->module->kernels, &run->scope,
                         find_placed, run, error) ||
            !find_function(run, packed, error))
            return false;
        run->plain[l] = packed->launch;
    }
    return true;
}

static bool prepare_library(struct gpu_run *run, struct error *error)
{
    gpu_address buffers[LAB_BUFFERS];
    for (size_t b = 0; b < run->worker->problem.buffer_count; b++)
        buffers[b] = run->worker->device[b].address;
    return gpu_library_prepare(run->library, &run->worker->problem, buffers, &run->plain[0], error);
}

static bool time_once(struct gpu_run *run, double *ms, struct record *out, struct error *error)
{
    if ((run->vary && !worker_vary(run->worker, &run->vary, &run->follows, error)) ||
        !reset_data(run, error) || !time_launches(run, ms, error))
        return false;
    if (!run->vary)
        return true;
    if (!run->follows)
        run->vary = 0;
    out->d2h_ms = out->d2h_bytes = NAN; // of one repeat
    return compare_all(run, &run->check, out, error);
}

// Takes what kernels printed since the last call, cleaned and bounded; NULL when nothing.
static char *take_printed(const struct worker *worker)
{
    enum { MOST = 65536 };
    char *raw = mem_new(MOST);
    struct text clean = { 0 };
    fflush(stdout);
    ssize_t length = pread(worker->printed, raw, MOST, 0);
    if (length > 0)
        text_add_clean(&clean, raw, (size_t)length);
    free(raw);
    if (ftruncate(worker->printed, 0) != 0 || lseek(STDOUT_FILENO, 0, SEEK_SET) < 0)
        text_add(&clean, "\n(the output of later runs follows it)");
    return clean.length ? text_take(&clean) : NULL;
}

// The first run loads code and wakes clocks; it counts only when it is so long that this does not matter.
static bool measure(struct gpu_run *run, double times[128], size_t *count, struct record *out,
                    struct error *error)
{
    const double long_ms = 10;
    double first, spent = 0;
    worker_stage(run->worker, run->request->limit_ms + 10000, "running");
    bool ran = time_once(run, &first, out, error);
    out->printed = take_printed(run->worker); // of one run; the repeats would only print it again
    if (!ran)
        return false;
    if (first >= long_ms) {
        times[(*count)++] = first;
        spent = first;
    }
    while (*count < 128 && !run->check.wrong && !outcome_measured(times, *count, spent, run->request->reps)) {
        if (spent >= long_ms)
            worker_stage(run->worker, run->request->limit_ms + 10000, "running");
        if (!time_once(run, &times[*count], out, error))
            return false;
        spent += times[(*count)++];
    }
    return true;
}

static bool measure_and_check(struct gpu_run *run, struct record *out, struct error *error)
{
    double times[128];
    size_t count = 0;
    if (!measure(run, times, &count, out, error))
        return false;
    record_times(out, times, count);
    record_uploads(run, out);
    return check_answers(run, out, error) && record_longest(run, out, error);
}

static bool name_file(const struct gpu_run *run, struct record *out)
{
    out->title = mem_copy(run->variant.title);
    out->code = text_format("%016llx", (unsigned long long)variant_code(&run->variant));
    return true;
}

static bool name_library(struct gpu_run *run, struct record *out, struct error *error)
{
    const struct lab *lab = lab_find(run->request->lab);
    if (!lab || !lab->library)
        return error_set(error, EXIT_USAGE, "No library has a row in the lab %s.", run->request->lab);
    if (!worker_library(run->worker, lab, &run->library, error))
        return false;
    out->title = mem_copy(lab->library->title);
    out->compiler = mem_copy(gpu_library_version(run->library));
    out->target = gpu_facts(run->worker->gpu)->target;
    return true;
}

static bool load_module(struct gpu_run *run, struct record *out, struct error *error)
{
    char *source = variant_source(&run->variant);
    bool loaded = worker_module(run->worker, &run->variant, source, run->request->ptx, &run->module, error);
    free(source);
    record_compiled(out, &run->module->compiled);
    return loaded;
}

static bool run_it(struct gpu_run *run, struct record *out, struct error *error)
{
    struct worker *worker = run->worker;
    const struct request *request = run->request;
    struct error no_gpu;
    bool gpu = worker_meet_kernel(worker, &no_gpu);
    if (request->source && !variant_parse(&run->variant, request->lab, request->file, request->source, error))
        return false;
    if (!gpu) {
        *error = no_gpu;
        return false;
    }
    if (!(request->source ? name_file(run, out) : name_library(run, out, error)) ||
        !worker_plan(worker, request, &run->variant, error))
        return false;
    record_problem(out, worker, request);
    record_device(run, out);
    run->scope = launch_scope(&worker->problem, gpu_facts(worker->gpu)->sm_count, run->bindings);
    bool suits;
    if (!outcome_suits(&run->variant, &run->scope, &suits, out, error))
        return false;
    if (!suits)
        return true;
    if (!variant_unroll(&run->variant, &run->scope, error) || !count_memory(run, error))
        return false;
    if ((!run->library && !load_module(run, out, error)) || !worker_fill(worker, &run->variant, error) ||
        !lock_take(gpu_lock(worker->gpu), worker_wait, worker, error))
        return false;
    bool done =
        place_data(run, error) && (run->library ? prepare_library(run, error) : pack_launches(run, error));
    if (done && !run->library)
        record_resources(run, 0, out);
    done = done && measure_and_check(run, out, error);
    if (request->seed && worker->problem.lab)
        worker_problem_drop(worker); // the next run is one of the lab's own data
    else if (lock_others(gpu_lock(worker->gpu)).waits)
        worker_give_back(worker); // a waiting process may need the memory
    lock_release(gpu_lock(worker->gpu));
    return done;
}

bool run_on_gpu(struct worker *worker, const struct request *request, struct record *out, struct error *error)
{
    struct gpu_run *run = mem_new(sizeof *run);
    run->worker = worker;
    run->request = request;
    run->vary = request->lab ? (uint64_t)request->seed : 0;
    bool done = run_it(run, out, error);
    free_run(run);
    return done;
}
