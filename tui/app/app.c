// The program: a stack of pages. It draws when something changed, waits for what comes next, and hands it to the page.
#include "tui/app/app.h"
#include "tui/explore/explore.h"
#include "tui/text/text.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LEAST_ROWS = 10, LEAST_COLS = 40, TICK_MS = 200 };

// ---- the stack of pages -----------------------------------------------------------------------------------

const struct page_ops *page_find(const struct page_ops *const *pages, const char *name)
{
    for (; *pages; pages++)
        if (strcmp((*pages)->name, name) == 0)
            return *pages;
    return NULL;
}

enum { PAGES_MOST = 32 }; // that lie over each other; the oldest but home goes

static void page_free(struct page *page)
{
    if (page->ops->close)
        page->ops->close(page);
    free(page->state);
    free(page->opened_by);
    free(page);
}

static void forget_oldest(struct app *app)
{
    int depth = 0;
    for (struct page *page = app->page; page; page = page->below)
        if (++depth == PAGES_MOST && page->below && page->below->below) {
            struct page *old = page->below;
            page->below = old->below;
            page_free(old);
        }
}

static bool is_shown(const struct app *app, const char *words)
{
    return app->page && strcmp(app->page->opened_by, words) == 0;
}

// A page has the flags that its operands name; where these hold "...", any word is text.
static bool has_flag(const struct page_ops *ops, const char *flag)
{
    size_t length = strlen(flag);
    const char *operands = ops->operands ? ops->operands : "", *at = strstr(operands, flag);
    return strstr(operands, "...") || (at && length > 2 && strchr(" ]", at[length]));
}

bool page_takes(const struct page_ops *ops, const struct words *words, struct error *error)
{
    int count = 0;
    const char *operands = ops->operands ? ops->operands : "";
    for (size_t i = 1; i < words->count; i++)
        if (string_starts(words->word[i], "--") && !has_flag(ops, words->word[i]))
            return error_set(error, EXIT_USAGE, "The page %s has no flag '%.60s'; it takes %s.", ops->name,
                             words->word[i], *operands ? operands : "no words");
    for (size_t i = 1; i < words->count; i++)
        if (!string_starts(words->word[i], "--") && ++count > ops->most)
            return error_set(error, EXIT_USAGE, "'%.60s' is one word too many: %s%s%s", words->word[i],
                             ops->name, *operands ? " " : "", operands);
    return true;
}

bool app_open(struct app *app, const char *line)
{
    struct words words;
    struct error error;
    if (is_shown(app, line))
        return true;
    if (!words_split(line, &words, &error)) {
        app_say(app, ROLE_BAD, "%s", error.text);
        return false;
    }
    const struct page_ops *ops = page_find(app->known.pages, words.count ? words.word[0] : "home");
    const struct page_ops *instead = ops && ops->instead ? ops->instead(&words) : NULL;
    struct page *page = mem_new(sizeof *page);
    ops = instead ? instead : ops;
    *page = (struct page){ .ops = ops, .app = app, .opened_by = mem_copy(line) };
    bool opened = ops != NULL;
    if (ops) {
        page->state = mem_new(ops->size ? ops->size : 1);
        opened = page_takes(ops, &words, &error) && ops->open(page, &words, &error);
    } else {
        error_set(&error, EXIT_USAGE, "There is no page '%s'.", words.word[0]);
    }
    words_free(&words);
    app->dirty = true;
    if (!opened) {
        app_say(app, ROLE_BAD, "%s", error.text);
        free(page->state);
        free(page->opened_by);
        free(page);
        return false;
    }
    page->below = app->page;
    app->page = page;
    app->laid_out = false;
    forget_oldest(app);
    return true;
}

int app_open_on(struct app *app, const char *page, const char *what)
{
    struct text line = { 0 };
    bool quoted = what[strcspn(what, " \t\n\"'\\")];
    text_addf(&line, "%s %s", page, quoted ? "\"" : "");
    for (const char *c = what; *c; c++)
        text_addf(&line, "%s%c", *c == '"' || *c == '\\' ? "\\" : "", *c);
    text_add(&line, quoted ? "\"" : "");
    bool opened = app_open(app, line.data);
    text_free(&line);
    return opened ? DONE : DONE_FAILED;
}

