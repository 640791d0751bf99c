// The step page at every size: the source with the line that runs, the instruction, the lanes, and one view below them;
// beside each other where the screen is wide.
#include "tui/view/step.h"

#include <string.h>

enum { WIDEST = 192, TALL = 36 }; // where there is room for a third column

// ---- the source and the PTX -----------------------------------------------------------------------------------------

// Keeps the row in sight, with two around it; scrolled elsewhere, it stays there until the line changes.
static void bring(struct reader *reader, int *shown, int line, int row, int rows)
{
    long at = row, top = (long)reader->top, margin = rows >= 6 ? 2 : 0;
    if (row < 0 || (line == *shown && reader->rows == rows))
        return;
    *shown = line;
    if (at < top + margin || at >= top + rows - margin)
        top = at - rows / 3;
    reader->top = top > 0 ? (size_t)top : 0;
}

// A long line may take several rows.
static void draw_text(struct reader *reader, struct area area, const char *text, int line, int *shown)
{
    if (reader->sheet.width != area.cols) {
        struct listing listing = { .text = text, .numbers = true, .items = true };
        reader_show(reader, listing_sheet(&listing, area.cols, area.canvas->utf8), 0);
        *shown = 0;
    }
    int row = line > 0 ? sheet_line_of_item(&reader->sheet, line - 1) : -1;
    int behind = row >= 0 ? sheet_line_of_item(&reader->sheet, line) : -1;
    bring(reader, shown, line, row, area.rows);
    reader_draw(reader, area);
    row -= (int)reader->top;
    behind = behind >= 0 ? behind - (int)reader->top : row + 1;
    if (line <= 0 || row < 0 || row >= area.rows)
        return;
    area_put(area, row, 0, ROLE_TITLE, ">");
    for (int i = row; i < behind && i < area.rows; i++)
        area_mark(area, i, 0, area.cols, MARK_SELECTED);
    area_cursor(area, row, 0);
}

struct marked step_marked(const struct step *step)
{
    const struct sim_spot *spot = &step->seen.spot;
    const struct sim_touched *touched = &step->seen.touched;
    return step->blames ? (struct marked){ touched->line, touched->ptx_line, touched->text }
                        : (struct marked){ spot->line, spot->ptx_line, spot->text };
}

static int line_of(const struct step *step)
{
    struct marked marked = step_marked(step);
    return step->seen.spot.ended && !step->blames ? 0 : step->is_ptx ? marked.ptx_line : marked.line;
}

static void draw_source(struct step *step, struct area area)
{
    draw_text(&step->source, area, step->target.variant->text, line_of(step), &step->source_line);
}

// The instruction alone, where there is no room for those around it.
static void draw_instruction(const struct step *step, struct area line)
{
    struct marked marked = step_marked(step);
    if (step->seen.spot.ended && !step->blames)
        return;
    int col = area_put(line, 0, 0, ROLE_DIM, "ptx %d:", marked.ptx_line);
    struct text clean = { 0 };
    for (const char *at = walk_trimmed(marked.text); *at; at++)
        text_add_n(&clean, *at == '\t' ? " " : at, 1);
    area_cell(line, 0, col + 1, ROLE_CODE, line.cols - col - 1, "%s", text_string(&clean));
    text_free(&clean);
}

// ---- where it is ------------------------------------------------------------------------------------------------------

// As much as fits: without the block's coordinates, without the lanes that are there.
static void add_where(const struct step_seen *seen, int cells, struct text *words)
{
    const struct sim_spot *spot = &seen->spot;
    size_t start = words->length;
    walk_add_who(words, spot);
    text_add(words, ", ");
    walk_add_active(words, spot);
    if ((int)words->length + 1 <= cells)
        return;
    words->length = start;
    text_addf(words, "block %llu, warp %u, ", (unsigned long long)spot->block_number, spot->warp);
    size_t lanes = words->length;
    walk_add_active(words, spot);
    if ((int)words->length + 1 <= cells)
        return;
    words->length = lanes;
    text_addf(words, "%d lanes", __builtin_popcount(spot->active));
}

