// A kernel that is judged in the background, an exercise's or a wrong order of lines, and what came of it as lines of its
// live block.
#include "engine/sim/sim.h"
#include "tui/view/live.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void judging_free(struct judging *judging)
{
    if (judging->came)
        verdict_free(&judging->verdict);
    free(judging->text);
    free(judging);
}

// ---- the task --------------------------------------------------------------------------------------

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
    judging->came = judge(judging->client, judging->live, judging->own.file, judging->text, judging->starters,
                          watch, judging, &judging->verdict, &judging->error);
}

// Does what a verdict does not wait for.
static void work_times(struct task *task)
{
    struct judging *judging = task->context;
    if (judging->gpu)
        judge_times(judging->client, judging->live, judging->own.file, judging->text, judging->starters,
                    watch, judging, &judging->timed);
    judge_beside(judging->client, judging->live, judging->own.file, judging->text, judging->gpu,
                 judging->starters, watch, judging, &judging->timed);
}

static void done(struct app *app, struct task *task);

static void start(struct app *app, struct judging *judging, void (*what)(struct task *task))
{
    judging->task = mem_new(sizeof *judging->task);
    *judging->task = (struct task){ .work = what, .done = done, .context = judging };
    tasks_add(app->tasks, LANE_RUNS, judging->task);
}

static void told(struct app *app, struct question *question, struct judging *judging)
{
    enum verdict_kind kind = judging->verdict.kind;
    bool right = kind == VERDICT_ACCEPTED || kind == VERDICT_BUDGET;
    bool times = right && (judging->gpu || live_field(judging->live, "beside")) && !judging->timing;
    judging->over(app, question, &judging->verdict,
                  times             ? JUDGED_UNTIMED
                  : judging->timing ? JUDGED_TIMED
                                    : JUDGED);
    judging->timing = times;
    if (!times)
        return;
    judging->timed = judging->verdict;
    start(app, judging, work_times);
}

// Whoever listens learns the verdict from the last line.
static void announce(struct app *app, const struct judge_verdict *verdict)
{
    const char *words = verdict->words ? verdict->words : "";
    bool accepted = verdict->kind == VERDICT_ACCEPTED;
    app_say(app, accepted ? ROLE_GOOD : ROLE_BAD, accepted ? "Accepted." : "Not accepted: %.*s",
            (int)strcspn(words, "\n"), words);
}

static void done(struct app *app, struct task *task)
{
    struct judging *judging = task->context;
    struct question *question = judging->question;
    bool stopped = task->stop && !judging->came;
    bool first = !judging->timing; // the times come after the verdict
    judging->task = NULL;
    app->dirty = true;
    if (judging->timing)
        judging->verdict = judging->timed;
    if (question && first && !stopped)
        question->judged = true;
    if (!question) {
        judging_free(judging);
    } else if (stopped) {
        app_say(app, ROLE_NOTE, "Stopped.");
        judging_close(question);
    } else if (judging->came && judging->over) {
        told(app, question, judging);
    }
    if (drawn_flat && first && question && question->judging && question->judging->came)
        announce(app, &question->judging->verdict);
}

