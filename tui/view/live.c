// Live blocks: the frame around them, what all kinds share, and the two that ask nothing, labs and pictures.
#include "tui/view/live.h"
#include "tui/explore/explore.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool live_asks(enum live_kind kind)
{
    return kind != LIVE_LAB && kind != LIVE_WIDGET;
}

static bool says(const struct question *question, const char *key)
{
    return question && json_is_true(json_object_get(question->answered, key));
}

bool live_solved(const struct question *question)
{
    if (question && question->live->kind == LIVE_PREDICT)
        return question->predicted != NULL;
    return says(question, "right");
}

bool live_shown(const struct question *question)
{
    return says(question, "shown");
}

bool question_is_answered(const struct question *question)
{
    return live_solved(question) || live_shown(question);
}

// ---- what is known about a question -----------------------------------------------------------------------------

static json_t *newest(struct app *app, const struct question *question, const char *kind)
{
    const json_t *event = app->workbook && question->live->id
                              ? workbook_find(app->workbook, kind, question->lesson->name, question->live->id)
                              : NULL;
    return event ? json_deep_copy(event) : NULL;
}

void question_open(struct question *question, struct app *app, const struct lesson *lesson,
                   const struct live *live)
{
    *question = (struct question){ .lesson = lesson, .live = live };
    question->predicted = newest(app, question, "predict");
    question->answered = newest(app, question, "answer");
    if (live_ops_of(live)->open)
        live_ops_of(live)->open(app, question);
}

void question_close(struct question *question)
{
    judging_close(question);
    watch_end(&question->watch);
    json_decref(question->predicted);
    json_decref(question->answered);
    for (size_t i = 0; i < question->trial_count; i++)
        lesson_run_free(&question->trials[i]);
    free(question->trials);
    field_clear(&question->field);
    free(question->trouble);
    free(question->unkept);
    *question = (struct question){ 0 };
}

static void say_unkept(struct question *question, const char *why)
{
    free(question->unkept);
    question->unkept = why ? mem_copy(why) : NULL;
}

bool question_write(struct app *app, struct question *question, const char *kind, json_t *event)
{
    struct error error;
    json_object_set_new(event, "lesson", json_string(question->lesson->name));
    json_object_set_new(event, "id", json_string(question->live->id));
    if (!app->workbook) {
        json_decref(event);
        say_unkept(question, "There is no workbook to write into: this is known until you leave.");
        return true;
    }
    bool written = workbook_add(app->workbook, kind, event, &error);
    say_unkept(question, NULL);
    if (written)
        return true;
    struct text why = { 0 };
    text_addf(&why, "Not kept, so it does not count; try again. %s", error.text);
    say_unkept(question, why.data);
    text_free(&why);
    app_say(app, ROLE_BAD, "%s", error.text);
    return false;
}

// Whether this was answered before; no review is asked.
static bool is_old(const struct app *app, const struct question *question, const json_t *event)
{
    const struct workbook *workbook = app->workbook;
    if (answers_equal(question->live, question->answered, event))
        return true;
    for (size_t i = 0; workbook && i < workbook_count(workbook); i++)
        if (workbook_is(workbook, i, "answer") && !(workbook_marks(workbook, i) & EVENT_REVIEW) &&
            workbook_about(workbook, i, question->lesson->name, question->live->id) &&
            answers_equal(question->live, workbook_event(workbook, i), event))
            return true;
    return false;
}

bool question_keep(struct app *app, struct question *question, bool predicts, json_t *event)
{
    json_t **kept = predicts ? &question->predicted : &question->answered;
    if (!event) {
        app_say(app, ROLE_BAD, "An answer must be UTF-8.");
        return false;
    }
    question->asked_to_show = false;
    if (!predicts && is_old(app, question, event)) {
        json_decref(*kept); // the screen speaks of this one again
        *kept = event;
        app_say(app, ROLE_NOTE, "That was your answer before; it counts once.");
        return true;
    }
    json_t *copy = json_deep_copy(event);
    if (!question_write(app, question, predicts ? "predict" : "answer", event)) {
        json_decref(copy);
        return false;
    }
    json_decref(*kept);
    *kept = copy;
    return true;
}

bool question_shows(struct app *app, struct question *question)
{
    bool asked = question->asked_to_show;
    question->asked_to_show = !asked;
    if (!asked)
        app_say(app, ROLE_NOTE, "Once more shows it, and the workbook says that it was shown.");
    return asked;
}

// ---- runs that a live block names: from words to requests ---------------------------------------------------

