// The check of live blocks: labs and explorers that they name exist, one choice is right, skeletons fail, solutions pass.
#include "lessons/answer.h"
#include "lessons/lessons.h"
#include "tui/command/check.h"
#include "tui/view/live.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- runs that texts speak of: recorded on a GPU, or simulated once ---------------------------------------

void check_runs_free(struct checking *check)
{
    for (size_t i = 0; i < check->run_count; i++) {
        free(check->runs[i].key);
        json_decref(check->runs[i].record);
    }
    free(check->runs);
}

static char *key_of(const struct request *request)
{
    const struct lab *lab = lab_find(request->lab);
    const char *data = request->data ? request->data : lab ? lab->data[0] : NULL;
    struct text key = { 0 };
    text_addf(&key, "%s %s/%s %s %s", record_backend_name(request->on), request->lab, request->variant,
              request_preset(request), data ? data : "");
    for (size_t i = 0; i < request->params.count; i++)
        text_addf(&key, " %s=%.17g", request->params.bindings[i].name,
                  value_as_real(request->params.bindings[i].value));
    return text_take(&key);
}

static enum check_ran run_it(struct checking *check, const struct lesson_run *trial, struct record *out,
                             struct error *error)
{
    if (trial->request.on == ON_GPU) {
        if (recorded_find(&trial->request, &trial->variant, out))
            return RUN_KNOWN;
        error_set(error, EXIT_WRONG, "no result of a GPU was recorded for this step, size and data");
        return RUN_REFUSED;
    }
    if (check->fast || trial->request.on == ON_CPU ||
        waiting_stopped()) // what a CPU takes is every machine's own
        return RUN_SKIPPED;
    if (client_run(check->client, &trial->request, waiting_quietly, NULL, out, error))
        return RUN_KNOWN;
    return waiting_stopped() ? RUN_SKIPPED : error->code == EXIT_MISSING ? RUN_MISSING : RUN_REFUSED;
}

// The record is kept: another text may ask for the same run.
static enum check_ran keep(struct checking *check, char *key, struct record *record, const json_t **out,
                           struct error *error)
{
    bool ran = record->status != STATUS_FAILED && record->status != STATUS_SKIPPED;
    if (ran) {
        check->runs = array_room(check->runs, check->run_count, sizeof *check->runs);
        check->runs[check->run_count] = (struct check_run){ mem_copy(key), record_to_json(record) };
        *out = check->runs[check->run_count++].record;
    } else {
        error_set(error, EXIT_WRONG, "%s", record->message ? record->message : "it did not run");
    }
    record_free(record);
    return ran ? RUN_KNOWN : RUN_REFUSED;
}

enum check_ran check_run(struct checking *check, const struct lesson_run *trial, const json_t **out,
                         struct error *error)
{
    struct record record;
    char *key = key_of(&trial->request);
    enum check_ran ran = RUN_SKIPPED;
    *out = NULL;
    for (size_t i = 0; i < check->run_count && !*out; i++)
        if (strcmp(check->runs[i].key, key) == 0)
            *out = check->runs[i].record;
    if (*out)
        ran = RUN_KNOWN;
    else if ((ran = run_it(check, trial, &record, error)) == RUN_KNOWN)
        ran = keep(check, key, &record, out, error);
    free(key);
    return ran;
}

static void check_detail(struct checking *check, const char *text)
{
    if (text && *text)
        paper_lines(&check->paper, ROLE_TEXT, 4, text);
}

// ---- bounds, and errors of fields -------------------------------------------------------------------------

#define NEAR 1.5    // the right choice is off by less
#define APART 1.1   // the next one is farther off by this factor
#define DIFFER 1.03 // of several runs the best is so much better than the next

static void field_error(struct checking *check, const struct lesson *lesson, const struct live *live,
                        const char *key, size_t nth, const struct error *error)
{
    check_lesson_error(check, lesson, live_line(live, key, nth), live_nth(live, key, nth), "%.*s",
                       (int)strcspn(error->text, "\n"), error->text);
}

