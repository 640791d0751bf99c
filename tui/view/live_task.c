// Exercises and bug hunts: a kernel of one's own that is edited, judged and helped along by hints; and the judging of a
// kernel behind the screen, which wrong orders of lines are run by too.
#include "engine/sim/sim.h"
#include "tui/view/live.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct judging {
    struct question *question; // NULL: closed
    struct client *client;
    struct starters *starters; // the app's
    bool gpu;                  // there is one
    const struct live *live;   // of the app's lessons, which outlive its tasks
    char *text;
    struct own_lines own; // the file, and its lines that are called by their numbers in the block
    struct task *task;    // NULL: it is over
    void (*over)(struct app *app, struct question *question, const struct judge_verdict *verdict);
    bool came; // the verdict
    struct judge_verdict verdict;
    struct error error;
};

static void judging_free(struct judging *judging)
{
    if (judging->came)
        verdict_free(&judging->verdict);
    free(judging->text);
    free(judging);
}

// ---- judging: the task --------------------------------------------------------------------------------------

static bool watch(void *context, const char *stage, double seconds)
{
    const struct judging *judging = context;
    task_says(judging->task, "%s: %s", judging->own.file, stage);
    return !judging->task->stop;
}

static void work(struct task *task)
{
    struct judging *judging = task->context;
    task_says(task, "%s: starting", judging->own.file);
    judging->starters->gpu = judging->gpu;
    judging->came = judge(judging->client, judging->live, judging->own.file, judging->text, judging->starters,
                          watch, judging, &judging->verdict, &judging->error);
}

static void done(struct app *app, struct task *task)
{
    struct judging *judging = task->context;
    struct question *question = judging->question;
    bool stopped = task->stop && !judging->came;
    judging->task = NULL;
    app->dirty = true;
    if (!question) {
        judging_free(judging);
    } else if (stopped) {
        app_say(app, ROLE_NOTE, "Stopped.");
        judging_close(question);
    } else if (judging->came && judging->over) {
        judging->over(app, question, &judging->verdict);
    }
}

void judging_start(struct app *app, struct question *question, const char *text, struct own_lines own,
                   void (*over)(struct app *app, struct question *question,
                                const struct judge_verdict *verdict))
{
    const struct judging *running = question->judging;
    if (running && running->task && strcmp(running->text, text) == 0) {
        app_say(app, ROLE_DIM, "It is being judged.");
        return;
    }
    judging_close(question); // a verdict on another text would be stale
    struct judging *judging = mem_new(sizeof *judging);
    *judging = (struct judging){ .question = question,
                                 .client = runs_client(app),
                                 .starters = &app->starters,
                                 .gpu = runs_gpu(app),
                                 .live = question->live,
                                 .text = mem_copy(text),
                                 .own = own,
                                 .over = over };
    judging->task = mem_new(sizeof *judging->task);
    *judging->task = (struct task){ .work = work, .done = done, .context = judging };
    question->judging = judging;
    app->dirty = true;
    tasks_add(app->tasks, LANE_RUNS, judging->task);
}

void judging_close(struct question *question)
{
    struct judging *judging = question->judging;
    question->judging = NULL;
    if (judging && judging->task) {
        judging->question = NULL; // `done` frees it
        judging->task->stop = true;
    } else if (judging) {
        judging_free(judging);
    }
}

// ---- judging: showing ---------------------------------------------------------------------------------------

static void signed_words(const struct live_view *view, enum role role, enum glyph sign, const char *words)
{
    live_put(view, role, 4, "%s %s", glyph(view->sheet->utf8, sign), words);
}

static void code_line(struct sheet *sheet, const struct judging *judging, int number)
{
    const char *text = judging->text;
    int own = own_line(&judging->own, number);
    for (int i = 1; i < number && *text; i++) {
        text += strcspn(text, "\n");
        text += *text == '\n';
    }
    char *line = mem_copy_n(text, strcspn(text, "\n"));
    sheet_to(sheet, 4);
    sheet_add(sheet, ROLE_DIM, "%3d ", own ? own : number);
    typeset_code(sheet, sheet->used + 1, "cuda", line);
    free(line);
}

