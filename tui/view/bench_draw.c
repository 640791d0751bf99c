// The bench at every size: the ladder as rows, the source of the chosen step, its result and counters, and where each of
// them and the pictures are.
#include "engine/run/modelled.h"
#include "tui/view/bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TIME = 9, BAR = 12, SHORT_BAR = 6, SHARE = 7, STATUS = 12, NAME_LEAST = 15 };

// ---- the ladder: headings and rows --------------------------------------------------------------------------

static int cpu_lines(const struct bench *bench)
{
    return bench->lab->cpu_count ? (int)bench->lab->cpu_count + 1 : 0;
}

static int line_count(const struct bench *bench)
{
    if (drawn_flat)
        return (int)bench->flat.line_count;
    return bench_count(bench) + (bench->lab->cpu_count ? 2 : 1);
}

static int line_of(const struct bench *bench, int row)
{
    if (drawn_flat)
        return sheet_line_of_item(&bench->flat, row);
    int cpus = (int)bench->lab->cpu_count;
    return row < cpus ? row + 1 : cpu_lines(bench) + 1 + row - cpus;
}

int bench_row_at(const struct bench *bench, int line)
{
    int cpus = (int)bench->lab->cpu_count, gpu = cpu_lines(bench);
    if (line < 0 || line >= line_count(bench))
        return -1;
    const struct sheet_line *flat = drawn_flat ? &bench->flat.lines[line] : NULL;
    if (flat) // blanks before its words may belong to no row
        return bench->flat.spans[flat->first + flat->count - 1].item;
    if (line == gpu || (cpus && line == 0))
        return -1;
    return line < gpu ? line - 1 : cpus + line - gpu - 1;
}

// ---- what is known of a row: where it ran by itself, and in the simulator ------------------------------------

// A row's result on a backend, also one that is folded.
static const struct run_result *result_on(struct app *app, const struct bench *bench, struct row row,
                                          bool simulate)
{
    struct request request = bench_request(app, bench, row, simulate);
    const struct run_result *result = runs_find(app, &request, row.variant);
    request_free(&request);
    const char *gpu = result && result->recorded && runs_model_chosen(app) ? runs_model_name(app) : NULL;
    if (gpu && (!result->record.device || strcmp(result->record.device, gpu) != 0))
        return NULL; // a ladder is of one GPU where one is named
    return result;
}

bool bench_has_time(struct app *app, const struct bench *bench, struct row row)
{
    return bench_record(result_on(app, bench, row, false)) != NULL;
}

const struct run_result *bench_counted(struct app *app, const struct bench *bench, struct row row)
{
    return row.variant ? result_on(app, bench, row, true) : NULL;
}

const struct run_result *bench_result(struct app *app, const struct bench *bench, struct row row)
{
    return row.asked & ASKED_TIME ? NULL : result_on(app, bench, row, false);
}

// NULL: none, or its counters are folded.
static const struct run_result *row_simulated(struct app *app, const struct bench *bench, struct row row)
{
    return row.asked & ASKED_COUNTERS ? NULL : bench_counted(app, bench, row);
}

enum run_state bench_state(struct app *app, const struct bench *bench, struct row row)
{
    enum run_state state = RUN_NONE;
    for (int simulate = 0; simulate < (row.variant ? 2 : 1) && state == RUN_NONE; simulate++) {
        struct request request = bench_request(app, bench, row, simulate);
        state = runs_state(app, &request);
        request_free(&request);
    }
    if (row.variant && state == RUN_NONE) {
        struct request request = bench_model_request(bench, row);
        state = runs_state(app, &request);
        request_free(&request);
    }
    return state;
}

static const struct record *fastest_cpu(struct app *app, const struct bench *bench)
{
    const struct record *best = NULL;
    for (size_t i = 0; i < bench->lab->cpu_count; i++) {
        const struct run_result *result = bench_result(app, bench, bench_row(bench, (int)i));
        if (result && !result->error && result->record.status == STATUS_RIGHT &&
            (!best || result->record.median_ms < best->median_ms))
            best = &result->record;
    }
    return best;
}

// ---- the ladder: a row --------------------------------------------------------------------------------------

struct status {
    enum role role;
    char words[40];
};

static struct status status_of_words(enum role role, const char *sign, const char *words, const char *after)
{
    struct status out = { role, "" };
    format_into(out.words, sizeof out.words, "%s%s%s%s", sign, *sign ? " " : "", words, after);
    return out;
}

static struct status judged(bool utf8, const struct record *record, const char *after)
{
    bool right = record->status == STATUS_RIGHT && !record_has_error(record);
    bool plain = record->status == STATUS_UNCHECKED || record->status == STATUS_SKIPPED;
    return status_of_words(
        right   ? ROLE_GOOD
        : plain ? ROLE_NOTE
                : ROLE_BAD,
        plain ? "" : glyph(utf8, right ? GLYPH_DONE : GLYPH_WRONG),
        record->status == STATUS_RIGHT && !right ? "finding" : record_status_name(record->status), after);
}

