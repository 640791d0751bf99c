// warpbook run: one kernel, one CPU implementation, or a whole ladder, row by row.
#include "tui/command/ladder.h"
#include "tui/command/waiting.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct runner {
    const struct arguments *arguments;
    struct target target;
    struct request wish; // what all rows share
    struct client *client;
    struct ladder_table table;
    struct waiting waiting;
    struct keeping keeping;
    bool json, cpu, gpu, sim;
    bool lab_shown, cpu_shown, gpu_shown;
    bool recorded; // no GPU here: the recorded results stand in
    bool hopeless; // no further row can do better
    size_t ran;
    int status;
    char said[200]; // the start of the last error
};

// ---- the flags ---------------------------------------------------------------------------------------

static bool take_backends(struct runner *runner, struct error *error)
{
    const char *on = arguments_value(runner->arguments, "--on");
    bool all = !on || strcmp(on, "all") == 0;
    runner->cpu = all || strcmp(on, "cpu") == 0;
    runner->gpu = all || strcmp(on, "gpu") == 0;
    runner->sim = on && strcmp(on, "sim") == 0;
    if (!runner->cpu && !runner->gpu && !runner->sim)
        return error_set(error, EXIT_USAGE, "--on takes gpu, cpu, sim or all, not '%s'.", on);
    const struct target *target = &runner->target;
    if (target->variant && runner->cpu && !runner->gpu)
        return error_set(error, EXIT_USAGE, "%s is a kernel; it runs with --on gpu.", target->variant->name);
    if (target->cpu && !runner->cpu)
        return error_set(error, EXIT_USAGE, "%s is a CPU implementation; it runs with --on cpu.",
                         target->cpu->name);
    if (runner->cpu && !runner->gpu && target->lab && !target->lab->cpu_count)
        return error_set(error, EXIT_USAGE, "%s", target->lab->no_cpu);
    return true;
}

static bool take_flags(struct runner *runner, struct error *error)
{
    runner->json = arguments_has(runner->arguments, "--json");
    runner->wish.check = REQUEST_CHECK_ALL; // of the simulator
    if (runner->json && arguments_has(runner->arguments, "--chart"))
        return error_set(error, EXIT_USAGE, "--chart draws and --json is for programs: leave one out.");
    return take_backends(runner, error) &&
           target_request(&runner->target, runner->arguments, 10, &runner->wish, error);
}

// ---- one row -----------------------------------------------------------------------------------------

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
        char *line = json_dumps(json, JSON_COMPACT | JSON_ENSURE_ASCII);
        printf("%s\n", line);
        fflush(stdout);
        free(line);
        json_decref(json);
        return;
    }
    bool gpu = record->backend != ON_CPU;
    bool *section = gpu ? &runner->gpu_shown : &runner->cpu_shown;
    if (!runner->lab_shown && runner->target.lab && record->params) {
        ladder_table_lab(&runner->table, runner->target.lab, record);
        runner->lab_shown = true;
    }
    if (runner->sim) {
        ladder_sim_row(&runner->table, step, record);
        return;
    }
    if (!*section && record->device) {
        ladder_table_section(&runner->table, record, recorded);
        *section = true;
    }
    ladder_table_row(&runner->table, step, record, recorded);
}

static void note_record(struct runner *runner, const struct record *record)
{
    if (record->status == STATUS_WRONG || record->status == STATUS_FAILED || record_has_error(record))
        note_status(runner, EXIT_WRONG);
    else if (record->status == STATUS_SKIPPED && runner->target.variant)
        note_status(runner, EXIT_USAGE);
}