// The lines of the kernel that findings or the compiler speak of.
static void code_lines(struct sheet *sheet, const struct judging *judging)
{
    enum { MOST = 3 };
    const struct record *record = &judging->verdict.record;
    int shown[MOST], count = 0;
    for (size_t i = 0; i < record->finding_count && count < MOST; i++) {
        int line = record->findings[i].here.line, other = record->findings[i].there.line;
        for (int side = 0; side < 2 && count < MOST; side++, line = other) {
            bool again = line <= 0;
            for (int j = 0; j < count; j++)
                again |= shown[j] == line;
            if (again)
                continue;
            shown[count++] = line;
            code_line(sheet, judging, line);
        }
    }
}

// The kernel's own words about its trouble: the first lines that it printed, without those of assertions, which the
// finding tells.
static void printed_lines(struct sheet *sheet, const char *printed)
{
    enum { MOST = 3 };
    for (int shown = 0; printed && *printed && shown < MOST;) {
        size_t length = strcspn(printed, "\n");
        char *line = mem_copy_n(printed, length);
        if (length && !strstr(line, ": assertion '")) {
            sheet_to(sheet, 4);
            sheet_hang(sheet, 6);
            sheet_flow(sheet, ROLE_DIM, "%s%s", shown++ ? "" : "printed: ", line);
            sheet_end(sheet);
        }
        free(line);
        printed += length + (printed[length] == '\n');
    }
}

// In column 4, and where a sign precedes it, wrapped after that.
static void inner_line(const struct live_view *view, enum role role, const char *sign, const char *words)
{
    struct sheet *sheet = view->sheet;
    sheet_to(sheet, 4);
    sheet_hang(sheet, *sign ? 6 : 4);
    if (*sign)
        sheet_flow(sheet, role, "%s ", sign);
    sheet_flow(sheet, *sign ? ROLE_TEXT : role, "%s", words);
    sheet_end(sheet);
}

// Each limit beside what the shipped kernel and this one had of it.

struct limits_shown {
    struct limit list[LIMITS_MOST];
    size_t count;
    bool had, got; // whether one has it
    bool told;     // a budget is missed, so that the lines say why the answer is refused
};

// Of an answer that did not run only what is asked is known. A guard has a sentence of its own where it is all that is
// missed.
static struct limits_shown limits_shown(const struct judging *judging)
{
    const struct judge_verdict *verdict = &judging->verdict;
    struct limits_shown shown = { 0 };
    for (size_t i = 0; i < verdict->limit_count; i++) {
        const struct limit *limit = &verdict->limits[i];
        bool got = isfinite(limit->got), missed = got && !limit->met;
        shown.told |= missed && !limit->quiet && verdict->kind == VERDICT_BUDGET;
        if (limit->quiet && !(missed && shown.told))
            continue;
        shown.list[shown.count++] = *limit;
        shown.had |= isfinite(limit->had);
        shown.got |= got;
    }
    return shown;
}

// "Simulated with n = 1000, the shipped kernel first:"
static void limits_head(const struct live_view *view, const struct judge_verdict *verdict,
                        const struct limits_shown *shown)
{
    const char *with = verdict->with ? verdict->with : "";
    struct text words = { 0 };
    if (!shown->got && !shown->had)
        text_add(&words, "What is asked:");
    else
        text_addf(&words, "Simulated%s%s, %s:", *with ? " with " : "", with,
                  !shown->had  ? "yours"
                  : shown->got ? "the shipped kernel first"
                               : "the shipped kernel");
    inner_line(view, ROLE_DIM, "", words.data);
    text_free(&words);
}