static bool seek(struct question *question, const char *run, bool own)
{
    struct error error;
    struct lesson_run trial;
    if (!lesson_run_read(&trial, run, own, &error)) {
        free(question->trouble);
        question->trouble = mem_copy_n(error.text, strcspn(error.text, "\n"));
        return false;
    }
    question->trials = array_room(question->trials, question->trial_count, sizeof *question->trials);
    question->trials[question->trial_count++] = trial;
    return true;
}

static void seek_ladder(struct question *question, const char *name)
{
    struct ladder ladder;
    struct error error;
    const struct lab *lab;
    if (!target_lab(name, &lab, &error) || !ladder_read(name, &ladder, &error)) {
        question->trouble = mem_copy_n(error.text, strcspn(error.text, "\n"));
        return;
    }
    for (size_t i = 0; i < ladder.count; i++) {
        char place[160];
        format_into(place, sizeof place, "%s/%s", name, ladder.variants[i].name);
        seek(question, place, true);
    }
    ladder_free(&ladder);
}

void question_seek(struct question *question)
{
    bool shows = question->live->kind == LIVE_LAB;
    const char *run;
    if (question->sought)
        return;
    question->sought = true;
    for (size_t i = 0; (run = live_nth(question->live, shows ? "show" : "run", i)) && !question->trouble; i++)
        if (shows && !strchr(run, '/'))
            seek_ladder(question, run);
        else
            seek(question, run, shows);
}

// ---- parts of a live block ----------------------------------------------------------------------------------

void live_head(const struct live_view *view, const char *name, enum role role, enum glyph sign,
               const char *words)
{
    struct sheet *sheet = view->sheet;
    sheet_hang(sheet, 2);
    sheet_flow(sheet, ROLE_TITLE, "%s", name);
    if (*words) {
        struct text after = { 0 };
        text_addf(&after, "%s %s", glyph(sheet->utf8, sign), words);
        live_after(view, role, after.data);
        text_free(&after);
    }
    sheet_end(sheet);
}

void live_ask(const struct live_view *view, const char *key)
{
    typeset_field(view->sheet, view->live, key, view->links);
}

void live_button(const struct live_view *view, const char *words, const char *format, ...)
{
    struct text opens = { 0 };
    struct sheet *sheet = view->sheet;
    va_list args;
    if (!view->app)
        return;
    va_start(args, format);
    text_addv(&opens, format, args);
    va_end(args);
    sheet_to(sheet, 2);
    sheet->item = links_add(view->links, "%s", text_string(&opens));
    sheet_hang(sheet, 4);
    sheet_flow(sheet, ROLE_LINK, "%s %s", glyph(sheet->utf8, GLYPH_RIGHT), words);
    sheet->item = -1;
    sheet_end(sheet);
    text_free(&opens);
}

void live_after(const struct live_view *view, enum role role, const char *words)
{
    struct sheet *sheet = view->sheet;
    if (sheet->used + 2 + text_cells(words) <= sheet->width) {
        sheet_add(sheet, role, "  %s", words);
        return;
    }
    int hang = sheet->hang; // from a line of its own, so that two labels do not run together
    sheet_end(sheet);
    sheet_to(sheet, hang);
    sheet_hang(sheet, hang);
    sheet_flow(sheet, role, "%s", words);
}

void live_put(const struct live_view *view, enum role role, int hang, const char *format, ...)
{
    struct text words = { 0 };
    va_list args;
    va_start(args, format);
    text_addv(&words, format, args);
    va_end(args);
    sheet_to(view->sheet, 2);
    sheet_hang(view->sheet, hang);
    sheet_flow_n(view->sheet, role, text_string(&words), words.length);
    sheet_end(view->sheet);
    text_free(&words);
}

char *live_file(const struct lesson *lesson, const char *name)
{
    const char *slash = strrchr(lesson->path, '/');
    struct text path = { 0 };
    text_addf(&path, "%.*s%s", slash ? (int)(slash - lesson->path) + 1 : 0, lesson->path, name);
    return text_take(&path);
}

// ---- runs that a live block names: started and looked up ----------------------------------------------------

static struct request request_of(const struct lesson_run *run, bool simulate)
{
    const struct request *asked = &run->request;
    struct request request =
        request_new(simulate ? ON_SIM : asked->on, asked->lab, run->cpu ? NULL : &run->variant, run->cpu,
                    asked->preset, asked->data);
    request.reps = asked->reps;
    if (!simulate)
        request.limit_ms = asked->limit_ms;
    expr_params_copy(&request.params, &asked->params);
    return request;
}

