// bench: step through the ladder of a lab, run it live, and see why one step is faster than the other.
#include "tui/view/bench.h"
#include "engine/run/modelled.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- rows of the ladder ---------------------------------------------------------------------------------------

struct row bench_row(const struct bench *bench, int index)
{
    int cpus = (int)bench->lab->cpu_count, kernels = (int)bench->ladder.count;
    struct row row = { .asked = bench->asked ? bench->asked[index] : 0 };
    if (index < cpus)
        row.cpu = &bench->lab->cpu[index];
    else if (index < cpus + kernels)
        row.variant = &bench->ladder.variants[index - cpus];
    else
        row.library = bench->lab->library;
    return row;
}

// What a row without a kernel is.
static const char *code_of(struct row row)
{
    return row.library ? "a call of NVIDIA's library" : "CPU code of warpbook's own";
}

static char *place_of(const struct bench *bench, int index)
{
    return text_format("%s/%s", bench->lab->name, bench_name(bench_row(bench, index)));
}

struct request bench_request(struct app *app, const struct bench *bench, struct row row, bool simulate)
{
    enum backend on = row.cpu ? ON_CPU : simulate ? ON_SIM : ON_GPU;
    struct request request =
        request_new(on, bench->lab->name, row.variant, row.cpu, bench->preset, bench->data);
    if (row.library) {
        free(request.variant);
        request.variant = mem_copy(row.library->name);
    }
    return request;
}

struct request bench_model_request(const struct bench *bench, struct row row)
{
    const char *preset = bench->preset ? bench->preset : bench->lab->presets[1].name;
    struct request request = request_new(ON_SIM, bench->lab->name, row.variant, NULL, preset, bench->data);
    if (!bench->preset)
        request.check = REQUEST_CHECK_COUNTERS;
    request.what_if = bench->gains != GAINS_NONE;
    return request;
}

// ---- searching ----------------------------------------------------------------------------------------------

// The reader of the view that scrolls.
static struct reader *bench_reader(struct bench *bench)
{
    return bench->pane == PANE_SOURCE ? &bench->source : &bench->panel;
}

static bool row_holds(const struct bench *bench, int index)
{
    struct row row = bench_row(bench, index);
    return strcasestr(bench_title(row), bench->found) || strcasestr(bench_name(row), bench->found);
}

// The nearest row after (by 1) or before (by -1) `from` that holds it, up to the end; -1: none.
static int row_from(const struct bench *bench, int from, int by)
{
    for (int index = from + by; index >= 0 && index < bench_count(bench); index += by)
        if (row_holds(bench, index))
            return index;
    return -1;
}

static int to_row(struct bench *bench, int index)
{
    if (index != bench->chosen)
        bench->source.top = bench->panel.top = 0;
    bench->chosen = index;
    bench->found_in = NULL;
    return DONE;
}

// The first text in sight that holds it; the one that scrolls comes first. NULL: none.
static struct reader *text_in_sight(struct page *page)
{
    struct bench *bench = page->state;
    struct reader *readers[] = { bench_reader(bench), &bench->source, &bench->panel, &bench->other };
    bool picture = bench->pane >= PANE_CHART;
    for (int i = picture; i < 4; i++)
        if (readers[i]->rows > 0 && reader_holds(readers[i], bench->found))
            return readers[i];
    return NULL;
}

static int to_text(struct page *page, struct reader *reader)
{
    struct bench *bench = page->state;
    struct words words = { { (char *)"search", bench->found }, 2 };
    bench->found_in = reader;
    return reader_act(reader, page->app, ACT_SEARCH, &words);
}

static int search_fresh(struct page *page, const struct words *words)
{
    struct bench *bench = page->state;
    struct text text = { 0 };
    if (!words || words->count < 2)
        return DONE_NOT;
    words_add(words, 1, &text);
    free(bench->found);
    bench->found = text_take(&text);
    int row = row_from(bench, bench->chosen, 1);
    if (row < 0)
        row = row_from(bench, -1, 1);
    struct reader *reader = row < 0 ? text_in_sight(page) : NULL;
    if (row >= 0)
        return to_row(bench, row);
    if (reader)
        return to_text(page, reader);
    app_say(page->app, ROLE_NOTE, "'%s' is not on this page.", bench->found);
    return DONE_FAILED;
}