static void limit_lines(const struct live_view *view, const struct judging *judging)
{
    const struct judge_verdict *verdict = &judging->verdict;
    bool counts = verdict->kind == VERDICT_ACCEPTED || verdict->kind == VERDICT_BUDGET;
    struct limits_shown shown = limits_shown(judging);
    if (verdict->timed) {
        struct text time = { 0 };
        limit_time_words(verdict->timed, verdict->had_ms, verdict->ms, &time);
        inner_line(view, ROLE_GPU, glyph(view->sheet->utf8, GLYPH_BULLET), text_string(&time));
        text_free(&time);
    }
    if (!shown.count)
        return;
    limits_head(view, verdict, &shown);
    for (size_t i = 0; i < shown.count; i++) {
        bool met = shown.list[i].met, judged = counts && isfinite(shown.list[i].got);
        struct text words = { 0 };
        limit_words(&shown.list[i], &words);
        inner_line(view,
                   !judged ? ROLE_TEXT
                   : met   ? ROLE_GOOD
                           : ROLE_BAD,
                   glyph(view->sheet->utf8, !judged ? GLYPH_BULLET
                                            : met   ? GLYPH_DONE
                                                    : GLYPH_WRONG),
                   words.data);
        text_free(&words);
    }
    if (!counts && shown.got)
        inner_line(view, ROLE_DIM, "", "They count once the result is right.");
    if (verdict->starter_why) {
        char why[120];
        format_into(why, sizeof why, "The shipped kernel has no numbers to compare with: %s.",
                    verdict->starter_why);
        inner_line(view, ROLE_DIM, "", why);
    }
}

static void say_why(const struct live_view *view, const struct judging *judging)
{
    bool compiler = judging->verdict.kind == VERDICT_COMPILE;
    if (limits_shown(judging).told)
        return;
    live_words(view->sheet, 4, compiler ? 6 : 4, judging->verdict.words ? judging->verdict.words : "",
               &judging->own);
    if (compiler)
        return;
    printed_lines(view->sheet, judging->verdict.record.printed);
    code_lines(view->sheet, judging);
}

void judging_add(const struct live_view *view, const char *accepted)
{
    static const char *const why[] = { [VERDICT_COMPILE] = "it does not compile",
                                       [VERDICT_CHANGED] = "a line that has to stay was changed",
                                       [VERDICT_RESULT] = "the result is wrong",
                                       [VERDICT_FINDING] = "the simulator finds a defect",
                                       [VERDICT_BUDGET] = "right, but it costs too much" };
    const struct judging *judging = view->question ? view->question->judging : NULL;
    if (!judging)
        return;
    const struct record *record = &judging->verdict.record;
    bool known = judging->verdict.kind == VERDICT_COMPILE || judging->verdict.kind == VERDICT_CHANGED;
    bool ran = record->status != STATUS_FAILED || record->finding_count > 0;
    if (judging->task) {
        signed_words(view, ROLE_NOTE, GLYPH_ELLIPSIS, "It is being judged.");
    } else if (!judging->came) {
        struct text words = { 0 };
        text_add(&words, "It could not be judged: ");
        prompt_words(&words, judging->error.text, view->app->known.commands);
        signed_words(view, ROLE_BAD, GLYPH_WRONG, words.data);
        text_free(&words);
    } else if (judging->verdict.kind == VERDICT_ACCEPTED) {
        signed_words(view, ROLE_GOOD, GLYPH_DONE, accepted);
    } else {
        signed_words(view, ROLE_BAD, GLYPH_WRONG,
                     known || ran ? why[judging->verdict.kind] : "it cannot be run");
        say_why(view, judging);
    }
    if (!judging->task && judging->came)
        limit_lines(view, judging);
}

// ---- exercises: files ---------------------------------------------------------------------------------------

// The learner's copy; NULL: there is no folder for it.
static char *own_file(const struct lesson *lesson, const struct live *live)
{
    return lesson_copy(lesson, live_field(live, "file"));
}

// The copy where there is one, or else what one starts from.
static char *file_at_hand(const struct lesson *lesson, const struct live *live)
{
    char *own = own_file(lesson, live);
    if (own && file_exists(own))
        return own;
    free(own);
    return live_file(lesson, live_field(live, "file"));
}

// The caller frees; NULL: the error.
static char *make_copy(const struct question *question, struct error *error)
{
    char *own = own_file(question->lesson, question->live);
    if (own && file_exists(own))
        return own;
    struct text text = { 0 };
    char *shipped = live_file(question->lesson, live_field(question->live, "file"));
    if (!file_read(shipped, &text, error) || !own_make(own, text_string(&text), error)) {
        free(own);
        own = NULL;
    }
    text_free(&text);
    free(shipped);
    return own;
}

// ---- exercises: showing -------------------------------------------------------------------------------------

