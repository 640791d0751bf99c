// Where the ladder, the views and the source stand, narrow and wide.
#include "tui/view/bench.h"

#include <string.h>

enum {
    WIDE = 116,   // columns in which the source stands beside the ladder
    WIDEST = 192, // and the numbers beside the source
    BOTH = 36     // rows in which both tables of numbers have room
};

// Below: what goes on under the shown view; NULL: nothing.
static void draw_tabs(struct bench *bench, struct area line, enum bench_pane shown, enum bench_pane first,
                      const struct reader *below)
{
    area_line(line, 0, ROLE_FRAME);
    bench->tabs = tabs_draw(line, bench_pane_names, (int)first, PANES - 1, (int)shown);
    if (below)
        tabs_more(line, bench->tabs.cells, reader_more(below));
    else if (shown == PANE_CHART)
        tabs_more(line, bench->tabs.cells, bench->chart_more);
}

// A part that is always in sight; the one that scrolls is in brackets.
static void draw_head(struct area line, const char *name, bool chosen, const struct reader *below)
{
    area_line(line, 0, ROLE_FRAME);
    int col = area_put(line, 0, 1, chosen ? ROLE_TITLE : ROLE_DIM, chosen ? "[%s]" : " %s ", name);
    if (below)
        tabs_more(line, col, reader_more(below));
}

// The reader that has this view's lines; NULL: it is a picture.
static const struct reader *reader_of(const struct bench *bench, enum bench_pane pane)
{
    return pane == PANE_SOURCE                            ? &bench->source
           : pane == PANE_RESULT || pane == PANE_COUNTERS ? &bench->panel
                                                          : NULL;
}

// The ladder gets what it needs, but leaves the pane at least half.
static int ladder_rows(const struct bench *bench, int rows, int most_percent)
{
    int wants = bench_lines(bench), most = rows * most_percent / 100;
    return wants < most ? wants : most > 3 ? most : 3;
}

static void draw_narrow(struct app *app, struct bench *bench, struct area area)
{
    struct rect rest = { 0, 0, area.rows, area.cols };
    struct area rows = area_rect(area, rect_top(&rest, ladder_rows(bench, area.rows, 45), 0));
    struct area tabs = area_rect(area, rect_top(&rest, 1, 0));
    bench_draw_pane(app, bench, area_rect(area, rest), bench->pane);
    draw_tabs(bench, tabs, bench->pane, PANE_SOURCE, reader_of(bench, bench->pane));
    bench_draw_rows(app, bench, rows); // last: the cursor is parked on the chosen row
}

// The ladder keeps room for bars; what is left beyond is the source's.
static int left_cols(int cols)
{
    int share = cols * 45 / 100 + 10;
    return share > 84 ? 84 : share > 72 ? share : 72;
}

static void draw_wide(struct app *app, struct bench *bench, struct area area)
{
    struct rect rest = { 0, 0, area.rows, area.cols };
    struct rect left = rect_left(&rest, left_cols(area.cols), 2);
    struct area rows = area_rect(area, rect_top(&left, ladder_rows(bench, area.rows, 55), 0));
    struct area tabs = area_rect(area, rect_top(&left, 1, 0));
    enum bench_pane pane = bench->pane == PANE_SOURCE ? PANE_RESULT : bench->pane;
    bool numbers = pane == PANE_RESULT || pane == PANE_COUNTERS;
    bench->both = numbers && left.rows >= BOTH;
    if (bench->both) { // what was measured and what was simulated, in sight together
        enum bench_pane other = pane == PANE_RESULT ? PANE_COUNTERS : PANE_RESULT;
        struct area below = area_rect(area, rect_bottom(&left, BOTH / 2, 0));
        area_line(below, 0, ROLE_FRAME);
        area_put(below, 0, 1, ROLE_DIM, " %s ", bench_pane_names[other]);
        bench_draw_other(app, bench, area_part(below, 1, 0, below.rows - 1, below.cols), other);
    }
    bench_draw_pane(app, bench, area_rect(area, left), pane);
    bench_draw_pane(app, bench, area_rect(area, rest), PANE_SOURCE);
    draw_tabs(bench, tabs, pane, PANE_RESULT, reader_of(bench, pane));
    bench_draw_rows(app, bench, rows);
}

