// Knobs: what they can be set to, and where they stand. Whatever comes from outside is checked here, so that the
// explorers need not.
#include "tui/explore/explore.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

size_t knob_count(const struct explorer *explorer)
{
    size_t count = 0;
    while (count < KNOBS && explorer->knobs[count].name)
        count++;
    return count;
}

struct settings settings_new(const struct explorer *explorer)
{
    struct settings settings = { .explorer = explorer };
    for (size_t k = 0; k < knob_count(explorer); k++) {
        const struct knob *knob = &explorer->knobs[k];
        settings.number[k] = knob->start;
        if (knob->texts)
            format_into(settings.text[k], KNOB_TEXT, "%s", knob->texts[0]);
    }
    return settings;
}

// ---- in words -----------------------------------------------------------------------------------------------

static void add_choice(struct text *out, const char *word, bool first, bool last)
{
    text_addf(out, "%s%s", first ? "" : last ? " or " : ", ", word);
}

void knob_range(const struct knob *knob, char *out, size_t size)
{
    struct text text = { 0 };
    for (size_t i = 0; knob->words && knob->words[i]; i++)
        add_choice(&text, knob->words[i], i == 0, !knob->words[i + 1]);
    for (size_t i = 0; knob->list && knob->list[i]; i++) {
        char number[24];
        format_into(number, sizeof number, "%ld", knob->list[i]);
        add_choice(&text, number, i == 0, !knob->list[i + 1]);
    }
    if (knob->texts)
        text_addf(&text, "such as '%s'", knob->texts[0]);
    else if (!text.length)
        text_addf(&text, "%ld to %ld", knob->least, knob->most);
    format_into(out, size, "%s", text_string(&text));
    text_free(&text);
}

const char *knob_value(const struct settings *settings, size_t k, char *out, size_t size)
{
    const struct knob *knob = &settings->explorer->knobs[k];
    if (knob->texts)
        format_into(out, size, "%s", settings->text[k]);
    else if (knob->words)
        format_into(out, size, "%s", knob->words[settings->number[k]]);
    else
        format_into(out, size, "%ld", settings->number[k]);
    return out;
}

// ---- setting ------------------------------------------------------------------------------------------------

static bool refuse(const struct knob *knob, const char *value, struct error *error)
{
    char range[400];
    knob_range(knob, range, sizeof range);
    return error_set(error, EXIT_USAGE, "%s takes %s, not '%.40s'.", knob->name, range, value);
}

static bool read_number(const struct knob *knob, const char *value, long *out)
{
    char *end;
    errno = 0;
    long number = strtol(value, &end, 10);
    if (!*value || *end || errno)
        return false;
    *out = number;
    for (size_t i = 0; knob->list && knob->list[i]; i++)
        if (knob->list[i] == number)
            return true;
    return !knob->list && number >= knob->least && number <= knob->most;
}

// A whole name, or the front of just one.
static bool read_name(const struct knob *knob, const char *value, long *out)
{
    int fits = 0;
    for (long i = 0; knob->words[i]; i++) {
        if (strcmp(knob->words[i], value) == 0 ||
            (knob->also && *value && strcmp(knob->also[i], value) == 0)) {
            *out = i;
            return true;
        }
        if (*value && string_starts(knob->words[i], value)) {
            *out = i;
            fits++;
        }
    }
    return fits == 1;
}

bool settings_put(struct settings *settings, size_t k, const char *value, struct error *error)
{
    const struct knob *knob = &settings->explorer->knobs[k];
    long number;
    if (knob->texts) {
        if (strlen(value) >= KNOB_TEXT)
            return error_set(error, EXIT_USAGE, "%s takes at most %d characters.", knob->name, KNOB_TEXT - 1);
        format_into(settings->text[k], KNOB_TEXT, "%s", value);
        return true;
    }
    if (knob->words ? !read_name(knob, value, &number) : !read_number(knob, value, &number))
        return refuse(knob, value, error);
    settings->number[k] = number;
    return true;
}

static bool unknown(const struct explorer *explorer, const char *name, struct error *error)
{
    const char *names[KNOBS] = { NULL };
    size_t count = knob_count(explorer);
    struct text all = { 0 };
    for (size_t k = 0; k < count; k++) {
        names[k] = explorer->knobs[k].name;
        add_choice(&all, names[k], k == 0, k + 1 == count);
    }
    const char *nearest = string_nearest(name, names, count);
    for (size_t k = 0; nearest && k < count; k++)
        if (names[k] == nearest) {
            char range[400];
            knob_range(&explorer->knobs[k], range, sizeof range);
            error_set(error, EXIT_USAGE, "'%s' has no knob '%.40s'. Did you mean %s (%s)?", explorer->name,
                      name, nearest, range);
        }
    if (!nearest)
        error_set(error, EXIT_USAGE, "'%s' has no knob '%.40s'. It has %s.", explorer->name, name,
                  text_string(&all));
    text_free(&all);
    return false;
}

bool settings_set(struct settings *settings, const char *name, const char *value, struct error *error)
{
    for (size_t k = 0; k < knob_count(settings->explorer); k++)
        if (strcmp(settings->explorer->knobs[k].name, name) == 0)
            return settings_put(settings, k, value, error);
    return unknown(settings->explorer, name, error);
}

bool settings_read(struct settings *settings, const char *assignment, struct error *error)
{
    const char *equals = strchr(assignment, '=');
    char name[64];
    if (!equals)
        return error_set(error, EXIT_USAGE, "'%.40s' sets nothing. Write KNOB=VALUE, such as %s=%ld.",
                         assignment, settings->explorer->knobs[1].name, settings->explorer->knobs[1].start);
    format_into(name, sizeof name, "%.*s", (int)(equals - assignment), assignment);
    return settings_set(settings, name, equals + 1, error);
}

// ---- turning --------------------------------------------------------------------------------------------------

static long turned_number(const struct knob *knob, long number, int direction)
{
    long step = knob->step ? knob->step : 1, rest = number % step;
    long next = direction > 0 ? number - rest + step : number - (rest ? rest : step);
    return next < knob->least ? knob->least : next > knob->most ? knob->most : next;
}

static long turned_list(const long *list, long number, int direction)
{
    size_t at = 0;
    while (list[at] && list[at] < number)
        at++;
    if (direction < 0)
        return at ? list[at - 1] : list[0];
    return list[at] && list[at + 1] ? list[at + 1] : number;
}

static size_t find_text(const struct knob *knob, const char *text, size_t *count)
{
    size_t found = 0;
    for (*count = 0; knob->texts[*count]; (*count)++)
        if (strcmp(knob->texts[*count], text) == 0)
            found = *count;
    return found;
}

void settings_turn(struct settings *settings, size_t k, int direction)
{
    const struct knob *knob = &settings->explorer->knobs[k];
    long *number = &settings->number[k];
    if (knob->texts) {
        size_t count, at = find_text(knob, settings->text[k], &count);
        at = direction > 0 ? at + 1 < count ? at + 1 : at : at ? at - 1 : 0;
        format_into(settings->text[k], KNOB_TEXT, "%s", knob->texts[at]);
    } else if (knob->words) {
        if (direction > 0 ? knob->words[*number + 1] != NULL : *number > 0)
            *number += direction > 0 ? 1 : -1;
    } else if (knob->list) {
        *number = turned_list(knob->list, *number, direction);
    } else {
        *number = turned_number(knob, *number, direction);
    }
}