static void file_line(const struct live_view *view)
{
    struct sheet *sheet = view->sheet;
    bool hunt = view->live->kind == LIVE_BUGHUNT;
    char *own = view->question ? own_file(view->lesson, view->live) : NULL;
    bool copy = own && file_exists(own);
    char *shipped = live_file(view->lesson, live_field(view->live, "file"));
    sheet_to(sheet, 2);
    sheet_hang(sheet, 2);
    sheet_flow(sheet, ROLE_DIM,
               copy   ? "Your copy:"
               : hunt ? "The kernel to fix:"
                      : "The kernel to begin with:");
    sheet_flow(sheet, ROLE_TEXT, " ");
    sheet_flow(sheet, ROLE_CODE, "%s", copy ? own : shipped);
    sheet_end(sheet);
    free(own);
    free(shipped);
}

static void hint_lines(const struct live_view *view)
{
    struct sheet *sheet = view->sheet;
    const char *hint;
    for (int i = 0; i < view->question->hints && (hint = live_nth(view->live, "hint", (size_t)i)); i++) {
        sheet_to(sheet, 2);
        sheet_hang(sheet, 4);
        sheet_flow(sheet, ROLE_NOTE, "Hint %d:", i + 1);
        sheet_flow(sheet, ROLE_TEXT, " ");
        typeset_text(sheet, ROLE_TEXT, hint, view->links);
        sheet_end(sheet);
    }
}

static void solution_lines(const struct live_view *view)
{
    struct text text = { 0 };
    struct error error;
    char *path = live_file(view->lesson, live_field(view->live, "solution"));
    live_put(view, ROLE_NOTE, 2, "One solution:");
    if (file_read(path, &text, &error))
        typeset_code(view->sheet, 0, "cuda", text_string(&text));
    else
        sheet_paragraph(view->sheet, ROLE_BAD, 2, error.text);
    text_free(&text);
    free(path);
}

static void buttons(const struct live_view *view)
{
    const struct question *question = view->question;
    const char *id = view->live->id;
    int hints = (int)live_count(view->live, "hint");
    char *own = own_file(view->lesson, view->live);
    live_button(view, "Edit your copy", "answer %s edit", id);
    live_button(view, "Judge it", "answer %s judge", id);
    if (question->hints < hints) {
        char words[40];
        format_into(words, sizeof words, "Hint %d of %d", question->hints + 1, hints);
        live_button(view, words, "answer %s hint", id);
    }
    if (!question->showing)
        live_button(view, question->asked_to_show ? "Show a solution? Enter shows it" : "Show a solution",
                    "answer %s solution", id);
    if (json_array_size(json_object_get(question->answered, "limits")) > 0 &&
        !strpbrk(view->lesson->name, "\"\\"))
        live_button(view, "Your attempts", "workbook answers \"%s/%s\"", view->lesson->name, id);
    if (own && file_exists(own))
        live_button(view, "Begin anew", "answer %s anew", id);
    free(own);
}

// What the answer that stands in the workbook came to, until another one is judged.
static void kept_limits(const struct live_view *view)
{
    const json_t *answered = view->question->answered;
    struct limit limits[LIMITS_MOST];
    size_t count = view->question->judging ? 0 : limits_read(answered, limits);
    const char *with = event_text(answered, "with");
    if (!count)
        return;
    struct text head = { 0 };
    text_addf(&head, "%s, simulated%s%s:", live_solved(view->question) ? "Accepted" : "Judged last",
              *with ? " with " : "", with);
    inner_line(view, ROLE_DIM, "", head.data);
    text_free(&head);
    for (size_t i = 0; i < count; i++) {
        struct text words = { 0 };
        limit_words(&limits[i], &words);
        inner_line(view, ROLE_TEXT, glyph(view->sheet->utf8, GLYPH_BULLET), words.data);
        text_free(&words);
    }
}

static void task_add(const struct live_view *view)
{
    const struct question *question = view->question;
    bool hunt = view->live->kind == LIVE_BUGHUNT, solved = live_solved(question);
    bool told = question && question->told;
    const char *words = solved ? told ? "solved after a look at a solution" : "solved"
                        : told ? "a solution was shown"
                               : "";
    live_head(view, hunt ? "Bug hunt" : "Exercise", solved ? ROLE_GOOD : ROLE_NOTE,
              solved ? GLYPH_DONE : GLYPH_HALF, words);
    live_ask(view, "ask");
    file_line(view);
    if (!question)
        return;
    hint_lines(view);
    kept_limits(view);
    judging_add(view, "accepted: every run is right, without a finding");
    if (solved)
        live_ask(view, "because");
    if (question->showing)
        solution_lines(view);
    buttons(view);
}

