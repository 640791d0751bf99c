// warpbook run: one kernel, one CPU implementation, or a whole ladder, as a table that grows row by row while it runs,
// measured or simulated; and as charts, as the bench page shows them.
#include "tui/text/text.h"
#include "tui/tui.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// ---- run --chart ------------------------------------------------------------------------------------------

struct ladder_pictures {
    struct chart_row *rows;
    struct chart_point *points;
    size_t row_count, point_count;
    double roof; // bytes a second; NAN: not known
    double top;  // operations a second; 0: not known
};

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
    if (record->ceiling_gflops > 0)
        chart->top = record->ceiling_gflops * 1e9;
    chart->points = array_room(chart->points, chart->point_count, sizeof *chart->points);
    chart->points[chart->point_count++] =
        (struct chart_point){ .sign = *step && !step[1] ? *step : '+',
                              .x = record->operations / record->bytes,
                              .y = record->operations / (record->median_ms / 1e3),
                              .role = role };
}

static void ladder_chart_print(const struct ladder_pictures *chart, const struct paper *paper,
                               const struct lab *lab)
{
    enum { ROOFLINE_ROWS = 14 };
    int width = paper->width < 100 ? paper->width : 100;
    const char *operation = lab && lab->operation_name ? lab->operation_name : "operations";
    struct canvas canvas = { .utf8 = paper->utf8 };
    if (!chart->row_count)
        return;
    paper_put(paper, ROLE_TEXT, "\n");
    canvas_resize(&canvas, (int)chart->row_count + 2, width);
    chart_ladder(canvas_area(&canvas), chart->rows, chart->row_count);
    canvas_print(paper, &canvas);
    if (chart->point_count && chart->roof > 0) {
        canvas_free(&canvas);
        canvas = (struct canvas){ .utf8 = paper->utf8 };
        canvas_resize(&canvas, ROOFLINE_ROWS, width);
        chart_roofline(canvas_area(&canvas), chart->points, chart->point_count, chart->roof,
                       chart->top > 0 ? chart->top : NAN, operation);
        paper_put(paper, ROLE_TEXT, "\n");
        canvas_print(paper, &canvas);
    }
    canvas_free(&canvas);
}

static void ladder_chart_free(struct ladder_pictures *chart)
{
    for (size_t i = 0; i < chart->row_count; i++)
        free((char *)chart->rows[i].name);
    free(chart->rows);
    free(chart->points);
}

// ---- measured ---------------------------------------------------------------------------------------------

struct ladder_table {
    struct paper paper;
    // How wide the columns are that depend on the terminal; 0: left out.
    int name_cells, bar_cells, rate_cells, share_cells, spread_cells;
    // The fastest right answers so far, for the last line; NAN: none.
    double best_cpu_ms, best_gpu_ms, best_gpu_copies_ms;
    bool columns_shown;
    bool charted;
    struct ladder_pictures chart; // --chart
};

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

