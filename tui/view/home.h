// The first page: what its files share.
#ifndef WARPBOOK_HOME_PAGE_H
#define WARPBOOK_HOME_PAGE_H

#include "tui/view/view.h"

enum { HOME_OPENS = 256 };
#define HOME_REVIEW "review" // a command; all other rows open pages

struct home {
    struct reader reader;
    struct sheet right; // the second column of a wide screen; the first one is the reader's
    size_t left_top, right_top;
    char *opens[HOME_OPENS]; // by item: the words that open it
    int count;
    struct review_count due; // of `day`, with `version` of the workbook
    size_t version;
    long day; // 0: not known
};

// A new item, for a span of a sheet; -1: there are too many.
int home_item(struct home *home, const char *format, ...) __attribute__((format(printf, 2, 3)));
void home_heading(struct sheet *sheet, const char *words);

// ---- home_lessons.c -------------------------------------------------------------------------------------------

void home_lessons(struct home *home, struct sheet *sheet, struct app *app);

#endif
