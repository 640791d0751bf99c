// Runs that a lesson speaks of, written as `warpbook run` takes them.
#include "tui/view/live.h"

#include <stdlib.h>
#include <string.h>

static bool find_variant(struct trial *trial, const struct lab *lab, const char *name, bool own,
                         struct error *error)
{
    struct ladder ladder;
    for (size_t i = 0; i < lab->cpu_count; i++)
        if (strcmp(lab->cpu[i].name, name) == 0)
            trial->cpu = &lab->cpu[i];
    if (trial->cpu)
        return true;
    if (!(own ? ladder_read : ladder_read_shipped)(lab->name, &ladder, error))
        return false;
    const struct variant *found = ladder_find(&ladder, name);
    bool read = found ? variant_read_lab(&trial->variant, lab->name, found->path, error)
                      : error_set(error, EXIT_USAGE, "The lab %s has no step '%s'.", lab->name, name);
    ladder_free(&ladder);
    return read;
}

static enum backend backend_of(const struct trial *trial, const struct arguments *arguments)
{
    const char *on = arguments_value(arguments, "--on");
    if (trial->cpu)
        return ON_CPU;
    return on && strcmp(on, "sim") == 0 ? ON_SIM : ON_GPU;
}

static bool take(struct trial *out, const struct arguments *arguments, bool own, struct error *error)
{
    const char *place = arguments->operands[0], *slash = strchr(place, '/');
    struct target target = { 0 };
    struct request wish = { 0 };
    char name[64];
    format_into(name, sizeof name, "%.*s", (int)strcspn(place, "/"), place);
    bool sound = lab_of(name, &target.lab, error) &&
                 (slash || error_set(error, EXIT_USAGE, "'%s' names no step.", place)) &&
                 find_variant(out, target.lab, slash ? slash + 1 : "", own, error) &&
                 wish_read(arguments, &target, 0, &wish, error);
    if (sound) {
        out->place = mem_copy(place);
        out->request = runs_request(backend_of(out, arguments), name, out->cpu ? NULL : &out->variant,
                                    out->cpu, wish.preset, wish.data);
        out->request.reps = wish.reps;
        if (wish.limit_ms)
            out->request.limit_ms = wish.limit_ms;
        expr_params_copy(&out->request.params, &wish.params);
    }
    request_free(&wish);
    return sound;
}

bool trial_read(struct trial *out, const char *run, bool own, struct error *error)
{
    struct words words;
    struct arguments arguments;
    *out = (struct trial){ 0 };
    if (!words_split(run, &words, error))
        return false;
    bool sound = arguments_read(command_find("run"), (int)words.count, words.word, &arguments, error) &&
                 take(out, &arguments, own, error);
    words_free(&words);
    if (!sound)
        trial_free(out);
    return sound;
}

void trial_free(struct trial *trial)
{
    free(trial->place);
    request_free(&trial->request);
    variant_free(&trial->variant);
    *trial = (struct trial){ 0 };
}

static struct request request_of(const struct trial *trial, bool simulate)
{
    const struct request *wish = &trial->request;
    struct request request =
        runs_request(simulate ? ON_SIM : wish->on, wish->lab, trial->cpu ? NULL : &trial->variant, trial->cpu,
                     wish->preset, wish->data);
    request.reps = wish->reps;
    if (!simulate)
        request.limit_ms = wish->limit_ms;
    expr_params_copy(&request.params, &wish->params);
    return request;
}

void trial_start(struct app *app, const struct trial *trial, bool simulate)
{
    struct request request = request_of(trial, simulate);
    runs_start(app, &request);
}

// What came out of another text under the same name is no answer.
const struct run_result *trial_result(struct app *app, const struct trial *trial, bool simulate)
{
    struct request request = request_of(trial, simulate);
    const struct run_result *result = runs_find(app, &request, trial->cpu ? NULL : &trial->variant);
    request_free(&request);
    if (result && !trial->cpu && result->code && result->code != variant_code(&trial->variant))
        return NULL;
    return result;
}

enum run_state trial_state(struct app *app, const struct trial *trial, bool simulate)
{
    struct request request = request_of(trial, simulate);
    enum run_state state = runs_state(app, &request);
    request_free(&request);
    return state;
}
