// What a run or a show is about: a lab, one step of its ladder, or a kernel file that stands alone.
#include "tui/tui.h"

#include <string.h>

bool lab_of(const char *name, const struct lab **out, struct error *error)
{
    const char *names[32];
    size_t count = 0;
    *out = lab_find(name);
    if (*out)
        return true;
    for (; count < lab_count && count < 32; count++)
        names[count] = lab_list[count]->name;
    const char *nearest = string_nearest(name, names, count);
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
    if (!lab_of(name, &out->lab, error) || !ladder_read(out->lab->name, &out->ladder, error))
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
