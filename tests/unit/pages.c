// Every page at every size, from 1 x 1 on: nothing crashes, no cell outside of the page's area is written, each cell
// holds a whole character, the cursor is on the canvas, and a page that was made small and large again shows what it
// showed before.
#include "tui/tui.h"
#include "tui/view/view.h"

#include <locale.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static const struct vocabulary known = { page_list, commands, NULL };

enum { ROWS_MOST = 80, COLS_MOST = 250, EDGE = 3 };

static void face_size(void *context, int *rows, int *cols)
{
    *rows = 24;
    *cols = 80;
}

static void face_show(void *context, const struct canvas *canvas)
{
}

static void face_next(void *context, int wake, int timeout_ms, struct event *out)
{
    struct pollfd fd = { wake, POLLIN, 0 };
    poll(&fd, 1, 1000);
    out->kind = EVENT_WOKEN;
}

static bool face_lend(void *context, const char *const *argv, int *status, struct error *error)
{
    *status = 0;
    return true;
}

static void settle(struct app *app)
{
    struct event event;
    while (tasks_waiting(app->tasks, LANE_RUNS) || tasks_waiting(app->tasks, LANE_HELP))
        app_wait(app, &event);
}

static void open_app(struct app *app, bool utf8)
{
    struct face face = { .size = face_size, .show = face_show, .next = face_next, .lend = face_lend };
    *app = (struct app){ .timeless = true };
    app_init(app, &known, face, utf8);
    assert_true(app_open(app, "home"));
    settle(app);
}

// ---- one size ---------------------------------------------------------------------------------------------

static void expect_whole(const struct canvas *canvas, const char *words)
{
    for (int row = 0; row < canvas->rows; row++)
        for (int col = 0; col < canvas->cols; col++) {
            const struct cell *cell = &canvas->cells[row * canvas->cols + col];
            if (cell->text[0] >= ' ' && cell->text[0] < 0x7f && !cell->text[1])
                continue; // most of them
            bool half = !cell->text[0], wide = !half && text_cells(cell->text) == 2;
            bool broken = (half && (!col || text_cells(cell[-1].text) != 2)) ||
                          (wide && (col + 1 == canvas->cols || cell[1].text[0])) ||
                          (!half && text_cells(cell->text) < 1);
            if (broken)
                fail_msg("%s at %d x %d: half a character in row %d, column %d", words, canvas->cols,
                         canvas->rows, row, col);
        }
}

static void resize(struct app *app, int rows, int cols)
{
    canvas_resize(&app->canvas, rows, cols);
    app_draw(app);
}

// The program's own frame, then the page alone in an area of this size with a rim that must stay blank.
static void draw_at(struct app *app, const char *words, int rows, int cols)
{
    resize(app, rows, cols);
    expect_whole(&app->canvas, words);
    if (app->canvas.cursor_row < 0 || app->canvas.cursor_row >= rows || app->canvas.cursor_col < 0 ||
        app->canvas.cursor_col >= cols)
        fail_msg("%s at %d x %d: the cursor is outside", words, cols, rows);
    struct canvas canvas = { .utf8 = app->canvas.utf8 };
    canvas_resize(&canvas, rows + 2 * EDGE, cols + 2 * EDGE);
    app->page->area = area_part(canvas_area(&canvas), EDGE, EDGE, rows, cols);
    app->page->ops->draw(app->page, app->page->area);
    for (int row = 0; row < canvas.rows; row++)
        for (int col = 0; col < canvas.cols; col++) {
            const struct cell *cell = &canvas.cells[row * canvas.cols + col];
            if (row >= EDGE && row < EDGE + rows && col == EDGE)
                col = EDGE + cols, cell = &canvas.cells[row * canvas.cols + col];
            if (strcmp(cell->text, " ") != 0 || cell->role || cell->marks)
                fail_msg("%s at %d x %d: '%s' outside, in row %d, column %d", words, cols, rows, cell->text,
                         row - EDGE, col - EDGE);
        }
    canvas_free(&canvas);
}

// ---- one page -----------------------------------------------------------------------------------------------

static void every_size(struct app *app, const char *words)
{
    static const int some_rows[] = { 3, 24 }, some_cols[] = { 40, 120 };
    static const int corners[][2] = {
        { 80, 250 }, { 80, 1 }, { 1, 250 }, { 40, 180 }, { 45, 160 }, { 2, 2 }
    };
    for (size_t i = 0; i < sizeof some_rows / sizeof *some_rows; i++)
        for (int cols = 1; cols <= COLS_MOST; cols++)
            draw_at(app, words, some_rows[i], cols);
    for (size_t i = 0; i < sizeof some_cols / sizeof *some_cols; i++)
        for (int rows = 1; rows <= ROWS_MOST; rows++)
            draw_at(app, words, rows, some_cols[i]);
    for (size_t i = 0; i < sizeof corners / sizeof *corners; i++)
        draw_at(app, words, corners[i][0], corners[i][1]);
}

