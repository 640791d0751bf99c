// The lower part of the bench: the source of the chosen step, its result, its counters, and two charts of the ladder.
#include "tui/view/bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const bench_pane_names[PANES] = { "source", "result", "counters", "chart", "roofline" };

// ---- source ---------------------------------------------------------------------------------------------------------

// The newest result that has messages about the source: a failed compile, or findings.
static const struct run_result *with_messages(struct app *app, const struct bench *bench, struct row row)
{
    const struct run_result *results[] = { bench_simulated(app, bench, row), bench_result(app, bench, row) };
    for (int i = 0; i < 2; i++)
        if (results[i] && !results[i]->error && !results[i]->recorded &&
            (results[i]->record.diagnostic_count || results[i]->record.finding_count))
            return results[i];
    return NULL;
}

static bool is_wrong(const struct run_result *result)
{
    return result && !result->error && !result->recorded && result->record.status == STATUS_WRONG;
}

// The run that was asked for has come back: what it counted says less than that it is wrong.
static void judge_run(struct app *app, struct bench *bench)
{
    struct row row = bench_row(bench, bench->chosen);
    if (bench->judged != bench->chosen || bench_state(app, bench, row) != RUN_NONE)
        return;
    bench->judged = -1;
    if (bench->pane == PANE_COUNTERS &&
        (is_wrong(bench_simulated(app, bench, row)) || is_wrong(bench_result(app, bench, row))))
        bench->pane = PANE_RESULT;
}

void bench_tell(struct app *app, struct bench *bench)
{
    struct row row = bench_row(bench, bench->chosen);
    judge_run(app, bench);
    const struct run_result *result = row.variant ? with_messages(app, bench, row) : NULL;
    bool failed = result && result->record.status == STATUS_FAILED && result->record.diagnostic_count > 0;
    if (!failed || result->serial == bench->told)
        return;
    bench->told = result->serial;
    bench->tell = true;
    bench->pane = PANE_SOURCE;
}

// The first message under a line, with some of what stands above it.
static void bring_message(struct reader *reader, int rows)
{
    const struct sheet *sheet = &reader->sheet;
    for (size_t i = 0; i < sheet->line_count; i++)
        for (size_t j = 0; j < sheet->lines[i].count; j++) {
            const struct span *span = &sheet->spans[sheet->lines[i].first + j];
            if (span->role == ROLE_BAD && span->length >= 2 &&
                memcmp(sheet->text.data + span->at, "^ ", 2) == 0) {
                size_t above = rows > 6 ? (size_t)rows / 2 : 1;
                reader->top = i > above ? i - above : 0;
                return;
            }
        }
}

static struct sheet cpu_source(const struct bench *bench, struct row row, int width, bool utf8)
{
    struct sheet sheet = sheet_new(width, utf8);
    char words[200];
    sheet_add(&sheet, ROLE_TITLE, " %s", row.cpu->title);
    sheet_end(&sheet);
    sheet_paragraph(&sheet, ROLE_TEXT, 1, row.cpu->why ? row.cpu->why : "");
    format_into(words, sizeof words, "Plain C%s: reference/%s.c.", row.cpu->parallel ? " with OpenMP" : "",
                bench->lab->name);
    sheet_paragraph(&sheet, ROLE_DIM, 1, words);
    return sheet;
}

static void draw_source(struct app *app, struct bench *bench, struct area area)
{
    struct row row = bench_row(bench, bench->chosen);
    if (row.cpu) {
        reader_show(&bench->source, cpu_source(bench, row, area.cols, area.canvas->utf8), 0);
    } else {
        size_t index = (size_t)(row.variant - bench->ladder.variants);
        const struct run_result *result = with_messages(app, bench, row);
        struct listing listing = { .text = row.variant->text,
                                   .before = index ? bench->ladder.variants[index - 1].text : NULL,
                                   .record = result ? &result->record : NULL,
                                   .numbers = true };
        reader_show(&bench->source, listing_sheet(&listing, area.cols, area.canvas->utf8), 0);
        if (bench->tell)
            bring_message(&bench->source, area.rows);
        bench->tell = false;
    }
    reader_draw(&bench->source, area);
}

// ---- charts -----------------------------------------------------------------------------------------------------------

