// source: a kernel on a page of its own, with the simulator's counters in the margin, the compiler's messages and the
// findings under their lines, and PTX or SASS beside it. A line that is chosen on either side lights what belongs to it on
// the other.
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
    struct reader reader;
    struct beside {
        struct assembly *assembly; // NULL: not shown
        struct reader reader;
        int *lines; // by item: the source line that it came from; 0: none
        size_t line_count;
        struct area area; // where it was drawn
    } beside[SIDES];
    int focus;          // the side on which a line is chosen; -1: the source
    bool turned;        // the user said what is beside it; else the width decides
    unsigned told;      // the serial of the run whose compiler messages were brought into sight
    bool unfolded;      // the opening is in sight, also where room is short
    bool placed;        // the line that matters first was chosen
    bool head;          // a row for the head of the margin
    struct watch watch; // of the copy of which a save starts a run
};
enum {
    WIDE = 100,       // columns for one beside it
    BY_ITSELF = 120,  // for PTX without being asked for
    WIDEST = 180,     // for both
    BESIDE_LEAST = 44 // of a line of PTX
};
enum { PANES = 4 };

// ---- PTX and SASS: made ----------------------------------------------------------------------------------------

static void beside_drop(struct source_page *source, enum side side)
{
    struct beside *beside = &source->beside[side];
    assembly_drop(beside->assembly);
    beside->assembly = NULL;
    if (source->focus == (int)side)
        source->focus = -1;
}