void app_back(struct app *app)
{
    struct page *page = app->page;
    if (!page)
        return;
    app->page = page->below;
    app->laid_out = false;
    page_free(page);
    app->quit |= !app->page;
    app->dirty = true;
}

// ---- drawing ----------------------------------------------------------------------------------------------

static const char no_gpu[] = "no GPU: simulator";

static const char *machine_words(struct app *app, char *where, size_t size)
{
    const json_t *machine = runs_machine(app);
    const char *name = json_string_value(json_object_get(json_object_get(machine, "gpu"), "name"));
    runs_where(app, where, size);
    return name ? name : *where ? where : machine ? no_gpu : "";
}

// What is shown at the right of the title, the most that has room beside `cells` of it: the room and the machine, the room,
// the learner's name there; outside a room the machine, or that it has no GPU.
static void add_right(struct app *app, int room, int cells, struct text *out)
{
    char where[60];
    const char *machine = machine_words(app, where, sizeof where);
    for (int least = 0; least < 3; least++) {
        out->length = 0;
        if (least == 0)
            text_addf(out, "%s%s", machine, app->seat && *machine ? "  " : "");
        else if (!app->seat && strcmp(machine, no_gpu) == 0)
            text_add_n(out, machine, strcspn(machine, ":"));
        if (app->seat)
            app->known.seat->title(app, least < 2, out);
        int left = room - text_cells(text_string(out)) - 3;
        if (left >= cells && (left >= 30 || app->seat))
            return;
    }
    out->length = 0;
    text_add(out, "");
}

// "bench · histogram, full"
static void add_title(struct page *page, bool utf8, struct text *title)
{
    text_addf(title, " %s", page->ops->name);
    if (!page->ops->title)
        return;
    size_t before = title->length;
    text_addf(title, " %s ", glyph(utf8, GLYPH_DOT));
    size_t with = title->length;
    page->ops->title(page, title);
    if (title->length == with)
        title->data[title->length = before] = 0;
}

// The program's own name gives way to the page's and to the machine's, and what has no room beside the page's is left out.
static void draw_title(struct app *app, struct area line)
{
    struct text title = { 0 }, right = { 0 };
    const char *words;
    bool utf8 = app->canvas.utf8;
    area_fill(line, ROLE_BAR);
    text_addf(&title, " warpbook %s", glyph(utf8, GLYPH_DOT));
    size_t name = title.length;
    add_title(app->page, utf8, &title);
    words = title.data + (text_cells(title.data) > line.cols ? name : 0);
    add_right(app, line.cols, text_cells(words), &right);
    if (!*text_string(&right) && words == title.data) {
        right.length = 0;
        add_right(app, line.cols, text_cells(title.data + name), &right);
        words += *text_string(&right) ? name : 0;
    }
    int room = right.length ? line.cols - text_cells(right.data) - 3 : line.cols;
    area_cell(line, 0, 0, ROLE_BAR, room, "%s", words);
    if (right.length)
        area_put(line, 0, room + 2, ROLE_BAR, "%s", right.data);
    text_free(&title);
    text_free(&right);
}

// An action is listed first on the page that its row names first, then on the others of that row; what works everywhere
// comes last.
static int hint_rank(const struct action *action, const char *page)
{
    return !action->pages ? 2 : !string_starts(action->pages, page);
}

// Back from the first page ends the program.
static const char *hint_of(const struct app *app, const struct action *action)
{
    return action->act == ACT_BACK && !app->page->below ? "quit" : action->hint;
}

// The ways on and out, which are always there.
static bool is_way(const struct action *action)
{
    return action->act == ACT_PROMPT || action->act == ACT_HELP || action->act == ACT_BACK;
}

struct hints { // of the bar at the bottom, while it is drawn
    struct app *app;
    struct area line;
    int col, ways; // where the next one begins; cells that the ways still need
    bool shown[ACTS];
};