// After the last row a search goes on in the texts, and from their end around within them.
static int search_again(struct page *page, enum act act)
{
    struct bench *bench = page->state;
    int by = act == ACT_SEARCH_NEXT ? 1 : -1;
    if (!bench->found)
        return reader_act(bench_reader(bench), page->app, act, NULL);
    if (bench->found_in)
        return reader_act(bench->found_in, page->app, act, NULL);
    int row = row_from(bench, bench->chosen, by);
    struct reader *reader = row < 0 ? text_in_sight(page) : NULL;
    if (reader)
        return to_text(page, reader);
    if (row < 0)
        row = row_from(bench, by > 0 ? -1 : bench_count(bench), by);
    return row < 0 ? DONE_FAILED : to_row(bench, row);
}

static int search(struct page *page, enum act act, const struct words *words)
{
    return act == ACT_SEARCH ? search_fresh(page, words) : search_again(page, act);
}

// ---- opening -----------------------------------------------------------------------------------------------------

// Reads the ladder anew and keeps the row. A copy that cannot be read leaves what ships in its place.
static bool read_ladder(struct bench *bench, struct error *error)
{
    struct ladder ladder;
    *bench->broken.text = 0;
    if (!ladder_read(bench->lab->name, &ladder, &bench->broken) &&
        !ladder_read_shipped(bench->lab->name, &ladder, error))
        return false;
    ladder_free(&bench->ladder);
    free(bench->asked); // of other rows
    bench->asked = NULL;
    bench->ladder = ladder;
    if (bench->chosen >= bench_count(bench))
        bench->chosen = bench_count(bench) - 1;
    return true;
}

static bool choose(struct bench *bench, const char *name, struct error *error)
{
    const struct variant *variant = ladder_find(&bench->ladder, name);
    if (variant)
        bench->chosen = (int)(bench->lab->cpu_count + (size_t)(variant - bench->ladder.variants));
    if (bench->lab->library && strcmp(bench->lab->library->name, name) == 0) {
        bench->chosen = bench_count(bench) - 1;
        return true;
    }
    for (size_t i = 0; !variant && i < bench->lab->cpu_count; i++)
        if (strcmp(bench->lab->cpu[i].name, name) == 0) {
            bench->chosen = (int)i;
            return true;
        }
    return variant ||
           error_set(error, EXIT_USAGE, "The lab %s has no step '%s'. 'warpbook list %s' names them.",
                     bench->lab->name, name, bench->lab->name);
}

// The first line of why a copy cannot be read, without its folder; the source pane says it all.
static void say_broken(struct app *app, const struct bench *bench)
{
    const char *text = bench->broken.text, *name = text;
    for (const char *c = text; *c && *c != ':' && *c != '\n'; c++)
        if (*c == '/')
            name = c + 1;
    app_say(app, ROLE_BAD, "%.*s", (int)strcspn(name, "\n"), name);
}

static bool open_bench(struct page *page, const struct words *words, struct error *error)
{
    struct bench *bench = page->state;
    const char *what = words->count > 1 ? words->word[1] : lab_list[0]->name;
    const char *slash = strchr(what, '/');
    char name[64];
    format_into(name, sizeof name, "%.*s", slash ? (int)(slash - what) : (int)strlen(what), what);
    bench->judged = bench->placed = -1;
    bench->source.selected = bench->panel.selected = bench->other.selected = -1;
    if (string_ends(what, ".cu") || string_ends(what, ".ptx"))
        return error_set(error, EXIT_USAGE, "%.200s is a file by itself; it belongs to no ladder.", what);
    if (!target_lab(name, &bench->lab, error) || !read_ladder(bench, error))
        return false;
    bench->chosen = (int)bench->lab->cpu_count;
    if (bench->chosen >= bench_count(bench))
        bench->chosen = 0;
    if (slash && !choose(bench, slash + 1, error)) {
        ladder_free(&bench->ladder);
        return false;
    }
    if (*bench->broken.text)
        say_broken(page->app, bench);
    return true;
}

