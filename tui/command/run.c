// warpbook run: one kernel, one CPU implementation, or a whole ladder, row by row.
#include "tui/command/ladder.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// The one thing that a signal handler may touch.
static volatile sig_atomic_t interrupted;

static void on_interrupt(int signal)
{
    (void)signal;
    interrupted = 1;
}

struct runner {
    const struct arguments *arguments;
    struct target target;
    struct request wish; // what all rows share
    struct client *client;
    struct ladder_table table;
    struct paper progress;
    bool json, cpu, gpu;
    bool lab_shown, cpu_shown, gpu_shown;
    bool recorded; // no GPU here: the recorded results stand in
    size_t ran;
    int status;
};

// ---- the flags ---------------------------------------------------------------------------------------

static bool take_backends(struct runner *runner, struct error *error)
{
    const char *on = arguments_value(runner->arguments, "--on");
    bool all = !on || strcmp(on, "all") == 0;
    runner->cpu = all || strcmp(on, "cpu") == 0;
    runner->gpu = all || strcmp(on, "gpu") == 0;
    if (!runner->cpu && !runner->gpu)
        return error_set(error, EXIT_USAGE, "--on takes gpu, cpu or all, not '%s'.", on);
    const struct target *target = &runner->target;
    if (target->variant && !runner->gpu)
        return error_set(error, EXIT_USAGE, "%s is a kernel; it runs with --on gpu.", target->variant->name);
    if (target->cpu && !runner->cpu)
        return error_set(error, EXIT_USAGE, "%s is a CPU implementation; it runs with --on cpu.",
                         target->cpu->name);
    if (!runner->gpu && target->lab && !target->lab->cpu_count)
        return error_set(error, EXIT_USAGE, "%s", target->lab->no_cpu);
    return true;
}

// A value is an expression, so that 1<<20 can be written as people think it.
static bool take_param(struct runner *runner, const char *setting, struct error *error)
{
    const char *equals = strchr(setting, '=');
    const struct lab *lab = runner->target.lab;
    struct binding *param = &runner->wish.params[runner->wish.param_count];
    struct scope nothing = { 0 };
    struct error why;
    if (!equals || equals == setting || !equals[1])
        return error_set(error, EXIT_USAGE, "--set takes NAME=VALUE, such as n=1000000, not '%s'.", setting);
    if (runner->wish.param_count == sizeof runner->wish.params / sizeof *runner->wish.params)
        return error_set(error, EXIT_USAGE, "There are too many --set.");
    char *name = mem_copy_n(setting, (size_t)(equals - setting));
    param->name = name;
    runner->wish.param_count++;
    if (lab && lab_param_index(lab, name) < 0) {
        struct text names = { 0 };
        for (int i = 0; i < LAB_PARAMS && lab->params[i]; i++)
            text_addf(&names, "%s%s", i ? ", " : "", lab->params[i]);
        error_set(error, EXIT_USAGE, "The lab %s has no parameter '%s'; it has %s.", lab->name, name,
                  names.data);
        text_free(&names);
        return false;
    }
    if (!expr_eval_text(equals + 1, &nothing, &param->value, &why))
        return error_set(error, EXIT_USAGE, "--set %s: the value is not a number.\n%s", setting, why.text);
    return true;
}

static bool take_preset(struct runner *runner, struct error *error)
{
    const char *size = arguments_value(runner->arguments, "--size");
    const struct lab *lab = runner->target.lab;
    if (!size)
        return true;
    if (!lab)
        return error_set(error, EXIT_USAGE,
                         "--size belongs to labs; a file has its own: use --set NAME=VALUE.");
    if (!lab_preset_find(lab, size)) {
        struct text names = { 0 };
        for (int p = 0; p < LAB_PRESETS && lab->presets[p].name; p++)
            text_addf(&names, "%s%s", p ? ", " : "", lab->presets[p].name);
        error_set(error, EXIT_USAGE, "The lab %s has no size '%s'; it has %s.", lab->name, size, names.data);
        text_free(&names);
        return false;
    }
    runner->wish.preset = mem_copy(size);
    return true;
}

static bool take_data(struct runner *runner, struct error *error)
{
    const char *data = arguments_value(runner->arguments, "--data");
    const struct lab *lab = runner->target.lab;
    if (!data)
        return true;
    struct text names = { 0 };
    for (int d = 0; lab && d < LAB_DATA && lab->data[d]; d++) {
        if (strcmp(lab->data[d], data) == 0)
            runner->wish.data = mem_copy(data);
        text_addf(&names, "%s%s", d ? ", " : "", lab->data[d]);
    }
    if (!runner->wish.data && lab)
        error_set(error, EXIT_USAGE, "The lab %s has no data '%s'; it has %s.", lab->name, data,
                  text_string(&names));
    else if (!runner->wish.data)
        error_set(error, EXIT_USAGE, "--data belongs to labs; a file has its own buffer lines.");
    text_free(&names);
    return runner->wish.data != NULL;
}

