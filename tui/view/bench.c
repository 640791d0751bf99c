// bench: step through the ladder of a lab, run it live, and see why one step is faster than the other.
#include "tui/view/bench.h"

#include <stdlib.h>
#include <string.h>

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
    bench->source.selected = bench->panel.selected = bench->other.selected = -1;
    if (!lab_of(name, &bench->lab, error) || !read_ladder(bench, error))
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
    text_addf(out, ", %s", bench->preset ? bench->preset : "full");
    if (bench->lab->data[0] && bench->lab->data[1])
        text_addf(out, ", %s", bench->data ? bench->data : bench->lab->data[0]);
    if (bench->watch.path)
        text_add(out, ", watching");
}

static void close_bench(struct page *page)
{
    struct bench *bench = page->state;
    ladder_free(&bench->ladder);
    reader_free(&bench->source);
    reader_free(&bench->panel);
    reader_free(&bench->other);
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

static int run_chosen(struct page *page, bool simulate)
{
    struct bench *bench = page->state;
    struct row row = bench_row(bench, bench->chosen);
    if (row.cpu && simulate) {
        app_say(page->app, ROLE_BAD, "The simulator runs kernels; this row runs on the CPU: r.");
        return DONE_FAILED;
    }
    simulate |= !row.cpu && runs_machine(page->app) && !runs_gpu(page->app);
    start(page, row, simulate);
    if (bench->pane == PANE_SOURCE)
        bench->pane = simulate ? PANE_COUNTERS : PANE_RESULT;
    return DONE;
}

static int run_all(struct page *page)
{
    struct bench *bench = page->state;
    bool simulate = runs_machine(page->app) && !runs_gpu(page->app);
    for (int i = 0; i < bench_count(bench); i++) {
        struct row row = bench_row(bench, i);
        start(page, row, simulate && !row.cpu);
    }
    return DONE;
}

// ---- what one sets ------------------------------------------------------------------------------------------------------------

// The name behind the current one in a list that ends with NULL, or the one asked for; NULL: there is no such.
static const char *turn(const char *const *names, size_t count, const char *now, const char *asked)
{
    for (size_t i = 0; i < count; i++)
        if (asked ? strcmp(names[i], asked) == 0 : now && strcmp(names[i], now) == 0)
            return asked ? names[i] : names[(i + 1) % count];
    return asked ? NULL : count ? names[0] : NULL;
}

static int set_size(struct page *page, const struct words *words)
{
    struct bench *bench = page->state;
    const char *names[LAB_PRESETS];
    size_t count = 0;
    while (count < LAB_PRESETS && bench->lab->presets[count].name) {
        names[count] = bench->lab->presets[count].name;
        count++;
    }
    const char *next =
        turn(names, count, bench->preset ? bench->preset : "full", words->count > 1 ? words->word[1] : NULL);
    if (!next) {
        app_say(page->app, ROLE_BAD, "The lab %s has no size '%s': small, full.", bench->lab->name,
                words->word[1]);
        return DONE_FAILED;
    }
    bench->preset = next;
    return DONE;
}

static int set_data(struct page *page, const struct words *words)
{
    struct bench *bench = page->state;
    size_t count = 0;
    while (count < LAB_DATA && bench->lab->data[count])
        count++;
    const char *next = turn(bench->lab->data, count, bench->data ? bench->data : bench->lab->data[0],
                            words->count > 1 ? words->word[1] : NULL);
    if (count < 2) {
        app_say(page->app, ROLE_BAD, "The lab %s has one kind of data only.", bench->lab->name);
        return DONE_FAILED;
    }
    if (!next) {
        app_say(page->app, ROLE_BAD, "The lab %s has no data '%s': %s, %s%s%s.", bench->lab->name,
                words->word[1], bench->lab->data[0], bench->lab->data[1], count > 2 ? ", " : "",
                count > 2 ? bench->lab->data[2] : "");
        return DONE_FAILED;
    }
    bench->data = next;
    return DONE;
}

static int set_pane(struct page *page, int by, const struct words *words)
{
    struct bench *bench = page->state;
    for (int i = 0; words->count > 1 && i < PANES; i++)
        if (strcmp(bench_pane_names[i], words->word[1]) == 0) {
            bench->pane = (enum bench_pane)i;
            return DONE;
        }
    if (words->count > 1) {
        app_say(page->app, ROLE_BAD, "There is no view '%s': source, result, counters, chart, roofline.",
                words->word[1]);
        return DONE_FAILED;
    }
    bench->pane = (enum bench_pane)(((int)bench->pane + by + PANES) % PANES);
    bench->panel.top = 0;
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

// ---- one's own copy -----------------------------------------------------------------------------------------

static const struct variant *chosen_kernel(struct page *page)
{
    const struct bench *bench = page->state;
    struct row row = bench_row(bench, bench->chosen);
    if (row.cpu)
        app_say(page->app, ROLE_BAD, "This row is CPU code of warpbook's own; kernels can be changed.");
    return row.variant;
}

static int reload(struct page *page)
{
    struct error error;
    struct bench *bench = page->state;
    if (!read_ladder(bench, &error)) {
        app_say(page->app, ROLE_BAD, "%s", error.text);
        return DONE_FAILED;
    }
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
    return watch_toggle(&bench->watch, page->app, variant) ? reload(page) : DONE_FAILED;
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
    if (watch_saw(&((struct bench *)page->state)->watch) && reload(page) == DONE)
        run_chosen(page, false);
}

// ---- acting ---------------------------------------------------------------------------------------------------------------------

static int open_other(struct page *page, const char *what)
{
    struct bench *bench = page->state;
    const struct variant *variant = chosen_kernel(page);
    char words[160];
    if (!variant)
        return DONE_FAILED;
    format_into(words, sizeof words, "%s %s/%s", what, bench->lab->name, variant->name);
    return app_open(page->app, words) ? DONE : DONE_FAILED;
}

static struct reader *shown_reader(struct page *page)
{
    struct bench *bench = page->state;
    return bench->pane == PANE_SOURCE ? &bench->source : &bench->panel;
}

static int act_bench(struct page *page, enum act act, const struct words *words)
{
    struct bench *bench = page->state;
    static const struct words none = { 0 };
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
        return set_size(page, words);
    case ACT_DATA:
        return set_data(page, words);
    case ACT_PANE:
        return set_pane(page, 1, words);
    case ACT_RIGHT:
    case ACT_NEXT:
        return set_pane(page, 1, &none);
    case ACT_LEFT:
    case ACT_PREVIOUS:
        return set_pane(page, -1, &none);
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
    default:
        return reader_act(shown_reader(page), page->app, act, words);
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

static void word_bench(struct page *page, struct text *out)
{
    reader_word(shown_reader(page), out);
}

const struct page_ops bench_page = {
    .name = "bench",
    .operands = "[LAB[/STEP]]",
    .help = "The ladder of a lab: CPU and GPU side by side, run live, checked, explained.",
    .size = sizeof(struct bench),
    .open = open_bench,
    .title = title_bench,
    .draw = bench_draw,
    .act = act_bench,
    .click = click_bench,
    .word = word_bench,
    .tick_ms = tick_ms_bench,
    .tick = tick_bench,
    .close = close_bench
};
