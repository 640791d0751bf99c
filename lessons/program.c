// A task that is a whole program, host code included. It is compiled by nvcc and runs with the simulator in the place of
// a GPU: it must end well, for each size that it gets, without a finding, notice what is wrong with a result, and time
// its kernel. What it prints is not judged.
#include "engine/run/exec.h"
#include "engine/sim/sim.h"
#include "lessons/lessons.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

struct judged_program {
    const struct live *live;
    const char *file;
    client_progress progress;
    void *context;
    struct judge_verdict *out;
};

static bool go_on(void *context, const char *stage)
{
    const struct judged_program *judged = context;
    return judged->progress(judged->context, stage, 0);
}

// Takes the words.
static void reject(struct judge_verdict *out, enum verdict_kind kind, const char *head, struct text *words)
{
    out->reasons |= 1u << kind;
    if (out->kind == VERDICT_ACCEPTED) {
        out->kind = kind;
        out->head = head;
        out->words = text_take(words);
    }
    text_free(words);
}

// The line that a compiler names first, as nvcc or the host's does: "mine.cu(12): error", "mine.cu:12:5: error".
static int line_of(const char *said, const char *file)
{
    for (const char *at = said; (at = strstr(at, file)); at++) {
        const char *end = at + strlen(file);
        if (*end == '(' || *end == ':')
            return atoi(end + 1);
    }
    return 0;
}

// What the host forgot to free is a note in general, and a mistake in a task.
static bool speaks_against(const struct exec_finding *finding)
{
    return strcmp(finding->severity, "note") != 0 || strcmp(finding->kind, "leak") == 0;
}

static void add_finding(const struct exec_finding *finding, struct text *out)
{
    text_add(out, finding->kind);
    if (finding->line)
        text_addf(out, ", line %d", finding->line);
    text_addf(out, ": %s", finding->sentence);
}

// The first one in words; the names of all go into the verdict.
static const struct exec_finding *worst_finding(const struct exec_outcome *outcome, struct judge_verdict *out)
{
    const struct exec_finding *worst = NULL;
    struct text names = { 0 };
    for (size_t i = 0; i < outcome->finding_count; i++) {
        const struct exec_finding *finding = &outcome->findings[i];
        if (!speaks_against(finding))
            continue;
        worst = worst ? worst : finding;
        text_addf(&names, "%s%s", names.length ? ", " : "", finding->kind);
    }
    if (worst) {
        free(out->findings);
        out->findings = text_take(&names);
    }
    return worst;
}

static void judge_outcome(struct judge_verdict *out, const char *argument, const struct exec_outcome *outcome,
                          const char *unended)
{
    struct text words = { 0 }, how = { 0 };
    char end[120];
    const struct exec_finding *finding = worst_finding(outcome, out);
    bool good = !unended && WIFEXITED(outcome->status) && WEXITSTATUS(outcome->status) == 0;
    child_describe(outcome->status, end, sizeof end);
    if (!good)
        text_addf(&how, unended ? "%s" : "it %s.", unended ? unended : end);
    text_addf(&words, "With the argument %s: %s%s", argument, text_string(&how),
              !good && finding ? "\n" : "");
    if (finding) {
        add_finding(finding, &words);
        out->line = out->line ? out->line : finding->line;
        out->reasons |= 1u << VERDICT_FINDING;
    }
    if (!good)
        reject(out, VERDICT_RESULT, "it does not end with 0", &words);
    else if (finding)
        reject(out, VERDICT_FINDING, NULL, &words);
    text_free(&words);
    text_free(&how);
}