// False when going on makes no sense.
static bool run_row(struct runner *runner, const struct request *request, const char *step,
                    struct error *error)
{
    struct record record;
    runner->waiting.what = request->variant;
    bool done = client_run(runner->client, request, waiting_show, &runner->waiting, &record, error);
    waiting_wipe(&runner->waiting);
    if (!done)
        return false;
    show_record(runner, step, &record, false);
    note_record(runner, &record);
    keep_run(&runner->keeping, &record);
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
    request.on = runner->sim ? ON_SIM : ON_GPU;
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

// A row that failed for what is missing here: the others may still run, unless the next says the same again.
static void report_row(struct runner *runner, const char *name, const struct error *error)
{
    struct error named;
    char said[sizeof runner->said];
    bool usage = error->code == EXIT_USAGE; // is about the whole run, not about this row
    format_into(said, sizeof said, "%s", error->text);
    bool again = !runner->ran && strcmp(said, runner->said) == 0;
    note_status(runner, (int)error->code);
    runner->hopeless = usage || again;
    if (again)
        return;
    format_into(runner->said, sizeof runner->said, "%s", said);
    error_set(&named, error->code, "%s%s%s", usage ? "" : name, usage ? "" : ": ", error->text);
    fflush(stdout);
    fail(&named);
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

static const char *recorded_words(const struct runner *runner)
{
    struct runner full = *runner;
    full.wish.preset = (char *)"full";
    full.wish.params.count = 0;
    if (any_recorded(runner))
        return "What follows was recorded earlier on a real GPU; nothing of it ran here.";
    if (any_recorded(&full))
        return "For this size no results of a real GPU were recorded; --size full has some, and --on sim "
               "runs it "
               "in the simulator.";
    return "No results of a real GPU were recorded for this either. With --on sim it runs in the simulator.";
}

static void no_gpu(struct runner *runner, const struct error *error)
{
    runner->recorded = true;
    if (runner->json) {
        fail(error); // stdout holds records alone
        return;
    }
    const struct paper *paper = &runner->table.paper;
    paper_put(paper, ROLE_TEXT, "\n");
    paper_wrap(paper, ROLE_NOTE, 0, error->text);
    paper_wrap(paper, ROLE_NOTE, 0, recorded_words(runner));
    fflush(stdout);
}

// Whether the worker's machine has a GPU, though a run on it failed.
static bool gpu_is_here(struct runner *runner)
{
    json_t *report;
    struct error unused;
    if (!client_describe(runner->client, false, waiting_quietly, NULL, &report, &unused))
        return false;
    bool here = json_object_get(report, "gpu") != NULL;
    json_decref(report);
    return here;
}

static void cpu_rows(struct runner *runner)
{
    const struct target *target = &runner->target;
    struct error error;
    for (size_t i = 0; i < target->lab->cpu_count && !waiting_stopped() && !runner->hopeless; i++) {
        const struct cpu_variant *cpu = &target->lab->cpu[i];
        if ((!target->cpu || target->cpu == cpu) && !cpu_row(runner, cpu, &error))
            report_row(runner, cpu->name, &error);
    }
}

static void gpu_rows(struct runner *runner)
{
    const struct target *target = &runner->target;
    size_t count = target->lab ? target->ladder.count : 1;
    struct error error;
    for (size_t i = 0; i < count && !waiting_stopped() && !runner->hopeless; i++) {
        const struct variant *variant = target->lab ? &target->ladder.variants[i] : target->variant;
        bool first = !runner->gpu_shown && !runner->recorded;
        if (!variant || (target->variant && target->variant != variant) || gpu_row(runner, variant, &error))
            continue;
        if (first && error.code == EXIT_MISSING && !waiting_stopped() && target->lab && runner->cpu &&
            !gpu_is_here(runner)) {
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
    waiting_begin(&runner->waiting);
    runner->client = client_new();
    ladder_table_open(&runner->table);
    if (arguments_has(runner->arguments, "--chart"))
        runner->table.chart = ladder_chart_new();
    if (runner->cpu && runner->target.lab && !runner->target.variant)
        cpu_rows(runner);
    if ((runner->gpu || runner->sim) && !runner->target.cpu)
        gpu_rows(runner);
    if (!runner->json)
        ladder_table_close(&runner->table);
    if (runner->table.chart)
        ladder_chart_print(runner->table.chart, &runner->table.paper, runner->target.lab);
    ladder_chart_free(runner->table.chart);
    client_free(runner->client);
    keep_end(&runner->keeping);
    int stopped = waiting_end(&runner->waiting);
    if (stopped)
        return stopped;
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