void judging_start(struct app *app, struct question *question, const char *text, struct own_lines own,
                   void (*over)(struct app *app, struct question *question,
                                const struct judge_verdict *verdict, enum judged when))
{
    const struct judging *running = question->judging;
    if (running && running->task && strcmp(running->text, text) == 0) {
        app_say(app, ROLE_DIM, "It is being judged.");
        return;
    }
    judging_close(question); // a verdict on another text would be stale
    runs_ask(app);
    struct judging *judging = mem_new(sizeof *judging);
    *judging = (struct judging){ .question = question,
                                 .client = runs_client(app),
                                 .starters = &app->starters,
                                 .gpu = runs_gpu(app),
                                 .live = question->live,
                                 .text = mem_copy(text),
                                 .own = own,
                                 .over = over };
    question->judging = judging;
    app->dirty = true;
    start(app, judging, work);
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

// ---- showing ---------------------------------------------------------------------------------------

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

// What a launch that is too small leaves out is the cause of whatever was found after it.
static bool is_missing(const struct judging *judging)
{
    const struct record *record = &judging->verdict.record;
    return record->finding_count && record->findings[0].kind == SIM_NEVER_WRITTEN;
}

// The lines of the kernel that findings or the compiler speak of.
static void code_lines(struct sheet *sheet, const struct judging *judging)
{
    enum { MOST = 3 };
    const struct record *record = &judging->verdict.record;
    size_t findings = is_missing(judging) ? 1 : record->finding_count;
    int shown[MOST], count = 0;
    for (size_t i = 0; i < findings && count < MOST; i++) {
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
        if (length && !strstr(line, "] Assertion `")) {
            sheet_to(sheet, 4);
            sheet_hang(sheet, 6);
            sheet_flow(sheet, ROLE_DIM, "%s%s", shown++ ? "" : "printed: ", line);
            sheet_end(sheet);
        }
        free(line);
        printed += length + (printed[length] == '\n');
    }
}

// Each limit beside what the shipped kernel and this one had of it.

struct limits_shown {
    struct limit list[LIMITS_MOST];
    size_t count;
    bool had, got; // whether one has it
    bool told;     // a budget is missed, so that the lines say why the answer is refused
};

static bool is_goal(const struct limit *limit)
{
    return limit->budget && string_starts(limit->budget, "ceiling_pct ");
}

// An answer that did not run shows what is asked, and no numbers. A guard has a sentence of its own where it is the only
// limit that is missed.
static struct limits_shown limits_shown(const struct judging *judging)
{
    const struct judge_verdict *verdict = &judging->verdict;
    struct limits_shown shown = { 0 };
    for (size_t i = 0; i < verdict->limit_count; i++) {
        const struct limit *limit = &verdict->limits[i];
        bool got = isfinite(limit->got), missed = got && !limit->met;
        shown.told |= missed && !limit->quiet && verdict->kind == VERDICT_BUDGET;
        if (is_goal(limit) || (limit->quiet && !(missed && shown.told)))
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
    const char *with = verdict->with ? verdict->with : "", *stopped = verdict->stopped;
    struct text words = { 0 };
    if (shown->got && stopped && *stopped && *with && strcmp(stopped, with) != 0) {
        text_addf(&words, "With %s its run was stopped before its end, so these are the numbers with %s.",
                  stopped, with);
        live_inner(view, ROLE_DIM, "", words.data);
        words.length = 0;
    }
    if (!shown->got && !shown->had)
        text_add(&words, "What is asked:");
    else
        text_addf(&words, "Simulated%s%s, %s:", *with ? " with " : "", with,
                  !shown->had  ? "yours"
                  : shown->got ? "first the kernel you were given, then yours"
                               : "the kernel you were given");
    live_inner(view, ROLE_DIM, "", words.data);
    text_free(&words);
}

// What a run with another result saved is no merit: a share is named where it is judged.
static void limit_line(const struct live_view *view, const struct limit *limit, bool judged)
{
    struct text words = { 0 };
    struct limit shown = *limit;
    shown.share = judged ? limit->share : NAN;
    limit_words(&shown, &words);
    live_inner(view,
               !judged      ? ROLE_TEXT
               : limit->met ? ROLE_GOOD
                            : ROLE_BAD,
               glyph(view->sheet->utf8, !judged      ? GLYPH_BULLET
                                        : limit->met ? GLYPH_DONE
                                                     : GLYPH_WRONG),
               words.data);
    text_free(&words);
}

// What the clock says, and whether that is the goal.
static void time_lines(const struct live_view *view, const struct judging *judging)
{
    const struct judge_verdict *verdict = &judging->verdict;
    struct text time = { 0 };
    if (judging->timing && judging->task)
        signed_words(view, ROLE_NOTE, GLYPH_ELLIPSIS,
                     judging->gpu ? "It is being timed on the GPU." : "It is put beside the others.");
    live_beside(view, verdict->beside, verdict->beside_count);
    if (!verdict->timed)
        return;
    bool told = verdict->beside_count && !isfinite(verdict->had_ms); // by the rows
    if (!told)
        limit_time_words(verdict->timed, verdict->had_ms, verdict->ms, &time);
    if (time.length)
        live_inner(view, ROLE_GPU, glyph(view->sheet->utf8, GLYPH_BULLET), time.data);
    text_free(&time);
    for (size_t i = 0; i < verdict->limit_count; i++)
        if (is_goal(&verdict->limits[i]))
            limit_line(view, &verdict->limits[i], true);
}

static void limit_lines(const struct live_view *view, const struct judging *judging)
{
    const struct judge_verdict *verdict = &judging->verdict;
    bool counts = verdict->kind == VERDICT_ACCEPTED || verdict->kind == VERDICT_BUDGET;
    struct limits_shown shown = limits_shown(judging);
    time_lines(view, judging);
    if (!shown.count && verdict->note)
        live_inner(view, ROLE_TEXT, "", verdict->note);
    if (!shown.count)
        return;
    limits_head(view, verdict, &shown);
    for (size_t i = 0; i < shown.count; i++)
        limit_line(view, &shown.list[i], counts && isfinite(shown.list[i].got));
    if (verdict->note)
        live_inner(view, ROLE_TEXT, "", verdict->note);
    if (!counts && shown.got)
        live_inner(view, ROLE_DIM, "",
                   verdict->kind == VERDICT_FINDING ? "These numbers count once no defect is left."
                                                    : "These numbers count once the result is right.");
    if (verdict->starter_why) {
        char why[120];
        format_into(why, sizeof why, "The shipped kernel has no numbers to compare with: %s.",
                    verdict->starter_why);
        live_inner(view, ROLE_DIM, "", why);
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
    if (!is_missing(judging))
        printed_lines(view->sheet, judging->verdict.record.printed);
    code_lines(view->sheet, judging);
}

void judging_add(const struct live_view *view, const char *accepted)
{
    static const char *const why[] = { [VERDICT_COMPILE] = "it does not compile",
                                       [VERDICT_CHANGED] = "a line that has to stay was changed",
                                       [VERDICT_RESULT] = "the result is wrong",
                                       [VERDICT_FINDING] = "the simulator finds a defect",
                                       [VERDICT_BUDGET] = "the result is right, but it costs too much" };
    const struct judging *judging = view->question ? view->question->judging : NULL;
    if (!judging)
        return;
    const struct record *record = &judging->verdict.record;
    bool known = judging->verdict.kind == VERDICT_COMPILE || judging->verdict.kind == VERDICT_CHANGED;
    bool ran = record->status != STATUS_FAILED || record->finding_count > 0;
    bool waits = judging->task && !judging->timing;
    if (waits) {
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
        bool missing = is_missing(judging) && judging->verdict.kind != VERDICT_BUDGET;
        signed_words(view, ROLE_BAD, GLYPH_WRONG,
                     judging->verdict.head ? judging->verdict.head
                     : missing             ? "output is missing"
                     : known || ran        ? why[judging->verdict.kind]
                                           : "it cannot be run");
        say_why(view, judging);
    }
    if (!waits && judging->came)
        limit_lines(view, judging);
}
