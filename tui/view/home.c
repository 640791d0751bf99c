// home: the lessons with how far one is, the labs, the machine, and what to do next.
#include "tui/view/view.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { HOME_OPENS = 256 };
#define HOME_REVIEW "review" // a command; all other rows open pages

struct home {
    struct reader reader;
    struct sheet right; // the second column of a wide screen; the first one is the reader's
    size_t left_top, right_top;
    char *opens[HOME_OPENS]; // by item: the words that open it
    int count;
    struct review_count due; // of `day`, with `version` of the workbook
    size_t version;
    long day; // 0: not known
};

enum { WIDE = 116, LEFT_LEAST = 72 };

static int item(struct home *home, const char *format, ...)
{
    struct text words = { 0 };
    va_list args;
    if (home->count == HOME_OPENS)
        return -1;
    va_start(args, format);
    text_addv(&words, format, args);
    va_end(args);
    home->opens[home->count] = text_take(&words);
    return home->count++;
}

static void forget_items(struct home *home)
{
    while (home->count)
        free(home->opens[--home->count]);
}

static void heading(struct sheet *sheet, const char *words)
{
    sheet_gap(sheet);
    sheet_add(sheet, ROLE_TITLE, " %s", words);
    sheet_end(sheet);
}

// ---- lessons ------------------------------------------------------------------------------------------------

enum { BEHIND = 17 }; // "30 min, 12 of 27"

static int lesson_item(struct home *home, struct app *app, const struct lesson *lesson)
{
    struct text words = { 0 };
    lesson_opens_by(app_lessons(app), lesson, &words);
    int number = item(home, "%s", text_string(&words));
    text_free(&words);
    return number;
}

static void lesson_row(struct home *home, struct sheet *sheet, struct app *app, const struct lesson *lesson)
{
    struct progress progress = progress_of(app->workbook, lesson);
    bool done = progress.asked && progress.done == progress.asked;
    enum glyph sign = done ? GLYPH_DONE : progress.opened || progress.done ? GLYPH_HALF : GLYPH_OPEN;
    sheet_add(sheet, ROLE_TEXT, " ");
    sheet->item = lesson_item(home, app, lesson);
    sheet_add(sheet, done ? ROLE_GOOD : ROLE_DIM, " %s", glyph(sheet->utf8, sign));
    sheet_add(sheet, ROLE_TEXT, " %2d  ", lesson->number);
    sheet_hang(sheet, 8);
    sheet_flow(sheet, ROLE_TEXT, "%s", lesson->title);
    sheet->item = -1;
    if (sheet->used + BEHIND < sheet->width) {
        sheet_to(sheet, sheet->width < 78 ? sheet->width - BEHIND : 55);
        sheet_add(sheet, ROLE_DIM, "%2d min", lesson->minutes);
        if (progress.asked)
            sheet_add(sheet, ROLE_DIM, ", %d of %d", progress.done, progress.asked);
    }
    sheet_end(sheet);
}

// The workbook is gone through anew when it or the day has changed.
static struct review_count count_due(struct home *home, struct app *app)
{
    long today = review_day(time(NULL));
    size_t version = workbook_version(app->workbook);
    if (home->day != today || home->version != version)
        home->due = review_now(app->workbook, app_lessons(app));
    home->day = today;
    home->version = version;
    return home->due;
}

static void review_row(struct home *home, struct sheet *sheet, struct app *app)
{
    struct review_count due = { 0, 0 };
    struct text words = { 0 };
    if (app->workbook)
        due = count_due(home, app);
    if (!due.questions && !due.tasks)
        return;
    review_count_words(due, &words);
    sheet_add(sheet, ROLE_TEXT, " ");
    sheet->item = item(home, HOME_REVIEW);
    sheet_add(sheet, ROLE_LINK, " %s to review: :review ", words.data);
    sheet->item = -1;
    sheet_end(sheet);
    text_free(&words);
}