// One of result and counters; the chosen one is what scrolls.
static void draw_numbers(struct app *app, struct bench *bench, struct area area, enum bench_pane pane)
{
    struct rect rest = { 0, 0, area.rows, area.cols };
    struct area line = area_rect(area, rect_top(&rest, 1, 0)), body = area_rect(area, rest);
    bool chosen = bench->pane == pane, main = chosen || (pane == PANE_RESULT && bench->pane != PANE_COUNTERS);
    if (main)
        bench_draw_pane(app, bench, body, pane);
    else
        bench_draw_other(app, bench, body, pane);
    draw_head(line, bench_pane_names[pane], chosen, main ? &bench->panel : &bench->other);
}

// The ladder as a picture; both of them where they have room.
static void draw_pictures(struct app *app, struct bench *bench, struct area area)
{
    enum { AXIS = 4, ROOFLINE_LEAST = 14, ROOFLINE_MOST = 26 };
    struct rect rest = { 0, 0, area.rows, area.cols };
    struct area tabs = area_rect(area, rect_top(&rest, 1, 0));
    if (bench->pane >= PANE_CHART)
        bench->picture = bench->pane;
    int chart = bench_count(bench) + AXIS;
    if (rest.rows < chart + 1 + ROOFLINE_LEAST) {
        enum bench_pane picture = bench->picture ? bench->picture : PANE_CHART;
        bench_draw_pane(app, bench, area_rect(area, rest), picture);
        draw_tabs(bench, tabs, picture, PANE_CHART, NULL);
        return;
    }
    bench_draw_pane(app, bench, area_rect(area, rect_top(&rest, chart, 0)), PANE_CHART);
    struct area head = area_rect(area, rect_top(&rest, 1, 0));
    bench_draw_pane(app, bench, area_rect(area, rect_top(&rest, ROOFLINE_MOST, 0)), PANE_ROOFLINE);
    draw_head(tabs, bench_pane_names[PANE_CHART], bench->pane == PANE_CHART, NULL);
    draw_head(head, bench_pane_names[PANE_ROOFLINE], bench->pane == PANE_ROOFLINE, NULL);
}

// Nothing has to be turned to: the ladder over pictures of it, the source, and all numbers.
static void draw_widest(struct app *app, struct bench *bench, struct area area)
{
    struct rect rest = { 0, 0, area.rows, area.cols };
    struct rect left = rect_left(&rest, area.cols >= 228 ? 84 : area.cols >= 212 ? 76 : 72, 2);
    struct rect right = rect_right(&rest, area.cols >= 228 ? 68 : 62, 2);
    struct area rows = area_rect(area, rect_top(&left, ladder_rows(bench, area.rows, 55), 0));
    struct area upper = area_rect(area, rect_top(&right, area.rows / 2, 0));
    struct area head = area_rect(area, rect_top(&rest, 1, 0));
    bench->both = true;
    draw_pictures(app, bench, area_rect(area, left));
    bench_draw_pane(app, bench, area_rect(area, rest), PANE_SOURCE);
    draw_numbers(app, bench, upper, PANE_RESULT);
    draw_numbers(app, bench, area_rect(area, right), PANE_COUNTERS);
    draw_head(head, bench_pane_names[PANE_SOURCE], bench->pane == PANE_SOURCE, &bench->source);
    bench_draw_rows(app, bench, rows);
}

void bench_draw(struct page *page, struct area area)
{
    struct bench *bench = page->state;
    bench_tell(page->app, bench);
    bench->both = false;
    bench->tabs = (struct tabs){ 0 };
    if (area.cols >= WIDEST && area.rows >= BOTH)
        draw_widest(page->app, bench, area);
    else if (area.cols >= WIDE)
        draw_wide(page->app, bench, area);
    else
        draw_narrow(page->app, bench, area);
}
