// source: a kernel on a page of its own, with the simulator's counters in the margin, the compiler's messages and the
// findings under their lines, and PTX or SASS beside it. What belongs to the chosen line is lit on both sides.
#include "engine/sim/sim.h"
#include "tui/view/view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum side { SIDE_PTX, SIDE_SASS, SIDES };
struct source_page {
    char *what; // "histogram/3", "FILE.cu"
    struct target target;
    const char *preset, *data;
    struct reader reader, beside_reader[SIDES];
    unsigned told;                  // the serial of the run whose compiler messages were brought into sight
    bool unfolded;                  // the opening is in sight, also where room is short
    bool placed;                    // the line that matters first was chosen
    bool head;                      // a row for the head of the margin
    struct assembly *beside[SIDES]; // NULL: not shown
    struct watch watch;             // of the copy of which a save starts a run
};
enum { WIDE = 100, WIDEST = 180 }; // columns for one beside it, for both
enum { PANES = 4 };

// ---- PTX and SASS: made ----------------------------------------------------------------------------------------

static void beside_drop(struct source_page *source, enum side side)
{
    assembly_drop(source->beside[side]);
    source->beside[side] = NULL;
}

static void beside_show(struct page *page, enum side side)
{
    struct source_page *source = page->state;
    beside_drop(source, side);
    source->beside[side] = assembly_make(page->app, source->target.variant, side == SIDE_SASS);
    source->beside_reader[side].top = 0;
}

// ---- PTX and SASS: the lines that the chosen line became ----------------------------------------------------

// ".loc 1 12 9" and "//## File "x.cu", line 12": from here on, until the next.
static int line_of(const char *line, size_t length, int now)
{
    char text[200];
    int file, number;
    format_into(text, sizeof text, "%.*s", (int)length, line);
    const char *loc = strstr(text, ".loc"), *mark = strstr(text, ", line ");
    if (loc && sscanf(loc, ".loc %d %d", &file, &number) == 2)
        return number;
    if (mark && strstr(text, "File") && sscanf(mark, ", line %d", &number) == 1)
        return number;
    return now;
}

// The lines, without what only says where they come from; those of the chosen source line are marked with a sign.
static struct sheet beside_sheet(const struct assembly *beside, int chosen, int width, bool utf8, int *first)
{
    struct sheet sheet = sheet_new(width, utf8);
    int now = 0;
    *first = -1;
    for (const char *at = text_string(&beside->text); *at;) {
        size_t length = strcspn(at, "\n");
        if (assembly_ends(at))
            break;
        now = line_of(at, length, now);
        if (!assembly_is_noise(at, length)) {
            bool lit = now == chosen && chosen > 0;
            if (lit && *first < 0)
                *first = (int)sheet.line_count;
            sheet.item = lit ? 0 : -1;
            sheet_add(&sheet, lit ? ROLE_TITLE : ROLE_DIM, "%s", lit ? glyph(utf8, GLYPH_RIGHT) : " ");
            sheet_add(&sheet, ROLE_DIM, now ? "%3d " : "    ", now);
            sheet_add_n(&sheet, lit ? ROLE_TITLE : ROLE_TEXT, at, length);
            sheet_end(&sheet);
        }
        if (*at == '}') // the function ends; what follows came from no line
            now = 0;
        at += length + (at[length] == '\n');
    }
    return sheet;
}

static void beside_draw(struct page *page, enum side side, struct area area)
{
    struct source_page *source = page->state;
    const struct assembly *beside = source->beside[side];
    struct reader *reader = &source->beside_reader[side];
    struct area body = area_part(area, 1, 0, area.rows, area.cols);
    area_line(area, 0, ROLE_FRAME);
    int after = area_put(area, 0, 1, ROLE_TITLE, "[%s]", side == SIDE_PTX ? "PTX" : "SASS");
    if (!beside->made || *beside->error.text) {
        assembly_why_not(beside, page->app->known.commands, body);
        return;
    }
    int first, chosen = source->reader.selected + 1;
    reader_show(reader, beside_sheet(beside, chosen, body.cols, body.canvas->utf8, &first), 0);
    size_t rows = (size_t)(body.rows > 0 ? body.rows : 1), top = reader->top;
    bool in_sight = first >= (int)top && first < (int)(top + rows);
    if (first >= 0 && !in_sight)
        reader->top = (size_t)first > rows / 3 ? (size_t)first - rows / 3 : 0;
    reader_draw(reader, body);
    tabs_more(area, after, reader_more(reader));
}

