// exercise, bughunt: a kernel of one's own that is edited, judged, and helped along by hints.
#include "tui/view/live.h"

#include <stdlib.h>
#include <string.h>

// ---- files ------------------------------------------------------------------------------------------------------

// A file of the lesson's folder.
static char *shipped_file(const struct lesson *lesson, const char *name)
{
    const char *slash = strrchr(lesson->path, '/');
    struct text path = { 0 };
    text_addf(&path, "%.*s%s", slash ? (int)(slash - lesson->path) + 1 : 0, lesson->path, name);
    return text_take(&path);
}

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
    return shipped_file(lesson, live_field(live, "file"));
}

// The caller frees; NULL: the error.
static char *make_copy(const struct question *question, struct error *error)
{
    char *own = own_file(question->lesson, question->live);
    if (own && file_exists(own))
        return own;
    struct text text = { 0 };
    char *shipped = shipped_file(question->lesson, live_field(question->live, "file"));
    if (!file_read(shipped, &text, error) || !own_make(own, text_string(&text), error)) {
        free(own);
        own = NULL;
    }
    text_free(&text);
    free(shipped);
    return own;
}

// ---- showing ----------------------------------------------------------------------------------------------------

static void file_line(const struct live_view *view)
{
    struct sheet *sheet = view->sheet;
    bool hunt = view->live->kind == LIVE_BUGHUNT;
    char *own = view->question ? own_file(view->lesson, view->live) : NULL;
    bool copy = own && file_exists(own);
    char *shipped = shipped_file(view->lesson, live_field(view->live, "file"));
    sheet_to(sheet, 2);
    sheet_hang(sheet, 2);
    sheet_flow(sheet, ROLE_DIM,
               copy   ? "Your copy:"
               : hunt ? "The kernel to mend:"
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
    char *path = shipped_file(view->lesson, live_field(view->live, "solution"));
    sheet_to(view->sheet, 2);
    sheet_flow(view->sheet, ROLE_NOTE, "One solution:");
    sheet_end(view->sheet);
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
        live_button(view, "Show a solution", "answer %s solution", id);
    if (own && file_exists(own))
        live_button(view, "Begin anew", "answer %s anew", id);
    free(own);
}

void task_add(const struct live_view *view)
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
    judging_add(view, "accepted: every run is right, without a finding");
    if (solved)
        live_ask(view, "because");
    if (question->showing)
        solution_lines(view);
    buttons(view);
}

// ---- what is remembered -----------------------------------------------------------------------------------------

void task_open(struct app *app, struct question *question)
{
    const json_t *event =
        app->workbook ? workbook_find(app->workbook, "hint", question->lesson->name, question->live->id)
                      : NULL;
    question->hints = (int)json_integer_value(json_object_get(event, "hint"));
    question->told = json_is_true(json_object_get(event, "asked_solution"));
}

// What counts as asked for when this is written down.
static bool keep_hint(struct app *app, struct question *question, int hints, bool told, const char *what)
{
    return question_write(app, question, "hint",
                          json_pack("{s:i, s:b, s:s}", "hint", hints, "asked_solution", told, "text", what));
}

static void keep_edit(struct app *app, const struct question *question, const char *path)
{
    struct error error;
    char name[200];
    format_into(name, sizeof name, "%s/%s", question->lesson->name, live_field(question->live, "file"));
    json_t *event = json_pack("{s:s, s:s, s:s, s:s}", "lesson", question->lesson->name, "id",
                              question->live->id, "variant", name, "file", path);
    if (!app->workbook || !event)
        json_decref(event);
    else if (!workbook_add(app->workbook, "edit", event, &error))
        app_say(app, ROLE_BAD, "%s", error.text);
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

// An answer that was right once stays right.
static void judged(struct app *app, struct question *question, const struct judge_verdict *verdict)
{
    struct text why = { 0 };
    const char *words = verdict->words ? verdict->words : "";
    if (live_solved(question)) {
        keep_review(app, question, verdict);
        return;
    }
    text_add_clean(&why, words, strcspn(words, "\n"));
    question_keep(app, question, false,
                  json_pack("{s:b, s:b, s:i, s:s}", "right", verdict->kind == VERDICT_ACCEPTED,
                            "asked_solution", question->told, "hints", question->hints, "text",
                            verdict->kind == VERDICT_ACCEPTED ? "accepted" : text_string(&why)));
    text_free(&why);
}

// ---- answering --------------------------------------------------------------------------------------------------

void task_judge(struct app *app, struct question *question)
{
    struct text text = { 0 };
    struct error error;
    char *path = file_at_hand(question->lesson, question->live);
    if (file_read(path, &text, &error))
        judging_start(app, question, live_field(question->live, "file"), text_string(&text), judged);
    else
        app_say(app, ROLE_BAD, "%s", error.text);
    text_free(&text);
    free(path);
}

static int line_to_do(const char *path)
{
    struct text text = { 0 };
    struct error unused;
    int line = 1;
    if (!file_read(path, &text, &unused))
        return 1;
    const char *todo = strstr(text_string(&text), "TODO");
    for (const char *at = text.data; todo && at && at < todo; at++)
        line += *at == '\n';
    text_free(&text);
    return line;
}

void task_edit(struct app *app, struct question *question)
{
    struct error error;
    char *path = make_copy(question, &error);
    if (!path) {
        app_say(app, ROLE_BAD, "%s", error.text);
        return;
    }
    if (own_edit(app, path, line_to_do(path)) == DONE) {
        keep_edit(app, question, path);
        task_judge(app, question);
    }
    free(path);
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

static void hint(struct app *app, struct question *question)
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
    if (asks && !keep_hint(app, question, question->hints, true, "asked for a solution"))
        return;
    question->told |= asks;
    question->showing = true;
}

void task_answer(struct app *app, struct question *question, const char *answer)
{
    if (strcmp(answer, "edit") == 0)
        task_edit(app, question);
    else if (strcmp(answer, "judge") == 0)
        task_judge(app, question);
    else if (strcmp(answer, "anew") == 0)
        begin_anew(app, question);
    else if (strcmp(answer, "hint") == 0)
        hint(app, question);
    else if (strcmp(answer, "solution") == 0)
        show_solution(app, question);
    else
        app_say(app, ROLE_BAD, "An exercise takes edit, judge, hint, solution or anew, not '%s'.", answer);
}