static bool shows_time(const struct run_result *result)
{
    return result && !result->error && result->record.median_ms > 0 && result->record.status == STATUS_RIGHT;
}

// Above a chart: which of its times come from another machine. The rest of the area.
static struct area draw_origin(struct app *app, const struct bench *bench, struct area area)
{
    const struct record *record = NULL;
    struct text steps = { 0 };
    int measured = 0;
    for (size_t i = 0; i < bench->ladder.count; i++) {
        struct row row = { NULL, &bench->ladder.variants[i] };
        const struct run_result *result = bench_result(app, bench, row);
        if (!shows_time(result))
            continue;
        measured += !result->recorded;
        if (!result->recorded)
            continue;
        record = &result->record;
        text_addf(&steps, "%s%d", steps.length ? ", " : "", row.variant->step);
    }
    if (record && area.rows > 4) {
        area_cell(area, 0, 1, ROLE_NOTE, area.cols - 1, "%s%s: recorded on %s, %.10s",
                  measured ? "steps " : "GPU times", measured ? text_string(&steps) : "", record->device,
                  record->date ? record->date : "");
        area = area_part(area, 1, 0, area.rows - 1, area.cols);
    }
    text_free(&steps);
    return area;
}

static void draw_chart(struct app *app, struct bench *bench, struct area area)
{
    int count = bench_count(bench);
    struct chart_row *rows = mem_new(((size_t)count + 1) * sizeof *rows);
    area = draw_origin(app, bench, area);
    for (int i = 0; i < count; i++) {
        struct row row = bench_row(bench, i);
        const struct run_result *result = bench_result(app, bench, row);
        rows[i] = (struct chart_row){ .name = row.cpu ? row.cpu->name : row.variant->name,
                                      .value = shows_time(result) ? result->record.median_ms : NAN,
                                      .role = row.cpu                      ? ROLE_CPU
                                              : result && result->recorded ? ROLE_NOTE
                                                                           : ROLE_GPU,
                                      .chosen = i == bench->chosen };
    }
    bench->chart_more = chart_ladder(area, rows, (size_t)count);
    free(rows);
}

static void draw_roofline(struct app *app, const struct bench *bench, struct area area)
{
    struct chart_point points[64];
    size_t count = 0;
    double roof = NAN;
    for (size_t i = 0; i < bench->ladder.count && count < 64; i++) {
        struct row row = { NULL, &bench->ladder.variants[i] };
        const struct run_result *result = bench_result(app, bench, row);
        if (!shows_time(result) || !(result->record.operations > 0) || !(result->record.bytes > 0))
            continue;
        const struct record *record = &result->record;
        if (record->ceiling_gbps > 0)
            roof = record->ceiling_gbps * 1e9;
        points[count++] =
            (struct chart_point){ .sign = (char)(row.variant->step < 10 ? '0' + row.variant->step : '+'),
                                  .x = record->operations / record->bytes,
                                  .y = record->operations / (record->median_ms / 1e3),
                                  .role = result->recorded ? ROLE_NOTE : ROLE_GPU,
                                  .chosen = row.variant == bench_row(bench, bench->chosen).variant };
    }
    if (count && roof > 0) {
        area = draw_origin(app, bench, area);
        chart_roofline(area, points, count, roof, NAN,
                       bench->lab->operation_name ? bench->lab->operation_name : "operations");
        return;
    }
    struct sheet sheet = sheet_new(area.cols, area.canvas->utf8);
    sheet_paragraph(
        &sheet, ROLE_DIM, 1,
        "A roofline needs times of a GPU: run the ladder on one, or choose the size full, for which "
        "results were recorded.");
    sheet_draw(&sheet, area, 0, -1, NULL);
    sheet_free(&sheet);
}

// ---- result and counters -------------------------------------------------------------------------------------------------

