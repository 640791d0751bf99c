// Live blocks that ask nothing: labs, with their rows of results in place, and pictures.
#include "tui/explore/explore.h"
#include "tui/view/live.h"

#include <math.h>
#include <string.h>

// ---- labs ---------------------------------------------------------------------------------------------------

enum { TIME = 10, BAR = 10, WIDE = 56 };

// Whether a block asks for a counter with one of these in its name, so that it is a topic from there on.
static bool asks_for(const struct live *live, const char *const names[2])
{
    static const char *const keys[] = { "value", "budget" }; // a guard is judged in silence
    const char *value;
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
        for (size_t i = 0; (value = live_nth(live, keys[k], i)); i++)
            if (strstr(value, names[0]) || strstr(value, names[1]))
                return true;
    return false;
}

// Whether something above the block asks for it, in its lesson or in one before. Before a lesson that is not listed
// stand all that are.
static bool is_topic(const struct live_view *view, const char *const names[2])
{
    const struct lessons *lessons = app_lessons(view->app);
    bool own = false;
    for (size_t i = 0; i <= lessons->count && !own; i++) {
        const struct lesson *lesson = i < lessons->count ? &lessons->list[i] : view->lesson;
        own = strcmp(lesson->name, view->lesson->name) == 0;
        for (size_t b = 0; b < lesson->block_count; b++) {
            if (own && &view->lesson->blocks[b].live == view->live)
                break;
            if (lesson->blocks[b].kind == BLOCK_LIVE && asks_for(&lesson->blocks[b].live, names))
                return true;
        }
    }
    return false;
}

static const char sim_ok[] = "sim ok";

// "sim 4 sectors/req", with shared memory "sim 4 sectors, 1 wavefronts": what the simulator counted for each access; with
// barriers their number and that of the instructions, which they are weighed against. What no lesson asked for yet is
// left out; "sim ok" where that is all.
static void counted(const struct live_view *view, const struct record *record, char *out, size_t size)
{
    static const char *const in_sectors[] = { "_sec", "l2_sectors" },
                             *const in_waves[] = { "_wave", "_conf" },
                             *const in_barriers[] = { "barriers", "barriers" };
    const struct record_counters *counters = record->counters;
    double sectors = is_topic(view, in_sectors) ? record_sectors_per_request(counters) : NAN,
           waves = is_topic(view, in_waves) ? record_wavefronts_per_access(counters) : NAN;
    double barriers = counters && is_topic(view, in_barriers) ? counters->barriers : 0;
    struct text words = { 0 };
    if (counters && isfinite(sectors)) {
        bool turns = record_global_sectors(counters) > counters->l2_sectors, one = sectors == 1;
        text_addf(&words, "sim %.3g %s%s", sectors,
                  turns ? one ? "pass" : "passes"
                  : one ? "sector"
                        : "sectors",
                  isfinite(waves) ? "" : "/req");
    }
    if (isfinite(waves))
        text_addf(&words, "%s %.3g wavefront%s%s", words.length ? "," : "sim", waves, waves == 1 ? "" : "s",
                  words.length ? "" : "/access");
    if (words.length && barriers > 0 && isfinite(record->warp_inst)) {
        char count[40], instructions[40];
        unit_count(barriers, count, sizeof count);
        unit_count(record->warp_inst, instructions, sizeof instructions);
        text_addf(&words, ", %s barriers, %s instructions", count, instructions);
    }
    if (!words.length && record->status == STATUS_RIGHT)
        text_add(&words, sim_ok);
    else if (!words.length && record->status)
        text_addf(&words, "sim %s", record_status_name(record->status));
    format_into(out, size, "%s", text_string(&words));
    text_free(&words);
}