// ---- lab, widget ------------------------------------------------------------------------------------------

static void check_shows(struct checking *check, const struct lesson *lesson, const struct live *live)
{
    struct error error;
    const char *place;
    for (size_t i = 0; (place = live_nth(live, "show", i)); i++)
        if (!check_place(place, &error))
            field_error(check, lesson, live, "show", i, &error);
}

static void check_widget(struct checking *check, const struct lesson *lesson, const struct live *live)
{
    struct error error;
    if (!check_explorer(live_field(live, "explore"), &error))
        field_error(check, lesson, live, "explore", 0, &error);
}

// ---- choices ----------------------------------------------------------------------------------------------

static void check_choices(struct checking *check, const struct lesson *lesson, const struct live *live)
{
    size_t count = live_count(live, "choice");
    for (size_t i = 1; i < count; i++)
        for (size_t j = 0; j < i; j++)
            if (strcmp(live_nth(live, "choice", i), live_nth(live, "choice", j)) == 0)
                check_lesson_error(check, lesson, live_line(live, "choice", i), NULL,
                                   "this choice stands there twice");
    for (size_t i = 1; i < live_count(live, "right"); i++)
        for (size_t j = 0; j < i; j++)
            if (strcmp(live_nth(live, "right", i), live_nth(live, "right", j)) == 0)
                check_lesson_error(check, lesson, live_line(live, "right", i), NULL,
                                   "this choice is right already");
}

static void check_right_number(struct checking *check, const struct lesson *lesson, const struct live *live)
{
    const char *right = live_field(live, "right");
    char *end;
    if (!right || live_count(live, "choice"))
        return;
    strtod(right, &end);
    if (end == right || end[strspn(end, " ")])
        check_lesson_error(check, lesson, live_line(live, "right", 0), right,
                           "a prediction without choices is a number");
}

// ---- predictions against runs -----------------------------------------------------------------------------

struct prediction {
    struct checking *check;
    const struct lesson *lesson;
    const struct live *live;
    double values[OUTCOME_MOST];
    size_t count;
};

// False: an error was printed, or the run cannot be made here.
static bool run_value(struct prediction *p, size_t run, const struct lesson_run *trial)
{
    struct error error;
    const json_t *record;
    const char *value = live_field(p->live, "value");
    check_progress(p->check, "%s: %s", p->lesson->name, trial->place);
    enum check_ran ran = check_run(p->check, trial, &record, &error);
    if (ran == RUN_KNOWN && !live_value(value, record, &p->values[run])) {
        error_set(&error, EXIT_WRONG, "the run does not say %s", value);
        ran = RUN_REFUSED;
    }
    if (ran == RUN_MISSING)
        check_not_run(p->check, p->lesson, trial->place, &error);
    else if (ran == RUN_REFUSED)
        field_error(p->check, p->lesson, p->live, "run", run, &error);
    return ran == RUN_KNOWN;
}

// How far a choice is from being right; the least is.
static double distance(const struct prediction *p, size_t choice)
{
    const char *best = live_field(p->live, "best");
    if (p->count == 1)
        return outcome_ratio(strtod(live_nth(p->live, "choice", choice), NULL), p->values[0]);
    return best && strcmp(best, "most") == 0 ? 1 / p->values[choice] : p->values[choice];
}

static void one_is_right(const struct prediction *p)
{
    size_t count = live_count(p->live, "choice"), right = 0;
    double next = INFINITY;
    for (size_t i = 1; i < count; i++)
        if (distance(p, i) < distance(p, right))
            right = i;
    for (size_t i = 0; i < count; i++)
        if (i != right && distance(p, i) < next)
            next = distance(p, i);
    if (!count)
        return;
    int line = live_line(p->live, "choice", right);
    if (p->count == 1 && distance(p, right) > NEAR)
        check_lesson_error(p->check, p->lesson, line, NULL,
                           "%.4g comes out, and no choice is near it; this one is nearest", p->values[0]);
    else if (next < distance(p, right) * (p->count == 1 ? APART : DIFFER))
        check_lesson_error(p->check, p->lesson, line, NULL,
                           "this choice and another are as near to what comes out (%.4g)",
                           p->values[p->count == 1 ? 0 : right]);
}

