// The simulator as a backend. A kernel file is compiled to PTX, its data laid out in simulated memory, its launches packed.
// A run executes them once and checks them like those of a GPU, with the counters and findings that only a simulator has;
// its times are the host's and are never a kernel's.
#include "engine/run/simulation.h"

#include "engine/run/modelled.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#ifdef _OPENMP
#include <omp.h>
#endif

enum { SIM_TARGET = 90 }; // what the PTX is made for

// Milliseconds: a launch may end so much after its limit; reading PTX and looking at the answers may take so long.
enum { AFTER_MS = 5000, READ_MS = COMPILER_MOST_MS + 35000, LOOK_MS = 60000 };

// A setup takes its steps in this order: the kernel file is parsed, the names that launch lines can use are bound, the data is
// counted against the budget, the code is compiled, the data is placed. setup_free frees what there is, also after a failure.

// ---- data ---------------------------------------------------------------------------------------------

static bool without_memory(const char *name, size_t bytes, struct error *error)
{
    return error_set(error, EXIT_MISSING, "There is no memory for %s (%.2f GiB).", name,
                     (double)bytes / (1 << 30));
}

static bool can_hold(const char *name, size_t bytes, struct error *error)
{
    return bytes < SIM_BUFFER_LIMIT ||
           error_set(error, EXIT_USAGE,
                     "%s would have %.2f GiB; in the simulator a buffer has less than %llu GiB. Choose a "
                     "smaller size.",
                     name, (double)bytes / (1 << 30), SIM_BUFFER_LIMIT >> 30);
}

static bool add_place(struct sim_setup *s, const char *name, struct type type, size_t bytes,
                      const void *input, enum sim_role role, struct error *error)
{
    struct sim_setup_buffer *place = &s->places[s->place_count];
    place->name = name;
    place->type = type;
    place->bytes = malloc(bytes ? bytes : 1);
    if (!place->bytes)
        return without_memory(name, bytes, error);
    place->size = bytes;
    s->place_count++;
    if (input)
        memcpy(place->bytes, input, bytes);
    else
        memset(place->bytes, compare_poison(type), bytes);
    place->address = sim_memory_add(s->memory, name, place->bytes, bytes, type_size(type), role);
    return place->address || without_memory(name, bytes, error);
}

// What a line of the file says of the elements that were placed last.
static void set_layout(struct sim_setup *s, const struct layout *layout)
{
    struct sim_setup_buffer *place = &s->places[s->place_count - 1];
    place->layout = layout;
    if (!layout->name)
        return;
    place->padding = mem_new(layout->bytes);
    memset(place->padding, 1, layout->bytes);
    for (size_t l = 0; l < layout->leaf_count; l++)
        memset(place->padding + layout->leaves[l].offset, 0, scalar_size(layout->leaves[l].scalar));
    sim_memory_padding(s->memory, place->address, place->padding);
}

static bool place_buffers(struct sim_setup *s, const struct problem *problem, struct error *error)
{
    static const enum sim_role roles[] = { SIM_IN, SIM_OUT, SIM_INOUT, SIM_SCRATCH };
    for (size_t b = 0; b < problem->buffer_count; b++) {
        const struct problem_buffer *buffer = &problem->buffers[b];
        enum sim_role role = roles[buffer->direction];
        if (role == SIM_INOUT && !buffer->input)
            role = SIM_OUT; // of a file that stands alone: a buffer line without a value is an output
        if (!add_place(s, buffer->name, buffer->type, buffer->bytes, buffer->input, role, error))
            return false;
        if (!problem->lab)
            set_layout(s, &s->variant.buffers[b].layout);
    }
    return true;
}

static bool place_scratch(struct sim_setup *s, struct error *error)
{
    for (size_t i = 0; i < s->variant.scratch_count; i++) {
        const struct declared *scratch = &s->variant.scratch[i];
        size_t bytes;
        if (!launch_declared_bytes(&s->variant, scratch, &s->scope, &bytes, error) ||
            !add_place(s, scratch->name, scratch->type, bytes, NULL, SIM_SCRATCH, error))
            return false;
        set_layout(s, &scratch->layout);
    }
    return true;
}

static const struct sim_setup_buffer *find_place(const struct sim_setup *s, const char *name)
{
    for (size_t i = s->place_count; i-- > 0;)
        if (strcmp(s->places[i].name, name) == 0)
            return &s->places[i];
    return NULL;
}

