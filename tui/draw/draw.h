// Putting text where a person sees it: plain paper, colours as roles, glyphs by locale, widths, units.
// Nothing here knows a lesson or a kernel.
#ifndef WARPBOOK_DRAW_H
#define WARPBOOK_DRAW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "engine/base/base.h"

// ---- paper.c: plain output, for terminals, pipes and files ----------------------------------------

enum role { ROLE_TEXT, ROLE_TITLE, ROLE_DIM, ROLE_GOOD, ROLE_BAD, ROLE_NOTE, ROLE_CPU, ROLE_GPU };

struct paper {
    FILE *file;
    bool terminal, colour, utf8;
    int width; // cells in a line; 80 where that is not known
};
// Colour only on a terminal, and never under NO_COLOR or TERM=dumb. The locale must be set before. Whatever is
// put loses its control characters, but newlines and tabs.
struct paper paper_open(FILE *file);
void paper_put(const struct paper *paper, enum role role, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
// Exactly `cells` wide: cut or filled up; negative: flush right. Then a blank.
void paper_cell(const struct paper *paper, enum role role, int cells, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
// A bar for a share of 0 to 1, `cells` wide.
void paper_bar(const struct paper *paper, enum role role, double share, int cells);
// Words on as many lines as they need, each after `indent` blanks.
void paper_wrap(const struct paper *paper, enum role role, int indent, const char *text);
// Lines as they are, each after `indent` blanks.
void paper_lines(const struct paper *paper, enum role role, int indent, const char *text);

// ---- width.c: cells on a terminal -----------------------------------------------------------------

int text_cells(const char *text);             // control characters count nothing
size_t text_fit(const char *text, int cells); // bytes of the longest front that fits

// ---- units.c: numbers as people read them ---------------------------------------------------------

void unit_ms(double ms, char *out, size_t size);       // "0.181 ms", "138.1 ms", "2765 ms"; "" when unknown
void unit_count(double count, char *out, size_t size); // "67,108,864"

// ---- diff.c ---------------------------------------------------------------------------------------

// Calls `emit` for every line of both texts in order: ' ' for both, '-' only before, '+' only after.
typedef void (*diff_line)(void *context, char sign, const char *line, size_t length);
void diff_lines(const char *before, const char *after, diff_line emit, void *context);

#endif
