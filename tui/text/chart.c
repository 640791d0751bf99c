// The ladder of a lab as bars on a log scale. Points below one another compare at a glance, from nanoseconds to seconds.
#include "tui/text/text.h"

#include <math.h>
#include <string.h>

enum { BAR_LEAST = 8, NAME_LEAST = 6, VALUE_MOST = 10 };

struct ladder_chart {
    struct area area;
    const struct chart_row *rows;
    size_t count;
    int mark, name, bar, value; // cells: of the sign before the chosen row, of the name, …
    double low, high;           // decades: powers of ten
};

static bool known(double value)
{
    return isfinite(value) && value > 0;
}

// The decades that hold all values; a bar is never empty, so the smallest value lies above the first.
static void find_decades(struct ladder_chart *chart)
{
    double least = INFINITY, most = -INFINITY;
    for (size_t i = 0; i < chart->count; i++) {
        if (!known(chart->rows[i].value))
            continue;
        least = fmin(least, log10(chart->rows[i].value));
        most = fmax(most, log10(chart->rows[i].value));
    }
    if (least > most)
        least = most = 0;
    chart->low = floor(least - 0.05);
    chart->high = fmax(ceil(most - 1e-9), chart->low + 1);
}

static int at_least(int least, int value)
{
    return value < least ? least : value;
}

// What does not fit goes: the bar first, then the value.
static void find_columns(struct ladder_chart *chart)
{
    int cols = chart->area.cols, longest = 0;
    for (size_t i = 0; i < chart->count; i++) {
        char text[40];
        unit_ms(chart->rows[i].value, text, sizeof text);
        chart->value = at_least(chart->value, text_cells(text));
        longest = at_least(longest, text_cells(chart->rows[i].name));
        chart->mark |= chart->rows[i].chosen ? 2 : 0;
    }
    int rest = cols - chart->mark - chart->value - 1;
    if (rest < NAME_LEAST) {
        rest += chart->value + 1;
        chart->value = 0;
    }
    chart->name = longest;
    if (rest - chart->name - 2 < BAR_LEAST && rest - 2 - BAR_LEAST >= 2 * NAME_LEAST)
        chart->name = rest - 2 - BAR_LEAST; // a shorter name for a bar
    if (chart->name > cols / 2 && rest - 2 - cols / 2 >= BAR_LEAST)
        chart->name = cols / 2;
    chart->bar = rest - chart->name - 2;
    if (chart->bar < BAR_LEAST) {
        chart->bar = 0;
        chart->name = at_least(0, rest);
    }
}

static double share_of(const struct ladder_chart *chart, double value)
{
    return (log10(value) - chart->low) / (chart->high - chart->low);
}

static int column_of(const struct ladder_chart *chart, double decade)
{
    return chart->mark + chart->name + 1 +
           (int)lround((decade - chart->low) / (chart->high - chart->low) * chart->bar);
}

static void draw_row(const struct ladder_chart *chart, int at, const struct chart_row *row)
{
    struct area area = chart->area;
    bool utf8 = area.canvas->utf8;
    char value[40];
    int bar_at = chart->mark + chart->name + 1;
    if (row->chosen)
        area_put(area, at, 0, ROLE_TITLE, "%s", glyph(utf8, GLYPH_RIGHT));
    area_cell(area, at, chart->mark, row->chosen ? ROLE_TITLE : ROLE_TEXT, chart->name, "%s", row->name);
    for (int d = (int)chart->low + 1; chart->bar && d <= (int)chart->high; d++)
        area_put(area, at, column_of(chart, d), ROLE_FRAME, "%s", glyph(utf8, GLYPH_EMPTY));
    unit_ms(row->value, value, sizeof value);
    area_cell(area, at, area.cols - chart->value, ROLE_TEXT, -chart->value, "%s", value);
    if (chart->bar && known(row->value)) {
        struct text bar = { 0 };
        bar_text(&bar, utf8, share_of(chart, row->value), chart->bar);
        area_put(area, at, bar_at, row->role, "%s", text_string(&bar));
        text_free(&bar);
    }
    if (row->chosen) {
        area_mark(area, at, 0, area.cols, MARK_SELECTED);
        area_cursor(area, at, 0);
    }
}

// "0.01   0.1   1   10   100 ms", each below its decade, as many as fit.
static void draw_labels(const struct ladder_chart *chart, int at)
{
    int used = chart->mark + area_put(area_part(chart->area, at, chart->mark, 1, chart->name), 0, 0, ROLE_DIM,
                                      chart->name >= 13 ? "ms, log scale" : "ms");
    for (int d = (int)chart->low; d <= (int)chart->high; d++) {
        char label[24];
        format_into(label, sizeof label, "%.10g", pow(10, d));
        int cells = text_cells(label), col = column_of(chart, d) - (d > chart->low ? cells / 2 : 0);
        if (col <= used || col + cells > chart->area.cols)
            continue;
        used = area_put(chart->area, at, col, ROLE_DIM, "%s", label);
    }
}

static void draw_axis(const struct ladder_chart *chart, int at)
{
    bool utf8 = chart->area.canvas->utf8;
    struct area line = area_part(chart->area, at, chart->mark + chart->name + 1, 1, chart->bar + 1);
    area_line(line, 0, ROLE_FRAME);
    for (int d = (int)chart->low; d <= (int)chart->high; d++)
        area_put(chart->area, at, column_of(chart, d), ROLE_FRAME, "%s", glyph(utf8, GLYPH_CROSS));
}

size_t chart_ladder(struct area area, const struct chart_row *rows, size_t count)
{
    struct ladder_chart chart = { .area = area, .rows = rows, .count = count };
    find_columns(&chart);
    find_decades(&chart);
    int axis = !chart.bar || area.rows < 4 ? 0 : area.rows >= (int)count + 2 || area.rows >= 8 ? 2 : 1;
    struct list list = { 0 };
    for (size_t i = 0; i < count; i++)
        if (rows[i].chosen)
            list.selected = (int)i;
    list_fit(&list, (int)count, area.rows - axis);
    int shown = 0;
    for (; shown < list.rows && list.top + shown < list.count; shown++)
        draw_row(&chart, shown, &rows[list.top + shown]);
    if (axis == 2)
        draw_axis(&chart, shown);
    if (axis)
        draw_labels(&chart, shown + axis - 1);
    return count - (size_t)(list.top + shown);
}
