// warpbook exec: a whole program in the simulator. What the program prints is its own; what it launched and did wrong is
// printed when it has ended, on stderr or into a file.
#include "tui/command/exec.h"

#include "engine/exec/kept.h"
#include "engine/run/simulation.h"
#include "tui/text/text.h"
#include "tui/tui.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void show(FILE *file, const struct exec_outcome *outcome, const char *program)
{
    const struct paper paper = paper_open(file);
    struct sheet sheet = exec_sheet(
        &(struct exec_shown){ .program = program, .outcome = outcome, .open = -1 }, paper.width, paper.utf8);
    paper_put(&paper, ROLE_DIM, "\n");
    sheet_print(&paper, &sheet);
    sheet_free(&sheet);
}

// ---- the report -------------------------------------------------------------------------------------------------------------

// The file that a flag names, or stderr where none does; NULL: it cannot be written.
static FILE *report_open(const char *path, struct error *error)
{
    FILE *file = path ? fopen(path, "we") : stderr;
    if (!file)
        error_set(error, EXIT_MISSING, "Cannot write %s: %s.", path, strerror(errno));
    return file;
}

static bool report_close(FILE *file, const char *path, struct error *error)
{
    bool written = !ferror(file);
    if (path && fclose(file))
        written = false;
    return written || !path || error_set(error, EXIT_MISSING, "Cannot write all of %s.", path);
}

static bool put(const char *path, enum exec_format format, const struct exec_outcome *outcome,
                const struct exec_job *job, struct error *error)
{
    FILE *file = report_open(path, error);
    if (!file)
        return false;
    exec_report(file, format, outcome, job);
    return report_close(file, path, error);
}

static bool put_shown(const char *path, const struct exec_outcome *outcome, const char *program,
                      struct error *error)
{
    FILE *file = report_open(path, error);
    if (!file)
        return false;
    show(file, outcome, program);
    return report_close(file, path, error);
}

static bool put_all(const struct arguments *arguments, const struct exec_outcome *outcome,
                    struct error *error)
{
    const char *report = arguments_value(arguments, "--report"),
               *sarif = arguments_value(arguments, "--sarif"), *junit = arguments_value(arguments, "--junit");
    const struct exec_job job = { arguments->operands[0], arguments_value(arguments, "--fail-on") };
    bool fine = arguments_has(arguments, "--json") ? put(report, EXEC_JSON, outcome, &job, error)
                                                   : put_shown(report, outcome, job.program, error);
    return fine && (!sarif || put(sarif, EXEC_SARIF, outcome, &job, error)) &&
           (!junit || put(junit, EXEC_JUNIT, outcome, &job, error));
}

// ---- stepping through a launch ----------------------------------------------------------------------------------------------

static bool suits_stepping(const struct arguments *arguments, struct error *error)
{
    static const char *const others[] = { "--check", "--first", "--fail-on", "--gpu", "--report",
                                          "--json",  "--sarif", "--junit",   "--seed" };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (arguments_has(arguments, others[i]))
            return error_set(
                error, EXIT_USAGE,
                "--step does not work with %s: the program ends at the launch, and there is no report.",
                others[i]);
    return true;
}

static bool no_launch(const struct exec_outcome *outcome, const char *program, struct error *error)
{
    char how[120] = "ended";
    if (WIFEXITED(outcome->status) && WEXITSTATUS(outcome->status) == KEPT_FAILED)
        return error_set(error, EXIT_MISSING, "The launch of %s could not be kept.", program);
    if (!WIFEXITED(outcome->status) || WEXITSTATUS(outcome->status) != 0)
        child_describe(outcome->status, how, sizeof how);
    return error_set(error, EXIT_MISSING,
                     "%s %s after %llu launch%s, and there is none to step through among those that were "
                     "asked for.",
                     program, how, (unsigned long long)outcome->launches, outcome->launches == 1 ? "" : "es");
}

// On the step page; where there is no terminal, by lines on stdin.
static int step_kept(const struct arguments *arguments, const char *kept)
{
    struct error error;
    struct variant variant;
    int status;
    if (isatty(STDIN_FILENO) && isatty(STDOUT_FILENO)) {
        char *words = text_format("step \"%s\"", kept);
        status = screen_on(arguments->commands, words);
        free(words);
        return status;
    }
    if (kept_variant(kept, &variant, &error)) {
        struct request request = request_new(ON_SIM, NULL, &variant, NULL, NULL, NULL);
        free(request.file);
        request.file = mem_copy(kept);
        status = sim_step_through(&request, &variant, false);
        request_free(&request);
    } else {
        status = fail(&error);
    }
    variant_free(&variant);
    return status;
}

static int step_at_launch(const struct arguments *arguments, struct exec_wish *wish)
{
    struct error error;
    struct exec_outcome outcome = { 0 };
    char *folder = suits_stepping(arguments, &error) ? folder_temporary(&error) : NULL;
    if (!folder)
        return fail(&error);
    char *kept = path_join(folder, "launch");
    wish->keep = kept;
    bool good =
        exec_run(wish, &outcome, &error) && (file_exists(kept) || no_launch(&outcome, wish->program, &error));
    int status = good ? step_kept(arguments, kept) : fail(&error);
    exec_outcome_free(&outcome);
    unlink(kept);
    rmdir(folder);
    free(kept);
    free(folder);
    return status;
}

// ---- the command ------------------------------------------------------------------------------------------------------------

static int run_to_end(const struct arguments *arguments, const struct exec_wish *wish)
{
    struct error error;
    struct exec_outcome outcome = { 0 };
    bool good = exec_run(wish, &outcome, &error) && put_all(arguments, &outcome, &error);
    int status = !good                         ? fail(&error)
                 : WIFSIGNALED(outcome.status) ? 128 + WTERMSIG(outcome.status)
                                               : WEXITSTATUS(outcome.status);
    for (size_t i = 0; good && status == 0 && i < outcome.finding_count; i++)
        if (exec_finding_is(&outcome.findings[i], arguments_value(arguments, "--fail-on")))
            status = EXIT_WRONG;
    exec_outcome_free(&outcome);
    return status;
}

int command_exec(const struct arguments *arguments)
{
    struct error error;
    struct text settings = { 0 };
    struct words flags = { 0 };
    const char *given = arguments_value(arguments, "--flags");
    struct exec_wish wish = { .program = arguments->operands[0],
                              .arguments = arguments->passed,
                              .gpu = arguments_value(arguments, "--gpu") };
    bool good = exec_settings(arguments, &settings, &error) && (!given || words_split(given, &flags, &error));
    if (good && given && flags.count < sizeof flags.word / sizeof *flags.word)
        wish.flags = flags.word;
    wish.settings = text_string(&settings);
    int status = !good                                ? fail(&error)
                 : arguments_has(arguments, "--step") ? step_at_launch(arguments, &wish)
                                                      : run_to_end(arguments, &wish);
    words_free(&flags);
    text_free(&settings);
    return status;
}