// The buffer itself holds the texels: what a surface writes is in it.
static bool place_textures(struct sim_setup *s, struct error *error)
{
    const struct variant *variant = &s->variant;
    s->handles = mem_new((variant->texture_count + 1) * sizeof *s->handles);
    for (size_t i = 0; i < variant->texture_count; i++) {
        const struct texture *texture = &variant->textures[i];
        const struct sim_setup_buffer *buffer = find_place(s, texture->buffer);
        struct sim_image image;
        if (!buffer)
            return error_at(error, &variant->source, texture->buffer_at, "there is no buffer %s",
                            texture->buffer);
        if (!texture_image(variant, texture, buffer, &s->scope, &image, error))
            return false;
        s->handles[i] = sim_image_add(s->memory, &image);
        if (!s->handles[i])
            return without_memory(texture->name, sizeof image, error);
    }
    return true;
}

static bool find_placed(void *context, const char *name, struct placed *out)
{
    const struct sim_setup *s = context;
    const struct texture *texture = variant_texture(&s->variant, name);
    if (texture) {
        *out = (struct placed){ .address = s->handles[texture - s->variant.textures], .handle = true };
        return true;
    }
    const struct sim_setup_buffer *place = find_place(s, name);
    if (place)
        *out = (struct placed){ .address = place->address, .type = place->type, .layout = place->layout };
    return place || given_value(&s->given, name, out);
}

static bool write_variable(void *context, const char *name, const void *bytes, size_t size, size_t *there,
                           struct error *error)
{
    const struct sim_setup *s = context;
    struct sim_module_variable variable = { 0 };
    (void)error;
    *there = sim_memory_variable(s->memory, s->module, name, &variable) ? variable.bytes : 0;
    if (*there == size)
        memcpy(variable.at, bytes, size);
    return true;
}

static bool place_given(struct sim_setup *s, struct error *error)
{
    return given_make(&s->given, &s->variant, &s->scope, find_placed, s, error) &&
           given_write(&s->given, &(struct symbol_writer){ s->compiled.ptx, write_variable, s }, error);
}

static bool setup_place(struct sim_setup *s, const struct problem *problem, struct error *error)
{
    s->memory = sim_memory_new();
    s->places = mem_new((problem->buffer_count + s->variant.scratch_count + 1) * sizeof *s->places);
    if (!s->memory)
        return error_set(error, EXIT_MISSING, "There is no memory for the simulator.");
    return place_buffers(s, problem, error) && place_scratch(s, error) && place_textures(s, error) &&
           place_given(s, error);
}

// ---- code ----------------------------------------------------------------------------------------------

static bool setup_parse(struct sim_setup *s, const struct request *request, struct error *error)
{
    s->request = request;
    return variant_parse(&s->variant, request->lab, request->file, request->source, error);
}

static bool compile_it(struct sim_setup *s, struct error *error)
{
    char *source = variant_source(&s->variant);
    struct compile_request wish = {
        .file = s->request->file, .source = source, .target = SIM_TARGET, .debug = s->debug, .stop = s->stop
    };
    wish.cubin = s->request->gpus != NULL; // whose registers and instructions the model counts
    bool compiled =
        s->compile ? s->compile(s->context, &wish, &s->compiled, error) : compile(&wish, &s->compiled, error);
    free(source);
    return compiled;
}

static bool setup_compile(struct sim_setup *s, struct error *error)
{
    const struct request *request = s->request;
    struct sim_fault fault;
    if (request->ptx)
        s->compiled.ptx = mem_copy(request->ptx);
    else if (string_ends(request->file, ".ptx"))
        s->compiled.ptx = mem_copy(request->source); // it is PTX already
    else if (!compile_it(s, error))
        return false;
    return sim_module_read_within(s->compiled.ptx, strlen(s->compiled.ptx), (size_t)request->memory_bytes,
                                  &s->module, &fault) ||
           launch_ptx_error(&s->variant, &fault, error);
}

static void setup_bind(struct sim_setup *s, const struct problem *problem)
{
    s->scope = launch_scope(problem, SIM_SM_COUNT, s->bindings);
}

