// home: what to do next, the lessons with how far one is, what is due, the labs, the machine. A wide screen has two
// columns, the learner's on the left and what is looked up on the right.
#include "lessons/answer.h"
#include "tui/view/live.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { HOME_OPENS = 256, DUE_MOST = 8, LAST_MOST = 6, RUNS_MOST = 2000 };
// Rows that are commands; all others open pages.
#define HOME_REVIEW "review"

struct home_best { // of the right runs at full size with the lab's first data, on a GPU or else on the CPU
    double ms;     // 0: there is none
    bool gpu;
    char step[48];
};

// What the workbook says, as it was on `day` in its `version`: going through all of it takes too long for each drawing.
struct home_book {
    size_t version;
    long day; // 0: not known
    struct review_count due;
    struct home_due {
        int lesson; // its number
        char *ask, *opens;
    } named[DUE_MOST]; // the first that are due
    size_t named_count;
    struct home_best *best; // by lab
};

struct home {
    struct reader reader;
    struct sheet right; // the second column of a wide screen; the first one is the reader's
    size_t left_top, right_top;
    char *opens[HOME_OPENS]; // by item: the words that open it
    int count;
    struct home_book book;
    struct lesson_progress *progress; // of each lesson, while it is drawn
};

enum { WIDE = 120, LEFT_LEAST = 79 };

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

// ---- what the workbook says -----------------------------------------------------------------------------------

static void forget_book(struct home_book *book)
{
    for (size_t i = 0; i < book->named_count; i++) {
        free(book->named[i].ask);
        free(book->named[i].opens);
    }
    free(book->best);
    *book = (struct home_book){ 0 };
}

static void read_due(struct home_book *book, struct app *app)
{
    struct review review;
    review_read(app->workbook, app_lessons(app), &review);
    size_t due = review_due(&review, book->day);
    book->due = review_count(&review, 0, due);
    for (size_t i = 0; i < due && i < DUE_MOST; i++) {
        const struct review_item *item = &review.list[i];
        struct text opens = { 0 };
        if (review_is_task(item->live)) {
            lesson_opens_by(app_lessons(app), item->lesson, 0, &opens);
            text_addf(&opens, " %s", item->live->id);
        } else {
            text_add(&opens, HOME_REVIEW);
        }
        book->named[book->named_count++] =
            (struct home_due){ item->lesson->number, live_plain_ask(item->live), text_take(&opens) };
    }
    review_free(&review);
}

static void take_run(struct home_best *best, const struct lab *lab, const json_t *run)
{
    const char *backend = event_text(run, "backend");
    double ms = json_number_value(json_object_get(run, "median_ms"));
    bool gpu = strcmp(backend, "gpu") == 0, cpu = strcmp(backend, "cpu") == 0;
    bool counts = (gpu || cpu) && ms > 0 && strcmp(event_text(run, "status"), "right") == 0 &&
                  strcmp(event_text(run, "preset"), "full") == 0 &&
                  (!lab->data[0] || strcmp(event_text(run, "data"), lab->data[0]) == 0);
    if (!counts || (best->ms > 0 && (best->gpu > gpu || (best->gpu == gpu && best->ms <= ms))))
        return;
    *best = (struct home_best){ .ms = ms, .gpu = gpu };
    format_into(best->step, sizeof best->step, "%s", event_text(run, "variant"));
}

// The fastest of the newest runs.
static void read_best(struct home_book *book, const struct workbook *workbook)
{
    size_t runs = 0;
    book->best = mem_new(lab_count * sizeof *book->best);
    for (size_t i = workbook_count(workbook); i-- > 0 && runs < RUNS_MOST;) {
        if (!workbook_is(workbook, i, "run"))
            continue;
        const json_t *run = workbook_event(workbook, i);
        runs++;
        for (size_t lab = 0; lab < lab_count; lab++)
            if (strcmp(lab_list[lab]->name, event_text(run, "lab")) == 0)
                take_run(&book->best[lab], lab_list[lab], run);
    }
}

static const struct home_book *read_book(struct home *home, struct app *app)
{
    struct home_book *book = &home->book;
    long today = review_day(time(NULL));
    size_t version = app->workbook ? workbook_version(app->workbook) : 0;
    if (!app->workbook || (book->day == today && book->version == version))
        return book;
    forget_book(book);
    book->day = today;
    book->version = version;
    read_due(book, app);
    read_best(book, app->workbook);
    return book;
}

// ---- lessons ------------------------------------------------------------------------------------------------

// Columns after the titles: minutes, a bar, and how many of the questions and tasks are done.
enum { MINUTES_AT = 52, BAR_AT = 64, COUNT_AT = 70, AFTER_LEAST = 77, BAR_CELLS = 5, AFTER_NARROW = 17 };