// ---- the answer is not given away ---------------------------------------------------------------------------

// What is counted: the first word of the unit, or that after "How many"; its length, 0: nothing.
static size_t noun_of(const struct live *live, const char **noun)
{
    const char *unit = live_field(live, "unit"), *ask = live_field(live, "ask"),
               *many = strstr(ask, "How many ");
    *noun = unit ? unit : many ? many + strlen("How many ") : "";
    return strcspn(*noun, " ,.?\n");
}

// The line has this number, and what is counted after it.
static bool line_tells(const char *line, double answer, const char *noun, size_t length)
{
    for (const char *at = line; (at = strpbrk(at, "0123456789"));) {
        char number[40];
        size_t digits = strspn(at, "0123456789.,"), kept = 0;
        bool within = at > line && (byte_in_word(at[-1]) || strchr("[.-", at[-1]));
        for (size_t i = 0; i < digits && kept + 1 < sizeof number; i++)
            if (at[i] != ',')
                number[kept++] = at[i];
        number[kept] = 0;
        at += digits;
        if (!within && outcome_ratio(strtod(number, NULL), answer) < 1.005 && *at == ' ' &&
            strncmp(at + 1, noun, length) == 0)
            return true;
    }
    return false;
}

// A screenful before the question, and what is left below it while it is open, must not hold the answer.
static void check_given_away(struct checking *check, const struct lesson *lesson, const struct live *live,
                             double answer)
{
    enum { SCREENFUL = 22 };
    const char *noun;
    size_t length = noun_of(live, &noun), block = 0, index = 0;
    unsigned char *folds = mem_new(lesson->block_count + 1);
    for (size_t i = 0; i < lesson->block_count && &lesson->blocks[i].live != live; i++) {
        index += lesson->blocks[i].kind == BLOCK_LIVE;
        block = i + 1;
    }
    folds[block] = FOLD_WAITS;
    folds_spread(lesson, folds);
    struct lesson_setting paper = { .width = TEXT_CELLS, .utf8 = true, .folds = folds };
    struct lesson_text text = lesson_text_new(lesson, &paper);
    struct text line = { 0 };
    size_t start = text.starts[index], from = start > SCREENFUL ? start - SCREENFUL : 0;
    for (size_t i = from; length && i < text.sheet.line_count; i++) {
        if (i >= start && i < text.ends[index])
            continue;
        const char *words = sheet_line_text(&text.sheet, i, &line);
        if (!line_tells(words, answer, noun, length))
            continue;
        check_lesson_error(check, lesson, live_line(live, "ask", 0), NULL,
                           "the answer stands on the same screen: %s", words + strspn(words, " "));
        break;
    }
    text_free(&line);
    lesson_text_free(&text);
    free(folds);
}

static void check_quiz(struct checking *check, const struct lesson *lesson, const struct live *live)
{
    const char *right = live_field(live, "right");
    if (live_count(live, "choice"))
        right = quiz_several(live) ? "" : live_nth(live, "choice", (size_t)strtoul(right, NULL, 10) - 1);
    char *end;
    double answer = strtod(right, &end);
    if (end != right && !*end)
        check_given_away(check, lesson, live, answer);
}

static void check_predict(struct checking *check, const struct lesson *lesson, const struct live *live)
{
    struct prediction p = { .check = check, .lesson = lesson, .live = live };
    struct error error;
    const char *run;
    bool known = true;
    check_right_number(check, lesson, live);
    for (size_t i = 0; (run = live_nth(live, "run", i)); i++) {
        struct lesson_run trial;
        if (!lesson_run_read(&trial, run, false, &error)) {
            field_error(check, lesson, live, "run", i, &error);
            return;
        }
        known &= run_value(&p, i, &trial);
        lesson_run_free(&trial);
        p.count++;
    }
    if (known && p.count)
        one_is_right(&p);
    if (known && p.count == 1)
        check_given_away(check, lesson, live, p.values[0]);
}