static void beside_show(struct page *page, enum side side)
{
    struct source_page *source = page->state;
    int focus = source->focus;
    beside_drop(source, side);
    source->focus = focus;
    source->beside[side].assembly = assembly_make(page->app, source->target.variant, side == SIDE_SASS);
    source->beside[side].reader.top = 0;
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

// The lines, each an item, without what only says where they come from; those of the chosen source line are marked with
// a sign. The first of these, or -1.
static int beside_lines(struct beside *beside, int chosen, struct sheet *sheet)
{
    int now = 0, first = -1;
    beside->line_count = 0;
    for (const char *at = text_string(&beside->assembly->text); *at;) {
        size_t length = strcspn(at, "\n");
        if (assembly_ends(at))
            break;
        now = line_of(at, length, now);
        if (!assembly_is_noise(at, length)) {
            bool lit = now == chosen && chosen > 0;
            sheet->item = (int)beside->line_count;
            if (lit && first < 0)
                first = sheet->item;
            sheet_add(sheet, lit ? ROLE_TITLE : ROLE_DIM, "%s", lit ? glyph(sheet->utf8, GLYPH_RIGHT) : " ");
            sheet_add(sheet, ROLE_DIM, now ? "%3d " : "    ", now);
            sheet_add_n(sheet, lit ? ROLE_TITLE : ROLE_TEXT, at, length);
            sheet_end(sheet);
            beside->lines = array_room(beside->lines, beside->line_count, sizeof *beside->lines);
            beside->lines[beside->line_count++] = now;
        }
        if (*at == '}') // the function ends; what follows came from no line
            now = 0;
        at += length + (at[length] == '\n');
    }
    return first;
}

// The first line that came from the source; what precedes it is what the compiler says of itself.
static size_t first_of_kernel(const struct beside *beside)
{
    for (size_t i = 0; i < beside->line_count; i++)
        if (beside->lines[i])
            return i;
    return 0;
}

static void beside_head(struct page *page, struct area line, enum side side)
{
    const struct source_page *source = page->state;
    struct beside *beside = &((struct source_page *)page->state)->beside[side];
    bool here = source->focus == (int)side;
    char key[24];
    area_line(line, 0, ROLE_FRAME);
    int after = area_put(line, 0, 1, here ? ROLE_TITLE : ROLE_DIM, here ? "[%s]" : " %s ",
                         side == SIDE_PTX ? "PTX" : "SASS");
    keys_name(&page->app->keys, "source", here ? "left" : "right", key, sizeof key);
    if (*key && source->focus < 0)
        after = area_put(line, 0, after + 1, ROLE_DIM, " %s chooses here ", key);
    else if (*key && here)
        after = area_put(line, 0, after + 1, ROLE_DIM, " %s goes back ", key);
    tabs_more(line, after, reader_more(&beside->reader));
}

static void beside_draw(struct page *page, enum side side, struct area area)
{
    struct source_page *source = page->state;
    struct beside *beside = &source->beside[side];
    struct reader *reader = &beside->reader;
    struct area body = area_part(area, 1, 0, area.rows - 1, area.cols);
    bool here = source->focus == (int)side;
    beside->area = body;
    if (!beside->assembly->made || *beside->assembly->error.text) {
        if (here)
            source->focus = -1;
        beside_head(page, area, side);
        assembly_why_not(beside->assembly, page->app->known.commands, body);
        return;
    }
    struct sheet sheet = sheet_new(body.cols, body.canvas->utf8);
    int first = beside_lines(beside, source->reader.selected + 1, &sheet);
    reader_show(reader, sheet, here ? (int)beside->line_count : 0);
    size_t rows = (size_t)(body.rows > 0 ? body.rows : 1), top = reader->top;
    bool in_sight = first >= (int)top && first < (int)(top + rows);
    if (first < 0 && !here && reader->top == 0)
        reader->top = first_of_kernel(beside);
    if (first >= 0 && !in_sight && !here)
        reader->top = (size_t)first > rows / 3 ? (size_t)first - rows / 3 : 0;
    reader_draw(reader, body);
    beside_head(page, area, side);
}

// The source line of the line that is chosen in PTX or SASS.
static void follow_beside(struct source_page *source)
{
    const struct beside *beside = &source->beside[source->focus];
    int at = beside->reader.selected;
    if (at >= 0 && (size_t)at < beside->line_count && beside->lines[at] > 0)
        reader_choose(&source->reader, beside->lines[at] - 1);
}

// Chooses a line on that side from now on, the first of those that are lit, or the first that is shown.
static int focus_on(struct page *page, int side)
{
    struct source_page *source = page->state;
    struct beside *beside = &source->beside[side];
    int lit = -1;
    if (!beside->line_count || !beside->assembly->made)
        return DONE_NOT;
    for (size_t i = beside->line_count; i-- > 0;)
        if (beside->lines[i] == source->reader.selected + 1)
            lit = (int)i;
    source->focus = side;
    beside->reader.items = (int)beside->line_count;
    beside->reader.selected = lit >= 0 ? lit : (int)beside->reader.top;
    return DONE;
}

// To the shown side that is next on the right, or back towards the source.
static int go_beside(struct page *page, int by)
{
    struct source_page *source = page->state;
    for (int side = source->focus + by; side >= 0 && side < SIDES; side += by)
        if (source->beside[side].assembly && source->beside[side].area.cols)
            return focus_on(page, side);
    if (by > 0 || source->focus < 0)
        return DONE_NOT;
    source->focus = -1;
    return DONE;
}

// ---- what one chooses ----------------------------------------------------------------------------------------

// Bits of the sides that are shown.
static int sides_of(const struct source_page *source)
{
    return (source->beside[SIDE_PTX].assembly != NULL) | (source->beside[SIDE_SASS].assembly != NULL) << 1;
}

static int show_sides(struct page *page, int sides)
{
    struct source_page *source = page->state;
    source->turned = true;
    for (int side = 0; side < SIDES; side++) {
        bool wanted = sides >> side & 1;
        if (wanted && !source->beside[side].assembly)
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
        if (source->beside[side].assembly) // made of the text before
            beside_show(page, (enum side)side);
    return true;
}

static bool open_source(struct page *page, const struct words *words, struct error *error)
{
    struct source_page *source = page->state;
    if (words->count != 2)
        return error_set(error, EXIT_USAGE, "source takes a kernel: source histogram/3, source FILE.cu");
    source->what = mem_copy(words->word[1]);
    source->beside[SIDE_PTX].reader.selected = source->beside[SIDE_SASS].reader.selected = -1;
    source->focus = -1;
    bool read = reload(page, error);
    if (read && shown(source) && source->target.lab) {
        free(source->what);
        source->what = text_format("%s/%s", source->target.lab->name, shown(source)->name);
    }
    if (read && !shown(source)) {
        read = error_set(error, EXIT_USAGE,
                         "%s is not a kernel; source takes one step of a ladder, such as %s/1.", source->what,
                         source->target.lab->name);
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
        reader_free(&source->beside[side].reader);
        free(source->beside[side].lines);
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

static void draw_status_line(struct app *app, const struct source_page *source, struct area line,
                             unsigned asked)
{
    const struct record *record = record_of(counted(app, source));
    const struct run_result *gpu = result_on(app, source, ON_GPU);
    int col = 1;
    area_line(line, 0, ROLE_FRAME);
    if (gpu && !gpu->error && gpu->record.median_ms > 0 && !(asked & ASKED_TIME)) {
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

// The source gets what its longest line needs after the margin, if that leaves enough for the other.
static int main_cols(const struct source_page *source, int cols)
{
    enum { MARGIN = 17, CODE_MOST = 72 }; // as wide as shipped kernels are
    int longest = 0, share = cols * 55 / 100;
    for (const char *at = shown(source)->text; *at; at += strcspn(at, "\n"), at += *at == '\n') {
        int cells = text_cells_n(at, strcspn(at, "\n"));
        longest = cells > longest && cells <= CODE_MOST ? cells : longest;
    }
    int main = longest + MARGIN > share ? longest + MARGIN : share;
    return main < cols - BESIDE_LEAST ? main : cols - BESIDE_LEAST > share ? cols - BESIDE_LEAST : share;
}

// Until the user chooses, PTX is shown beside the source where there is room.
static void show_by_width(struct page *page, int cols)
{
    struct source_page *source = page->state;
    if (source->turned)
        return;
    if (cols >= BY_ITSELF && !source->beside[SIDE_PTX].assembly)
        beside_show(page, SIDE_PTX);
    else if (cols < BY_ITSELF && source->beside[SIDE_PTX].assembly)
        beside_drop(source, SIDE_PTX);
}

// Draws PTX and SASS beside the source, or below it where the page is too narrow; returns the source's area. Where there
// is no room for both, the PTX goes: SASS was asked for after it.
static struct area draw_beside(struct page *page, struct area area, struct rect rest)
{
    struct source_page *source = page->state;
    bool widest = area.cols >= WIDEST, ptx = source->beside[SIDE_PTX].assembly,
         sass = source->beside[SIDE_SASS].assembly;
    if (ptx && sass && widest) {
        struct area main = area_rect(area, rect_left(&rest, area.cols * 42 / 100, 1));
        beside_draw(page, SIDE_PTX, area_rect(area, rect_left(&rest, rest.cols / 2, 1)));
        beside_draw(page, SIDE_SASS, area_rect(area, rest));
        return main;
    }
    if (!ptx && !sass)
        return area_rect(area, rest);
    bool wide = area.cols >= WIDE;
    struct rect main =
        wide ? rect_left(&rest, main_cols(source, area.cols), 1) : rect_top(&rest, rest.rows / 2, 0);
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
    unsigned asked = asked_about(page, source->what);
    if (asked)
        area = asked_line(page, area, "");
    struct rect rest = { 0, 0, area.rows, area.cols };
    struct area status = area_rect(area, rect_bottom(&rest, 1, 0));
    show_by_width(page, area.cols);
    source->beside[SIDE_PTX].area = source->beside[SIDE_SASS].area = (struct area){ 0 };
    struct area main = draw_beside(page, area, rest);
    int cursor_row = area.canvas->cursor_row, cursor_col = area.canvas->cursor_col;
    char fold[60];
    fold_words(page->app, "source", fold, sizeof fold);
    struct listing listing = { .text = shown(source)->text,
                               .before = text_before(page->app, source),
                               .fold = source->unfolded && !asked ? NULL : fold,
                               .shut = asked,
                               .record = record_of(with_messages(page->app, source)),
                               .numbers = true,
                               .margin = main.cols >= 60 && !(asked & ASKED_COUNTERS),
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
    if (source->focus >= 0) {
        area.canvas->cursor_row = cursor_row;
        area.canvas->cursor_col = cursor_col;
    }
    draw_status_line(page->app, source, status, asked);
}

// ---- acting ----------------------------------------------------------------------------------------------------------

static int run(struct page *page, enum backend on)
{
    struct source_page *source = page->state;
    const struct variant *variant = shown(source);
    if ((variant->own || !variant->lab) && !file_exists(variant->path)) {
        struct error unused;
        app_say(page->app, ROLE_BAD, "%s is gone.", variant->path);
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
    app_say(app, ROLE_DIM, "No word on this line is a term. ':explain WORD' explains any other.");
    return DONE_FAILED;
}

// What the folded opening holds is found as well.
static int search(struct page *page, const struct words *words)
{
    struct source_page *source = page->state;
    struct text what = { 0 };
    bool folded = sheet_line_of_item(&source->reader.sheet, 0) < 0;
    words_add(words, 1, &what);
    if (folded && what.length && !asked_about(page, source->what) &&
        !reader_holds(&source->reader, what.data) && strcasestr(shown(source)->text, what.data)) {
        source->unfolded = true;
        page->app->laid_out = false;
        app_lay_out(page->app);
    }
    text_free(&what);
    return reader_act(&source->reader, page->app, ACT_SEARCH, words);
}

static int unfold(struct page *page)
{
    struct source_page *source = page->state;
    int done = asked_show(page, source->what);
    return done == DONE_NOT ? turn_opening(page, &source->unfolded, &source->reader, shown(source)->text)
                            : done;
}

// On the side where a line is chosen, and its line on the other follows.
static int move(struct page *page, enum act act, const struct words *words)
{
    struct source_page *source = page->state;
    if (source->focus < 0)
        return reader_act(&source->reader, page->app, act, words);
    int done = reader_act(&source->beside[source->focus].reader, page->app, act, words);
    if (done == DONE)
        follow_beside(source);
    return done;
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
    case ACT_EXPORT:
        return own_export(page->app, shown(source), source->preset, source->data);
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
        return unfold(page);
    case ACT_VARIANT_NEXT:
        return to_kernel(page, 1);
    case ACT_VARIANT_PREVIOUS:
        return to_kernel(page, -1);
    case ACT_SEARCH:
        return source->focus < 0 ? search(page, words) : move(page, act, words);
    case ACT_EXPLAIN:
        return words->count > 1 || term_of(page) ? DONE_NOT : no_term(page->app);
    case ACT_STEP_PAGE:
        return open_other(page, "step");
    case ACT_BENCH:
        return open_other(page, "bench");
    case ACT_RIGHT:
        return go_beside(page, 1);
    case ACT_LEFT:
        return go_beside(page, -1);
    default:
        return move(page, act, words);
    }
}

// In the area of the side that is chosen from.
static bool click_beside(struct page *page, int side, int row, int col)
{
    struct source_page *source = page->state;
    struct beside *beside = &source->beside[side];
    int at = row + page->area.row - beside->area.row, cell = col + page->area.col - beside->area.col;
    if (at < 0 || at >= beside->area.rows || cell < 0 || cell >= beside->area.cols ||
        focus_on(page, side) == DONE_NOT)
        return false;
    reader_click(&beside->reader, at, cell);
    follow_beside(source);
    return true;
}

static bool click_source(struct page *page, int row, int col)
{
    struct source_page *source = page->state;
    for (int side = 0; side < SIDES; side++)
        if (click_beside(page, side, row, col))
            return true;
    source->focus = -1;
    return reader_click(&source->reader, row - source->head, col);
}

static void word_source(struct page *page, struct text *out)
{
    const struct term *term = term_of(page);
    text_add(out, term ? term->name : "");
}

// Lines as they are in the file, from the chosen one on; of an opening that is folded none.
static void copy_source(struct page *page, int lines, struct text *out)
{
    const struct source_page *source = page->state;
    const char *at = shown(source)->text;
    size_t from = source->reader.selected > 0 ? (size_t)source->reader.selected : 0;
    size_t opening = asked_about(page, source->what) ? listing_opening(at) : 0;
    for (size_t line = from < opening ? opening : from; line && *at; line--)
        at += strcspn(at, "\n") + (at[strcspn(at, "\n")] == '\n');
    for (int line = 0; line < (lines ? lines : 1) && *at; line++) {
        size_t length = strcspn(at, "\n");
        text_addf(out, "%.*s\n", (int)length, at);
        at += length + (at[length] == '\n');
    }
}

static void about_source(struct page *page, struct text *out)
{
    text_add(out, ((const struct source_page *)page->state)->what);
}

static const char *hints(const struct page *page)
{
    return "run, sim simulate, edit, ptx PTX, step-page step, bench";
}

const struct page_ops source_page = { .name = "source",
                                      .operands = "LAB/STEP | FILE.cu",
                                      .help =
                                          "A kernel with its counters by line, and PTX or SASS beside it; "
                                          "from 120 columns the PTX is there by itself.",
                                      .most = 1,
                                      .size = sizeof(struct source_page),
                                      .open = open_source,
                                      .title = title_source,
                                      .draw = draw_source,
                                      .act = act_source,
                                      .click = click_source,
                                      .word = word_source,
                                      .hints = hints,
                                      .copy = copy_source,
                                      .about = about_source,
                                      .panes = pane_names,
                                      .tick_ms = tick_ms,
                                      .tick = tick,
                                      .close = close_source };
