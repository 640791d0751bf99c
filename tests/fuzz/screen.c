// The screen without a terminal: pages, keys, clicks, pastes, words and sizes from 1 x 1 to 300 x 100, as the input says.
// Every cell holds a whole character, and the cursor is on the canvas.
#include "tests/fuzz/shared/fuzz.h"

#include <locale.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tui/tui.h"
#include "tui/view/view.h"

static const struct vocabulary known = { page_list, commands, NULL };

enum { EVENTS_MOST = 200, ROWS_MOST = 100, COLS_MOST = 300 };

// ---- no other program runs ------------------------------------------------------------------------------------

typedef bool start_child_on(const char *const *argv, const struct child_terms *terms, struct child *child,
                            struct error *error);
typedef bool run_child_on(const char *const *argv, const struct child_terms *terms, const char *input,
                          size_t input_length, int limit_ms, const atomic_bool *stop,
                          struct child_result *result, struct error *error);
start_child_on __wrap_child_start_on;
run_child_on __wrap_child_run_on;

bool __wrap_child_start_on(const char *const *argv, const struct child_terms *terms, struct child *child,
                           struct error *error)
{
    return error_set(error, EXIT_MISSING, "Cannot start %s.", argv[0]);
}

bool __wrap_child_run_on(const char *const *argv, const struct child_terms *terms, const char *input,
                         size_t input_length, int limit_ms, const atomic_bool *stop,
                         struct child_result *result, struct error *error)
{
    return error_set(error, EXIT_MISSING, "Cannot start %s.", argv[0]);
}

// ---- a face ----------------------------------------------------------------------------------------------------

static int rows = 24, cols = 80;

static void face_size(void *context, int *out_rows, int *out_cols)
{
    *out_rows = rows;
    *out_cols = cols;
}

static void face_show(void *context, const struct canvas *canvas)
{
    must(canvas->cursor_row >= 0 && canvas->cursor_row < canvas->rows);
    must(canvas->cursor_col >= 0 && canvas->cursor_col < canvas->cols);
    for (int i = 0; i < canvas->rows * canvas->cols; i++) {
        const struct cell *cell = &canvas->cells[i];
        bool last = (i + 1) % canvas->cols == 0;
        if (cell->text[0] >= ' ' && cell->text[0] < 0x7f && !cell->text[1])
            continue; // most of them
        int cells = cell->text[0] ? text_cells(cell->text) : 0;
        must(cells == 1 || (cells == 2 && !last && !cell[1].text[0]) ||
             (cells == 0 && !cell->text[0] && i % canvas->cols && text_cells(cell[-1].text) == 2));
    }
}

static void face_next(void *context, int wake, int timeout_ms, struct event *out)
{
    struct pollfd fd = { wake, POLLIN, 0 };
    poll(&fd, 1, 1000);
    out->kind = EVENT_WOKEN;
}

// An editor that adds a line.
static bool face_lend(void *context, const char *const *argv, int *status, struct error *error)
{
    const char *path = NULL;
    for (; *argv; argv++)
        path = *argv;
    struct text text = { 0 };
    if (string_starts(path, fuzz_home()) && file_read(path, &text, error)) {
        text_add(&text, "// more\n");
        must(file_replace(path, text.data, text.length, error));
    }
    text_free(&text);
    *status = 0;
    return true;
}

static void face_mouse(void *context, bool on)
{
}

static void face_again(void *context)
{
}

// ---- what the input says -----------------------------------------------------------------------------------------

static void settle(struct app *app)
{
    struct event event;
    while (tasks_waiting(app->tasks, LANE_RUNS) || tasks_waiting(app->tasks, LANE_HELP))
        app_wait(app, &event);
}

static void resize(struct app *app, struct bytes *bytes)
{
    rows = 1 + (int)bytes_below(bytes, ROWS_MOST);
    cols = 1 + (int)bytes_below(bytes, COLS_MOST);
    canvas_resize(&app->canvas, rows, cols);
    app_draw(app);
}

static void press(struct app *app, int key)
{
    app_event(app, &(struct event){ .kind = EVENT_KEY, .key = key });
}

static void click(struct app *app, struct bytes *bytes)
{
    struct event event = { .kind = EVENT_MOUSE, .row = (int)bytes_below(bytes, (uint32_t)rows) };
    event.col = (int)bytes_below(bytes, (uint32_t)cols);
    event.wheel = (int)bytes_below(bytes, 5) - 2;
    app_event(app, &event);
}

