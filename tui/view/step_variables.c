// The view of the step page with the source's variables: what each holds in one lane, and in the others as far as there is
// room. Only the debug build names them.
#include "tui/view/step.h"

#include <string.h>

enum { NAME_MOST = 24, VALUE_MOST = 18, TYPE_MOST = 20 };

static void value_of(const struct step *step, const struct sim_variable *v, int lane, struct text *out)
{
    if (v->known != SIM_HAS_VALUE)
        text_add(out, walk_no_value(v));
    else if (!walk_add_variable(out, step->format, v, lane))
        text_add(out, step->seen.spot.mask >> lane & 1 ? "no value yet" : "-");
}

static int larger(int a, size_t b, int most)
{
    int at_most = b < (size_t)most ? (int)b : most;
    return a > at_most ? a : at_most;
}

// As many lanes as fit.
static void add_other_lanes(struct sheet *sheet, const struct step *step, const struct sim_variable *v,
                            int width)
{
    struct text line = { 0 };
    uint32_t mask = step->seen.spot.mask;
    bool whole = v->lanes == mask;
    if (v->known != SIM_HAS_VALUE || !(mask & (mask - 1)))
        return;
    if (walk_same(v) && whole) {
        text_add(&line, mask == step->seen.spot.exists ? "in all lanes" : "in all lanes of this path");
    } else {
        text_add(&line, "lanes");
        for (int lane = 0; lane < WALK_LANES; lane++) {
            size_t before = line.length;
            text_add(&line, " ");
            if (!walk_add_variable(&line, step->format, v, lane))
                text_add(&line, "-");
            if ((int)line.length <= width - 2)
                continue;
            line.length = before;
            text_add(&line, " …");
            break;
        }
    }
    if (text_cells(text_string(&line)) <= width)
        sheet_add(sheet, ROLE_DIM, "%s", text_string(&line));
    text_free(&line);
}

static void add_variable(struct sheet *sheet, const struct step *step, const struct sim_variable *v, int lane,
                         bool changed, const int cells[3])
{
    struct text value = { 0 };
    bool there = v->known == SIM_HAS_VALUE && v->lanes >> lane & 1;
    value_of(step, v, lane, &value);
    sheet_add(sheet, changed ? ROLE_TITLE : ROLE_CODE, "%s%-*s ", changed ? "*" : " ", cells[0], v->name);
    sheet_add(sheet, there ? ROLE_TEXT : ROLE_DIM, "%s %-*s  ", there ? "=" : " ", cells[1],
              text_string(&value));
    sheet_add(sheet, ROLE_DIM, "%-*s  ", cells[2], v->type);
    int used = 1 + 1 + 2 + 2 + 2, rest = sheet->width - used;
    for (int i = 0; i < 3; i++)
        rest -= cells[i];
    add_other_lanes(sheet, step, v, rest);
    sheet_end(sheet);
    text_free(&value);
}

static void add_no_variables(struct sheet *sheet, const struct step *step)
{
    const struct step_seen *seen = &step->seen;
    if (seen->spot.ended)
        sheet_paragraph(sheet, ROLE_DIM, 1, "No warp runs any more.");
    else if (seen->has_variables)
        sheet_paragraph(sheet, ROLE_DIM, 1, "No variable is in scope here.");
    else if (step->is_ptx || step->debug)
        sheet_paragraph(sheet, ROLE_DIM, 1, "This code names no variables of the source.");
    else
        sheet_paragraph(sheet, ROLE_DIM, 1,
                        step->coming
                            ? "The debug build is compiled."
                            : "Optimised code keeps no variables: their values move from register to "
                              "register, and some are never there. D steps the debug build of this "
                              "kernel, statement by statement, in which each variable has its value. "
                              "Costs and counts are those of the optimised code alone.");
}

struct sheet step_variables_sheet(const struct step *step, int width, bool utf8)
{
    struct sheet sheet = sheet_new(width, utf8);
    const struct step_seen *seen = &step->seen;
    int lane = step_lane(step), cells[3] = { 0, 0, 0 };
    for (size_t i = 0; i < seen->variable_count; i++) {
        struct text value = { 0 };
        value_of(step, &seen->variables[i], lane, &value);
        cells[0] = larger(cells[0], strlen(seen->variables[i].name), NAME_MOST);
        cells[1] = larger(cells[1], value.length, VALUE_MOST);
        cells[2] = larger(cells[2], strlen(seen->variables[i].type), TYPE_MOST);
        text_free(&value);
    }
    if (seen->variable_count) {
        const uint32_t *thread = seen->threads[lane];
        sheet_add(&sheet, ROLE_TITLE, " lane %d, thread (%u,%u,%u)", lane, thread[0], thread[1], thread[2]);
        if (!(seen->spot.mask >> lane & 1))
            sheet_add(&sheet, ROLE_NOTE, "  is not on this path");
        else if (width >= 72)
            sheet_add(&sheet, ROLE_DIM, "   [ and ] turn to others; Enter: in all lanes");
        sheet_end(&sheet);
    }
    for (size_t i = 0; i < seen->variable_count; i++) {
        sheet.item = (int)i;
        add_variable(&sheet, step, &seen->variables[i], lane, seen->variable_changed[i], cells);
    }
    sheet.item = -1;
    if (!seen->variable_count)
        add_no_variables(&sheet, step);
    return sheet;
}