// The time is none that was measured here (`how`: "rec."), and the simulator has checked what the kernel did here.
static struct status time_and(bool utf8, enum role plain, const char *how, const struct record *simulated)
{
    enum role role = judged(utf8, simulated, "").role;
    struct status out = { role == ROLE_GOOD ? plain : role, "" };
    format_into(out.words, sizeof out.words, "%s, sim", how);
    if (role != ROLE_NOTE)
        format_into(out.words, sizeof out.words, "%s, sim %s", how,
                    role == ROLE_GOOD ? "ok"
                    : drawn_flat      ? "no"
                                      : glyph(utf8, GLYPH_WRONG));
    return out;
}

static struct status status_of(struct app *app, const struct bench *bench, struct row row)
{
    const struct run_result *result = result_on(app, bench, row, false),
                            *simulated = bench_counted(app, bench, row);
    bool utf8 = app->canvas.utf8, folded = row.asked & ASKED_TIME, recorded = result && result->recorded;
    if (folded && recorded)
        result = NULL;
    enum run_state state = bench_state(app, bench, row);
    const struct record *own = bench_record(result), *checked = bench_record(simulated);
    if (state != RUN_NONE)
        return status_of_words(ROLE_NOTE, glyph(utf8, GLYPH_ELLIPSIS), state == RUN_RUNS ? "runs" : "waits",
                               "");
    const struct modelled *modelled = bench_modelled(app, bench, row);
    if (own && !recorded)
        return judged(utf8, own, "");
    if (checked && own)
        return time_and(utf8, ROLE_NOTE, "rec.", checked);
    if (checked)
        return modelled ? time_and(utf8, ROLE_SIM, "mod.", checked) : judged(utf8, checked, " sim");
    if (modelled)
        return status_of_words(ROLE_SIM, "", "modelled", "");
    if ((result && result->error) || (simulated && simulated->error))
        return status_of_words(ROLE_BAD, glyph(utf8, GLYPH_WRONG), "no result", "");
    return recorded ? status_of_words(ROLE_NOTE, "", "recorded", "") : (struct status){ ROLE_DIM, "" };
}

void bench_state_words(struct app *app, const struct bench *bench, struct row row, struct text *out)
{
    struct status status = status_of(app, bench, row);
    text_add(out, status.words + strspn(status.words, " ."));
}

// The time, its bar and its share of the ceiling; the bar goes first where there is no room.
struct widths {
    int name, time, bar, share;
};
static struct widths widths_in(int cols, int models)
{
    int bar = cols >= 76 ? BAR : cols >= 70 ? SHORT_BAR : 0, share = cols >= 56 ? SHARE : 0;
    int time = models ? models : TIME;
    int name = cols - 2 - time - bar - share - STATUS - 3; // the last one is for the signs of more
    return (struct widths){ name > NAME_LEAST ? name : NAME_LEAST, time, bar, share };
}

static void put_modelled(struct app *app, struct area area, int line, int col, struct widths widths,
                         const struct modelled *modelled)
{
    char time[48];
    modelled_time(modelled, app->canvas.utf8, time, sizeof time);
    area_cell(area, line, col, ROLE_SIM, -widths.time, "%s", time);
    struct text bar = { 0 };
    if (widths.bar && !modelled_is_wide(modelled))
        modelled_bar(&bar, app->canvas.utf8, unit_share(modelled->ms), widths.bar - 2);
    area_put(area, line, col + widths.time + 1, ROLE_SIM, "%s", text_string(&bar));
    text_free(&bar);
}

static void put_time(struct app *app, struct area area, int line, int col, struct widths widths,
                     const struct run_result *result, bool cpu)
{
    int bar = widths.bar, share = widths.share;
    const struct record *record = &result->record;
    enum role role = result->recorded ? ROLE_NOTE : cpu ? ROLE_CPU : ROLE_GPU;
    char time[32] = "";
    bool wrong = record->status && record->status != STATUS_RIGHT && record->status != STATUS_UNCHECKED;
    unit_ms(record->median_ms, time, sizeof time);
    area_cell(area, line, col, wrong ? ROLE_BAD : ROLE_TITLE, -widths.time, "%s", time);
    if (bar) {
        struct text text = { 0 };
        bar_text(&text, app->canvas.utf8, unit_share(record->median_ms), bar - 2);
        area_put(area, line, col + widths.time + 1, role, "%s", text_string(&text));
        text_free(&text);
    }
    if (share && isfinite(record->ceiling_pct))
        area_cell(area, line, col + widths.time + bar, ROLE_TEXT, -share, "%.*f %%",
                  record->ceiling_pct < 99.95, record->ceiling_pct);
}