static struct sheet make_result(struct app *app, const struct bench *bench, int width, bool utf8)
{
    struct row row = bench_row(bench, bench->chosen);
    const struct run_result *own = bench_result(app, bench, row),
                            *simulated = bench_simulated(app, bench, row);
    const struct run_result *shown = own && !own->error               ? own
                                     : simulated && !simulated->error ? simulated
                                                                      : own;
    struct result result = { .cpu = bench_fastest_cpu(app, bench),
                             .commands = app->known.commands,
                             .utf8 = utf8 };
    if (shown && !shown->error) {
        result.chosen = &shown->record;
        result.recorded = shown->recorded;
    }
    if (own && own->error)
        result.error = own->error;
    else if (simulated && simulated->error)
        result.error = simulated->error;
    int before = bench->chosen - 1;
    if (row.variant && before >= (int)bench->lab->cpu_count) {
        const struct run_result *earlier = bench_result(app, bench, bench_row(bench, before));
        if (earlier && !earlier->error && shown && earlier->recorded == shown->recorded)
            result.before = &earlier->record;
    }
    struct sheet sheet = result_sheet(&result, width, utf8);
    if (simulated && !simulated->error && shown != simulated && !bench->both) {
        struct sheet counters = counters_sheet(&simulated->record, width, utf8);
        sheet_gap(&sheet);
        typeset_paste(&sheet, &counters, "", false);
        sheet_free(&counters);
    }
    return sheet;
}

static struct sheet error_sheet(const struct app *app, const char *error, int width, bool utf8)
{
    struct sheet sheet = sheet_new(width, utf8);
    struct text words = { 0 };
    prompt_words(&words, error, app->known.commands);
    sheet_paragraph(&sheet, ROLE_BAD, 1, text_string(&words));
    text_free(&words);
    return sheet;
}

static struct sheet make_counters(struct app *app, const struct bench *bench, int width, bool utf8)
{
    struct row row = bench_row(bench, bench->chosen);
    if (row.variant) {
        const struct run_result *simulated = bench_simulated(app, bench, row);
        if (simulated && simulated->error)
            return error_sheet(app, simulated->error, width, utf8);
        struct sheet sheet = sheet_new(width, utf8);
        struct sheet counters =
            counters_sheet(simulated && !simulated->error ? &simulated->record : NULL, width, utf8);
        if (is_wrong(simulated))
            sheet_paragraph(&sheet, ROLE_BAD, 1, "The answer is wrong: the view result says where.");
        typeset_paste(&sheet, &counters, "", false);
        sheet_free(&counters);
        if (simulated && simulated->record.printed)
            sheet_paragraph(&sheet, ROLE_DIM, 1, "The kernel printed something: the view result shows it.");
        return sheet;
    }
    struct sheet sheet = sheet_new(width, utf8);
    sheet_paragraph(&sheet, ROLE_DIM, 1, "Counters belong to kernels; this row runs on the CPU.");
    return sheet;
}

static void draw_numbers(struct app *app, const struct bench *bench, struct reader *reader, struct area area,
                         enum bench_pane pane)
{
    bool utf8 = area.canvas->utf8;
    reader_show(reader,
                pane == PANE_RESULT ? make_result(app, bench, area.cols, utf8)
                                    : make_counters(app, bench, area.cols, utf8),
                0);
    reader_draw(reader, area);
}

void bench_draw_other(struct app *app, struct bench *bench, struct area area, enum bench_pane pane)
{
    draw_numbers(app, bench, &bench->other, area, pane);
}

void bench_draw_pane(struct app *app, struct bench *bench, struct area area, enum bench_pane pane)
{
    bool utf8 = area.canvas->utf8;
    if (*bench->broken.text && pane == PANE_SOURCE) {
        struct sheet sheet = sheet_new(area.cols, utf8);
        sheet_lines(&sheet, ROLE_BAD, 1, bench->broken.text);
        char edit[24], reset[24], words[160];
        keys_name(&app->keys, "bench", "edit", edit, sizeof edit);
        keys_name(&app->keys, "bench", "reset", reset, sizeof reset);
        format_into(words, sizeof words,
                    "Until that is mended the ladder shows what ships: %s edits, %s resets.", edit, reset);
        sheet_paragraph(&sheet, ROLE_DIM, 1, words);
        reader_show(&bench->source, sheet, 0);
        reader_draw(&bench->source, area);
    } else if (pane == PANE_SOURCE) {
        draw_source(app, bench, area);
    } else if (pane == PANE_CHART) {
        draw_chart(app, bench, area);
    } else if (pane == PANE_ROOFLINE) {
        draw_roofline(app, bench, area);
    } else {
        draw_numbers(app, bench, &bench->panel, area, pane);
    }
}
