// Commands on the workbook: workbook prints what the workbook page shows, note writes a line of one's own.
#include "tui/text/text.h"
#include "tui/tui.h"

#include <stdio.h>
#include <string.h>

static int print_book(const struct book_view *view)
{
    struct paper paper = paper_open(stdout);
    struct links links = { 0 };
    struct error error;
    struct workbook *workbook = workbook_open(NULL, &error);
    if (!workbook)
        return fail(&error);
    struct sheet sheet = book_sheet(workbook, view, paper.width, paper.utf8, &links);
    sheet_print(&paper, &sheet);
    sheet_free(&sheet);
    links_free(&links);
    workbook_close(workbook);
    return EXIT_RIGHT;
}

int command_workbook(const struct arguments *arguments)
{
    struct error error;
    struct book_view view;
    size_t given = arguments->operand_count;
    const char *kind = given ? arguments->operands[0] : NULL,
               *about = given > 1 ? arguments->operands[1] : NULL;
    return book_view_of(kind, about, &view, &error) ? print_book(&view) : fail(&error);
}

static bool add_note(const char *words, struct error *error)
{
    json_t *event = json_pack("{s:s}", "text", words);
    if (!event)
        return error_set(error, EXIT_USAGE, "A note must be UTF-8.");
    struct workbook *workbook = workbook_open(NULL, error);
    if (!workbook) {
        json_decref(event);
        return false;
    }
    bool added = workbook_add(workbook, "note", event, error);
    workbook_close(workbook);
    return added;
}

int command_note(const struct arguments *arguments)
{
    struct paper paper = paper_open(stdout);
    struct error error;
    struct text words = { 0 };
    for (size_t i = 0; i < arguments->operand_count; i++)
        text_addf(&words, "%s%s", i ? " " : "", arguments->operands[i]);
    bool blank = !text_string(&words)[strspn(text_string(&words), " \t\r\n")];
    bool added = blank ? error_set(&error, EXIT_USAGE, "A note needs words.") : add_note(words.data, &error);
    text_free(&words);
    if (!added)
        return fail(&error);
    paper_put(&paper, ROLE_GOOD, "Written into your workbook.\n");
    return EXIT_RIGHT;
}