static void paste(struct app *app, struct bytes *bytes)
{
    struct event event = { .kind = EVENT_PASTE, .text = bytes_line(bytes) };
    app_event(app, &event);
    free(event.text);
}

static void open_page(struct app *app, struct bytes *bytes)
{
    static const char *const pages[] = { "home",
                                         "bench histogram",
                                         "bench streams",
                                         "lesson 6",
                                         "lesson 2",
                                         "terms",
                                         "workbook",
                                         "explore banks",
                                         "source histogram/3",
                                         "explore occupancy",
                                         "machine",
                                         "help bench",
                                         "terms warp",
                                         "find slow kernel",
                                         "bench vecadd",
                                         "explore grid",
                                         "explore coalescing",
                                         "explore divergence",
                                         "explore waves",
                                         "explore model",
                                         "lesson 13",
                                         "lesson",
                                         "step tests/data/step.ptx",
                                         "source tests/data/step.ptx",
                                         "lesson 9",
                                         "bench banks",
                                         "source reduction/4",
                                         "compare banks/1 reduction/4",
                                         "compare tests/data/step.ptx" };
    app_open(app, pages[bytes_below(bytes, sizeof pages / sizeof *pages)]);
}

// An action with words after it, as the prompt gives them; none that writes a file where it likes.
static void act(struct app *app, struct bytes *bytes)
{
    const struct action *action = &actions[bytes_below(bytes, (uint32_t)action_count)];
    struct text line = { 0 };
    char *words = bytes_line(bytes);
    text_addf(&line, "%s %s", action->name, words);
    if (action->act != ACT_SAVE && action->act != ACT_EXPORT && action->act != ACT_QUIT)
        app_do(app, line.data);
    text_free(&line);
    free(words);
}

static void take_event(struct app *app, struct bytes *bytes)
{
    uint8_t what = bytes_one(bytes);
    if (what >= ' ' && what < 0x7f) {
        press(app, what);
        return;
    }
    switch (what % 16) {
    case 0:
        resize(app, bytes);
        break;
    case 1:
        open_page(app, bytes);
        break;
    case 2:
        click(app, bytes);
        break;
    case 3:
        paste(app, bytes);
        break;
    case 4:
    case 5:
        act(app, bytes);
        break;
    case 6:
        settle(app);
        break;
    case 7:
        app_draw(app);
        break;
    case 8:
        press(app, (int)bytes_word(bytes, 3) & 0x1fffff);
        break;
    case 9:
        press(app, PRESS_ALT | bytes_one(bytes));
        break;
    default:
        press(app, PRESS_UP + (int)bytes_below(bytes, PRESS_F1 + 12 - PRESS_UP));
    }
}

// ---- the program ---------------------------------------------------------------------------------------------------

// Read once: they are the same for every input.
static struct lessons *lessons;
static struct glossary *glossary;

static void begin(struct app *app, bool utf8)
{
    struct face face = { .size = face_size,
                         .show = face_show,
                         .next = face_next,
                         .lend = face_lend,
                         .suspend = face_again,
                         .mouse = face_mouse,
                         .repaint = face_again };
    rows = 24;
    cols = 80;
    *app = (struct app){ .timeless = true, .lessons = lessons, .glossary = glossary };
    app_init(app, &known, face, utf8);
    must(app_open(app, "home"));
}

static void end(struct app *app)
{
    runs_stop(app);
    tasks_stop(app->tasks, LANE_HELP);
    settle(app);
    while (app->page)
        app_back(app);
    lessons = app->lessons;
    glossary = app->glossary ? app->glossary : glossary;
    app->lessons = NULL;
    app->glossary = NULL;
    app_end(app);
}

static void empty_home(void)
{
    char *path = path_join(fuzz_home(), "workbook.jsonl");
    unlink(path);
    free(path);
}

int LLVMFuzzerInitialize(int *count, char ***words)
{
    setlocale(LC_CTYPE, "C.UTF-8");
    setenv("WARPBOOK_CLANG", "none", 1);
    setenv("WARPBOOK_NVRTC", "none", 1);
    setenv("EDITOR", "vi", 1);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct bytes bytes = bytes_of(data, size);
    struct app app;
    fuzz_home();
    empty_home();
    begin(&app, bytes_one(&bytes) % 8 != 1);
    open_page(&app, &bytes);
    resize(&app, &bytes);
    for (int i = 0; i < EVENTS_MOST && bytes_left(&bytes) && !app.quit && app.page; i++) {
        take_event(&app, &bytes);
        if (app.dirty && app.page && !app.quit)
            app_draw(&app);
    }
    end(&app);
    return 0;
}
