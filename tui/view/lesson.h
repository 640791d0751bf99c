// The lesson page: what its files share.
#ifndef WARPBOOK_LESSON_PAGE_H
#define WARPBOOK_LESSON_PAGE_H

#include "tui/view/live.h"

enum { NO_QUESTION = -1 };
struct lesson_page {
    const struct lesson *lesson; // NULL: the list of all
    struct question *questions;  // one for each live block
    size_t question_count;
    unsigned char *folds;    // by block of the lesson
    bool notes;              // those for an instructor are shown
    struct lesson_text text; // its sheet is the reader's
    struct reader reader;
    struct reader outline; // when it stands in the place of the text
    bool outlines;
    char *section; // the heading that it was opened at, until it is shown; NULL: none
    int width;     // that it was made for
    bool still;    // only the place changed since
    int editing;   // the question whose field is typed into
    int follow;    // the one that was answered last: it stays in sight with what comes out; until one moves
    bool answered; // since the text was made last: what comes next is to be selected
    int text_col;  // where the text was drawn
    size_t resume; // the block that the page was left at, until it is laid out; 0: none
    bool looks;    // at a lesson that one came to by < or >: nothing was done in it yet
    int sought;    // the one that the page was opened at, until it is laid out
};

// The live block of an item; NULL: it belongs to the text.
static inline struct question *owner_of(const struct lesson_page *state, int item)
{
    int owner = item >= 0 && (size_t)item < state->text.links.count && state->text.owner
                    ? state->text.owner[item]
                    : -1;
    return owner >= 0 ? &state->questions[owner] : NULL;
}

// The first item on this line or below; -1: none.
static inline int item_below(const struct lesson_page *state, size_t line)
{
    for (size_t i = 0; i < state->text.links.count; i++)
        if (sheet_line_of_item(&state->reader.sheet, (int)i) >= (int)line)
            return (int)i;
    return -1;
}

// ---- lesson_where.c: where one is, and the ways to another place --------------------------------------------------------

struct lesson_where {
    void (*bar)(const struct lesson_page *state, struct area line);   // the line below the text
    void (*aside)(const struct lesson_page *state, struct area area); // the outline beside the text
    void (*outline)(struct lesson_page *state,
                    struct area area); // and in its place, where a section is chosen
    int (*act)(struct page *page, enum act act, const struct words *words); // DONE_NOT: no way to go
    // The block that stood at the top when the lesson was left last; 0: the first.
    size_t (*left)(const struct workbook *workbook, const struct lesson *lesson);
    void (*keep)(struct page *page); // writes that down
};
extern const struct lesson_where lesson_where;

#endif
