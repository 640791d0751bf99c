// source: a kernel on a page of its own, with the simulator's counters in the margin, the compiler's messages and the
// findings under their lines, and PTX or SASS beside it. What belongs to the chosen line is lit on both sides.
#include "tui/view/source.h"

#include "engine/sim/sim.h"

#include <stdlib.h>
#include <string.h>

// ---- the file -----------------------------------------------------------------------------------------------------

static const struct variant *shown(const struct source_page *page)
{
    return page->target.variant;
}

static struct request request_of(const struct source_page *source, enum backend on)
{
    return request_new(on, source->target.lab ? source->target.lab->name : NULL, shown(source), NULL,
                       source->preset, source->data);
}

static const struct run_result *result_on(struct app *app, const struct source_page *source, enum backend on)
{
    struct request request = request_of(source, on);
    const struct run_result *result = runs_find(app, &request, shown(source));
    request_free(&request);
    return result;
}

// The simulator's result, which has counters by line; only of this very text.
static const struct run_result *counted(struct app *app, const struct source_page *source)
{
    const struct run_result *result = result_on(app, source, ON_SIM);
    return result && !result->error ? result : NULL;
}

static bool reload(struct page *page, struct error *error)
{
    struct source_page *source = page->state;
    struct target fresh;
    if (!target_read(source->what, &fresh, error))
        return false;
    target_free(&source->target);
    source->target = fresh;
    if (fresh.variant == &fresh.file)
        source->target.variant = &source->target.file;
    for (int side = 0; side < SIDES; side++)
        if (source->beside[side]) // made of the text before
            beside_show(page, (enum side)side);
    return true;
}

static bool open_source(struct page *page, const struct words *words, struct error *error)
{
    struct source_page *source = page->state;
    if (words->count != 2)
        return error_set(error, EXIT_USAGE, "source takes a kernel: source histogram/3, source FILE.cu");
    source->what = mem_copy(words->word[1]);
    source->beside_reader[SIDE_PTX].selected = source->beside_reader[SIDE_SASS].selected = -1;
    bool read = reload(page, error);
    if (read && !shown(source)) {
        read =
            error_set(error, EXIT_USAGE, "%s is no kernel; source takes one step of a ladder, such as %s/1.",
                      source->what, source->target.lab->name);
        target_free(&source->target);
    }
    if (!read)
        free(source->what);
    return read;
}

static void close_source(struct page *page)
{
    struct source_page *source = page->state;
    for (int side = 0; side < SIDES; side++) {
        beside_drop(source, (enum side)side);
        reader_free(&source->beside_reader[side]);
    }
    reader_free(&source->reader);
    target_free(&source->target);
    watch_end(&source->watch);
    free(source->what);
}

static void title_source(struct page *page, struct text *out)
{
    const struct source_page *source = page->state;
    const struct variant *variant = shown(source);
    text_addf(out, "%s%s%s%s", variant->lab ? variant->lab : "", variant->lab ? "/" : "", variant->name,
              variant->own ? " (yours)" : "");
    if (source->preset)
        text_addf(out, ", %s", source->preset);
    if (source->data)
        text_addf(out, ", %s", source->data);
    if (source->watch.path)
        text_add(out, ", watching");
}

// ---- drawing ---------------------------------------------------------------------------------------------------------

static const char *text_before(const struct source_page *source)
{
    const struct target *target = &source->target;
    size_t index = target->lab ? (size_t)(target->variant - target->ladder.variants) : 0;
    return index ? target->ladder.variants[index - 1].text : NULL;
}

// A failed compile on the GPU has messages too.
static const struct run_result *with_messages(struct app *app, const struct source_page *source)
{
    const struct run_result *simulated = counted(app, source), *gpu = result_on(app, source, ON_GPU);
    bool has_lines = simulated && simulated->record.lines;
    if (!has_lines && gpu && !gpu->error && !gpu->recorded && gpu->record.diagnostic_count)
        return gpu;
    return simulated;
}

static const struct record *record_of(const struct run_result *result)
{
    return result ? &result->record : NULL;
}

// When it did not compile, the first line that is to blame is the chosen one.
static void bring_error(struct source_page *source, const struct run_result *result)
{
    bool failed = result && result->record.diagnostic_count && result->record.status == STATUS_FAILED;
    if (!failed || result->serial == source->told)
        return;
    source->told = result->serial;
    reader_choose(&source->reader, result->record.diagnostics[0].line - 1);
}