// The program's own check: what comes back from the GPU has one wrong element.
static void judge_check(struct judge_verdict *out, const char *argument, const struct exec_outcome *outcome)
{
    struct text words = { 0 };
    if (!WIFEXITED(outcome->status) || WEXITSTATUS(outcome->status) != 0)
        return;
    if (!outcome->spoilt) {
        text_addf(
            &words,
            "With the argument %s nothing came back by cudaMemcpy, so that its check could not be tried: "
            "that is done by spoiling what comes.",
            argument);
        reject(out, VERDICT_RESULT, "it copies nothing to the host", &words);
        return;
    }
    text_addf(
        &words,
        "With the argument %s it was run once more, and the last element of each cudaMemcpy to the host was "
        "spoilt. It ended with 0 all the same. Compare every element, and return 1 where one is wrong.",
        argument);
    reject(out, VERDICT_RESULT, "its check misses a wrong element", &words);
}

static void judge_timing(struct judge_verdict *out, const struct exec_outcome *outcome)
{
    struct text words = { 0 };
    if (outcome->timed)
        return;
    text_add(&words, outcome->timed_copies
                         ? "Between the two events there are copies, too: record them right before and right "
                           "after the launch."
                         : "No cudaEventElapsedTime was asked for between an event before the launch and one "
                           "after it.");
    reject(out, VERDICT_BUDGET, "it does not time the kernel", &words);
}

// `spoil`: its check is tried.
static bool run(const struct judged_program *judged, struct exec_task *task, const char *argument, bool spoil,
                struct error *error)
{
    struct judge_verdict *out = judged->out;
    struct exec_outcome outcome;
    struct text printed = { 0 };
    bool ran = exec_task_run(task, argument, spoil ? "check=none,limit=20,spoil=1" : "check=all,limit=20",
                             &outcome, &printed, error);
    bool judges = ran || error->code == EXIT_WRONG;
    out->runs++;
    if (judges && spoil) {
        judge_check(out, argument, &outcome);
    } else if (judges) {
        judge_outcome(out, argument, &outcome, ran ? NULL : error->text);
        if (ran && out->kind == VERDICT_ACCEPTED)
            judge_timing(out, &outcome);
        out->record.status = STATUS_UNCHECKED; // it ran
        free(out->record.printed);
        out->record.printed = text_take(&printed);
    }
    exec_outcome_free(&outcome);
    text_free(&printed);
    return judges;
}

// The simulator's time says nothing of a GPU's, so what is right is told where that is to be had.
static bool run_all(const struct judged_program *judged, struct exec_task *task, struct error *error)
{
    const char *argument;
    struct judge_verdict *out = judged->out;
    for (size_t i = 0; (argument = live_nth(judged->live, "program", i)); i++)
        if (out->kind == VERDICT_ACCEPTED && !run(judged, task, argument, false, error))
            return false;
    if ((out->kind == VERDICT_ACCEPTED || out->kind == VERDICT_BUDGET) &&
        !run(judged, task, live_field(judged->live, "program"), true, error))
        return false;
    if (out->kind == VERDICT_ACCEPTED)
        out->note = "The time that it prints here is the simulator's. Where there is a GPU, 'warpbook run' "
                    "and the file's path give the GPU's.";
    return true;
}

bool judge_program(const struct live *live, const char *file, const char *shipped, const char *text,
                   client_progress progress, void *context, struct judge_verdict *out, struct error *error)
{
    enum { RUN_MS = 20000 };
    struct judged_program judged = { live, file, progress, context, out };
    const struct exec_bounds bounds = { .limit_ms = RUN_MS, .go_on = go_on, .context = &judged };
    struct text words = { 0 };
    if (!judge_kept(live, shipped, text, &words, &out->line)) {
        reject(out, VERDICT_CHANGED, NULL, &words);
        return true;
    }
    text_free(&words);
    struct exec_task *task = exec_task_new(file, text, &bounds, error);
    if (!task && error->code == EXIT_WRONG) {
        text_add(&words, error->text);
        out->line = line_of(error->text, file);
        reject(out, VERDICT_COMPILE, NULL, &words);
        return true;
    }
    if (!task) {
        struct error why = *error;
        return error_set(error, why.code, "This task is a whole program. %s", why.text);
    }
    bool done = run_all(&judged, task, error);
    exec_task_free(task);
    return done;
}
