// The flags of a `check` line: the sizes and data with which an answer is judged.
#include "lessons/judge.h"

#include <stdlib.h>
#include <string.h>

static const char *skip_blanks(const char *at)
{
    return at + strspn(at, " \t\n");
}

// The next word without blanks; NULL: there is none. The caller frees.
static char *next_word(const char **at)
{
    *at = skip_blanks(*at);
    size_t length = strcspn(*at, " \t\n");
    char *word = length ? mem_copy_n(*at, length) : NULL;
    *at += length;
    return word;
}

// ---- one flag -----------------------------------------------------------------------------------------

static bool take_name(const char *const *known, int room, const char *lab, const char *what, const char *name,
                      char **out, struct error *error)
{
    struct text names = { 0 };
    bool found = false;
    for (int i = 0; i < room; i++) {
        const char *one = known[i];
        if (!one)
            break;
        found |= strcmp(one, name) == 0;
        text_addf(&names, "%s%s", i ? ", " : "", one);
    }
    if (found) {
        free(*out);
        *out = mem_copy(name);
    } else {
        error_set(error, EXIT_USAGE, "The lab %s has no %s '%s'; it has %s.", lab, what, name,
                  text_string(&names));
    }
    text_free(&names);
    return found;
}

static bool take_size(const struct lab *lab, const char *name, struct request *out, struct error *error)
{
    const char *names[LAB_PRESETS] = { NULL };
    if (!lab)
        return error_set(error, EXIT_USAGE, "--size belongs to labs; a file has its own: --set NAME=VALUE.");
    for (int i = 0; i < LAB_PRESETS; i++)
        names[i] = lab->presets[i].name;
    return take_name(names, LAB_PRESETS, lab->name, "size", name, &out->preset, error);
}

static bool take_data(const struct lab *lab, const char *name, struct request *out, struct error *error)
{
    if (!lab)
        return error_set(error, EXIT_USAGE, "--data belongs to labs; a file has its own buffer lines.");
    return take_name(lab->data, LAB_DATA, lab->name, "data", name, &out->data, error);
}

// `variant`: of a file that stands alone; NULL where it is not known yet.
static bool has_param(const struct lab *lab, const struct variant *variant, const char *name)
{
    if (lab)
        return lab_param_index(lab, name) >= 0;
    for (size_t i = 0; variant && i < variant->param_count; i++)
        if (strcmp(variant->params[i].name, name) == 0)
            return true;
    return !variant;
}

static bool take_set(const struct lab *lab, const struct variant *variant, const char *setting,
                     struct request *out, struct error *error)
{
    const char *equals = strchr(setting, '=');
    struct scope nothing = { 0 };
    struct error why;
    if (!equals || equals == setting || !equals[1])
        return error_set(error, EXIT_USAGE, "--set takes NAME=VALUE, such as n=1000, not '%s'.", setting);
    if (out->param_count == sizeof out->params / sizeof *out->params)
        return error_set(error, EXIT_USAGE, "There are too many --set.");
    struct binding *param = &out->params[out->param_count];
    if (!expr_eval_text(equals + 1, &nothing, &param->value, &why))
        return error_set(error, EXIT_USAGE, "--set %s: the value is not a number.", setting);
    char *name = mem_copy_n(setting, (size_t)(equals - setting));
    param->name = name;
    out->param_count++;
    return has_param(lab, variant, name) ||
           error_set(error, EXIT_USAGE, "%s%s has no parameter '%s'.", lab ? "The lab " : "The file",
                     lab ? lab->name : "", name);
}

static bool take_limit(const char *value, struct request *out, struct error *error)
{
    char *end;
    long seconds = strtol(value, &end, 10);
    if (*end || seconds < 1 || seconds > 60)
        return error_set(error, EXIT_USAGE, "--limit takes a whole number from 1 to 60, not '%s'.", value);
    out->limit_ms = (int)seconds * 1000;
    return true;
}

static bool unknown(const char *flag, struct error *error)
{
    return error_set(error, EXIT_USAGE, "A check takes --set, --size, --data and --limit, not '%s'.", flag);
}

static bool take(const struct lab *lab, const struct variant *variant, const char *flag, const char *value,
                 struct request *out, struct error *error)
{
    if (strcmp(flag, "--set") == 0)
        return take_set(lab, variant, value, out, error);
    if (strcmp(flag, "--size") == 0)
        return take_size(lab, value, out, error);
    if (strcmp(flag, "--data") == 0)
        return take_data(lab, value, out, error);
    if (strcmp(flag, "--limit") == 0)
        return take_limit(value, out, error);
    return unknown(flag, error);
}

// ---- all of them ----------------------------------------------------------------------------------------

static bool take_next(const struct lab *lab, const struct variant *variant, char *flag, const char **rest,
                      struct request *out, struct error *error)
{
    char *equals = strchr(flag, '=');
    if (!string_starts(flag, "--"))
        return unknown(flag, error);
    char *value = equals ? mem_copy(equals + 1) : next_word(rest);
    if (equals)
        *equals = 0;
    if (!value)
        return error_set(error, EXIT_USAGE, "%s needs a value.", flag);
    bool taken = take(lab, variant, flag, value, out, error);
    free(value);
    return taken;
}

bool judge_flags(const char *flags, const char *lab, const struct variant *variant, struct request *out,
                 struct error *error)
{
    const struct lab *found = lab ? lab_find(lab) : NULL;
    bool taken = true;
    *out = (struct request){ .on = ON_SIM, .check = SIM_CHECK_ALL, .limit_ms = JUDGE_LIMIT_MS };
    if (lab && !found)
        return error_set(error, EXIT_USAGE, "There is no lab '%s'. 'warpbook list' names them.", lab);
    out->lab = lab ? mem_copy(lab) : NULL;
    for (char *flag; taken && (flag = next_word(&flags)); free(flag))
        taken = take_next(found, variant, flag, &flags, out, error);
    if (!taken)
        request_free(out);
    return taken;
}
