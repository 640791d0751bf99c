// Exercises and bug hunts: the skeleton is rejected, the solution accepted, each wrong answer rejected for the reason
// meant. Orders with a kernel: the right ones are accepted.
#include "lessons/judge.h"
#include "tui/command/check.h"

#include <stdlib.h>
#include <string.h>

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
    struct text message = { 0 };
    va_list args;
    va_start(args, format);
    text_addv(&message, format, args);
    va_end(args);
    check_lesson_error(task->check, task->lesson, live_line(task->live, task->key, task->nth), task->file,
                       "%s", text_string(&message));
    text_free(&message);
}

// ---- files ------------------------------------------------------------------------------------------------------

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

// Judges one file; false: nothing came out, and why was said, or ^C was pressed.
static bool judged(const struct task_check *task, const char *text, struct verdict *out)
{
    struct error error;
    if (waiting_stopped())
        return false;
    check_progress(task->check, "%s: %s", task->lesson->name, task->file);
    if (judge(task->check->client, task->live, task->file, text, waiting_quietly, NULL, out, &error))
        return true;
    if (waiting_stopped())
        return false;
    if (error.code == EXIT_MISSING)
        check_not_run(task->check, task->lesson, task->file, &error);
    else
        say(task, "%.*s", (int)strcspn(error.text, "\n"), error.text);
    return false;
}

// What --fast looks at: the file's own lines.
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

static void must_have(const struct task_check *task, const struct verdict *verdict)
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
    struct verdict verdict;
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
    struct verdict verdict;
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
    struct verdict verdict;
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

// ---- what is judged ---------------------------------------------------------------------------------------------

static bool flags_sound(struct checking *check, const struct lesson *lesson, const struct live *live)
{
    const char *lab = live_field(live, "lab"), *flags;
    struct error error;
    if (lab && !lab_find(lab)) {
        check_lesson_error(check, lesson, live_line(live, "lab", 0), lab, "there is no lab '%s'", lab);
        return false;
    }
    bool sound = true;
    for (size_t i = 0; (flags = live_nth(live, "check", i)); i++) {
        struct request request;
        if (judge_flags(flags, lab, NULL, &request, &error)) {
            request_free(&request);
            continue;
        }
        check_lesson_error(check, lesson, live_line(live, "check", i), flags, "%s", error.text);
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

void check_task(struct checking *check, const struct lesson *lesson, const struct live *live)
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

// ---- order ------------------------------------------------------------------------------------------------------

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
    struct verdict verdict;
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

void check_order(struct checking *check, const struct lesson *lesson, const struct live *live)
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