// ---- exercises: what is remembered --------------------------------------------------------------------------

static void task_open(struct app *app, struct question *question)
{
    const json_t *event =
        app->workbook ? workbook_find(app->workbook, "hint", question->lesson->name, question->live->id)
                      : NULL;
    question->hints = (int)json_integer_value(json_object_get(event, "hint"));
    question->told = json_is_true(json_object_get(event, "asked_solution"));
}

// Writes down how many hints were asked for, and whether a solution was.
static bool keep_hint(struct app *app, struct question *question, int hints, bool told, const char *what)
{
    return question_write(app, question, "hint",
                          json_pack("{s:i, s:b, s:s}", "hint", hints, "asked_solution", told, "text", what));
}

static void keep_edit(struct app *app, const struct question *question, const char *path)
{
    char name[200];
    format_into(name, sizeof name, "%s/%s", question->lesson->name, live_field(question->live, "file"));
    app_keep(app, "edit",
             json_pack("{s:s, s:s, s:s, s:s}", "lesson", question->lesson->name, "id", question->live->id,
                       "variant", name, "file", path));
}

// A task that was solved comes back in the review when it had been wrong: solved again on its day, it counts there.
static void keep_review(struct app *app, struct question *question, const struct judge_verdict *verdict)
{
    bool waits = verdict->kind == VERDICT_ACCEPTED && app->workbook &&
                 review_waits(app->workbook, app_lessons(app), question->live);
    json_t *event = waits ? json_pack("{s:b, s:b, s:s}", "right", 1, "review", 1, "text", "accepted") : NULL;
    if (event && question_write(app, question, "answer", event))
        app_say(app, ROLE_GOOD, "This counts as reviewed.");
}

// The verdict, with each limit, what the shipped kernel had and what this one has.
static json_t *event_of(const struct question *question, const struct judge_verdict *verdict)
{
    struct text why = { 0 };
    bool accepted = verdict->kind == VERDICT_ACCEPTED;
    const char *words = verdict->words ? verdict->words : "";
    text_add_clean(&why, words, strcspn(words, "\n"));
    json_t *event = json_pack("{s:b, s:b, s:i, s:s}", "right", accepted, "asked_solution", question->told,
                              "hints", question->hints, "text", accepted ? "accepted" : text_string(&why));
    if (verdict->limit_count)
        json_object_set_new(event, "limits", limits_event(verdict->limits, verdict->limit_count));
    if (verdict->limit_count && verdict->with && *verdict->with)
        json_object_set_new(event, "with", json_string(verdict->with));
    if (verdict->timed) {
        json_object_set_new(event, "timed", json_string(verdict->timed));
        json_object_set_new(event, "ms", json_real(verdict->ms));
    }
    if (verdict->timed && isfinite(verdict->had_ms))
        json_object_set_new(event, "had_ms", json_real(verdict->had_ms));
    text_free(&why);
    return event;
}

// Whether the newest attempt came to the same.
static bool told_before(struct app *app, const struct question *question, const json_t *event)
{
    const json_t *before =
        app->workbook ? workbook_find(app->workbook, "attempt", question->lesson->name, question->live->id)
                      : NULL;
    before = before ? before : question->answered;
    return json_equal(json_object_get(before, "limits"), json_object_get(event, "limits")) &&
           strcmp(event_text(before, "text"), event_text(event, "text")) == 0;
}

// An answer that was right once stays right: what comes after it is an attempt, which only its numbers are kept of.
static void judged(struct app *app, struct question *question, const struct judge_verdict *verdict)
{
    json_t *event = event_of(question, verdict);
    if (!live_solved(question)) {
        question_keep(app, question, false, event);
        return;
    }
    keep_review(app, question, verdict);
    if ((live_field(question->live, "budget") || verdict->timed) && event &&
        !told_before(app, question, event))
        question_write(app, question, "attempt", event);
    else
        json_decref(event);
}