static void title_bench(struct page *page, struct text *out)
{
    const struct bench *bench = page->state;
    text_add(out, bench->lab->name);
    const char *own = bench->lab->presets[1].name; // a GPU's and a CPU's; the simulator's is small
    text_addf(out, ", %s", bench->preset ? bench->preset : own);
    if (bench->preset && strcmp(bench->preset, own) == 0)
        text_add(out, ", also simulated");
    if (bench->lab->data[0] && bench->lab->data[1])
        text_addf(out, ", %s", bench->data ? bench->data : bench->lab->data[0]);
    if (runs_model_chosen(page->app))
        text_addf(out, ", for %s", runs_model_name(page->app));
    if (bench->watch.path)
        text_add(out, ", watching");
}

static void close_bench(struct page *page)
{
    struct bench *bench = page->state;
    ladder_free(&bench->ladder);
    free(bench->asked);
    reader_free(&bench->source);
    reader_free(&bench->panel);
    reader_free(&bench->other);
    sheet_free(&bench->flat);
    free(bench->found);
    watch_end(&bench->watch);
}

// ---- running -------------------------------------------------------------------------------------------------------------

static void start(struct page *page, struct row row, bool simulate)
{
    struct request request = bench_request(page->app, page->state, row, simulate);
    if (runs_state(page->app, &request) == RUN_NONE)
        runs_start(page->app, &request);
    else
        request_free(&request);
}

static int reload(struct page *page);

// Simulates the baseline for its counters, unless that was done already.
static void count_baseline(struct page *page, struct row row)
{
    struct request request = bench_request(page->app, page->state, row, true);
    bool counted = runs_find(page->app, &request, row.variant) != NULL;
    request_free(&request);
    if (!counted)
        start(page, row, true);
}

// Where the title's size is the one that counters are taken of, their run gives the time too.
static bool start_model(struct page *page, struct row row)
{
    struct bench *bench = page->state;
    struct request request = bench_model_request(bench, row);
    bool starts = runs_state(page->app, &request) == RUN_NONE || request.what_if;
    if (starts)
        runs_start(page->app, &request);
    else
        request_free(&request);
    return starts;
}

// Without a time of its own a kernel gets a modelled one.
static bool wants_model(struct page *page, struct row row)
{
    const struct bench *bench = page->state;
    return row.variant && !bench_has_time(page->app, bench, row);
}

static int run_chosen(struct page *page, bool simulate)
{
    struct bench *bench = page->state;
    struct row row = bench_row(bench, bench->chosen);
    if (!row.variant && simulate)
        return app_refuse(page->app, "The simulator runs kernels; this row is %s: r.", code_of(row));
    if (row.variant && row.variant->own && !file_exists(row.variant->path)) {
        app_say(page->app, ROLE_BAD, "Your copy %s is gone: the shipped kernel is back.", row.variant->path);
        reload(page);
        return DONE_FAILED;
    }
    bool no_gpu = runs_machine(page->app) && !runs_gpu(page->app);
    if (row.library && no_gpu)
        return app_refuse(page->app, "NVIDIA's library runs on a GPU alone, and there is none here.");
    simulate |= row.variant && no_gpu;
    start(page, row, simulate);
    if (simulate && (wants_model(page, row) || bench->pane == PANE_MODEL))
        start_model(page, row);
    const struct variant *baseline = baseline_in(page->app, &bench->ladder);
    if (simulate && baseline && baseline != row.variant)
        count_baseline(page, bench_kernel(bench, baseline));
    if (bench->pane == PANE_SOURCE)
        bench->pane = simulate ? PANE_COUNTERS : PANE_RESULT;
    bench->judged = bench->chosen;
    return DONE;
}

static int run_all(struct page *page)
{
    struct bench *bench = page->state;
    bool simulate = runs_machine(page->app) && !runs_gpu(page->app);
    for (int i = 0; i < bench_count(bench); i++) {
        struct row row = bench_row(bench, i);
        if (!simulate || !row.library)
            start(page, row, simulate && !row.cpu);
    }
    int models = 0;
    for (int i = 0; simulate && i < bench_count(bench); i++)
        if (wants_model(page, bench_row(bench, i)))
            models += start_model(page, bench_row(bench, i));
    if (models && !bench->preset)
        app_say(page->app, ROLE_TEXT, "%d time%s modelled at the size %s, which takes the simulator longer.",
                models, models == 1 ? " is" : "s are", bench->lab->presets[1].name);
    return DONE;
}

// ---- what one sets ------------------------------------------------------------------------------------------------------------

