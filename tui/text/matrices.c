// The matrices of the next instruction of a walk as tables: which lane holds which element, and in which of its registers.
#include "tui/text/stepping.h"

#include <stdlib.h>

enum { LABEL = 3, CELL = 4, GAP = 1, LINE_MOST = 160 };

// What stands beside something else: a table, or lines of words.
struct panel {
    const struct sim_matrix *matrix; // NULL: words
    const char *const *words;
    int lines, width;
};

static struct panel panel_of(const struct sim_matrix *matrix)
{
    return (struct panel){ .matrix = matrix,
                           .lines = 1 + (int)matrix->cell_rows,
                           .width = LABEL + CELL * (int)matrix->cell_columns };
}

// "A, 16 x 16 of f16", then a line for each row of cells: " 8  31b  *0b".
static void add_table_line(struct sheet *sheet, const struct sim_matrix *m, int line, int lane)
{
    if (line == 0) {
        char size[40], heading[64];
        const int room = LABEL + CELL * (int)m->cell_columns - 1;
        format_into(size, sizeof size, "%s, %u x %u", m->name, m->rows, m->columns);
        format_into(heading, sizeof heading, "%s of %s", size, m->type);
        sheet_add(sheet, ROLE_TITLE, " %-*s", room, text_cells(heading) <= room ? heading : size);
        return;
    }
    const unsigned row = (unsigned)line - 1;
    sheet_add(sheet, ROLE_DIM, "%2u ", row * m->tall);
    for (unsigned c = 0; c < m->cell_columns; c++) {
        const unsigned cell = row * m->cell_columns + c;
        const bool chosen = m->lane[cell] == lane;
        char name[8];
        format_into(name, sizeof name, "%s%u%c", chosen ? "*" : "", m->lane[cell],
                    'a' + m->register_of[cell]);
        sheet_add(sheet, chosen ? ROLE_GOOD : ROLE_TEXT, "%*s", CELL, name);
    }
}

static void add_panel_line(struct sheet *sheet, const struct panel *panel, int line, int lane)
{
    if (line < panel->lines && panel->matrix)
        add_table_line(sheet, panel->matrix, line, lane);
    else
        sheet_add(sheet, ROLE_DIM, "%-*s", panel->width, line < panel->lines ? panel->words[line] : "");
}

static void add_beside(struct sheet *sheet, const struct panel *panels, size_t count, int lane)
{
    int lines = 0;
    for (size_t p = 0; p < count; p++)
        lines = panels[p].lines > lines ? panels[p].lines : lines;
    for (int line = 0; line < lines; line++) {
        for (size_t p = 0; p < count; p++) {
            add_panel_line(sheet, &panels[p], line, lane);
            sheet_add(sheet, ROLE_TEXT, "%*s", p + 1 < count ? GAP : 0, "");
        }
        sheet_end(sheet);
    }
}

// "A: a %r1, b %r2".
static void add_registers(struct sheet *sheet, const struct sim_matrix *matrices, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct text words = { 0 };
        const struct sim_matrix *m = &matrices[i];
        text_addf(&words, "%s:", m->name);
        for (unsigned r = 0; r < m->register_count; r++)
            if (m->registers[r])
                text_addf(&words, "%s %c %s", r > 0 && m->registers[r - 1] ? "," : "", 'a' + (int)r,
                          *m->registers[r] ? m->registers[r] : "a constant");
        sheet_paragraph(sheet, ROLE_DIM, 1, words.data);
        text_free(&words);
    }
}

// As one writes a product: B over the result, A to its left.
static void add_product(struct sheet *sheet, const struct sim_matrix *m, int lane, const char *other,
                        int width)
{
    enum { D, A, B };
    char chosen[LINE_MOST];
    format_into(chosen, sizeof chosen, " *: lane %d; %s", lane, other);
    const char *const words[] = { " D = A x B + C; C lies as D does", " a cell: what one register holds",
                                  " 5b: lane 5, its register b", chosen };
    struct panel a = panel_of(&m[A]), b = panel_of(&m[B]), d = panel_of(&m[D]);
    struct panel left = { NULL, words, sizeof words / sizeof *words, a.width };
    if (a.width + GAP + (d.width > b.width ? d.width : b.width) <= width && a.width > 27) {
        add_beside(sheet, (struct panel[]){ left, b }, 2, lane);
        add_beside(sheet, (struct panel[]){ a, d }, 2, lane);
        return;
    }
    add_beside(sheet, &left, 1, lane);
    add_beside(sheet, &d, 1, lane);
    add_beside(sheet, &a, 1, lane);
    add_beside(sheet, &b, 1, lane);
}

// As many tables in a line as fit.
static void add_tables(struct sheet *sheet, const struct sim_matrix *m, size_t count, int lane,
                       const char *other, int width)
{
    char words[LINE_MOST];
    struct panel panels[SIM_MATRICES];
    size_t waiting = 0;
    int used = 0;
    for (size_t i = 0; i < count; i++) {
        struct panel panel = panel_of(&m[i]);
        if (waiting && used + GAP + panel.width > width) {
            add_beside(sheet, panels, waiting, lane);
            waiting = 0;
            used = 0;
        }
        used += panel.width + (waiting ? GAP : 0);
        panels[waiting++] = panel;
    }
    add_beside(sheet, panels, waiting, lane);
    format_into(words, sizeof words, "5b: lane 5, its register b. *: lane %d; %s.", lane, other);
    sheet_paragraph(sheet, ROLE_DIM, 1, words);
}

struct sheet walk_matrices(const struct sim_matrix *matrices, size_t count, int lane, const char *other,
                           int width, bool utf8)
{
    struct sheet sheet = sheet_new(width, utf8);
    if (!count) {
        sheet_paragraph(
            &sheet, ROLE_DIM, 1,
            "The next instruction spreads no matrix over the lanes; mma, wmma, ldmatrix, stmatrix "
            "and movmatrix do.");
        return sheet;
    }
    if (count == SIM_MATRICES && *matrices[0].name == 'D')
        add_product(&sheet, matrices, lane, other, width);
    else
        add_tables(&sheet, matrices, count, lane, other, width);
    add_registers(&sheet, matrices, count);
    return sheet;
}
