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
        return request_set_param(out, lab, variant, value, error);
    if (strcmp(flag, "--size") == 0)
        return request_set_size(out, lab, value, error);
    if (strcmp(flag, "--data") == 0)
        return request_set_data(out, lab, value, error);
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
    out->lab = mem_copy_if(lab);
    for (char *flag; taken && (flag = next_word(&flags)); free(flag))
        taken = take_next(found, variant, flag, &flags, out, error);
    if (!taken)
        request_free(out);
    return taken;
}