static void put_state(const struct live_view *view, const struct run_result *result,
                      const struct run_result *simulated, enum run_state state)
{
    struct sheet *sheet = view->sheet;
    char text[160];
    if (state != RUN_NONE)
        sheet_flow(sheet, ROLE_NOTE, " %s %s", glyph(sheet->utf8, GLYPH_ELLIPSIS),
                   state == RUN_RUNS ? "runs" : "waits");
    else if ((result && result->error) || (simulated && simulated->error))
        sheet_flow(sheet, ROLE_BAD, " %s no result", glyph(sheet->utf8, GLYPH_WRONG));
    else if (result && result->recorded)
        sheet_flow(sheet, ROLE_NOTE, " recorded");
    else if (result && result->record.status)
        sheet_flow(sheet, result->record.status == STATUS_RIGHT ? ROLE_GOOD : ROLE_BAD, " %s",
                   record_status_name(result->record.status));
    if (!simulated || simulated->error)
        return;
    counted(view, &simulated->record, text, sizeof text);
    if (*text)
        live_after(view, ROLE_SIM, text);
}

static bool has_time(const struct run_result *result)
{
    return result && !result->error && isfinite(result->record.median_ms);
}

static void put_time(struct sheet *sheet, const struct run_result *result, int at, double slowest)
{
    char time[40] = "", words[40] = "";
    struct text bar = { 0 };
    bool known = has_time(result);
    if (known)
        unit_ms(result->record.median_ms, time, sizeof time);
    sheet_to(sheet, at);
    sheet_add(sheet, ROLE_TITLE, "%*s", TIME, time);
    if (drawn_flat && known) {
        unit_of_slowest(result->record.median_ms, slowest, words, sizeof words);
        sheet_add(sheet, ROLE_TEXT, *words ? ", %s, " : ", ", words);
    } else if (sheet->width >= WIDE) {
        if (known)
            bar_text(&bar, sheet->utf8, unit_share(result->record.median_ms), BAR - 2);
        sheet_add(sheet, ROLE_TEXT, " ");
        sheet_add(sheet, result && result->recorded ? ROLE_NOTE : ROLE_GPU, "%s", text_string(&bar));
        sheet_to(sheet, at + TIME + BAR);
    } else {
        sheet_to(sheet, at + TIME + 1);
    }
    text_free(&bar);
}

// The lab that all rows are of; "": of several.
static const char *common_lab(const struct question *question)
{
    for (size_t i = 1; i < question->trial_count; i++)
        if (strcmp(question->trials[i].request.lab, question->trials[0].request.lab) != 0)
            return "";
    return question->trial_count ? question->trials[0].request.lab : "";
}

// The place of a run: its step alone where all rows are of one lab.
static const char *name_of(const struct lesson_run *trial, const char *common)
{
    return *common ? strchr(trial->place, '/') + 1 : trial->place;
}

// What is shown of a row: NULL where there is none, and where a prediction waits that asks for it.
struct row_shown {
    const struct run_result *result, *simulated;
    bool time_waits, counters_wait;
};
static struct row_shown row_shown(const struct live_view *view, const struct lesson_run *trial)
{
    unsigned asked = questions_ask(view->all, view->all_count, trial->place);
    struct row_shown row = { .result = live_run_result(view->app, trial, false),
                             .simulated = trial->cpu ? NULL : live_run_result(view->app, trial, true),
                             .time_waits = asked & ASKED_TIME };
    row.counters_wait = row.simulated && asked & ASKED_COUNTERS;
    row.result = row.time_waits ? NULL : row.result;
    row.simulated = row.counters_wait ? NULL : row.simulated;
    return row;
}

// The size of the times, or of what was simulated, in words; "": there is none.
static void add_size(const struct live_view *view, bool simulated, const char *name, struct text *out)
{
    const char *size = NULL;
    bool several = false;
    for (size_t i = 0; i < view->question->trial_count; i++) {
        struct row_shown row = row_shown(view, &view->question->trials[i]);
        const struct run_result *result = simulated ? row.simulated : row.result;
        const char *preset =
            (simulated ? result && !result->error : has_time(result)) ? result->record.preset : NULL;
        several |= size && preset && strcmp(size, preset) != 0;
        size = preset ? preset : size;
    }
    if (size)
        text_addf(out, several ? "%s%s: several sizes" : "%s%s: %s size", out->length ? "; " : "", name,
                  size);
}

