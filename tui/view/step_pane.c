// The lower part of the step page: one of several views of the launch.
#include "tui/view/step.h"

#include <stdlib.h>
#include <string.h>

const char *const step_pane_names[STEP_PANES] = { "lanes", "memory",   "shared", "warps",
                                                  "stack", "findings", "printed" };

// ---- words in sheets ------------------------------------------------------------------------------------------------

static struct sheet warps_sheet(const struct step *step, int width, bool utf8)
{
    struct sheet sheet = sheet_new(width, utf8);
    for (size_t i = 0; i < step->seen.warp_count; i++) {
        const struct sim_warp *warp = &step->seen.warps[i];
        struct text line = { 0 };
        walk_add_warp(&line, i, warp);
        sheet.item = (int)i;
        sheet_add(&sheet,
                  warp->state == SIM_RUNS    ? ROLE_TITLE
                  : warp->state == SIM_ENDED ? ROLE_DIM
                                             : ROLE_TEXT,
                  " %s", line.data);
        sheet_end(&sheet);
        text_free(&line);
    }
    sheet.item = -1;
    if (!step->seen.warp_count)
        sheet_paragraph(&sheet, ROLE_DIM, 1, "No warp runs any more.");
    return sheet;
}

static void add_mask(struct sheet *sheet, uint32_t mask)
{
    for (int i = 0; i < WALK_LANES; i++)
        sheet_add(sheet, mask >> i & 1 ? ROLE_GOOD : ROLE_DIM, "%s",
                  glyph(sheet->utf8, mask >> i & 1 ? GLYPH_FULL : GLYPH_EMPTY));
}

static struct sheet stack_sheet(const struct step *step, int width, bool utf8)
{
    struct sheet sheet = sheet_new(width, utf8);
    for (size_t i = 0; i < step->seen.path_count; i++) {
        const struct sim_path *path = &step->seen.paths[i];
        struct text line = { 0 };
        walk_add_path(&line, path);
        sheet_add(&sheet, i ? ROLE_TEXT : ROLE_TITLE, " %-6s", i ? "waits" : "runs");
        add_mask(&sheet, path->mask);
        sheet_add(&sheet, ROLE_TEXT, "  ");
        sheet_hang(&sheet, 9);
        sheet_flow(&sheet, ROLE_TEXT, "%s", line.data);
        sheet_end(&sheet);
        text_free(&line);
    }
    if (!step->seen.path_count)
        sheet_paragraph(&sheet, ROLE_DIM, 1, "No warp runs any more.");
    return sheet;
}

static struct sheet findings_sheet(const struct step *step, int width, bool utf8)
{
    struct sheet sheet = sheet_new(width, utf8);
    const char *file = step->target.variant->path, *name = strrchr(file, '/');
    for (size_t i = 0; i < step->seen.finding_count; i++) {
        const struct sim_finding *finding = &step->seen.findings[i];
        struct text line = { 0 };
        walk_add_finding(&line, finding, name ? name + 1 : file);
        sheet_add(&sheet, finding->severity == SIM_ERROR ? ROLE_BAD : ROLE_NOTE, " %s", line.data);
        sheet_end(&sheet);
        sheet_paragraph(&sheet, ROLE_TEXT, 3, finding->sentence);
        text_free(&line);
    }
    if (!step->seen.finding_count)
        sheet_paragraph(&sheet, ROLE_DIM, 1, "No findings so far.");
    return sheet;
}

static struct sheet printed_sheet(const struct step *step, int width, bool utf8)
{
    struct sheet sheet = sheet_new(width, utf8);
    if (step->seen.printed)
        sheet_lines(&sheet, ROLE_TEXT, 1, step->seen.printed);
    else
        sheet_paragraph(&sheet, ROLE_DIM, 1, "The kernel has printed nothing so far.");
    return sheet;
}

// ---- shared memory --------------------------------------------------------------------------------------------------

