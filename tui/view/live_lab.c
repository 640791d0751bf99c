// lab: the steps that a lesson speaks of with what came out of them, to open and to run. widget: an explorer's picture.
#include "tui/explore/explore.h"
#include "tui/view/live.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- lab ------------------------------------------------------------------------------------------------------------

enum { TIME = 10, BAR = 10, WIDE = 56 };

// "sim 4 sectors/req", with shared memory "sim 4 sectors, 1 wavefronts": what the simulator counted for each access; with
// barriers their number and that of the instructions, which they are weighed against.
static void counted(const struct record *record, char *out, size_t size)
{
    double sectors = record_sectors_per_request(record->counters),
           waves = record_wavefronts_per_access(record->counters);
    double barriers = record->counters ? record->counters->barriers : 0;
    struct text words = { 0 };
    if (isfinite(sectors))
        text_addf(&words, "sim %.3g sectors%s", sectors, isfinite(waves) ? "" : "/req");
    if (isfinite(waves))
        text_addf(&words, "%s %.3g wavefronts%s", words.length ? "," : "sim", waves,
                  words.length ? "" : "/access");
    if (words.length && barriers > 0 && isfinite(record->warp_inst)) {
        char count[40], instructions[40];
        unit_count(barriers, count, sizeof count);
        unit_count(record->warp_inst, instructions, sizeof instructions);
        text_addf(&words, ", %s barriers, %s instructions", count, instructions);
    }
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
    counted(&simulated->record, text, sizeof text);
    if (*text)
        live_behind(view, ROLE_SIM, text);
}

static void put_time(struct sheet *sheet, const struct run_result *result, int at)
{
    char time[40] = "";
    struct text bar = { 0 };
    bool known = result && !result->error && isfinite(result->record.median_ms);
    if (known)
        unit_ms(result->record.median_ms, time, sizeof time);
    sheet_to(sheet, at);
    sheet_add(sheet, ROLE_TITLE, "%*s", TIME, time);
    if (sheet->width >= WIDE) {
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

// Its step alone where all rows are of one lab.
static const char *name_of(const struct lesson_run *trial, const char *common)
{
    return *common ? strchr(trial->place, '/') + 1 : trial->place;
}

static void put_row(const struct live_view *view, const struct lesson_run *trial, const char *words, int name)
{
    struct sheet *sheet = view->sheet;
    const struct run_result *result = live_run_result(view->app, trial, false);
    const struct run_result *simulated = trial->cpu ? NULL : live_run_result(view->app, trial, true);
    enum run_state state = live_run_state(view->app, trial, false);
    if (state == RUN_NONE && !trial->cpu)
        state = live_run_state(view->app, trial, true);
    size_t length = text_fit(words, name);
    bool whole = !words[length];
    sheet_to(sheet, 2);
    sheet->item = links_add(view->links, "bench %s", trial->place);
    if (!whole)
        length = text_fit(words, name - 1);
    sheet_add(sheet, ROLE_LINK, "%.*s%s", (int)length, words,
              whole ? "" : glyph(sheet->utf8, GLYPH_ELLIPSIS));
    sheet->item = -1;
    put_time(sheet, result, 2 + name + 1);
    sheet_hang(sheet, 4);
    put_state(view, result, simulated, state);
    sheet_end(sheet);
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

void lab_add(const struct live_view *view)
{
    struct question *question = view->question;
    int name = 0, most = view->sheet->width - TIME - 16;
    if (!question) {
        live_head(view, "Lab", ROLE_TEXT, GLYPH_OPEN, "");
        live_ask(view, "say");
        paper_rows(view);
        return;
    }
    question_seek(question);
    const char *common = common_lab(question);
    char head[80];
    format_into(head, sizeof head, "Lab%s%s", *common ? ": " : "", common);
    live_head(view, head, ROLE_TEXT, GLYPH_OPEN, "");
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
    if (question->trial_count)
        live_button(view, question->trial_count > 1 ? "Run them" : "Run it", "run");
}

void lab_run(struct app *app, struct question *question)
{
    question_seek(question);
    for (size_t i = 0; i < question->trial_count; i++)
        live_run_start(app, &question->trials[i], !question->trials[i].cpu && !runs_gpu(app));
}

// ---- widget -----------------------------------------------------------------------------------------------------------

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

void widget_add(const struct live_view *view)
{
    const char *explore = live_field(view->live, "explore");
    struct settings settings;
    struct error error;
    live_head(view, "Picture", ROLE_TEXT, GLYPH_OPEN, "");
    if (settings_of(explore, &settings, &error)) {
        struct sheet picture = explore_sheet(&settings, view->sheet->width, view->sheet->utf8, -1);
        typeset_paste(view->sheet, &picture, "", false);
        sheet_free(&picture);
    } else {
        sheet_flow(view->sheet, ROLE_BAD, "%.*s", (int)strcspn(error.text, "\n"), error.text);
        sheet_end(view->sheet);
    }
    live_ask(view, "say");
    live_button(view, "Turn the knobs", "explore %s", explore);
    if (!view->app) {
        sheet_to(view->sheet, 2);
        sheet_hang(view->sheet, 4);
        sheet_flow(view->sheet, ROLE_CODE, "warpbook explore %s", explore);
        sheet_end(view->sheet);
    }
}