// "Lab: vecadd  times: full size, log scale; sim: small size"
static void lab_head(const struct live_view *view, const char *common)
{
    struct sheet *sheet = view->sheet;
    struct text words = { 0 };
    sheet_hang(sheet, 2);
    sheet_flow(sheet, ROLE_TITLE, "Lab%s%s", *common ? ": " : "", common);
    add_size(view, false, "times", &words);
    if (words.length && !drawn_flat && sheet->width >= WIDE)
        text_add(&words, ", log scale");
    add_size(view, true, "sim", &words);
    if (words.length)
        live_after(view, ROLE_DIM, words.data);
    sheet_end(sheet);
    text_free(&words);
}

// The longest of the lab's times that are shown; 0: there is none, or bars show it.
static double slowest_of(const struct live_view *view)
{
    double most = 0;
    for (size_t i = 0; drawn_flat && i < view->question->trial_count; i++) {
        const struct run_result *result = row_shown(view, &view->question->trials[i]).result;
        if (has_time(result) && result->record.median_ms > most)
            most = result->record.median_ms;
    }
    return most;
}

// Where a prediction below the lab is the only one that asks, one that was just made above it is not meant.
static const char *waits_words(const struct live_view *view, const struct lesson_run *trial, unsigned asked)
{
    size_t above = 0;
    while (above < view->all_count && &view->all[above] != view->question)
        above++;
    return questions_ask(view->all, above, trial->place) & asked ? after_prediction
                                                                 : "after a prediction below";
}

static void put_row(const struct live_view *view, const struct lesson_run *trial, const char *words, int name)
{
    struct sheet *sheet = view->sheet;
    struct row_shown row = row_shown(view, trial);
    enum run_state state = live_run_state(view->app, trial, false);
    if (state == RUN_NONE && !trial->cpu)
        state = live_run_state(view->app, trial, true);
    size_t length = text_fit(words, name);
    bool whole = !words[length];
    sheet_to(sheet, 2);
    sheet->item = links_add(view->links, "bench %s", trial->place);
    if (!whole)
        length = text_fit(words, name - 1);
    sheet_add(sheet, view->aside ? ROLE_TEXT : ROLE_LINK, "%.*s%s", (int)length, words,
              whole ? "" : glyph(sheet->utf8, GLYPH_ELLIPSIS));
    sheet->item = -1;
    const char *waits = waits_words(view, trial, row.time_waits ? ASKED_TIME : ASKED_COUNTERS);
    if (row.time_waits && 2 + name + 2 + text_cells(waits) <= sheet->width)
        sheet_to(sheet, 2 + name); // in the place of the time
    if (row.time_waits)
        live_after(view, ROLE_DIM, waits);
    else
        put_time(sheet, row.result, 2 + name + 1, slowest_of(view));
    sheet_hang(sheet, 4);
    put_state(view, row.result, row.simulated, state);
    if (row.counters_wait && !row.time_waits)
        live_after(view, ROLE_DIM, waits);
    sheet_end(sheet);
}

// What "sim ok" beside a recorded time means, as long as no counter is a topic that takes its place.
static void explain_sim(const struct live_view *view)
{
    bool ok = false, recorded = false;
    for (size_t i = 0; i < view->question->trial_count; i++) {
        struct row_shown row = row_shown(view, &view->question->trials[i]);
        char words[160] = "";
        if (row.simulated && !row.simulated->error)
            counted(view, &row.simulated->record, words, sizeof words);
        ok |= strcmp(words, sim_ok) == 0;
        recorded |= has_time(row.result) && row.result->recorded;
    }
    if (ok)
        live_put(view, ROLE_DIM, 2, "%s: it was simulated on this machine, and its result is right.%s",
                 sim_ok, recorded ? " That measures no time: those above were recorded on a GPU." : "");
}

static void paper_rows(const struct live_view *view)
{
    const char *show;
    for (size_t i = 0; (show = live_nth(view->live, "show", i)); i++) {
        sheet_to(view->sheet, 2);
        sheet_add(view->sheet, ROLE_CODE, "warpbook run %s", show);
        sheet_end(view->sheet);
    }
}

static size_t cpu_rows(const struct question *question)
{
    size_t count = 0;
    for (size_t i = 0; i < question->trial_count; i++)
        count += question->trials[i].cpu != NULL;
    return count;
}