// A bit for every byte of the word that the last access touched in this block's shared memory.
static bool was_touched(const struct step_seen *seen, size_t word)
{
    const struct sim_touched *t = &seen->touched;
    if (!seen->has_touched || !walk_is_shared(t) || memcmp(t->block, seen->spot.block, sizeof t->block) != 0)
        return false;
    for (int i = 0; i < WALK_LANES; i++)
        if (t->lanes >> i & 1 && t->lane[i].address / 4 <= word &&
            (t->lane[i].address + t->bytes - 1) / 4 >= word)
            return true;
    return false;
}

// The first row that the last access touched comes to the second line, once.
static void follow(struct step *step)
{
    const struct sim_touched *t = &step->seen.touched;
    uint64_t least = UINT64_MAX;
    if (!step->seen.has_touched || !walk_is_shared(t) || t->step + 1 == step->shared_step)
        return;
    step->shared_step = t->step + 1;
    for (int i = 0; i < WALK_LANES; i++)
        if (t->lanes >> i & 1 && t->lane[i].address < least)
            least = t->lane[i].address;
    uint64_t row = least / 4 / (uint64_t)step->words_per_row;
    step->shared.selected = row < (uint64_t)step->shared.count ? (int)row : 0;
}

static void draw_word(const struct step *step, struct area area, int row, int col, int cells, size_t word)
{
    struct text value = { 0 };
    bool touched = was_touched(&step->seen, word);
    enum walk_format format = step->format == WALK_AS_USED ? WALK_HEX : step->format;
    walk_add_value(&value, format, SIM_UNSIGNED, 4, step->seen.shared[word]);
    int at = col + cells - (int)value.length;
    if (touched)
        area_put(area, row, at - 1, ROLE_TEXT, "*");
    area_put(area, row, at, touched ? ROLE_TEXT : ROLE_DIM, "%s", value.data);
    if (touched)
        area_mark(area, row, at - 1, (int)value.length + 1, MARK_CHANGED);
    text_free(&value);
}

static int shared_cells(const struct step *step)
{
    return step->format == WALK_AS_USED || step->format == WALK_HEX ? 8
           : step->format == WALK_FLOAT                             ? 12
                                                                    : 11;
}

static void draw_shared(struct step *step, struct area area)
{
    enum { LABEL = 7 };
    size_t words = step->seen.shared_words;
    int cells = shared_cells(step), columns = 32;
    if (!words) {
        area_put(area, 0, 1, ROLE_DIM,
                 step->seen.spot.ended ? "No warp runs any more." : "This block has no shared memory.");
        return;
    }
    while (columns > 1 && LABEL + columns * (cells + 1) > area.cols)
        columns /= 2;
    step->words_per_row = columns;
    step->shared.count = (int)((words + (size_t)columns - 1) / (size_t)columns);
    follow(step);
    list_fit(&step->shared, step->shared.count, area.rows);
    for (int row = 0; row < area.rows && step->shared.top + row < step->shared.count; row++) {
        size_t first = (size_t)(step->shared.top + row) * (size_t)columns;
        area_put(area, row, 0, ROLE_DIM, "%5zu:", first);
        for (int i = 0; i < columns && first + (size_t)i < words; i++)
            draw_word(step, area, row, LABEL + i * (cells + 1), cells, first + (size_t)i);
    }
}

// ---- the pane ---------------------------------------------------------------------------------------------------------

struct sheet step_sheet(const struct step *step, enum step_pane pane, int width, bool utf8)
{
    return pane == STEP_MEMORY     ? step_memory_sheet(step, width, utf8)
           : pane == STEP_WARPS    ? warps_sheet(step, width, utf8)
           : pane == STEP_STACK    ? stack_sheet(step, width, utf8)
           : pane == STEP_FINDINGS ? findings_sheet(step, width, utf8)
                                   : printed_sheet(step, width, utf8);
}

void step_draw_pane(struct step *step, struct area area, enum step_pane pane)
{
    if (pane == STEP_LANES) {
        step_draw_registers(step, area);
    } else if (pane == STEP_SHARED) {
        draw_shared(step, area);
    } else {
        reader_show(&step->panel, step_sheet(step, pane, area.cols, area.canvas->utf8),
                    pane == STEP_WARPS ? (int)step->seen.warp_count : 0);
        reader_draw(&step->panel, area);
    }
}
