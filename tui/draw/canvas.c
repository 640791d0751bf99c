// A screen as cells in memory. Pages draw into it, tests read it, screen_paint.c shows it. Everything that is put passes
// through put_char, which clips; characters that would be invisible are shown as `<U+202E>`.
#include "tui/draw/draw.h"

#include <stdlib.h>
#include <string.h>

static const struct cell blank = { .text = " " };

void canvas_clear(struct canvas *canvas)
{
    for (int i = 0; i < canvas->rows * canvas->cols; i++)
        canvas->cells[i] = blank;
    canvas->cursor_row = canvas->cursor_col = 0;
    canvas->cursor_shown = false;
}

void canvas_resize(struct canvas *canvas, int rows, int cols)
{
    canvas->rows = rows > 0 ? rows : 0;
    canvas->cols = cols > 0 ? cols : 0;
    free(canvas->cells);
    canvas->cells = mem_new(((size_t)canvas->rows * (size_t)canvas->cols + 1) * sizeof *canvas->cells);
    canvas_clear(canvas);
}

void canvas_free(struct canvas *canvas)
{
    free(canvas->cells);
    *canvas = (struct canvas){ 0 };
}

static const char role_letters[ROLES] = {
    [ROLE_TEXT] = ' ',    [ROLE_TITLE] = 'T',   [ROLE_DIM] = 'd',       [ROLE_GOOD] = 'G',
    [ROLE_BAD] = 'B',     [ROLE_NOTE] = 'N',    [ROLE_CPU] = 'c',       [ROLE_GPU] = 'g',
    [ROLE_SIM] = 's',     [ROLE_LINK] = 'l',    [ROLE_CODE] = 'o',      [ROLE_FRAME] = 'f',
    [ROLE_BAR] = 'b',     [ROLE_FIELD] = 'i',   [ROLE_ADDED] = '+',     [ROLE_REMOVED] = '-',
    [ROLE_KEYWORD] = 'k', [ROLE_TYPE] = 't',    [ROLE_BUILTIN] = 'u',   [ROLE_NUMBER] = 'n',
    [ROLE_STRING] = 'q',  [ROLE_COMMENT] = 'm', [ROLE_DIRECTIVE] = 'x',
};

// Marks win over roles: what is selected is '*', found '?', changed '!'.
static char role_letter(const struct cell *cell)
{
    if (cell->marks & MARK_SELECTED)
        return '*';
    if (cell->marks & MARK_FOUND)
        return '?';
    if (cell->marks & MARK_CHANGED)
        return '!';
    return role_letters[cell->role];
}

static void end_line(struct text *text, size_t start)
{
    while (text->length > start && text->data[text->length - 1] == ' ')
        text->data[--text->length] = 0;
    text_add(text, "\n");
}

void canvas_dump(const struct canvas *canvas, struct text *text, struct text *roles)
{
    for (int row = 0; row < canvas->rows; row++) {
        size_t text_start = text->length, roles_start = roles ? roles->length : 0;
        for (int col = 0; col < canvas->cols; col++) {
            const struct cell *cell = &canvas->cells[row * canvas->cols + col];
            char letter = role_letter(cell);
            text_add(text, cell->text);
            if (roles)
                text_add_n(roles, &letter, 1);
        }
        end_line(text, text_start);
        if (roles)
            end_line(roles, roles_start);
    }
}

static int used_cols(const struct cell *row, int cols)
{
    while (cols && strcmp(row[cols - 1].text, " ") == 0)
        cols--;
    return cols;
}

void canvas_print(const struct paper *paper, const struct canvas *canvas)
{
    for (int row = 0; row < canvas->rows; row++) {
        const struct cell *cells = &canvas->cells[row * canvas->cols];
        int cols = used_cols(cells, canvas->cols);
        struct text run = { 0 };
        for (int col = 0; col < cols; col++) {
            text_add(&run, cells[col].text);
            if (col + 1 < cols && cells[col + 1].role == cells[col].role)
                continue;
            paper_put(paper, (enum role)cells[col].role, "%s", run.data);
            run.length = 0;
        }
        paper_put(paper, ROLE_TEXT, "\n");
        text_free(&run);
    }
}

