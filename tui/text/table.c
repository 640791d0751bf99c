// Tables: side by side where the width allows it, with columns that wrap where it does not quite, and stacked, each
// cell behind its heading, where it does not at all.
#include "tui/text/text.h"

#include <stdlib.h>
#include <string.h>

enum { APART = 2, NARROWEST = 8 };

struct column {
    int cells, least; // its width; its longest word
    bool numbers;     // flush right
};

static const struct table_cell *cell_at(const struct lesson_block *block, size_t row, size_t col)
{
    return &block->cells[row * block->cols + col];
}

static void cell_text(const struct table_cell *cell, struct text *out)
{
    out->length = 0;
    text_add(out, "");
    for (size_t i = 0; i < cell->count; i++)
        text_add(out, cell->pieces[i].kind == INLINE_BREAK ? " " : cell->pieces[i].text);
}

// ---- widths -----------------------------------------------------------------------------------------------------

static int longest_word(const char *text)
{
    int longest = 0;
    while (*text) {
        size_t length = strcspn(text, " \n\t");
        int cells = text_cells_n(text, length);
        longest = cells > longest ? cells : longest;
        text += length + (text[length] != 0);
    }
    return longest;
}

static bool is_number(const char *text)
{
    bool digit = false;
    for (; *text; text++) {
        digit |= *text >= '0' && *text <= '9';
        if (!strchr("0123456789.,+-% x", *text))
            return false;
    }
    return digit;
}

static struct column *measure(const struct lesson_block *block)
{
    struct column *columns = mem_new((block->cols + 1) * sizeof *columns);
    struct text text = { 0 };
    for (size_t col = 0; col < block->cols; col++) {
        columns[col].numbers = block->rows > 1;
        for (size_t row = 0; row < block->rows; row++) {
            cell_text(cell_at(block, row, col), &text);
            int cells = text_cells(text.data), least = longest_word(text.data);
            columns[col].cells = cells > columns[col].cells ? cells : columns[col].cells;
            columns[col].least = least > columns[col].least ? least : columns[col].least;
            columns[col].numbers &= row == 0 || is_number(text.data);
        }
    }
    text_free(&text);
    return columns;
}

// Takes from the widest column until all fit. False: words would have to be cut.
static bool squeeze(struct column *columns, size_t count, int width)
{
    int total = 0;
    if ((long)count * (NARROWEST / 2) > width)
        return false;
    for (size_t i = 0; i < count; i++)
        total += columns[i].cells + (i ? APART : 0);
    while (total > width) {
        struct column *widest = NULL;
        for (size_t i = 0; i < count; i++) {
            bool gives = columns[i].cells > columns[i].least && columns[i].cells > NARROWEST;
            if (gives && (!widest || columns[i].cells > widest->cells))
                widest = &columns[i];
        }
        if (!widest)
            return false;
        widest->cells--;
        total--;
    }
    return true;
}

// ---- side by side -------------------------------------------------------------------------------------------------

static void put_row(struct sheet *sheet, const struct lesson_block *block, const struct column *columns,
                    size_t row, struct links *links)
{
    struct sheet *cells = mem_new((block->cols + 1) * sizeof *cells);
    struct text text = { 0 };
    size_t lines = 1;
    for (size_t col = 0; col < block->cols; col++) {
        const struct table_cell *cell = cell_at(block, row, col);
        cells[col] = sheet_new(columns[col].cells, sheet->utf8);
        typeset_pieces(&cells[col], row ? ROLE_TEXT : ROLE_TITLE, cell->pieces, cell->count, links);
        sheet_end(&cells[col]);
        lines = cells[col].line_count > lines ? cells[col].line_count : lines;
    }
    for (size_t line = 0; line < lines; line++) {
        int from = 0;
        for (size_t col = 0; col < block->cols; col++) {
            if (line < cells[col].line_count && cells[col].lines[line].count) {
                int used = text_cells(sheet_line_text(&cells[col], line, &text));
                int at = from + (columns[col].numbers ? columns[col].cells - used : 0);
                if (at > sheet->used)
                    sheet_to(sheet, at);
                typeset_line(sheet, &cells[col], line, true);
            }
            from += columns[col].cells + APART;
        }
        sheet_end(sheet);
    }
    for (size_t col = 0; col < block->cols; col++)
        sheet_free(&cells[col]);
    text_free(&text);
    free(cells);
}

static void put_line(struct sheet *sheet, const struct column *columns, size_t count)
{
    struct text line = { 0 };
    for (size_t col = 0; col < count; col++) {
        for (int i = 0; i < columns[col].cells; i++)
            text_add(&line, glyph(sheet->utf8, GLYPH_HORIZONTAL));
        if (col + 1 < count)
            text_addf(&line, "%*s", APART, "");
    }
    sheet_add_n(sheet, ROLE_FRAME, text_string(&line), line.length);
    text_free(&line);
    sheet_end(sheet);
}

// ---- stacked --------------------------------------------------------------------------------------------------------

static void stack(struct sheet *sheet, const struct lesson_block *block, struct links *links)
{
    struct text head = { 0 };
    for (size_t row = 1; row < block->rows; row++) {
        if (row > 1)
            sheet_gap(sheet);
        for (size_t col = 0; col < block->cols; col++) {
            const struct table_cell *cell = cell_at(block, row, col);
            cell_text(cell_at(block, 0, col), &head);
            if (!cell->count)
                continue;
            sheet_hang(sheet, 2);
            if (head.length) {
                sheet_flow(sheet, ROLE_DIM, "%s:", head.data);
                sheet_flow(sheet, ROLE_TEXT, " ");
            }
            typeset_pieces(sheet, ROLE_TEXT, cell->pieces, cell->count, links);
            sheet_end(sheet);
        }
    }
    text_free(&head);
}

void typeset_table(struct sheet *sheet, const struct lesson_block *block, struct links *links)
{
    struct column *columns = measure(block);
    if (!squeeze(columns, block->cols, sheet->width) && block->rows > 1) {
        stack(sheet, block, links);
    } else {
        for (size_t row = 0; row < block->rows; row++) {
            put_row(sheet, block, columns, row, links);
            if (row == 0)
                put_line(sheet, columns, block->cols);
        }
    }
    free(columns);
}
