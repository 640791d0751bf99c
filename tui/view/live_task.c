// exercise, bughunt: a kernel of one's own that is edited, judged, and helped along by hints.
#include "tui/view/live.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- files ------------------------------------------------------------------------------------------------------

static char *folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? mem_copy_n(path, (size_t)(slash - path)) : mem_copy(".");
}

// A file of the lesson's folder.
static char *shipped_file(const struct lesson *lesson, const char *name)
{
    char *folder = folder_of(lesson->path), *file = path_join(folder, name);
    free(folder);
    return file;
}

// The learner's copy; NULL: there is no folder for it.
static char *own_file(const struct lesson *lesson, const struct live *live)
{
    struct text below = { 0 };
    text_addf(&below, "lessons/%s/%s", lesson->name, live_field(live, "file"));
    char *path = path_own(below.data);
    text_free(&below);
    return path;
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

static char *make_copy(const struct question *question, struct error *error)
{
    char *own = own_file(question->lesson, question->live);
    if (!own) {
        error_set(error, EXIT_MISSING, "There is no folder for your own copies: set WARPBOOK_HOME.");
        return NULL;
    }
    if (file_exists(own))
        return own;
    struct text text = { 0 };
    char *shipped = shipped_file(question->lesson, live_field(question->live, "file")),
         *folder = folder_of(own);
    bool made = file_read(shipped, &text, error) && folder_make(folder, error) &&
                file_replace(own, text_string(&text), text.length, error);
    text_free(&text);
    free(folder);
    free(shipped);
    if (!made) {
        free(own);
        return NULL;
    }
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

static void write_down(struct app *app, const char *kind, json_t *event)
{
    struct error error;
    if (!app->workbook || !event)
        json_decref(event);
    else if (!workbook_add(app->workbook, kind, event, &error))
        app_say(app, ROLE_BAD, "%s", error.text);
}

static void keep_hint(struct app *app, const struct question *question, const char *what)
{
    write_down(app, "hint",
               json_pack("{s:s, s:s, s:i, s:b, s:s}", "lesson", question->lesson->name, "id",
                         question->live->id, "hint", question->hints, "asked_solution", question->told,
                         "text", what));
}

static void keep_edit(struct app *app, const struct question *question, const char *path)
{
    char name[200];
    format_into(name, sizeof name, "%s/%s", question->lesson->name, live_field(question->live, "file"));
    write_down(app, "edit",
               json_pack("{s:s, s:s, s:s, s:s}", "lesson", question->lesson->name, "id", question->live->id,
                         "variant", name, "file", path));
}

// An answer that was right once stays right.
static void judged(struct app *app, struct question *question, const struct verdict *verdict)
{
    struct text why = { 0 };
    const char *words = verdict->words ? verdict->words : "";
    if (live_solved(question))
        return;
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
    uint64_t before = own_stamp(path);
    if (!own_edit(app, path, line_to_do(path), &error)) {
        app_say(app, ROLE_BAD, "%s", error.text);
    } else if (own_stamp(path) == before) {
        app_say(app, ROLE_DIM, "Nothing was changed.");
    } else {
        keep_edit(app, question, path);
        task_judge(app, question);
    }
    free(path);
}

// The copy goes aside, and what ships is there again.
static void begin_anew(struct app *app, struct question *question)
{
    struct text aside = { 0 };
    char *own = own_file(question->lesson, question->live);
    if (!own || !file_exists(own)) {
        app_say(app, ROLE_DIM, "There is no copy of yours yet.");
        free(own);
        return;
    }
    for (int n = 1; !aside.length || file_exists(aside.data); n++) {
        aside.length = 0;
        text_addf(&aside, "%s.old-%d", own, n);
    }
    if (rename(own, aside.data) != 0)
        app_say(app, ROLE_BAD, "Cannot rename %s: %s.", own, strerror(errno));
    else
        app_say(app, ROLE_GOOD, "Your copy is kept as %s.", strrchr(aside.data, '/') + 1);
    judging_close(question);
    text_free(&aside);
    free(own);
}

void task_answer(struct app *app, struct question *question, const char *answer)
{
    if (strcmp(answer, "edit") == 0) {
        task_edit(app, question);
    } else if (strcmp(answer, "judge") == 0) {
        task_judge(app, question);
    } else if (strcmp(answer, "anew") == 0) {
        begin_anew(app, question);
    } else if (strcmp(answer, "hint") == 0) {
        if (question->hints >= (int)live_count(question->live, "hint")) {
            app_say(app, ROLE_DIM, "There are no more hints.");
            return;
        }
        char what[40];
        format_into(what, sizeof what, "hint %d", ++question->hints);
        keep_hint(app, question, what);
    } else if (strcmp(answer, "solution") == 0) {
        question->showing = true;
        if (live_solved(question) || question->told)
            return;
        question->told = true;
        keep_hint(app, question, "asked for a solution");
    } else {
        app_say(app, ROLE_BAD, "An exercise takes edit, judge, hint, solution or anew, not '%s'.", answer);
    }
}
