// workbook: what one predicted, answered, ran and wrote down, the newest first; and the runs of one variant over time.
#include "tui/text/text.h"
#include "tui/view/view.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS_MOST = 500 };

struct book {
    struct reader reader; // first, as a reader page wants it
    struct book_view view;
    char *about;
    struct links links;
    struct tabs tabs;      // the kinds
    size_t count, version; // of the workbook when the sheet was made
};

static bool open_workbook(struct page *page, const struct words *words, struct error *error)
{
    struct book *book = page->state;
    const char *kind = words->count > 1 ? words->word[1] : NULL,
               *about = words->count > 2 ? words->word[2] : NULL;
    book->reader.selected = -1;
    if (!page->app->workbook)
        return error_set(error, EXIT_MISSING, "There is no workbook: its file cannot be opened.");
    if (!book_view_of(kind, about, &book->view, error))
        return false;
    book->view.most = ROWS_MOST;
    if (about)
        book->view.about = book->about = mem_copy(about);
    workbook_refresh(page->app->workbook);
    return true;
}

// ---- drawing ------------------------------------------------------------------------------------------------------

// The chosen kind is in brackets.
static void draw_kinds(struct book *book, struct area line)
{
    const char *names[TABS];
    int count = 0;
    for (; count < TABS && book_kinds[count].name; count++)
        names[count] = book_kinds[count].name;
    area_line(line, 0, ROLE_FRAME);
    book->tabs = tabs_draw(line, names, 0, count - 1, (int)(book->view.kind - book_kinds));
}

static void make_sheet(struct page *page, int width, bool utf8)
{
    struct book *book = page->state;
    const struct workbook *workbook = page->app->workbook;
    int before = (int)book->links.count;
    bool grew = book->reader.sheet.width == width && workbook_count(workbook) > book->count;
    links_free(&book->links);
    book->links = (struct links){ 0 };
    struct sheet sheet = book_sheet(workbook, &book->view, width, utf8, &book->links);
    // New events came on top: the selection stays on the same event, unless that is the newest one.
    if (grew && book->reader.selected > 0)
        book->reader.selected += (int)book->links.count - before;
    reader_show(&book->reader, sheet, (int)book->links.count);
    book->count = workbook_count(workbook);
    book->version = workbook_version(workbook);
}

static void draw_workbook(struct page *page, struct area area)
{
    struct book *book = page->state;
    struct rect rest = { 0, 0, area.rows, area.cols };
    bool utf8 = area.canvas->utf8;
    book->tabs = (struct tabs){ 0 };
    if (!book->about)
        draw_kinds(book, area_rect(area, rect_top(&rest, 1, area.rows > 12)));
    if (book->reader.sheet.width != area.cols || book->reader.sheet.utf8 != utf8 ||
        book->version != workbook_version(page->app->workbook))
        make_sheet(page, area.cols, utf8);
    reader_draw(&book->reader, area_rect(area, rest));
}

// ---- acting ---------------------------------------------------------------------------------------------------------

static int show_kind(struct book *book, const struct book_kind *kind)
{
    book->view.kind = kind;
    reader_free(&book->reader);
    book->reader.selected = -1;
    return DONE;
}

static int next_kind(struct book *book, int by)
{
    int count = 1; // "all" is always there
    while (book_kinds[count].name)
        count++;
    int at = (int)(book->view.kind - book_kinds);
    return show_kind(book, &book_kinds[(at + by + count) % count]);
}

static int pane(struct page *page, const struct words *words)
{
    struct error error;
    if (words->count < 2)
        return next_kind(page->state, 1);
    struct book_view view;
    if (book_view_of(words->word[1], NULL, &view, &error))
        return show_kind(page->state, view.kind);
    return app_refuse(page->app, "%s", error.text);
}

static int open_row(struct page *page)
{
    struct book *book = page->state;
    int at = book->reader.selected;
    if (at < 0 || (size_t)at >= book->links.count)
        return DONE;
    if (!*book->links.opens[at]) {
        app_say(page->app, ROLE_DIM, "There is no page for this one.");
        return DONE;
    }
    char *words = mem_copy(book->links.opens[at]); // the page may go
    int done = app_do(page->app, words);
    free(words);
    return done;
}

static int act_workbook(struct page *page, enum act act, const struct words *words)
{
    struct book *book = page->state;
    bool kinds = !book->about;
    if (act == ACT_ENTER)
        return open_row(page);
    if (kinds && act == ACT_PANE)
        return pane(page, words);
    if (kinds && (act == ACT_LEFT || act == ACT_RIGHT))
        return next_kind(book, act == ACT_LEFT ? -1 : 1);
    return reader_act(&book->reader, page->app, act, words);
}

static bool click_workbook(struct page *page, int row, int col)
{
    struct book *book = page->state;
    int before = book->reader.selected;
    int top = page->area.rows - book->reader.rows; // of the sheet
    int kind = tabs_at(&book->tabs, row + page->area.row, col + page->area.col);
    if (kind >= 0) {
        show_kind(book, &book_kinds[kind]);
        return true;
    }
    if (!reader_click(&book->reader, row - top, col))
        return false;
    if (book->reader.selected == before)
        open_row(page);
    return true;
}

static void title_workbook(struct page *page, struct text *out)
{
    const struct book *book = page->state;
    text_addf(out, "%s%s%s", book->view.kind->name, book->about ? " of " : "",
              book->about ? book->about : "");
}

static void close_workbook(struct page *page)
{
    struct book *book = page->state;
    reader_free(&book->reader);
    links_free(&book->links);
    free(book->about);
}

static void names_workbook(struct page *page, enum act act, void (*add)(void *context, const char *name),
                           void *context)
{
    for (size_t i = 0; act == ACT_PANE && book_kinds[i].name; i++)
        add(context, book_kinds[i].name);
}

static const char *hints(const struct page *page)
{
    return "down choose, enter open, pane view";
}

const struct page_ops workbook_page = { .name = "workbook",
                                        .operands = "[KIND | runs LAB[/STEP] | answers LESSON/ID]",
                                        .help =
                                            "What you predicted, answered, ran and wrote down, newest first.",
                                        .most = 2,
                                        .size = sizeof(struct book),
                                        .open = open_workbook,
                                        .title = title_workbook,
                                        .draw = draw_workbook,
                                        .act = act_workbook,
                                        .click = click_workbook,
                                        .word = reader_page_word,
                                        .hints = hints,
                                        .copy = reader_page_copy,
                                        .names = names_workbook,
                                        .close = close_workbook };