// Here the launches are known. The simulator gets what the data leaves of the budget.
static bool setup_count(struct sim_setup *s, const struct problem *problem, double free, struct error *error)
{
    struct budget_need need = { 0 };
    size_t bytes;
    if (!variant_unroll(&s->variant, &s->scope, error))
        return false;
    for (size_t b = 0; b < problem->buffer_count; b++)
        if (!can_hold(problem->buffers[b].name, problem->buffers[b].bytes, error))
            return false;
    for (size_t i = 0; i < s->variant.scratch_count; i++)
        if (!launch_declared_bytes(&s->variant, &s->variant.scratch[i], &s->scope, &bytes, error) ||
            !can_hold(s->variant.scratch[i].name, bytes, error))
            return false;
    budget_add_problem(&need, problem, &s->variant, true);
    return budget_add_scratch(&need, &s->variant, &s->scope, error) &&
           budget_fits_simulation(&need, s->request, free, &s->memory_limit, error);
}

// ---- launches ------------------------------------------------------------------------------------------

bool setup_pack(struct sim_setup *s, const struct launch *launch, struct packed_launch *packed,
                struct sim_launch *out, struct error *error)
{
    *packed = (struct packed_launch){ 0 };
    const struct sim_kernels *kernels = sim_module_kernels(s->module);
    if (!launch_pack(packed, &s->variant, launch, kernels, &s->scope, find_placed, s, error))
        return false;
    *out = (struct sim_launch){ .kernel = (int)(packed->kernel - kernels->all),
                                .shared_bytes = packed->launch.shared_bytes,
                                .cooperative = packed->launch.cooperative,
                                .arguments = packed->arguments,
                                .argument_count = packed->kernel->parameter_count };
    memcpy(out->grid, packed->launch.grid, sizeof out->grid);
    memcpy(out->block, packed->launch.block, sizeof out->block);
    memcpy(out->cluster, packed->launch.cluster, sizeof out->cluster);
    return true;
}

struct sim_options setup_options(const struct sim_setup *s)
{
    const struct request *request = s->request;
    size_t module = sim_module_bytes(s->module), limit = s->memory_limit;
    return (struct sim_options){ .sample = request->gpus != NULL,
                                 .memory_limit = limit > module ? limit - module : 1,
                                 .check = (enum sim_check)request->check,
                                 .threads = request->threads,
                                 .seed = (uint64_t)request->seed,
                                 .limit_ms = request->limit_ms };
}

void setup_keep_for_model(const struct sim_setup *setup, struct modelled_launches *launches,
                          const struct packed_launch *packed, const struct sim_launch *what,
                          struct sim_result *one)
{
    const struct resources *resources = compiled_resources(&setup->compiled, packed->kernel->name);
    uint64_t blocks = (uint64_t)what->grid[0] * what->grid[1] * what->grid[2];
    int threads = (int)(what->block[0] * what->block[1] * what->block[2]);
    int fixed = resources && resources->shared_bytes > 0 ? resources->shared_bytes : 0;
    modelled_keep(launches, one, blocks, threads, resources ? resources->registers : -1,
                  fixed + (int)what->shared_bytes);
}

void setup_free(struct sim_setup *s)
{
    for (size_t i = 0; i < s->place_count; i++) {
        free(s->places[i].bytes);
        free(s->places[i].padding);
    }
    free(s->places);
    free(s->handles);
    given_free(&s->given);
    if (s->memory)
        sim_memory_free(s->memory);
    if (s->module)
        sim_module_free(s->module);
    compiled_free(&s->compiled);
    variant_free(&s->variant);
}

static bool suits(const struct sim_setup *setup, struct error *error)
{
    struct record record;
    bool suited;
    record_init(&record);
    bool good = outcome_suits(&setup->variant, &setup->scope, &suited, &record, error);
    if (good && !suited)
        good = error_set(error, EXIT_USAGE, "This size does not suit the kernel: it %s.",
                         record.message ? record.message : "needs another one");
    record_free(&record);
    return good;
}

bool setup_open(struct sim_setup *setup, const struct request *request, struct problem *problem,
                bool with_answers, struct error *error)
{
    if (!setup_parse(setup, request, error) || !request_plan(request, &setup->variant, problem, error))
        return false;
    setup_bind(setup, problem);
    struct memory_gauge *gauge = memory_gauge_open("");
    double free = memory_gauge_free(gauge);
    memory_gauge_close(gauge);
    if (!suits(setup, error) || !setup_count(setup, problem, free, error) || !setup_compile(setup, error) ||
        !(with_answers ? problem_fill : problem_generate)(problem, &setup->variant, error) ||
        !setup_place(setup, problem, error))
        return false;
    if (!setup->variant.launch_count)
        return error_set(error, EXIT_USAGE, "%s has no launch line.", request->file);
    return true;
}

