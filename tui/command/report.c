// warpbook report: the workbook as a document to hand in, as Markdown or as one HTML page.
#include "tui/command/report.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool find_lesson(const struct lessons *lessons, const char *word, const struct lesson **out,
                        struct error *error)
{
    *out = word ? lessons_find(lessons, word) : NULL;
    return !word || *out ||
           error_set(error, EXIT_USAGE, "There is no lesson '%s'. 'warpbook lesson' lists them.", word);
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

// Nothing is overwritten that was not meant, and nothing but files is ever replaced.
static bool may_write(const char *path, bool force, struct error *error)
{
    struct stat there;
    if (!*path)
        return error_set(error, EXIT_USAGE, "--to needs the name of a file.");
    if (stat(path, &there) != 0)
        return true;
    if (!S_ISREG(there.st_mode))
        return error_set(
            error, EXIT_USAGE,
            "%s is no ordinary file; nothing was written. Give --to the name of a file, or leave it "
            "out to print the report.",
            path);
    return force ||
           error_set(error, EXIT_USAGE,
                     "%s is here already; nothing was changed. Take another name, or replace it with "
                     "--force.",
                     path);
}

static bool write_file(const char *path, bool force, const struct text *page, struct error *error)
{
    struct error why;
    if (!may_write(path, force, error))
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

static bool make(const struct arguments *arguments, const struct lessons *lessons, struct error *error)
{
    struct report_wish wish = { .name = arguments_value(arguments, "--name"),
                                .kernels = arguments_has(arguments, "--kernels") };
    struct report report;
    if (!read_now(&wish.now, error) ||
        !find_lesson(lessons, arguments_value(arguments, "--lesson"), &wish.lesson, error))
        return false;
    if (arguments_has(arguments, "--force") && !arguments_has(arguments, "--to"))
        return error_set(error, EXIT_USAGE, "--force goes with --to FILE.");
    struct workbook *workbook = workbook_open(NULL, error);
    if (!workbook)
        return false;
    report_make(&report, workbook, lessons, &wish);
    bool done = put(arguments, &report, error);
    report_free(&report);
    workbook_close(workbook);
    return done;
}

int command_report(const struct arguments *arguments)
{
    struct lessons lessons;
    struct error error;
    if (!lessons_read(NULL, &lessons, &error))
        return fail(&error);
    bool made = make(arguments, &lessons, &error);
    lessons_free(&lessons);
    return made ? EXIT_RIGHT : fail(&error);
}
