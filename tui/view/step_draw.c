// The step page at every size: the source with the line that runs, the instruction, the lanes, and one view below them;
// beside each other where the screen is wide.
#include "tui/explore/explore.h"
#include "tui/view/step.h"

#include <stdlib.h>
#include <string.h>

enum { LANE_LABEL = 6, GROUP = 8 };

// ---- the lanes: which are active ----------------------------------------------------------------------------

static const char *guard_sign(bool utf8)
{
    return drawn_flat ? "-" : glyph(utf8, GLYPH_HORIZONTAL);
}

static const char *lane_sign(const struct sim_spot *spot, int lane, bool utf8, enum role *role)
{
    *role = ROLE_DIM;
    if (spot->active >> lane & 1) {
        *role = ROLE_GOOD;
        return glyph(utf8, GLYPH_FULL);
    }
    if (spot->mask >> lane & 1)
        return guard_sign(utf8);
    return spot->live >> lane & 1 ? glyph(utf8, GLYPH_EMPTY) : " ";
}

// Two cells a lane where there is room for them, else one, if it may be with a blank after every eighth.
static int lane_col(int cols, int lane)
{
    if (cols >= LANE_LABEL + WALK_LANES * 2)
        return LANE_LABEL + lane * 2;
    bool gaps = cols >= LANE_LABEL + WALK_LANES + WALK_LANES / GROUP - 1;
    return LANE_LABEL + lane + (gaps ? lane / GROUP : 0);
}

static void draw_lane_strip(const struct step *step, struct area area)
{
    const struct sim_spot *spot = &step->seen.spot;
    bool utf8 = area.canvas->utf8;
    int ruler = area.rows > 1 ? 0 : -1, row = ruler + 1;
    enum role role;
    if (spot->ended)
        return;
    for (int lane = 0; lane < WALK_LANES && ruler == 0; lane += lane == 24 ? 7 : GROUP)
        area_put(area, ruler, lane_col(area.cols, lane), ROLE_DIM, "%d", lane);
    area_put(area, row, 0, ROLE_DIM, "lanes");
    for (int lane = 0; lane < WALK_LANES; lane++) {
        const char *sign = lane_sign(spot, lane, utf8, &role);
        area_put(area, row, lane_col(area.cols, lane), role, "%s", sign);
    }
    int after = lane_col(area.cols, WALK_LANES) + 2;
    if (area.cols - after >= 40)
        area_put(area, row, after, ROLE_DIM, "%s active %s guard false %s other path",
                 glyph(utf8, GLYPH_FULL), guard_sign(utf8), glyph(utf8, GLYPH_EMPTY));
}

// ---- the lanes: what a register holds in each ---------------------------------------------------------------

static void add_value(const struct step *step, const struct sim_register *reg, int lane, struct text *out)
{
    const struct sim_variable *variable = reg == &step->seen.chosen ? step->seen.variable : NULL;
    if (variable) {
        if (!walk_add_variable(out, step->format, variable, lane))
            text_add(out, "-");
    } else if (reg->bytes > 8)
        text_add(out, "wide");
    else
        walk_add_value(out, step->format, reg->is, reg->bytes, reg->value[lane]);
}

// Flush right up to `end`; what has changed is marked, with a star before it.
static void draw_value(struct area area, int row, int end, enum role role, struct text *value, bool changed)
{
    int at = end - (int)value->length;
    area_put(area, row, at, role, "%s", text_string(value));
    if (changed) {
        area_put(area, row, at - 1, ROLE_TEXT, "*");
        area_mark(area, row, at - 1, (int)value->length + 1, MARK_CHANGED);
    }
    text_free(value);
}

static int widest(const struct step *step, const struct sim_register *reg)
{
    int most = 1;
    for (int lane = 0; lane < WALK_LANES; lane++) {
        struct text value = { 0 };
        add_value(step, reg, lane, &value);
        if ((int)value.length > most)
            most = (int)value.length;
        text_free(&value);
    }
    return most;
}

