// A kernel file in the simulator: compiled, its data in simulated memory, its launches packed; and opened for stepping, one
// launch after the other traced.
#include "engine/run/simulation.h"

#include <stdlib.h>
#include <string.h>

enum { SIM_TARGET = 90, SIM_SM_COUNT = 132 }; // what the PTX is made for; the H100's SMs, for grids that ask

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
    s->place_count++;
    if (input)
        memcpy(place->bytes, input, bytes);
    else
        memset(place->bytes, compare_poison(type), bytes);
    place->address = sim_memory_add(s->memory, name, place->bytes, bytes, type_size(type), role);
    return place->address || without_memory(name, bytes, error);
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
    }
    return true;
}

static bool place_scratch(struct sim_setup *s, struct error *error)
{
    for (size_t i = 0; i < s->variant.scratch_count; i++) {
        const struct declared *scratch = &s->variant.scratch[i];
        size_t bytes;
        if (!launch_scratch_bytes(&s->variant, scratch, &s->scope, &bytes, error) ||
            !add_place(s, scratch->name, scratch->type, bytes, NULL, SIM_SCRATCH, error))
            return false;
    }
    return true;
}

static bool find_placed(void *context, const char *name, struct placed *out)
{
    const struct sim_setup *s = context;
    for (size_t i = s->place_count; i-- > 0;) {
        if (strcmp(s->places[i].name, name) == 0) {
            *out = (struct placed){ s->places[i].address, s->places[i].type };
            return true;
        }
    }
    return false;
}

bool sim_setup_place(struct sim_setup *s, const struct problem *problem, struct error *error)
{
    s->memory = sim_memory_new();
    s->places = mem_new((problem->buffer_count + s->variant.scratch_count + 1) * sizeof *s->places);
    if (!s->memory)
        return error_set(error, EXIT_MISSING, "There is no memory for the simulator.");
    return place_buffers(s, problem, error) && place_scratch(s, error);
}

// ---- code ----------------------------------------------------------------------------------------------

bool sim_setup_parse(struct sim_setup *s, const struct request *request, struct error *error)
{
    s->request = request;
    return variant_parse(&s->variant, request->lab, request->file, request->source, error);
}

static bool compile_it(struct sim_setup *s, struct error *error)
{
    char *source = variant_source(&s->variant);
    struct compile_request wish = {
        .file = s->request->file, .source = source, .target = SIM_TARGET, .stop = s->stop
    };
    bool compiled =
        s->compile ? s->compile(s->context, &wish, &s->compiled, error) : compile(&wish, &s->compiled, error);
    free(source);
    return compiled;
}

bool sim_setup_compile(struct sim_setup *s, struct error *error)
{
    const struct request *request = s->request;
    struct sim_fault fault;
    if (string_ends(request->file, ".ptx"))
        s->compiled.ptx = mem_copy(request->source); // it is PTX already
    else if (!compile_it(s, error))
        return false;
    return sim_module_read_within(s->compiled.ptx, strlen(s->compiled.ptx), (size_t)request->memory_bytes,
                                  &s->module, &fault) ||
           launch_ptx_error(&s->variant, &fault, error);
}

void sim_setup_bind(struct sim_setup *s, const struct problem *problem)
{
    s->scope = launch_scope(problem, SIM_SM_COUNT, s->bindings);
}

// The simulator gets what the data leaves of the budget.
bool sim_setup_count(struct sim_setup *s, const struct problem *problem, double free, struct error *error)
{
    struct budget_need need = { 0 };
    size_t bytes;
    for (size_t b = 0; b < problem->buffer_count; b++)
        if (!can_hold(problem->buffers[b].name, problem->buffers[b].bytes, error))
            return false;
    for (size_t i = 0; i < s->variant.scratch_count; i++)
        if (!launch_scratch_bytes(&s->variant, &s->variant.scratch[i], &s->scope, &bytes, error) ||
            !can_hold(s->variant.scratch[i].name, bytes, error))
            return false;
    budget_add_problem(&need, problem, &s->variant, true);
    return budget_add_scratch(&need, &s->variant, &s->scope, error) &&
           budget_fits_simulation(&need, s->request, free, &s->memory_limit, error);
}

// ---- launches ------------------------------------------------------------------------------------------

bool sim_setup_pack(struct sim_setup *s, const struct launch *launch, struct packed_launch *packed,
                    struct sim_launch *out, struct error *error)
{
    *packed = (struct packed_launch){ 0 };
    const struct sim_kernels *kernels = sim_module_kernels(s->module);
    if (!launch_pack(packed, &s->variant, launch, kernels, &s->scope, find_placed, s, error))
        return false;
    *out = (struct sim_launch){ .kernel = (int)(packed->kernel - kernels->all),
                                .shared_bytes = packed->launch.shared_bytes,
                                .arguments = packed->arguments,
                                .argument_count = packed->kernel->parameter_count };
    memcpy(out->grid, packed->launch.grid, sizeof out->grid);
    memcpy(out->block, packed->launch.block, sizeof out->block);
    return true;
}