// ---- exercises: answering -----------------------------------------------------------------------------------

static void task_judge(struct app *app, struct question *question)
{
    struct text text = { 0 };
    struct error error;
    struct own_lines own = { .file = live_field(question->live, "file") };
    char *path = file_at_hand(question->lesson, question->live);
    if (file_read(path, &text, &error))
        judging_start(app, question, text_string(&text), own, judged);
    else
        app_say(app, ROLE_BAD, "%s", error.text);
    text_free(&text);
    free(path);
}

// Where editing begins: at the line that the verdict on this very text names, or else at what is to do.
static int line_to_edit(const struct question *question, const char *path)
{
    const struct judging *judging = question->judging;
    struct text text = { 0 };
    struct error unused;
    int line = 1;
    if (!file_read(path, &text, &unused))
        return 1;
    const char *todo = strstr(text_string(&text), "TODO");
    bool judged =
        judging && !judging->task && judging->came && strcmp(judging->text, text_string(&text)) == 0;
    if (judged && judging->verdict.line)
        line = judging->verdict.line;
    else if (todo)
        line = text_line_of(text.data, todo);
    text_free(&text);
    return line;
}

static void task_edit(struct app *app, struct question *question)
{
    struct error error;
    char *path = make_copy(question, &error);
    if (!path) {
        app_say(app, ROLE_BAD, "%s", error.text);
        return;
    }
    if (own_edit(app, path, line_to_edit(question, path)) == DONE) {
        keep_edit(app, question, path);
        task_judge(app, question);
    }
    free(path);
}

// Judges each save of the copy, or ends that.
static void task_watch(struct app *app, struct question *question)
{
    struct error error;
    char *path = question->watch.path ? NULL : make_copy(question, &error);
    if (question->watch.path || path)
        watch_toggle(&question->watch, app, path, "is judged");
    else
        app_say(app, ROLE_BAD, "%s", error.text);
}

// The copy goes aside, and what ships is there again.
static void begin_anew(struct app *app, struct question *question)
{
    struct error error;
    char *own = own_file(question->lesson, question->live);
    if (!own || !file_exists(own)) {
        app_say(app, ROLE_DIM, "There is no copy of yours yet.");
        free(own);
        return;
    }
    char *kept = own_put_aside(own, &error);
    if (kept)
        app_say(app, ROLE_GOOD, "Your copy is kept as %s.", kept);
    else
        app_say(app, ROLE_BAD, "%s", error.text);
    judging_close(question);
    free(kept);
    free(own);
}

static void give_hint(struct app *app, struct question *question)
{
    char what[40];
    if (question->hints >= (int)live_count(question->live, "hint")) {
        app_say(app, ROLE_DIM, "There are no more hints.");
        return;
    }
    format_into(what, sizeof what, "hint %d", question->hints + 1);
    if (keep_hint(app, question, question->hints + 1, question->told, what))
        question->hints++;
}

static void show_solution(struct app *app, struct question *question)
{
    bool asks = !live_solved(question) && !question->told;
    if (asks && !question_shows(app, question))
        return;
    if (asks && !keep_hint(app, question, question->hints, true, "asked for a solution"))
        return;
    question->told |= asks;
    question->showing = true;
}

static void task_answer(struct app *app, struct question *question, const char *answer)
{
    if (strcmp(answer, "solution") != 0)
        question->asked_to_show = false;
    if (strcmp(answer, "edit") == 0)
        task_edit(app, question);
    else if (strcmp(answer, "judge") == 0)
        task_judge(app, question);
    else if (strcmp(answer, "watch") == 0)
        task_watch(app, question);
    else if (strcmp(answer, "anew") == 0)
        begin_anew(app, question);
    else if (strcmp(answer, "hint") == 0)
        give_hint(app, question);
    else if (strcmp(answer, "solution") == 0)
        show_solution(app, question);
    else
        app_say(app, ROLE_BAD, "An exercise takes edit, judge, watch, hint, solution or anew, not '%s'.",
                answer);
}

const struct live_ops live_task = {
    .add = task_add, .open = task_open, .answer = task_answer, .run = task_judge
};
