// Numbers that a text promises. A comment below it says where they come from, a line for each, in the order in which
// they stand there:
//   <!-- numbers:
//   2.810 = gpu(matvec/2: median_ms)
//   200 ~ gpu(matvec/1: median_ms) / gpu(matvec/2: median_ms)
//   -->
// Each must stand in the text above, up to the heading or the comment before, and be what comes out, rounded to the
// digits that are shown. '~' lets it be off by a tenth.
#include "tui/command/check.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ABOUT 0.1 // of the number, with '~'
static const char mark[] = "numbers:";

struct numbers {
    struct check_value value;
    struct source source;
    const char *from, *to; // the text that they stand in
    const char *behind;    // the number before
    size_t not_run;
};

static void say(const struct numbers *numbers, const char *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void say(const struct numbers *numbers, const char *at, const char *format, ...)
{
    struct text message = { 0 };
    struct error error;
    va_list args;
    va_start(args, format);
    text_addv(&message, format, args);
    va_end(args);
    error_at(&error, &numbers->source, at, "%s", text_string(&message));
    check_said(numbers->value.check, &error);
    text_free(&message);
}

// ---- numbers as they are written ------------------------------------------------------------------------------

// "1,048,576", "-0.5" and "1.8e6": returns its length, 0 if it is none. `digits`: behind the point, by which it is
// rounded; below 0 in front of it.
static size_t number_read(const char *text, double *out, int *digits)
{
    char plain[64];
    size_t at = *text == '-', length = at;
    memcpy(plain, text, at);
    *digits = 0;
    if (!isdigit((unsigned char)text[at]))
        return 0;
    for (bool point = false; length < sizeof plain - 1; at++) {
        bool digit = isdigit((unsigned char)text[at]),
             next = isdigit((unsigned char)text[at + (text[at] != 0)]);
        if (!digit && !(next && (text[at] == ',' || (text[at] == '.' && !point))))
            break;
        *digits += digit && point;
        point |= text[at] == '.';
        if (text[at] != ',')
            plain[length++] = text[at];
    }
    plain[length] = 0;
    *out = strtod(plain, NULL);
    if (text[at] == 'e' && isdigit((unsigned char)text[at + 1])) {
        char *end;
        int exponent = (int)strtol(text + at + 1, &end, 10);
        *out *= pow(10, exponent);
        *digits -= exponent;
        at = (size_t)(end - text);
    }
    return at;
}

static size_t digits_of(const char *text)
{
    return strspn(text, "0123456789");
}

// Whether a number that is looked for can start behind this character, or end in front of it: neither within a word
// nor a date nor a longer number.
static bool may_start(char before, char behind)
{
    return !byte_in_word(before) && !(strchr(".,-", before) && isdigit((unsigned char)behind));
}

static bool may_end(const char *at)
{
    bool grouped = *at == ',' && digits_of(at + 1) == 3;
    return !byte_in_word(*at) && !grouped && !(strchr(".-", *at) && *at && digits_of(at + 1));
}

static const char *find(const char *from, const char *to, const char *number, size_t length)
{
    for (const char *at = from; at && at < to; at++) {
        at = memmem(at, (size_t)(to - at), number, length);
        if (at && (at - from < 2 || may_start(at[-1], at[-2])) && may_end(at + length))
            return at;
        if (!at)
            break;
    }
    return NULL;
}

static bool agrees(double shown, int digits, double value, bool about)
{
    double off = fabs(shown - value);
    return about ? off <= ABOUT * fabs(shown) : off <= 0.5 * pow(10, -digits) + 1e-9 * fabs(value);
}

// ---- one line of the comment ------------------------------------------------------------------------------------

static void not_run(struct numbers *numbers, const struct error *error)
{
    const char *slash = strrchr(numbers->source.file, '/');
    struct lesson place = { .name = (char *)(slash ? slash + 1 : numbers->source.file) };
    if (!numbers->not_run++)
        check_not_run(numbers->value.check, &place, "numbers", error);
}

// "24.3 = gpu(matvec/2: ceiling_pct)"
static void check_entry(struct numbers *numbers, const char *entry, const char *end)
{
    struct error error;
    double shown, value;
    int digits;
    size_t length = number_read(entry, &shown, &digits);
    const char *sign = entry + length + strspn(entry + length, " ");
    if (!length || sign >= end || !strchr("=~", *sign)) {
        say(numbers, entry, "here a number is expected, then '=' or '~' and what it comes from");
        return;
    }
    const char *found = find(numbers->behind, numbers->to, entry, length);
    char *text = mem_copy_n(sign + 1, (size_t)(end - sign - 1)), *expression = text + strspn(text, " ");
    for (char *at = text; (at = strchr(at, '\n')); at++)
        *at = ' ';
    enum told told = check_value(&numbers->value, expression, &value, &error);
    if (told == TOLD_WRONG)
        say(numbers, sign + 1 + (expression - text), "%.*s", (int)strcspn(error.text, "\n"), error.text);
    else if (told == TOLD_NOT_RUN)
        not_run(numbers, &error);
    else if (told == TOLD && !agrees(shown, digits, value, *sign == '~'))
        say(numbers, found ? found : entry, "this says %.*s, but %s is %.7g", (int)length, entry, expression,
            value);
    if (found)
        numbers->behind = found + length;
    else
        say(numbers, entry, "%.*s does not stand in the text above%s", (int)length, entry,
            find(numbers->from, numbers->to, entry, length) ? " where it is due: these lines have its order"
                                                            : "");
    free(text);
}

// Lines end an entry unless the next one is indented, and so does a ';'.
static void check_entries(struct numbers *numbers, const char *at, const char *end)
{
    while ((at += strspn(at, " \t\r\n;")) < end) {
        const char *stop = at;
        while (stop < end && *stop != ';' && !(*stop == '\n' && stop[1] != ' '))
            stop++;
        const char *last = stop;
        while (last > at && isspace((unsigned char)last[-1]))
            last--;
        check_entry(numbers, at, last);
        at = stop;
    }
}

// ---- dates --------------------------------------------------------------------------------------------------------

enum { DATE = 10 };

static bool is_date(const char *at)
{
    static const char form[] = "dddd-dd-dd";
    for (int i = 0; i < DATE; i++)
        if (form[i] == 'd' ? !isdigit((unsigned char)at[i]) : at[i] != form[i])
            return false;
    return true;
}

// A text with recorded numbers names no other day than that of the records.
static void check_dates(const struct numbers *numbers)
{
    const struct name_list *dates = &numbers->value.dates;
    for (const char *at = numbers->from; dates->count && at + DATE <= numbers->to; at++) {
        bool known = !is_date(at);
        for (size_t i = 0; i < dates->count && !known; i++)
            known = strncmp(at, dates->list[i], DATE) == 0;
        if (!known)
            say(numbers, at, "the runs of these numbers were recorded on %.*s", DATE, dates->list[0]);
    }
}

// ---- all comments of a text -----------------------------------------------------------------------------------------

static const char *line_next(const char *at)
{
    at += strcspn(at, "\n");
    return at + (*at == '\n');
}

static const char *check_comment(struct checking *check, const struct source *source, const char *from,
                                 const char *at)
{
    struct numbers numbers = {
        .value.check = check, .source = *source, .from = from, .to = at, .behind = from
    };
    const char *end = strstr(at, "-->");
    if (!end)
        return line_next(at);
    check_entries(&numbers, strstr(at, mark) + strlen(mark), end);
    check_dates(&numbers);
    names_free(&numbers.value.dates);
    return end + strlen("-->");
}

// The backticks or tildes that open a fenced block; 0: none.
static size_t fence_of(const char *line)
{
    size_t length = strspn(line, *line == '~' ? "~" : "`");
    return length >= 3 ? length : 0;
}

static bool is_comment(const char *line)
{
    line += strspn(line, " ");
    return string_starts(line, "<!--") && string_starts(line + 4 + strspn(line + 4, " \n"), mark);
}

// Within a line it would be no block, and nobody would look at it.
static void check_stray(struct checking *check, const struct source *source, const char *line)
{
    static const char stray[] = "<!-- numbers:";
    const char *at = memmem(line, strcspn(line, "\n"), stray, sizeof stray - 1);
    const struct numbers numbers = { .value.check = check, .source = *source };
    if (at && at > line && at[-1] != '`')
        say(&numbers, at, "a comment with numbers has lines of its own");
}

// Behind the lines `key: value` at the start of a file.
static const char *body_of(const char *text)
{
    const char *end = string_starts(text, "---") ? strstr(text, "\n---") : NULL;
    return end ? line_next(end + 1) : text;
}

void check_numbers(struct checking *check, const char *path, const char *text)
{
    const struct source source = { path, text };
    const char *from = body_of(text);
    size_t fence = 0;
    for (const char *at = from; *at && !waiting_stopped(); at = line_next(at)) {
        size_t here = fence_of(at);
        if (fence)
            fence = here >= fence ? 0 : fence;
        else if (here)
            fence = here;
        else if (string_starts(at, "## "))
            from = at;
        else if (is_comment(at))
            at = from = check_comment(check, &source, from, at);
        else
            check_stray(check, &source, at);
    }
}