// The line that the cursor is parked on: what is selected.
static void line_of_cursor(const struct app *app, struct text *out)
{
    const struct canvas *canvas = &app->canvas;
    text_add(out, "");
    for (int col = 0; col + 2 < canvas->cols; col++) // signs of more may come and go at the end
        text_add(out, canvas->cells[canvas->cursor_row * canvas->cols + col].text);
}

static void keeps_its_selection(struct app *app, const char *words)
{
    static const int sizes[][2] = { { 10, 40 }, { 1, 1 }, { 50, 200 }, { 12, 60 }, { 24, 250 }, { 80, 40 } };
    resize(app, 24, 80);
    for (int i = 0; i < 5; i++)
        app_event(app, &(struct event){ .kind = EVENT_KEY, .key = 'j' });
    app_draw(app);
    struct text before = { 0 };
    line_of_cursor(app, &before);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct text after = { 0 };
        resize(app, sizes[i][0], sizes[i][1]);
        resize(app, 24, 80);
        line_of_cursor(app, &after);
        if (strcmp(before.data, after.data) != 0)
            fail_msg("%s: by way of %d x %d the selection moved\nfrom %s\nto   %s", words, sizes[i][1],
                     sizes[i][0], before.data, after.data);
        text_free(&after);
    }
    text_free(&before);
}

// ---- the pages ------------------------------------------------------------------------------------------------

static void check_page(const char *words, bool utf8)
{
    struct app app;
    open_app(&app, utf8);
    if (!app_open(&app, words))
        fail_msg("%s does not open: %s", words, app.message);
    settle(&app);
    every_size(&app, words);
    keeps_its_selection(&app, words);
    app_end(&app);
}

static void run_page(void **state)
{
    check_page(*state, true);
}

static void in_ascii(void **state)
{
    check_page("bench histogram", false);
    check_page("explore banks", false);
}

static void flat_at_every_size(void **state)
{
    static const char *const pages[] = { "home", "bench histogram", "source histogram/3", "explore occupancy",
                                         "terms warp" };
    drawn_flat = true;
    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++)
        check_page(pages[i], true);
    drawn_flat = false;
}

static bool shows(const struct app *app, const char *words)
{
    struct text text = { 0 };
    canvas_dump(&app->canvas, &text, NULL);
    bool found = strstr(text_string(&text), words) != NULL;
    text_free(&text);
    return found;
}

static size_t size_of(const char *path)
{
    struct stat there;
    return stat(path, &there) == 0 ? (size_t)there.st_size : 0;
}

static void a_saved_screen_replaces_nothing_unasked(void **state)
{
    struct app app;
    char path[] = "/tmp/warpbook-pages-XXXXXX", line[100];
    int fd = mkstemp(path);
    assert_true(fd >= 0 && close(fd) == 0);
    open_app(&app, true);
    assert_true(app_open(&app, "explore banks"));
    settle(&app);
    resize(&app, 24, 80);
    format_into(line, sizeof line, "save %s", path);
    assert_int_equal(app_do(&app, line), DONE_FAILED);
    assert_non_null(strstr(app.message, "already exists; nothing was changed."));
    assert_int_equal(size_of(path), 0);
    format_into(line, sizeof line, "save --force %s", path);
    assert_int_equal(app_do(&app, line), DONE);
    assert_true(size_of(path) > 24);
    unlink(path);
    format_into(line, sizeof line, "save %s", path);
    assert_int_equal(app_do(&app, line), DONE);
    unlink(path);
    assert_int_equal(app_do(&app, "save /tmp --force"), DONE_FAILED);
    assert_non_null(strstr(app.message, "is not an ordinary file"));
    assert_int_equal(app_do(&app, "save a b"), DONE_FAILED);
    assert_int_equal(app_do(&app, "save --force"), DONE_FAILED);
    app_end(&app);
}