// One's own that cannot be read, with the first line of why; opening it says all of it.
static void broken_row(struct home *home, struct sheet *sheet, const struct broken_lesson *broken)
{
    sheet_add(sheet, ROLE_TEXT, " ");
    sheet->item = item(home, "lesson \"%s\"", broken->name);
    sheet_add(sheet, ROLE_BAD, " %s", glyph(sheet->utf8, GLYPH_WRONG));
    sheet_to(sheet, 8);
    sheet_hang(sheet, 8);
    sheet_flow(sheet, ROLE_TEXT, "%s", broken->name);
    sheet->item = -1;
    sheet_flow(sheet, ROLE_DIM, ": %.*s", (int)strcspn(broken->words, "\n"), broken->words);
    sheet_end(sheet);
}

static void lessons_part(struct home *home, struct sheet *sheet, struct app *app)
{
    const struct lessons *lessons = app_lessons(app);
    const struct lesson *next = progress_next(app_lessons(app), app->workbook);
    heading(sheet, "Next");
    sheet_add(sheet, ROLE_TEXT, " ");
    sheet->item = next ? lesson_item(home, app, next) : item(home, "bench %s", lab_list[0]->name);
    if (next)
        sheet_add(sheet, ROLE_LINK, " Lesson %d: %s ", next->number, next->title);
    else
        sheet_add(sheet, ROLE_LINK, " The %s ladder ", lab_list[0]->name);
    sheet->item = -1;
    sheet_end(sheet);
    review_row(home, sheet, app);
    heading(sheet, "Lessons");
    for (size_t i = 0; i < lessons->count; i++)
        lesson_row(home, sheet, app, &lessons->list[i]);
    for (size_t i = 0; i < lessons->broken_count; i++)
        broken_row(home, sheet, &lessons->broken[i]);
}

// ---- labs and the rest -----------------------------------------------------------------------------------------------------

static void link_row(struct home *home, struct sheet *sheet, const char *page, const char *lab,
                     const char *what)
{
    sheet_add(sheet, ROLE_TEXT, " ");
    sheet->item = item(home, "%s%s%s", page, *lab ? " " : "", lab);
    sheet_add(sheet, ROLE_TEXT, " %-12s", *lab ? lab : page);
    sheet->item = -1;
    sheet_add(sheet, ROLE_DIM, " ");
    sheet_hang(sheet, 15);
    sheet_flow(sheet, ROLE_DIM, "%s", what);
    sheet_end(sheet);
}

static void machine_part(struct sheet *sheet, struct app *app)
{
    const json_t *machine = runs_machine(app), *gpu = json_object_get(machine, "gpu");
    heading(sheet, "This machine");
    const char *name = json_string_value(json_object_get(gpu, "name"));
    sheet_add(sheet, ROLE_TEXT, "  ");
    sheet_hang(sheet, 2);
    if (!machine)
        sheet_flow(sheet, ROLE_DIM, "Looking for a GPU.");
    else if (name)
        sheet_flow(sheet, ROLE_GPU, "%s", name);
    else
        sheet_flow(
            sheet, ROLE_TEXT,
            "No GPU here. The simulator runs the kernels and counts; the times shown were recorded on a real "
            "GPU.");
    sheet_end(sheet);
}

static void labs_part(struct home *home, struct sheet *sheet, struct app *app)
{
    heading(sheet, "Labs");
    for (size_t i = 0; i < lab_count; i++)
        link_row(home, sheet, "bench", lab_list[i]->name, lab_list[i]->title);
    heading(sheet, "More");
    link_row(home, sheet, "explore", "",
             "Pictures that answer while you turn a knob: banks, sectors, warps, occupancy.");
    link_row(home, sheet, "terms", "", "Every word, in one sentence and a picture.");
    link_row(home, sheet, "workbook", "", "What you predicted, answered and ran.");
    link_row(home, sheet, "machine", "", "What was found here, and what to do about what is missing.");
    link_row(home, sheet, "help", "", "Keys, pages and commands.");
    machine_part(sheet, app);
}

// ---- the page -----------------------------------------------------------------------------------------------------------------

static bool open_home(struct page *page, const struct words *words, struct error *error)
{
    return true;
}

// Scrolled no further than it takes to see the selected item.
// Signs at the right end that there is more above or below.
static void draw_more(struct area area, size_t top, size_t lines)
{
    bool utf8 = area.canvas->utf8;
    if (area.rows < 2)
        return;
    if (top > 0)
        area_put(area, 0, area.cols - 1, ROLE_DIM, "%s", glyph(utf8, GLYPH_MORE_UP));
    if (top + (size_t)area.rows < lines)
        area_put(area, area.rows - 1, area.cols - 1, ROLE_DIM, "%s", glyph(utf8, GLYPH_MORE_DOWN));
}