static int set_pane(struct page *page, int by, const struct words *words)
{
    struct bench *bench = page->state;
    int pane = ((int)bench->pane + by + PANES) % PANES;
    if (words->count > 1)
        pane = choose_name(page->app, "view", bench_pane_names, PANES, words->word[1]);
    if (pane < 0)
        return DONE_FAILED;
    if (pane != (int)bench->pane)
        bench->panel.top = 0;
    bench->pane = (enum bench_pane)pane;
    return DONE;
}

static int set_gpu(struct page *page, const struct words *words)
{
    struct error error;
    bool named = words->count > 1;
    if (!(named ? runs_model_on(page->app, words->word[1], &error) : runs_model_next(page->app, &error)))
        return app_refuse(page->app, "%s", error.text);
    const char *name = runs_model_name(page->app);
    char key[24];
    keys_name(&page->app->keys, "bench", "run-all", key, sizeof key);
    app_say(page->app, ROLE_TEXT, "Times are modelled for %s: %s fills the ladder.",
            name ? name : "the GPU here", *key ? key : ":run-all");
    return DONE;
}

// Computed anew unless it is there.
static int show_gains(struct page *page, enum bench_gains gains)
{
    struct bench *bench = page->state;
    struct row row = bench_row(bench, bench->chosen);
    if (!row.variant)
        return app_refuse(page->app, "Times are modelled for kernels; this row is %s.", code_of(row));
    bench->gains = gains;
    bench->pane = PANE_MODEL;
    bench->panel.top = 0;
    const struct record *record = bench_record(bench_model_result(page->app, bench, row));
    if (!record || record->modelled_count != 1 || (!record->modelled->gains && !record->modelled->why))
        start_model(page, row);
    return DONE;
}

static int move(struct bench *bench, enum act act)
{
    struct list list = { .selected = bench->chosen };
    list_fit(&list, bench_count(bench), bench_count(bench));
    int done = list_act(&list, act);
    if (list.selected != bench->chosen)
        bench->source.top = bench->panel.top = 0;
    bench->chosen = list.selected;
    return done;
}

static int show_opening(struct page *page)
{
    struct bench *bench = page->state;
    struct row row = bench_row(bench, bench->chosen);
    bench->placed_top = SIZE_MAX; // the first line is what one wants to see
    return row.variant ? turn_opening(page, &bench->unfolded, &bench->source, row.variant->text)
                       : app_refuse(page->app, "This row is %s; only kernels have an opening.", code_of(row));
}

// What a prediction asks of the chosen row, or of all, and else the opening of its source.
static int unfold(struct page *page, const struct words *words)
{
    const struct bench *bench = page->state;
    bool all = words->count > 1 && strcmp(words->word[1], FOLD_ALL) == 0;
    char *place = all ? mem_copy(bench->lab->name) : place_of(bench, bench->chosen);
    int shown = asked_show(page, place);
    free(place);
    return shown == DONE_NOT ? show_opening(page) : shown;
}

// The rows of the CPU and of the library are passed over.
static int to_kernel(struct page *page, int by)
{
    struct bench *bench = page->state;
    int first = (int)bench->lab->cpu_count, next = bench->chosen + by;
    if (by > 0 && next < first)
        next = first;
    if (next >= first && next < first + (int)bench->ladder.count)
        return to_row(bench, next);
    app_say(page->app, ROLE_NOTE, "There is no kernel %s this row.", by > 0 ? "after" : "before");
    return DONE_FAILED;
}

// ---- one's own copy -----------------------------------------------------------------------------------------

static const struct variant *chosen_kernel(struct page *page)
{
    const struct bench *bench = page->state;
    struct row row = bench_row(bench, bench->chosen);
    if (!row.variant)
        app_say(page->app, ROLE_BAD, "This row is %s; kernels can be changed.", code_of(row));
    return row.variant;
}

static int reload(struct page *page)
{
    struct error error;
    struct bench *bench = page->state;
    if (!read_ladder(bench, &error))
        return app_refuse(page->app, "%s", error.text);
    if (!*bench->broken.text)
        return DONE;
    bench->pane = PANE_SOURCE;
    say_broken(page->app, bench);
    return DONE_FAILED;
}

static int edit(struct page *page)
{
    const struct variant *variant = chosen_kernel(page);
    int changed = variant ? own_change(page->app, variant, 1) : DONE_FAILED;
    if (changed == DONE_FAILED || reload(page) != DONE)
        return DONE_FAILED;
    return changed == DONE ? run_chosen(page, false) : DONE;
}