// PTX and SASS: both beside the source where there is room, else the one that was asked for last.
static void beside_the_source(void **state)
{
    struct app app;
    open_app(&app, true);
    assert_true(app_open(&app, "source histogram/3"));
    resize(&app, 40, 200);
    settle(&app); // the PTX is there by itself
    resize(&app, 40, 200);
    app_do(&app, "sass");
    settle(&app);
    resize(&app, 40, 200);
    assert_true(shows(&app, " PTX ─") && shows(&app, " SASS ─"));
    resize(&app, 40, 120);
    assert_true(!shows(&app, " PTX ─") && shows(&app, " SASS ─"));
    every_size(&app, "source with PTX and SASS");
    resize(&app, 40, 120);
    app_do(&app, "ptx");
    settle(&app);
    resize(&app, 40, 200);
    assert_true(shows(&app, " PTX ─") && !shows(&app, " SASS ─"));
    app_do(&app, "pane both");
    settle(&app);
    app_do(&app, "pane source");
    resize(&app, 40, 200);
    assert_true(!shows(&app, " PTX ─") && !shows(&app, " SASS ─"));
    app_end(&app);
}

// What a size does to the rows in sight is not for good, also where the page has no room and is laid out unseen.
static void a_ladder_keeps_its_place(void **state)
{
    static const int sizes[][2] = { { 60, 240 }, { 2, 2 }, { 10, 40 }, { 45, 160 }, { 1, 250 } };
    struct app app;
    open_app(&app, true);
    assert_true(app_open(&app, "bench banks"));
    settle(&app);
    resize(&app, 24, 80);
    for (const char *key = "jjjjjjjjjkkkkkk"; *key;
         key++) { // past the end of the ladder's pane, and some way back
        struct text before = { 0 }, after = { 0 };
        app_event(&app, &(struct event){ .kind = EVENT_KEY, .key = *key });
        app_draw(&app);
        canvas_dump(&app.canvas, &before, NULL);
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
            resize(&app, sizes[i][0], sizes[i][1]);
        resize(&app, 24, 80);
        canvas_dump(&app.canvas, &after, NULL);
        assert_string_equal(before.data, after.data);
        text_free(&before);
        text_free(&after);
    }
    app_end(&app);
}

// Each kind of keys at sizes at which most pages show nothing.
static void keys_at_tiny_sizes(void **state)
{
    static const char *const pages[] = { "bench histogram", "source histogram/3",
                                         "explore grid",    "help bench",
                                         "terms",           "workbook" };
    static const char keys[] = "jklhGgpzdx/n?q";
    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++) {
        struct app app;
        open_app(&app, true);
        for (int size = 1; size < 14 && !app.quit; size += 3) {
            assert_true(app_open(&app, pages[i]));
            resize(&app, size, size * 5);
            for (const char *key = keys; *key && !app.quit; key++) {
                app_event(&app, &(struct event){ .kind = EVENT_KEY, .key = *key });
                if (app.quit)
                    break;
                app_event(&app, &(struct event){ .kind = EVENT_MOUSE, .row = size - 2, .col = 2 });
                app_draw(&app);
            }
            settle(&app);
        }
        app_end(&app);
    }
}

// Every action of a page, each right after the page opened: nothing was drawn, or nothing but that the screen is small.
static void act_on(struct app *app, const char *words, bool drawn)
{
    for (size_t i = 0; i < action_count; i++) {
        if (!app_open(app, words))
            fail_msg("%s does not open: %s", words, app->message);
        if (!action_fits(&actions[i], app->page->ops->name) || actions[i].act == ACT_QUIT ||
            actions[i].act == ACT_BACK) {
            app_back(app);
            continue;
        }
        if (drawn)
            app_draw(app);
        app_do(app, actions[i].name);
        app_do(app, actions[i].name);
        app_event(app, &(struct event){ .kind = EVENT_MOUSE, .row = 1, .col = 2 });
        app_do(app, "stop");
        app_do(app, "home");
    }
    settle(app);
}

static void actions_without_a_drawing(void **state)
{
    static const char *const pages[] = {
        "lesson",
        "lesson 3",
        "lesson 6",
        "find bank",
        "bench histogram",
        "bench streams",
        "source histogram/3",
        "step histogram/3",
        "compare banks/1 banks/9",
        "explore occupancy",
        "terms",
        "workbook",
        "help bench",
        "machine",
    };
    static const int sizes[][2] = { { 1, 1 }, { 9, 80 }, { 10, 40 } };
    struct app app;
    char here[4096];
    const char *home = getenv("HOME");
    assert_non_null(getcwd(here, sizeof here));
    assert_int_equal(home ? chdir(home) : -1, 0); // `export` writes where the program runs
    open_app(&app, true);
    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++)
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
            canvas_resize(&app.canvas, sizes[k][0], sizes[k][1]);
            act_on(&app, pages[i], false);
            act_on(&app, pages[i], true);
        }
    app_end(&app);
    assert_int_equal(chdir(here), 0);
}