static void draw_column(const struct sheet *sheet, struct area area, size_t *top, const struct reader *reader)
{
    int line = sheet_line_of_item(sheet, reader->selected);
    size_t rows = (size_t)(area.rows > 0 ? area.rows : 1), most = 0;
    if (sheet->line_count > rows)
        most = sheet->line_count - rows;
    if (line >= 0 && (size_t)line < *top + 1)
        *top = line > 0 ? (size_t)line - 1 : 0; // its heading too
    if (line >= 0 && (size_t)line >= *top + rows)
        *top = (size_t)line - rows + 1;
    if (*top > most)
        *top = most;
    sheet_draw(sheet, area, *top, reader->selected, reader->found);
    draw_more(area, *top, sheet->line_count);
}

// Where the second column starts: the first one has room for minutes and progress after the lessons.
static int right_at(int cols)
{
    return cols / 2 > LEFT_LEAST ? cols / 2 : LEFT_LEAST;
}

static void draw_wide(struct home *home, struct area area)
{
    int at = right_at(area.cols);
    struct area left = area_part(area, 0, 0, area.rows, at - 1);
    struct area right = area_part(area, 0, at, area.rows, area.cols - at);
    const struct sheet *sheet = &home->reader.sheet;
    // The cursor is parked by the one that has the selected item, so that one is drawn last.
    bool in_left = sheet_line_of_item(sheet, home->reader.selected) >= 0;
    if (in_left)
        draw_column(&home->right, right, &home->right_top, &home->reader);
    draw_column(sheet, left, &home->left_top, &home->reader);
    if (!in_left)
        draw_column(&home->right, right, &home->right_top, &home->reader);
}

// The reader was not shown while there were two columns.
static void see_selected(struct reader *reader, int rows)
{
    int line = sheet_line_of_item(&reader->sheet, reader->selected);
    if (line >= 0 && ((size_t)line < reader->top || (size_t)line >= reader->top + (size_t)rows))
        reader->top = line > rows / 3 ? (size_t)(line - rows / 3) : 0;
}

static void draw_home(struct page *page, struct area area)
{
    struct home *home = page->state;
    bool wide = area.cols >= WIDE, utf8 = area.canvas->utf8;
    bool was_wide = home->right.width > 0;
    struct sheet left = sheet_new(wide ? right_at(area.cols) - 2 : area.cols, utf8);
    forget_items(home);
    sheet_free(&home->right);
    lessons_part(home, &left, page->app);
    if (!wide) {
        labs_part(home, &left, page->app);
        reader_show(&home->reader, left, home->count);
        if (was_wide)
            see_selected(&home->reader, area.rows);
        reader_draw(&home->reader, area);
        draw_more(area, home->reader.top, home->reader.sheet.line_count);
        return;
    }
    home->right = sheet_new(area.cols - right_at(area.cols) - 1, utf8);
    labs_part(home, &home->right, page->app);
    reader_show(&home->reader, left, home->count);
    home->reader.rows = area.rows;
    draw_wide(home, area);
}

static int move_wide(struct home *home, enum act act)
{
    struct list list = { .selected = home->reader.selected };
    list_fit(&list, home->count, home->count);
    int done = list_act(&list, act);
    home->reader.selected = list.selected;
    return done;
}

// The item of this line or the next one below it in its column; the last one where none is below.
static int item_below(const struct home *home, const struct sheet *sheet, size_t line)
{
    int best = -1;
    for (int i = 0; i < home->count; i++) {
        int at = sheet_line_of_item(sheet, i);
        if (at >= 0 && (best < 0 || sheet_line_of_item(sheet, best) < (int)line))
            best = i;
    }
    return best;
}

