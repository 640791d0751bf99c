// What the bench shows of modelled times: which rows have one, and the view "model".
#include <stdlib.h>
#include <string.h>

#include "engine/run/modelled.h"
#include "tui/view/bench.h"

// ---- the ladder -----------------------------------------------------------------------------------------------------

const struct run_result *bench_model_result(struct app *app, const struct bench *bench, struct row row)
{
    if (!row.variant)
        return NULL;
    struct request request = bench_model_request(bench, row);
    const struct run_result *result = runs_find(app, &request, row.variant);
    request_free(&request);
    return result;
}

// A row's modelled time, also one that is folded.
static const struct modelled *modelled_on(struct app *app, const struct bench *bench, struct row row)
{
    const struct record *record = bench_record(bench_model_result(app, bench, row));
    const char *gpu = runs_model_name(app);
    const struct modelled *one = record && record->modelled_count == 1 ? record->modelled : NULL;
    bool shows = one && !one->why && record->status == STATUS_RIGHT;
    return shows && one->name && gpu && strcmp(one->name, gpu) == 0 ? one : NULL;
}

const struct modelled *bench_modelled(struct app *app, const struct bench *bench, struct row row)
{
    return row.asked & ASKED_TIME || bench_has_time(app, bench, row) ? NULL : modelled_on(app, bench, row);
}

// A range takes more room than a number.
void bench_find_models(struct app *app, struct bench *bench)
{
    enum { LEAST = 12 };
    bench->models = 0;
    for (int i = 0; i < bench_count(bench); i++) {
        const struct modelled *one = bench_modelled(app, bench, bench_row(bench, i));
        char time[48] = "";
        if (!one)
            continue;
        modelled_time(one, app->canvas.utf8, time, sizeof time);
        int cells = text_cells(time) + 1 > LEAST ? text_cells(time) + 1 : LEAST;
        bench->models = cells > bench->models ? cells : bench->models;
    }
}

// ---- the view -------------------------------------------------------------------------------------------------------

// Nothing was modelled at the title's size; the run that counted may have a time of its own, smaller one.
static struct sheet model_of_counted(struct app *app, const struct bench *bench, struct row row, int width,
                                     bool utf8)
{
    const struct record *counted = bench_record(bench_counted(app, bench, row));
    struct sheet sheet = counted ? modelled_sheet(counted, width, utf8) : sheet_new(width, utf8);
    char key[24], words[160];
    keys_name(&app->keys, "bench", "sim", key, sizeof key);
    format_into(words, sizeof words, "%s models how long this kernel would take at the size %s.",
                *key ? key : ":sim", bench->preset ? bench->preset : bench->lab->presets[1].name);
    sheet_gap(&sheet);
    sheet_paragraph(&sheet, ROLE_DIM, 1, words);
    return sheet;
}

// It was modelled for another GPU than the one that is chosen now.
static void add_stale(struct app *app, struct sheet *sheet, const struct modelled *one)
{
    const char *gpu = runs_model_name(app);
    char key[24], words[160];
    if (!one || !one->name || !gpu || strcmp(one->name, gpu) == 0)
        return;
    keys_name(&app->keys, "bench", "sim", key, sizeof key);
    format_into(words, sizeof words, "%s models it for %s.", *key ? key : ":sim", gpu);
    sheet_gap(sheet);
    sheet_paragraph(sheet, ROLE_NOTE, 1, words);
}

struct sheet bench_model_sheet(struct app *app, const struct bench *bench, int width, bool utf8)
{
    struct row row = bench_row(bench, bench->chosen);
    const struct run_result *result = bench_model_result(app, bench, row);
    const struct record *record = bench_record(result), *timed = bench_record(bench_result(app, bench, row));
    struct sheet sheet;
    if (row.asked)
        return asked_sheet(width, utf8);
    if (row.variant && bench_state(app, bench, row) != RUN_NONE) {
        sheet = sheet_new(width, utf8);
        sheet_paragraph(&sheet, ROLE_DIM, 1, "The time is modelled when the simulator has run it.");
        return sheet;
    }
    if (row.variant && !result)
        return model_of_counted(app, bench, row, width, utf8);
    if (record && record->status == STATUS_RIGHT) {
        const struct modelled *one = record->modelled_count == 1 ? record->modelled : NULL;
        bool gains = one && one->gains && bench->gains;
        sheet = gains ? sheet_new(width, utf8) : modelled_sheet(record, width, utf8);
        if (gains) { // first what was asked for
            modelled_head(&sheet, one);
            if (bench->gains == GAINS_WHAT_IF)
                modelled_what_if(&sheet, one);
            else
                modelled_why(&sheet, one);
            sheet_gap(&sheet);
            modelled_rest(&sheet, record, one);
        }
        if (timed && one)
            modelled_beside(&sheet, one, timed, bench_result(app, bench, row)->recorded);
        add_stale(app, &sheet, one);
        return sheet;
    }
    sheet = sheet_new(width, utf8);
    if (!row.variant)
        sheet_paragraph(&sheet, ROLE_DIM, 1, "Times are modelled for kernels, and this row has none.");
    else if (result->error)
        message_add(&sheet, ROLE_BAD, result->error, app->known.commands);
    else {
        sheet_paragraph(&sheet, ROLE_BAD, 1,
                        "No time is modelled: the simulator's run did not come out right.");
        if (record->message)
            message_add(&sheet, ROLE_NOTE, record->message, app->known.commands);
        if (!bench->preset)
            sheet_paragraph(&sheet, ROLE_DIM, 1,
                            "':size small' models the small size, which takes it less long.");
    }
    return sheet;
}