static bool take_flags(struct runner *runner, struct error *error)
{
    const struct arguments *arguments = runner->arguments;
    long reps = 0, limit_s = 10;
    if (!arguments_number(arguments, "--reps", 1, 100, &reps, error) ||
        !arguments_number(arguments, "--limit", 1, 3600, &limit_s, error) || !take_backends(runner, error) ||
        !take_preset(runner, error) || !take_data(runner, error))
        return false;
    for (size_t i = 0; i < arguments->given_count; i++)
        if (strcmp(arguments->given[i].flag, "--set") == 0 &&
            !take_param(runner, arguments->given[i].value, error))
            return false;
    runner->wish.lab = runner->target.lab ? mem_copy(runner->target.lab->name) : NULL;
    runner->wish.reps = (int)reps;
    runner->wish.limit_ms = (int)limit_s * 1000;
    runner->json = arguments_has(arguments, "--json");
    return true;
}

// ---- one row -----------------------------------------------------------------------------------------

struct waiting {
    const struct paper *paper;
    const char *what;
};

static bool show_progress(void *context, const char *stage, double seconds)
{
    const struct waiting *waiting = context;
    if (waiting->paper->terminal)
        paper_put(waiting->paper, ROLE_DIM, "\r\033[K  %s: %s %.1f s", waiting->what, stage, seconds);
    return !interrupted;
}

static void clear_progress(const struct runner *runner)
{
    if (runner->progress.terminal)
        paper_put(&runner->progress, ROLE_TEXT, "\r\033[K");
}

static void note_status(struct runner *runner, int status)
{
    if (runner->status == EXIT_RIGHT || status == EXIT_WRONG)
        runner->status = status;
}

static void show_record(struct runner *runner, const char *step, const struct record *record, bool recorded)
{
    if (runner->json) {
        json_t *json = record_to_json(record);
        if (recorded)
            json_object_set_new(json, "recorded", json_true());
        char *line = json_dumps(json, JSON_COMPACT);
        printf("%s\n", line);
        fflush(stdout);
        free(line);
        json_decref(json);
        return;
    }
    bool gpu = strcmp(record->backend, "gpu") == 0;
    bool *section = gpu ? &runner->gpu_shown : &runner->cpu_shown;
    if (!runner->lab_shown && runner->target.lab && record->params) {
        ladder_table_lab(&runner->table, runner->target.lab, record);
        runner->lab_shown = true;
    }
    if (!*section && record->device) {
        ladder_table_section(&runner->table, record, recorded);
        *section = true;
    }
    ladder_table_row(&runner->table, step, record, recorded);
}

static void judge(struct runner *runner, const struct record *record)
{
    if (strcmp(record->status, "wrong") == 0 || strcmp(record->status, "failed") == 0)
        note_status(runner, EXIT_WRONG);
    else if (strcmp(record->status, "skipped") == 0 && runner->target.variant)
        note_status(runner, EXIT_USAGE);
}

// False when going on makes no sense.
static bool run_row(struct runner *runner, const struct request *request, const char *step,
                    struct error *error)
{
    struct record record;
    struct waiting waiting = { &runner->progress, request->variant };
    bool done = client_run(runner->client, request, show_progress, &waiting, &record, error);
    clear_progress(runner);
    if (!done)
        return false;
    show_record(runner, step, &record, false);
    judge(runner, &record);
    record_free(&record);
    runner->ran++;
    return true;
}

// ---- the rows ----------------------------------------------------------------------------------------

static bool cpu_row(struct runner *runner, const struct cpu_variant *cpu, struct error *error)
{
    struct request request = runner->wish;
    request.on = ON_CPU;
    request.variant = (char *)cpu->name;
    return run_row(runner, &request, "", error);
}

static struct request gpu_request(const struct runner *runner, const struct variant *variant)
{
    struct request request = runner->wish;
    request.on = ON_GPU;
    request.variant = variant->name;
    request.file = variant->path;
    request.source = variant->text;
    return request;
}

static void step_name(const struct variant *variant, char *out, size_t size)
{
    *out = 0;
    if (variant->step)
        format_into(out, size, "%d", variant->step);
}

