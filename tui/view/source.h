// The source page and what stands beside the source.
#ifndef WARPBOOK_SOURCE_H
#define WARPBOOK_SOURCE_H

#include "tui/view/view.h"

enum side { SIDE_NONE, SIDE_PTX, SIDE_SASS };
struct beside {        // made behind the screen; lives until both the page and the task have done with it
    struct page *page; // NULL: closed
    enum side side;
    char *file, *source;
    int target;
    bool made;
    struct text text;
    struct error error; // text "" when it was made
};
struct source_page {
    char *what; // "histogram/3", "FILE.cu"
    struct target target;
    const char *preset, *data;
    struct reader reader, beside_reader;
    const json_t *told; // the compiler's messages that were brought into sight
    bool head;          // a row for the head of the margin
    enum side side;
    struct beside *beside; // of `side`; NULL: not asked for yet
    struct watch watch;    // of the copy of which a save starts a run
};
int beside_show(struct page *page, enum side side); // beside.c; the same again: away
void beside_drop(struct source_page *source);
void beside_draw(struct page *page, struct area area);

#endif