// ---- the launches of a run ------------------------------------------------------------------------

struct simulation {
    struct worker *worker;
    const struct request *request;
    struct sim_setup setup;
    struct sim_result total;    // of all launches
    struct sim_output *outputs; // when everything is checked
    size_t output_count;
    size_t launched;                    // launches, with the one that was stopped
    struct modelled_launches *modelled; // NULL: the request names no GPU
    struct record *record;
    uint64_t most_inst; // of the launch that it describes
};

// Adds `from` to the array *to and frees it. False: no memory; what was there stays.
static bool join(void **to, size_t *to_count, void *from, size_t from_count, size_t item)
{
    char *all = realloc(*to, (*to_count + from_count + 1) * item);
    if (all && from_count)
        memcpy(all + *to_count * item, from, from_count * item);
    if (all) {
        *to = all;
        *to_count += from_count;
    }
    free(from);
    return all != NULL;
}

static bool join_findings(struct sim_result *total, struct sim_finding *findings, size_t count)
{
    void *all = total->findings;
    bool joined = join(&all, &total->finding_count, findings, count, sizeof *findings);
    total->findings = all;
    return joined;
}

// Adds what one launch left to the total, and leaves it empty.
static bool add_result(struct sim_result *total, struct sim_result *one)
{
    sim_counters_add(&total->counters, &one->counters);
    void *instructions = total->instructions;
    bool joined = join(&instructions, &total->instruction_count, one->instructions, one->instruction_count,
                       sizeof *one->instructions);
    total->instructions = instructions;
    size_t fresh =
        sim_findings_again(total->findings, total->finding_count, one->findings, one->finding_count);
    joined = join_findings(total, one->findings, fresh) && joined;
    struct text printed = { 0 };
    if (total->printed_lines)
        text_add(&printed, total->printed_lines);
    if (one->printed_lines)
        text_add(&printed, one->printed_lines);
    free(total->printed_lines);
    free(one->printed_lines);
    free(one->printed);
    total->printed_lines = printed.length ? text_take(&printed) : NULL;
    total->exec_ms += one->exec_ms;
    total->threads = one->threads;
    total->complete = one->complete;
    *one = (struct sim_result){ 0 };
    return joined;
}

// An output of the launches, and who wrote to it so far.
struct sim_output {
    char name[64];
    uint64_t elements, missing; // missing: those that no thread wrote
    uint64_t threads;           // of the launches that wrote some
    size_t launches, last;      // last: the one that wrote last, from 1
    int line;                   // of the launch that wrote first
    char words[80];             // "add<<<1, 256>>>"
};

static void add_dims(struct text *out, const unsigned dims[3])
{
    if (dims[1] == 1 && dims[2] == 1)
        text_addf(out, "%u", dims[0]);
    else if (dims[2] == 1)
        text_addf(out, "dim3(%u, %u)", dims[0], dims[1]);
    else
        text_addf(out, "dim3(%u, %u, %u)", dims[0], dims[1], dims[2]);
}

static void write_launch(const struct launch *launch, const struct sim_launch *what, char *out, size_t size)
{
    struct text words = { 0 };
    text_addf(&words, "%.40s<<<", launch->kernel);
    add_dims(&words, what->grid);
    text_add(&words, ", ");
    add_dims(&words, what->block);
    text_add(&words, ">>>");
    format_into(out, size, "%s", words.data);
    text_free(&words);
}

static const struct sim_finding *find_missing(const struct sim_finding *findings, size_t count,
                                              const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(findings[i].buffer, name) == 0)
            return &findings[i];
    return NULL;
}

// Before the first launch no output has been written.
static void find_outputs(struct simulation *s)
{
    struct sim_finding *missing;
    if (s->request->check != REQUEST_CHECK_ALL)
        return;
    s->output_count = sim_memory_never_written(s->setup.memory, &missing);
    s->outputs = mem_new((s->output_count + 1) * sizeof *s->outputs);
    for (size_t i = 0; i < s->output_count; i++) {
        struct sim_output *output = &s->outputs[i];
        output->elements = output->missing = missing[i].count;
        format_into(output->name, sizeof output->name, "%s", missing[i].buffer);
    }
    free(missing);
}

