// Commands besides printing: errors go to stderr for a person, runs into the workbook as those of the screen do.
// A run that cannot be kept is no reason to fail: that is said once, on stderr.
#include "tui/text/text.h"

#include <stdlib.h>
#include <string.h>

// On a terminal a line that is too long is broken between words; what is quoted, which starts with a blank, stays.
static void print(const struct paper *paper, const char *text)
{
    for (size_t length; *text; text += length + (text[length] == '\n')) {
        length = strcspn(text, "\n");
        char *line = mem_copy_n(text, length);
        if (paper->terminal && *line != ' ' && text_cells(line) > paper->width)
            paper_wrap(paper, ROLE_TEXT, 0, line);
        else
            fprintf(paper->file, "%s\n", line);
        free(line);
    }
}

int fail(const struct error *error)
{
    struct paper paper = paper_open(stderr);
    struct text clean = { 0 }; // it may quote a file, a name or a compiler
    text_add(&clean, "warpbook: ");
    text_add_clean(&clean, error->text, strlen(error->text));
    print(&paper, text_string(&clean));
    text_free(&clean);
    return (int)error->code;
}

// ---- runs -------------------------------------------------------------------------------------------------

static bool keep_open(struct keeping *keeping, struct error *error)
{
    if (!keeping->workbook)
        keeping->workbook = workbook_open(NULL, error);
    return keeping->workbook != NULL;
}

static void keep_failed(struct keeping *keeping, const struct error *error)
{
    keeping->failed = true;
    fflush(stdout);
    fail(error);
}

void keep_run(struct keeping *keeping, const struct record *record)
{
    struct error error;
    if (!keeping->failed &&
        !(keep_open(keeping, &error) && workbook_add_run(keeping->workbook, record, &error)))
        keep_failed(keeping, &error);
}

void keep_event(struct keeping *keeping, const char *kind, json_t *event)
{
    struct error error;
    if (keeping->failed)
        json_decref(event);
    else if (!keep_open(keeping, &error)) {
        json_decref(event);
        keep_failed(keeping, &error);
    } else if (!workbook_add(keeping->workbook, kind, event, &error)) {
        keep_failed(keeping, &error);
    }
}

void keep_end(struct keeping *keeping)
{
    if (keeping->workbook)
        workbook_close(keeping->workbook);
    *keeping = (struct keeping){ 0 };
}

void keep_warn(const struct workbook *workbook)
{
    struct error why;
    if (workbook_unwritable(workbook, &why))
        fail(&why);
}
