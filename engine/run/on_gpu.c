// One kernel file on the GPU: compile, place the data, repeat the launches under the clock, check.
#include "engine/run/worker.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Everything of one run that the next one does not share.
struct shot {
    struct worker *worker;
    const struct request *request;
    struct variant variant;
    struct kept_module *module;
    struct binding bindings[20];
    struct scope scope;
    gpu_address *scratch; // one per scratch line
    struct packed_launch launches[LAUNCHES];
    struct gpu_launch plain[LAUNCHES]; // the same, as gpu_time takes them
};

// True when the size suits the kernel; otherwise the record says what the kernel needs.
static bool needs_hold(struct shot *shot, bool *hold, struct record *out, struct error *error)
{
    *hold = true;
    const struct variant *variant = &shot->variant;
    for (size_t i = 0; i < variant->need_count; i++) {
        struct value value;
        if (!expr_eval(variant->needs[i].expr, &shot->scope, &value, error))
            return false;
        if (value_as_int(value) != 0)
            continue;
        struct text message = { 0 };
        text_addf(&message, "needs %s", variant->needs[i].text);
        *hold = false;
        out->status = mem_copy("skipped");
        out->message = text_take(&message);
        return true;
    }
    return true;
}

static void open_scope(struct shot *shot)
{
    const struct problem *problem = &shot->worker->problem;
    size_t count = 0;
    for (; count < problem->param_count; count++)
        shot->bindings[count] = problem->params[count];
    shot->bindings[count++] =
        (struct binding){ "sm_count", value_int(gpu_facts(shot->worker->gpu)->sm_count) };
    shot->scope = (struct scope){ shot->bindings, count };
}

// ---- data on the GPU --------------------------------------------------------------------------------

static bool is_named(const struct variant *variant, const char *buffer)
{
    for (size_t l = 0; l < variant->launch_count; l++) {
        const struct launch *launch = &variant->launches[l];
        for (size_t a = 0; a < launch->argument_count; a++)
            if (launch->arguments[a].name && strcmp(launch->arguments[a].name, buffer) == 0)
                return true;
    }
    return false;
}

// Whether a kernel may change the buffer: it gets it through a pointer that is not to const.
static bool may_change(const struct variant *variant, const char *buffer)
{
    for (size_t l = 0; l < variant->launch_count; l++) {
        const struct launch *launch = &variant->launches[l];
        struct kernel_parameter parameters[ARGUMENTS];
        int count = signature_find(variant->text, launch->kernel, parameters, ARGUMENTS);
        for (size_t a = 0; a < launch->argument_count; a++) {
            const char *name = launch->arguments[a].name;
            bool constant = (int)a < count && parameters[a].constant;
            if (name && strcmp(name, buffer) == 0 && !constant)
                return true;
        }
    }
    return false;
}

static bool wants_pristine(const struct shot *shot, const struct problem_buffer *buffer)
{
    return buffer->input && (buffer->direction == BUFFER_INOUT || may_change(&shot->variant, buffer->name));
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
        if (is_named(&shot->variant, worker->problem.buffers[b].name))
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
        if (!is_named(&shot->variant, buffer->name))
            continue;
        bytes += shot->worker->device[b].address ? 0 : (double)buffer->bytes;
        bytes +=
            wants_pristine(shot, buffer) && !shot->worker->device[b].pristine ? (double)buffer->bytes : 0;
    }
    return bytes;
}

static bool place_buffers(struct shot *shot, struct error *error)
{
    struct gpu *gpu = shot->worker->gpu;
    if (missing_bytes(shot) > 0.9 * gpu_free_bytes(gpu))
        drop_unnamed(shot);
    double need = missing_bytes(shot), have = gpu_free_bytes(gpu);
    if (need > have)
        return error_set(error, EXIT_MISSING,
                         "This size needs %.2f GiB on the GPU and %.2f GiB are free on %s. "
                         "Take a smaller one, such as --size small.",
                         need / (1 << 30), have / (1 << 30), gpu_facts(gpu)->name);
    for (size_t b = 0; b < shot->worker->problem.buffer_count; b++)
        if (is_named(&shot->variant, shot->worker->problem.buffers[b].name) && !place_buffer(shot, b, error))
            return false;
    return true;
}

