// What the pictures of the explorers share.
#include "tui/explore/explore.h"

#include <stdarg.h>

int draw_width(const struct sheet *sheet)
{
    return sheet->width < 100 ? sheet->width : 100;
}

void draw_affine(struct text *out, long factor, long offset)
{
    if (factor)
        text_add(out, "lane");
    if (factor > 1)
        text_addf(out, " * %ld", factor);
    if (offset || !factor)
        text_addf(out, factor ? " + %ld" : "%ld", offset);
}

void draw_lanes(struct text *out, uint32_t mask)
{
    text_add(out, __builtin_popcount(mask) == 1 ? "lane " : "lanes ");
    const char *between = "";
    for (int i = 0, end; i < WARP_LANES; i = end + 1) {
        for (end = i; end < WARP_LANES && mask >> end & 1; end++)
            ;
        if (end == i)
            continue;
        text_addf(out, end - i == 1 ? "%s%d" : "%s%d-%d", between, i, end - 1);
        between = ", ";
    }
}

void draw_ruler(struct sheet *sheet, int column, int cells)
{
    sheet_add(sheet, ROLE_DIM, " lane");
    for (int lane = 0; lane < WARP_LANES; lane += 8) {
        sheet_to(sheet, column + lane * cells);
        sheet_add(sheet, ROLE_DIM, "%d", lane);
    }
    sheet_to(sheet, column + (WARP_LANES - 1) * cells);
    sheet_add(sheet, ROLE_DIM, "%d", WARP_LANES - 1);
    sheet_end(sheet);
}

void draw_repeat(struct sheet *sheet, enum role role, enum glyph which, int times)
{
    struct text text = { 0 };
    for (int i = 0; i < times; i++)
        text_add(&text, glyph(sheet->utf8, which));
    sheet_add_n(sheet, role, text_string(&text), text.length);
    text_free(&text);
}

void draw_words(struct sheet *sheet, enum role role, const char *format, ...)
{
    struct text text = { 0 };
    va_list args;
    va_start(args, format);
    text_addv(&text, format, args);
    va_end(args);
    sheet_paragraph(sheet, role, 1, text_string(&text));
    text_free(&text);
}

void draw_more(struct sheet *sheet, long more, const char *one, const char *many)
{
    if (more < 1)
        return;
    char count[40];
    unit_count((double)more, count, sizeof count);
    sheet_add(sheet, ROLE_DIM, " %s and %s more %s", glyph(sheet->utf8, GLYPH_ELLIPSIS), count,
              more == 1 ? one : many);
    sheet_end(sheet);
}
