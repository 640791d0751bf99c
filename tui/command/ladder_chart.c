// run --chart: the ladder on a log scale and under its roof, as the bench page shows them.
#include "tui/command/ladder.h"
#include "tui/text/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct ladder_chart {
    struct chart_row *rows;
    struct chart_point *points;
    size_t row_count, point_count;
    double roof; // bytes a second; NAN: not known
};

struct ladder_chart *ladder_chart_new(void)
{
    struct ladder_chart *chart = mem_new(sizeof *chart);
    chart->roof = NAN;
    return chart;
}

void ladder_chart_add(struct ladder_chart *chart, const char *step, const struct record *record,
                      bool recorded)
{
    bool cpu = record->backend == ON_CPU;
    bool right = record->status == STATUS_RIGHT;
    if (!right || !(record->median_ms > 0) || !record->variant)
        return;
    enum role role = cpu ? ROLE_CPU : recorded ? ROLE_NOTE : ROLE_GPU;
    chart->rows = array_room(chart->rows, chart->row_count, sizeof *chart->rows);
    chart->rows[chart->row_count++] =
        (struct chart_row){ .name = mem_copy(record->variant), .value = record->median_ms, .role = role };
    if (cpu || !(record->operations > 0) || !(record->bytes > 0))
        return;
    if (record->ceiling_gbps > 0)
        chart->roof = record->ceiling_gbps * 1e9;
    chart->points = array_room(chart->points, chart->point_count, sizeof *chart->points);
    chart->points[chart->point_count++] =
        (struct chart_point){ .sign = *step && !step[1] ? *step : '+',
                              .x = record->operations / record->bytes,
                              .y = record->operations / (record->median_ms / 1e3),
                              .role = role };
}

static void print_rows(const struct ladder_chart *chart, const struct paper *paper, int width)
{
    struct canvas canvas = { .utf8 = paper->utf8 };
    canvas_resize(&canvas, (int)chart->row_count + 2, width);
    chart_ladder(canvas_area(&canvas), chart->rows, chart->row_count);
    canvas_print(paper, &canvas);
    canvas_free(&canvas);
}

static void print_roofline(const struct ladder_chart *chart, const struct paper *paper, int width,
                           const char *operation)
{
    enum { ROWS = 14 };
    struct canvas canvas = { .utf8 = paper->utf8 };
    canvas_resize(&canvas, ROWS, width);
    chart_roofline(canvas_area(&canvas), chart->points, chart->point_count, chart->roof, NAN, operation);
    paper_put(paper, ROLE_TEXT, "\n");
    canvas_print(paper, &canvas);
    canvas_free(&canvas);
}

void ladder_chart_print(const struct ladder_chart *chart, const struct paper *paper, const struct lab *lab)
{
    int width = paper->width < 100 ? paper->width : 100;
    const char *operation = lab && lab->operation_name ? lab->operation_name : "operations";
    if (!chart->row_count)
        return;
    paper_put(paper, ROLE_TEXT, "\n");
    print_rows(chart, paper, width);
    if (chart->point_count && chart->roof > 0)
        print_roofline(chart, paper, width, operation);
}

void ladder_chart_free(struct ladder_chart *chart)
{
    for (size_t i = 0; chart && i < chart->row_count; i++)
        free((char *)chart->rows[i].name);
    if (chart) {
        free(chart->rows);
        free(chart->points);
    }
    free(chart);
}