// Writes the action's key; returns the cells of key, hint and the blanks before the next hint. 0: it is not shown.
static int hint_cells(struct app *app, const struct action *action, const char *words, char *key, size_t size)
{
    const struct page_ops *ops = app->page->ops;
    *key = 0;
    if (!words || !action_fits(action, ops->name) || (ops->offers && !ops->offers(app->page, action->act)))
        return 0;
    keys_name(&app->keys, ops->name, action->name, key, size);
    return *key ? text_cells(key) + 1 + text_cells(words) + 2 : 0;
}

static void put_hint(struct hints *hints, const struct action *action, const char *words)
{
    char key[24];
    int cells = hint_cells(hints->app, action, words, key, sizeof key);
    bool way = is_way(action);
    if (!cells || hints->shown[action->act] ||
        hints->col + cells - 2 + (way ? 0 : hints->ways) > hints->line.cols)
        return;
    hints->shown[action->act] = true;
    hints->ways -= way ? cells : 0;
    area_put(hints->line, 0, hints->col, ROLE_BAR, "%s %s", key, words);
    area_mark(hints->line, 0, hints->col, text_cells(key), MARK_CHANGED);
    hints->col += cells;
}

// Keys that a page takes itself, as they are written.
static void put_literal(struct hints *hints, const char *key, const char *words)
{
    int cells = text_cells(key) + 1 + text_cells(words) + 2;
    if (hints->col + cells - 2 + hints->ways > hints->line.cols)
        return;
    area_put(hints->line, 0, hints->col, ROLE_BAR, "%s %s", key, words);
    area_mark(hints->line, 0, hints->col, text_cells(key), MARK_CHANGED);
    hints->col += cells;
}

// Adds the hints that the page names: "page-down read on, enter answer, =0-9 set".
static void put_own_hints(struct hints *hints, const char *at)
{
    while (*at) {
        char one[60], *words;
        size_t length = strcspn(at, ",");
        format_into(one, sizeof one, "%.*s", (int)length, at);
        words = strchr(one, ' ');
        if (words)
            *words++ = 0;
        const struct action *action = *one == '=' ? NULL : action_find(one);
        if (*one == '=')
            put_literal(hints, one + 1, words ? words : "");
        else if (action)
            put_hint(hints, action, words ? words : action->hint);
        at += length + strspn(at + length, ", ");
    }
}

// The cells of the ways, with the blanks between them.
static int way_cells(struct app *app)
{
    char key[24];
    int cells = 0;
    for (size_t i = 0; i < action_count; i++)
        if (is_way(&actions[i]))
            cells += hint_cells(app, &actions[i], hint_of(app, &actions[i]), key, sizeof key);
    return cells;
}

// The ways at the right end, where a message before them leaves room: it does not hide how one gets on.
static void draw_ways(struct app *app, struct area line, int message)
{
    enum { APART = 3 };
    int ways = way_cells(app);
    struct hints hints = { .app = app, .line = line, .col = line.cols - ways + 1 };
    if (message + APART >= hints.col)
        return;
    area_fill(area_part(line, 0, hints.col - 1, 1, line.cols - hints.col + 1), ROLE_BAR);
    for (size_t i = 0; i < action_count; i++)
        if (is_way(&actions[i]))
            put_hint(&hints, &actions[i], hint_of(app, &actions[i]));
}

// "<Space> read on  <Tab> next  …": what the page names, and then the keys of its actions, its own ones first, as many as
// fit.
static void draw_hints(struct app *app, struct area line)
{
    const struct page_ops *ops = app->page->ops;
    const char *typing = ops->typing ? ops->typing(app->page) : NULL;
    struct hints hints = { .app = app, .line = line, .col = 1, .ways = way_cells(app) };
    if (typing) {
        area_cell(line, 0, 1, ROLE_BAR, line.cols - 1, "%s", typing);
        return;
    }
    if (ops->hints)
        put_own_hints(&hints, ops->hints(app->page));
    for (int rank = 0; rank < 3; rank++)
        for (size_t i = 0; i < action_count; i++)
            if (hint_rank(&actions[i], ops->name) == rank)
                put_hint(&hints, &actions[i], hint_of(app, &actions[i]));
}