static bool gpu_row(struct runner *runner, const struct variant *variant, struct error *error)
{
    struct request request = gpu_request(runner, variant);
    char step[16];
    step_name(variant, step, sizeof step);
    if (!runner->recorded)
        return run_row(runner, &request, step, error);
    struct record record;
    if (recorded_find(&request, variant, &record)) {
        show_record(runner, step, &record, true);
        record_free(&record);
    }
    return true;
}

// A row that failed for what is missing here: the others may still run.
static void report_row(struct runner *runner, const char *name, const struct error *error)
{
    fflush(stdout);
    if (error->code == EXIT_USAGE)
        fail(error); // it is about the whole run, not about this row
    else
        fprintf(stderr, "warpbook: %s: %s\n", name, error->text);
    note_status(runner, (int)error->code);
}

// Whether any step of the ladder has a recorded result for this size and data.
static bool any_recorded(const struct runner *runner)
{
    bool any = false;
    for (size_t i = 0; i < runner->target.ladder.count && !any; i++) {
        const struct variant *variant = &runner->target.ladder.variants[i];
        struct request request = gpu_request(runner, variant);
        struct record record;
        if ((runner->target.variant && runner->target.variant != variant) ||
            !recorded_find(&request, variant, &record))
            continue;
        any = true;
        record_free(&record);
    }
    return any;
}

static void no_gpu(struct runner *runner, const struct error *error)
{
    runner->recorded = true;
    if (runner->json)
        return;
    const struct paper *paper = &runner->table.paper;
    paper_put(paper, ROLE_TEXT, "\n");
    paper_wrap(paper, ROLE_NOTE, 0, error->text);
    paper_wrap(
        paper, ROLE_NOTE, 0,
        any_recorded(runner)
            ? "What follows was recorded earlier on a real GPU; nothing of it ran here."
            : "For this size and data no results of a real GPU were recorded either; --size full has some.");
    fflush(stdout);
}

static void cpu_rows(struct runner *runner)
{
    const struct target *target = &runner->target;
    struct error error;
    for (size_t i = 0; i < target->lab->cpu_count && !interrupted; i++) {
        const struct cpu_variant *cpu = &target->lab->cpu[i];
        if ((target->cpu && target->cpu != cpu) || cpu_row(runner, cpu, &error))
            continue;
        report_row(runner, cpu->name, &error);
        if (error.code == EXIT_USAGE)
            return;
    }
}

static void gpu_rows(struct runner *runner)
{
    const struct target *target = &runner->target;
    size_t count = target->lab ? target->ladder.count : 1;
    struct error error;
    for (size_t i = 0; i < count && !interrupted && runner->status != EXIT_USAGE; i++) {
        const struct variant *variant = target->lab ? &target->ladder.variants[i] : target->variant;
        bool first = !runner->gpu_shown && !runner->recorded;
        if (!variant || (target->variant && target->variant != variant) || gpu_row(runner, variant, &error))
            continue;
        if (first && error.code == EXIT_MISSING && !interrupted && target->lab && runner->cpu) {
            no_gpu(runner, &error);
            gpu_row(runner, variant, &error);
        } else {
            report_row(runner, variant->name, &error);
            if (first && error.code == EXIT_MISSING)
                return;
        }
    }
}

static int run_all(struct runner *runner)
{
    struct sigaction catch = { .sa_handler = on_interrupt }, before;
    sigaction(SIGINT, &catch, &before);
    runner->client = client_new();
    runner->progress = paper_open(stderr);
    ladder_table_open(&runner->table);
    if (runner->cpu && runner->target.lab && !runner->target.variant)
        cpu_rows(runner);
    if (runner->gpu && !runner->target.cpu && runner->status != EXIT_USAGE)
        gpu_rows(runner);
    if (!runner->json)
        ladder_table_close(&runner->table);
    client_free(runner->client);
    sigaction(SIGINT, &before, NULL);
    if (interrupted)
        return 128 + SIGINT;
    if (runner->recorded && !runner->ran)
        note_status(runner, EXIT_MISSING); // nothing of what was asked could run
    return runner->status;
}

int command_run(const struct arguments *arguments)
{
    struct error error;
    struct runner *runner = mem_new(sizeof *runner);
    runner->arguments = arguments;
    int status;
    if (!target_read(arguments->operands[0], &runner->target, &error)) {
        status = fail(&error);
    } else {
        status = take_flags(runner, &error) ? run_all(runner) : fail(&error);
        target_free(&runner->target);
    }
    request_free(&runner->wish);
    free(runner);
    return status;
}
