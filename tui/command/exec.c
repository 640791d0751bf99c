// warpbook exec: a whole program in the simulator. What the program prints is its own; what it launched and did wrong is
// printed when it has ended, on stderr or into a file.
#include "tui/command/exec.h"

#include "engine/exec/kept.h"
#include "engine/run/simulation.h"
#include "tui/text/text.h"
#include "tui/tui.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

// ---- the table of launches ------------------------------------------------------------------------------------------------

static void dimensions(const uint32_t of[3], char *out, size_t size)
{
    if (of[2] > 1)
        format_into(out, size, "%ux%ux%u", of[0], of[1], of[2]);
    else if (of[1] > 1)
        format_into(out, size, "%ux%u", of[0], of[1]);
    else
        format_into(out, size, "%u", of[0]);
}

static uint64_t sum(const uint64_t counts[SIM_ACCESSES], enum sim_access from, enum sim_access to)
{
    uint64_t total = 0;
    for (int i = from; i <= (int)to; i++)
        total += counts[i];
    return total;
}

static void short_count(double count, char *out, size_t size)
{
    static const char units[] = " kMGTP";
    size_t unit = 0;
    for (; count >= 9999.5 && unit + 2 < sizeof units; unit++)
        count /= 1000;
    format_into(out, size, unit ? "%.1f%c" : "%.0f", count, units[unit]);
}

enum {
    TIME_CELLS = 15,
    FINDING_CELLS = 9,
    FINDINGS_FROM = 90
}; // on narrower paper only the list below has them

static void show_row(const struct paper *paper, const struct exec_row *row, int name_cells)
{
    char grid[40], block[40], number[40];
    const struct sim_counters *c = &row->counters;
    uint64_t sectors = sum(c->passes, SIM_GLOBAL_LOAD, SIM_GLOBAL_ATOM),
             ideal = sum(c->ideal, SIM_GLOBAL_LOAD, SIM_GLOBAL_ATOM),
             conflicts = sum(c->conflicts, SIM_SHARED_LOAD, SIM_SHARED_ATOM);
    dimensions(row->grid, grid, sizeof grid);
    dimensions(row->block, block, sizeof block);
    paper_cell(paper, ROLE_TITLE, name_cells, "%s", row->kernel);
    short_count((double)row->launches, number, sizeof number);
    paper_cell(paper, ROLE_TEXT, -6, "%s", number);
    paper_cell(paper, ROLE_TEXT, -11, "%s", grid);
    paper_cell(paper, ROLE_TEXT, -8, "%s", block);
    short_count((double)sectors, number, sizeof number);
    paper_cell(paper, row->counted ? ROLE_TEXT : ROLE_DIM, -8, "%s", row->counted ? number : "-");
    if (row->counted && ideal)
        format_into(number, sizeof number, "%.2fx", (double)sectors / (double)ideal);
    paper_cell(paper, sectors > ideal + ideal / 2 ? ROLE_NOTE : ROLE_TEXT, -8, "%s",
               row->counted && ideal ? number : "-");
    short_count((double)conflicts, number, sizeof number);
    paper_cell(paper, conflicts ? ROLE_NOTE : ROLE_TEXT, -10, "%s", row->counted ? number : "-");
    bool timed = row->modelled.name && !row->modelled.why;
    if (timed)
        modelled_time(&row->modelled, paper->utf8, number, sizeof number);
    paper_cell(paper, timed ? ROLE_TEXT : ROLE_DIM, -TIME_CELLS, "%s", timed ? number : "-");
    short_count((double)row->findings, number, sizeof number);
    if (paper->width >= FINDINGS_FROM)
        paper_cell(paper, row->findings ? ROLE_BAD : ROLE_TEXT, -FINDING_CELLS, "%s",
                   row->findings ? number : "");
    paper_put(paper, ROLE_TEXT, "\n");
}

static void show_rows(const struct paper *paper, const struct exec_outcome *outcome)
{
    enum { COLUMNS = 6 + 11 + 8 + 8 + 8 + 10 + TIME_CELLS, LEAST_CELLS = 10, MOST_CELLS = 40 };
    int cells = LEAST_CELLS, beside = COLUMNS + (paper->width >= FINDINGS_FROM ? FINDING_CELLS : 0);
    for (size_t i = 0; i < outcome->row_count; i++) {
        int own = (int)text_cells(outcome->rows[i].kernel);
        cells = own > cells ? own : cells;
    }
    cells = cells > MOST_CELLS ? MOST_CELLS : cells;
    if (cells > paper->width - beside)
        cells = paper->width - beside > LEAST_CELLS ? paper->width - beside : LEAST_CELLS;
    paper_cell(paper, ROLE_DIM, cells, "%s", "kernel");
    static const struct {
        const char *name;
        int cells;
    } heads[] = { { "times", 6 },
                  { "grid", 11 },
                  { "block", 8 },
                  { "sectors", 8 },
                  { "of best", 8 },
                  { "conflicts", 10 },
                  { "modelled", TIME_CELLS },
                  { "findings", FINDING_CELLS } };
    for (size_t i = 0; i < sizeof heads / sizeof *heads - (paper->width < FINDINGS_FROM); i++)
        paper_cell(paper, ROLE_DIM, -heads[i].cells, "%s", heads[i].name);
    paper_put(paper, ROLE_TEXT, "\n");
    for (size_t i = 0; i < outcome->row_count; i++)
        show_row(paper, &outcome->rows[i], cells);
}

// ---- findings ---------------------------------------------------------------------------------------------------------------