static int lesson_item(struct home *home, struct app *app, const struct lesson *lesson, size_t part)
{
    struct text words = { 0 };
    lesson_opens_by(app_lessons(app), lesson, part, &words);
    int number = item(home, "%s", text_string(&words));
    text_free(&words);
    return number;
}

static void add_sign(struct sheet *sheet, struct progress progress, bool begun)
{
    bool done = progress.asked && progress.done == progress.asked;
    enum glyph sign = done ? GLYPH_DONE : begun || progress.done ? GLYPH_HALF : GLYPH_OPEN;
    sheet_add(sheet, done ? ROLE_GOOD : ROLE_DIM, "%s", glyph(sheet->utf8, sign));
}

// What is done of what is asked: a bar over a track of dots, and the numbers, which say the same without it.
static void add_progress(struct sheet *sheet, int done, int asked)
{
    struct text bar = { 0 };
    enum role role = done == asked ? ROLE_GOOD : ROLE_DIM;
    bar_text(&bar, sheet->utf8, (double)done / asked, BAR_CELLS);
    sheet_to(sheet, BAR_AT);
    sheet_add(sheet, ROLE_GOOD, "%s", text_string(&bar));
    for (int at = text_cells(text_string(&bar)); at < BAR_CELLS && !drawn_flat; at++)
        sheet_add(sheet, ROLE_FRAME, "%s", glyph(sheet->utf8, GLYPH_EMPTY));
    text_free(&bar);
    sheet_to(sheet, drawn_flat ? BAR_AT : COUNT_AT);
    sheet_add(sheet, role, drawn_flat ? "%d of %d done" : "%d/%d", done, asked);
}

// Where the minutes of a lesson's parts begin: more than three begin before the column.
static int parts_at(const struct lesson *lesson)
{
    enum { BELOW_COLUMN = 3, PART_CELLS = 4 };
    int before = (int)lesson->part_count - BELOW_COLUMN;
    return MINUTES_AT - (before > 0 ? before * PART_CELLS : 0);
}

// Each part's minutes, after how far it is: "✓20 ◐24 ○34".
static void add_parts(struct sheet *sheet, const struct lesson *lesson, const struct progress *parts)
{
    sheet_to(sheet, parts_at(lesson));
    for (size_t i = 1; i <= lesson->part_count; i++) {
        if (i > 1)
            sheet_add(sheet, ROLE_DIM, " ");
        add_sign(sheet, parts[i - 1], false);
        sheet_add(sheet, ROLE_DIM, "%d", lesson->parts[i - 1].minutes);
    }
    if (sheet->used + (int)strlen(" min") < BAR_AT)
        sheet_add(sheet, ROLE_DIM, " min");
}

static void add_after(struct sheet *sheet, const struct lesson *lesson,
                      const struct lesson_progress *progress)
{
    bool parts = lesson->part_count && sheet->used < parts_at(lesson) && !drawn_flat;
    char time[24];
    format_into(time, sizeof time, "%3d min", lesson->minutes);
    if (sheet->width >= AFTER_LEAST && sheet->used < MINUTES_AT) {
        if (parts) {
            add_parts(sheet, lesson, progress->parts);
        } else {
            sheet_to(sheet, MINUTES_AT);
            sheet_add(sheet, ROLE_DIM, "%s", time);
        }
        if (progress->all.asked)
            add_progress(sheet, progress->all.done, progress->all.asked);
    } else if (sheet->used + AFTER_NARROW < sheet->width) {
        sheet_to(sheet, sheet->width - AFTER_NARROW);
        sheet_add(sheet, ROLE_DIM, "%s", time);
        if (progress->all.asked)
            sheet_add(sheet, ROLE_DIM, ", %d/%d", progress->all.done, progress->all.asked);
    }
}

static void lesson_row(struct home *home, struct sheet *sheet, struct app *app, const struct lesson *lesson,
                       const struct lesson_progress *progress)
{
    sheet_add(sheet, ROLE_TEXT, " ");
    sheet->item = lesson_item(home, app, lesson, 0);
    sheet_add(sheet, ROLE_TEXT, " ");
    add_sign(sheet, progress->all, progress->all.opened);
    sheet_add(sheet, ROLE_TEXT, " %2d  ", lesson->number);
    sheet_hang(sheet, 8);
    sheet_flow(sheet, ROLE_TEXT, "%s", lesson->title);
    sheet->item = -1;
    add_after(sheet, lesson, progress);
    sheet_end(sheet);
}

static void review_row(struct home *home, struct sheet *sheet, const struct home_book *book)
{
    struct text words = { 0 };
    if (!book->due.questions && !book->due.tasks)
        return;
    review_sitting_words(book->due, &words);
    sheet_add(sheet, ROLE_TEXT, " ");
    sheet->item = item(home, HOME_REVIEW);
    sheet_add(sheet, ROLE_LINK, " %s to review: :review ", words.data);
    sheet->item = -1;
    sheet_end(sheet);
    text_free(&words);
}

