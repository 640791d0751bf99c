// Failures as values, messages that point at a place in a text, and the clocks that measure and date them.
#include "engine/base/base.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <wchar.h>

bool error_set(struct error *error, enum exit_code code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    error->code = code;
    vsnprintf(error->text, sizeof error->text, format, args);
    va_end(args);
    return false;
}

static const char *severity_word(enum severity severity)
{
    switch (severity) {
    case SEVERITY_NOTE:
        return "note";
    case SEVERITY_WARNING:
        return "warning";
    default:
        return "error";
    }
}

// The start of line `number` (from 1), or NULL when the text has fewer lines.
static const char *line_find(const char *source, int number)
{
    for (int line = 1; line < number && source; line++) {
        source = strchr(source, '\n');
        if (source)
            source++;
    }
    return source && *source ? source : NULL;
}

// Blanks that take as many cells as the first `length` bytes do where they are shown: a tab stays a tab, a wide character
// is two.
static void add_indent(struct text *out, const char *line, size_t length)
{
    mbstate_t state = { 0 };
    struct text shown = { 0 };
    text_add_clean(&shown, line, length);
    for (size_t at = 0; at < shown.length;) {
        wchar_t wide;
        size_t used = mbrtowc(&wide, shown.data + at, shown.length - at, &state);
        if (used == (size_t)-1 || used == (size_t)-2 || used == 0) {
            memset(&state, 0, sizeof state);
            used = 1;
            wide = L' ';
        }
        int cells = wcwidth(wide);
        if (wide == L'\t')
            text_add(out, "\t");
        else if (cells > 0)
            text_addf(out, "%*s", cells, "");
        at += used;
    }
    text_free(&shown);
}

void diagnostic_write(struct text *out, const char *file, const char *source, const struct diagnostic *d)
{
    text_add_clean(out, file, strlen(file));
    if (d->line > 0)
        text_addf(out, ":%d", d->line);
    if (d->line > 0 && d->column > 0)
        text_addf(out, ":%d", d->column);
    text_addf(out, ": %s: ", severity_word(d->severity));
    text_add_clean(out, d->message, strlen(d->message));

    const char *line = d->line > 0 && source ? line_find(source, d->line) : NULL;
    if (!line)
        return;
    size_t length = strcspn(line, "\n");
    text_add(out, "\n  ");
    text_add_clean(out, line, length);
    if (d->column > 0 && (size_t)d->column <= length + 1) {
        text_add(out, "\n  ");
        add_indent(out, line, (size_t)d->column - 1);
        text_add(out, "^");
    }
}

// ---- clocks ------------------------------------------------------------------------------------------

double clock_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

void clock_date(char *out, size_t size)
{
    time_t now = time(NULL);
    struct tm utc;
    gmtime_r(&now, &utc);
    if (!strftime(out, size, "%Y-%m-%dT%H:%M:%SZ", &utc) && size)
        *out = 0;
}