static void note_written(struct simulation *s, const struct launch *launch, const struct sim_launch *what)
{
    const unsigned *grid = what->grid, *block = what->block;
    struct sim_finding *missing;
    if (!s->output_count)
        return;
    size_t count = sim_memory_never_written(s->setup.memory, &missing);
    for (size_t i = 0; i < s->output_count; i++) {
        struct sim_output *output = &s->outputs[i];
        const struct sim_finding *left = find_missing(missing, count, output->name);
        uint64_t now = left ? left->count : 0;
        if (now == output->missing)
            continue;
        output->missing = now;
        output->last = s->launched;
        output->threads += (uint64_t)grid[0] * grid[1] * grid[2] * block[0] * block[1] * block[2];
        if (output->launches++ == 0) {
            write_launch(launch, what, output->words, sizeof output->words);
            output->line = text_line_of(s->setup.variant.source.text, launch->at);
        }
    }
    free(missing);
}

// Whether all of its threads wrote as many elements each, and there were not enough of them.
static bool has_too_few_threads(const struct sim_output *output)
{
    uint64_t written = output->elements - output->missing;
    return output->missing && output->threads && output->threads < output->elements && written &&
           written % output->threads == 0;
}

// The finding says so, and stands at the launch line.
static void blame_launch(const struct sim_output *output, bool is_ptx, struct sim_finding *out)
{
    struct text who = { 0 };
    if (output->launches == 1)
        text_addf(&who, "%s runs", output->words);
    else
        text_addf(&who, "%zu launches run", output->launches);
    format_into(out->sentence, sizeof out->sentence,
                "%s %llu thread%s, and %llu of the %llu elements of %s %s %s[%lld].", who.data,
                (unsigned long long)output->threads, output->threads == 1 ? "" : "s",
                (unsigned long long)output->missing, (unsigned long long)output->elements, output->name,
                output->missing == 1 ? "is never written:" : "are never written; the first is", output->name,
                (long long)out->element);
    *(is_ptx ? &out->here.ptx_line : &out->here.line) = output->launches == 1 ? output->line : 0;
    text_free(&who);
}

static const struct sim_output *find_output(const struct simulation *s, const char *name)
{
    for (size_t i = 0; i < s->output_count; i++)
        if (strcmp(s->outputs[i].name, name) == 0)
            return &s->outputs[i];
    return NULL;
}

// What no thread wrote. Where the launch is too small for an output, that is the cause of whatever else is found, and
// comes first. Where a launch was stopped, nothing else is said of what it, or another one after it, might have written.
static bool join_missing(struct sim_result *total, const struct simulation *s)
{
    struct sim_finding *missing, *all = total->findings;
    size_t count = sim_memory_never_written(s->setup.memory, &missing), all_count = total->finding_count;
    struct sim_finding *late = mem_new((count + 1) * sizeof *late);
    size_t first_count = 0, late_count = 0;
    bool all_came = s->launched == s->setup.variant.launch_count;
    for (size_t i = 0; i < count; i++) {
        const struct sim_output *output = find_output(s, missing[i].buffer);
        bool is_final = total->complete || (all_came && output && output->last < s->launched);
        if (is_final && output && has_too_few_threads(output)) {
            blame_launch(output, string_ends(s->request->file, ".ptx"), &missing[i]);
            missing[first_count++] = missing[i];
        } else if (total->complete) {
            late[late_count++] = missing[i];
        }
    }
    total->findings = missing;
    total->finding_count = first_count;
    bool joined = join_findings(total, all, all_count);
    return join_findings(total, late, late_count) && joined;
}

static bool without_results(struct error *error)
{
    return error_set(error, EXIT_MISSING,
                     "There is not enough memory for what the launches left: their counters and findings.");
}