static void due_rows(struct home *home, struct sheet *sheet, const struct home_book *book)
{
    size_t all = book->due.questions + book->due.tasks;
    if (!all)
        return;
    heading(sheet, "To review today");
    for (size_t i = 0; i < book->named_count; i++) {
        const struct home_due *due = &book->named[i];
        sheet_add(sheet, ROLE_TEXT, " ");
        sheet->item = item(home, "%s", due->opens);
        sheet_add(sheet, ROLE_TEXT, "   %2d  ", due->lesson);
        sheet_add_cut(sheet, ROLE_TEXT, due->ask);
        sheet->item = -1;
        sheet_end(sheet);
    }
    if (all > book->named_count) {
        sheet_add(sheet, ROLE_DIM, "        and %zu more", all - book->named_count);
        sheet_end(sheet);
    }
}

// The newest answers and runs.
static void last_rows(struct home *home, struct sheet *sheet, const struct workbook *workbook)
{
    struct links links = { 0 };
    const struct book_view last = { .most = LAST_MOST, .last = true };
    if (!workbook)
        return;
    struct sheet rows = book_sheet(workbook, &last, sheet->width, sheet->utf8, &links);
    if (rows.line_count)
        heading(sheet, "Last attempts");
    for (size_t i = 0; i < rows.span_count; i++) // the items of this page
        if (rows.spans[i].item >= 0)
            rows.spans[i].item += home->count;
    typeset_paste(sheet, &rows, "", true);
    for (size_t i = 0; i < links.count; i++)
        item(home, "%s", links.opens[i]);
    links_free(&links);
    sheet_free(&rows);
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

// What is open in a part although a later one was left.
static void open_row(struct home *home, struct sheet *sheet, struct app *app, const struct next *next)
{
    struct text words = { 0 };
    const struct lesson *lesson = next->lesson;
    size_t at = (size_t)(lesson - app_lessons(app)->list);
    lesson_opens_by(app_lessons(app), lesson, 0, &words);
    sheet->item = item(home, "%s %s", words.data, next->open->id);
    sheet_add(sheet, ROLE_LINK, " Lesson %d.%zu: %s, %d still open ", lesson->number, next->part,
              lesson->parts[next->part - 1].title, home->progress[at].parts[next->part - 1].open);
    sheet->item = -1;
    sheet_end(sheet);
    sheet_add(sheet, ROLE_TEXT, " ");
    text_free(&words);
}

static void next_rows(struct home *home, struct sheet *sheet, struct app *app, const struct next *next)
{
    const struct lesson *lesson = next->lesson;
    if (!lesson) {
        sheet->item = item(home, "bench %s", lab_list[0]->name);
        sheet_add(sheet, ROLE_LINK, " The %s ladder ", lab_list[0]->name);
    } else if (!next->part) {
        sheet->item = lesson_item(home, app, lesson, 0);
        sheet_add(sheet, ROLE_LINK, " Lesson %d: %s, %d minutes ", lesson->number, lesson->title,
                  lesson->minutes);
    } else if (!next->open) {
        const struct lesson_part *part = &lesson->parts[next->part - 1];
        sheet->item = lesson_item(home, app, lesson, next->part == next->left ? 0 : next->part);
        sheet_add(sheet, ROLE_LINK, " Lesson %d.%zu: %s, %d minutes ", lesson->number, next->part,
                  part->title, part->minutes);
    } else {
        open_row(home, sheet, app, next);
        sheet->item = lesson_item(home, app, lesson, 0);
        sheet_add(sheet, ROLE_LINK, " Lesson %d.%zu: %s, where you left ", lesson->number, next->left,
                  lesson->parts[next->left - 1].title);
    }
    sheet->item = -1;
    sheet_end(sheet);
}

// "Lessons, 17 h, 12 of 357 done  each part  done": what all of them take, how far one is who has begun, and what the
// columns hold.
static void lessons_heading(const struct home *home, struct sheet *sheet, const struct lessons *lessons)
{
    enum { LONG = 180 }; // minutes, from which on hours say more
    struct lesson_progress total = { 0 };
    int minutes = 0;
    for (size_t i = 0; i < lessons->count; i++) {
        total.all.asked += home->progress[i].all.asked;
        total.all.done += home->progress[i].all.done;
        minutes += lessons->list[i].minutes;
    }
    sheet_gap(sheet);
    sheet_add(sheet, ROLE_TITLE, " Lessons");
    sheet_add(sheet, ROLE_DIM, minutes < LONG ? ", %d min" : ", %d h",
              minutes < LONG ? minutes : (minutes + 30) / 60);
    if (total.all.done)
        sheet_add(sheet, ROLE_DIM, ", %d of %d done", total.all.done, total.all.asked);
    if (sheet->width >= AFTER_LEAST && !drawn_flat) {
        sheet_to(sheet, MINUTES_AT);
        sheet_add(sheet, ROLE_DIM, "each part");
        sheet_to(sheet, BAR_AT);
        sheet_add(sheet, ROLE_DIM, "done");
    }
    sheet_end(sheet);
}

static void lessons_part(struct home *home, struct sheet *sheet, struct app *app)
{
    const struct lessons *lessons = app_lessons(app);
    home->progress = progress_read(app->workbook, lessons);
    struct next next = progress_next(app->workbook, lessons, home->progress);
    heading(sheet, "Next");
    sheet_add(sheet, ROLE_TEXT, " ");
    next_rows(home, sheet, app, &next);
    review_row(home, sheet, read_book(home, app));
    lessons_heading(home, sheet, lessons);
    for (size_t i = 0; i < lessons->count; i++)
        lesson_row(home, sheet, app, &lessons->list[i], &home->progress[i]);
    for (size_t i = 0; i < lessons->broken_count; i++)
        broken_row(home, sheet, &lessons->broken[i]);
    progress_free(home->progress, lessons);
    home->progress = NULL;
}

// ---- labs and the rest -----------------------------------------------------------------------------------------------------

static void link_row(struct home *home, struct sheet *sheet, const char *opens, const char *name,
                     const char *what)
{
    sheet_add(sheet, ROLE_TEXT, " ");
    sheet->item = item(home, "%s", opens);
    sheet_add(sheet, ROLE_TEXT, " %-12s", name);
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
    char where[60];
    bool asked = runs_where(app, where, sizeof where);
    if (*where)
        sheet_flow(sheet, ROLE_DIM, "%s%s.", where, asked ? "" : ", not asked yet");
    else if (!machine)
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

// The fastest run of one's own, below the lab.
static void best_row(struct sheet *sheet, const struct home_best *best)
{
    char time[32];
    unit_ms(best->ms, time, sizeof time);
    sheet_to(sheet, 15);
    sheet_hang(sheet, 15);
    sheet_flow(sheet, best->gpu ? ROLE_GPU : ROLE_CPU, "%s on the %s,", time, best->gpu ? "GPU" : "CPU");
    sheet_flow(sheet, ROLE_DIM, " %s", best->step);
    sheet_end(sheet);
}

static void labs_part(struct home *home, struct sheet *sheet, struct app *app, bool wide)
{
    const struct home_best *best = read_book(home, app)->best;
    heading(sheet, "Labs");
    for (size_t i = 0; i < lab_entry_count(); i++) {
        struct lab_entry lab = lab_entry(i);
        char opens[64];
        format_into(opens, sizeof opens, "bench %s", lab.name);
        link_row(home, sheet, opens, lab.name, lab.title);
        if (wide && best && lab.lab && best[i].ms > 0)
            best_row(sheet, &best[i]);
    }
    heading(sheet, "More");
    link_row(home, sheet, "explore", "explore",
             "Pictures that answer while you turn a knob: banks, sectors, warps, occupancy.");
    link_row(home, sheet, "terms", "terms", "Every word, in one sentence and a picture.");
    link_row(home, sheet, "workbook", "workbook", "What you predicted, answered and ran.");
    link_row(home, sheet, "machine", "machine", "What was found here, and what to do about what is missing.");
    link_row(home, sheet, "help", "help", "Keys, pages and commands.");
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
        labs_part(home, &left, page->app, false);
        reader_show(&home->reader, left, home->count);
        if (was_wide)
            see_selected(&home->reader, area.rows);
        reader_draw(&home->reader, area);
        draw_more(area, home->reader.top, home->reader.sheet.line_count);
        return;
    }
    due_rows(home, &left, &home->book);
    last_rows(home, &left, page->app->workbook);
    home->right = sheet_new(area.cols - right_at(area.cols) - 1, utf8);
    labs_part(home, &home->right, page->app, true);
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

// Searches both columns, the second one as if it were below the first. A hit is known by its item alone, so
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
        const char *opens = home->opens[at];
        if (!*opens) // of an attempt that leads nowhere
            return DONE;
        if (strcmp(opens, HOME_REVIEW) == 0)
            return app_do(page->app, opens);
        return app_open(page->app, opens) ? DONE : DONE_FAILED;
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
    forget_book(&home->book);
    sheet_free(&home->right);
    reader_free(&home->reader);
}

static const char *hints(const struct page *page)
{
    return "down choose, enter open, find find";
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
                                    .hints = hints,
                                    .close = close_home };