// The words that say that a copy is the learner's own are never cut off.
static void put_kernel(struct area area, int line, int cells, struct row row, bool baseline)
{
    const struct variant *variant = row.variant;
    if (baseline)
        area_put(area, line, 1, ROLE_TITLE, "=");
    static const char yours[] = " (yours)";
    struct text title = { 0 };
    int room = cells - (variant->own ? text_cells(yours) : 0);
    if (!row.asked)
        text_addf(&title, "%d ", variant->step);
    text_add(&title, bench_title(row));
    int used = text_cells(title.data) < room ? text_cells(title.data) : room;
    area_cell(area, line, 2, ROLE_TEXT, room, "%s", title.data);
    if (variant->own)
        area_put(area, line, 2 + used, ROLE_TEXT, "%s", yours);
    text_free(&title);
}

static void put_row(struct app *app, struct bench *bench, struct area area, int line, int index)
{
    struct row row = bench_row(bench, index);
    const struct run_result *result = bench_result(app, bench, row);
    struct status status = status_of(app, bench, row);
    const struct modelled *modelled = bench_modelled(app, bench, row);
    struct widths widths = widths_in(area.cols, bench->models);
    int name = widths.name, time = widths.time, bar = widths.bar, share = widths.share;
    bool chosen = index == bench->chosen;
    area_put(area, line, 0, ROLE_TITLE, "%s", chosen ? glyph(app->canvas.utf8, GLYPH_RIGHT) : " ");
    if (!row.variant)
        area_cell(area, line, 2, ROLE_TEXT, name, "%s", bench_title(row));
    else
        put_kernel(area, line, name, row, row.variant == baseline_in(app, &bench->ladder));
    widths.share = row.asked & ASKED_RESULT ? 0 : share;
    if (result && !result->error)
        put_time(app, area, line, 2 + name, widths, result, row.cpu != NULL);
    else if (row.asked & ASKED_TIME)
        area_cell(area, line, 2 + name + 1, ROLE_DIM, time + bar + share - 1, "%s", after_prediction);
    else if (modelled)
        put_modelled(app, area, line, 2 + name, widths, modelled);
    area_cell(area, line, 2 + name + time + bar + share + 1, status.role, STATUS, "%s", status.words);
    if (chosen) {
        area_mark(area, line, 0, area.cols, MARK_SELECTED);
        area_cursor(area, line, 0);
    }
}

// ---- the ladder: headings and all rows ----------------------------------------------------------------------

// The record that a row shows: recorded on another machine, or measured here; NULL: it shows none of these.
static const struct record *record_from(struct app *app, const struct bench *bench, int index, bool recorded)
{
    const struct run_result *result = bench_result(app, bench, bench_row(bench, index));
    return bench_record(result) && result->recorded == recorded ? &result->record : NULL;
}

// The first of one machine's rows.
static const struct record *first_record(struct app *app, const struct bench *bench, bool cpu, bool recorded)
{
    const struct record *first = NULL;
    for (int i = 0; i < bench_count(bench) && !first; i++)
        if ((bench_row(bench, i).cpu != NULL) == cpu)
            first = record_from(app, bench, i, recorded);
    return first;
}

// The rows from this one on.
static const char *from_words(struct row row, char *out, size_t size)
{
    if (!row.variant)
        return bench_name(row);
    format_into(out, size, "from %d", row.variant->step);
    return out;
}

void bench_recorded_on(struct app *app, const struct bench *bench, struct text *out)
{
    static const char maker[] = "NVIDIA ";
    const struct record *first = NULL, *before = NULL;
    char from[24];
    for (int i = 0; i < bench_count(bench); i++) {
        const struct record *record = record_from(app, bench, i, true);
        if (!record || !record->device || (before && strcmp(before->device, record->device) == 0))
            continue;
        const char *name = record->device + (string_starts(record->device, maker) ? strlen(maker) : 0);
        if (before)
            text_addf(out, ", %s on %s", from_words(bench_row(bench, i), from, sizeof from), name);
        else
            text_add(out, name);
        first = first ? first : record;
        before = record;
    }
    if (first && first == before) // there is room for its day
        text_addf(out, ", %.10s", first->date ? first->date : "");
}

// Times of two machines in one list: which is which.
static void gpu_words(struct app *app, const struct bench *bench, const struct record *here,
                      const struct record *recorded, struct text *out)
{
    const char *own = json_string_value(json_object_get(json_object_get(runs_machine(app), "gpu"), "name"));
    const char *name = own ? own : here ? here->device : NULL;
    const char *sign = drawn_flat ? "" : app->canvas.utf8 ? "≈ " : "~ ";
    if (name)
        text_add(out, name);
    if (recorded) {
        text_addf(out, "%srecorded on ", name ? "; " : "");
        bench_recorded_on(app, bench, out);
    }
    if (bench->models && recorded && !runs_model_chosen(app))
        text_addf(out, "; %smodelled", sign);
    else if (bench->models || (runs_model_chosen(app) && !name))
        text_addf(out, "%s%smodelled for %s", out->length ? "; " : "", sign, runs_model_name(app));
    if (!out->length && runs_machine(app))
        text_add(out, "none here: the simulator runs the kernels");
}

