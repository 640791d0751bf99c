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
static void compose(const struct workbook *workbook, const struct lessons *lessons,
                    const struct report_wish *wish, bool html, struct text *out)
{
    struct report report;
    locale_t utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0), before = (locale_t)0;
    if (utf8)
        before = uselocale(utf8);
    report_make(&report, workbook, lessons, wish);
    (html ? report_html : report_markdown)(&report, out);
    report_free(&report);
    if (utf8) {
        uselocale(before);
        freelocale(utf8);
    }
}

static bool put(const struct arguments *arguments, const struct text *page, struct error *error)
{
    const char *path = arguments_value(arguments, "--to");
    if (!path) {
        fwrite(text_string(page), 1, page->length, stdout); // main checks that it was written
        return true;
    }
    if (!write_file(path, arguments_has(arguments, "--force"), page, error))
        return false;
    struct paper paper = paper_open(stdout);
    paper_put(&paper, ROLE_GOOD, "Written to %s.\n", path);
    return true;
}

static bool make(const struct arguments *arguments, struct lessons *lessons, struct workbook *workbook,
                 struct error *error)
{
    struct report_wish wish = { .name = arguments_value(arguments, "--name"),
                                .kernels = arguments_has(arguments, "--kernels") };
    struct text page = { 0 };
    lessons_recall(lessons, workbook);
    if (!read_now(&wish.now, error) ||
        !find_lesson(lessons, arguments_value(arguments, "--lesson"), &wish.lesson, error))
        return false;
    const struct lessons one = { .list = (struct lesson *)wish.lesson, .count = 1 };
    keep_warn(workbook);
    compose(workbook, wish.lesson ? &one : lessons, &wish, arguments_has(arguments, "--html"), &page);
    bool done = put(arguments, &page, error);
    text_free(&page);
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
