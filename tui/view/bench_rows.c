// The ladder as rows: both machines in one list, each row with its time as a bar, and its check in a word.
#include "tui/view/bench.h"

#include <math.h>
#include <string.h>

enum { TIME = 9, BAR = 12, SHORT_BAR = 6, SHARE = 7, STATUS = 12, NAME_LEAST = 15 };

// ---- lines: headings and rows ---------------------------------------------------------------------------------

static int cpu_lines(const struct bench *bench)
{
    return bench->lab->cpu_count ? (int)bench->lab->cpu_count + 1 : 0;
}

int bench_lines(const struct bench *bench)
{
    return cpu_lines(bench) + (int)bench->ladder.count + 1;
}

static int line_of(const struct bench *bench, int row)
{
    int cpus = (int)bench->lab->cpu_count;
    return row < cpus ? row + 1 : cpu_lines(bench) + 1 + row - cpus;
}

int bench_row_at(const struct bench *bench, int line)
{
    int cpus = (int)bench->lab->cpu_count, gpu = cpu_lines(bench);
    if (line < 0 || line >= bench_lines(bench) || line == gpu || (cpus && line == 0))
        return -1;
    return line < gpu ? line - 1 : cpus + line - gpu - 1;
}

// ---- a row -------------------------------------------------------------------------------------------------------

struct status {
    enum role role;
    char words[40];
};

static struct status judged(bool utf8, const struct record *record, const char *behind)
{
    struct status out = { ROLE_BAD, "" };
    bool right = record->status == STATUS_RIGHT && !record_has_error(record);
    bool plain = record->status == STATUS_UNCHECKED || record->status == STATUS_SKIPPED;
    if (right || plain)
        out.role = right ? ROLE_GOOD : ROLE_NOTE;
    format_into(out.words, sizeof out.words, "%s%s%s%s",
                plain ? "" : glyph(utf8, right ? GLYPH_DONE : GLYPH_WRONG), plain ? "" : " ",
                record->status == STATUS_RIGHT && !right ? "finding" : record_status_name(record->status),
                behind);
    return out;
}

// The time was recorded elsewhere, and the simulator has checked what it did here.
static struct status recorded_and(bool utf8, const struct record *simulated)
{
    struct status judgement = judged(utf8, simulated, "");
    struct status out = { judgement.role == ROLE_GOOD ? ROLE_NOTE : judgement.role, "" };
    bool checked = judgement.role != ROLE_NOTE;
    format_into(out.words, sizeof out.words, "rec., sim%s%s", checked ? " " : "",
                !checked                      ? ""
                : judgement.role == ROLE_GOOD ? "ok"
                                              : glyph(utf8, GLYPH_WRONG));
    return out;
}

static struct status status_of(struct app *app, const struct bench *bench, struct row row,
                               const struct run_result *result, const struct run_result *simulated)
{
    enum run_state state = bench_state(app, bench, row);
    bool utf8 = app->canvas.utf8;
    if (state != RUN_NONE)
        return (struct status){ ROLE_NOTE, { 0 } };
    if (result && !result->recorded && !result->error)
        return judged(utf8, &result->record, "");
    if (simulated && !simulated->error && result && result->recorded && !result->error)
        return recorded_and(utf8, &simulated->record);
    if (simulated && !simulated->error)
        return judged(utf8, &simulated->record, " sim");
    struct status out = { ROLE_DIM, "" };
    if ((result && result->error) || (simulated && simulated->error)) {
        out.role = ROLE_BAD;
        format_into(out.words, sizeof out.words, "%s no result", glyph(utf8, GLYPH_WRONG));
    } else if (result && result->recorded) {
        out.role = ROLE_NOTE;
        format_into(out.words, sizeof out.words, "recorded");
    }
    return out;
}

static void put_status(struct app *app, const struct bench *bench, struct row row, struct area area, int line,
                       int col, const struct run_result *result, const struct run_result *simulated)
{
    enum run_state state = bench_state(app, bench, row);
    struct status status = status_of(app, bench, row, result, simulated);
    if (state != RUN_NONE)
        format_into(status.words, sizeof status.words, "%s %s", glyph(app->canvas.utf8, GLYPH_ELLIPSIS),
                    state == RUN_RUNS ? "runs" : "waits");
    area_cell(area, line, col, status.role, STATUS, "%s", status.words);
}

static void put_time(struct app *app, struct area area, int line, int col, int bar, int share,
                     const struct run_result *result, bool cpu)
{
    const struct record *record = &result->record;
    enum role role = result->recorded ? ROLE_NOTE : cpu ? ROLE_CPU : ROLE_GPU;
    char time[32] = "";
    bool wrong = record->status && record->status != STATUS_RIGHT && record->status != STATUS_UNCHECKED;
    unit_ms(record->median_ms, time, sizeof time);
    area_cell(area, line, col, wrong ? ROLE_BAD : ROLE_TITLE, -TIME, "%s", time);
    if (bar) {
        struct text text = { 0 };
        bar_text(&text, app->canvas.utf8, unit_share(record->median_ms), bar - 2);
        area_put(area, line, col + TIME + 1, role, "%s", text_string(&text));
        text_free(&text);
    }
    if (share && isfinite(record->ceiling_pct))
        area_cell(area, line, col + TIME + bar, ROLE_TEXT, -share, "%.*f %%", record->ceiling_pct < 99.95,
                  record->ceiling_pct);
}