static void ladder_table_open(struct ladder_table *table)
{
    *table = (struct ladder_table){ .paper = paper_open(stdout), .chart = { .roof = NAN } };
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

void run_print_params(const struct paper *paper, const struct record *record)
{
    for (size_t i = 0; record->params && i < record->params->count; i++) {
        char count[40];
        unit_count(value_as_real(record->params->bindings[i].value), count, sizeof count);
        paper_put(paper, ROLE_DIM, "%s = %s  ", record->params->bindings[i].name, count);
    }
}

static void ladder_table_lab(struct ladder_table *table, const struct lab *lab, const struct record *record)
{
    const struct paper *paper = &table->paper;
    paper_put(paper, ROLE_TITLE, "%s", lab->name);
    paper_put(paper, ROLE_TEXT, " - %s\n", lab->title);
    run_print_params(paper, record);
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

// A number, flush right; empty where it is not known.
static void number_cell(const struct paper *paper, enum role role, int cells, double number, int decimals,
                        const char *unit)
{
    char text[40] = "";
    if (isfinite(number))
        format_into(text, sizeof text, "%.*f%s", decimals, number, unit);
    right_cell(paper, role, cells, text);
}

static void columns(struct ladder_table *table, const struct record *record)
{
    const struct paper *paper = &table->paper;
    paper_put(paper, ROLE_TEXT, "\n  ");
    paper_cell(paper, ROLE_DIM, table->name_cells, "step");
    right_cell(paper, ROLE_DIM, TIME_CELLS, "time");
    right_cell(paper, ROLE_DIM, table->spread_cells, "spread");
    if (table->bar_cells)
        paper_cell(paper, ROLE_DIM, table->bar_cells, "log scale");
    right_cell(paper, ROLE_DIM, table->rate_cells, rate_of(record).arithmetic ? "GF/s" : "GB/s");
    right_cell(paper, ROLE_DIM, table->share_cells, "%max");
    paper_put(paper, ROLE_DIM, "check\n");
    table->columns_shown = true;
}

static void ladder_table_section(struct ladder_table *table, const struct record *record, bool recorded)
{
    const struct paper *paper = &table->paper;
    bool gpu = record->backend == ON_GPU;
    if (!table->columns_shown)
        columns(table, record);
    paper_put(paper, gpu ? ROLE_GPU : ROLE_CPU, "%s", gpu ? "GPU" : "CPU");
    if (record->device)
        paper_put(paper, ROLE_DIM, "  %s", record->device);
    struct rate rate = rate_of(record);
    if (rate.ceiling > 0)
        paper_put(paper, ROLE_DIM, ", max %.0f %s", rate.ceiling, rate.unit);
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

// What does not fit the last column of a row goes on lines of its own below it.
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
    double rate = rate_of(record).value;
    bool wide = rate >= 99999.5; // than the column
    number_cell(paper, ROLE_TEXT, table->rate_cells, wide ? rate / 1000 : rate, rate < 100, wide ? "k" : "");
}

static void ladder_table_row(struct ladder_table *table, const char *step, const struct record *record,
                             bool recorded)
{
    const struct paper *paper = &table->paper;
    if (!table->columns_shown)
        columns(table, record);
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
    if (table->charted)
        ladder_chart_add(&table->chart, step, record, recorded);
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

static void ladder_table_close(struct ladder_table *table)
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

// ---- in the simulator: no times, but what accesses cost ---------------------------------------------------

enum { CELLS = 11 };

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

static void ladder_sim_row(struct ladder_table *table, const char *step, const struct record *record)
{
    const struct paper *paper = &table->paper;
    const struct record_counters *counters = record->counters;
    size_t findings = record->finding_count;
    if (!table->columns_shown)
        ladder_sim_columns(table);
    paper_put(paper, ROLE_TEXT, "  ");
    paper_cell(paper, ROLE_TEXT, table->name_cells, "%s%s%s", step, *step ? " " : "",
               record->title ? record->title : "");
    number_cell(paper, ROLE_TEXT, CELLS, record_sectors_per_request(counters), 2, "");
    number_cell(paper, ROLE_TEXT, CELLS, record_wavefronts_per_access(counters), 2, "");
    number_cell(paper, ROLE_TEXT, CELLS, counters ? counters->lanes_per_inst : NAN, 1, "");
    paper_put(paper, record->status == STATUS_RIGHT ? ROLE_GOOD : ROLE_BAD, "%s",
              record_status_name(record->status));
    if (findings)
        paper_put(paper, ROLE_BAD, ", %zu finding%s", findings, findings == 1 ? "" : "s");
    paper_put(paper, ROLE_TEXT, "\n");
    ladder_table_details(table, record);
    fflush(paper->file);
}

struct runner {
    const struct arguments *arguments;
    struct target target;
    struct request wish; // what all rows share
    struct client *client;
    struct ladder_table table;
    struct waiting waiting;
    struct keeping keeping;
    bool json, cpu, gpu, sim;
    bool lab_shown, cpu_shown, gpu_shown;
    char device[128]; // of the section that was begun last
    bool recorded;    // no GPU here: the recorded results stand in
    bool hopeless;    // no further row can do better
    size_t ran;
    int status;
    char said[200]; // the start of the last error
};

// ---- the flags --------------------------------------------------------------------------------------------

static bool take_backends(struct runner *runner, struct error *error)
{
    const char *on = arguments_value(runner->arguments, "--on");
    bool all = !on || strcmp(on, "all") == 0;
    runner->cpu = all || strcmp(on, "cpu") == 0;
    runner->gpu = all || strcmp(on, "gpu") == 0;
    runner->sim = on && strcmp(on, "sim") == 0;
    const struct target *target = &runner->target;
    if (target->variant && runner->cpu && !runner->gpu)
        return error_set(error, EXIT_USAGE, "%s is a kernel; it runs with --on gpu.", target->variant->name);
    if (target->cpu && !runner->cpu)
        return error_set(error, EXIT_USAGE, "%s is a CPU implementation; it runs with --on cpu.",
                         target->cpu->name);
    if (runner->cpu && !runner->gpu && target->lab && !target->lab->cpu_count)
        return error_set(error, EXIT_USAGE, "%s", target->lab->no_cpu);
    return true;
}

static bool take_flags(struct runner *runner, struct error *error)
{
    runner->json = arguments_has(runner->arguments, "--json");
    runner->wish.check = REQUEST_CHECK_ALL; // of the simulator
    if (runner->json && arguments_has(runner->arguments, "--chart"))
        return error_set(error, EXIT_USAGE, "--chart draws and --json is for programs: leave one out.");
    return take_backends(runner, error) &&
           target_request(&runner->target, runner->arguments, 10, &runner->wish, error) &&
           (runner->client = waiting_client(runner->arguments, error));
}

// ---- one row ----------------------------------------------------------------------------------------------

void run_print_json(const struct record *record, bool recorded)
{
    json_t *json = record_to_json(record);
    if (recorded)
        json_object_set_new(json, "recorded", json_true());
    char *line = json_dumps(json, JSON_COMPACT | JSON_ENSURE_ASCII);
    printf("%s\n", line);
    fflush(stdout);
    free(line);
    json_decref(json);
}

static void note_status(struct runner *runner, int status)
{
    if (runner->status == EXIT_RIGHT || status == EXIT_WRONG)
        runner->status = status;
}

static void show_record(struct runner *runner, const char *step, const struct record *record, bool recorded)
{
    if (runner->json) {
        run_print_json(record, recorded);
        return;
    }
    bool gpu = record->backend != ON_CPU;
    bool *section = gpu ? &runner->gpu_shown : &runner->cpu_shown;
    if (!runner->lab_shown && runner->target.lab && record->params) {
        ladder_table_lab(&runner->table, runner->target.lab, record);
        runner->lab_shown = true;
    }
    if (runner->sim) {
        ladder_sim_row(&runner->table, step, record);
        return;
    }
    // Steps of one ladder may have been recorded on several GPUs.
    if (record->device && (!*section || (gpu && strcmp(runner->device, record->device) != 0))) {
        ladder_table_section(&runner->table, record, recorded);
        format_into(runner->device, sizeof runner->device, "%s", record->device);
        *section = true;
    }
    ladder_table_row(&runner->table, step, record, recorded);
}

static void note_record(struct runner *runner, const struct record *record)
{
    if (record->status == STATUS_WRONG || record->status == STATUS_FAILED || record_has_error(record))
        note_status(runner, EXIT_WRONG);
    else if (record->status == STATUS_SKIPPED && runner->target.variant)
        note_status(runner, EXIT_USAGE);
}

// False when going on makes no sense.
static bool run_row(struct runner *runner, const struct request *request, const char *step,
                    struct error *error)
{
    struct record record;
    runner->waiting.what = request->variant;
    bool done = client_run(runner->client, request, waiting_show, &runner->waiting, &record, error);
    waiting_wipe(&runner->waiting);
    if (!done)
        return false;
    show_record(runner, step, &record, false);
    note_record(runner, &record);
    keep_run(&runner->keeping, &record);
    record_free(&record);
    runner->ran++;
    return true;
}

// ---- the rows ---------------------------------------------------------------------------------------------

static bool cpu_row(struct runner *runner, const struct cpu_variant *cpu, struct error *error)
{
    struct request request = runner->wish;
    request.on = ON_CPU;
    request.variant = (char *)cpu->name;
    return run_row(runner, &request, "", error);
}

static struct request gpu_request(const struct runner *runner, const struct variant *variant)
{
    struct request request = runner->wish;
    request.on = runner->sim ? ON_SIM : ON_GPU;
    request.variant = variant->name;
    request.file = variant->path;
    request.source = variant->text;
    return request;
}

static void step_name(const struct variant *variant, char *out, size_t size)
{
    *out = 0;
    if (variant->step)
        format_into(out, size, "%d", variant->step);
}

static bool gpu_row(struct runner *runner, const struct variant *variant, struct error *error)
{
    struct request request = gpu_request(runner, variant);
    char step[16];
    step_name(variant, step, sizeof step);
    if (!runner->recorded)
        return run_row(runner, &request, step, error);
    struct record record;
    if (recorded_find(&request, variant, &record)) {
        show_record(runner, step, &record, true);
        record_free(&record);
    }
    return true;
}

// After a row that failed because something is missing here the others may still run, unless the next one fails with the
// same words.
static void report_row(struct runner *runner, const char *name, const struct error *error)
{
    struct error named;
    char said[sizeof runner->said];
    bool usage = error->code == EXIT_USAGE; // is about the whole run, not about this row
    format_into(said, sizeof said, "%s", error->text);
    bool again = !runner->ran && strcmp(said, runner->said) == 0;
    note_status(runner, (int)error->code);
    runner->hopeless = usage || again;
    if (again)
        return;
    format_into(runner->said, sizeof runner->said, "%s", said);
    error_set(&named, error->code, "%s%s%s", usage ? "" : name, usage ? "" : ": ", error->text);
    fflush(stdout);
    fail(&named);
}

// Whether any step of the ladder has a recorded result for this size and data.
static bool any_recorded(const struct runner *runner)
{
    bool any = false;
    for (size_t i = 0; i < runner->target.ladder.count && !any; i++) {
        const struct variant *variant = &runner->target.ladder.variants[i];
        struct request request = gpu_request(runner, variant);
        struct record record;
        if ((runner->target.variant && runner->target.variant != variant) ||
            !recorded_find(&request, variant, &record))
            continue;
        any = true;
        record_free(&record);
    }
    return any;
}

static const char *recorded_words(const struct runner *runner)
{
    struct runner full = *runner;
    full.wish.preset = (char *)"full";
    full.wish.params.count = 0;
    if (any_recorded(runner))
        return "What follows was recorded earlier on a real GPU; none of it ran here.";
    if (any_recorded(&full))
        return "For this size no results of a real GPU were recorded; --size full has some, and --on sim "
               "runs it "
               "in the simulator.";
    return "No results of a real GPU were recorded for this either. With --on sim it runs in the simulator.";
}

static void no_gpu(struct runner *runner, const struct error *error)
{
    runner->recorded = true;
    if (runner->json) {
        fail(error); // stdout holds records alone
        return;
    }
    const struct paper *paper = &runner->table.paper;
    paper_put(paper, ROLE_TEXT, "\n");
    paper_wrap(paper, ROLE_NOTE, 0, error->text);
    paper_wrap(paper, ROLE_NOTE, 0, recorded_words(runner));
    fflush(stdout);
}

// Whether the worker's machine has a GPU, though a run on it failed.
static bool gpu_is_here(struct runner *runner)
{
    json_t *report;
    struct error unused;
    if (!client_describe(runner->client, false, waiting_quietly, NULL, &report, &unused))
        return false;
    bool here = json_object_get(report, "gpu") != NULL;
    json_decref(report);
    return here;
}

static void cpu_rows(struct runner *runner)
{
    const struct target *target = &runner->target;
    struct error error;
    for (size_t i = 0; i < target->lab->cpu_count && !waiting_stopped() && !runner->hopeless; i++) {
        const struct cpu_variant *cpu = &target->lab->cpu[i];
        if ((!target->cpu || target->cpu == cpu) && !cpu_row(runner, cpu, &error))
            report_row(runner, cpu->name, &error);
    }
}

static void gpu_rows(struct runner *runner)
{
    const struct target *target = &runner->target;
    size_t count = target->lab ? target->ladder.count : 1;
    struct error error;
    for (size_t i = 0; i < count && !waiting_stopped() && !runner->hopeless; i++) {
        const struct variant *variant = target->lab ? &target->ladder.variants[i] : target->variant;
        bool first = !runner->gpu_shown && !runner->recorded;
        if (!variant || (target->variant && target->variant != variant) || gpu_row(runner, variant, &error))
            continue;
        if (first && error.code == EXIT_MISSING && !waiting_stopped() && target->lab && runner->cpu &&
            !gpu_is_here(runner)) {
            no_gpu(runner, &error);
            gpu_row(runner, variant, &error);
        } else {
            report_row(runner, variant->name, &error);
            if (first && error.code == EXIT_MISSING)
                return;
        }
    }
}

// The row below a ladder. Where the library is not installed there is none.
static void library_row(struct runner *runner)
{
    const struct lab_library *library = runner->target.lab->library;
    struct request request = runner->wish;
    struct record record;
    struct error error;
    request.on = ON_GPU;
    request.variant = (char *)library->name;
    if (!runner->recorded) {
        if (!run_row(runner, &request, "", &error) && error.code != EXIT_MISSING)
            report_row(runner, library->title, &error);
    } else if (recorded_find(&request, NULL, &record)) {
        show_record(runner, "", &record, true);
        record_free(&record);
    }
}

static int run_all(struct runner *runner)
{
    const struct target *target = &runner->target;
    waiting_begin(&runner->waiting);
    ladder_table_open(&runner->table);
    runner->table.charted = arguments_has(runner->arguments, "--chart");
    if (runner->cpu && target->lab && !target->variant)
        cpu_rows(runner);
    if ((runner->gpu || runner->sim) && !target->cpu)
        gpu_rows(runner);
    if (runner->gpu && target->lab && target->lab->library && !target->cpu && !target->variant &&
        !waiting_stopped() && !runner->hopeless)
        library_row(runner);
    if (!runner->json)
        ladder_table_close(&runner->table);
    ladder_chart_print(&runner->table.chart, &runner->table.paper, runner->target.lab);
    ladder_chart_free(&runner->table.chart);
    client_free(runner->client);
    runner->client = NULL;
    keep_end(&runner->keeping);
    int stopped = waiting_end(&runner->waiting);
    if (stopped)
        return stopped;
    if (runner->recorded && !runner->ran)
        note_status(runner, EXIT_MISSING); // nothing of what was asked could run
    return runner->status;
}

static bool names_machines(const char *on)
{
    static const char *const backends[] = { "all", "cpu", "gpu", "sim" };
    for (size_t i = 0; on && i < sizeof backends / sizeof backends[0]; i++)
        if (strcmp(on, backends[i]) == 0)
            return false;
    return on != NULL;
}

int command_run(const struct arguments *arguments)
{
    if (arguments_has(arguments, "--collect"))
        return run_machines(arguments);
    if (!arguments->operand_count) {
        struct error error;
        error_set(&error, EXIT_USAGE, "'run' needs one more word: warpbook run LAB[/STEP] | FILE.cu");
        return fail(&error);
    }
    bool profile = arguments_has(arguments, "--profile");
    if (programs_mean(arguments) && !profile)
        return programs_do(arguments);
    if (profile)
        return run_profile(arguments);
    if (names_machines(arguments_value(arguments, "--on")))
        return run_machines(arguments);
    struct error error;
    if (arguments_has(arguments, "--later")) {
        error_set(&error, EXIT_USAGE, "--later is for machines: name them with --on.");
        return fail(&error);
    }
    struct runner *runner = mem_new(sizeof *runner);
    runner->arguments = arguments;
    int status;
    if (!target_read(arguments->operands[0], &runner->target, &error)) {
        status = fail(&error);
    } else {
        status = take_flags(runner, &error) ? run_all(runner) : fail(&error);
        target_free(&runner->target);
    }
    request_free(&runner->wish);
    free(runner);
    return status;
}