// The record describes the launch with the most instructions; `one` is its result.
static void note_launch(struct simulation *s, const struct launch *launch, const struct sim_launch *what,
                        const struct resources *r, const struct sim_result *one)
{
    if (s->launched && one->counters.warp_inst <= s->most_inst)
        return;
    s->most_inst = one->counters.warp_inst;
    record_launched(s->record, &(struct launched){ .kernel = launch->spelled,
                                                   .launches = s->setup.variant.launch_count,
                                                   .grid = what->grid,
                                                   .block = what->block,
                                                   .shared_more = what->shared_bytes,
                                                   .registers = r ? r->registers : -1,
                                                   .shared = r ? r->shared_bytes : -1,
                                                   .spills = r ? r->spill_bytes : -1 });
}

static bool launch_one(struct simulation *s, const struct launch *launch, struct error *error)
{
    struct packed_launch packed;
    struct sim_launch what;
    struct sim_result one = { 0 };
    struct sim_fault fault;
    struct sim_options options = setup_options(&s->setup);
    if (!setup_pack(&s->setup, launch, &packed, &what, error))
        return false;
    if (!sim_run(s->setup.module, s->setup.memory, &what, &options, &one, &fault))
        return error_at(error, &s->setup.variant.source, launch->at, "%s", fault.text);
    note_launch(s, launch, &what, compiled_resources(&s->setup.compiled, packed.kernel->name), &one);
    s->launched++;
    if (s->modelled)
        setup_keep_for_model(&s->setup, s->modelled, &packed, &what, &one);
    note_written(s, launch, &what);
    return add_result(&s->total, &one) || without_results(error);
}

// Threads that have made the inputs go on looking for work for some milliseconds, on the cores that a launch needs.
static void rest_threads(void)
{
#ifdef _OPENMP
    (void)omp_pause_resource_all(omp_pause_soft); // cannot: then the launch is slower
#endif
}

// Each launch may take the whole limit.
static bool launch_all(struct simulation *s, struct error *error)
{
    s->total.complete = true;
    rest_threads();
    find_outputs(s);
    for (size_t l = 0; l < s->setup.variant.launch_count && s->total.complete; l++) {
        worker_stage(s->worker, SIM_LIMITS * s->request->limit_ms + AFTER_MS, "simulating");
        if (!launch_one(s, &s->setup.variant.launches[l], error))
            return false;
    }
    return s->request->check != REQUEST_CHECK_ALL || join_missing(&s->total, s) || without_results(error);
}

// ---- the record -------------------------------------------------------------------------------------------

static void check_answers(const struct simulation *s, struct record *out)
{
    const struct problem *problem = &s->worker->problem;
    struct compare_result check = { 0 };
    struct text where = { 0 };
    for (size_t b = 0; b < problem->buffer_count; b++) {
        struct problem_buffer as = compare_as(&problem->buffers[b], &s->setup.variant);
        if (as.want)
            compare_piece(&check, &as, s->setup.places[b].bytes, 0, as.bytes);
    }
    compare_owner(&check, &s->setup.variant, &s->setup.scope, &where);
    record_check(out, &check, problem, text_string(&where));
    text_free(&where);
}

static void record_digests(const struct simulation *s, struct record *out)
{
    const struct problem *problem = &s->worker->problem;
    out->digests = mem_new((problem->buffer_count + 1) * sizeof *out->digests);
    for (size_t b = 0; b < problem->buffer_count; b++)
        out->digests[out->digest_count++] =
            (struct record_digest){ mem_copy(problem->buffers[b].name),
                                    hash_more(DIGEST_BASIS, s->setup.places[b].bytes,
                                              problem->buffers[b].bytes) };
}

static int by_index(const void *left, const void *right)
{
    const struct sim_line *const *x = left, *const *y = right;
    return ((*x)->index > (*y)->index) - ((*x)->index < (*y)->index);
}

static void append(struct instructions *out, const struct sim_line *line)
{
    struct instruction *item = &out->items[out->count++];
    *item = (struct instruction){ .ptx_line = line->ptx_line,
                                  .line = line->line,
                                  .text = text_clean(line->text), // it may be a user's PTX
                                  .counters = line->counters };
}

void record_instructions_of(struct instructions *out, const struct sim_result *result)
{
    const size_t count = result->instruction_count;
    const struct sim_line **order = mem_new((count + 1) * sizeof *order);
    *out = (struct instructions){ .items = mem_new((count + 1) * sizeof *out->items) };
    for (size_t i = 0; i < count; i++)
        order[i] = &result->instructions[i];
    qsort(order, count, sizeof *order, by_index);
    for (size_t i = 0; i < count; i++) {
        if (i && order[i]->index == order[i - 1]->index) // of another launch
            sim_counters_add(&out->items[out->count - 1].counters, &order[i]->counters);
        else
            append(out, order[i]);
    }
    free(order);
}

