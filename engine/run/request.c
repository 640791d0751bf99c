// One run that is asked for, its form in the protocol, and the flags that change it.
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

// ---- flags -------------------------------------------------------------------------------------------

// --set, --size, --data and --memory: one reading for the command line, the pages and the lessons' check lines.

// Whether the lab names it; the names end with a NULL, or with their room.
static bool is_named(const struct lab *lab, const char *what, const char *const *names, size_t room,
                     const char *name, struct error *error)
{
    struct text all = { 0 };
    bool found = false;
    for (size_t i = 0; i < room && names[i]; i++) {
        found = found || strcmp(names[i], name) == 0;
        text_addf(&all, "%s%s", i ? ", " : "", names[i]);
    }
    if (!found)
        error_set(error, EXIT_USAGE, "The lab %s has no %s '%s'; it has %s.", lab->name, what, name,
                  text_string(&all));
    text_free(&all);
    return found;
}

static void replace(char **text, const char *with)
{
    free(*text);
    *text = mem_copy(with);
}

bool request_set_size(struct request *request, const struct lab *lab, const char *name, struct error *error)
{
    const char *names[LAB_PRESETS] = { NULL };
    if (!lab)
        return error_set(error, EXIT_USAGE,
                         "--size belongs to labs; a file has its own: use --set NAME=VALUE.");
    for (size_t i = 0; i < LAB_PRESETS; i++)
        names[i] = lab->presets[i].name;
    if (!is_named(lab, "size", names, LAB_PRESETS, name, error))
        return false;
    replace(&request->preset, name);
    return true;
}

bool request_set_memory(struct request *request, const char *size, struct error *error)
{
    static const char units[] = "kmgt";
    char *end;
    double bytes = strtod(size, &end);
    const char *unit = *end ? strchr(units, *end | 0x20) : NULL;
    for (ptrdiff_t power = unit ? unit - units + 1 : 0; power > 0; power--)
        bytes *= 1024;
    const char *rest = unit ? end + 1 : end;
    bool known = end != size && (!*rest || strcmp(rest, "B") == 0 || strcmp(rest, "iB") == 0);
    if (!known || !(bytes >= MEMORY_LEAST) || bytes > (double)MEMORY_MOST)
        return error_set(error, EXIT_USAGE,
                         "--memory takes a size from 1M to 64T, such as 512M or 8G, not '%s'.", size);
    request->memory_bytes = (int64_t)bytes;
    return true;
}

bool request_set_data(struct request *request, const struct lab *lab, const char *name, struct error *error)
{
    if (!lab)
        return error_set(error, EXIT_USAGE, "--data belongs to labs; a file has its own buffer lines.");
    if (!is_named(lab, "data", lab->data, LAB_DATA, name, error))
        return false;
    replace(&request->data, name);
    return true;
}

static bool has_param(const struct lab *lab, const struct variant *file, const char *name,
                      struct error *error)
{
    if (lab)
        return is_named(lab, "parameter", lab->params, LAB_PARAMS, name, error);
    for (size_t i = 0; file && i < file->param_count; i++)
        if (strcmp(file->params[i].name, name) == 0)
            return true;
    return !file || error_set(error, EXIT_USAGE,
                              "%s has no parameter '%s'. Its //@ param lines declare its parameters.",
                              file->path, name);
}

bool request_set_param(struct request *request, const struct lab *lab, const struct variant *file,
                       const char *setting, struct error *error)
{
    const char *equals = strchr(setting, '=');
    const struct expr_scope nothing = { 0 };
    struct error why;
    if (!equals || equals == setting || !equals[1])
        return error_set(error, EXIT_USAGE, "--set takes NAME=VALUE, such as n=1000000, not '%s'.", setting);
    if (request->params.count == EXPR_PARAMS)
        return error_set(error, EXIT_USAGE, "There are too many --set.");
    char *name = mem_copy_n(setting, (size_t)(equals - setting));
    struct expr_value value;
    bool set =
        has_param(lab, file, name, error) &&
        (expr_eval_text(equals + 1, &nothing, &value, &why) ||
         error_set(error, EXIT_USAGE, "--set %s: the value is not a number.\n%s", setting, why.text)) &&
        expr_params_add(&request->params, name, value);
    free(name);
    return set;
}