// The number of columns that fit: a label, then for each value a sign, the value and a blank.
static int columns_of(const struct area *area, int cells)
{
    int columns = 16;
    while (columns > 1 && LANE_LABEL + 2 + columns * (cells + 2) > area->cols)
        columns /= 2;
    return columns;
}

static void draw_grid(const struct step *step, struct area area)
{
    const struct sim_register *reg = &step->seen.chosen;
    int cells = widest(step, reg), columns = columns_of(&area, cells);
    for (int lane = 0; lane < WALK_LANES; lane++) {
        struct text value = { 0 };
        int row = lane / columns, end = LANE_LABEL + 3 + lane % columns * (cells + 2) + cells;
        if (lane % columns == 0)
            area_put(area, row, 0, ROLE_DIM, "lane %2d", lane);
        add_value(step, reg, lane, &value);
        draw_value(area, row, end, step->seen.spot.active >> lane & 1 ? ROLE_TEXT : ROLE_DIM, &value,
                   step->seen.changed >> lane & 1);
    }
}

static const char *use_of(const struct sim_register *reg)
{
    return reg->read && reg->written ? " read, written"
           : reg->read               ? " read"
           : reg->written            ? " written"
                                     : "";
}

// "[%r4] written  %r1 read": the registers of the next instruction, the chosen one in brackets.
static void draw_next_registers(const struct step *step, struct area area)
{
    const struct step_seen *seen = &step->seen;
    int col = 0;
    bool among = false;
    if (*step->chosen && !seen->has_chosen)
        col = area_put(area, 0, 0, ROLE_DIM, "%s is not in scope here. ", step->chosen) + 1;
    for (size_t i = 0; i < seen->next_count; i++)
        among |= seen->has_chosen && strcmp(seen->next[i].name, seen->chosen.name) == 0;
    if (seen->has_chosen && !among)
        col = area_put(area, 0, 0, ROLE_TITLE, "[%s]", seen->chosen.name) + 1;
    if (!seen->next_count)
        area_put(area, 0, col, ROLE_DIM, "The next instruction uses no register.");
    for (size_t i = 0; i < seen->next_count && col < area.cols; i++) {
        const struct sim_register *reg = &seen->next[i];
        bool here = seen->has_chosen && strcmp(reg->name, seen->chosen.name) == 0;
        col = area_put(area, 0, col, here ? ROLE_TITLE : ROLE_TEXT, here ? "[%s]" : "%s", reg->name);
        col = area_put(area, 0, col, ROLE_DIM, "%s", use_of(reg)) + 2;
    }
    if (step->format != WALK_AS_USED)
        area_cell(area, 0, area.cols - 9, ROLE_NOTE, -9, "%s", walk_formats[step->format]);
}

// The other registers of the next instruction, a line each, as far as they fit.
static void draw_other_registers(const struct step *step, struct area area)
{
    int row = 0;
    for (size_t i = 0; i < step->seen.next_count && row < area.rows; i++) {
        const struct sim_register *reg = &step->seen.next[i];
        if (step->seen.has_chosen && strcmp(reg->name, step->seen.chosen.name) == 0)
            continue;
        struct text line = { 0 };
        text_addf(&line, "%s:", reg->name);
        if (walk_uniform(reg)) {
            text_add(&line, " all lanes ");
            add_value(step, reg, 0, &line);
        }
        for (int lane = 0; lane < WALK_LANES && !walk_uniform(reg); lane++) {
            text_add(&line, " ");
            add_value(step, reg, lane, &line);
        }
        area_cell(area, row++, 0, ROLE_DIM, area.cols, "%s", line.data);
        text_free(&line);
    }
}

