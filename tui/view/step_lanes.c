// The lanes of the warp: who is active, and what a register holds in each.
#include "tui/view/step.h"

#include <string.h>

enum { LABEL = 6, GROUP = 8 };

// ---- who is active ------------------------------------------------------------------------------------------------

static const char *lane_sign(const struct sim_spot *spot, int lane, bool utf8, enum role *role)
{
    *role = ROLE_DIM;
    if (spot->active >> lane & 1) {
        *role = ROLE_GOOD;
        return glyph(utf8, GLYPH_FULL);
    }
    if (spot->mask >> lane & 1)
        return glyph(utf8, GLYPH_HORIZONTAL);
    return spot->live >> lane & 1 ? glyph(utf8, GLYPH_EMPTY) : " ";
}

// Two cells a lane where there is room for them, else one, if it may be with a blank behind every eighth.
static int lane_col(int cols, int lane)
{
    if (cols >= LABEL + WALK_LANES * 2)
        return LABEL + lane * 2;
    bool gaps = cols >= LABEL + WALK_LANES + WALK_LANES / GROUP - 1;
    return LABEL + lane + (gaps ? lane / GROUP : 0);
}

void step_draw_lanes(const struct step *step, struct area area)
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
    int behind = lane_col(area.cols, WALK_LANES) + 2;
    if (area.cols - behind >= 40)
        area_put(area, row, behind, ROLE_DIM, "%s active %s guard false %s other path",
                 glyph(utf8, GLYPH_FULL), glyph(utf8, GLYPH_HORIZONTAL), glyph(utf8, GLYPH_EMPTY));
}

// ---- what they hold -----------------------------------------------------------------------------------------------

static void add_value(const struct step *step, const struct sim_register *reg, int lane, struct text *out)
{
    if (reg->bytes > 8)
        text_add(out, "wide");
    else
        walk_add_value(out, step->format, reg->is, reg->bytes, reg->value[lane]);
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

// As many columns as fit: a label, then for each value a sign, the value and a blank.
static int columns_of(const struct area *area, int cells)
{
    int columns = 16;
    while (columns > 1 && LABEL + 2 + columns * (cells + 2) > area->cols)
        columns /= 2;
    return columns;
}

static void draw_grid(const struct step *step, struct area area)
{
    const struct sim_register *reg = &step->seen.chosen;
    int cells = widest(step, reg), columns = columns_of(&area, cells);
    for (int lane = 0; lane < WALK_LANES; lane++) {
        struct text value = { 0 };
        int row = lane / columns, col = LABEL + 2 + lane % columns * (cells + 2);
        bool changed = step->seen.changed >> lane & 1;
        if (lane % columns == 0)
            area_put(area, row, 0, ROLE_DIM, "lane %2d", lane);
        add_value(step, reg, lane, &value);
        enum role role = step->seen.spot.active >> lane & 1 ? ROLE_TEXT : ROLE_DIM;
        if (changed)
            area_put(area, row, col + cells - (int)value.length, ROLE_TEXT, "*");
        area_put(area, row, col + 1 + cells - (int)value.length, role, "%s", value.data);
        if (changed)
            area_mark(area, row, col + cells - (int)value.length, (int)value.length + 1, MARK_CHANGED);
        text_free(&value);
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
static void draw_head(const struct step *step, struct area area)
{
    const struct step_seen *seen = &step->seen;
    int col = 0;
    bool among = false;
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
static void draw_others(const struct step *step, struct area area)
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

void step_draw_registers(const struct step *step, struct area area)
{
    const struct step_seen *seen = &step->seen;
    if (seen->spot.ended) {
        area_put(area, 0, 0, ROLE_DIM, "No warp runs any more.");
        return;
    }
    draw_head(step, area);
    struct area grid = area_part(area, 1, 0, area.rows - 1, area.cols);
    int rows = 0;
    if (seen->has_chosen && walk_uniform(&seen->chosen)) {
        struct text value = { 0 };
        bool changed = seen->changed != 0;
        add_value(step, &seen->chosen, 0, &value);
        area_put(grid, 0, 0, ROLE_TEXT, "all lanes: %s%s", changed ? "*" : "", value.data);
        if (changed)
            area_mark(grid, 0, 11, (int)value.length + 1, MARK_CHANGED);
        text_free(&value);
        rows = 1;
    } else if (seen->has_chosen) {
        draw_grid(step, grid);
        rows = WALK_LANES / columns_of(&grid, widest(step, &seen->chosen));
    }
    draw_others(step, area_part(grid, rows, 0, grid.rows - rows, grid.cols));
}
