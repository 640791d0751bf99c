// A kernel that is judged behind the screen, and what came out. It belongs to a question until that is closed or judged
// anew; what then still runs is stopped.
#include "tui/view/live.h"

#include "engine/sim/sim.h"

#include <stdlib.h>
#include <string.h>

struct judging {
    struct question *question; // NULL: closed
    struct client *client;
    const struct live *live; // of the app's lessons, which outlive its tasks
    char *file, *text;
    struct own_lines own;
    struct task *task; // NULL: it is over
    void (*over)(struct app *app, struct question *question, const struct judge_verdict *verdict);
    bool came; // the verdict
    struct judge_verdict verdict;
    struct error error;
};

static void judging_free(struct judging *judging)
{
    if (judging->came)
        verdict_free(&judging->verdict);
    free(judging->file);
    free(judging->text);
    free(judging);
}

// ---- its way --------------------------------------------------------------------------------------------------

static bool watch(void *context, const char *stage, double seconds)
{
    const struct judging *judging = context;
    task_says(judging->task, "%s: %s", judging->file, stage);
    return !judging->task->stop;
}

static void work(struct task *task)
{
    struct judging *judging = task->context;
    task_says(task, "%s: starting", judging->file);
    judging->came = judge(judging->client, judging->live, judging->file, judging->text, watch, judging,
                          &judging->verdict, &judging->error);
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

void judging_start(struct app *app, struct question *question, const char *file, const char *text,
                   void (*over)(struct app *app, struct question *question,
                                const struct judge_verdict *verdict))
{
    if (question->judging && question->judging->task) {
        app_say(app, ROLE_DIM, "It is being judged.");
        return;
    }
    judging_close(question);
    struct judging *judging = mem_new(sizeof *judging);
    *judging = (struct judging){ .question = question,
                                 .client = runs_client(app),
                                 .live = question->live,
                                 .file = mem_copy(file),
                                 .text = mem_copy(text),
                                 .over = over };
    judging->own.file = judging->file;
    judging->task = mem_new(sizeof *judging->task);
    *judging->task = (struct task){ .work = work, .done = done, .context = judging };
    question->judging = judging;
    app->dirty = true;
    tasks_add(app->tasks, LANE_RUNS, judging->task);
}

void judging_own(struct question *question, int first, int count)
{
    if (!question->judging)
        return;
    question->judging->own.first = first;
    question->judging->own.count = count;
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

// ---- showing --------------------------------------------------------------------------------------------------

static void line_of_words(const struct live_view *view, enum role role, const char *words)
{
    sheet_to(view->sheet, 2);
    sheet_hang(view->sheet, 4);
    sheet_flow(view->sheet, role, "%s", words);
    sheet_end(view->sheet);
}

static void signed_words(const struct live_view *view, enum role role, enum glyph sign, const char *words)
{
    struct text line = { 0 };
    text_addf(&line, "%s %s", glyph(view->sheet->utf8, sign), words);
    line_of_words(view, role, line.data);
    text_free(&line);
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

// What the kernel itself says of its trouble: the first lines that it printed, without those of assertions, which the
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

static void say_why(const struct live_view *view, const struct judging *judging)
{
    bool compiler = judging->verdict.kind == VERDICT_COMPILE;
    struct text words = { 0 };
    own_words(&judging->own, judging->verdict.words ? judging->verdict.words : "", &words);
    live_words(view->sheet, 4, compiler ? 6 : 4, text_string(&words));
    text_free(&words);
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
}
