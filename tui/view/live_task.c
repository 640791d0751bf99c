// Exercises, bug hunts and challenges: a kernel of one's own that is edited, judged and helped along by hints, and what the
// workbook keeps of it.
#include "tui/view/live.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- files ---------------------------------------------------------------------------------------

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

// ---- showing -------------------------------------------------------------------------------------

// A path that is read, and fits a line: what lies in the user's home begins with ~, as in a shell.
static void path_words(struct sheet *sheet, const char *path)
{
    const char *home = getenv("HOME");
    size_t length = home ? strlen(home) : 0;
    bool within = length > 1 && string_starts(path, home) && path[length] == '/';
    sheet_flow(sheet, ROLE_CODE, "%s%s", within ? "~" : "", within ? path + length : path);
}

static void file_line(const struct live_view *view)
{
    struct sheet *sheet = view->sheet;
    bool hunt = view->live->kind == LIVE_BUGHUNT, challenge = view->live->kind == LIVE_CHALLENGE;
    char *own = view->question ? own_file(view->lesson, view->live) : NULL;
    bool copy = own && file_exists(own);
    char *shipped = live_file(view->lesson, live_field(view->live, "file"));
    sheet_to(sheet, 2);
    sheet_hang(sheet, 2);
    sheet_flow(sheet, ROLE_DIM,
               copy        ? "Your copy:"
               : hunt      ? "The kernel to fix:"
               : challenge ? "What is given:"
                           : "The kernel to begin with:");
    sheet_flow(sheet, ROLE_TEXT, " ");
    path_words(sheet, copy ? own : shipped);
    sheet_end(sheet);
    char *aside = own && !copy ? own_aside(own, true) : NULL;
    if (aside)
        live_put(view, ROLE_DIM, 2, "Your copy before: %s", aside);
    free(aside);
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

// Its lines that are not in the file that one has, marked as where steps differ.
static void solution_lines(const struct live_view *view)
{
    struct text text = { 0 }, from = { 0 };
    struct error error, unread;
    char *path = live_file(view->lesson, live_field(view->live, "solution"));
    char *own = own_file(view->lesson, view->live), *has = file_at_hand(view->lesson, view->live);
    bool compared = file_read(has, &from, &unread), copy = own && strcmp(own, has) == 0;
    if (file_read(path, &text, &error)) {
        struct listing listing = { .text = text_string(&text),
                                   .before = compared ? text_string(&from) : NULL };
        live_put(view, ROLE_NOTE, 2,
                 "One solution; + marks what %s does not have:", copy ? "your copy" : "the given kernel");
        struct sheet lines = listing_sheet(&listing, view->sheet->width, view->sheet->utf8);
        typeset_paste(view->sheet, &lines, "", false);
        sheet_free(&lines);
    } else {
        sheet_paragraph(view->sheet, ROLE_BAD, 2, error.text);
    }
    text_free(&text);
    text_free(&from);
    free(path);
    free(own);
    free(has);
}

// The attempts that the workbook lists.
static size_t attempt_count(const struct live_view *view)
{
    const struct workbook *workbook = view->app ? view->app->workbook : NULL;
    size_t count = 0;
    for (size_t i = 0; workbook && i < workbook_count(workbook); i++)
        count += (workbook_is(workbook, i, "answer") || workbook_is(workbook, i, "attempt")) &&
                 workbook_about(workbook, i, view->lesson->name, view->live->id);
    return count;
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
        live_button(
            view, question_asks(question, "solution") ? "Show a solution? Enter shows it" : "Show a solution",
            "answer %s solution", id);
    if (attempt_count(view) > 1 && !strpbrk(view->lesson->name, "\"\\"))
        live_button(view, "Your attempts", "workbook answers \"%s/%s\"", view->lesson->name, id);
    if (own && file_exists(own))
        live_button(
            view, question_asks(question, "anew") ? "Start again? Enter puts your copy aside" : "Start again",
            "answer %s anew", id);
    free(own);
}

// Rows come after the verdict, so they are those of the newest attempt, or of the newest right one where it is solved.
static void kept_beside(const struct live_view *view)
{
    const struct workbook *workbook = view->app ? view->app->workbook : NULL;
    unsigned wanted = live_solved(view->question) ? EVENT_RIGHT : 0;
    struct beside_row rows[BESIDE_MOST];
    size_t i = workbook && live_field(view->live, "beside") ? workbook_count(workbook) : 0, count = 0;
    while (!count && i-- > 0)
        if (workbook_is(workbook, i, "attempt") &&
            workbook_about(workbook, i, view->lesson->name, view->live->id) &&
            (workbook_marks(workbook, i) & wanted) == wanted)
            count = beside_read(workbook_event(workbook, i), rows, BESIDE_MOST);
    live_beside(view, rows, count);
}

// What the answer in the workbook came to, until another one is judged.
static void kept_limits(const struct live_view *view)
{
    const json_t *answered = view->question->answered;
    struct limit limits[LIMITS_MOST];
    size_t count = view->question->judging ? 0 : limits_read(answered, limits);
    const char *with = event_text(answered, "with");
    if (!view->question->judging)
        kept_beside(view);
    if (!count)
        return;
    struct text head = { 0 };
    text_addf(&head, "%s, simulated%s%s:", live_solved(view->question) ? "Accepted" : "Judged last",
              *with ? " with " : "", with);
    live_inner(view, ROLE_DIM, "", head.data);
    text_free(&head);
    for (size_t i = 0; i < count; i++) {
        struct text words = { 0 };
        limit_words(&limits[i], &words);
        live_inner(view, ROLE_TEXT, glyph(view->sheet->utf8, GLYPH_BULLET), words.data);
        text_free(&words);
    }
}

// The attempts at a challenge.
static void board_lines(const struct live_view *view)
{
    enum { ROWS = 5 };
    struct attempt_board board =
        board_read(view->app ? view->app->workbook : NULL, view->lesson->name, view->live->id);
    if (view->live->kind == LIVE_CHALLENGE)
        board_add(view->sheet, &board, ROWS);
    board_free(&board);
}

// The explanation is of the answer that is right, so it is not shown below a verdict on another one.
static bool explains(const struct question *question)
{
    const struct judging *judging = question->judging;
    bool waits = judging && judging->task && !judging->timing;
    return !judging || (!waits && judging->came && judging->verdict.kind == VERDICT_ACCEPTED);
}

static void task_add(const struct live_view *view)
{
    const struct question *question = view->question;
    bool solved = live_solved(question);
    bool told = question && question->told;
    const struct judging *judging = question ? question->judging : NULL;
    bool later = judging && judging->came && judging->verdict.kind != VERDICT_ACCEPTED;
    const char *words = solved ? later  ? "solved; the verdict below is on what you changed since"
                                 : told ? "solved after a look at a solution"
                                        : "solved"
                        : told ? "a solution was shown"
                               : "";
    live_head(view, live_title(view->live->kind), solved ? ROLE_GOOD : ROLE_NOTE,
              solved ? GLYPH_DONE : GLYPH_HALF, words);
    live_ask(view, "ask");
    file_line(view);
    if (!question)
        return;
    if (live_field(view->live, "goal") && view->app && runs_machine(view->app) && !runs_gpu(view->app))
        live_put(view, ROLE_DIM, 2, "There is no GPU here, so nothing is measured against the goal.");
    hint_lines(view);
    kept_limits(view);
    bool clock = view->live->kind == LIVE_CHALLENGE && question->judging && question->judging->gpu &&
                 !question->judging->verdict.timed;
    judging_add(view, clock ? "every run is right, and the simulator found no mistake: the clock decides"
                            : "accepted: every run is right, and the simulator found no mistake");
    board_lines(view);
    if (solved && explains(question))
        live_ask(view, "because");
    if (question->showing)
        solution_lines(view);
    buttons(view);
}

// ---- what is remembered --------------------------------------------------------------------------

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

static json_t *beside_event(const struct judge_verdict *verdict)
{
    json_t *list = json_array();
    for (size_t i = 0; i < verdict->beside_count; i++) {
        const struct beside_row *row = &verdict->beside[i];
        json_t *one = json_pack("{s:s, s:s, s:s}", "what", row->what, "how", row->how, "with", row->with);
        if (one && isfinite(row->ms))
            json_object_set_new(one, "ms", json_real(row->ms));
        if (one && isfinite(row->in_a_row))
            json_object_set_new(one, "in_a_row", json_real(row->in_a_row));
        if (one)
            json_array_append_new(list, one);
    }
    return list;
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
    if (verdict->beside_count)
        json_object_set_new(event, "beside", beside_event(verdict));
    if (verdict->timed) {
        json_object_set_new(event, "timed", json_string(verdict->timed));
        json_object_set_new(event, "ms", json_real(verdict->ms));
    }
    if (verdict->timed && isfinite(verdict->had_ms))
        json_object_set_new(event, "had_ms", json_real(verdict->had_ms));
    if (verdict->timed && isfinite(verdict->ceiling_pct))
        json_object_set_new(event, "ceiling_pct", json_real(verdict->ceiling_pct));
    if (verdict->timed && verdict->device)
        json_object_set_new(event, "device", json_string(verdict->device));
    bool counts = accepted || verdict->kind == VERDICT_BUDGET; // the numbers of another result are no merit
    if (verdict->limit_count && !counts)
        json_object_set_new(event, "counts", json_false());
    if (question->live->kind == LIVE_CHALLENGE)
        json_object_set_new(event, "clean", json_boolean(counts));
    text_free(&why);
    return event;
}

// Whether the newest attempt came to the same, within what times differ by.
static bool told_before(struct app *app, const struct question *question, const json_t *event)
{
    const double near = 0.02;
    const json_t *before =
        app->workbook ? workbook_find(app->workbook, "attempt", question->lesson->name, question->live->id)
                      : NULL;
    before = before ? before : question->answered;
    double ms = json_number_value(json_object_get(event, "ms")),
           ms_before = json_number_value(json_object_get(before, "ms"));
    if (ms > 0)
        return fabs(ms - ms_before) < near * ms;
    if (json_object_get(event, "beside") && !json_object_get(before, "beside"))
        return false;
    return json_equal(json_object_get(before, "limits"), json_object_get(event, "limits")) &&
           strcmp(event_text(before, "text"), event_text(event, "text")) == 0;
}

static void keep_attempt(struct app *app, struct question *question, json_t *event)
{
    if (event && !told_before(app, question, event))
        question_write(app, question, "attempt", event);
    else
        json_decref(event);
}

// An answer that was right once stays right: what comes after it is an attempt, which only its numbers are kept of, and so
// is what the clock says of an exercise. A challenge waits for the clock.
static void judged(struct app *app, struct question *question, const struct judge_verdict *verdict,
                   enum judged when)
{
    bool challenge = question->live->kind == LIVE_CHALLENGE;
    if (challenge && when == JUDGED_UNTIMED)
        return;
    if (challenge && when == JUDGED_TIMED && !verdict->timed) {
        app_say(app, ROLE_NOTE, "It could not be timed, so it is not on the board: judge it again.");
        return;
    }
    if (!challenge && when == JUDGED_TIMED) {
        if (verdict->timed || verdict->beside_count)
            keep_attempt(app, question, event_of(question, verdict));
        return;
    }
    if (!live_solved(question)) {
        question_keep(app, question, false, event_of(question, verdict));
        return;
    }
    keep_review(app, question, verdict);
    if (live_field(question->live, "budget"))
        keep_attempt(app, question, event_of(question, verdict));
}

// ---- answering -----------------------------------------------------------------------------------

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
    bool judged = judging && (!judging->task || judging->timing) && judging->came &&
                  strcmp(judging->text, text_string(&text)) == 0;
    if (judged && judging->verdict.line)
        line = judging->verdict.line;
    else if (todo)
        line = text_line_of(text.data, todo);
    text_free(&text);
    return line;
}