// ---- areas ------------------------------------------------------------------------------------------------

struct area canvas_area(struct canvas *canvas)
{
    return (struct area){ canvas, 0, 0, canvas->rows, canvas->cols };
}

// `least` wins over a `most` that is below it.
static int between(int least, int value, int most)
{
    return value > most ? (most < least ? least : most) : value < least ? least : value;
}

struct area area_part(struct area area, int row, int col, int rows, int cols)
{
    int top = between(0, row, area.rows), left = between(0, col, area.cols);
    int bottom = between(top, row + rows, area.rows), right = between(left, col + cols, area.cols);
    return (struct area){ area.canvas, area.row + top, area.col + left, bottom - top, right - left };
}

static struct cell *cell_at(struct area area, int row, int col)
{
    if (row < 0 || col < 0 || row >= area.rows || col >= area.cols)
        return NULL;
    return &area.canvas->cells[(area.row + row) * area.canvas->cols + area.col + col];
}

// A cell that is overwritten may be half of a wide character; its other half becomes a blank.
static void unpair(struct area area, struct cell *cell)
{
    struct cell *first = area.canvas->cells;
    struct cell *end = first + area.canvas->rows * area.canvas->cols;
    if (!cell->text[0] && cell > first)
        memcpy(cell[-1].text, " ", 2);
    if (cell + 1 < end && cell->text[0] && !cell[1].text[0])
        memcpy(cell[1].text, " ", 2);
}

static void set_cell(struct area area, struct cell *cell, const char *text, size_t length, enum role role,
                     unsigned marks)
{
    unpair(area, cell);
    memcpy(cell->text, text, length);
    cell->text[length] = 0;
    cell->role = (uint8_t)role;
    cell->marks = (uint8_t)marks;
}

static void combine(struct area area, int row, int col, const char *text, size_t length)
{
    struct cell *cell = cell_at(area, row, col - 1);
    if (cell && !cell->text[0])
        cell = cell_at(area, row, col - 2);
    size_t used = cell ? strlen(cell->text) : 0;
    if (!cell || used + length >= sizeof cell->text)
        return;
    memcpy(cell->text + used, text, length);
    cell->text[used + length] = 0;
}

// One character of `width` cells; what does not fit is left out, and half of a wide one becomes a blank.
static void put_char(struct area area, int row, int col, enum role role, unsigned marks, const char *text,
                     size_t length, int width)
{
    struct cell *cell = cell_at(area, row, col), *right = cell_at(area, row, col + width - 1);
    if (width == 2 && (!cell || !right)) {
        text = " ";
        length = 1;
        cell = cell ? cell : right;
        right = cell;
    }
    if (!cell)
        return;
    if (length >= sizeof cell->text)
        length = 0;
    set_cell(area, cell, text, length, role, marks);
    if (right != cell)
        set_cell(area, right, "", 0, role, marks);
}

// Puts the next character; returns the bytes of it, and moves *col.
static size_t put_next(struct area area, int row, int *col, enum role role, unsigned marks, const char *text,
                       size_t length)
{
    char instead[HIDDEN_SIZE];
    int cells;
    size_t used = text_next(text, length, &cells, instead);
    for (int i = 0; instead[i]; i++)
        put_char(area, row, *col + i, role, marks, instead + i, 1, 1);
    if (cells > 0 && !*instead)
        put_char(area, row, *col, role, marks, text, used, cells);
    else if (cells == 0)
        combine(area, row, *col, text, used);
    *col += cells > 0 ? cells : 0;
    return used;
}

int area_put_n(struct area area, int row, int col, enum role role, unsigned marks, const char *text,
               size_t length)
{
    for (size_t used; length; text += used, length -= used)
        used = put_next(area, row, &col, role, marks, text, length);
    return col;
}

int area_put(struct area area, int row, int col, enum role role, const char *format, ...)
{
    struct text text = { 0 };
    va_list args;
    va_start(args, format);
    text_addv(&text, format, args);
    va_end(args);
    col = area_put_n(area, row, col, role, MARK_NONE, text_string(&text), text.length);
    text_free(&text);
    return col;
}

