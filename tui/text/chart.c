// Pictures in characters: the ladder of a lab as bars, and its steps under the roof of the device.
#include "tui/text/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- the ladder -------------------------------------------------------------------------------------------

// Bars on a log scale. Points below one another compare at a glance, from nanoseconds to seconds.

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

static void value_words(const struct chart_row *row, char *out, size_t size)
{
    if (row->about)
        format_into(out, size, "%s", row->about);
    else
        unit_ms(row->value, out, size);
}

static int at_least(int least, int value)
{
    return value < least ? least : value;
}

// A row that is too narrow loses its bar first, then the value.
static void find_columns(struct ladder_chart *chart)
{
    int cols = chart->area.cols, longest = 0;
    for (size_t i = 0; i < chart->count; i++) {
        char text[48];
        value_words(&chart->rows[i], text, sizeof text);
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
    char value[48];
    int bar_at = chart->mark + chart->name + 1;
    if (row->chosen)
        area_put(area, at, 0, ROLE_TITLE, "%s", glyph(utf8, GLYPH_RIGHT));
    area_cell(area, at, chart->mark, row->chosen ? ROLE_TITLE : ROLE_TEXT, chart->name, "%s", row->name);
    for (int d = (int)chart->low + 1; chart->bar && d <= (int)chart->high; d++)
        area_put(area, at, column_of(chart, d), ROLE_FRAME, "%s", glyph(utf8, GLYPH_EMPTY));
    value_words(row, value, sizeof value);
    area_cell(area, at, area.cols - chart->value, row->about ? row->role : ROLE_TEXT, -chart->value, "%s",
              value);
    if (chart->bar && known(row->value)) {
        struct text bar = { 0 };
        if (row->about)
            modelled_bar(&bar, utf8, share_of(chart, row->value), chart->bar);
        else
            bar_text(&bar, utf8, share_of(chart, row->value), chart->bar);
        area_put(area, at, bar_at, row->role, "%s", text_string(&bar));
        text_free(&bar);
    } else if (row->instead && chart->bar) {
        area_cell(area, at, bar_at, ROLE_DIM, chart->bar, "%s", row->instead);
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
                                      chart->name >= 13  ? "ms, log scale"
                                      : chart->name >= 7 ? "ms, log"
                                                         : "log");
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

// A sentence for each row: "4-interleaved: 0.272 ms, 0.2 % of the slowest".
static size_t say_ladder(struct area area, const struct chart_row *rows, size_t count)
{
    struct list list = { 0 };
    double slowest = 0;
    for (size_t i = 0; i < count; i++) {
        list.selected = rows[i].chosen ? (int)i : list.selected;
        slowest = known(rows[i].value) && !rows[i].about ? fmax(slowest, rows[i].value) : slowest;
    }
    list_fit(&list, (int)count, area.rows);
    for (int i = 0; i < list.rows && list.top + i < list.count; i++) {
        const struct chart_row *row = &rows[list.top + i];
        char time[48], share[40];
        value_words(row, time, sizeof time);
        unit_of_slowest(row->about ? NAN : row->value, slowest, share, sizeof share);
        area_cell(area, i, 1, ROLE_TEXT, area.cols - 1, "%s: %s%s%s%s", row->name,
                  *time          ? time
                  : row->instead ? row->instead
                                 : "no time",
                  row->about ? " modelled" : "", *share ? ", " : "", share);
        if (row->chosen) {
            area_mark(area, i, 0, area.cols, MARK_SELECTED);
            area_cursor(area, i, 0);
        }
    }
    int shown = list.top + list.rows;
    return shown < list.count ? (size_t)(list.count - shown) : 0;
}

static size_t draw_ladder(struct area area, const struct chart_row *rows, size_t count)
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

// Where there is no room for all rows, those without anything to show are left out.
size_t chart_ladder(struct area area, const struct chart_row *rows, size_t count)
{
    enum { AXIS = 2 };
    struct chart_row *kept = mem_new((count + 1) * sizeof *kept);
    size_t left = 0;
    for (size_t i = 0; i < count; i++)
        if ((int)count + AXIS <= area.rows || known(rows[i].value) || rows[i].instead || rows[i].about ||
            rows[i].chosen)
            kept[left++] = rows[i];
    size_t more = drawn_flat ? say_ladder(area, rows, count) : draw_ladder(area, kept, left);
    free(kept);
    return more;
}

// ---- the roofline -----------------------------------------------------------------------------------------

// How fast the memory feeds the arithmetic, and how far each step of a ladder is below that roof. Both axes are
// logarithmic, and a character is one place.

enum { LABEL = 6, LEGEND = 26, WIDE = 90, TALL = 14, COLS_LEAST = 24, ROWS_LEAST = 6, POINTS_MOST = 64 };

struct spot {
    int row, col;
};

struct roofline {
    struct area plot, area, legend;
    const struct chart_point *points;
    size_t count;
    double bytes_per_s, operations_per_s; // NAN: not known
    const char *operation;
    double left, right, bottom, top; // powers of ten
    struct spot spots[POINTS_MOST];  // places that points have taken
    size_t spot_count;
};

static bool placed(const struct chart_point *point)
{
    return known(point->x) && known(point->y);
}

// ---- the roofline: its axes -------------------------------------------------------------------------------

static void widen(double *least, double *most, double value)
{
    if (!known(value))
        return;
    *least = fmin(*least, log10(value));
    *most = fmax(*most, log10(value));
}

// The ranges hold all points, the ridge where both roofs meet, and some of each roof.
static void find_ranges(struct roofline *r)
{
    double left = INFINITY, right = -INFINITY, bottom = INFINITY, top = -INFINITY;
    double ridge = r->operations_per_s / r->bytes_per_s;
    for (size_t i = 0; i < r->count; i++)
        if (placed(&r->points[i])) {
            widen(&left, &right, r->points[i].x);
            widen(&bottom, &top, r->points[i].y);
            widen(&bottom, &top, r->points[i].x * r->bytes_per_s);
        }
    widen(&left, &right, ridge);
    widen(&bottom, &top, r->operations_per_s);
    if (left > right)
        left = right = 0;
    if (bottom > top)
        bottom = top = 9;
    r->left = floor(left - 0.1);
    r->right = fmax(ceil(right + 0.3), r->left + 1);
    r->bottom = floor(bottom - 0.1);
    r->top = fmax(top, r->bottom + 1);
    r->top += 1.7 * (r->top - r->bottom) / r->plot.rows; // for the words on the roof
}

static double x_of(const struct roofline *r, int col)
{
    return pow(10, r->left + (col + 0.5) / r->plot.cols * (r->right - r->left));
}

static int col_of(const struct roofline *r, double x)
{
    return (int)floor((log10(x) - r->left) / (r->right - r->left) * r->plot.cols);
}

// Rows count from the top; outside of the plot where the value is.
static int row_of(const struct roofline *r, double y)
{
    return r->plot.rows - 1 - (int)floor((log10(y) - r->bottom) / (r->top - r->bottom) * r->plot.rows);
}

// "100 G", "1 T", "10 k", "0.1"
static void scaled(double value, int digits, char *out, size_t size)
{
    static const char *const prefixes[] = { "", " k", " M", " G", " T", " P", " E" };
    size_t prefix = 0;
    while (value >= 999.5 && prefix + 1 < sizeof prefixes / sizeof *prefixes) {
        value /= 1000;
        prefix++;
    }
    format_into(out, size, "%.*g%s", value >= 99.5 ? 3 : digits, value, prefixes[prefix]);
}

static void draw_axes(const struct roofline *r)
{
    bool utf8 = r->area.canvas->utf8;
    int base = r->plot.rows, used = -1;
    for (int row = 0; row < base; row++)
        area_put(r->area, row, LABEL, ROLE_FRAME, "%s", glyph(utf8, GLYPH_VERTICAL));
    area_line(area_part(r->area, base, LABEL, 1, r->plot.cols + 1), 0, ROLE_FRAME);
    area_put(r->area, base, LABEL, ROLE_FRAME, "%s", glyph(utf8, GLYPH_CROSS));
    for (int d = (int)r->bottom; d <= (int)r->top; d++) { // the label is put where the decade begins
        char label[24];
        int row = row_of(r, pow(10, d + 1e-9));
        if (row == used || row < 0 || row >= base)
            continue;
        scaled(pow(10, d), 3, label, sizeof label);
        area_cell(r->area, row, 0, ROLE_DIM, -(LABEL - 1), "%s", label);
        area_put(r->area, row, LABEL, ROLE_FRAME, "%s", glyph(utf8, GLYPH_CROSS));
        used = row;
    }
    used = 0;
    for (int d = (int)r->left; d <= (int)r->right; d++) {
        char label[24];
        int col = LABEL + (int)lround((d - r->left) / (r->right - r->left) * r->plot.cols);
        format_into(label, sizeof label, "%.6g", pow(10, d));
        int cells = text_cells(label), at = col - cells / 2;
        if (at + cells > LABEL + 1 + r->plot.cols)
            at = LABEL + 1 + r->plot.cols - cells;
        if (at <= used)
            continue;
        area_put(r->area, base, col, ROLE_FRAME, "%s", glyph(utf8, GLYPH_CROSS));
        used = area_put(r->area, base + 1, at, ROLE_DIM, "%s", label);
    }
}

// ---- the roofline: its roof -------------------------------------------------------------------------------

static double roof_at(const struct roofline *r, double x)
{
    double roof = INFINITY;
    if (known(r->bytes_per_s))
        roof = x * r->bytes_per_s;
    if (known(r->operations_per_s) && r->operations_per_s < roof)
        roof = r->operations_per_s;
    return roof;
}

static void draw_roof(const struct roofline *r)
{
    bool utf8 = r->area.canvas->utf8;
    for (int col = 0; col < r->plot.cols; col++) {
        double roof = roof_at(r, x_of(r, col)), next = roof_at(r, x_of(r, col + 1));
        if (!isfinite(roof))
            continue;
        int row = row_of(r, roof), to = row_of(r, next);
        area_put(r->plot, row, col, ROLE_TEXT, "%s", to < row ? "/" : glyph(utf8, GLYPH_HORIZONTAL));
        for (int above = to + 1; above < row; above++)
            area_put(r->plot, above, col, ROLE_TEXT, "/");
    }
}

static bool is_free(struct area area, int row, int col, int cells)
{
    if (row < 0 || row >= area.rows || col < 0 || col + cells > area.cols)
        return false;
    const struct cell *cell = &area.canvas->cells[(area.row + row) * area.canvas->cols + area.col + col];
    for (int i = 0; i < cells; i++)
        if (strcmp(cell[i].text, " ") != 0)
            return false;
    return true;
}

// Words go where nothing else is; a chart without room for them says less.
static void put_words(struct area area, int row, int col, enum role role, const char *text)
{
    if (is_free(area, row, col, text_cells(text)))
        area_put(area, row, col, role, "%s", text);
}

// Under the slope, from the first third of the width on.
static void put_below_slope(const struct roofline *r, const char *text)
{
    int cells = text_cells(text);
    for (int col = r->plot.cols / 3; col < r->plot.cols; col++) {
        int row = row_of(r, roof_at(r, x_of(r, col))) + 1;
        if (!is_free(r->plot, row, col, cells + 2)) // with a blank at both ends
            continue;
        area_put(r->plot, row, col + 1, ROLE_TEXT, "%s", text);
        return;
    }
}

static void draw_names(const struct roofline *r)
{
    char text[120], number[24];
    int base = r->plot.rows, cells;
    if (known(r->operations_per_s)) {
        scaled(r->operations_per_s, 3, number, sizeof number);
        format_into(text, sizeof text, "%s %s/s", number, r->operation);
        int row = row_of(r, r->operations_per_s);
        cells = text_cells(text);
        put_words(r->plot, row > 0 ? row - 1 : row + 1, r->plot.cols - cells - 1, ROLE_TEXT, text);
    }
    if (known(r->bytes_per_s)) {
        scaled(r->bytes_per_s, 3, number, sizeof number);
        format_into(text, sizeof text, "%sB/s%s", number, strchr(number, ' ') ? "" : " ");
        put_below_slope(r, text);
    }
    format_into(text, sizeof text, "%s/s", r->operation);
    put_words(r->plot, 0, 1, ROLE_DIM, text);
    format_into(text, sizeof text, "%s per byte", r->operation);
    int end = LABEL + 1 + r->plot.cols - text_cells(text);
    if (r->area.rows > base + 2)
        area_put(r->area, base + 2, end, ROLE_DIM, "%s", text);
    else
        put_words(r->area, base - 1, end - 1, ROLE_DIM, text);
}

// ---- the roofline: its points -----------------------------------------------------------------------------

// Signs side by side would read as one number, so a place beside one is taken too.
static bool taken(const struct roofline *r, int row, int col)
{
    for (size_t i = 0; i < r->spot_count; i++)
        if (r->spots[i].row == row && abs(r->spots[i].col - col) < 2)
            return true;
    return col < 0 || col >= r->plot.cols;
}

// A point whose place is taken goes to the nearest free place beside it; one that finds none is left to the legend.
static void draw_point(struct roofline *r, const struct chart_point *point)
{
    static const int beside[] = { 0, 2, -2, 4, -4, 6, -6, 8, -8 };
    int row = row_of(r, point->y), col = col_of(r, point->x);
    if (row < 0 || row >= r->plot.rows)
        return;
    for (size_t i = 0; i < sizeof beside / sizeof *beside && r->spot_count < POINTS_MOST; i++) {
        int at = col + beside[i];
        if (taken(r, row, at))
            continue;
        area_put(r->plot, row, at, point->role, "%c", point->sign);
        if (point->chosen) {
            area_mark(r->plot, row, at, 1, MARK_SELECTED);
            area_cursor(r->plot, row, at);
        }
        r->spots[r->spot_count++] = (struct spot){ row, at };
        return;
    }
}

static void draw_points(struct roofline *r)
{
    for (int chosen = 1; chosen >= 0; chosen--)
        for (size_t i = 0; i < r->count; i++)
            if (placed(&r->points[i]) && r->points[i].chosen == chosen)
                draw_point(r, &r->points[i]);
}

static void draw_legend(const struct roofline *r)
{
    struct list list = { 0 };
    for (size_t i = 0; i < r->count; i++)
        if (r->points[i].chosen)
            list.selected = (int)i;
    list_fit(&list, (int)r->count, r->legend.rows - 1);
    area_cell(r->legend, 0, 1, ROLE_DIM, 12, "%s/s", r->operation);
    area_put(r->legend, 0, 14, ROLE_DIM, "of the roof");
    for (int i = 0; i < list.rows && list.top + i < list.count; i++) {
        const struct chart_point *point = &r->points[list.top + i];
        char number[24] = "";
        double roof = known(point->x) ? roof_at(r, point->x) : NAN;
        if (known(point->y))
            scaled(point->y, 3, number, sizeof number);
        int col = area_put(r->legend, i + 1, 1, point->role, "%c", point->sign);
        area_cell(r->legend, i + 1, col, ROLE_TEXT, -10, "%s", number);
        if (known(point->y) && isfinite(roof))
            area_put(r->legend, i + 1, col + 10, ROLE_TEXT, "%11.3g %%", 100 * point->y / roof);
        if (point->chosen)
            area_mark(r->legend, i + 1, 0, r->legend.cols, MARK_SELECTED);
    }
}

// The roof, and a sentence for each point: "step 4: 98.6 G counts/s, 62.6 % of the roof".
static void say_roofline(const struct roofline *r)
{
    struct sheet sheet = sheet_new(r->area.cols, false);
    char number[24];
    scaled(r->bytes_per_s, 3, number, sizeof number);
    if (known(r->bytes_per_s))
        sheet_add(&sheet, ROLE_TEXT, " The roof: %sB/s%s", number,
                  known(r->operations_per_s) ? ", and " : "");
    scaled(r->operations_per_s, 3, number, sizeof number);
    if (known(r->operations_per_s))
        sheet_add(&sheet, ROLE_TEXT, "%s %s/s", number, r->operation);
    sheet_end(&sheet);
    for (size_t i = 0; i < r->count; i++) {
        const struct chart_point *point = &r->points[i];
        if (!placed(point))
            continue;
        double roof = roof_at(r, point->x);
        scaled(point->y, 3, number, sizeof number);
        sheet.item = point->chosen ? 0 : -1;
        sheet_add(&sheet, ROLE_TEXT, " step %c: %s %s/s", point->sign, number, r->operation);
        if (isfinite(roof))
            sheet_add(&sheet, ROLE_TEXT, ", %.2g %% of the roof", 100 * point->y / roof);
        sheet_end(&sheet);
    }
    sheet_draw(&sheet, r->area, 0, 0, NULL);
    sheet_free(&sheet);
}

void chart_roofline(struct area area, const struct chart_point *points, size_t count, double bytes_per_s,
                    double operations_per_s, const char *operation_name)
{
    struct roofline r = { .area = area, .points = points, .count = count, .operation = operation_name };
    if (area.rows < ROWS_LEAST || area.cols < COLS_LEAST) {
        area_cell(area, 0, 0, ROLE_DIM, area.cols, "no room for the roofline");
        return;
    }
    r.bytes_per_s = known(bytes_per_s) ? bytes_per_s : NAN;
    r.operations_per_s = known(operations_per_s) ? operations_per_s : NAN;
    if (drawn_flat) {
        say_roofline(&r);
        return;
    }
    if (area.cols >= WIDE) {
        r.legend = area_part(area, 0, area.cols - LEGEND, area.rows, LEGEND);
        r.area = area_part(area, 0, 0, area.rows, area.cols - LEGEND - 1);
    }
    int below = area.rows >= TALL ? 3 : 2;
    r.plot = area_part(r.area, 0, LABEL + 1, area.rows - below, r.area.cols - LABEL - 1);
    find_ranges(&r);
    draw_axes(&r);
    draw_roof(&r);
    draw_points(&r);
    draw_names(&r);
    if (r.legend.cols)
        draw_legend(&r);
}