static void draw_where(const struct step *step, struct area line)
{
    const struct step_seen *seen = &step->seen;
    struct text words = { 0 };
    area_line(line, 0, ROLE_FRAME);
    text_addf(&words, " step %llu: ", (unsigned long long)seen->spot.step);
    if (!seen->spot.ended)
        add_where(seen, line.cols - 2, &words);
    else
        text_add(&words, walk_end(&seen->spot));
    if (seen->spot.ended && !seen->spot.stopped && seen->launch + 1 < seen->launches)
        text_addf(&words, "; step goes on with launch %zu of %zu", seen->launch + 2, seen->launches);
    text_add(&words, " ");
    area_put(line, 0, 1, ROLE_TITLE, "%s", words.data);
    text_free(&words);
}

static void draw_tabs(struct step *step, struct area line, enum step_pane shown, enum step_pane first)
{
    area_line(line, 0, ROLE_FRAME);
    step->tabs = tabs_draw(line, step_pane_names, (int)first, STEP_PANES - 1, (int)shown);
    const struct list *shared = &step->shared;
    int below = shared->count - shared->top - shared->rows;
    if (shown == STEP_SHARED)
        tabs_more(line, step->tabs.cells, below > 0 && step->seen.shared_words ? (size_t)below : 0);
    else if (shown != STEP_LANES)
        tabs_more(line, step->tabs.cells, reader_more(&step->panel));
}

// ---- layouts ------------------------------------------------------------------------------------------------------------

static struct area cut(struct area area, struct rect *rest, int rows)
{
    return area_rect(area, rect_top(rest, rows, 0));
}

static void draw_narrow(struct step *step, struct area area)
{
    struct rect rest = { 0, 0, area.rows, area.cols };
    int instruction = step->is_ptx || area.rows < 8 ? 0 : 1, lanes = area.rows >= 14 ? 2 : 1;
    int free_rows = area.rows - instruction - lanes - 2, lower = free_rows * 58 / 100;
    struct area source = cut(area, &rest, free_rows - lower);
    struct area ptx = cut(area, &rest, instruction), where = cut(area, &rest, 1);
    struct area strip = cut(area, &rest, lanes), tabs = cut(area, &rest, 1);
    step->lower = area_rect(area, rest);
    step_draw_pane(step, step->lower, step->pane);
    draw_tabs(step, tabs, step->pane, STEP_LANES);
    draw_where(step, where);
    draw_instruction(step, ptx);
    step_draw_lanes(step, strip);
    area_cursor(area, 0, 0);
    draw_source(step, source); // last: the cursor is parked on the line that runs
}

static void draw_ptx(struct step *step, struct area line, struct area area)
{
    area_line(line, 0, ROLE_FRAME);
    area_put(line, 0, 1, ROLE_TITLE, " PTX ");
    draw_text(&step->ptx, area, step->walker->walk.setup.compiled.ptx, step_marked(step).ptx_line,
              &step->ptx_line);
}

// The source over the PTX.
static void draw_code(struct step *step, struct area area)
{
    struct rect rest = { 0, 0, area.rows, area.cols };
    bool with_ptx = !step->is_ptx && area.rows >= 16;
    struct rect below = rect_bottom(&rest, with_ptx ? area.rows * 35 / 100 : step->is_ptx ? 0 : 1, 0);
    if (with_ptx) {
        struct area line = cut(area, &below, 1);
        draw_ptx(step, line, area_rect(area, below));
    } else {
        draw_instruction(step, area_rect(area, below));
    }
    area_cursor(area, 0, 0);
    draw_source(step, area_rect(area, rest));
}

