// Numbers of a run's record, as live blocks name them: `counters.gld_sec / counters.gld_req`, and bounds on them.
#include "lessons/markdown.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_MOST = 64 };

static const char *skip_blanks(const char *at)
{
    return at + strspn(at, " \t");
}

// One name after the other, with dots between; `json` may be NULL, and then only the text is looked at.
static const char *path_read(const char *at, const json_t *json, double *out)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    for (;;) {
        char name[NAME_MOST];
        size_t length = strspn(at, letters);
        if (!length || length >= sizeof name)
            return NULL;
        memcpy(name, at, length);
        name[length] = 0;
        json = json_object_get(json, name);
        at += length;
        if (*at != '.')
            break;
        at++;
    }
    *out = json_is_number(json) ? json_number_value(json) : NAN;
    return skip_blanks(at);
}

// PATH or PATH / PATH; returns what comes behind, NULL for anything else.
static const char *value_read(const char *text, const json_t *record, double *out)
{
    const char *at = path_read(skip_blanks(text), record, out);
    if (!at || *at != '/')
        return at;
    double divisor = NAN;
    at = path_read(skip_blanks(at + 1), record, &divisor);
    *out = divisor == 0 ? NAN : *out / divisor;
    return at;
}

bool value_fits(const char *value)
{
    double none;
    const char *end = value_read(value, NULL, &none);
    return end && !*end;
}

bool live_value(const char *value, const json_t *record, double *out)
{
    *out = NAN;
    const char *end = value_read(value, record, out);
    return end && !*end && isfinite(*out);
}

static bool bound_read(const char *at, bool *most, double *bound)
{
    if (!string_starts(at, "<=") && !string_starts(at, ">="))
        return false;
    *most = *at == '<';
    at = skip_blanks(at + 2);
    char *end;
    *bound = strtod(at, &end);
    return end != at && isfinite(*bound) && !*skip_blanks(end);
}

bool budget_fits(const char *budget)
{
    double value, bound;
    bool most;
    const char *end = value_read(budget, NULL, &value);
    return end && bound_read(end, &most, &bound);
}

bool live_budget(const char *budget, const json_t *record, double *got, bool *met)
{
    double bound;
    bool most;
    *met = false;
    *got = NAN;
    const char *end = value_read(budget, record, got);
    if (!end || !bound_read(end, &most, &bound) || !isfinite(*got))
        return false;
    *met = most ? *got <= bound : *got >= bound;
    return true;
}