// ---- what one chooses ----------------------------------------------------------------------------------------

// Bits of the sides that are shown.
static int sides_of(const struct source_page *source)
{
    return (source->beside[SIDE_PTX] != NULL) | (source->beside[SIDE_SASS] != NULL) << 1;
}

static int show_sides(struct page *page, int sides)
{
    struct source_page *source = page->state;
    for (int side = 0; side < SIDES; side++) {
        bool wanted = sides >> side & 1;
        if (wanted && !source->beside[side])
            beside_show(page, (enum side)side);
        else if (!wanted)
            beside_drop(source, (enum side)side);
    }
    return DONE;
}

// Takes a side that is shown away. Where there is room for one only, SASS hides the PTX; a hidden side is brought back.
static int toggle_side(struct page *page, enum side side)
{
    int now = sides_of(page->state), bit = 1 << side;
    bool both = page->area.cols >= WIDEST;
    if (!both && now == (1 << SIDE_PTX | 1 << SIDE_SASS))
        now = 1 << SIDE_SASS;
    return show_sides(page, now & bit ? now & ~bit : both ? now | bit : bit);
}

static const char *const pane_names[PANES + 1] = { "source", "ptx", "sass", "both" };

// The source alone, PTX beside it, SASS beside it, both where there is room.
static int set_pane(struct page *page, const struct words *words)
{
    int count = page->area.cols >= WIDEST ? PANES : PANES - 1;
    int next = (sides_of(page->state) + 1) % count;
    if (words->count > 1)
        next = choose_name(page->app, "view", pane_names, count, words->word[1]);
    return next < 0 ? DONE_FAILED : show_sides(page, next);
}

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
    if (read && shown(source) && source->target.lab) {
        free(source->what);
        source->what = text_format("%s/%s", source->target.lab->name, shown(source)->name);
    }
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

static const char *text_before(const struct app *app, const struct source_page *source)
{
    const struct variant *base = choose_base(app, &source->target.ladder, shown(source));
    return base ? base->text : NULL;
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

// Draws PTX and SASS beside the source, or below it where the page is too narrow; returns the source's area. Where there
// is no room for both, the PTX goes: SASS was asked for after it.
static struct area draw_beside(struct page *page, struct area area, struct rect rest)
{
    struct source_page *source = page->state;
    bool widest = area.cols >= WIDEST, ptx = source->beside[SIDE_PTX], sass = source->beside[SIDE_SASS];
    if (ptx && sass && widest) {
        struct area main = area_rect(area, rect_left(&rest, area.cols * 42 / 100, 1));
        beside_draw(page, SIDE_PTX, area_rect(area, rect_left(&rest, rest.cols / 2, 1)));
        beside_draw(page, SIDE_SASS, area_rect(area, rest));
        return main;
    }
    if (!ptx && !sass)
        return area_rect(area, rest);
    bool wide = area.cols >= WIDE;
    struct rect main = wide ? rect_left(&rest, area.cols * 55 / 100, 1) : rect_top(&rest, rest.rows / 2, 0);
    beside_draw(page, sass ? SIDE_SASS : SIDE_PTX, area_rect(area, rest));
    return area_rect(area, main);
}

// A page opens on the line that matters first.
static void place(struct app *app, struct source_page *source, const struct listing *listing, int rows)
{
    if (source->placed)
        return;
    source->placed = true;
    source->reader.rows = rows;
    reader_choose(&source->reader, listing_start(listing, record_of(counted(app, source))));
}

static void draw_source(struct page *page, struct area area)
{
    struct source_page *source = page->state;
    struct rect rest = { 0, 0, area.rows, area.cols };
    struct area status = area_rect(area, rect_bottom(&rest, 1, 0));
    struct area main = draw_beside(page, area, rest);
    char fold[60];
    fold_words(page->app, "source", fold, sizeof fold);
    struct listing listing = { .text = shown(source)->text,
                               .before = text_before(page->app, source),
                               .fold = source->unfolded ? NULL : fold,
                               .record = record_of(with_messages(page->app, source)),
                               .numbers = true,
                               .margin = main.cols >= 60,
                               .items = true,
                               .head_apart = true };
    source->head = main.rows > 3 && listing_head(&listing, area_part(main, 0, 0, 1, main.cols));
    if (source->head) // it stays when the lines scroll
        main = area_part(main, 1, 0, main.rows - 1, main.cols);
    listing.rows = main.rows;
    struct sheet sheet = listing_sheet(&listing, main.cols, area.canvas->utf8);
    int lines = 0;
    for (const char *c = shown(source)->text; *c; c++)
        lines += *c == '\n';
    reader_show(&source->reader, sheet, lines);
    place(page->app, source, &listing, main.rows);
    bring_error(source, with_messages(page->app, source));
    reader_draw(&source->reader, main);
    draw_status_line(page->app, source, status);
}

// ---- acting ----------------------------------------------------------------------------------------------------------

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
    return reload(page, &error) ? DONE : app_refuse(page->app, "%s", error.text);
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
    return watch_variant(&source->watch, page->app, shown(source)) ? reload_and_say(page) : DONE_FAILED;
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
        reload(page, &unused); // what ships comes back, and a file that belongs to no lab stays in sight
    }
}

