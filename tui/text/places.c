// What a search found, as a sheet: the find page shows it, `warpbook explain` prints it.
#include "tui/text/text.h"

#include <stdlib.h>
#include <string.h>

enum { INDENT = 3, SAYS_MOST = 160 };

// The first sentence, or as many whole words of it as there is room for (`whole`: false).
static size_t sentence_length(const char *says, bool *whole)
{
    size_t length = 0, blank = 0;
    *whole = true;
    for (; says[length] && length < SAYS_MOST; length++) {
        blank = says[length] == ' ' ? length : blank;
        if (strchr(".?!", says[length]) && says[length + 1] == ' ')
            return length + 1;
    }
    *whole = !says[length];
    return *whole ? length : blank;
}

static void add_place(struct sheet *sheet, const struct hit *hit, struct links *links)
{
    const struct search_place *place = hit->place;
    bool paper = links->addresses;
    sheet_to(sheet, 1);
    sheet_hang(sheet, INDENT);
    sheet->item = links_add(links, "%s", place->opens);
    sheet_flow(sheet, paper ? ROLE_TITLE : ROLE_LINK, "%s", hit->folded ? place->within : place->name);
    sheet->item = -1;
    if (hit->folded)
        sheet_flow(sheet, ROLE_DIM, " %s its title %s", glyph(sheet->utf8, GLYPH_DOT), after_prediction);
    else if (*place->within)
        sheet_flow(sheet, ROLE_DIM, " %s %s", glyph(sheet->utf8, GLYPH_DOT), place->within);
    sheet_end(sheet);
    if (*place->says && !hit->folded) {
        bool whole;
        size_t length = sentence_length(place->says, &whole);
        sheet_to(sheet, INDENT);
        sheet_hang(sheet, INDENT);
        sheet_flow_n(sheet, ROLE_TEXT, place->says, length);
        if (!whole)
            sheet_flow(sheet, ROLE_TEXT, " %s", glyph(sheet->utf8, GLYPH_ELLIPSIS));
        sheet_end(sheet);
    }
    if (paper) {
        sheet_to(sheet, INDENT);
        if (place->term)
            sheet_add(sheet, ROLE_DIM, "warpbook explain \"%s\"", place->name);
        else
            sheet_add(sheet, ROLE_DIM, "warpbook open %s", place->opens);
        sheet_end(sheet);
    }
}

void places_add(struct sheet *sheet, const struct hit *hits, size_t count, struct links *links)
{
    for (size_t i = 0; i < count; i++)
        add_place(sheet, &hits[i], links);
}