static void draw_registers(const struct step *step, struct area area)
{
    const struct step_seen *seen = &step->seen;
    if (seen->spot.ended) {
        area_put(area, 0, 0, ROLE_DIM, "No warp runs any more.");
        return;
    }
    draw_next_registers(step, area);
    struct area grid = area_part(area, 1, 0, area.rows - 1, area.cols);
    int rows = 0;
    const struct sim_variable *variable = seen->variable;
    if (variable && variable->known != SIM_HAS_VALUE) {
        area_put(grid, 0, 0, ROLE_DIM, "%s", walk_no_value(variable));
        rows = 1;
    } else if (seen->has_chosen && walk_uniform(&seen->chosen) &&
               (!variable || variable->lanes == UINT32_MAX)) {
        struct text value = { 0 };
        bool changed = seen->changed != 0;
        int col = area_put(grid, 0, 0, ROLE_TEXT, "all lanes: ") + changed;
        add_value(step, &seen->chosen, 0, &value);
        draw_value(grid, 0, col + (int)value.length, ROLE_TEXT, &value, changed);
        rows = 1;
    } else if (seen->has_chosen) {
        draw_grid(step, grid);
        rows = WALK_LANES / columns_of(&grid, widest(step, &seen->chosen));
    }
    draw_other_registers(step, area_part(grid, rows, 0, grid.rows - rows, grid.cols));
}

// ---- the last access: banks of shared memory ----------------------------------------------------------------

// Lanes of an atomic that name one word wait for each other.
static bool shares(const struct sim_touched *t, const uint64_t *address, uint32_t lanes, int lane)
{
    bool store = t->access == SIM_SHARED_STORE;
    for (int other = 0; other < lane && t->access == SIM_SHARED_ATOM; other++)
        if (lanes >> other & 1 && address[other] == address[lane])
            return false;
    return sim_wavefronts(address, lanes | 1u << lane, t->bytes, store) <= 1;
}

// The bank that takes part in the most passes, and which lanes wait for it; nothing where that is no more than it must be.
static void add_busiest(struct sheet *sheet, const struct sim_touched *t, const int *passes)
{
    unsigned most = 0, busiest = 0;
    uint32_t asking = 0;
    for (unsigned bank = 0; bank < 32; bank++) {
        uint32_t turns = 0, lanes = 0;
        for (int lane = 0; lane < WALK_LANES; lane++) {
            unsigned first = (unsigned)(t->lane[lane].address / 4), words = (t->bytes + 3) / 4;
            if (passes[lane] < 0 || (bank - first) % 32 >= words)
                continue;
            turns |= 1u << passes[lane];
            lanes |= 1u << lane;
        }
        unsigned count = (unsigned)__builtin_popcount(turns);
        if (count <= most)
            continue;
        most = count;
        busiest = bank;
        asking = lanes;
    }
    if (most <= t->ideal)
        return;
    struct text words = { 0 };
    draw_lanes(&words, asking);
    sheet_add(sheet, ROLE_BAD, " bank %u is asked in %u passes ", busiest, most);
    sheet_hang(sheet, 1);
    sheet_flow(sheet, ROLE_TEXT, "by %s", text_string(&words));
    sheet_end(sheet);
    text_free(&words);
}

// Each lane goes into the first pass that the simulator says it can share with those before it.
static void add_banks(struct sheet *sheet, const struct sim_touched *t)
{
    uint64_t address[WALK_LANES];
    int passes[WALK_LANES], last = 0;
    uint32_t lanes[WALK_LANES] = { 0 };
    for (int lane = 0; lane < WALK_LANES; lane++) {
        int pass = 0;
        address[lane] = t->lane[lane].address;
        passes[lane] = -1;
        if (!((t->lanes & ~t->remote) >> lane & 1))
            continue;
        while (lanes[pass] && !shares(t, address, lanes[pass], lane))
            pass++;
        lanes[pass] |= 1u << lane;
        passes[lane] = pass;
        last = pass > last ? pass : last;
    }
    add_busiest(sheet, t, passes);
    if (banks_draw(sheet, address, passes, t->bytes, (unsigned)t->ideal, (unsigned)last + 1))
        sheet_paragraph(sheet, ROLE_DIM, 1,
                        "0+: lane 0, and others that are served by the same bank with it");
}

// ---- the last access: sectors of global and local memory ----------------------------------------------------

struct sector {
    const char *buffer;
    uint64_t number;
    uint32_t lanes;
    int64_t first, last; // elements
};