static void draw_status_line(struct app *app, const struct source_page *source, struct area line)
{
    const struct record *record = record_of(counted(app, source));
    const struct run_result *gpu = result_on(app, source, ON_GPU);
    int col = 1;
    area_line(line, 0, ROLE_FRAME);
    if (gpu && !gpu->error && gpu->record.median_ms > 0) {
        char time[32];
        unit_ms(gpu->record.median_ms, time, sizeof time);
        col = area_put(line, 0, col, gpu->recorded ? ROLE_NOTE : ROLE_GPU, " %s%s, %s ",
                       gpu->recorded ? "recorded " : "", time, record_status_name(gpu->record.status));
    }
    if (record && record->status) {
        bool bad = record->status != STATUS_RIGHT && record->status != STATUS_UNCHECKED;
        size_t findings = record->finding_count;
        size_t messages = record->diagnostic_count;
        if (record->status == STATUS_FAILED && messages)
            col = area_put(line, 0, col + 1, ROLE_BAD, " did not compile ");
        else
            col = area_put(line, 0, col + 1, bad ? ROLE_BAD : ROLE_SIM, " simulated: %s, %zu finding%s%s ",
                           record_status_name(record->status), findings, findings == 1 ? "" : "s",
                           messages ? ", the compiler warns" : "");
        if (findings + messages)
            area_put(line, 0, col + 1, ROLE_DIM, " <Tab> to the next message ");
    } else {
        area_put(line, 0, col + 1, ROLE_DIM,
                 line.cols >= 60 ? " s simulates: counters by line " : " s simulates ");
    }
}

// What stands beside the source, or below it where that is too narrow; the rest is the source's. Where there is no room
// for both, it is the PTX that goes: SASS is what was asked for behind it.
static struct area draw_beside(struct page *page, struct area area, struct rect rest)
{
    struct source_page *source = page->state;
    bool widest = area.cols >= SOURCE_WIDEST, ptx = source->beside[SIDE_PTX],
         sass = source->beside[SIDE_SASS];
    if (ptx && sass && widest) {
        struct area main = area_rect(area, rect_left(&rest, area.cols * 42 / 100, 1));
        beside_draw(page, SIDE_PTX, area_rect(area, rect_left(&rest, rest.cols / 2, 1)));
        beside_draw(page, SIDE_SASS, area_rect(area, rest));
        return main;
    }
    if (!ptx && !sass)
        return area_rect(area, rest);
    bool wide = area.cols >= SOURCE_WIDE;
    struct rect main = wide ? rect_left(&rest, area.cols * 55 / 100, 1) : rect_top(&rest, rest.rows / 2, 0);
    beside_draw(page, sass ? SIDE_SASS : SIDE_PTX, area_rect(area, rest));
    return area_rect(area, main);
}

static void draw_source(struct page *page, struct area area)
{
    struct source_page *source = page->state;
    struct rect rest = { 0, 0, area.rows, area.cols };
    struct area status = area_rect(area, rect_bottom(&rest, 1, 0));
    struct area main = draw_beside(page, area, rest);
    struct listing listing = { .text = shown(source)->text,
                               .before = text_before(source),
                               .record = record_of(with_messages(page->app, source)),
                               .numbers = true,
                               .margin = main.cols >= 60,
                               .items = true,
                               .head_apart = true };
    source->head = listing_has_margin(&listing) && main.rows > 3;
    if (source->head) { // it stays when the lines scroll
        listing_head(&listing, area_part(main, 0, 0, 1, main.cols));
        main = area_part(main, 1, 0, main.rows - 1, main.cols);
    }
    struct sheet sheet = listing_sheet(&listing, main.cols, area.canvas->utf8);
    int lines = 0;
    for (const char *c = shown(source)->text; *c; c++)
        lines += *c == '\n';
    reader_show(&source->reader, sheet, lines);
    bring_error(source, with_messages(page->app, source));
    reader_draw(&source->reader, main);
    draw_status_line(page->app, source, status);
}

// ---- acting ----------------------------------------------------------------------------------------------------------

static int failed(struct app *app, const struct error *error)
{
    app_say(app, ROLE_BAD, "%s", error->text);
    return DONE_FAILED;
}

static int run(struct page *page, enum backend on)
{
    struct source_page *source = page->state;
    const struct variant *variant = shown(source);
    if ((variant->own || !variant->lab) && !file_exists(variant->path)) {
        struct error unused;
        app_say(page->app, ROLE_BAD, "%s is not there any more.", variant->path);
        reload(page, &unused);
        return DONE_FAILED;
    }
    if (on == ON_GPU && runs_machine(page->app) && !runs_gpu(page->app))
        on = ON_SIM;
    struct request request = request_of(source, on);
    if (runs_state(page->app, &request) == RUN_NONE)
        runs_start(page->app, &request);
    else
        request_free(&request);
    return DONE;
}

static int reload_and_say(struct page *page)
{
    struct error error;
    return reload(page, &error) ? DONE : failed(page->app, &error);
}

static int edit(struct page *page)
{
    struct source_page *source = page->state;
    int changed = own_change(page->app, shown(source), source->reader.selected + 1);
    if (changed == DONE_FAILED || reload_and_say(page) != DONE)
        return DONE_FAILED;
    return changed == DONE ? run(page, ON_GPU) : DONE;
}

static int watch(struct page *page)
{
    struct source_page *source = page->state;
    return watch_toggle(&source->watch, page->app, shown(source)) ? reload_and_say(page) : DONE_FAILED;
}

