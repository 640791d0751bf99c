// Where the ladder, the views and the source stand, narrow and wide.
#include "tui/view/bench.h"

#include <string.h>

enum { BOTH = 36 }; // rows in which both tables of numbers have room

// The first name that leaves room for the one that is shown.
static int first_tab(struct area line, enum bench_pane shown, int first)
{
    int cells = 0;
    for (int i = first; i <= (int)shown; i++)
        cells += text_cells(bench_pane_names[i]) + 3;
    for (; cells > line.cols && first < (int)shown; first++)
        cells -= text_cells(bench_pane_names[first]) + 3;
    return first;
}

// "12 more" where a pane goes on below.
static void draw_more(const struct reader *reader, struct area line, int from)
{
    size_t shown = reader->top + (size_t)(reader->rows > 0 ? reader->rows : 0);
    char words[40];
    if (reader->sheet.line_count <= shown)
        return;
    format_into(words, sizeof words, " %zu more %s ", reader->sheet.line_count - shown,
                glyph(line.canvas->utf8, GLYPH_MORE_DOWN));
    int col = line.cols - text_cells(words) - 1;
    if (col > from)
        area_put(line, 0, col, ROLE_DIM, "%s", words);
}

static void draw_tabs(const struct bench *bench, struct area line, enum bench_pane shown, bool with_source)
{
    int col = 0;
    area_line(line, 0, ROLE_FRAME);
    for (int i = first_tab(line, shown, with_source ? 0 : 1); i < PANES; i++) {
        bool here = (int)shown == i;
        int behind = area_put(line, 0, col + 1, here ? ROLE_TITLE : ROLE_DIM, here ? "[%s]" : " %s ",
                              bench_pane_names[i]);
        col = behind;
    }
    if (shown == PANE_SOURCE || shown == PANE_RESULT || shown == PANE_COUNTERS)
        draw_more(shown == PANE_SOURCE ? &bench->source : &bench->panel, line, col);
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
    draw_tabs(bench, tabs, bench->pane, true);
    bench_draw_rows(app, bench, rows); // last: the cursor is parked on the chosen row
}

// The ladder keeps room for bars; what is left beyond is the source's.
static int left_cols(int cols)
{
    int share = cols * 45 / 100 + 10;
    return cols >= 180 ? 84 : share > 68 ? share : 68;
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
    draw_tabs(bench, tabs, pane, false);
    bench_draw_rows(app, bench, rows);
}

void bench_draw(struct page *page, struct area area)
{
    struct bench *bench = page->state;
    bench_tell(page->app, bench);
    bench->both = false;
    if (area.cols >= 116)
        draw_wide(page->app, bench, area);
    else
        draw_narrow(page->app, bench, area);
}
