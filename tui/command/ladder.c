// The ladder of a lab as a table that grows row by row while it runs, measured or simulated; and as charts, as the bench
// page shows them.
#include "tui/command/ladder.h"
#include "tui/text/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ==== run --chart ===========================================================================================

struct ladder_pictures {
    struct chart_row *rows;
    struct chart_point *points;
    size_t row_count, point_count;
    double roof; // bytes a second; NAN: not known
};

struct ladder_pictures *ladder_chart_new(void)
{
    struct ladder_pictures *chart = mem_new(sizeof *chart);
    chart->roof = NAN;
    return chart;
}

static void ladder_chart_add(struct ladder_pictures *chart, const char *step, const struct record *record,
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

static void print_rows(const struct ladder_pictures *chart, const struct paper *paper, int width)
{
    struct canvas canvas = { .utf8 = paper->utf8 };
    canvas_resize(&canvas, (int)chart->row_count + 2, width);
    chart_ladder(canvas_area(&canvas), chart->rows, chart->row_count);
    canvas_print(paper, &canvas);
    canvas_free(&canvas);
}

static void print_roofline(const struct ladder_pictures *chart, const struct paper *paper, int width,
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

void ladder_chart_print(const struct ladder_pictures *chart, const struct paper *paper, const struct lab *lab)
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

void ladder_chart_free(struct ladder_pictures *chart)
{
    for (size_t i = 0; chart && i < chart->row_count; i++)
        free((char *)chart->rows[i].name);
    if (chart) {
        free(chart->rows);
        free(chart->points);
    }
    free(chart);
}

// ==== measured ==============================================================================================

enum {
    NAME_LEAST = 18,
    NAME_MOST = 38,
    TIME_CELLS = 9,
    SPREAD_CELLS = 6,
    BAR_CELLS = 9,
    RATE_CELLS = 5,
    SHARE_CELLS = 5,
    CHECK_CELLS = 5,
    CHECK_MOST = 9 // "unchecked", which reaches into the column before
};

// Gives a column its place, with the blank between the columns, where that leaves enough for the names.
static void take_column(int *column, int cells, int *rest)
{
    bool fits = *rest - cells - 1 >= NAME_LEAST;
    *column = fits ? cells : 0;
    *rest -= fits ? cells + 1 : 0;
}

void ladder_table_open(struct ladder_table *table)
{
    *table = (struct ladder_table){ .paper = paper_open(stdout) };
    int rest = table->paper.width - (2 + 1 + TIME_CELLS + 1 + CHECK_CELLS);
    take_column(&table->share_cells, SHARE_CELLS, &rest);
    take_column(&table->bar_cells, BAR_CELLS, &rest);
    take_column(&table->rate_cells, RATE_CELLS, &rest);
    take_column(&table->spread_cells, SPREAD_CELLS, &rest);
    if (!table->share_cells)
        rest -= CHECK_MOST - CHECK_CELLS;
    table->name_cells = rest < NAME_LEAST / 2 ? NAME_LEAST / 2 : rest > NAME_MOST ? NAME_MOST : rest;
    table->best_cpu_ms = table->best_gpu_ms = table->best_gpu_copies_ms = NAN;
}

void ladder_table_lab(struct ladder_table *table, const struct lab *lab, const struct record *record)
{
    const struct paper *paper = &table->paper;
    paper_put(paper, ROLE_TITLE, "%s", lab->name);
    paper_put(paper, ROLE_TEXT, " - %s\n", lab->title);
    for (size_t i = 0; i < record->param_count; i++) {
        char count[40];
        unit_count(value_as_real(record->params[i].value), count, sizeof count);
        paper_put(paper, ROLE_DIM, "%s = %s  ", record->params[i].name, count);
    }
    if (lab->data[0] && lab->data[1] && record->data)
        paper_put(paper, ROLE_DIM, "data: %s", record->data);
    paper_put(paper, ROLE_TEXT, "\n");
}

// Flush right, unless the column is left out.
static void right_cell(const struct paper *paper, enum role role, int cells, const char *text)
{
    if (cells > 0)
        paper_cell(paper, role, -cells, "%s", text);
}

// The same of a number; empty where it is not known.
static void number_cell(const struct paper *paper, enum role role, int cells, double number, int decimals,
                        const char *unit)
{
    char text[40] = "";
    if (isfinite(number))
        format_into(text, sizeof text, "%.*f%s", decimals, number, unit);
    right_cell(paper, role, cells, text);
}

static void columns(struct ladder_table *table)
{
    const struct paper *paper = &table->paper;
    paper_put(paper, ROLE_TEXT, "\n  ");
    paper_cell(paper, ROLE_DIM, table->name_cells, "step");
    right_cell(paper, ROLE_DIM, TIME_CELLS, "time");
    right_cell(paper, ROLE_DIM, table->spread_cells, "spread");
    if (table->bar_cells)
        paper_cell(paper, ROLE_DIM, table->bar_cells, "log scale");
    right_cell(paper, ROLE_DIM, table->rate_cells, "GB/s");
    right_cell(paper, ROLE_DIM, table->share_cells, "%max");
    paper_put(paper, ROLE_DIM, "check\n");
    table->columns_shown = true;
}

void ladder_table_section(struct ladder_table *table, const struct record *record, bool recorded)
{
    const struct paper *paper = &table->paper;
    bool gpu = record->backend == ON_GPU;
    if (!table->columns_shown)
        columns(table);
    paper_put(paper, gpu ? ROLE_GPU : ROLE_CPU, "%s", gpu ? "GPU" : "CPU");
    if (record->device)
        paper_put(paper, ROLE_DIM, "  %s", record->device);
    if (record->ceiling_gbps > 0)
        paper_put(paper, ROLE_DIM, ", max %.0f GB/s", record->ceiling_gbps);
    if (recorded && record->date)
        paper_put(paper, ROLE_NOTE, "  recorded %.10s", record->date);
    paper_put(paper, ROLE_TEXT, "\n");
}

static void remember_best(struct ladder_table *table, const struct record *record)
{
    bool gpu = record->backend == ON_GPU;
    double *best = gpu ? &table->best_gpu_ms : &table->best_cpu_ms;
    if (record->status != STATUS_RIGHT || *best <= record->median_ms)
        return;
    *best = record->median_ms;
    if (gpu)
        table->best_gpu_copies_ms = record->h2d_ms + record->d2h_ms;
}

static enum role check_role(enum record_status status)
{
    if (status == STATUS_RIGHT)
        return ROLE_GOOD;
    return status == STATUS_UNCHECKED || status == STATUS_SKIPPED ? ROLE_NOTE : ROLE_BAD;
}

// Whatever a row cannot say in its last column goes on lines of its own below.
static void ladder_table_details(const struct ladder_table *table, const struct record *record)
{
    const struct paper *paper = &table->paper;
    struct text words = { 0 };
    if (record->status == STATUS_WRONG) {
        record_check_words(record, &words);
        paper_wrap(paper, ROLE_BAD, 6, text_string(&words));
    }
    if (record->message)
        paper_lines(paper, check_role(record->status), 6, record->message);
    if (record->printed) {
        paper_put(paper, ROLE_DIM, "      the kernel printed:\n");
        paper_lines(paper, ROLE_TEXT, 6, record->printed);
    }
    text_free(&words);
}

static void numbers(const struct ladder_table *table, const struct record *record)
{
    const struct paper *paper = &table->paper;
    char time[32];
    unit_ms(record->median_ms, time, sizeof time);
    right_cell(paper, ROLE_TITLE, TIME_CELLS, time);
    number_cell(paper, ROLE_DIM, table->spread_cells, record->spread_pct, 1, "%");
    if (table->bar_cells)
        paper_bar(paper, record->backend == ON_GPU ? ROLE_GPU : ROLE_CPU, unit_share(record->median_ms),
                  table->bar_cells);
    number_cell(paper, ROLE_TEXT, table->rate_cells, record->bandwidth_gbps, record->bandwidth_gbps < 100,
                "");
}

void ladder_table_row(struct ladder_table *table, const char *step, const struct record *record,
                      bool recorded)
{
    const struct paper *paper = &table->paper;
    if (!table->columns_shown)
        columns(table);
    paper_put(paper, ROLE_TEXT, "  ");
    const char *title = record->title ? record->title : record->variant ? record->variant : "";
    paper_cell(paper, ROLE_TEXT, table->name_cells, "%s%s%s", step, *step ? " " : "", title);
    numbers(table, record);
    const char *check = recorded ? "(rec)" : record_status_name(record->status);
    int longer = text_cells(check) > CHECK_CELLS ? text_cells(check) - CHECK_CELLS : 0;
    number_cell(paper, ROLE_TEXT, table->share_cells - longer, record->ceiling_pct,
                record->ceiling_pct < 99.95, "%");
    paper_put(paper, recorded ? ROLE_NOTE : check_role(record->status), "%s\n", check);
    ladder_table_details(table, record);
    if (table->chart)
        ladder_chart_add(table->chart, step, record, recorded);
    if (!recorded) // times of two machines are not compared
        remember_best(table, record);
    fflush(paper->file);
}

static void add_ratio(struct text *out, double cpu_ms, double gpu_ms)
{
    if (gpu_ms <= cpu_ms)
        text_addf(out, "the GPU is %.1f times as fast.", cpu_ms / gpu_ms);
    else
        text_addf(out, "the CPU is %.1f times as fast.", gpu_ms / cpu_ms);
}

void ladder_table_close(struct ladder_table *table)
{
    const struct paper *paper = &table->paper;
    char gpu[32], cpu[32], copies[32];
    if (!(table->best_cpu_ms > 0) || !(table->best_gpu_ms > 0))
        return;
    unit_ms(table->best_gpu_ms, gpu, sizeof gpu);
    unit_ms(table->best_cpu_ms, cpu, sizeof cpu);
    unit_ms(table->best_gpu_copies_ms, copies, sizeof copies);
    struct text words = { 0 };
    text_addf(&words, "The fastest kernel takes %s, the fastest CPU code %s: ", gpu, cpu);
    add_ratio(&words, table->best_cpu_ms, table->best_gpu_ms);
    if (*copies) {
        text_addf(&words, " With %s for the copies to the GPU and back, ", copies);
        add_ratio(&words, table->best_cpu_ms, table->best_gpu_ms + table->best_gpu_copies_ms);
    }
    paper_put(paper, ROLE_TEXT, "\n");
    paper_wrap(paper, ROLE_TEXT, 0, text_string(&words));
    text_free(&words);
}

// ==== in the simulator: no times, but what accesses cost ====================================================

enum { CELLS = 11 };

// Empty where there was no such access.
static void ratio_cell(const struct paper *paper, double ratio)
{
    char text[32] = "";
    if (isfinite(ratio))
        format_into(text, sizeof text, "%.2f", ratio);
    paper_cell(paper, ROLE_TEXT, -CELLS, "%s", text);
}

static void ladder_sim_columns(struct ladder_table *table)
{
    static const char *const names[] = { "sectors/req", "waves/req", "lanes/inst" };
    const struct paper *paper = &table->paper;
    paper_put(paper, ROLE_TEXT, "\n  ");
    paper_cell(paper, ROLE_DIM, table->name_cells, "step");
    for (int i = 0; i < 3; i++)
        paper_cell(paper, ROLE_DIM, -CELLS, "%s", names[i]);
    paper_put(paper, ROLE_DIM, "check\nSIM  counted, not timed; 'warpbook sim LAB/STEP' tells more\n");
    table->columns_shown = true;
}

void ladder_sim_row(struct ladder_table *table, const char *step, const struct record *record)
{
    const struct paper *paper = &table->paper;
    const struct record_counters *counters = record->counters;
    size_t findings = record->finding_count;
    if (!table->columns_shown)
        ladder_sim_columns(table);
    paper_put(paper, ROLE_TEXT, "  ");
    paper_cell(paper, ROLE_TEXT, table->name_cells, "%s%s%s", step, *step ? " " : "",
               record->title ? record->title : "");
    ratio_cell(paper, record_sectors_per_request(counters));
    ratio_cell(paper, record_wavefronts_per_access(counters));
    if (counters)
        paper_cell(paper, ROLE_TEXT, -CELLS, "%.1f", counters->lanes_per_inst);
    else
        paper_cell(paper, ROLE_TEXT, -CELLS, " ");
    paper_put(paper, record->status == STATUS_RIGHT ? ROLE_GOOD : ROLE_BAD, "%s",
              record_status_name(record->status));
    if (findings)
        paper_put(paper, ROLE_BAD, ", %zu finding%s", findings, findings == 1 ? "" : "s");
    paper_put(paper, ROLE_TEXT, "\n");
    ladder_table_details(table, record);
    fflush(paper->file);
}