int area_cell(struct area area, int row, int col, enum role role, int cells, const char *format, ...)
{
    struct text text = { 0 };
    va_list args;
    va_start(args, format);
    text_addv(&text, format, args);
    va_end(args);
    int width = cells < 0 ? -cells : cells, needs = text_cells(text_string(&text));
    struct area part = area_part(area, row, col, 1, width);
    bool long_one = needs > width;
    if (col < 0 || row < 0 || !part.rows || !part.cols) {
        text_free(&text);
        return col + width;
    }
    area_fill(part, role);
    size_t fits = text_fit(text_string(&text), long_one ? width - 1 : width);
    int at = area_put_n(part, 0, cells < 0 && !long_one ? width - needs : 0, role, MARK_NONE,
                        text_string(&text), fits);
    if (long_one)
        area_put(part, 0, at, role, "%s", glyph(area.canvas->utf8, GLYPH_ELLIPSIS));
    text_free(&text);
    return col + width;
}

void area_mark(struct area area, int row, int col, int cells, unsigned marks)
{
    for (int i = 0; i < cells && col + i < area.cols; i++) {
        struct cell *cell = cell_at(area, row, col + i);
        if (cell)
            cell->marks |= (uint8_t)marks;
    }
}

void area_fill(struct area area, enum role role)
{
    for (int row = 0; row < area.rows; row++)
        for (int col = 0; col < area.cols; col++)
            set_cell(area, cell_at(area, row, col), " ", 1, role, MARK_NONE);
}

void area_line(struct area area, int row, enum role role)
{
    for (int col = 0; col < area.cols; col++)
        area_put(area, row, col, role, "%s", glyph(area.canvas->utf8, GLYPH_HORIZONTAL));
}

void area_cursor(struct area area, int row, int col)
{
    if (!area.rows || !area.cols)
        return;
    area.canvas->cursor_row = area.row + between(0, row, area.rows - 1);
    area.canvas->cursor_col = area.col + between(0, col, area.cols - 1);
}

// ---- from a size to rectangles ----------------------------------------------------------------------------

// Takes `cells` and the gap after them off the front or the end of a side of *left cells that starts at *at. Returns
// where the part starts and how long it is; at every size it lies within the side.
static int cut(int *at, int *left, bool end, int *cells, int gap)
{
    *cells = between(0, *cells, *left);
    int gone = *cells + between(0, gap, *left - *cells), from = end ? *at + *left - *cells : *at;
    *at += end ? 0 : gone;
    *left -= gone;
    return from;
}

struct rect rect_top(struct rect *rest, int rows, int gap)
{
    int row = cut(&rest->row, &rest->rows, false, &rows, gap);
    return (struct rect){ row, rest->col, rows, rest->cols };
}

struct rect rect_bottom(struct rect *rest, int rows, int gap)
{
    int row = cut(&rest->row, &rest->rows, true, &rows, gap);
    return (struct rect){ row, rest->col, rows, rest->cols };
}

struct rect rect_left(struct rect *rest, int cols, int gap)
{
    int col = cut(&rest->col, &rest->cols, false, &cols, gap);
    return (struct rect){ rest->row, col, rest->rows, cols };
}

struct rect rect_right(struct rect *rest, int cols, int gap)
{
    int col = cut(&rest->col, &rest->cols, true, &cols, gap);
    return (struct rect){ rest->row, col, rest->rows, cols };
}

struct area area_rect(struct area area, struct rect rect)
{
    return area_part(area, rect.row, rect.col, rect.rows, rect.cols);
}

// ---- rows with a selection --------------------------------------------------------------------------------

void list_fit(struct list *list, int count, int rows)
{
    list->count = count > 0 ? count : 0;
    list->rows = rows > 0 ? rows : 0;
    list->selected = between(0, list->selected, list->count - 1);
    list->top = between(list->selected - list->rows + 1, list->top, list->selected);
    list->top = between(0, list->top, list->count - list->rows);
    if (!list->rows)
        list->top = list->selected;
}
