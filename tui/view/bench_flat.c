// The ladder in words, for those who listen: a paragraph for each row, of as many lines as it takes.
#include "engine/run/modelled.h"
#include "tui/view/bench.h"

// The longest of the times that are shown; 0: there is none.
static double slowest(struct app *app, const struct bench *bench)
{
    double most = 0;
    for (int i = 0; i < bench_count(bench); i++) {
        const struct run_result *result = bench_result(app, bench, bench_row(bench, i));
        if (bench_record(result) && result->record.median_ms > most)
            most = result->record.median_ms;
    }
    return most;
}

// "3 v3: bins in shared memory, 5.073 ms, recorded, 3.7 % of the slowest": what matters most comes first.
static void say_row(struct app *app, const struct bench *bench, struct row row, double most, struct text *out)
{
    const struct run_result *result = bench_result(app, bench, row);
    const struct modelled *modelled = bench_modelled(app, bench, row);
    const struct variant *variant = row.variant;
    struct text state = { 0 };
    char time[48] = "", share[40] = "";
    bench_state_words(app, bench, row, &state);
    if (modelled)
        modelled_time(modelled, app->canvas.utf8, time, sizeof time);
    if (bench_record(result)) {
        unit_ms(result->record.median_ms, time, sizeof time);
        unit_of_slowest(result->record.median_ms, most, share, sizeof share);
    }
    if (variant && !row.asked)
        text_addf(out, "%d ", variant->step);
    text_add(out, bench_title(row));
    text_addf(out, "%s%s", variant && variant->own ? " (yours)" : "",
              variant && variant == baseline_in(app, &bench->ladder) ? ", baseline" : "");
    const char *const parts[] = { row.asked & ASKED_TIME ? after_prediction : time, text_string(&state),
                                  share };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        text_addf(out, "%s%s", *parts[i] ? ", " : "", parts[i]);
    text_free(&state);
}

static void end_words(struct sheet *sheet, enum role role, struct text *words)
{
    sheet_hang(sheet, 4);
    sheet_flow(sheet, role, "%s", text_string(words));
    sheet_end(sheet);
    text_free(words);
}

struct sheet bench_flat(struct app *app, const struct bench *bench, int width)
{
    struct sheet sheet = sheet_new(width, false);
    double most = slowest(app, bench);
    int cpus = (int)bench->lab->cpu_count;
    for (int i = 0; i < bench_count(bench); i++) {
        struct text words = { 0 };
        if (i == 0 || i == cpus) {
            sheet.item = -1;
            enum role role = bench_heading(app, bench, i < cpus, &words);
            sheet_add(&sheet, i < cpus ? ROLE_CPU : ROLE_GPU, " %s ", i < cpus ? "CPU" : "GPU");
            sheet_add(&sheet, role, " ");
            end_words(&sheet, role, &words);
        }
        sheet.item = i;
        say_row(app, bench, bench_row(bench, i), most, &words);
        sheet_add(&sheet, ROLE_TEXT, "  ");
        end_words(&sheet, ROLE_TEXT, &words);
    }
    return sheet;
}