static bool place_scratch(struct shot *shot, struct error *error)
{
    const struct variant *variant = &shot->variant;
    shot->scratch = mem_new((variant->scratch_count + 1) * sizeof *shot->scratch);
    for (size_t s = 0; s < variant->scratch_count; s++) {
        struct value count;
        if (!expr_eval(variant->scratch[s].count, &shot->scope, &count, error))
            return false;
        int64_t elements = value_as_int(count);
        size_t size = type_size(variant->scratch[s].type);
        if (elements < 1 || elements > INT64_MAX / (int64_t)size)
            return error_at(error, &variant->source, variant->scratch[s].at, "%s would have %lld elements",
                            variant->scratch[s].name, (long long)elements);
        if (!gpu_alloc(shot->worker->gpu, (size_t)elements * size, &shot->scratch[s], error))
            return false;
    }
    return true;
}

static bool find_address(void *context, const char *name, gpu_address *out)
{
    const struct shot *shot = context;
    for (size_t s = 0; s < shot->variant.scratch_count; s++) {
        if (strcmp(shot->variant.scratch[s].name, name) == 0) {
            *out = shot->scratch[s];
            return true;
        }
    }
    const struct problem_buffer *buffer = problem_buffer_find(&shot->worker->problem, name);
    if (!buffer)
        return false;
    *out = shot->worker->device[buffer - shot->worker->problem.buffers].address;
    return true;
}

// ---- launches and their times -----------------------------------------------------------------------

static bool pack_launches(struct shot *shot, struct error *error)
{
    const struct variant *variant = &shot->variant;
    if (variant->launch_count > LAUNCHES)
        return error_set(error, EXIT_WRONG, "%s has more than %d launch lines.", variant->path, LAUNCHES);
    for (size_t l = 0; l < variant->launch_count; l++) {
        struct packed_launch *packed = &shot->launches[l];
        char entry[512];
        const char *ptx = shot->module->compiled.ptx;
        if (!launch_pack(packed, variant, &variant->launches[l], ptx, &shot->scope, find_address, shot,
                         error))
            return false;
        if (!ptx_entry_find(ptx, variant->launches[l].kernel, entry, sizeof entry) ||
            !gpu_function_find(shot->worker->gpu, shot->module->module, entry, &packed->launch.function,
                               error))
            return false;
        shot->plain[l] = packed->launch;
    }
    return true;
}