static void show_finding(const struct paper *paper, const struct exec_finding *f)
{
    const char *slash = strrchr(f->file, '/');
    bool error = strcmp(f->severity, "error") == 0;
    paper_put(paper, error ? ROLE_BAD : ROLE_NOTE, "%s: %s", f->severity, f->kind);
    if (f->line)
        paper_put(paper, ROLE_TEXT, ", %s:%d", *f->file ? slash ? slash + 1 : f->file : "line", f->line);
    if (f->kernel)
        paper_put(paper, ROLE_TEXT, ", %s in launch %llu", f->kernel, (unsigned long long)f->launch);
    else if (f->launch)
        paper_put(paper, ROLE_TEXT, ", after launch %llu", (unsigned long long)f->launch);
    if (f->count > 1)
        paper_put(paper, ROLE_TEXT, ", %llu times", (unsigned long long)f->count);
    paper_put(paper, ROLE_TEXT, "\n");
    paper_wrap(paper, ROLE_TEXT, 2, f->sentence);
}

static void show_end(const struct paper *paper, const struct exec_outcome *outcome, const char *program)
{
    char how[120], launches[40];
    unit_count((double)outcome->launches, launches, sizeof launches);
    bool fine = WIFEXITED(outcome->status) && WEXITSTATUS(outcome->status) == 0;
    if (fine)
        format_into(how, sizeof how, "ended");
    else
        child_describe(outcome->status, how, sizeof how);
    paper_put(paper, ROLE_TITLE, "%s", program);
    paper_put(paper, fine ? ROLE_TEXT : ROLE_BAD, " %s", how);
    paper_put(paper, ROLE_TEXT, "; %s launch%s in the simulator", launches,
              outcome->launches == 1 ? "" : "es");
    if (!fine && outcome->last)
        paper_put(paper, ROLE_TEXT, ", the last of %s", outcome->last);
    paper_put(paper, ROLE_TEXT, "\n");
    if (outcome->note)
        paper_wrap(paper, ROLE_NOTE, 0, outcome->note);
}

// What the times are, and why there is none.
static void show_times(const struct paper *paper, const struct exec_outcome *outcome)
{
    bool timed = false;
    for (size_t i = 0; i < outcome->row_count; i++) {
        const struct modelled *one = &outcome->rows[i].modelled;
        timed |= one->name && !one->why;
        if (one->name && one->why)
            paper_put(paper, ROLE_DIM, "No time of %s: %s\n", outcome->rows[i].kernel, one->why);
    }
    const struct modelled gpu = { .name = outcome->gpu };
    if (timed)
        paper_put(paper, ROLE_DIM, "Modelled for %s: one launch, by its counts. No GPU ran it.\n",
                  modelled_device(&gpu));
}

// Launches that --kernel, --launch, --skip, --first or --check left out.
static void show_uncounted(const struct paper *paper, const struct exec_outcome *outcome)
{
    uint64_t launches = 0, counted = 0;
    char number[40], all[40];
    for (size_t i = 0; i < outcome->row_count; i++) {
        launches += outcome->rows[i].launches;
        counted += outcome->rows[i].counted;
    }
    unit_count((double)counted, number, sizeof number);
    unit_count((double)launches, all, sizeof all);
    if (counted < launches)
        paper_put(paper, ROLE_NOTE,
                  "%s of %s launches were counted and checked as asked; the rest only ran.\n",
                  counted ? number : "None", all);
}

static void show(FILE *file, const struct exec_outcome *outcome, const char *program)
{
    const struct paper opened = paper_open(file), *paper = &opened;
    paper_put(paper, ROLE_DIM, "\n");
    show_end(paper, outcome, program);
    if (outcome->row_count)
        show_rows(paper, outcome);
    show_times(paper, outcome);
    show_uncounted(paper, outcome);
    for (size_t i = 0; i < outcome->finding_count; i++) {
        if (i == 0)
            paper_put(paper, ROLE_TEXT, "\n");
        show_finding(paper, &outcome->findings[i]);
    }
    if (!outcome->finding_count)
        paper_put(paper, ROLE_GOOD, "No findings.\n");
}

// ---- what was asked for --------------------------------------------------------------------------------------------------

static bool take_settings(const struct arguments *arguments, struct text *out, struct error *error)
{
    static const char *const checks[] = { "all", "counters", "none" };
    const char *check = arguments_value(arguments, "--check"),
               *kernel = arguments_value(arguments, "--kernel");
    long threads = 0, seed = 0, skip = 0, launch = 0, limit = 0, first = 0;
    bool known = !check;
    for (int i = 0; check && i < 3; i++)
        known |= strcmp(check, checks[i]) == 0;
    if (!known)
        return error_set(error, EXIT_USAGE, "--check takes none, counters or all, not '%s'.", check);
    if (kernel && strchr(kernel, ','))
        return error_set(error, EXIT_USAGE, "--kernel takes one name, or a part of it.");
    if (!arguments_number(arguments, "--threads", 1, 256, &threads, error) ||
        !arguments_number(arguments, "--seed", 0, INT_MAX, &seed, error) ||
        !arguments_number(arguments, "--skip", 0, INT_MAX, &skip, error) ||
        !arguments_number(arguments, "--launch", 1, INT_MAX, &launch, error) ||
        !arguments_number(arguments, "--first", 1, INT_MAX, &first, error) ||
        !arguments_number(arguments, "--limit", 1, 86400, &limit, error))
        return false;
    text_addf(out, "check=%s,threads=%ld,seed=%ld,skip=%ld,launch=%ld,most=%ld", check ? check : "all",
              threads, seed, skip, launch, first);
    if (limit)
        text_addf(out, ",limit=%ld", limit);
    if (kernel)
        text_addf(out, ",kernel=%s", kernel);
    return true;
}

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
    bool good = take_settings(arguments, &settings, &error) && (!given || words_split(given, &flags, &error));
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
