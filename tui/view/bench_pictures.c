// The ladder as pictures: its times as bars, and its steps under the roof of the device.
#include "engine/run/modelled.h"
#include "tui/view/bench.h"

#include <math.h>
#include <stdlib.h>

// Above a chart: which of its times come from another machine. The rest of the area.
static struct area draw_origin(struct app *app, const struct bench *bench, struct area area)
{
    struct text steps = { 0 }, words = { 0 };
    int measured = 0;
    for (size_t i = 0; i < bench->ladder.count; i++) {
        struct row row = bench_kernel(bench, &bench->ladder.variants[i]);
        const struct run_result *result = bench_result(app, bench, row);
        if (!bench_shows_time(result))
            continue;
        measured += !result->recorded;
        if (!result->recorded)
            continue;
        text_addf(&steps, "%s%d", steps.length ? ", " : "", row.variant->step);
    }
    bench_recorded_on(app, bench, &words);
    if (steps.length && area.rows > 4) {
        area_cell(area, 0, 1, ROLE_NOTE, area.cols - 1, "%s%s: recorded on %s",
                  measured ? "steps " : "GPU times", measured ? text_string(&steps) : "",
                  text_string(&words));
        area = area_part(area, 1, 0, area.rows - 1, area.cols);
    }
    text_free(&words);
    text_free(&steps);
    return area;
}

static void draw_chart(struct app *app, struct bench *bench, struct area area)
{
    int count = bench_count(bench);
    struct chart_row *rows = mem_new(((size_t)count + 1) * sizeof *rows);
    char(*about)[48] = mem_new(((size_t)count + 1) * sizeof *about);
    area = draw_origin(app, bench, area);
    if (bench->models && area.rows > 4) {
        area_cell(area, 0, 1, ROLE_SIM, area.cols - 1, "%s%smodelled for %s",
                  drawn_flat ? "" : glyph(area.canvas->utf8, GLYPH_ABOUT), drawn_flat ? "" : " ",
                  runs_model_name(app));
        area = area_part(area, 1, 0, area.rows - 1, area.cols);
    }
    for (int i = 0; i < count; i++) {
        struct row row = bench_row(bench, i);
        const struct run_result *result = bench_result(app, bench, row);
        rows[i] = (struct chart_row){ .name = bench_name(row),
                                      .value = bench_shows_time(result) ? result->record.median_ms : NAN,
                                      .role = row.cpu                      ? ROLE_CPU
                                              : result && result->recorded ? ROLE_NOTE
                                                                           : ROLE_GPU,
                                      .chosen = i == bench->chosen,
                                      .instead = row.asked & ASKED_TIME ? after_prediction : NULL };
        const struct modelled *modelled = bench_modelled(app, bench, row);
        if (!modelled)
            continue;
        modelled_time(modelled, area.canvas->utf8, about[i], sizeof about[i]);
        rows[i].value = modelled_is_wide(modelled) ? NAN : modelled->ms;
        rows[i].role = ROLE_SIM;
        rows[i].about = about[i];
    }
    bench->chart_more = chart_ladder(area, rows, (size_t)count);
    free(about);
    free(rows);
}

// Says which points an open prediction holds back; returns the rest of the area.
static struct area draw_held_back(const struct bench *bench, struct area area)
{
    struct text steps = { 0 };
    size_t count = 0;
    for (size_t i = 0; i < bench->ladder.count; i++) {
        struct row row = bench_kernel(bench, &bench->ladder.variants[i]);
        if (row.asked & ASKED_RESULT)
            text_addf(&steps, "%s%d", count++ ? ", " : "", row.variant->step);
    }
    if (count && area.rows > 4) {
        area_cell(area, 0, 1, ROLE_DIM, area.cols - 1, "step%s %s: %s", count == 1 ? "" : "s", steps.data,
                  after_prediction);
        area = area_part(area, 1, 0, area.rows - 1, area.cols);
    }
    text_free(&steps);
    return area;
}

enum { LIBRARY_SIGN = 'N' };

static char sign_of(struct row row)
{
    return row.library ? LIBRARY_SIGN : row.variant->step < 10 ? (char)('0' + row.variant->step) : '+';
}

static void draw_roofline(struct app *app, const struct bench *bench, struct area area)
{
    struct chart_point points[64];
    size_t count = 0;
    double roof = NAN, top = NAN;
    for (int i = (int)bench->lab->cpu_count; i < bench_count(bench) && count < 64; i++) {
        struct row row = bench_row(bench, i);
        const struct run_result *result = bench_result(app, bench, row);
        bool known = bench_shows_time(result) && result->record.operations > 0 && result->record.bytes > 0;
        if (!known || row.asked & ASKED_RESULT)
            continue;
        const struct record *record = &result->record;
        if (record->ceiling_gbps > 0)
            roof = record->ceiling_gbps * 1e9;
        if (record->ceiling_gflops > 0)
            top = record->ceiling_gflops * 1e9;
        points[count++] = (struct chart_point){ .sign = sign_of(row),
                                                .x = record->operations / record->bytes,
                                                .y = record->operations / (record->median_ms / 1e3),
                                                .role = result->recorded ? ROLE_NOTE : ROLE_GPU,
                                                .chosen = i == bench->chosen };
    }
    if (count && roof > 0) {
        area = draw_held_back(bench, draw_origin(app, bench, area));
        if (points[count - 1].sign == LIBRARY_SIGN && area.rows > 4) {
            area_cell(area, 0, 1, ROLE_DIM, area.cols - 1, "%c: %s", LIBRARY_SIGN,
                      bench->lab->library->title);
            area = area_part(area, 1, 0, area.rows - 1, area.cols);
        }
        area = area_part(area, 0, 1, area.rows, area.cols - 1);
        chart_roofline(area, points, count, roof, top,
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

const struct bench_pictures bench_pictures = { .chart = draw_chart, .roofline = draw_roofline };