void live_run_start(struct app *app, const struct lesson_run *run, bool simulate)
{
    struct request request = request_of(run, simulate);
    runs_start(app, &request);
}

// A result of another text under the same name is no answer.
const struct run_result *live_run_result(struct app *app, const struct lesson_run *run, bool simulate)
{
    struct request request = request_of(run, simulate);
    const struct run_result *result = runs_find(app, &request, run->cpu ? NULL : &run->variant);
    request_free(&request);
    if (result && !run->cpu && result->code && result->code != variant_code(&run->variant))
        return NULL;
    return result;
}

enum run_state live_run_state(struct app *app, const struct lesson_run *run, bool simulate)
{
    struct request request = request_of(run, simulate);
    enum run_state state = runs_state(app, &request);
    request_free(&request);
    return state;
}

// ---- labs ---------------------------------------------------------------------------------------------------

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
        text_addf(&words, "sim %.3g sector%s%s", sectors, sectors == 1 ? "" : "s",
                  isfinite(waves) ? "" : "/req");
    if (isfinite(waves))
        text_addf(&words, "%s %.3g wavefront%s%s", words.length ? "," : "sim", waves, waves == 1 ? "" : "s",
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
        live_after(view, ROLE_SIM, text);
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

// The place of a run: its step alone where all rows are of one lab.
static const char *name_of(const struct lesson_run *trial, const char *common)
{
    return *common ? strchr(trial->place, '/') + 1 : trial->place;
}

// Whether a prediction of this run is open whose value begins with `value`.
static bool is_asked_for(const struct live_view *view, const struct lesson_run *trial, const char *value)
{
    for (size_t i = 0; i < view->all_count; i++) {
        struct question *question = &view->all[i];
        const char *asked = live_field(question->live, "value");
        if (!asked || !string_starts(asked, value) || question_is_answered(question))
            continue;
        question_seek(question);
        for (size_t j = 0; j < question->trial_count; j++)
            if (strcmp(question->trials[j].place, trial->place) == 0)
                return true;
    }
    return false;
}

static void put_row(const struct live_view *view, const struct lesson_run *trial, const char *words, int name)
{
    struct sheet *sheet = view->sheet;
    const struct run_result *result = live_run_result(view->app, trial, false);
    const struct run_result *simulated = trial->cpu ? NULL : live_run_result(view->app, trial, true);
    if (is_asked_for(view, trial, "median_ms"))
        result = NULL;
    if (is_asked_for(view, trial, "counters."))
        simulated = NULL;
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

static void lab_add(const struct live_view *view)
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

static void lab_run(struct app *app, struct question *question)
{
    question_seek(question);
    for (size_t i = 0; i < question->trial_count; i++)
        live_run_start(app, &question->trials[i], !question->trials[i].cpu && !runs_gpu(app));
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

static void widget_add(const struct live_view *view)
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
    if (!view->app)
        live_put(view, ROLE_CODE, 4, "warpbook explore %s", explore);
}

// ---- the frame ------------------------------------------------------------------------------------------------------

static const struct live_ops lab = { .add = lab_add, .run = lab_run };
static const struct live_ops widget = { .add = widget_add };

const struct live_ops *live_ops_of(const struct live *live)
{
    static const struct live_ops *const kinds[] = {
        [LIVE_LAB] = &lab,          [LIVE_WIDGET] = &widget,    [LIVE_PREDICT] = &live_predict,
        [LIVE_QUIZ] = &live_quiz,   [LIVE_ORDER] = &live_order, [LIVE_EXERCISE] = &live_task,
        [LIVE_BUGHUNT] = &live_task
    };
    return kinds[live->kind];
}

void live_add(const struct live_view *view)
{
    struct live_view inside = *view;
    char before[8];
    struct sheet sheet = sheet_new(view->sheet->width - 2, view->sheet->utf8);
    sheet.room = view->sheet->room - 2;
    inside.sheet = &sheet;
    live_ops_of(view->live)->add(&inside);
    if (view->question && view->question->unkept)
        live_put(&inside, ROLE_BAD, 4, "%s %s", glyph(sheet.utf8, GLYPH_WRONG), view->question->unkept);
    format_into(before, sizeof before, "%s ", glyph(sheet.utf8, GLYPH_VERTICAL));
    sheet_gap(view->sheet);
    typeset_paste(view->sheet, &sheet, before, true);
    sheet_free(&sheet);
}
