// What a run or a show is about: a lab, one step of its ladder, or a kernel file that belongs to no lab; and what its
// flags ask for: the size, the data, the repeats and the limit.
#include "engine/cli/cli.h"

#include <string.h>

bool target_lab(const char *name, const struct lab **out, struct error *error)
{
    *out = lab_find(name);
    if (*out)
        return true;
    const char **names = array_room(NULL, 0, lab_count * sizeof *names);
    for (size_t i = 0; i < lab_count; i++)
        names[i] = lab_list[i]->name;
    const char *nearest = string_nearest(name, names, lab_count);
    free(names);
    if (nearest)
        return error_set(error, EXIT_USAGE, "There is no lab '%s'. Did you mean %s?", name, nearest);
    return error_set(error, EXIT_USAGE, "There is no lab '%s'. 'warpbook list' names them.", name);
}

static bool is_file(const char *text)
{
    return string_ends(text, ".cu") || string_ends(text, ".ptx") || string_starts(text, "./") ||
           string_starts(text, "/") || string_starts(text, "../");
}

static bool unknown_step(const struct target *target, const char *name, struct error *error)
{
    const char *names[64];
    size_t count = 0;
    for (size_t i = 0; i < target->ladder.count && count < 64; i++)
        names[count++] = strchr(target->ladder.variants[i].name, '-') + 1;
    for (size_t i = 0; i < target->lab->cpu_count && count < 64; i++)
        names[count++] = target->lab->cpu[i].name;
    const char *nearest = string_nearest(name, names, count);
    if (nearest)
        return error_set(error, EXIT_USAGE, "The lab %s has no step '%s'. Did you mean %s/%s?",
                         target->lab->name, name, target->lab->name, nearest);
    return error_set(error, EXIT_USAGE, "The lab %s has no step '%s'. 'warpbook list %s' names them.",
                     target->lab->name, name, target->lab->name);
}

bool target_read(const char *text, struct target *out, struct error *error)
{
    *out = (struct target){ 0 };
    if (is_file(text)) {
        if (!variant_read(&out->file, text, error))
            return false;
        out->variant = &out->file;
        return true;
    }
    char name[64];
    const char *slash = strchr(text, '/');
    format_into(name, sizeof name, "%.*s", slash ? (int)(slash - text) : (int)strlen(text), text);
    if (!target_lab(name, &out->lab, error) || !ladder_read(out->lab->name, &out->ladder, error))
        return false;
    if (!slash)
        return true;
    out->variant = ladder_find(&out->ladder, slash + 1);
    for (size_t i = 0; !out->variant && i < out->lab->cpu_count; i++)
        if (strcmp(out->lab->cpu[i].name, slash + 1) == 0)
            out->cpu = &out->lab->cpu[i];
    if (out->variant || out->cpu)
        return true;
    unknown_step(out, slash + 1, error);
    target_free(out);
    return false;
}

void target_free(struct target *target)
{
    ladder_free(&target->ladder);
    variant_free(&target->file);
}

// ---- the flags of a run ----------------------------------------------------------------------------------

static bool take_flag(const struct target *target, const char *flag, const char *value, struct request *out,
                      struct error *error)
{
    if (strcmp(flag, "--set") == 0)
        return request_set_param(out, target->lab, target->variant, value, error);
    if (strcmp(flag, "--size") == 0)
        return request_set_size(out, target->lab, value, error);
    if (strcmp(flag, "--memory") == 0)
        return request_set_memory(out, value, error);
    return strcmp(flag, "--data") != 0 || request_set_data(out, target->lab, value, error);
}

bool target_request(const struct target *target, const struct arguments *arguments, int limit_s,
                    struct request *out, struct error *error)
{
    long reps = 0, limit = limit_s;
    if (!arguments_number(arguments, "--reps", 1, REPS_MOST, &reps, error) ||
        !arguments_number(arguments, "--limit", 1, LIMIT_MOST_MS / 1000, &limit, error))
        return false;
    for (size_t i = 0; i < arguments->given_count; i++)
        if (!take_flag(target, arguments->given[i].flag, arguments->given[i].value, out, error))
            return false;
    out->lab = mem_copy_if(target->lab ? target->lab->name : NULL);
    out->reps = (int)reps;
    out->limit_ms = (int)limit * 1000;
    return true;
}
