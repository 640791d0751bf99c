// The ladder of a lab as a table that grows row by row while it runs.
#include "tui/command/ladder.h"

#include <math.h>
#include <string.h>

enum { TIME_CELLS = 9, SPREAD_CELLS = 5, BAR_CELLS = 10, RATE_CELLS = 5, SHARE_CELLS = 5, CHECK_CELLS = 5 };

void ladder_table_open(struct ladder_table *table)
{
    *table = (struct ladder_table){ .paper = paper_open(stdout) };
    // Two blanks in front and one between the columns.
    int others = 2 + TIME_CELLS + SPREAD_CELLS + BAR_CELLS + RATE_CELLS + SHARE_CELLS + CHECK_CELLS + 6;
    int rest = table->paper.width - others;
    table->name_cells = rest < 20 ? 20 : rest > 38 ? 38 : rest;
    table->best_cpu_ms = table->best_gpu_ms = table->best_gpu_copies_ms = NAN;
}

// Six decades, from 10 us to 10 s, hold every ladder. Longer is slower.
static double bar_share(double ms)
{
    const double least_ms = 0.01, most_ms = 10000;
    if (!(ms > 0))
        return 0;
    return log(ms / least_ms) / log(most_ms / least_ms);
}

void ladder_table_lab(struct ladder_table *table, const struct lab *lab, const struct record *record)
{
    const struct paper *paper = &table->paper;
    const char *name;
    json_t *value;
    paper_put(paper, ROLE_TITLE, "%s", lab->name);
    paper_put(paper, ROLE_TEXT, " - %s\n", lab->title);
    json_object_foreach(record->params, name, value)
    {
        char count[40];
        unit_count(json_number_value(value), count, sizeof count);
        paper_put(paper, ROLE_DIM, "%s = %s  ", name, count);
    }
    if (lab->data[0] && lab->data[1] && record->data)
        paper_put(paper, ROLE_DIM, "data: %s", record->data);
    paper_put(paper, ROLE_TEXT, "\n");
}

static void columns(struct ladder_table *table)
{
    const struct paper *paper = &table->paper;
    paper_put(paper, ROLE_TEXT, "\n  ");
    paper_cell(paper, ROLE_DIM, table->name_cells, "step");
    paper_cell(paper, ROLE_DIM, -TIME_CELLS, "time");
    paper_cell(paper, ROLE_DIM, -SPREAD_CELLS, "+/-");
    paper_cell(paper, ROLE_DIM, BAR_CELLS, "log scale");
    paper_cell(paper, ROLE_DIM, -RATE_CELLS, "GB/s");
    paper_cell(paper, ROLE_DIM, -SHARE_CELLS, "%%max");
    paper_put(paper, ROLE_DIM, "check\n");
    table->columns_shown = true;
}

void ladder_table_section(struct ladder_table *table, const struct record *record, bool recorded)
{
    const struct paper *paper = &table->paper;
    bool gpu = strcmp(record->backend, "gpu") == 0;
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
    bool gpu = strcmp(record->backend, "gpu") == 0;
    double *best = gpu ? &table->best_gpu_ms : &table->best_cpu_ms;
    if (!record->status || strcmp(record->status, "right") != 0 || *best <= record->median_ms)
        return;
    *best = record->median_ms;
    if (gpu)
        table->best_gpu_copies_ms = record->h2d_ms + record->d2h_ms;
}

static enum role check_role(const char *status)
{
    if (strcmp(status, "right") == 0)
        return ROLE_GOOD;
    return strcmp(status, "unchecked") == 0 || strcmp(status, "skipped") == 0 ? ROLE_NOTE : ROLE_BAD;
}

// Whatever a row cannot say in its last column goes on lines of its own below.
static void details(const struct paper *paper, const struct record *record)
{
    struct text words = { 0 };
    if (strcmp(record->status, "wrong") == 0) {
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

void ladder_table_row(struct ladder_table *table, const char *step, const struct record *record,
                      bool recorded)
{
    const struct paper *paper = &table->paper;
    char time[32];
    if (!table->columns_shown)
        columns(table);
    unit_ms(record->median_ms, time, sizeof time);
    paper_put(paper, ROLE_TEXT, "  ");
    const char *title = record->title ? record->title : record->variant ? record->variant : "";
    paper_cell(paper, ROLE_TEXT, table->name_cells, "%s%s%s", step, *step ? " " : "", title);
    paper_cell(paper, ROLE_TITLE, -TIME_CELLS, "%s", time);
    if (isfinite(record->spread_pct))
        paper_cell(paper, ROLE_DIM, -SPREAD_CELLS, "%.1f%%", record->spread_pct);
    else
        paper_cell(paper, ROLE_DIM, -SPREAD_CELLS, " ");
    paper_bar(paper, strcmp(record->backend, "gpu") == 0 ? ROLE_GPU : ROLE_CPU, bar_share(record->median_ms),
              BAR_CELLS);
    if (isfinite(record->bandwidth_gbps))
        paper_cell(paper, ROLE_TEXT, -RATE_CELLS, record->bandwidth_gbps < 100 ? "%.1f" : "%.0f",
                   record->bandwidth_gbps);
    else
        paper_cell(paper, ROLE_TEXT, -RATE_CELLS, " ");
    if (isfinite(record->ceiling_pct))
        paper_cell(paper, ROLE_TEXT, -SHARE_CELLS, record->ceiling_pct < 99.95 ? "%.1f%%" : "%.0f%%",
                   record->ceiling_pct);
    else
        paper_cell(paper, ROLE_TEXT, -SHARE_CELLS, " ");
    if (recorded)
        paper_put(paper, ROLE_NOTE, "(rec)\n");
    else
        paper_put(paper, check_role(record->status), "%s\n", record->status);
    details(paper, record);
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