static void note_sector(struct sector *sectors, size_t *count, const struct sim_touched_lane *lane, int index,
                        uint64_t number)
{
    size_t at = 0;
    while (at < *count && (sectors[at].number != number || strcmp(sectors[at].buffer, lane->buffer) != 0))
        at++;
    if (at == *count)
        sectors[(*count)++] = (struct sector){ lane->buffer, number, 0, lane->element, lane->element };
    struct sector *sector = &sectors[at];
    sector->lanes |= 1u << index;
    sector->first = lane->element < sector->first ? lane->element : sector->first;
    sector->last = lane->element > sector->last ? lane->element : sector->last;
}

static size_t sectors_of(const struct sim_touched *t, struct sector out[2 * WALK_LANES])
{
    size_t count = 0;
    for (int i = 0; i < WALK_LANES; i++) {
        const struct sim_touched_lane *lane = &t->lane[i];
        if (!(t->lanes >> i & 1))
            continue;
        note_sector(out, &count, lane, i, lane->sector);
        if ((lane->address & 31) + t->bytes > 32)
            note_sector(out, &count, lane, i, lane->sector + 1);
    }
    return count;
}

static void add_sectors(struct sheet *sheet, const struct sim_touched *t)
{
    struct sector sectors[2 * WALK_LANES];
    size_t count = sectors_of(t, sectors);
    for (size_t i = 0; i < count; i++) {
        const struct sector *sector = &sectors[i];
        struct text lanes = { 0 };
        char what[120];
        draw_lanes(&lanes, sector->lanes);
        if (!*sector->buffer)
            format_into(what, sizeof what, "outside of everything");
        else if (sector->first == sector->last)
            format_into(what, sizeof what, "%s[%lld]", sector->buffer, (long long)sector->first);
        else
            format_into(what, sizeof what, "%s[%lld..%lld]", sector->buffer, (long long)sector->first,
                        (long long)sector->last);
        sheet_add(sheet, i < t->ideal ? ROLE_GOOD : ROLE_BAD, " sector %-6llu ",
                  (unsigned long long)sector->number);
        sheet_add(sheet, ROLE_TEXT, "%-18s ", what);
        sheet_hang(sheet, 16);
        sheet_flow(sheet, ROLE_TEXT, "%s", text_string(&lanes));
        sheet_end(sheet);
        text_free(&lanes);
    }
}

// ---- the last access: its sheet -----------------------------------------------------------------------------

static void put_line(struct sheet *sheet, enum role role, struct text *line)
{
    sheet_add(sheet, role, " %s", text_string(line));
    sheet_end(sheet);
    text_free(line);
}

static void add_access(struct sheet *sheet, const struct sim_touched *t)
{
    struct text words = { 0 };
    walk_add_touched(&words, t);
    sheet_add(sheet, ROLE_TITLE, " %s  ", words.data);
    sheet_hang(sheet, 1);
    sheet_flow(sheet, ROLE_DIM, "step %llu, block (%u,%u,%u), warp %u", (unsigned long long)t->step,
               t->block[0], t->block[1], t->block[2], t->warp);
    sheet_end(sheet);
    words.length = 0;
    walk_add_cost(&words, t);
    put_line(sheet, t->passes > t->ideal ? ROLE_BAD : ROLE_GOOD, &words);
}

static struct sheet memory_sheet(const struct step *step, int width, bool utf8)
{
    struct sheet sheet = sheet_new(width, utf8);
    const struct sim_touched *t = &step->seen.touched;
    if (!step->seen.has_touched) {
        sheet_paragraph(&sheet, ROLE_DIM, 1, "No memory instruction has run yet.");
        return sheet;
    }
    add_access(&sheet, t);
    if (walk_is_shared(t)) {
        if (t->lanes & ~t->remote)
            add_banks(&sheet, t);
    } else
        add_sectors(&sheet, t);
    sheet_gap(&sheet);
    for (int lane = 0; lane < WALK_LANES; lane++) {
        struct text line = { 0 };
        if (!(t->lanes >> lane & 1))
            continue;
        walk_add_touched_lane(&line, t, lane);
        put_line(&sheet, ROLE_TEXT, &line);
    }
    return sheet;
}

