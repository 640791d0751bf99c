// warpbook report: the workbook as a document to hand in, as Markdown or as one HTML page.
#include "tui/command/report.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool find_lesson(struct lessons *lessons, const char *word, const struct lesson **out,
                        struct error *error)
{
    *out = NULL;
    return !word || lessons_open(lessons, word, out, error);
}

// Now, or the time that SOURCE_DATE_EPOCH says, so that the same workbook gives the same bytes.
static bool read_now(time_t *out, struct error *error)
{
    const char *given = getenv("SOURCE_DATE_EPOCH");
    char *end = NULL;
    *out = time(NULL);
    if (!given || !*given)
        return true;
    long long seconds = strtoll(given, &end, 10);
    *out = (time_t)seconds;
    return !*end ||
           error_set(error, EXIT_USAGE, "SOURCE_DATE_EPOCH is a number of seconds, not '%s'.", given);
}

static bool write_file(const char *path, bool force, const struct text *page, struct error *error)
{
    struct error why;
    if (!*path)
        return error_set(error, EXIT_USAGE, "--to needs the name of a file.");
    if (!file_may_replace(path, force, error))
        return false;
    if (file_replace(path, text_string(page), page->length, &why))
        return true;
    return error_set(error, why.code,
                     "%s Give --to a file in a folder that is there and that you may write to.", why.text);
}

// A document is UTF-8, whatever the terminal shows.
static void compose(const struct report *report, bool page, struct text *out)
{
    locale_t utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0), before = (locale_t)0;
    if (utf8)
        before = uselocale(utf8);
    if (page)
        report_html(report, out);
    else
        report_markdown(report, out);
    if (utf8) {
        uselocale(before);
        freelocale(utf8);
    }
}

static bool put(const struct arguments *arguments, const struct report *report, struct error *error)
{
    struct text page = { 0 };
    const char *path = arguments_value(arguments, "--to");
    bool written = true;
    compose(report, arguments_has(arguments, "--html"), &page);
    if (path)
        written = write_file(path, arguments_has(arguments, "--force"), &page, error);
    else
        fwrite(text_string(&page), 1, page.length, stdout); // main looks whether it all went out
    text_free(&page);
    if (path && written) {
        struct paper paper = paper_open(stdout);
        paper_put(&paper, ROLE_GOOD, "Written to %s.\n", path);
    }
    return written;
}

static bool make(const struct arguments *arguments, struct lessons *lessons, struct workbook *workbook,
                 struct error *error)
{
    struct report_wish wish = { .name = arguments_value(arguments, "--name"),
                                .kernels = arguments_has(arguments, "--kernels") };
    struct report report;
    lessons_recall(lessons, workbook);
    if (!read_now(&wish.now, error) ||
        !find_lesson(lessons, arguments_value(arguments, "--lesson"), &wish.lesson, error))
        return false;
    const struct lessons one = { .list = (struct lesson *)wish.lesson, .count = 1 };
    keep_warn(workbook);
    report_make(&report, workbook, wish.lesson ? &one : lessons, &wish);
    bool done = put(arguments, &report, error);
    report_free(&report);
    return done;
}

int command_report(const struct arguments *arguments)
{
    struct lessons lessons;
    struct error error;
    if (arguments_has(arguments, "--force") && !arguments_has(arguments, "--to")) {
        error_set(&error, EXIT_USAGE, "--force goes with --to FILE.");
        return fail(&error);
    }
    if (!lessons_read(NULL, &lessons, &error))
        return fail(&error);
    struct workbook *workbook = workbook_open(NULL, &error);
    bool made = workbook && make(arguments, &lessons, workbook, &error);
    workbook_close(workbook);
    lessons_free(&lessons);
    return made ? EXIT_RIGHT : fail(&error);
}