// ---- exercises, bug hunts and orders ----------------------------------------------------------------------

static const char *const reasons[] = {
    [VERDICT_ACCEPTED] = "accepted", [VERDICT_COMPILE] = "it does not compile",
    [VERDICT_CHANGED] = "changed",   [VERDICT_RESULT] = "result",
    [VERDICT_FINDING] = "finding",   [VERDICT_BUDGET] = "budget"
};

struct task_check {
    struct checking *check;
    const struct lesson *lesson;
    const struct live *live;
    const char *key; // the field that names the file
    size_t nth;
    char *file;
};

static void say(const struct task_check *task, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void say(const struct task_check *task, const char *format, ...)
{
    const struct source source = { task->lesson->path, task->lesson->text };
    va_list args;
    va_start(args, format);
    check_error_v(task->check, &source, live_line(task->live, task->key, task->nth), task->file, format,
                  args);
    va_end(args);
}

// ---- files ------------------------------------------------------------------------------------------------

static bool read_kernel(const struct task_check *task, struct text *out)
{
    struct error error;
    const char *slash = strrchr(task->lesson->path, '/');
    char *folder = mem_copy_n(task->lesson->path, slash ? (size_t)(slash - task->lesson->path) : 0);
    char *path = path_join(folder, task->file);
    bool read = file_read(path, out, &error);
    if (!read)
        say(task, "%s", error.text);
    free(path);
    free(folder);
    return read;
}

// Judges one file; false: there is no verdict, for a reason that was printed or because ^C was pressed.
static bool judged(const struct task_check *task, const char *text, struct judge_verdict *out)
{
    struct error error;
    if (waiting_stopped())
        return false;
    check_progress(task->check, "%s: %s", task->lesson->name, task->file);
    if (judge(task->check->client, task->live, task->file, text, NULL, waiting_quietly, NULL, out, &error))
        return true;
    if (waiting_stopped())
        return false;
    if (error.code == EXIT_MISSING)
        check_not_run(task->check, task->lesson, task->file, &error);
    else
        say(task, "%.*s", (int)strcspn(error.text, "\n"), error.text);
    return false;
}

// --fast parses a kernel file and runs nothing.
static void parse_only(const struct task_check *task, const char *text)
{
    const char *lab = live_field(task->live, "lab");
    struct variant variant;
    struct error error;
    char called[100];
    format_into(called, sizeof called, "%s%s", lab ? "1-" : "", task->file);
    if (variant_parse(&variant, lab, called, text, &error)) {
        variant_free(&variant);
        return;
    }
    say(task, "the file cannot be read");
    check_detail(task->check, error.text);
}

static void must_have(const struct task_check *task, const struct judge_verdict *verdict)
{
    const char *finding;
    for (size_t i = 0; (finding = live_nth(task->live, "finding", i)); i++) {
        struct text spaced = { 0 };
        for (const char *at = finding; *at; at++)
            text_add_n(&spaced, *at == '-' ? " " : at, 1);
        if (!strstr(verdict->findings ? verdict->findings : "", text_string(&spaced)))
            check_lesson_error(task->check, task->lesson, live_line(task->live, "finding", i), finding,
                               "the simulator does not find this in %s; it finds: %s", task->file,
                               verdict->findings ? verdict->findings : "nothing");
        text_free(&spaced);
    }
}

static void check_start(const struct task_check *task, const char *text)
{
    struct judge_verdict verdict;
    if (!judged(task, text, &verdict))
        return;
    if (verdict.kind == VERDICT_ACCEPTED)
        say(task, "what one starts from is accepted already");
    if (verdict.kind == VERDICT_COMPILE && task->live->kind == LIVE_EXERCISE) {
        say(task, "what one starts from does not compile");
        check_detail(task->check, verdict.words);
    } else {
        must_have(task, &verdict);
    }
    verdict_free(&verdict);
}

static void check_solution(const struct task_check *task, const char *text)
{
    struct judge_verdict verdict;
    if (!judged(task, text, &verdict))
        return;
    if (verdict.kind != VERDICT_ACCEPTED) {
        say(task, "the solution is rejected (%s)", reasons[verdict.kind]);
        check_detail(task->check, verdict.words);
    }
    verdict_free(&verdict);
}

// "serial.cu budget": the reason is among those for which it is rejected; a budget is the only one.
static void check_wrong(const struct task_check *task, const char *text)
{
    struct judge_verdict verdict;
    const char *meant = live_nth(task->live, "wrong", task->nth);
    enum verdict_kind kind = VERDICT_CHANGED;
    meant += strcspn(meant, " ");
    meant += strspn(meant, " ");
    while (kind < VERDICT_BUDGET && strcmp(reasons[kind], meant) != 0)
        kind++;
    if (!judged(task, text, &verdict))
        return;
    bool fits = kind == VERDICT_BUDGET ? verdict.kind == kind : (verdict.reasons & 1u << kind) != 0;
    if (verdict.kind == VERDICT_ACCEPTED)
        say(task, "this wrong answer is accepted; '%s' is meant to reject it", meant);
    else if (!fits)
        say(task, "this wrong answer is rejected for another reason than '%s': %s", meant,
            reasons[verdict.kind]);
    if (!fits)
        check_detail(task->check, verdict.words);
    verdict_free(&verdict);
}

static void check_file(struct task_check *task, void (*look)(const struct task_check *task, const char *text))
{
    struct text text = { 0 };
    const char *value = live_nth(task->live, task->key, task->nth);
    task->file = mem_copy_n(value, strcspn(value, " "));
    if (read_kernel(task, &text) && task->check->fast)
        parse_only(task, text_string(&text));
    else if (text.data)
        look(task, text.data);
    text_free(&text);
    free(task->file);
}

// ---- tasks ------------------------------------------------------------------------------------------------

static bool flags_sound(struct checking *check, const struct lesson *lesson, const struct live *live)
{
    static const char *const keys[] = { "check", "time" };
    const char *lab = live_field(live, "lab"), *flags;
    struct error error;
    if (lab && !lab_find(lab)) {
        check_lesson_error(check, lesson, live_line(live, "lab", 0), lab, "there is no lab '%s'", lab);
        return false;
    }
    bool sound = true;
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
        for (size_t i = 0; (flags = live_nth(live, keys[k], i)); i++) {
            struct request request;
            if (judge_flags(flags, lab, NULL, &request, &error)) {
                request_free(&request);
                continue;
            }
            check_lesson_error(check, lesson, live_line(live, keys[k], i), flags, "%s", error.text);
            sound = false;
        }
    return sound;
}

// A file that stands alone is checked by kernels of its own, which an answer must not change.
static void check_keep(struct task_check *task)
{
    const char *kernel;
    struct text text = { 0 };
    if (!live_field(task->live, "lab") && !live_field(task->live, "keep"))
        check_lesson_error(
            task->check, task->lesson, task->live->line, NULL,
            "without a lab nothing checks an answer but the file's own kernels; name them: 'keep: check'");
    task->file = mem_copy(live_field(task->live, "file"));
    if (live_field(task->live, "keep") && read_kernel(task, &text))
        for (size_t i = 0; (kernel = live_nth(task->live, "keep", i)); i++)
            if (!judge_has_kernel(text_string(&text), kernel))
                check_lesson_error(task->check, task->lesson, live_line(task->live, "keep", i), kernel,
                                   "%s has no kernel %s", task->file, kernel);
    text_free(&text);
    free(task->file);
}

static void check_task(struct checking *check, const struct lesson *lesson, const struct live *live)
{
    enum { WRONG_LEAST = 2 };
    struct task_check task = { .check = check, .lesson = lesson, .live = live };
    if (live->kind == LIVE_EXERCISE && live_count(live, "wrong") < WRONG_LEAST)
        check_lesson_error(check, lesson, live->line, NULL,
                           "an exercise needs at least %d 'wrong' files that are rejected, not %zu",
                           WRONG_LEAST, live_count(live, "wrong"));
    if (!flags_sound(check, lesson, live))
        return;
    task.key = "file";
    check_keep(&task);
    check_file(&task, check_start);
    task.key = "solution";
    check_file(&task, check_solution);
    task.key = "wrong";
    for (task.nth = 0; task.nth < live_count(live, "wrong"); task.nth++)
        check_file(&task, check_wrong);
}

// ---- order ------------------------------------------------------------------------------------------------

static void check_extras(struct checking *check, const struct lesson *lesson, const struct live *live)
{
    for (size_t i = 0; i < live_count(live, "extra"); i++)
        for (size_t j = 0; j < live_count(live, "line"); j++)
            if (strcmp(live_nth(live, "extra", i), live_nth(live, "line", j)) == 0)
                check_lesson_error(check, lesson, live_line(live, "extra", i), NULL,
                                   "this is one of the lines, so that leaving it out is not right");
}

static void judge_order(const struct task_check *task, const char *text, const int *order, size_t also)
{
    struct text whole = { 0 };
    struct judge_verdict verdict;
    if (!judge_order_text(task->live, text, order, (int)live_count(task->live, "line"), &whole)) {
        say(task, "no line //@order stands in the file");
    } else if (task->check->fast) {
        parse_only(task, whole.data);
    } else if (judged(task, whole.data, &verdict)) {
        if (verdict.kind != VERDICT_ACCEPTED) {
            check_lesson_error(task->check, task->lesson,
                               also ? live_line(task->live, "also", also - 1) : task->live->line, NULL,
                               "this order is rejected (%s)", reasons[verdict.kind]);
            check_detail(task->check, verdict.words);
        }
        verdict_free(&verdict);
    }
    text_free(&whole);
}

static void check_order(struct checking *check, const struct lesson *lesson, const struct live *live)
{
    struct task_check task = { .check = check, .lesson = lesson, .live = live, .key = "file" };
    struct text text = { 0 };
    size_t lines = live_count(live, "line");
    int order[64];
    check_extras(check, lesson, live);
    if (!live_field(live, "file") || !flags_sound(check, lesson, live))
        return;
    task.file = mem_copy(live_field(live, "file"));
    if (read_kernel(&task, &text)) {
        for (size_t i = 0; i < lines; i++)
            order[i] = (int)i;
        judge_order(&task, text_string(&text), order, 0);
        for (size_t a = 0; a < live_count(live, "also"); a++) {
            const char *at = live_nth(live, "also", a);
            for (size_t i = 0; i < lines; i++)
                order[i] = (int)strtol(at, (char **)&at, 10) - 1;
            judge_order(&task, text_string(&text), order, a + 1);
        }
    }
    text_free(&text);
    free(task.file);
}

// ---- a live block -----------------------------------------------------------------------------------------

void check_live(struct checking *check, const struct lesson *lesson, const struct live *live)
{
    check_choices(check, lesson, live);
    switch (live->kind) {
    case LIVE_LAB:
        check_shows(check, lesson, live);
        break;
    case LIVE_WIDGET:
        check_widget(check, lesson, live);
        break;
    case LIVE_QUIZ:
        check_quiz(check, lesson, live);
        break;
    case LIVE_PREDICT:
        check_predict(check, lesson, live);
        break;
    case LIVE_ORDER:
        check_order(check, lesson, live);
        break;
    case LIVE_EXERCISE:
    case LIVE_BUGHUNT:
        check_task(check, lesson, live);
        break;
    default:
        break;
    }
}