// Whether drawing has left the sheet of the page's reader as it was, by a mark in it, which no sheet has.
static bool keeps_its_sheet(struct app *app)
{
    enum { MARK = 200 };
    struct sheet *sheet = &((struct reader *)app->page->state)->sheet;
    uint8_t before = sheet->spans[0].role;
    sheet->spans[0].role = MARK;
    app_do(app, "down");
    app_draw(app);
    bool kept = sheet->spans[0].role == MARK;
    sheet->spans[0].role = kept ? before : sheet->spans[0].role;
    return kept;
}

static void a_difference_is_made_once(void **state)
{
    static const char *const changes[] = { "unfold",   "variant-next", "variant-previous",
                                           "baseline", "pane numbers", "pane source" };
    struct app app;
    open_app(&app, true);
    assert_true(app_open(&app, "compare histogram/1 histogram/3"));
    resize(&app, 24, 80);
    assert_true(keeps_its_sheet(&app));
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        struct sheet *sheet = &((struct reader *)app.page->state)->sheet;
        struct text before = { 0 }, after = { 0 };
        sheet_plain(sheet, 0, SIZE_MAX, &before);
        app_do(&app, changes[i]);
        app_draw(&app);
        sheet_plain(sheet, 0, SIZE_MAX, &after);
        if (strcmp(text_string(&before), text_string(&after)) == 0)
            fail_msg("%s: the difference is still the one before", changes[i]);
        text_free(&before);
        text_free(&after);
    }
    assert_true(keeps_its_sheet(&app));
    resize(&app, 24, 130); // both texts beside each other
    assert_int_equal(((struct reader *)app.page->state)->sheet.width, 130);
    app_end(&app);
}

int main(int count, char **words)
{
    setlocale(LC_CTYPE, "C.UTF-8");
    if (count > 1) { // the program looks for itself to run a command or a compile
        const char *program = getenv("WARPBOOK");
        if (program)
            execv(program, words);
        return 127;
    }
    static const char *const pages[] = { "home",
                                         "bench vecadd",
                                         "bench divergence",
                                         "bench coalescing",
                                         "bench banks",
                                         "bench transpose",
                                         "bench reduction",
                                         "bench histogram",
                                         "bench matvec",
                                         "bench streams",
                                         "source histogram/3",
                                         "source banks/1",
                                         "compare histogram/1 histogram/3",
                                         "compare histogram/1",
                                         "explore",
                                         "explore banks",
                                         "explore coalescing",
                                         "explore divergence",
                                         "explore grid",
                                         "explore occupancy",
                                         "explore waves",
                                         "explore model",
                                         "machine",
                                         "help bench",
                                         "terms",
                                         "terms warp",
                                         "workbook",
                                         "lesson",
                                         "lesson 7",
                                         "step histogram/3",
                                         "output list histogram" };
    enum { PAGES = sizeof pages / sizeof *pages };
    struct CMUnitTest tests[PAGES + 8];
    for (size_t i = 0; i < PAGES; i++)
        tests[i] = (struct CMUnitTest){ .name = pages[i],
                                        .test_func = run_page,
                                        .initial_state = (void *)(uintptr_t)pages[i] };
    tests[PAGES] = (struct CMUnitTest){ .name = "in ASCII", .test_func = in_ascii };
    tests[PAGES + 1] = (struct CMUnitTest){ .name = "keys at tiny sizes", .test_func = keys_at_tiny_sizes };
    tests[PAGES + 2] = (struct CMUnitTest){ .name = "beside the source", .test_func = beside_the_source };
    tests[PAGES + 3] =
        (struct CMUnitTest){ .name = "saved screens", .test_func = a_saved_screen_replaces_nothing_unasked };
    tests[PAGES + 4] =
        (struct CMUnitTest){ .name = "actions without a drawing", .test_func = actions_without_a_drawing };
    tests[PAGES + 5] = (struct CMUnitTest){ .name = "flat", .test_func = flat_at_every_size };
    tests[PAGES + 6] = (struct CMUnitTest){ .name = "a difference", .test_func = a_difference_is_made_once };
    tests[PAGES + 7] =
        (struct CMUnitTest){ .name = "a ladder keeps its place", .test_func = a_ladder_keeps_its_place };
    setenv("WARPBOOK_WORKER", "exec false", 1); // nothing runs: pages show what ships
    return _cmocka_run_group_tests("pages", tests, PAGES + 8, NULL, NULL);
}