const char *const step_pane_names[STEP_PANES + 1] = { "lanes", "variables", "memory",  "shared", "warps",
                                                      "stack", "findings",  "printed", "matrix" };

// ---- warps, stack, findings, printed ------------------------------------------------------------------------

static struct sheet warps_sheet(const struct step *step, int width, bool utf8)
{
    struct sheet sheet = sheet_new(width, utf8);
    for (size_t i = 0; i < step->seen.warp_count; i++) {
        const struct sim_warp *warp = &step->seen.warps[i];
        struct text line = { 0 };
        walk_add_warp(&line, i, warp);
        sheet.item = (int)i;
        put_line(&sheet,
                 warp->state == SIM_RUNS    ? ROLE_TITLE
                 : warp->state == SIM_ENDED ? ROLE_DIM
                                            : ROLE_TEXT,
                 &line);
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
        put_line(&sheet, finding->severity == SIM_ERROR ? ROLE_BAD : ROLE_NOTE, &line);
        sheet_paragraph(&sheet, ROLE_TEXT, 3, finding->sentence);
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

// ---- words of shared memory ---------------------------------------------------------------------------------

// A bit for every byte of the word that the last access touched in this block's shared memory.
static bool was_touched(const struct step_seen *seen, size_t word)
{
    const struct sim_touched *t = &seen->touched;
    if (!seen->has_touched || !walk_is_shared(t) || memcmp(t->block, seen->spot.block, sizeof t->block) != 0)
        return false;
    for (int i = 0; i < WALK_LANES; i++)
        if ((t->lanes & ~t->remote) >> i & 1 && t->lane[i].address / 4 <= word &&
            (t->lane[i].address + t->bytes - 1) / 4 >= word)
            return true;
    return false;
}

// The first row that the last access touched comes to the second line, once.
static void follow_access(struct step *step)
{
    const struct sim_touched *t = &step->seen.touched;
    uint64_t least = UINT64_MAX;
    if (!step->seen.has_touched || !walk_is_shared(t) || t->step + 1 == step->shared_step)
        return;
    step->shared_step = t->step + 1;
    for (int i = 0; i < WALK_LANES; i++)
        if ((t->lanes & ~t->remote) >> i & 1 && t->lane[i].address < least)
            least = t->lane[i].address;
    uint64_t row = least / 4 / (uint64_t)step->words_per_row;
    step->shared.selected = row < (uint64_t)step->shared.count ? (int)row : 0;
}

static void draw_shared(struct step *step, struct area area)
{
    enum { LABEL = 7 };
    size_t words = step->seen.shared_words;
    enum walk_format format = step->format == WALK_AS_USED ? WALK_HEX : step->format;
    int cells = format == WALK_HEX ? 8 : format == WALK_FLOAT ? 12 : 11, columns = 32;
    if (!words) {
        area_put(area, 0, 1, ROLE_DIM,
                 step->seen.spot.ended ? "No warp runs any more." : "This block has no shared memory.");
        return;
    }
    while (columns > 1 && LABEL + columns * (cells + 1) > area.cols)
        columns /= 2;
    step->words_per_row = columns;
    step->shared.count = (int)((words + (size_t)columns - 1) / (size_t)columns);
    follow_access(step);
    list_fit(&step->shared, step->shared.count, area.rows);
    for (int row = 0; row < area.rows && step->shared.top + row < step->shared.count; row++) {
        size_t first = (size_t)(step->shared.top + row) * (size_t)columns;
        area_put(area, row, 0, ROLE_DIM, "%5zu:", first);
        for (int i = 0; i < columns && first + (size_t)i < words; i++) {
            struct text value = { 0 };
            bool touched = was_touched(&step->seen, first + (size_t)i);
            walk_add_value(&value, format, SIM_UNSIGNED, 4, step->seen.shared[first + (size_t)i]);
            draw_value(area, row, LABEL + i * (cells + 1) + cells, touched ? ROLE_TEXT : ROLE_DIM, &value,
                       touched);
        }
    }
}

// ---- the view that is shown ---------------------------------------------------------------------------------

static struct sheet pane_sheet(const struct step *step, enum step_pane pane, int width, bool utf8)
{
    return pane == STEP_MATRIX      ? walk_matrices(step->seen.matrices, step->seen.matrix_count,
                                               step->seen.sparse ? &step->seen.sparsity : NULL,
                                                    step_lane(step), "] and [ choose another", width, utf8)
           : pane == STEP_VARIABLES ? step_variables_sheet(step, width, utf8)
           : pane == STEP_MEMORY    ? memory_sheet(step, width, utf8)
           : pane == STEP_WARPS     ? warps_sheet(step, width, utf8)
           : pane == STEP_STACK     ? stack_sheet(step, width, utf8)
           : pane == STEP_FINDINGS  ? findings_sheet(step, width, utf8)
                                    : printed_sheet(step, width, utf8);
}

static void draw_pane(struct step *step, struct area area, enum step_pane pane)
{
    if (pane == STEP_LANES) {
        draw_registers(step, area);
    } else if (pane == STEP_SHARED) {
        draw_shared(step, area);
    } else {
        reader_show(&step->panel, pane_sheet(step, pane, area.cols, area.canvas->utf8),
                    pane == STEP_WARPS       ? (int)step->seen.warp_count
                    : pane == STEP_VARIABLES ? (int)step->seen.variable_count
                                             : 0);
        reader_draw(&step->panel, area);
    }
}

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
    int after = row >= 0 ? sheet_line_of_item(&reader->sheet, line) : -1;
    bring(reader, shown, line, row, area.rows);
    reader_draw(reader, area);
    row -= (int)reader->top;
    after = after >= 0 ? after - (int)reader->top : row + 1;
    if (line <= 0 || row < 0 || row >= area.rows)
        return;
    area_put(area, row, 0, ROLE_TITLE, ">");
    for (int i = row; i < after && i < area.rows; i++)
        area_mark(area, i, 0, area.cols, MARK_SELECTED);
    area_cursor(area, row, 0);
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

// Adds as much as fits: without the block's coordinates, without the lanes that are there.
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
    text_addf(words, "block %llu, ", (unsigned long long)spot->block_number);
    if (spot->cluster > 1)
        text_addf(words, "rank %u, ", spot->rank);
    text_addf(words, "warp %u, ", spot->warp);
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
    draw_pane(step, step->lower, step->pane);
    draw_tabs(step, tabs, step->pane, STEP_LANES);
    draw_where(step, where);
    draw_instruction(step, ptx);
    draw_lane_strip(step, strip);
    area_cursor(area, 0, 0);
    draw_source(step, source); // last: the cursor is parked on the line that runs
}

static void draw_ptx(struct step *step, struct area line, struct area area)
{
    area_line(line, 0, ROLE_FRAME);
    area_put(line, 0, 1, ROLE_TITLE, step->debug ? " PTX of the debug build " : " PTX ");
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
    draw_pane(step, step->lower, pane);
    draw_registers(step, registers);
    draw_tabs(step, tabs, pane, STEP_VARIABLES);
    draw_where(step, where);
    draw_lane_strip(step, strip);
}

// Draws the views that are not chosen below each other: the other warps, this one's paths, what is wrong, shared memory.
static void draw_others(struct step *step, struct area area)
{
    static const enum step_pane panes[] = { STEP_WARPS, STEP_STACK, STEP_FINDINGS, STEP_SHARED };
    struct rect rest = { 0, 0, area.rows, area.cols };
    for (int i = 0; i < 4; i++) {
        struct area head = cut(area, &rest, 1);
        area_line(head, 0, ROLE_FRAME);
        area_put(head, 0, 1, ROLE_DIM, " %s ", step_pane_names[panes[i]]);
        if (panes[i] == STEP_SHARED) {
            draw_pane(step, area_rect(area, rest), STEP_SHARED);
            return;
        }
        struct sheet sheet = pane_sheet(step, panes[i], area.cols, area.canvas->utf8);
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
    draw_state(step, area_rect(area, rest), step_pane_shown(step, true));
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