static int watch(struct page *page)
{
    struct bench *bench = page->state;
    const struct variant *variant = bench->watch.path ? NULL : chosen_kernel(page);
    if (!variant && !bench->watch.path)
        return DONE_FAILED;
    return watch_variant(&bench->watch, page->app, variant) ? reload(page) : DONE_FAILED;
}

static int reset(struct page *page)
{
    const struct variant *variant = chosen_kernel(page);
    return variant && own_restore(page->app, variant) ? reload(page) : DONE_FAILED;
}

static int tick_ms_bench(const struct page *page)
{
    return watch_tick_ms(&((const struct bench *)page->state)->watch);
}

static void tick_bench(struct page *page)
{
    struct watch *watch = &((struct bench *)page->state)->watch;
    if (watch_saw(watch)) {
        *page->app->message = 0; // of a save before
        if (reload(page) == DONE)
            run_chosen(page, false);
    } else if (watch_lost(watch, page->app)) {
        reload(page);
    }
}

// ---- acting ---------------------------------------------------------------------------------------------------------------------

static void about_bench(struct page *page, struct text *out)
{
    const struct bench *bench = page->state;
    struct row row = bench_row(bench, bench->chosen);
    text_addf(out, "%s/%s", bench->lab->name, bench_name(row));
}

static int make_baseline(struct page *page)
{
    const struct bench *bench = page->state;
    struct row row = bench_row(bench, bench->chosen);
    if (!row.variant)
        return app_refuse(page->app, "This row is %s; a kernel can be the baseline.", code_of(row));
    char *what = place_of(bench, bench->chosen);
    choose_baseline(page->app, what);
    free(what);
    return DONE;
}

static int open_other(struct page *page, const char *what)
{
    struct text about = { 0 };
    if (!chosen_kernel(page))
        return DONE_FAILED;
    about_bench(page, &about);
    int done = app_open_on(page->app, what, text_string(&about));
    text_free(&about);
    return done;
}

static int export_chosen(struct page *page)
{
    const struct bench *bench = page->state;
    const struct variant *variant = chosen_kernel(page);
    return variant ? own_export(page->app, variant, bench->preset, bench->data) : DONE_FAILED;
}

static int act_bench(struct page *page, enum act act, const struct words *words)
{
    struct bench *bench = page->state;
    switch (act) {
    case ACT_UP:
    case ACT_DOWN:
    case ACT_TOP:
    case ACT_BOTTOM:
        return move(bench, act);
    case ACT_RUN:
        return run_chosen(page, false);
    case ACT_SIM:
        return run_chosen(page, true);
    case ACT_RUN_ALL:
        return run_all(page);
    case ACT_SIZE:
        return choose_preset(page->app, bench->lab, &bench->preset, words);
    case ACT_DATA:
        return choose_data(page->app, bench->lab, &bench->data, words);
    case ACT_PANE:
    case ACT_RIGHT:
    case ACT_NEXT:
        return set_pane(page, 1, words);
    case ACT_LEFT:
    case ACT_PREVIOUS:
        return set_pane(page, -1, words);
    case ACT_GPU:
        return set_gpu(page, words);
    case ACT_WHAT_IF:
        return show_gains(page, GAINS_WHAT_IF);
    case ACT_WHY:
        return show_gains(page, GAINS_WHY);
    case ACT_BASELINE:
        return make_baseline(page);
    case ACT_UNFOLD:
        return unfold(page, words);
    case ACT_VARIANT_NEXT:
        return to_kernel(page, 1);
    case ACT_VARIANT_PREVIOUS:
        return to_kernel(page, -1);
    case ACT_ENTER:
    case ACT_SOURCE:
        return open_other(page, "source");
    case ACT_STEP_PAGE:
        return open_other(page, "step");
    case ACT_EDIT:
        return edit(page);
    case ACT_WATCH:
        return watch(page);
    case ACT_RESET:
        return reset(page);
    case ACT_EXPORT:
        return export_chosen(page);
    case ACT_SEARCH:
    case ACT_SEARCH_NEXT:
    case ACT_SEARCH_PREVIOUS:
        return search(page, act, words);
    case ACT_SEARCH_BEGIN:
        return DONE_NOT;
    default:
        return reader_act(bench_reader(bench), page->app, act, words);
    }
}

