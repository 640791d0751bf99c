// One run that is asked for, and the flags that change it.
#include "engine/run/run.h"

#include <stdlib.h>
#include <string.h>

const char *request_preset(const struct request *request)
{
    if (request->preset)
        return request->preset;
    return request->on == ON_SIM ? "small" : "full";
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
    char *const texts[] = { request->lab, request->variant, request->file, request->source,
                            request->ptx, request->preset,  request->data };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        free(texts[i]);
    expr_params_free(&request->params);
    json_decref(request->gpus);
    json_decref(request->profile);
    *request = (struct request){ 0 };
}

// ---- flags -------------------------------------------------------------------------------------------

// --set, --size, --data and --memory: one reading for the command line, the pages and the lessons' check lines.

// Whether `name` is one of the lab's names, which end with a NULL or with their room.
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
