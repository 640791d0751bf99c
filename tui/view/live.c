// Live blocks: the frame around them, and what all kinds share.
#include "tui/view/live.h"
#include "tui/view/seat.h"

#include <stdlib.h>
#include <string.h>

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

const char *live_title(enum live_kind kind)
{
    static const char *const titles[] = {
        [LIVE_LAB] = "Lab",          [LIVE_WIDGET] = "Picture",     [LIVE_PREDICT] = "Prediction",
        [LIVE_QUIZ] = "Question",    [LIVE_ORDER] = "Put in order", [LIVE_EXERCISE] = "Exercise",
        [LIVE_BUGHUNT] = "Bug hunt", [LIVE_CHALLENGE] = "Challenge"
    };
    return titles[kind];
}

char *live_plain_ask(const struct live *live)
{
    const char *ask = live_field(live, "ask");
    struct text words = { 0 };
    size_t count = 0;
    struct inline_piece *pieces = pieces_read(ask ? ask : live->id ? live->id : "", &count);
    for (size_t i = 0; i < count; i++)
        text_add(&words, pieces[i].kind == INLINE_BREAK ? " " : pieces[i].text);
    pieces_free(pieces, count);
    for (size_t i = 0; i < words.length; i++)
        words.data[i] = words.data[i] == '\n' ? ' ' : words.data[i];
    return text_take(&words);
}

// ---- what a prediction asks about a lab -------------------------------------------------------------------------

// The number of a step, or its name without that.
static bool is_part(const char *step, const char *part)
{
    size_t digits = strspn(step, "0123456789"), length = strlen(part);
    bool numbered = digits && step[digits] == '-';
    return numbered &&
           ((length == digits && strncmp(step, part, digits) == 0) || strcmp(step + digits + 1, part) == 0);
}

// "histogram/3-shared", "histogram/3" and "histogram/shared" are the same, and "histogram" is each of its steps.
static bool is_place(const char *run, const char *place)
{
    char step[80];
    const char *slash = strchr(place, '/');
    size_t lab = slash ? (size_t)(slash - place) : strlen(place);
    if (strncmp(run, place, lab) != 0 || run[lab] != '/')
        return false;
    format_into(step, sizeof step, "%.*s", (int)strcspn(run + lab + 1, " "), run + lab + 1);
    return !slash || strcmp(step, slash + 1) == 0 || is_part(step, slash + 1) || is_part(slash + 1, step);
}

// A share of the ceiling says the time, and the time the share.
static unsigned value_asks(const char *value)
{
    if (string_starts(value, "median_ms") || string_starts(value, "ceiling_pct"))
        return ASKED_TIME | ASKED_RESULT;
    return strstr(value, "counters.") ? ASKED_COUNTERS : ASKED_RESULT;
}

unsigned questions_ask(const struct question *questions, size_t count, const char *place)
{
    unsigned asked = 0;
    for (size_t i = 0; i < count; i++) {
        const struct live *live = questions[i].live;
        const char *value = live_field(live, "value"), *run;
        bool waits = questions[i].waits && !question_is_answered(&questions[i]);
        for (size_t j = 0; waits && value && (run = live_nth(live, "run", j)); j++)
            asked |= is_place(run, place) ? value_asks(value) : 0;
    }
    return asked;
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
        say_unkept(question, "There is no workbook to write into: this is remembered until you leave.");
        return true;
    }
    json_incref(event); // the workbook lets go of it
    bool written = workbook_add(app->workbook, kind, event, &error);
    say_unkept(question, NULL);
    if (written)
        seat_answered(app, kind, question->lesson->name, question->live, event,
                      !question->answered && !question->predicted);
    json_decref(event);
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
    question->asked = NULL;
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

bool question_asks(const struct question *question, const char *what)
{
    return question->asked && strcmp(question->asked, what) == 0;
}

bool question_asked_twice(struct app *app, struct question *question, const char *what, const char *says)
{
    bool asked = question_asks(question, what);
    question->asked = asked ? NULL : what;
    if (!asked)
        app_say(app, ROLE_NOTE, "%s", says);
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
    if (!view->app || view->aside)
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

void live_inner(const struct live_view *view, enum role role, const char *sign, const char *words)
{
    struct sheet *sheet = view->sheet;
    sheet_to(sheet, 4);
    sheet_hang(sheet, *sign ? 6 : 4);
    if (*sign)
        sheet_flow(sheet, role, "%s ", sign);
    sheet_flow(sheet, *sign ? ROLE_TEXT : role, "%s", words);
    sheet_end(sheet);
}

void live_beside(const struct live_view *view, const struct beside_row *rows, size_t count)
{
    if (!count)
        return;
    beside_add(view->sheet, rows, count, 4);
    sheet_end(view->sheet);
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

// ---- the frame ------------------------------------------------------------------------------------------------------

const struct live_ops *live_ops_of(const struct live *live)
{
    static const struct live_ops *const kinds[] = {
        [LIVE_LAB] = &live_lab,      [LIVE_WIDGET] = &live_widget, [LIVE_PREDICT] = &live_predict,
        [LIVE_QUIZ] = &live_quiz,    [LIVE_ORDER] = &live_order,   [LIVE_EXERCISE] = &live_task,
        [LIVE_BUGHUNT] = &live_task, [LIVE_CHALLENGE] = &live_task
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