static int tick_ms(const struct page *page)
{
    return watch_tick_ms(&((const struct source_page *)page->state)->watch);
}

static void tick(struct page *page)
{
    struct watch *watch = &((struct source_page *)page->state)->watch;
    if (watch_saw(watch)) {
        *page->app->message = 0; // of a save before
        if (reload_and_say(page) == DONE)
            run(page, ON_GPU);
    } else if (watch_lost(watch, page->app)) {
        struct error unused;
        reload(page, &unused); // what ships comes back, and a file that stood alone stays in sight
    }
}

static int reset(struct page *page)
{
    return own_restore(page->app, shown(page->state)) ? reload_and_say(page) : DONE_FAILED;
}

static int open_other(struct page *page, const char *what)
{
    struct source_page *source = page->state;
    struct text words = { 0 };
    if (strcmp(what, "bench") == 0 && !source->target.lab) {
        app_say(page->app, ROLE_BAD, "This file stands alone; it belongs to no ladder.");
        return DONE_FAILED;
    }
    text_addf(&words, "%s '%s'", what, source->what);
    bool opened = app_open(page->app, words.data);
    text_free(&words);
    return opened ? DONE : DONE_FAILED;
}

static const struct term *term_of(struct page *page)
{
    const struct source_page *source = page->state;
    size_t line = source->reader.selected > 0 ? (size_t)source->reader.selected : 0;
    return listing_term(app_glossary(page->app), shown(source)->text, line);
}

// The nearest line behind the chosen one (or before it) that has a message.
static int next_message(struct page *page, int by)
{
    struct source_page *source = page->state;
    const struct record *record = record_of(with_messages(page->app, source));
    size_t diagnostics = record ? record->diagnostic_count : 0;
    size_t count = diagnostics + (record ? record->finding_count : 0);
    int now = source->reader.selected, best = -1;
    for (size_t i = 0; i < count; i++) {
        int line =
            i < diagnostics ? record->diagnostics[i].line : record->findings[i - diagnostics].here.line;
        if ((line - 1 - now) * by > 0 && (best < 0 || (line - 1 - best) * by < 0))
            best = line - 1;
    }
    if (best >= 0)
        reader_choose(&source->reader, best);
    else
        app_say(page->app, ROLE_DIM, "There is no message %s this line.", by > 0 ? "behind" : "before");
    return best >= 0 ? DONE : DONE_FAILED;
}

static int no_term(struct app *app)
{
    app_say(app, ROLE_DIM, "No word of this line is a term. ':explain WORD' explains any other.");
    return DONE_FAILED;
}

static int act_source(struct page *page, enum act act, const struct words *words)
{
    struct source_page *source = page->state;
    switch (act) {
    case ACT_RUN:
        return run(page, ON_GPU);
    case ACT_SIM:
        return run(page, ON_SIM);
    case ACT_EDIT:
        return edit(page);
    case ACT_WATCH:
        return watch(page);
    case ACT_RESET:
        return reset(page);
    case ACT_PANE:
        return source_set_pane(page, words);
    case ACT_SIZE:
        return source_set_size(page, words);
    case ACT_DATA:
        return source_set_data(page, words);
    case ACT_PTX:
        return source_toggle_side(page, SIDE_PTX);
    case ACT_SASS:
        return source_toggle_side(page, SIDE_SASS);
    case ACT_NEXT:
        return next_message(page, 1);
    case ACT_PREVIOUS:
        return next_message(page, -1);
    case ACT_EXPLAIN:
        return words->count > 1 || term_of(page) ? DONE_NOT : no_term(page->app);
    case ACT_STEP_PAGE:
        return open_other(page, "step");
    case ACT_BENCH:
        return open_other(page, "bench");
    default:
        return reader_act(&source->reader, page->app, act, words);
    }
}

static bool click_source(struct page *page, int row, int col)
{
    struct source_page *source = page->state;
    return reader_click(&source->reader, row - source->head, col);
}

static void word_source(struct page *page, struct text *out)
{
    const struct term *term = term_of(page);
    text_add(out, term ? term->name : "");
}

static void about_source(struct page *page, struct text *out)
{
    text_add(out, ((const struct source_page *)page->state)->what);
}

static void names_source(struct page *page, enum act act, void (*add)(void *context, const char *name),
                         void *context)
{
    for (int i = 0; act == ACT_PANE && i < SOURCE_PANES; i++)
        add(context, source_pane_names[i]);
}

const struct page_ops source_page = { .name = "source",
                                      .operands = "LAB/STEP | FILE.cu",
                                      .help =
                                          "A kernel with its counters by line, and PTX or SASS beside it.",
                                      .most = 1,
                                      .size = sizeof(struct source_page),
                                      .open = open_source,
                                      .title = title_source,
                                      .draw = draw_source,
                                      .act = act_source,
                                      .click = click_source,
                                      .word = word_source,
                                      .about = about_source,
                                      .names = names_source,
                                      .tick_ms = tick_ms,
                                      .tick = tick,
                                      .close = close_source };