enum role bench_heading(struct app *app, const struct bench *bench, bool cpu, struct text *out)
{
    const struct record *here = first_record(app, bench, cpu, false);
    const struct record *recorded = first_record(app, bench, cpu, true);
    if (cpu)
        text_add(out, here && here->device ? here->device : "not run yet");
    else
        gpu_words(app, bench, here, recorded, out);
    return recorded ? ROLE_NOTE : ROLE_DIM;
}

static void put_heading(struct app *app, const struct bench *bench, struct area area, int line, bool cpu)
{
    struct text words = { 0 };
    enum role role = bench_heading(app, bench, cpu, &words);
    bool timed = first_record(app, bench, cpu, false) || role == ROLE_NOTE;
    struct widths widths = widths_in(area.cols, bench->models);
    int col = area_put(area, line, 1, cpu ? ROLE_CPU : ROLE_GPU, "%s", cpu ? "CPU" : "GPU") + 2;
    area_cell(area, line, col, role, area.cols - col, "%s", text_string(&words));
    int from = 2 + widths.name + widths.time + widths.bar, bars = 2 + widths.name + widths.time + 1;
    if (widths.bar && col + text_cells(text_string(&words)) < bars - 1)
        area_put(area, line, bars, ROLE_DIM, widths.bar == BAR ? "log scale" : "log");
    if (!cpu && widths.share && timed && col + text_cells(text_string(&words)) < from)
        area_cell(area, line, from, ROLE_DIM, -widths.share, "of max");
    text_free(&words);
}

// Scrolled no further than it takes to see the chosen row, and the heading above it.
static void scroll_rows(struct bench *bench, int rows)
{
    int lines = line_count(bench), chosen = line_of(bench, bench->chosen), last = chosen;
    while (drawn_flat && bench_row_at(bench, last + 1) == bench->chosen)
        last++;
    int most = lines - rows > 0 ? lines - rows : 0;
    bool moved = bench->chosen != bench->kept_row;
    int top = moved ? bench->top : bench->kept_top;
    if (top > chosen - (chosen > 0))
        top = chosen - (chosen > 0);
    if (top < last - rows + 1)
        top = last - rows + 1;
    bench->top = top < most ? top : most;
    if (moved) {
        bench->kept_top = bench->top;
        bench->kept_row = bench->chosen;
    }
}