// Draws the stage of what runs and its seconds at the right end; returns the cells that it takes. Flat the line changes
// with the stage alone, and a message comes before it.
static int draw_progress(struct app *app, struct area line)
{
    char stage[140], words[200], key[24], time[24];
    double seconds;
    if (!tasks_now(app->tasks, LANE_RUNS, stage, sizeof stage, &seconds) &&
        !tasks_now(app->tasks, LANE_HELP, stage, sizeof stage, &seconds))
        return 0;
    if (drawn_flat && *app->message)
        return 0;
    format_into(time, sizeof time, drawn_flat ? ";" : " %.0f s ", app->timeless ? 0 : seconds);
    keys_name(&app->keys, app->page->ops->name, "stop", key, sizeof key);
    format_into(words, sizeof words, " %s%s %s stops ", stage, time, key);
    if (drawn_flat) {
        area_cell(line, 0, 0, ROLE_BAR, line.cols, "%s", words);
        return line.cols;
    }
    int cells = text_cells(words);
    if (cells > line.cols)
        cells = line.cols;
    area_cell(line, 0, line.cols - cells, ROLE_BAR, cells, "%s", words);
    area_mark(line, 0, line.cols - cells, cells, MARK_CHANGED);
    return cells;
}

static int banner_rows(const struct app *app)
{
    return app->seat ? app->known.seat->rows(app) : 0;
}

// A message takes the lines that it needs, upwards from the last one; where `taken` cells of that tell what runs and
// the rest is too short, from the one above; where a room's line is above it, from above that. False: the last line is
// free.
static bool draw_message(struct app *app, struct area line, struct area above, int taken)
{
    enum { MOST = 5 };
    enum role role = app->message_role == ROLE_TEXT ? ROLE_BAR : app->message_role;
    struct sheet sheet = sheet_new(line.cols - 1, app->canvas.utf8);
    sheet_paragraph(&sheet, role, 1, app->message);
    int rows = (int)sheet.line_count < MOST ? (int)sheet.line_count : MOST;
    rows = rows < above.rows / 2 ? rows : above.rows / 2;
    bool last_is_free = false;
    if (rows <= 1 && (!taken || text_cells(app->message) + 1 < line.cols - taken)) {
        area_cell(line, 0, 1, role, line.cols - taken - 1, "%s", app->message);
        if (!taken && !drawn_flat)
            draw_ways(app, line, 1 + text_cells(app->message));
    } else {
        int banner = banner_rows(app); // which stays in sight
        int top = banner ? line.row - banner - rows : line.row + !taken - rows;
        struct area box = area_part(canvas_area(&app->canvas), top, line.col, rows, line.cols);
        int row = app->canvas.cursor_row, col = app->canvas.cursor_col;
        area_fill(box, ROLE_BAR);
        sheet_draw(&sheet, box, 0, -1, NULL);
        app->canvas.cursor_row = row; // it stays with what is selected
        app->canvas.cursor_col = col;
        last_is_free = banner > 0;
    }
    sheet_free(&sheet);
    return !last_is_free;
}

static void draw_status(struct app *app, struct area line, struct area above)
{
    if (app->asking && app->prompt) {
        prompt_draw(app->prompt, line, above);
        return;
    }
    area_fill(line, ROLE_BAR);
    int taken = draw_progress(app, line);
    bool drawn = *app->message ? draw_message(app, line, above, taken)
                               : drawn_flat && app->seat && app->known.seat->draw(app, line);
    if (!drawn)
        draw_hints(app, area_part(line, 0, 0, 1, line.cols - taken));
}

static void draw_too_small(struct area area)
{
    struct sheet sheet = sheet_new(area.cols, area.canvas->utf8);
    char words[120];
    format_into(words, sizeof words,
                "warpbook needs %d x %d, this is %d x %d. 'warpbook shell' works at any size.", LEAST_COLS,
                LEAST_ROWS, area.cols, area.rows);
    sheet_paragraph(&sheet, ROLE_TEXT, 0, words);
    sheet_draw(&sheet, area, 0, -1, NULL);
    sheet_free(&sheet);
}

static int larger(int a, int b)
{
    return a > b ? a : b;
}

