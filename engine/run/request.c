// One run that somebody asks for, and its form in the protocol.
#include "engine/run/run.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static const char *const backend_names[] = { "cpu", "gpu", "sim" };
static const char *const check_names[] = { "none", "counters", "all" };

const char *request_preset(const struct request *request)
{
    if (request->preset)
        return request->preset;
    return request->on == ON_SIM ? "small" : "full";
}

// The index of `name` among three names; -1: none of them.
static int index_of(const char *const names[3], const char *name)
{
    for (int i = 0; i < 3; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    return -1;
}

struct request request_new(enum backend on, const char *lab, const struct variant *variant,
                           const struct cpu_variant *cpu, const char *preset, const char *data)
{
    enum { GPU_LIMIT_MS = 10000, SIM_LIMIT_MS = 60000 };
    struct request request = { .on = on, .check = REQUEST_CHECK_ALL };
    request.limit_ms = on == ON_SIM ? SIM_LIMIT_MS : GPU_LIMIT_MS;
    request.lab = mem_copy_if(lab);
    request.variant = mem_copy(variant ? variant->name : cpu ? cpu->name : "");
    if (variant) {
        request.file = mem_copy(variant->path);
        request.source = mem_copy(variant->text);
    }
    request.preset = mem_copy_if(preset);
    request.data = mem_copy_if(data);
    return request;
}

void request_free(struct request *request)
{
    char *const texts[] = { request->lab,    request->variant, request->file,
                            request->source, request->preset,  request->data };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        free(texts[i]);
    expr_params_free(&request->params);
    *request = (struct request){ 0 };
}

json_t *request_to_json(const struct request *request)
{
    json_t *params = json_object();
    for (size_t i = 0; i < request->params.count; i++) {
        const struct expr_value *value = &request->params.bindings[i].value;
        json_object_set_new(params, request->params.bindings[i].name,
                            value->real ? json_real(value->r) : json_integer(value->i));
    }
    return json_pack("{s:s, s:s*, s:s*, s:s*, s:s*, s:s*, s:s*, s:o, s:i, s:i, s:s, s:i, s:i, s:I, s:b}",
                     "on", backend_name(request->on), "lab", request->lab, "variant", request->variant,
                     "file", request->file, "source", request->source, "preset", request->preset, "data",
                     request->data, "params", params, "reps", request->reps, "limit_ms", request->limit_ms,
                     "check", check_names[request->check], "threads", request->threads, "seed", request->seed,
                     "memory_bytes", (json_int_t)request->memory_bytes, "instructions",
                     request->instructions);
}

static bool take_params(struct request *out, json_t *params, struct error *error)
{
    const char *name;
    json_t *value;
    json_object_foreach(params, name, value)
    {
        if (!json_is_number(value))
            return error_set(error, EXIT_USAGE, "The request's parameter %s is not a number.", name);
        struct expr_value number = json_is_integer(value) ? value_int(json_integer_value(value))
                                                          : value_real(json_real_value(value));
        if (!expr_params_add(&out->params, name, number))
            return error_set(error, EXIT_USAGE, "The request has too many parameters.");
    }
    return true;
}

// The request's whole numbers, which come from outside.
struct request_numbers {
    json_int_t reps, limit_ms, threads, seed, memory_bytes;
};

static bool take_numbers(struct request *out, const struct request_numbers *numbers, struct error *error)
{
    if (numbers->reps < 0 || numbers->reps > REPS_MOST)
        return error_set(error, EXIT_USAGE, "The request asks for %lld repeats; it may be 0 to %d.",
                         (long long)numbers->reps, REPS_MOST);
    if (numbers->limit_ms < 0 || numbers->limit_ms > LIMIT_MOST_MS)
        return error_set(error, EXIT_USAGE, "The request's limit_ms is %lld; it may be 0 to %d.",
                         (long long)numbers->limit_ms, LIMIT_MOST_MS);
    if (numbers->threads < 0 || numbers->threads > THREADS_MOST)
        return error_set(error, EXIT_USAGE, "The request asks for %lld threads; it may be 0 to %d.",
                         (long long)numbers->threads, THREADS_MOST);
    if (numbers->seed < 0 || numbers->seed > INT_MAX)
        return error_set(error, EXIT_USAGE, "The request's seed is %lld; it may be 0 to %d.",
                         (long long)numbers->seed, INT_MAX);
    if (numbers->memory_bytes &&
        (numbers->memory_bytes < MEMORY_LEAST || numbers->memory_bytes > MEMORY_MOST))
        return error_set(error, EXIT_USAGE, "The request's memory_bytes is %lld; it may be 0, or %d to %lld.",
                         (long long)numbers->memory_bytes, MEMORY_LEAST, (long long)MEMORY_MOST);
    out->memory_bytes = numbers->memory_bytes;
    out->reps = (int)numbers->reps;
    out->limit_ms = (int)numbers->limit_ms;
    out->threads = (int)numbers->threads;
    out->seed = (int)numbers->seed;
    return true;
}

bool request_from_json(struct request *out, const json_t *json, struct error *error)
{
    const char *on = NULL, *lab = NULL, *variant = NULL, *file = NULL, *source = NULL, *preset = NULL,
               *data = NULL, *check = "all";
    json_t *params = NULL;
    struct request_numbers numbers = { 0 };
    int instructions = 0;
    json_error_t why;
    *out = (struct request){ 0 };
    int unpacked =
        json_unpack_ex((json_t *)json, &why, 0,
                       "{s:s, s?s, s?s, s?s, s?s, s?s, s?s, s?o, s?I, s?I, s?s, s?I, s?I, s?I, s?b}", "on",
                       &on, "lab", &lab, "variant", &variant, "file", &file, "source", &source, "preset",
                       &preset, "data", &data, "params", &params, "reps", &numbers.reps, "limit_ms",
                       &numbers.limit_ms, "check", &check, "threads", &numbers.threads, "seed", &numbers.seed,
                       "memory_bytes", &numbers.memory_bytes, "instructions", &instructions);
    if (unpacked != 0)
        return error_set(error, EXIT_USAGE, "The request is not complete: %s.", why.text);
    int backend = index_of(backend_names, on), checked = index_of(check_names, check);
    if (backend < 0)
        return error_set(error, EXIT_USAGE,
                         "The request asks for the backend '%s'; there are cpu, gpu and sim.", on);
    if (checked < 0)
        return error_set(error, EXIT_USAGE, "The request's check is '%s'; there are none, counters and all.",
                         check);
    out->on = (enum backend)backend;
    out->check = (enum request_check)checked;
    out->instructions = instructions;
    if (params && !json_is_object(params))
        return error_set(error, EXIT_USAGE, "The request's params are not an object of numbers.");
    if (!take_numbers(out, &numbers, error))
        return false;
    if (out->on != ON_CPU && !source)
        return error_set(error, EXIT_USAGE, "The request asks for a kernel's run without its source.");
    if (out->on == ON_CPU && (!lab || !variant))
        return error_set(error, EXIT_USAGE,
                         "The request asks for a CPU run without a lab and an implementation.");
    out->lab = mem_copy_if(lab);
    out->variant = mem_copy_if(variant);
    out->file = mem_copy(file ? file : "kernel.cu");
    out->source = mem_copy_if(source);
    out->preset = mem_copy_if(preset);
    out->data = mem_copy_if(data);
    if (!take_params(out, params, error)) {
        request_free(out);
        return false;
    }
    return true;
}