static void record_instructions(const struct sim_result *total, struct record *out)
{
    if (total->instruction_count > RECORD_ROWS)
        return;
    out->instructions = mem_new(sizeof *out->instructions);
    record_instructions_of(out->instructions, total);
}

static void record_lines(const struct sim_result *total, struct record *out)
{
    struct sim_line *lines;
    size_t count = sim_result_lines(total, &lines);
    if (count <= RECORD_ROWS) {
        out->lines = mem_new((count + 1) * sizeof *out->lines);
        for (size_t i = 0; i < count; i++) {
            out->lines[i].line = lines[i].line;
            record_count(&out->lines[i].counters, &lines[i].counters);
        }
        out->line_count = count;
    }
    free(lines);
}

// The record takes the findings over.
static void record_findings(const struct variant *variant, struct sim_result *total, struct record *out)
{
    findings_in_source(variant, total->findings, total->finding_count);

    out->findings = total->findings ? total->findings : mem_new(sizeof *out->findings);
    out->finding_count = total->finding_count;
    total->findings = NULL;
    total->finding_count = 0;
}

static void record_simulation(struct simulation *s, struct record *out)
{
    struct sim_result *total = &s->total;
    check_answers(s, out);
    record_digests(s, out);
    out->exec_ms = total->exec_ms;
    out->threads = total->threads;
    if (total->printed_lines)
        out->printed = text_clean(total->printed_lines);
    record_findings(&s->setup.variant, total, out);
    if (s->request->check == REQUEST_CHECK_NONE)
        return;
    out->warp_inst = (double)total->counters.warp_inst;
    out->thread_inst = (double)total->counters.thread_inst;
    out->counters = mem_new(sizeof *out->counters);
    record_count(out->counters, &total->counters);
    record_lines(total, out);
    if (s->request->instructions)
        record_instructions(total, out);
    if (s->modelled)
        modelled_fill(s->modelled, s->setup.module, &s->setup.compiled, s->request, out);
}

// ---- the run ------------------------------------------------------------------------------------------------

static bool compile_stage(struct simulation *s, struct record *out, struct error *error)
{
    bool is_ptx = string_ends(s->request->file, ".ptx");
    bool compiles = !is_ptx && !s->request->ptx;
    worker_stage(s->worker, READ_MS, compiles ? "compiling" : "reading the PTX");
    bool compiled = setup_compile(&s->setup, error);
    if (compiles)
        record_compiled(out, &s->setup.compiled);
    return compiled;
}

static bool simulate(struct simulation *s, struct record *out, struct error *error)
{
    const struct request *request = s->request;
    const struct problem *problem = &s->worker->problem;
    bool suits;
    if (!setup_parse(&s->setup, request, error))
        return false;
    out->title = mem_copy(s->setup.variant.title);
    if (!worker_plan(s->worker, request, &s->setup.variant, error))
        return false;
    record_problem(out, s->worker, request);
    setup_bind(&s->setup, problem);
    if (!outcome_suits(&s->setup.variant, &s->setup.scope, &suits, out, error))
        return false;
    if (!suits)
        return true;
    if (!setup_count(&s->setup, problem, worker_free_bytes(s->worker), error) ||
        !compile_stage(s, out, error) || !worker_fill(s->worker, &s->setup.variant, error) ||
        !setup_place(&s->setup, problem, error) || !launch_all(s, error))
        return false;
    worker_stage(s->worker, LOOK_MS, "checking the answers");
    record_simulation(s, out);
    return true;
}

bool run_on_sim(struct worker *worker, const struct request *request, struct record *out, struct error *error)
{
    struct simulation *s = mem_new(sizeof *s);
    s->worker = worker;
    s->request = request;
    s->record = out;
    s->setup.compile = worker_compile;
    s->setup.context = worker;
    s->modelled = request->gpus ? modelled_start() : NULL;
    bool done = simulate(s, out, error);
    modelled_free(s->modelled);
    sim_result_free(&s->total);
    setup_free(&s->setup);
    free(s->outputs);
    free(s);
    return done;
}