// Whether the copy is still what one starts from.
static bool is_as_shipped(const struct question *question, const char *path)
{
    struct text own = { 0 }, shipped = { 0 };
    struct error unused;
    char *from = live_file(question->lesson, live_field(question->live, "file"));
    bool same = file_read(path, &own, &unused) && file_read(from, &shipped, &unused) &&
                strcmp(text_string(&own), text_string(&shipped)) == 0;
    text_free(&own);
    text_free(&shipped);
    free(from);
    return same;
}

static void task_edit(struct app *app, struct question *question)
{
    struct error error;
    char *path = make_copy(question, &error);
    if (!path) {
        app_say(app, ROLE_BAD, "%s", error.text);
        return;
    }
    bool saved = own_edit(app, path, line_to_edit(question, path)) == DONE;
    if (saved && is_as_shipped(question, path)) {
        app_say(app, ROLE_DIM, "Nothing was changed.");
    } else if (saved) {
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
        app_say(app, ROLE_DIM, "You have no copy of it yet.");
        free(own);
        return;
    }
    if (!question_asked_twice(app, question, "anew",
                              "Once more starts again; your copy is kept under another name.")) {
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
    if (asks && !question_asked_twice(app, question, "solution",
                                      "Once more shows it, and the workbook says that it was shown."))
        return;
    if (asks && !keep_hint(app, question, question->hints, true, "asked for a solution"))
        return;
    question->told |= asks;
    question->showing = true;
}

static void task_answer(struct app *app, struct question *question, const char *answer)
{
    if (!question_asks(question, answer))
        question->asked = NULL;
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
