// The source page and what stands beside the source.
#ifndef WARPBOOK_SOURCE_H
#define WARPBOOK_SOURCE_H

#include "tui/view/view.h"

enum side { SIDE_PTX, SIDE_SASS, SIDES };
struct beside {        // made behind the screen; lives until both the page and the task have done with it
    struct page *page; // NULL: closed
    enum side side;
    struct task *task; // until it is made
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
    struct reader reader, beside_reader[SIDES];
    unsigned told;                // the serial of the run whose compiler messages were brought into sight
    bool head;                    // a row for the head of the margin
    struct beside *beside[SIDES]; // NULL: not shown
    struct watch watch;           // of the copy of which a save starts a run
};
enum { SOURCE_WIDE = 100, SOURCE_WIDEST = 180 }; // columns for one beside it, for both
// source_choose.c; the actions' results
enum { SOURCE_PANES = 4 };
extern const char *const source_pane_names[SOURCE_PANES]; // bits of the sides beside it
int source_toggle_side(struct page *page, enum side side);
int source_set_pane(struct page *page, const struct words *words);
int source_set_size(struct page *page, const struct words *words);
int source_set_data(struct page *page, const struct words *words);
void beside_show(struct page *page, enum side side); // beside.c
void beside_drop(struct source_page *source, enum side side);
void beside_draw(struct page *page, enum side side, struct area area);

#endif