// Puts back what kernels change and poisons what they must write.
static bool reset_data(struct shot *shot, struct error *error)
{
    struct worker *worker = shot->worker;
    for (size_t b = 0; b < worker->problem.buffer_count; b++) {
        const struct problem_buffer *buffer = &worker->problem.buffers[b];
        const struct device_buffer *device = &worker->device[b];
        if (!device->address || !is_named(&shot->variant, buffer->name))
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

static bool time_once(struct shot *shot, double *ms, struct error *error)
{
    return reset_data(shot, error) && gpu_time(shot->worker->gpu, shot->plain, shot->variant.launch_count,
                                               true, shot->request->limit_ms, ms, error);
}

// The first run loads code and wakes clocks; it counts only when it is so long that this does not matter.
static bool measure(struct shot *shot, double times[128], size_t *count, struct record *out,
                    struct error *error)
{
    const double long_ms = 100;
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

// ---- the answer ---------------------------------------------------------------------------------------

struct looking {
    struct check *check;
    const struct problem_buffer *buffer;
};

static void look_at_piece(void *context, const void *bytes, size_t offset, size_t length)
{
    struct looking *looking = context;
    check_piece(looking->check, looking->buffer, bytes, offset, length);
}

static bool check_answers(struct shot *shot, struct check *check, struct record *out, struct error *error)
{
    struct worker *worker = shot->worker;
    worker_stage(worker, 120000, "checking");
    for (size_t b = 0; b < worker->problem.buffer_count; b++) {
        const struct problem_buffer *buffer = &worker->problem.buffers[b];
        struct looking looking = { check, buffer };
        double ms = 0;
        if (!buffer->want || !worker->device[b].address || !is_named(&shot->variant, buffer->name))
            continue;
        if (!gpu_download_each(worker->gpu, worker->device[b].address, buffer->bytes, look_at_piece, &looking,
                               &ms, error))
            return false;
        out->d2h_ms = (isnan(out->d2h_ms) ? 0 : out->d2h_ms) + ms;
        out->d2h_bytes = (isnan(out->d2h_bytes) ? 0 : out->d2h_bytes) + (double)buffer->bytes;
    }
    return true;
}

// As many parts as the owner line gives: "block 3", or "block (3, 1)".
static void add_place(struct text *out, const char *what, const struct dims *given, struct dim3 d)
{
    if (given->part[2])
        text_addf(out, "%s (%lld, %lld, %lld)", what, (long long)d.x, (long long)d.y, (long long)d.z);
    else if (given->part[1])
        text_addf(out, "%s (%lld, %lld)", what, (long long)d.x, (long long)d.y);
    else
        text_addf(out, "%s %lld", what, (long long)d.x);
}

// Which block and thread write the first wrong element, as the file's owner line says.
static void find_owner(const struct shot *shot, const struct check *check, struct text *out)
{
    for (size_t o = 0; o < shot->variant.owner_count && check->wrong; o++) {
        const struct owner *owner = &shot->variant.owners[o];
        struct binding bindings[24];
        size_t count = shot->scope.count;
        struct dim3 block, thread;
        struct error unused;
        if (strcmp(owner->buffer, check->buffer) != 0)
            continue;
        memcpy(bindings, shot->scope.bindings, count * sizeof *bindings);
        bindings[count] = (struct binding){ "i", value_int((int64_t)check->index) };
        struct scope scope = { bindings, count + 1 };
        if (owner_eval(owner, &scope, &block, &thread, &unused)) {
            add_place(out, "block", &owner->block, block);
            add_place(out, ", thread", &owner->thread, thread);
        }
    }
}

// ---- the record ---------------------------------------------------------------------------------------

static void record_resources(struct record *out, const struct shot *shot)
{
    const struct gpu_launch *launch = &shot->plain[0];
    struct gpu *gpu = shot->worker->gpu;
    const struct resources *r = compiled_resources(&shot->module->compiled, shot->variant.launches[0].kernel);
    int registers = gpu_function_registers(gpu, launch->function);
    int shared = gpu_function_shared(gpu, launch->function);
    int threads = (int)(launch->block[0] * launch->block[1] * launch->block[2]);
    const struct arch *arch = arch_find(gpu_facts(gpu)->target);
    out->target = gpu_facts(gpu)->target;
    out->grid_blocks = (double)launch->grid[0] * launch->grid[1] * launch->grid[2];
    out->block_threads = threads;
    out->registers = registers >= 0 ? registers : NAN;
    out->shared_bytes = shared >= 0 ? (double)shared + launch->shared_bytes : NAN;
    out->spill_bytes = r && r->spill_bytes >= 0 ? r->spill_bytes : NAN;
    if (!arch)
        return;
    struct occupancy occupancy =
        occupancy_of(arch, threads, registers, (shared > 0 ? shared : 0) + (int)launch->shared_bytes);
    out->blocks_per_sm = occupancy.blocks;
    out->occupancy_pct = occupancy.percent;
    out->occupancy_limit = mem_copy(limiter_name(occupancy.limiter));
}

static void record_device(struct record *out, const struct worker *worker)
{
    const struct gpu_facts *facts = gpu_facts(worker->gpu);
    struct text driver = { 0 };
    out->device = mem_copy(facts->name);
    text_addf(&driver, "CUDA %d.%d", facts->driver_version / 1000, facts->driver_version % 1000 / 10);
    out->driver = text_take(&driver);
    if (!worker->problem.lab || !worker->ceilings_known)
        return;
    const struct ceilings *c = &worker->ceilings;
    enum ceiling which = worker->problem.lab->ceiling;
    out->ceiling_gbps = which == CEILING_READ   ? c->read_gbps
                        : which == CEILING_COPY ? c->copy_gbps
                                                : c->shared_gbps;
}

static void record_uploads(struct record *out, const struct shot *shot)
{
    const struct problem *problem = &shot->worker->problem;
    out->h2d_ms = out->h2d_bytes = 0;
    for (size_t b = 0; b < problem->buffer_count; b++) {
        if (!problem->buffers[b].input || !is_named(&shot->variant, problem->buffers[b].name))
            continue;
        out->h2d_ms += shot->worker->device[b].upload_ms;
        out->h2d_bytes += (double)problem->buffers[b].bytes;
    }
}

static void record_module(struct record *out, const struct kept_module *module)
{
    const struct compiled *compiled = &module->compiled;
    out->compiler = mem_copy(compiled->compiler);
    out->compile_ms = compiled->ms;
    if (!compiled->diagnostic_count)
        return;
    static const char *const words[] = { "note", "warning", "error" };
    out->diagnostics = json_array();
    for (size_t d = 0; d < compiled->diagnostic_count; d++) {
        const struct diagnostic *diagnostic = &compiled->diagnostics[d];
        json_array_append_new(out->diagnostics,
                              json_pack("{s:s, s:i, s:i, s:s}", "severity", words[diagnostic->severity],
                                        "line", diagnostic->line, "column", diagnostic->column, "message",
                                        diagnostic->message));
    }
}

// ---- the run --------------------------------------------------------------------------------------------

static bool measure_and_check(struct shot *shot, struct record *out, struct error *error)
{
    double times[128];
    size_t count = 0;
    struct check check = { 0 };
    struct text where = { 0 };
    if (!measure(shot, times, &count, out, error))
        return false;
    record_times(out, times, count);
    record_uploads(out, shot);
    if (!check_answers(shot, &check, out, error))
        return false;
    find_owner(shot, &check, &where);
    record_check(out, &check, &shot->worker->problem, text_string(&where));
    text_free(&where);
    return true;
}

static bool run_shot(struct shot *shot, struct record *out, struct error *error)
{
    struct worker *worker = shot->worker;
    const struct request *request = shot->request;
    struct gpu_lock *lock = NULL;
    if (!variant_parse(&shot->variant, request->lab, request->file, request->source, error) ||
        !worker_gpu(worker, false, error))
        return false;
    char code[20];
    format_into(code, sizeof code, "%016llx", (unsigned long long)variant_code(&shot->variant));
    out->title = mem_copy(shot->variant.title);
    out->code = mem_copy(code);
    bool compiled = worker_module(worker, request->file, request->source, &shot->module, error);
    record_module(out, shot->module);
    if (!compiled || !worker_problem(worker, request, &shot->variant, error))
        return false;
    record_problem(out, worker, request);
    record_device(out, worker);
    open_scope(shot);
    bool suits;
    if (!needs_hold(shot, &suits, out, error))
        return false;
    if (!suits)
        return true;
    if (!gpu_lock_take(gpu_facts(worker->gpu)->uuid, worker_wait, worker, &lock, error))
        return false;
    bool done = place_buffers(shot, error) && place_scratch(shot, error) && pack_launches(shot, error);
    if (done) {
        record_resources(out, shot);
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
    for (size_t s = 0; shot->scratch && s < shot->variant.scratch_count; s++)
        gpu_free(worker->gpu, shot->scratch[s]);
    free(shot->scratch);
    variant_free(&shot->variant);
    free(shot);
    return done;
}