// Searches both columns, the second one as if it stood below the first. A hit is known by its item alone, so
// each item is found once.
static int search_wide(struct page *page, int by)
{
    struct home *home = page->state;
    const struct sheet *sheets[] = { &home->reader.sheet, &home->right };
    long lefts = (long)sheets[0]->line_count, all = lefts + (long)sheets[1]->line_count;
    int in_left = sheet_line_of_item(sheets[0], home->reader.selected);
    long from = in_left >= 0 ? in_left : lefts + sheet_line_of_item(sheets[1], home->reader.selected);
    struct text text = { 0 };
    int found = -1;
    for (long i = 1; i <= all && found < 0; i++) {
        long line = ((from + by * i) % all + all) % all;
        const struct sheet *sheet = sheets[line >= lefts];
        size_t at = (size_t)(line >= lefts ? line - lefts : line);
        if (strcasestr(sheet_line_text(sheet, at, &text), home->reader.found))
            found = item_below(home, sheet, at);
        if (found == home->reader.selected && i < all)
            found = -1;
    }
    text_free(&text);
    if (found < 0) {
        app_say(page->app, ROLE_NOTE, "'%s' is not on this page.", home->reader.found);
        return DONE_FAILED;
    }
    home->reader.selected = found;
    return DONE;
}

static bool searches_wide(struct page *page, enum act act, const struct words *words)
{
    struct home *home = page->state;
    struct text text = { 0 };
    bool fresh = act == ACT_SEARCH && words && words->count > 1;
    if (page->area.cols < WIDE)
        return false;
    if (fresh) {
        words_add(words, 1, &text);
        free(home->reader.found);
        home->reader.found = text_take(&text);
    }
    bool again = act == ACT_SEARCH_NEXT || act == ACT_SEARCH_PREVIOUS;
    return fresh || (again && home->reader.found && *home->reader.found);
}

static int act_home(struct page *page, enum act act, const struct words *words)
{
    struct home *home = page->state;
    int at = home->reader.selected;
    if (act == ACT_ENTER && at >= 0 && at < home->count) {
        bool command = strcmp(home->opens[at], HOME_REVIEW) == 0;
        return command                                ? app_do(page->app, HOME_REVIEW)
               : app_open(page->app, home->opens[at]) ? DONE
                                                      : DONE_FAILED;
    }
    if (searches_wide(page, act, words))
        return search_wide(page, act == ACT_SEARCH_PREVIOUS ? -1 : 1);
    if (page->area.cols >= WIDE &&
        (act == ACT_UP || act == ACT_DOWN || act == ACT_NEXT || act == ACT_PREVIOUS))
        return move_wide(home, act == ACT_NEXT ? ACT_DOWN : act == ACT_PREVIOUS ? ACT_UP : act);
    return reader_act(&home->reader, page->app, act, words);
}

// The item of a column's line; -1: none.
static int item_at(const struct sheet *sheet, size_t line)
{
    for (size_t i = 0; line < sheet->line_count && i < sheet->lines[line].count; i++)
        if (sheet->spans[sheet->lines[line].first + i].item >= 0)
            return sheet->spans[sheet->lines[line].first + i].item;
    return -1;
}

static bool click_home(struct page *page, int row, int col)
{
    struct home *home = page->state;
    int before = home->reader.selected;
    bool wide = page->area.cols >= WIDE, right = col >= right_at(page->area.cols);
    if (wide) {
        int item = row < 0 ? -1
                   : right ? item_at(&home->right, home->right_top + (size_t)row)
                           : item_at(&home->reader.sheet, home->left_top + (size_t)row);
        home->reader.selected = item >= 0 ? item : before;
        if (item < 0)
            return false;
    } else if (!reader_click(&home->reader, row, col)) {
        return false;
    }
    struct words none = { 0 };
    if (home->reader.selected == before)
        act_home(page, ACT_ENTER, &none);
    return true;
}

// The first word of the row that is a term.
static void word_home(struct page *page, struct text *out)
{
    struct text words = { 0 };
    reader_word(&((struct home *)page->state)->reader, &words);
    const struct term *term = listing_term(app_glossary(page->app), text_string(&words), 0);
    text_add(out, term ? term->name : "");
    text_free(&words);
}

static void close_home(struct page *page)
{
    struct home *home = page->state;
    forget_items(home);
    sheet_free(&home->right);
    reader_free(&home->reader);
}

const struct page_ops home_page = { .name = "home",
                                    .help =
                                        "The lessons with how far you are, the labs, and what to do next.",
                                    .size = sizeof(struct home),
                                    .open = open_home,
                                    .draw = draw_home,
                                    .act = act_home,
                                    .click = click_home,
                                    .word = word_home,
                                    .close = close_home };