// Pages have a second column where there is room for it.
static int page_cols(int cols)
{
    return drawn_flat && cols > FLAT_COLS ? FLAT_COLS : cols;
}

// Drawing makes what a page's actions read: where its lines begin, what is in sight, how many rows there are. Where
// the screen has no room for the page, or an action comes before the next drawing, the page is drawn on a canvas that
// is never shown.
static void lay_out(struct app *app)
{
    struct canvas *unseen = &app->unseen;
    unseen->utf8 = app->canvas.utf8;
    canvas_resize(unseen, larger(app->canvas.rows, LEAST_ROWS), larger(app->canvas.cols, LEAST_COLS));
    app->page->area =
        area_part(canvas_area(unseen), 1, 0, unseen->rows - 2 - banner_rows(app), page_cols(unseen->cols));
    app->page->ops->draw(app->page, app->page->area);
    app->laid_out = true;
}

void app_lay_out(struct app *app)
{
    if (!app->laid_out && app->page)
        lay_out(app);
}

static bool too_small(const struct canvas *canvas)
{
    return canvas->rows < LEAST_ROWS || canvas->cols < LEAST_COLS;
}

static void draw_page(struct app *app)
{
    struct area all = canvas_area(&app->canvas);
    if (too_small(&app->canvas)) {
        lay_out(app);
        draw_too_small(all);
        return;
    }
    struct rect rest = { 0, 0, all.rows, all.cols };
    struct area title = area_rect(all, rect_top(&rest, 1, 0));
    struct area status = area_rect(all, rect_bottom(&rest, 1, 0));
    struct area banner = area_rect(all, rect_bottom(&rest, banner_rows(app), 0));
    rest.cols = page_cols(rest.cols);
    app->page->area = area_rect(all, rest);
    area_cursor(app->page->area, 0, 0);
    app->page->ops->draw(app->page, app->page->area);
    app->laid_out = true;
    draw_title(app, title);
    if (banner.rows)
        app->known.seat->draw(app, banner);
    draw_status(app, status, app->page->area);
}

void app_draw(struct app *app)
{
    canvas_clear(&app->canvas);
    app->canvas.cursor_shown = true;
    if (app->page)
        draw_page(app);
    app->dirty = false;
    app->face.show(app->face.context, &app->canvas);
}

// ---- waiting ----------------------------------------------------------------------------------------------

static bool busy(struct app *app)
{
    return tasks_waiting(app->tasks, LANE_RUNS) || tasks_waiting(app->tasks, LANE_HELP);
}

static int page_tick(const struct app *app)
{
    return app->page && app->page->ops->tick_ms ? app->page->ops->tick_ms(app->page) : -1;
}

static void tick(struct app *app)
{
    if (app->page && app->page->ops->tick)
        app->page->ops->tick(app->page);
    app->dirty |= busy(app);
}

bool app_wait(struct app *app, struct event *out)
{
    if (app->dirty)
        app_draw(app);
    *out = (struct event){ 0 };
    int timeout = page_tick(app), due = app->known.seat ? app->known.seat->tend(app) : -1;
    if (app->dirty) // there is news
        app_draw(app);
    if (due >= 0 && (timeout < 0 || timeout > due))
        timeout = due;
    if (busy(app) && (timeout < 0 || timeout > TICK_MS))
        timeout = TICK_MS;
    app->face.next(app->face.context, app->wake, timeout, out);
    switch (out->kind) {
    case EVENT_RESIZE:
        canvas_resize(&app->canvas, out->rows, out->cols);
        app->laid_out = false;
        app->dirty = true;
        return false;
    case EVENT_WOKEN:
        tasks_collect(app->tasks, app);
        app->dirty = true;
        return false;
    case EVENT_TICK:
        tick(app);
        return false;
    case EVENT_STOP:
        app_do(app, "stop");
        return false;
    case EVENT_END:
        app->quit = true;
        return false;
    default:
        return true;
    }
}

