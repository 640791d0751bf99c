// The bench page: the ladder of a lab, the chosen step's source, and what came out of it.
#ifndef WARPBOOK_BENCH_H
#define WARPBOOK_BENCH_H

#include "tui/view/view.h"

enum bench_pane { PANE_SOURCE, PANE_RESULT, PANE_COUNTERS, PANE_CHART, PANE_ROOFLINE, PANES };

struct bench {
    const struct lab *lab;
    struct ladder ladder;
    struct error broken;       // why the learner's copies could not be read; text "" when they could
    int chosen;                // a row: CPU implementations first, then the kernels
    int top;                   // the first display line of the ladder that is shown
    const char *preset, *data; // NULL: the backend's own, the lab's first
    enum bench_pane pane;
    enum bench_pane picture;            // the last of chart and roofline; 0: neither yet
    bool both;                          // result and counters are in sight together
    struct reader source, panel, other; // other: result or counters, whichever the panel does not show
    bool unfolded;                      // the opening of the source is in sight, also where room is short
    int placed;              // the row whose source was brought to the line that matters first; -1: none
    size_t placed_top;       // where that left it: as long as nobody scrolls, it is brought there anew
    unsigned told;           // the serial of the run whose compiler messages were brought into sight
    bool tell;               // they are still to be brought there
    int judged;              // the row whose run was asked for and is still to be judged; -1: none
    char *found;             // what is searched for; NULL: nothing yet
    struct reader *found_in; // NULL: among the rows
    struct watch watch;      // of the copy of which a save starts a run
    size_t chart_more;       // rows below those that the chart shows
    struct area rows_area;   // where the ladder was drawn
    struct tabs tabs;
};

struct row {
    const struct cpu_variant *cpu; // one of both
    const struct variant *variant;
};
int bench_count(const struct bench *bench);
struct row bench_row(const struct bench *bench, int index);
struct request bench_request(struct app *app, const struct bench *bench, struct row row, bool simulate);

int bench_row_at(const struct bench *bench,
                 int line);                           // a line of the ladder with its headings; -1: a heading
struct reader *bench_reader(struct bench *bench);     // of the view that scrolls
void bench_draw(struct page *page, struct area area); // bench_draw.c
extern const char *const bench_pane_names[PANES + 1];

#endif
