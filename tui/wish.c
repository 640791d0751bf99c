// What the flags wish of a run: its size, its data, its repeats and its limit.
#include "tui/tui.h"

#include <string.h>

struct wishing {
    const struct arguments *arguments;
    const struct target *target;
    struct request *wish;
};

// A value is an expression, so that 1<<20 can be written as people think it.
static bool take_param(struct wishing *w, const char *setting, struct error *error)
{
    const char *equals = strchr(setting, '=');
    const struct lab *lab = w->target->lab;
    struct binding *param = &w->wish->params[w->wish->param_count];
    struct scope nothing = { 0 };
    struct error why;
    if (!equals || equals == setting || !equals[1])
        return error_set(error, EXIT_USAGE, "--set takes NAME=VALUE, such as n=1000000, not '%s'.", setting);
    if (w->wish->param_count == sizeof w->wish->params / sizeof *w->wish->params)
        return error_set(error, EXIT_USAGE, "There are too many --set.");
    char *name = mem_copy_n(setting, (size_t)(equals - setting));
    param->name = name;
    w->wish->param_count++;
    if (lab && lab_param_index(lab, name) < 0) {
        struct text names = { 0 };
        for (int i = 0; i < LAB_PARAMS && lab->params[i]; i++)
            text_addf(&names, "%s%s", i ? ", " : "", lab->params[i]);
        error_set(error, EXIT_USAGE, "The lab %s has no parameter '%s'; it has %s.", lab->name, name,
                  names.data);
        text_free(&names);
        return false;
    }
    if (!expr_eval_text(equals + 1, &nothing, &param->value, &why))
        return error_set(error, EXIT_USAGE, "--set %s: the value is not a number.\n%s", setting, why.text);
    return true;
}

static bool take_preset(struct wishing *w, struct error *error)
{
    const char *size = arguments_value(w->arguments, "--size");
    const struct lab *lab = w->target->lab;
    if (!size)
        return true;
    if (!lab)
        return error_set(error, EXIT_USAGE,
                         "--size belongs to labs; a file has its own: use --set NAME=VALUE.");
    if (!lab_preset_find(lab, size)) {
        struct text names = { 0 };
        for (int p = 0; p < LAB_PRESETS && lab->presets[p].name; p++)
            text_addf(&names, "%s%s", p ? ", " : "", lab->presets[p].name);
        error_set(error, EXIT_USAGE, "The lab %s has no size '%s'; it has %s.", lab->name, size, names.data);
        text_free(&names);
        return false;
    }
    w->wish->preset = mem_copy(size);
    return true;
}

static bool take_data(struct wishing *w, struct error *error)
{
    const char *data = arguments_value(w->arguments, "--data");
    const struct lab *lab = w->target->lab;
    if (!data)
        return true;
    struct text names = { 0 };
    for (int d = 0; lab && d < LAB_DATA && lab->data[d]; d++) {
        if (strcmp(lab->data[d], data) == 0)
            w->wish->data = mem_copy(data);
        text_addf(&names, "%s%s", d ? ", " : "", lab->data[d]);
    }
    if (!w->wish->data && lab)
        error_set(error, EXIT_USAGE, "The lab %s has no data '%s'; it has %s.", lab->name, data,
                  text_string(&names));
    else if (!w->wish->data)
        error_set(error, EXIT_USAGE, "--data belongs to labs; a file has its own buffer lines.");
    text_free(&names);
    return w->wish->data != NULL;
}

bool wish_read(const struct arguments *arguments, const struct target *target, int limit_s,
               struct request *out, struct error *error)
{
    struct wishing w = { arguments, target, out };
    long reps = 0, limit = limit_s;
    if (!arguments_number(arguments, "--reps", 1, 100, &reps, error) ||
        !arguments_number(arguments, "--limit", 1, 3600, &limit, error) || !take_preset(&w, error) ||
        !take_data(&w, error))
        return false;
    for (size_t i = 0; i < arguments->given_count; i++)
        if (strcmp(arguments->given[i].flag, "--set") == 0 &&
            !take_param(&w, arguments->given[i].value, error))
            return false;
    out->lab = target->lab ? mem_copy(target->lab->name) : NULL;
    out->reps = (int)reps;
    out->limit_ms = (int)limit * 1000;
    return true;
}