static void lab_add(const struct live_view *view)
{
    struct question *question = view->question;
    int name = 0, most = view->sheet->width - TIME - 16;
    if (!question) {
        live_head(view, live_title(LIVE_LAB), ROLE_TEXT, GLYPH_OPEN, "");
        live_ask(view, "say");
        paper_rows(view);
        return;
    }
    question_seek(question);
    const char *common = common_lab(question);
    lab_head(view, common);
    live_ask(view, "say");
    for (size_t i = 0; i < question->trial_count; i++) {
        int cells = text_cells(name_of(&question->trials[i], common));
        name = cells > name ? cells : name;
    }
    for (size_t i = 0; i < question->trial_count; i++)
        put_row(view, &question->trials[i], name_of(&question->trials[i], common),
                name > most ? most > 8 ? most : 8 : name);
    if (question->trouble) {
        sheet_flow(view->sheet, ROLE_BAD, "%s", question->trouble);
        sheet_end(view->sheet);
    }
    explain_sim(view);
    bool simulates = view->app && runs_machine(view->app) && !runs_gpu(view->app);
    size_t of_cpu = cpu_rows(question);
    struct text button = { 0 };
    text_addf(&button, "%s%s", question->trial_count > 1 ? "Run them" : "Run it",
              !simulates || of_cpu == question->trial_count ? ""
              : of_cpu                                      ? ", the kernels in the simulator"
                                                            : " in the simulator");
    if (question->trial_count)
        live_button(view, button.data, "run");
    text_free(&button);
}

static void lab_run(struct app *app, struct question *question)
{
    question_seek(question);
    for (size_t i = 0; i < question->trial_count; i++)
        live_run_start(app, &question->trials[i],
                       !question->trials[i].cpu && runs_machine(app) && !runs_gpu(app));
}

// ---- pictures: an explorer with its knobs set ---------------------------------------------------------------

static bool settings_of(const char *explore, struct settings *out, struct error *error)
{
    struct words words;
    const struct explorer *explorer;
    if (!words_split(explore, &words, error))
        return false;
    bool sound = explorer_of(words.word[0], &explorer, error);
    if (sound)
        *out = settings_new(explorer);
    for (size_t i = 1; sound && i < words.count; i++)
        sound = settings_read(out, words.word[i], error);
    words_free(&words);
    return sound;
}

// The knob that `say` names first, or whose value it names; "": none.
static const char *knob_named(const struct live *live, const struct explorer *explorer)
{
    const char *at = live_field(live, "say");
    for (at = at ? strchr(at, '`') : NULL; at && strchr(at + 1, '`');) {
        size_t length = strcspn(++at, "`=");
        int knob = knob_find(explorer, at, length);
        const char *const *words = explorer->knobs[0].words;
        for (size_t i = 0; knob < 0 && words && words[i]; i++)
            knob = strlen(words[i]) == length && strncmp(words[i], at, length) == 0 ? 0 : -1;
        if (knob >= 0)
            return explorer->knobs[knob].name;
        at = strchr(strchr(at, '`') + 1, '`');
    }
    return "";
}

static void widget_add(const struct live_view *view)
{
    const char *explore = live_field(view->live, "explore");
    struct settings settings = { 0 };
    struct error error;
    live_head(view, live_title(LIVE_WIDGET), ROLE_TEXT, GLYPH_OPEN, "");
    if (settings_of(explore, &settings, &error)) {
        struct sheet picture = explore_sheet(&settings, view->sheet->width, view->sheet->utf8, -1);
        typeset_paste(view->sheet, &picture, "", false);
        sheet_free(&picture);
    } else {
        sheet_flow(view->sheet, ROLE_BAD, "%.*s", (int)strcspn(error.text, "\n"), error.text);
        sheet_end(view->sheet);
    }
    live_ask(view, "say");
    live_button(view, "Turn the knobs", "explore %s %s", explore,
                settings.explorer ? knob_named(view->live, settings.explorer) : "");
    if (!view->app)
        live_put(view, ROLE_CODE, 4, "warpbook explore %s", explore);
}

const struct live_ops live_lab = { .add = lab_add, .run = lab_run };
const struct live_ops live_widget = { .add = widget_add };