struct sim_options sim_setup_options(const struct sim_setup *s)
{
    const struct request *request = s->request;
    size_t module = sim_module_bytes(s->module), limit = s->memory_limit;
    return (struct sim_options){ .memory_limit = limit > module ? limit - module : 1,
                                 .check = (enum sim_check)request->check,
                                 .threads = request->threads,
                                 .seed = (uint64_t)request->seed,
                                 .limit_ms = request->limit_ms };
}

void sim_setup_free(struct sim_setup *s)
{
    for (size_t i = 0; i < s->place_count; i++)
        free(s->places[i].bytes);
    free(s->places);
    if (s->memory)
        sim_memory_free(s->memory);
    if (s->module)
        sim_module_free(s->module);
    compiled_free(&s->compiled);
    variant_free(&s->variant);
}

// ---- stepping ----------------------------------------------------------------------------------------

static bool suits(const struct stepper *stepper, struct error *error)
{
    struct record record;
    bool suited;
    record_init(&record);
    bool good = outcome_suits(&stepper->setup.variant, &stepper->setup.scope, &suited, &record, error);
    if (good && !suited)
        good = error_set(error, EXIT_USAGE, "This size does not suit the kernel: it %s.",
                         record.message ? record.message : "needs another one");
    record_free(&record);
    return good;
}

bool stepper_open(struct stepper *stepper, const struct request *request, struct error *error)
{
    struct sim_setup *setup = &stepper->setup;
    if (!sim_setup_parse(setup, request, error) ||
        !request_plan(request, &setup->variant, &stepper->problem, error))
        return false;
    sim_setup_bind(setup, &stepper->problem);
    struct memory_gauge *gauge = memory_gauge_open("");
    double free = memory_gauge_free(gauge);
    memory_gauge_close(gauge);
    if (!suits(stepper, error) || !sim_setup_count(setup, &stepper->problem, free, error) ||
        !sim_setup_compile(setup, error) || !problem_generate(&stepper->problem, &setup->variant, error) ||
        !sim_setup_place(setup, &stepper->problem, error))
        return false;
    if (!setup->variant.launch_count)
        return error_set(error, EXIT_USAGE, "%s has no launch line.", request->file);
    return stepper_launch(stepper, 0, error);
}

bool stepper_launch(struct stepper *stepper, size_t launch, struct error *error)
{
    const struct launch *line = &stepper->setup.variant.launches[launch];
    struct sim_launch what;
    struct sim_options options = sim_setup_options(&stepper->setup);
    struct sim_fault fault;
    sim_trace_close(stepper->trace);
    stepper->trace = NULL;
    stepper->launch = launch;
    if (!sim_setup_pack(&stepper->setup, line, &stepper->packed, &what, error))
        return false;
    if (!sim_trace_open(stepper->setup.module, stepper->setup.memory, &what, &options, &stepper->trace,
                        &fault))
        return error_at(error, &stepper->setup.variant.source, line->at, "%s", fault.text);
    return true;
}

bool stepper_ended(const struct stepper *stepper)
{
    struct sim_spot spot;
    sim_trace_where(stepper->trace, &spot);
    return spot.ended;
}

static bool is_complete(const struct stepper *stepper)
{
    struct sim_spot spot;
    sim_trace_where(stepper->trace, &spot);
    return spot.ended && !spot.stopped;
}

static bool is_last(const struct stepper *stepper)
{
    return stepper->launch + 1 >= stepper->setup.variant.launch_count;
}

bool stepper_goes_on(const struct stepper *stepper)
{
    return is_complete(stepper) && !is_last(stepper);
}

size_t stepper_findings(const struct stepper *stepper, struct sim_finding **out)
{
    struct sim_finding *late = NULL;
    size_t count = sim_trace_findings(stepper->trace, out), more = 0;
    if (is_last(stepper) && stepper->setup.request->check == REQUEST_CHECK_ALL && is_complete(stepper))
        more = sim_memory_never_written(stepper->setup.memory, &late);
    struct sim_finding *all = more ? realloc(*out, (count + more) * sizeof *all) : NULL;
    if (all) {
        memcpy(all + count, late, more * sizeof *all);
        *out = all;
        count += more;
    }
    free(late);
    return count;
}

void stepper_close(struct stepper *stepper)
{
    sim_trace_close(stepper->trace);
    sim_setup_free(&stepper->setup);
    problem_free(&stepper->problem);
    *stepper = (struct stepper){ 0 };
}