static void draw_rows(struct app *app, struct bench *bench, struct area area)
{
    int lines = line_count(bench);
    scroll_rows(bench, area.rows);
    bench->rows_area = area;
    if (drawn_flat) {
        sheet_draw(&bench->flat, area, (size_t)bench->top, -1, NULL);
        for (int i = 0; i < area.rows; i++)
            if (bench_row_at(bench, bench->top + i) == bench->chosen)
                area_mark(area, i, 0, area.cols, MARK_SELECTED);
        area_cursor(area, line_of(bench, bench->chosen) - bench->top, 0);
        return;
    }
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

const char *const bench_pane_names[PANES + 1] = {
    "source", "result", "counters", "model", "chart", "roofline"
};

// ---- the source ---------------------------------------------------------------------------------------------

// The newest result that has messages about the source: a failed compile, or findings.
static const struct run_result *with_messages(struct app *app, const struct bench *bench, struct row row)
{
    const struct run_result *results[] = { bench_counted(app, bench, row),
                                           result_on(app, bench, row, false) };
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

// What it says is why, and no answer.
static bool went_wrong(struct app *app, const struct bench *bench, struct row row)
{
    const struct run_result *own = result_on(app, bench, row, false),
                            *simulated = bench_counted(app, bench, row);
    return is_wrong(own) || is_wrong(simulated) || (own && own->error) || (simulated && simulated->error);
}

// The run that was asked for has come back: what it counted says less than that it is wrong.
static void judge_run(struct app *app, struct bench *bench)
{
    struct row row = bench_row(bench, bench->chosen);
    if (bench->judged != bench->chosen || bench_state(app, bench, row) != RUN_NONE)
        return;
    bench->judged = -1;
    if (bench->pane == PANE_COUNTERS &&
        (is_wrong(bench_counted(app, bench, row)) || is_wrong(result_on(app, bench, row, false))))
        bench->pane = PANE_RESULT;
}

static void tell(struct app *app, struct bench *bench)
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

// The first message under a line, with some of the lines above it.
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

// In the place of a kernel's source: what the row is.
static struct sheet row_words(const struct bench *bench, struct row row, int width, bool utf8)
{
    struct sheet sheet = sheet_new(width, utf8);
    char words[200];
    const char *why = row.library ? row.library->why : row.cpu->why;
    sheet_add(&sheet, ROLE_TITLE, " %s", bench_title(row));
    sheet_end(&sheet);
    sheet_paragraph(&sheet, ROLE_TEXT, 1, why && !row.asked ? why : "");
    if (row.library) {
        sheet_gap(&sheet);
        sheet_lines(&sheet, ROLE_TEXT, 3, row.library->call);
        sheet_gap(&sheet);
        format_into(words, sizeof words, "Timed and checked as the kernels are, where %s.",
                    row.library->from == LIBRARY_CUB ? "'make cub' has compiled it" : "cuBLAS is installed");
    } else {
        format_into(words, sizeof words, "Plain C%s: reference/%s.c.",
                    row.cpu->parallel ? " with OpenMP" : "", bench->lab->name);
    }
    sheet_paragraph(&sheet, ROLE_DIM, 1, words);
    return sheet;
}

// Brings the line that matters first into sight, with some of those above it.
static void place(struct app *app, struct bench *bench, const struct listing *listing, int rows)
{
    struct row row = bench_row(bench, bench->chosen);
    int start = listing_start(listing, bench_record(row_simulated(app, bench, row)));
    int line = sheet_line_of_item(&bench->source.sheet, start);
    bench->source.top = line >= rows ? (size_t)(line - rows / 3) : 0;
    bench->placed = bench->chosen;
}

static void draw_source(struct app *app, struct bench *bench, struct area area)
{
    struct row row = bench_row(bench, bench->chosen);
    bool unscrolled = bench->placed != bench->chosen || bench->source.top == bench->placed_top;
    if (!row.variant) {
        reader_show(&bench->source, row_words(bench, row, area.cols, area.canvas->utf8), 0);
    } else {
        const struct variant *base = choose_base(app, &bench->ladder, row.variant);
        const struct run_result *result = with_messages(app, bench, row);
        char fold[60];
        fold_words(app, "bench", fold, sizeof fold);
        struct listing listing = { .text = row.variant->text,
                                   .before = base ? base->text : NULL,
                                   .record = result ? &result->record : NULL,
                                   .numbers = true,
                                   .items = true,
                                   .fold = bench->unfolded && !row.asked ? NULL : fold,
                                   .rows = area.rows,
                                   .shut = row.asked };
        reader_show(&bench->source, listing_sheet(&listing, area.cols, area.canvas->utf8), 0);
        if (unscrolled)
            place(app, bench, &listing, area.rows);
        if (bench->tell) {
            bring_message(&bench->source, area.rows);
            unscrolled = false;
            bench->placed_top = SIZE_MAX;
        }
        bench->tell = false;
    }
    reader_draw(&bench->source, area);
    if (unscrolled)
        bench->placed_top = bench->source.top;
}

// ---- result and counters -------------------------------------------------------------------------------------------------

static struct sheet make_result(struct app *app, const struct bench *bench, int width, bool utf8)
{
    struct row row = bench_row(bench, bench->chosen);
    if (row.asked & ASKED_RESULT && !went_wrong(app, bench, row))
        return asked_sheet(width, utf8);
    const struct run_result *own = result_on(app, bench, row, false),
                            *simulated = row_simulated(app, bench, row);
    const struct run_result *shown = bench_record(own) || !bench_record(simulated) ? own : simulated;
    struct result result = { .chosen = bench_record(shown),
                             .recorded = bench_record(shown) && shown->recorded,
                             .cpu = fastest_cpu(app, bench),
                             .commands = app->known.commands,
                             .utf8 = utf8 };
    if (own && own->error)
        result.error = own->error;
    else if (simulated && simulated->error)
        result.error = simulated->error;
    const struct variant *baseline = baseline_in(app, &bench->ladder),
                         *before = row.variant ? choose_base(app, &bench->ladder, row.variant) : NULL;
    if (before && before != row.variant) {
        struct row base = bench_kernel(bench, before);
        const struct run_result *earlier = bench_result(app, bench, base);
        if (shown && earlier && earlier->recorded == shown->recorded && !(base.asked & ASKED_RESULT))
            result.before = bench_record(earlier);
        result.baseline = baseline ? baseline->name : NULL;
    }
    struct sheet sheet = result_sheet(&result, width, utf8);
    if (bench_record(simulated) && shown != simulated && !bench->both) {
        struct sheet counters = counters_sheet(&simulated->record, width, utf8);
        sheet_gap(&sheet);
        typeset_paste(&sheet, &counters, "", false);
        sheet_free(&counters);
    }
    return sheet;
}

static struct compared compared_of(struct app *app, const struct bench *bench, const struct variant *variant)
{
    struct row row = bench_kernel(bench, variant);
    const struct run_result *timed = bench_result(app, bench, row);
    return (struct compared){ .name = variant->name,
                              .timed = bench_shows_time(timed) && !(row.asked & ASKED_RESULT) ? &timed->record
                                                                                              : NULL,
                              .recorded = timed && timed->recorded,
                              .counted = bench_record(row_simulated(app, bench, row)) };
}

static struct sheet make_counters(struct app *app, const struct bench *bench, int width, bool utf8)
{
    struct row row = bench_row(bench, bench->chosen);
    if (row.asked & ASKED_COUNTERS && !went_wrong(app, bench, row))
        return asked_sheet(width, utf8);
    const struct run_result *simulated = bench_counted(app, bench, row);
    struct sheet sheet = sheet_new(width, utf8);
    if (!row.variant) {
        sheet_paragraph(&sheet, ROLE_DIM, 1,
                        row.cpu ? "Counters belong to kernels; this row runs on the CPU."
                                : "The simulator counts kernels whose code it has; this row is a library's.");
    } else if (simulated && simulated->error) {
        message_add(&sheet, ROLE_BAD, simulated->error, app->known.commands);
    } else {
        const struct variant *baseline = baseline_in(app, &bench->ladder);
        bool compares =
            baseline && row.variant && baseline != row.variant && !bench_kernel(bench, baseline).asked;
        if (is_wrong(simulated))
            sheet_paragraph(&sheet, ROLE_BAD, 1, "The answer is wrong: the view result says where.");
        if (compares) {
            struct compared base = compared_of(app, bench, baseline),
                            now = compared_of(app, bench, row.variant);
            struct sheet comparison = comparison_sheet(&base, &now, width, utf8);
            typeset_paste(&sheet, &comparison, "", false);
            sheet_free(&comparison);
        }
        if (!compares || bench_record(simulated)) {
            struct sheet counters = counters_sheet(bench_record(simulated), width, utf8);
            if (compares)
                sheet_gap(&sheet);
            typeset_paste(&sheet, &counters, "", false);
            sheet_free(&counters);
        }
        if (simulated && simulated->record.printed)
            sheet_paragraph(&sheet, ROLE_DIM, 1, "The kernel printed something: the view result shows it.");
    }
    return sheet;
}

static struct sheet make_pane(struct app *app, const struct bench *bench, enum bench_pane pane, int width,
                              bool utf8)
{
    return pane == PANE_RESULT  ? make_result(app, bench, width, utf8)
           : pane == PANE_MODEL ? bench_model_sheet(app, bench, width, utf8)
                                : make_counters(app, bench, width, utf8);
}

static void draw_result(struct app *app, const struct bench *bench, struct reader *reader, struct area area,
                        enum bench_pane pane)
{
    bool utf8 = area.canvas->utf8;
    reader_show(reader, make_pane(app, bench, pane, area.cols, utf8), 0);
    reader_draw(reader, area);
}

static void draw_pane(struct app *app, struct bench *bench, struct area area, enum bench_pane pane)
{
    bool utf8 = area.canvas->utf8;
    if (*bench->broken.text && pane == PANE_SOURCE) {
        struct sheet sheet = sheet_new(area.cols, utf8);
        sheet_lines(&sheet, ROLE_BAD, 1, bench->broken.text);
        char edit[24], reset[24], words[160];
        keys_name(&app->keys, "bench", "edit", edit, sizeof edit);
        keys_name(&app->keys, "bench", "reset", reset, sizeof reset);
        format_into(words, sizeof words,
                    "Until that is fixed, the ladder shows the shipped kernel: %s edits, %s resets.", edit,
                    reset);
        sheet_paragraph(&sheet, ROLE_DIM, 1, words);
        reader_show(&bench->source, sheet, 0);
        reader_draw(&bench->source, area);
    } else if (pane == PANE_SOURCE) {
        draw_source(app, bench, area);
    } else if (pane == PANE_CHART) {
        bench_pictures.chart(app, bench, area);
    } else if (pane == PANE_ROOFLINE) {
        bench_pictures.roofline(app, bench, area);
    } else {
        draw_result(app, bench, &bench->panel, area, pane);
    }
}

// ---- layouts, narrow and wide -------------------------------------------------------------------------------

enum {
    WIDE = 116,        // columns in which the source is beside the ladder
    WIDEST = 192,      // and the numbers beside the source
    BOTH = 36,         // rows in which both tables of numbers have room
    NUMBERS_ROWS = 15, // that one of them has before a chart gets any
    CHART_LEAST = 8,
    ROOFLINE_ROWS = 10,
    CHART_AXIS = 4 // rows of a chart besides those of the ladder
};

// Below: what goes on under the shown view; NULL: nothing.
static void draw_tabs(struct bench *bench, struct area line, enum bench_pane shown, enum bench_pane first,
                      const struct reader *below)
{
    area_line(line, 0, ROLE_FRAME);
    bench->tabs = tabs_draw(line, bench_pane_names, (int)first, PANES - 1, (int)shown);
    if (below)
        tabs_more(line, bench->tabs.cells, reader_more(below));
    else if (shown == PANE_CHART)
        tabs_more(line, bench->tabs.cells, bench->chart_more);
}

// A part that is always in sight; the one that scrolls is in brackets.
static void draw_head(struct area line, const char *name, bool chosen, const struct reader *below)
{
    area_line(line, 0, ROLE_FRAME);
    int col = area_put(line, 0, 1, chosen ? ROLE_TITLE : ROLE_DIM, chosen ? "[%s]" : " %s ", name);
    if (below)
        tabs_more(line, col, reader_more(below));
}

// The reader that has this view's lines; NULL: it is a picture.
static const struct reader *reader_of(const struct bench *bench, enum bench_pane pane)
{
    return pane == PANE_SOURCE ? &bench->source : pane < PANE_CHART ? &bench->panel : NULL;
}

// The ladder gets what it needs, but leaves the pane at least half.
static int ladder_rows(const struct bench *bench, int rows, int most_percent)
{
    int wants = line_count(bench), most = rows * most_percent / 100;
    return wants < most ? wants : most > 3 ? most : 3;
}

static void draw_narrow(struct app *app, struct bench *bench, struct area area)
{
    struct rect rest = { 0, 0, area.rows, area.cols };
    struct area rows = area_rect(area, rect_top(&rest, ladder_rows(bench, area.rows, 45), 0));
    struct area tabs = area_rect(area, rect_top(&rest, 1, 0));
    draw_pane(app, bench, area_rect(area, rest), bench->pane);
    draw_tabs(bench, tabs, bench->pane, PANE_SOURCE, reader_of(bench, bench->pane));
    draw_rows(app, bench, rows); // last: the cursor is parked on the chosen row
}

// The ladder keeps room for bars; what is left beyond is the source's.
static int left_cols(int cols)
{
    int share = cols * 45 / 100 + 10;
    return share > 84 ? 84 : share > 72 ? share : 72;
}

// What a table of numbers has to have, so that a chart may have the rest.
static int numbers_rows(struct app *app, const struct bench *bench, int cols, enum bench_pane pane)
{
    struct sheet sheet =
        pane == PANE_RESULT ? make_result(app, bench, cols, false) : make_counters(app, bench, cols, false);
    int rows = sheet.line_count < NUMBERS_ROWS ? (int)sheet.line_count : NUMBERS_ROWS;
    sheet_free(&sheet);
    return rows;
}

// Another picture of the ladder, where the shown view leaves room.
static void draw_below(struct app *app, struct bench *bench, struct area area, enum bench_pane pane)
{
    area_line(area, 0, ROLE_FRAME);
    area_put(area, 0, 1, ROLE_DIM, " %s ", bench_pane_names[pane]);
    draw_pane(app, bench, area_part(area, 1, 0, area.rows - 1, area.cols), pane);
}

static void draw_wide(struct app *app, struct bench *bench, struct area area)
{
    struct rect rest = { 0, 0, area.rows, area.cols };
    struct rect left = rect_left(&rest, left_cols(area.cols), 2);
    struct area rows = area_rect(area, rect_top(&left, ladder_rows(bench, area.rows, 55), 0));
    struct area tabs = area_rect(area, rect_top(&left, 1, 0));
    enum bench_pane pane = bench->pane == PANE_SOURCE ? PANE_RESULT : bench->pane;
    bool numbers = pane == PANE_RESULT || pane == PANE_COUNTERS;
    bench->both = numbers && left.rows >= BOTH;
    if (bench->both) { // what was measured and what was simulated, in sight together
        enum bench_pane other = pane == PANE_RESULT ? PANE_COUNTERS : PANE_RESULT;
        struct area below = area_rect(area, rect_bottom(&left, BOTH / 2, 0));
        area_line(below, 0, ROLE_FRAME);
        area_put(below, 0, 1, ROLE_DIM, " %s ", bench_pane_names[other]);
        draw_result(app, bench, &bench->other, area_part(below, 1, 0, below.rows - 1, below.cols), other);
    }
    int chart = bench_count(bench) + CHART_AXIS;
    int spare = numbers && !bench->both ? left.rows - numbers_rows(app, bench, left.cols, pane) - 1 : 0;
    if (spare >= CHART_LEAST)
        draw_below(app, bench, area_rect(area, rect_bottom(&left, (spare < chart ? spare : chart) + 1, 0)),
                   PANE_CHART);
    else if (pane == PANE_CHART && left.rows > chart + ROOFLINE_ROWS)
        draw_below(app, bench, area_rect(area, rect_bottom(&left, left.rows - chart, 0)), PANE_ROOFLINE);
    else if (pane == PANE_ROOFLINE && left.rows > chart + ROOFLINE_ROWS)
        draw_below(app, bench, area_rect(area, rect_bottom(&left, chart + 1, 0)), PANE_CHART);
    draw_pane(app, bench, area_rect(area, left), pane);
    draw_pane(app, bench, area_rect(area, rest), PANE_SOURCE);
    draw_tabs(bench, tabs, pane, PANE_RESULT, reader_of(bench, pane));
    draw_rows(app, bench, rows);
}

// Draws result or counters; the chosen one scrolls.
static void draw_numbers(struct app *app, struct bench *bench, struct area area, enum bench_pane pane)
{
    struct rect rest = { 0, 0, area.rows, area.cols };
    struct area line = area_rect(area, rect_top(&rest, 1, 0)), body = area_rect(area, rest);
    bool chosen = bench->pane == pane,
         main = chosen || (pane == PANE_RESULT && bench->pane != PANE_COUNTERS && bench->pane != PANE_MODEL);
    struct reader *reader = main ? &bench->panel : &bench->other;
    draw_result(app, bench, reader, body, pane);
    draw_head(line, bench_pane_names[pane], chosen, reader);
}

// The ladder as a picture; both of them where they have room.
static void draw_pictures(struct app *app, struct bench *bench, struct area area)
{
    enum { ROOFLINE_LEAST = 14, ROOFLINE_MOST = 26 };
    struct rect rest = { 0, 0, area.rows, area.cols };
    struct area tabs = area_rect(area, rect_top(&rest, 1, 0));
    if (bench->pane >= PANE_CHART)
        bench->picture = bench->pane;
    int chart = bench_count(bench) + CHART_AXIS;
    if (rest.rows < chart + 1 + ROOFLINE_LEAST) {
        enum bench_pane picture = bench->picture ? bench->picture : PANE_CHART;
        draw_pane(app, bench, area_rect(area, rest), picture);
        draw_tabs(bench, tabs, picture, PANE_CHART, NULL);
        return;
    }
    draw_pane(app, bench, area_rect(area, rect_top(&rest, chart, 0)), PANE_CHART);
    struct area head = area_rect(area, rect_top(&rest, 1, 0));
    draw_pane(app, bench, area_rect(area, rect_top(&rest, ROOFLINE_MOST, 0)), PANE_ROOFLINE);
    draw_head(tabs, bench_pane_names[PANE_CHART], bench->pane == PANE_CHART, NULL);
    draw_head(head, bench_pane_names[PANE_ROOFLINE], bench->pane == PANE_ROOFLINE, NULL);
}

// The widest layout shows all views at once: the ladder over pictures of it, the source, and all numbers.
static void draw_widest(struct app *app, struct bench *bench, struct area area)
{
    struct rect rest = { 0, 0, area.rows, area.cols };
    struct rect left = rect_left(&rest, area.cols >= 228 ? 84 : area.cols >= 212 ? 72 : 68, 2);
    struct rect right = rect_right(&rest, area.cols >= 228 ? 66 : 60, 2);
    struct area rows = area_rect(area, rect_top(&left, ladder_rows(bench, area.rows, 55), 0));
    struct area upper = area_rect(area, rect_top(&right, area.rows / 2, 0));
    struct area head = area_rect(area, rect_top(&rest, 1, 0));
    bench->both = true;
    draw_pictures(app, bench, area_rect(area, left));
    draw_pane(app, bench, area_rect(area, rest), PANE_SOURCE);
    draw_numbers(app, bench, upper, PANE_RESULT);
    draw_numbers(app, bench, area_rect(area, right), bench->pane == PANE_MODEL ? PANE_MODEL : PANE_COUNTERS);
    draw_head(head, bench_pane_names[PANE_SOURCE], bench->pane == PANE_SOURCE, &bench->source);
    draw_rows(app, bench, rows);
}

// Finds out what an open prediction of the lesson folds.
static void ask(struct page *page)
{
    struct bench *bench = page->state;
    free(bench->asked);
    bench->asked = NULL;
    if (!asked_about(page, bench->lab->name))
        return;
    bench->asked = mem_new((size_t)bench_count(bench) * sizeof *bench->asked);
    for (int i = 0; i < bench_count(bench); i++) {
        char *place = text_format("%s/%s", bench->lab->name, bench_name(bench_row(bench, i)));
        bench->asked[i] = asked_about(page, place);
        free(place);
    }
}

void bench_draw(struct page *page, struct area area)
{
    struct bench *bench = page->state;
    ask(page);
    tell(page->app, bench);
    bench->both = false;
    bench_find_models(page->app, bench);
    bench->tabs = (struct tabs){ 0 };
    if (bench->asked)
        area = asked_line(page, area, " for the chosen row");
    if (drawn_flat) {
        sheet_free(&bench->flat);
        bench->flat = bench_flat(page->app, bench, area.cols);
    }
    if (area.cols >= WIDEST && area.rows >= BOTH)
        draw_widest(page->app, bench, area);
    else if (area.cols >= WIDE)
        draw_wide(page->app, bench, area);
    else
        draw_narrow(page->app, bench, area);
}