// The time, its bar and its share of the ceiling; the bar goes first where there is no room.
struct widths {
    int name, bar, share;
};
static struct widths widths_in(int cols)
{
    int bar = cols >= 76 ? BAR : cols >= 70 ? SHORT_BAR : 0, share = cols >= 56 ? SHARE : 0;
    int name = cols - 2 - TIME - bar - share - STATUS - 3; // the last one is for the signs of more
    return (struct widths){ name > NAME_LEAST ? name : NAME_LEAST, bar, share };
}

// That it is the learner's own is never cut off.
static void put_kernel(struct area area, int line, int cells, const struct variant *variant)
{
    static const char yours[] = " (yours)";
    struct text title = { 0 };
    int room = cells - (variant->own ? text_cells(yours) : 0);
    text_addf(&title, "%d %s", variant->step, variant->title);
    int used = text_cells(title.data) < room ? text_cells(title.data) : room;
    area_cell(area, line, 2, ROLE_TEXT, room, "%s", title.data);
    if (variant->own)
        area_put(area, line, 2 + used, ROLE_TEXT, "%s", yours);
    text_free(&title);
}

static void put_row(struct app *app, struct bench *bench, struct area area, int line, int index)
{
    struct row row = bench_row(bench, index);
    const struct run_result *result = bench_result(app, bench, row),
                            *simulated = bench_simulated(app, bench, row);
    struct widths widths = widths_in(area.cols);
    int name = widths.name, bar = widths.bar, share = widths.share;
    bool chosen = index == bench->chosen;
    area_put(area, line, 0, ROLE_TITLE, "%s", chosen ? glyph(app->canvas.utf8, GLYPH_RIGHT) : " ");
    if (row.cpu)
        area_cell(area, line, 2, ROLE_TEXT, name, "%s", row.cpu->title);
    else
        put_kernel(area, line, name, row.variant);
    if (result && !result->error)
        put_time(app, area, line, 2 + name, bar, share, result, row.cpu != NULL);
    put_status(app, bench, row, area, line, 2 + name + TIME + bar + share + 1, result, simulated);
    if (chosen) {
        area_mark(area, line, 0, area.cols, MARK_SELECTED);
        area_cursor(area, line, 0);
    }
}

// ---- headings -------------------------------------------------------------------------------------------------------

// Of the rows of one machine: the first result that is recorded, or that was measured here.
static const struct record *first_result(struct app *app, const struct bench *bench, bool cpu, bool recorded)
{
    for (int i = 0; i < bench_count(bench); i++) {
        struct row row = bench_row(bench, i);
        const struct run_result *result = bench_result(app, bench, row);
        if ((row.cpu != NULL) == cpu && result && !result->error && result->recorded == recorded)
            return &result->record;
    }
    return NULL;
}

// Times of two machines in one list: which is which.
static void gpu_words(struct app *app, const struct record *here, const struct record *recorded,
                      struct text *out)
{
    const char *own = json_string_value(json_object_get(json_object_get(runs_machine(app), "gpu"), "name"));
    const char *name = own ? own : here ? here->device : NULL;
    if (name)
        text_add(out, name);
    if (recorded)
        text_addf(out, "%srecorded on %s, %.10s", name ? "; " : "",
                  recorded->device ? recorded->device : "a GPU", recorded->date ? recorded->date : "");
    if (!out->length && runs_machine(app))
        text_add(out, "none here: the simulator runs the kernels");
}

static void put_heading(struct app *app, const struct bench *bench, struct area area, int line, bool cpu)
{
    const struct record *here = first_result(app, bench, cpu, false);
    const struct record *recorded = first_result(app, bench, cpu, true);
    struct text words = { 0 };
    struct widths widths = widths_in(area.cols);
    int col = area_put(area, line, 0, cpu ? ROLE_CPU : ROLE_GPU, "%s", cpu ? "CPU" : "GPU") + 2;
    if (cpu)
        text_add(&words, here && here->device ? here->device : "not run yet");
    else
        gpu_words(app, here, recorded, &words);
    area_cell(area, line, col, recorded ? ROLE_NOTE : ROLE_DIM, area.cols - col, "%s", text_string(&words));
    int from = 2 + widths.name + TIME + widths.bar;
    if (!cpu && widths.share && (here || recorded) && col + text_cells(text_string(&words)) < from)
        area_cell(area, line, from, ROLE_DIM, -widths.share, "of max");
    text_free(&words);
}

void bench_draw_rows(struct app *app, struct bench *bench, struct area area)
{
    int lines = bench_lines(bench), chosen = line_of(bench, bench->chosen);
    int most = lines - area.rows > 0 ? lines - area.rows : 0;
    if (bench->top > chosen - (chosen > 0))
        bench->top = chosen - (chosen > 0);
    if (bench->top < chosen - area.rows + 1)
        bench->top = chosen - area.rows + 1;
    if (bench->top > most)
        bench->top = most;
    bench->rows_area = area;
    for (int i = 0; i < area.rows && bench->top + i < lines; i++) {
        int index = bench_row_at(bench, bench->top + i);
        if (index >= 0)
            put_row(app, bench, area, i, index);
        else
            put_heading(app, bench, area, i, bench->top + i < cpu_lines(bench));
    }
    if (bench->top + area.rows < lines && area.rows > 1)
        area_put(area, area.rows - 1, area.cols - 1, ROLE_DIM, "%s",
                 glyph(app->canvas.utf8, GLYPH_MORE_DOWN));
    if (bench->top > 0)
        area_put(area, 0, area.cols - 1, ROLE_DIM, "%s", glyph(app->canvas.utf8, GLYPH_MORE_UP));
}