// Moving goes on until it fails; an action that takes a number gets it. Enter does nothing: the number was meant for a field.
static void do_times(struct app *app, const char *line, int times)
{
    const struct action *action = action_find(line);
    char with[80];
    if (action && action->operands && strcmp(action->operands, "[N]") == 0) {
        format_into(with, sizeof with, "%s %d", line, times);
        app_do(app, with);
        return;
    }
    if (action && action->act == ACT_ENTER) {
        const struct page_ops *ops = app->page->ops;
        const char *why = ops->no_field ? ops->no_field(app->page) : NULL;
        app_say(app, ROLE_NOTE, "%s, so nothing was done with %d.", why ? why : "No field is selected",
                times);
        return;
    }
    bool row = action && (action->act == ACT_TOP || action->act == ACT_BOTTOM); // 10G: to row 10
    bool moves = action && (action->act <= ACT_PREVIOUS || action->act == ACT_SEARCH_NEXT ||
                            action->act == ACT_SEARCH_PREVIOUS);
    int done = app_do(app, row ? "top" : line);
    const struct page *page = app->page;
    for (int i = 1; moves && i < times && done == DONE && app->page == page && !app->quit; i++)
        done = app_do(app, row ? "down" : line);
}

enum { COUNT_MOST = 999 };

// A digit that no key is bound to says how often the next key acts; ZZ ends the program, as hands know it from vi.
// False: the key is none of these.
static bool press_habit(struct app *app, int key, int count)
{
    if (key >= '0' + !count && key <= '9') {
        app->count = count * 10 + key - '0' < COUNT_MOST ? count * 10 + key - '0' : COUNT_MOST;
        app_say(app, ROLE_DIM, "The next key acts %d time%s.", app->count, app->count == 1 ? "" : "s");
        return true;
    }
    if (key != 'Z')
        return false;
    app->leaving = true;
    app_say(app, ROLE_DIM, "Z once more ends warpbook.");
    return true;
}

static void press(struct app *app, const struct event *event)
{
    char name[24];
    int count = app->count;
    bool leaving = app->leaving;
    app->count = 0;
    app->leaving = false;
    if (app->page->ops->type && app->page->ops->type(app->page, event))
        return;
    if (leaving && (event->key == 'Z' || event->key == 'Q')) {
        app_do(app, "quit");
        return;
    }
    bool goes_on = count && event->key >= '0' && event->key <= '9'; // also where 0 alone is a key
    const char *words = goes_on ? NULL : keys_words(&app->keys, app->page->ops->name, event->key);
    const struct action *action = words ? action_find(words) : NULL;
    bool idle = action && app->page->ops->offers && !app->page->ops->offers(app->page, action->act);
    if (words && !idle) {
        char *copy = mem_copy(words); // the page may read its keys anew
        if (count)
            do_times(app, copy, count);
        else
            app_do(app, copy);
        free(copy);
        return;
    }
    if (!words && press_habit(app, event->key, count))
        return;
    key_name(event->key, name, sizeof name);
    char help[24];
    keys_name(&app->keys, app->page->ops->name, "help", help, sizeof help);
    app_say(app, ROLE_DIM, "%s does nothing here; %s lists the keys.", name, help);
}

static void click(struct app *app, const struct event *event)
{
    struct page *page = app->page;
    for (int i = 0; i < abs(event->wheel) && i < 20 && !app->quit; i++)
        app_do(app, event->wheel < 0 ? "up" : "down");
    if (!event->wheel && page->ops->click && !too_small(&app->canvas))
        page->ops->click(page, event->row - page->area.row, event->col - page->area.col);
}

void app_event(struct app *app, const struct event *event)
{
    *app->message = 0;
    app_lay_out(app);
    app->dirty = true;
    if (event->kind == EVENT_KEY)
        press(app, event);
    else if (event->kind == EVENT_MOUSE)
        click(app, event);
    else if (event->kind == EVENT_PASTE && app->page->ops->type)
        app->page->ops->type(app->page, event);
    app->laid_out = false;
}

// ---- what pages ask for -----------------------------------------------------------------------------------

