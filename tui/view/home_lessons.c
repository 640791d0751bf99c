// The lessons on the first page: the next one, what is to be reviewed, and all of them with how far one is.
#include "tui/view/home.h"

#include <string.h>
#include <time.h>

enum { BEHIND = 17 }; // "30 min, 12 of 27"

static int lesson_item(struct home *home, struct app *app, const struct lesson *lesson)
{
    struct text words = { 0 };
    lesson_opens_by(app_lessons(app), lesson, &words);
    int number = home_item(home, "%s", text_string(&words));
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
    sheet->item = home_item(home, HOME_REVIEW);
    sheet_add(sheet, ROLE_LINK, " %s to review: :review ", words.data);
    sheet->item = -1;
    sheet_end(sheet);
    text_free(&words);
}

// One's own that cannot be read, with the first line of why; opening it says all of it.
static void broken_row(struct home *home, struct sheet *sheet, const struct broken_lesson *broken)
{
    sheet_add(sheet, ROLE_TEXT, " ");
    sheet->item = home_item(home, "lesson \"%s\"", broken->name);
    sheet_add(sheet, ROLE_BAD, " %s", glyph(sheet->utf8, GLYPH_WRONG));
    sheet_to(sheet, 8);
    sheet_hang(sheet, 8);
    sheet_flow(sheet, ROLE_TEXT, "%s", broken->name);
    sheet->item = -1;
    sheet_flow(sheet, ROLE_DIM, ": %.*s", (int)strcspn(broken->words, "\n"), broken->words);
    sheet_end(sheet);
}

void home_lessons(struct home *home, struct sheet *sheet, struct app *app)
{
    const struct lessons *lessons = app_lessons(app);
    const struct lesson *next = progress_next(app_lessons(app), app->workbook);
    home_heading(sheet, "Next");
    sheet_add(sheet, ROLE_TEXT, " ");
    sheet->item = next ? lesson_item(home, app, next) : home_item(home, "bench %s", lab_list[0]->name);
    if (next)
        sheet_add(sheet, ROLE_LINK, " Lesson %d: %s ", next->number, next->title);
    else
        sheet_add(sheet, ROLE_LINK, " The %s ladder ", lab_list[0]->name);
    sheet->item = -1;
    sheet_end(sheet);
    review_row(home, sheet, app);
    home_heading(sheet, "Lessons");
    for (size_t i = 0; i < lessons->count; i++)
        lesson_row(home, sheet, app, &lessons->list[i]);
    for (size_t i = 0; i < lessons->broken_count; i++)
        broken_row(home, sheet, &lessons->broken[i]);
}