// The lanes and their registers over one view.
static void draw_state(struct step *step, struct area area, enum step_pane pane)
{
    struct rect rest = { 0, 0, area.rows, area.cols };
    struct area where = cut(area, &rest, 1), strip = cut(area, &rest, 2);
    int grid = (area.rows - 4) / 2;
    struct area registers = cut(area, &rest, grid < 14 ? grid : 14), tabs = cut(area, &rest, 1);
    step->lower = area_rect(area, rest);
    step_draw_pane(step, step->lower, pane);
    step_draw_registers(step, registers);
    draw_tabs(step, tabs, pane, STEP_MEMORY);
    draw_where(step, where);
    step_draw_lanes(step, strip);
}

// What else there is, below each other: the other warps, this one's paths, what is wrong, shared memory.
static void draw_others(struct step *step, struct area area)
{
    static const enum step_pane panes[] = { STEP_WARPS, STEP_STACK, STEP_FINDINGS, STEP_SHARED };
    struct rect rest = { 0, 0, area.rows, area.cols };
    for (int i = 0; i < 4; i++) {
        struct area head = cut(area, &rest, 1);
        area_line(head, 0, ROLE_FRAME);
        area_put(head, 0, 1, ROLE_DIM, " %s ", step_pane_names[panes[i]]);
        if (panes[i] == STEP_SHARED) {
            step_draw_pane(step, area_rect(area, rest), STEP_SHARED);
            return;
        }
        struct sheet sheet = step_sheet(step, panes[i], area.cols, area.canvas->utf8);
        int lines = (int)sheet.line_count, most = rest.rows / 2;
        sheet_draw(&sheet, cut(area, &rest, lines < most ? lines + 1 : most), 0, -1, NULL);
        tabs_more(head, 12, lines > most ? (size_t)(lines - most) : 0);
        sheet_free(&sheet);
        if (panes[i] == STEP_FINDINGS && (!step->seen.shared_words || step->pane == STEP_SHARED))
            return;
    }
}

static void draw_wide(struct step *step, struct area area)
{
    struct rect rest = { 0, 0, area.rows, area.cols };
    bool widest = area.cols >= WIDEST && area.rows >= TALL;
    int third = area.cols >= 228 ? 64 : 52;
    if (widest)
        draw_others(step, area_rect(area, rect_right(&rest, third, 2)));
    struct rect left = rect_left(&rest, rest.cols >= 200 ? 100 : rest.cols / 2 - 1, 2);
    draw_state(step, area_rect(area, rest), step->pane == STEP_LANES ? STEP_MEMORY : step->pane);
    draw_code(step, area_rect(area, left)); // last: the cursor is parked on the line that runs
}

// ---- before there is a trace ----------------------------------------------------------------------------------------------

static void add_again(struct app *app, struct sheet *sheet)
{
    char key[24], words[60];
    keys_name(&app->keys, "step", "restart", key, sizeof key);
    format_into(words, sizeof words, "%s begins again.", *key ? key : ":restart");
    sheet_paragraph(sheet, ROLE_DIM, 1, words);
}

static void draw_waiting(struct app *app, struct step *step, struct area area)
{
    struct sheet sheet = sheet_new(area.cols, area.canvas->utf8);
    if (step->walker->task)
        sheet_paragraph(&sheet, ROLE_DIM, 1, "It is compiled for the simulator.");
    else
        message_add(&sheet, ROLE_BAD, step->walker->error.text, app->known.commands);
    if (step->walker->stopped)
        add_again(app, &sheet);
    struct rect rest = { 0, 0, area.rows, area.cols };
    int rows = (int)sheet.line_count + 1;
    struct area top = area_rect(area, rect_top(&rest, rows < area.rows / 2 ? rows : area.rows / 2, 0));
    sheet_draw(&sheet, top, 0, -1, NULL);
    sheet_free(&sheet);
    draw_source(step, area_rect(area, rest));
}

void step_draw(struct page *page, struct area area)
{
    struct step *step = page->state;
    step->tabs = (struct tabs){ 0 };
    step->lower = area_part(area, 0, 0, 0, 0);
    if (!step->seen.known)
        draw_waiting(page->app, step, area);
    else if (area.cols >= STEP_WIDE)
        draw_wide(step, area);
    else
        draw_narrow(step, area);
}