void app_say(struct app *app, enum role role, const char *format, ...)
{
    struct text text = { 0 };
    va_list args;
    va_start(args, format);
    text_addv(&text, format, args);
    va_end(args);
    struct text said = { 0 };
    prompt_words(&said, text_string(&text), app->known.commands);
    text.length = 0;
    text_add_clean(&text, text_string(&said), said.length);
    text_free(&said);
    for (size_t i = 0; i < text.length && text.data[i]; i++)
        if (text.data[i] == '\n') // a line of source quoted after a message has no place here
            text.data[i] = text.data[i + 1] == ' ' ? 0 : ' ';
    format_into(app->message, sizeof app->message, "%s", text_string(&text));
    app->message_role = role;
    app->dirty = true;
    text_free(&text);
}

int app_refuse(struct app *app, const char *format, ...)
{
    struct text why = { 0 };
    va_list args;
    va_start(args, format);
    text_addv(&why, format, args);
    va_end(args);
    app_say(app, ROLE_BAD, "%s", text_string(&why));
    text_free(&why);
    return DONE_FAILED;
}

void app_keep(struct app *app, const char *kind, json_t *event)
{
    struct error error;
    if (!app->workbook || !event)
        json_decref(event);
    else if (!workbook_add(app->workbook, kind, event, &error))
        app_say(app, ROLE_BAD, "%s", error.text);
}

struct lessons *app_lessons(struct app *app)
{
    struct error error;
    if (!app->lessons) {
        app->lessons = mem_new(sizeof *app->lessons);
        if (!lessons_read(NULL, app->lessons, &error))
            app_say(app, ROLE_BAD, "%s", error.text);
        lessons_recall(app->lessons, app->workbook);
    }
    return app->lessons;
}

const struct glossary *app_glossary(struct app *app)
{
    struct error error;
    if (!app->glossary) {
        app->glossary = mem_new(sizeof *app->glossary);
        if (!glossary_read(NULL, app->glossary, &error))
            app_say(app, ROLE_BAD, "%s", error.text);
    }
    return app->glossary;
}

const struct search_index *app_search(struct app *app)
{
    if (!app->search) {
        app->search = search_new(app_glossary(app), app_lessons(app));
        explorers_index(app->search);
    }
    return app->search;
}

// The size may have changed while another program had the terminal.
void app_measure(struct app *app)
{
    int rows, cols;
    app->face.size(app->face.context, &rows, &cols);
    if (rows != app->canvas.rows || cols != app->canvas.cols)
        canvas_resize(&app->canvas, rows, cols);
    app->laid_out = false;
    app->dirty = true;
}

bool app_lend(struct app *app, const char *const *argv, int *status, struct error *error)
{
    bool lent = app->face.lend(app->face.context, argv, status, error);
    app_measure(app);
    return lent;
}

// ---- starting, running, ending ----------------------------------------------------------------------------

void app_init(struct app *app, const struct vocabulary *known, struct face face, bool utf8)
{
    struct error error;
    app->known = *known;
    app->face = face;
    app->canvas.utf8 = utf8 && !drawn_flat;
    app_measure(app);
    app->tasks = tasks_new(&app->wake);
    app->workbook = workbook_open(NULL, &error);
    if (!app->workbook || workbook_unwritable(app->workbook, &error))
        app_say(app, ROLE_BAD, "%s", error.text);
    runs_open(app);
    if (!keys_read(&app->keys, known, &error))
        app_say(app, ROLE_BAD, "%s", error.text);
}

void app_end(struct app *app)
{
    runs_stop(app);
    if (app->seat)
        app->known.seat->close(app);
    tasks_free(app->tasks, app);
    while (app->page)
        app_back(app);
    runs_close(app);
    keys_free(&app->keys);
    canvas_free(&app->canvas);
    canvas_free(&app->unseen);
    workbook_close(app->workbook);
    free(app->baseline);
    if (app->lessons)
        lessons_free(app->lessons);
    if (app->glossary)
        glossary_free(app->glossary);
    free(app->lessons);
    free(app->glossary);
    search_free(app->search);
}

int app_main(struct app *app, const char *words)
{
    app_open(app, "home");
    if (*words && strcmp(words, "home") != 0)
        app_do(app, words);
    while (!app->quit) {
        struct event event;
        if (app_wait(app, &event))
            app_event(app, &event);
        free(event.text);
    }
    return app->status;
}
