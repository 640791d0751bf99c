// warpbook workbook: what the workbook page shows, all of it. warpbook note: a line of one's own.
#include "tui/text/workbook.h"
#include "tui/tui.h"

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
    struct book_view view = { .kind = book_kinds };
    if (arguments->operand_count && !(view.kind = book_kind_of(arguments->operands[0], &error)))
        return fail(&error);
    if (arguments->operand_count > 1) {
        view.about = arguments->operands[1];
        if (view.kind != book_kind_of("runs", &error)) {
            error_set(&error, EXIT_USAGE, "Runs only are shown for one lab or variant: workbook runs %s",
                      view.about);
            return fail(&error);
        }
    }
    return print_book(&view);
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
