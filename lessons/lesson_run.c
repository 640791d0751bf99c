// Runs that a lesson speaks of, written as `warpbook run` takes them.
#include "lessons/answer.h"

#include <stdlib.h>
#include <string.h>

// What may follow the step's name.
static const struct command flags_of_run = { .name = "run",
                                             .most = 1,
                                             .least = 1,
                                             .flags = { { "--on", "gpu|cpu|sim", NULL },
                                                        { "--size", "NAME", NULL },
                                                        { "--set", "NAME=VALUE", NULL },
                                                        { "--data", "NAME", NULL },
                                                        { "--reps", "N", NULL },
                                                        { "--limit", "SECONDS", NULL } } };

static bool find_variant(struct lesson_run *run, const struct lab *lab, const char *name, bool own,
                         struct error *error)
{
    struct ladder ladder;
    for (size_t i = 0; i < lab->cpu_count; i++)
        if (strcmp(lab->cpu[i].name, name) == 0)
            run->cpu = &lab->cpu[i];
    if (run->cpu)
        return true;
    if (!(own ? ladder_read : ladder_read_shipped)(lab->name, &ladder, error))
        return false;
    const struct variant *found = ladder_find(&ladder, name);
    bool read = found ? variant_read_lab(&run->variant, lab->name, found->path, error)
                      : error_set(error, EXIT_USAGE, "The lab %s has no step '%s'.", lab->name, name);
    ladder_free(&ladder);
    return read;
}

static enum backend backend_of(const struct lesson_run *run, const struct arguments *arguments)
{
    const char *on = arguments_value(arguments, "--on");
    if (run->cpu)
        return ON_CPU;
    return on && strcmp(on, "sim") == 0 ? ON_SIM : ON_GPU;
}

static bool take(struct lesson_run *out, const struct arguments *arguments, bool own, struct error *error)
{
    const char *place = arguments->operands[0], *slash = strchr(place, '/');
    struct target target = { 0 };
    struct request asked = { 0 };
    char name[64];
    format_into(name, sizeof name, "%.*s", (int)strcspn(place, "/"), place);
    bool sound = target_lab(name, &target.lab, error) &&
                 (slash || error_set(error, EXIT_USAGE, "'%s' names no step.", place)) &&
                 find_variant(out, target.lab, slash ? slash + 1 : "", own, error) &&
                 target_request(&target, arguments, 0, &asked, error);
    if (sound) {
        out->place = mem_copy(place);
        out->request = request_new(backend_of(out, arguments), name, out->cpu ? NULL : &out->variant,
                                   out->cpu, asked.preset, asked.data);
        out->request.reps = asked.reps;
        if (asked.limit_ms)
            out->request.limit_ms = asked.limit_ms;
        expr_params_copy(&out->request.params, &asked.params);
    }
    request_free(&asked);
    return sound;
}

bool lesson_run_read(struct lesson_run *out, const char *line, bool own, struct error *error)
{
    struct words words;
    struct arguments arguments;
    *out = (struct lesson_run){ 0 };
    if (!words_split(line, &words, error))
        return false;
    bool sound = arguments_read(&flags_of_run, (int)words.count, words.word, &arguments, error) &&
                 take(out, &arguments, own, error);
    words_free(&words);
    if (!sound)
        lesson_run_free(out);
    return sound;
}

void lesson_run_free(struct lesson_run *run)
{
    free(run->place);
    request_free(&run->request);
    variant_free(&run->variant);
    *run = (struct lesson_run){ 0 };
}
