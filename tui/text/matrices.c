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

// ---- where the elements of a sparse A belong --------------------------------------------------------------------------

// Groups of places stand apart where the line has room for it.
static bool groups_apart(const struct sim_sparsity *s, int width)
{
    const unsigned places = s->columns / s->each;
    unsigned lanes = 1;
    for (unsigned at = 1; at < places; at++)
        lanes += s->by[at] != s->by[at - 1];
    return LABEL + lanes * CELL + places + places / s->group <= (unsigned)width;
}

static void add_place(struct sheet *sheet, const struct sim_sparsity *s, unsigned place, int lane)
{
    const uint8_t of = s->lane[place];
    if (of == lane)
        sheet_add(sheet, ROLE_GOOD, "%c", 'a' + s->register_of[place]);
    else
        sheet_add(sheet,
                  of == SIM_TWICE  ? ROLE_BAD
                  : of == SIM_ZERO ? ROLE_DIM
                                   : ROLE_TEXT,
                  "%c",
                  of == SIM_TWICE  ? '2'
                  : of == SIM_ZERO ? '.'
                                   : 'x');
}

// " 1   4 xx.. .aa.": of row 1, by the metadata of lane 4.
static void add_sparse_row(struct sheet *sheet, const struct sim_sparsity *s, unsigned row, int lane,
                           bool apart)
{
    const unsigned places = s->columns / s->each, first = row * places;
    sheet_add(sheet, ROLE_DIM, "%2u", row);
    for (unsigned at = 0; at < places; at++) {
        const uint8_t by = s->by[first + at];
        char name[8];
        format_into(name, sizeof name, "%s%u", by == lane ? "*" : "", by);
        if (at == 0 || by != s->by[first + at - 1])
            sheet_add(sheet, by == lane ? ROLE_GOOD : ROLE_DIM, " %*s ", CELL - 1, name);
        else if (apart && at % s->group == 0)
            sheet_add(sheet, ROLE_TEXT, " ");
        add_place(sheet, s, first + at, lane);
    }
    sheet_end(sheet);
}

static void add_sparsity(struct sheet *sheet, const struct sim_sparsity *s, int lane)
{
    struct text words = { 0 };
    bool twice = false;
    const bool apart = groups_apart(s, sheet->width);
    for (unsigned i = 0; i < s->rows * s->columns / s->each; i++)
        twice = twice || s->lane[i] == SIM_TWICE;
    sheet_add(sheet, ROLE_TITLE, " A in full, %u x %u: %u of each %u%s held", s->rows, s->columns, s->kept,
              s->group,
              s->each == 2   ? " pairs are"
              : s->kept == 1 ? " is"
                             : " are");
    sheet_end(sheet);
    for (unsigned row = 0; row < s->rows; row++)
        add_sparse_row(sheet, s, row, lane, apart);
    text_addf(&words,
              "In a row, first the lane whose metadata%s%s says where the held elements of A belong. ",
              *s->metadata ? " in " : "", s->metadata);
    text_addf(&words, "a, b: one of lane %d, by its register; x: of another lane; .: a zero.", lane);
    if (twice)
        text_add(&words, " 2: two in one place.");
    sheet_paragraph(sheet, ROLE_DIM, 1, words.data);
    text_free(&words);
}

struct sheet walk_matrices(const struct sim_matrix *matrices, size_t count,
                           const struct sim_sparsity *sparsity, int lane, const char *other, int width,
                           bool utf8)
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
    if (sparsity)
        add_sparsity(&sheet, sparsity, lane);
    add_registers(&sheet, matrices, count);
    return sheet;
}