static bool click_bench(struct page *page, int row, int col)
{
    struct bench *bench = page->state;
    int top = bench->rows_area.row - page->area.row;
    int index = row >= top && row < top + bench->rows_area.rows && col < bench->rows_area.cols
                    ? bench_row_at(bench, bench->top + row - top)
                    : -1;
    int pane = tabs_at(&bench->tabs, row + page->area.row, col + page->area.col);
    if (pane >= 0)
        bench->pane = (enum bench_pane)pane;
    if (index < 0)
        return pane >= 0;
    if (index == bench->chosen)
        run_chosen(page, false);
    bench->chosen = index;
    return true;
}

// The first term in the reason for the row, in its title, or in its source.
static void word_bench(struct page *page, struct text *out)
{
    const struct bench *bench = page->state;
    struct row row = bench_row(bench, bench->chosen);
    struct text lines = { 0 };
    if (row.cpu)
        text_addf(&lines, "%s\n%s\n", row.cpu->why ? row.cpu->why : "", row.cpu->title);
    if (row.library)
        text_addf(&lines, "%s\n%s\n", row.library->title, row.library->why);
    if (row.variant)
        text_addf(&lines, "%s\n%s\n%s", row.variant->why ? row.variant->why : "", row.variant->title,
                  row.variant->text);
    const struct term *term = NULL;
    size_t count = 0;
    for (const char *c = text_string(&lines); *c; c++)
        count += *c == '\n';
    for (size_t line = 0; line <= count && !term; line++)
        term = listing_term(app_glossary(page->app), text_string(&lines), line);
    text_add(out, term ? term->name : "");
    text_free(&lines);
}

// The row with its numbers, and the table of the view.
static void copy_bench(struct page *page, int lines, struct text *out)
{
    struct bench *bench = page->state;
    struct row row = bench_row(bench, bench->chosen);
    const struct run_result *result = bench_result(page->app, bench, row);
    const struct modelled *modelled = bench_modelled(page->app, bench, row);
    char time[48];
    about_bench(page, out);
    if (!row.asked)
        text_addf(out, "  %s", bench_title(row));
    if (result && !result->error) {
        const struct record *record = &result->record;
        unit_ms(record->median_ms, time, sizeof time);
        text_addf(out, "  %s", time);
        if (isfinite(record->ceiling_pct) && !(row.asked & ASKED_RESULT))
            text_addf(out, "  %.1f %% of max", record->ceiling_pct);
        text_addf(out, "  %s on %s%s%.10s", result->recorded ? "recorded" : "measured",
                  record->device ? record->device : "this machine", record->date ? ", " : "",
                  record->date ? record->date : "");
    }
    if (modelled) {
        modelled_time(modelled, page->app->canvas.utf8, time, sizeof time);
        text_addf(out, "  %s modelled for %s", time, modelled_device(modelled));
    }
    if (bench->pane == PANE_RESULT || bench->pane == PANE_COUNTERS || bench->pane == PANE_MODEL) {
        text_add(out, "\n\n");
        reader_copy(&bench->panel, lines, out);
    }
}

static const char *hints(const struct page *page)
{
    return "run, sim simulate, pane view, source, edit, step-page step";
}

// A lab of host programs has a bench of its own.
static const struct page_ops *instead(const struct words *words)
{
    struct lab_entry lab;
    char name[64] = "";
    if (words->count > 1)
        format_into(name, sizeof name, "%.*s", (int)strcspn(words->word[1], "/"), words->word[1]);
    return lab_entry_find(name, &lab) && lab.kind == LAB_PROGRAMS ? &programs_page : NULL;
}

const struct page_ops bench_page = {
    .name = "bench",
    .operands = "[LAB[/STEP]]",
    .help = "The ladder of a lab: CPU and GPU side by side, run live, checked, explained.",
    .most = 1,
    .size = sizeof(struct bench),
    .open = open_bench,
    .instead = instead,
    .title = title_bench,
    .draw = bench_draw,
    .act = act_bench,
    .click = click_bench,
    .word = word_bench,
    .hints = hints,
    .copy = copy_bench,
    .about = about_bench,
    .panes = bench_pane_names,
    .tick_ms = tick_ms_bench,
    .tick = tick_bench,
    .close = close_bench
};