static int reset(struct page *page)
{
    return own_restore(page->app, shown(page->state)) ? reload_and_say(page) : DONE_FAILED;
}

// The kernel after or before, in the place of this one; what is shown beside it is made anew.
static int to_kernel(struct page *page, int by)
{
    struct source_page *source = page->state;
    const struct variant *variant = choose_beside(page->app, &source->target, by);
    if (!variant)
        return DONE_FAILED;
    choose_variant(page, &source->target, variant, &source->what);
    source->placed = false;
    watch_end(&source->watch); // it was of the copy of another
    return reload_and_say(page);
}

static int open_other(struct page *page, const char *what)
{
    struct source_page *source = page->state;
    if (strcmp(what, "bench") == 0 && !source->target.lab)
        return app_refuse(page->app, "This file belongs to no lab, so there is no ladder.");
    return app_open_on(page->app, what, source->what);
}

static const struct term *term_of(struct page *page)
{
    const struct source_page *source = page->state;
    size_t line = source->reader.selected > 0 ? (size_t)source->reader.selected : 0;
    return listing_term(app_glossary(page->app), shown(source)->text, line);
}

// The nearest line after the chosen one (or before it) that has a message.
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
        app_say(page->app, ROLE_DIM, "There is no message %s this line.", by > 0 ? "after" : "before");
    return best >= 0 ? DONE : DONE_FAILED;
}

static int no_term(struct app *app)
{
    app_say(app, ROLE_DIM, "No word of this line is a term. ':explain WORD' explains any other.");
    return DONE_FAILED;
}

// What the folded opening holds is found as well.
static int search(struct page *page, const struct words *words)
{
    struct source_page *source = page->state;
    struct text what = { 0 };
    bool folded = sheet_line_of_item(&source->reader.sheet, 0) < 0;
    words_add(words, 1, &what);
    if (folded && what.length && !reader_holds(&source->reader, what.data) &&
        strcasestr(shown(source)->text, what.data)) {
        source->unfolded = true;
        page->app->laid_out = false;
        app_lay_out(page->app);
    }
    text_free(&what);
    return reader_act(&source->reader, page->app, ACT_SEARCH, words);
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
        return set_pane(page, words);
    case ACT_SIZE:
        return choose_preset(page->app, source->target.lab, &source->preset, words);
    case ACT_DATA:
        return choose_data(page->app, source->target.lab, &source->data, words);
    case ACT_PTX:
        return toggle_side(page, SIDE_PTX);
    case ACT_SASS:
        return toggle_side(page, SIDE_SASS);
    case ACT_NEXT:
        return next_message(page, 1);
    case ACT_PREVIOUS:
        return next_message(page, -1);
    case ACT_BASELINE:
        return choose_baseline(page->app, source->what);
    case ACT_UNFOLD:
        return turn_opening(page, &source->unfolded, &source->reader, shown(source)->text);
    case ACT_VARIANT_NEXT:
        return to_kernel(page, 1);
    case ACT_VARIANT_PREVIOUS:
        return to_kernel(page, -1);
    case ACT_SEARCH:
        return search(page, words);
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
                                      .panes = pane_names,
                                      .tick_ms = tick_ms,
                                      .tick = tick,
                                      .close = close_source };
