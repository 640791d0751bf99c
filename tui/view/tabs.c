// The names of a page's views in a line, the shown one in brackets. A name is there as a whole or not at all; dots stand
// for those at either end that have no room.
#include "tui/view/view.h"

#include <string.h>

static int cells_of(const char *const *names, int from, int to, int gap)
{
    int cells = 0;
    for (int i = from; i <= to; i++)
        cells += gap + text_cells(names[i]) + 2;
    return cells;
}

// The names that fit around the shown one: those before it go first.
static void find_room(const char *const *names, int shown, int room, int *from, int *to)
{
    int last = *to, first = *from;
    *to = shown;
    while (*from < shown && cells_of(names, *from, shown, 0) + (*from > first) + (shown < last) > room)
        ++*from;
    while (*to < last && cells_of(names, *from, *to + 1, 0) + (*from > first) + (*to + 1 < last) <= room)
        ++*to;
}

struct tabs tabs_draw(struct area line, const char *const *names, int first, int last, int shown)
{
    struct tabs tabs = { .line = line };
    int gap = cells_of(names, first, last, 1) <= line.cols, from = first, to = last, col = 0;
    const char *more = glyph(line.canvas->utf8, GLYPH_ELLIPSIS);
    for (int i = 0; i < TABS; i++)
        tabs.at[i] = -1;
    if (!gap)
        find_room(names, shown, line.cols, &from, &to);
    if (from > first)
        col = area_put(line, 0, 0, ROLE_DIM, "%s", more);
    for (int i = from; i <= to && i < TABS; i++) {
        tabs.at[i] = col + gap;
        col = area_put(line, 0, col + gap, i == shown ? ROLE_TITLE : ROLE_DIM, i == shown ? "[%s]" : " %s ",
                       names[i]);
        tabs.end[i] = col;
    }
    if (to < last)
        col = area_put(line, 0, col, ROLE_DIM, "%s", more);
    tabs.cells = col;
    return tabs;
}

int tabs_at(const struct tabs *tabs, int row, int col)
{
    if (tabs->line.rows <= 0 || row != tabs->line.row)
        return -1;
    for (int i = 0; i < TABS; i++)
        if (tabs->at[i] >= 0 && col - tabs->line.col >= tabs->at[i] && col - tabs->line.col < tabs->end[i])
            return i;
    return -1;
}

void tabs_more(struct area line, int from, size_t more)
{
    char words[40];
    if (!more)
        return;
    format_into(words, sizeof words, " %zu more %s ", more, glyph(line.canvas->utf8, GLYPH_MORE_DOWN));
    int col = line.cols - text_cells(words) - 1;
    if (col > from)
        area_put(line, 0, col, ROLE_DIM, "%s", words);
}
