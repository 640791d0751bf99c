// The lesson page: what its files share.
#ifndef WARPBOOK_LESSON_PAGE_H
#define WARPBOOK_LESSON_PAGE_H

#include "tui/view/live.h"

enum { NO_QUESTION = -1 };
struct lesson_page {
    const struct lesson *lesson; // NULL: the list of all
    struct question *questions;  // one for each live block
    size_t question_count;
    bool notes;              // those for an instructor are shown
    struct lesson_text text; // its sheet is the reader's
    struct reader reader;
    int width;    // that it was made for
    bool still;   // only the place changed since
    int editing;  // the question whose field is typed into
    int follow;   // the one that was answered last: it stays in sight with what comes out; until one moves
    int text_col; // where the text was drawn
};

// ---- lesson_answer.c ------------------------------------------------------------------------------------------

const char *lesson_opens(const struct lesson_page *state, int item); // the words behind an item; "": none
struct question *lesson_owner(const struct lesson_page *state, int item); // NULL: an item of the text
int lesson_item(const struct lesson_text *text, const char *words, int owner);
bool lesson_in_sight(const struct reader *reader, int line);
int lesson_answer(struct page *page, const struct words *words); // "answer NAME [ANSWER]"
bool lesson_type(struct page *page, const struct event *event);

// ---- lesson_where.c -------------------------------------------------------------------------------------------

void lesson_draw_where(const struct lesson_page *state, struct area line);
void lesson_draw_outline(const struct lesson_page *state, struct area area);

#endif
