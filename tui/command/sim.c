// warpbook sim: one kernel in the simulator. What it computes, what its memory accesses cost, what is wrong.
#include "tui/command/sim.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- counters ---------------------------------------------------------------------------------------------

static const struct {
    const char *what, *requests, *passes, *conflicts, *unit;
} rows[] = {
    { "global loads", "gld_req", "gld_sec", NULL, "sectors" },
    { "global stores", "gst_req", "gst_sec", NULL, "sectors" },
    { "global reductions", "red_req", "red_sec", NULL, "sectors" },
    { "global atomics", "atom_req", "atom_sec", NULL, "sectors" },
    { "shared loads", "sld_inst", "sld_wave", "sld_conf", "wavefronts" },
    { "shared stores", "sst_inst", "sst_wave", "sst_conf", "wavefronts" },
    { "shared atomics", "satom_inst", "satom_wave", "satom_conf", "wavefronts" },
};

static void count_cell(const struct paper *paper, int cells, double count)
{
    char text[40];
    unit_count(count, text, sizeof text);
    paper_cell(paper, ROLE_TEXT, -cells, "%s", text);
}

static void show_accesses(const struct paper *paper, const json_t *counters)
{
    bool titled = false;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double requests = number_of(counters, rows[i].requests), passes = number_of(counters, rows[i].passes);
        if (requests == 0)
            continue;
        if (!titled)
            paper_put(paper, ROLE_DIM, "\n%-18s%14s %14s%23s %12s\n", "", "requests", "passes", "per request",
                      "conflicts");
        titled = true;
        paper_cell(paper, ROLE_TEXT, 17, "%s", rows[i].what);
        count_cell(paper, 14, requests);
        count_cell(paper, 14, passes);
        paper_cell(paper, ROLE_TITLE, -22, "%.2f %s", passes / requests, rows[i].unit);
        if (rows[i].conflicts)
            count_cell(paper, 12, number_of(counters, rows[i].conflicts));
        paper_put(paper, ROLE_TEXT, "\n");
    }
}

// What is moved beside what the same lanes would need at least.
static void show_ideal(const struct paper *paper, const json_t *counters, const char *key,
                       const char *ideal_key, const char *what)
{
    double count = number_of(counters, key), ideal = number_of(counters, ideal_key);
    if (count > 0 && ideal > 0)
        paper_put(paper, ROLE_TEXT, "%s: %.2f times the least that these accesses need\n", what,
                  count / ideal);
}

static void show_counters(const struct paper *paper, const struct record *record)
{
    const json_t *counters = record->counters;
    char instructions[40], barriers[40];
    if (!counters)
        return;
    show_accesses(paper, counters);
    paper_put(paper, ROLE_TEXT, "\n");
    show_ideal(paper, counters, "l2_sectors", "l2_sectors_ideal", "Sectors");
    show_ideal(paper, counters, "l1_wave_shared", "l1_wave_shared_ideal", "Wavefronts");
    unit_count(record->warp_inst, instructions, sizeof instructions);
    unit_count(number_of(counters, "barriers"), barriers, sizeof barriers);
    paper_put(paper, ROLE_TEXT, "%s PTX instructions by warps, %.1f lanes active on average\n", instructions,
              number_of(counters, "lanes_per_inst"));
    double branches = number_of(counters, "branches"), divergent = number_of(counters, "divergent");
    if (branches > 0)
        paper_put(paper, ROLE_TEXT, "%.1f %% of the branches split their warp; %s waits at barriers\n",
                  100 * divergent / branches, barriers);
    paper_put(paper, ROLE_DIM,
              "The simulator took %.1f ms on %.0f threads here; a GPU's time is not known.\n",
              record->exec_ms, record->threads);
}

// ---- findings -----------------------------------------------------------------------------------------------

static void show_findings(const struct paper *paper, const struct record *record, const char *file)
{
    size_t i;
    json_t *finding;
    if (!json_array_size(record->findings))
        paper_put(paper, ROLE_GOOD, "\nNo findings.\n");
    json_array_foreach(record->findings, i, finding)
    {
        const char *severity = json_string_value(json_object_get(finding, "severity"));
        const char *kind = json_string_value(json_object_get(finding, "kind"));
        const char *sentence = json_string_value(json_object_get(finding, "sentence"));
        bool error = severity && strcmp(severity, "error") == 0;
        paper_put(paper, ROLE_TEXT, "\n");
        paper_put(paper, error ? ROLE_BAD : ROLE_NOTE, "%s: %s", severity ? severity : "", kind ? kind : "");
        if (json_object_get(finding, "line"))
            paper_put(paper, ROLE_TEXT, "  %s:%.0f", file, number_of(finding, "line"));
        if (number_of(finding, "count") > 1)
            paper_put(paper, ROLE_TEXT, "  %.0f times", number_of(finding, "count"));
        paper_put(paper, ROLE_TEXT, "\n");
        paper_wrap(paper, ROLE_TEXT, 2, sentence ? sentence : "");
    }
}

// ---- the page -------------------------------------------------------------------------------------------------

static void show_head(const struct paper *paper, const struct target *target, const struct record *record)
{
    const char *name;
    json_t *value;
    paper_put(paper, ROLE_TITLE, "%s%s%s", target->lab ? target->lab->name : "", target->lab ? "/" : "",
              target->variant->name);
    paper_put(paper, ROLE_TEXT, " in the simulator\n");
    json_object_foreach(record->params, name, value)
    {
        char count[40];
        unit_count(json_number_value(value), count, sizeof count);
        paper_put(paper, ROLE_DIM, "%s = %s  ", name, count);
    }
    paper_put(paper, ROLE_DIM, "%s%s\n", record->data ? "data: " : "", record->data ? record->data : "");
}

static void show_result(const struct paper *paper, const struct record *record)
{
    struct text words = { 0 };
    if (strcmp(record->status, "unchecked") == 0)
        text_add(&words, "unchecked: nobody knows the right answer of a file that stands alone");
    else
        record_check_words(record, &words);
    bool right = strcmp(record->status, "right") == 0;
    bool plain = strcmp(record->status, "unchecked") == 0 || strcmp(record->status, "skipped") == 0;
    paper_wrap(paper, right ? ROLE_GOOD : plain ? ROLE_NOTE : ROLE_BAD, 0, text_string(&words));
    if (record->message)
        paper_lines(paper, ROLE_TEXT, 2, record->message);
    if (record->printed) {
        paper_put(paper, ROLE_DIM, "the kernel printed:\n");
        paper_lines(paper, ROLE_TEXT, 2, record->printed);
    }
    text_free(&words);
}

static void show_page(const struct paper *paper, const struct target *target, const struct record *record)
{
    struct error error;
    const char *file = target->variant->path;
    show_head(paper, target, record);
    show_result(paper, record);
    show_counters(paper, record);
    if (record->instructions &&
        !sim_show_instructions(paper, record, string_ends(file, ".ptx") ? NULL : target->variant->text,
                               &error))
        paper_put(paper, ROLE_BAD, "%s\n", error.text);
    if (record->findings)
        show_findings(paper, record, file);
}

static int show(const struct arguments *arguments, const struct target *target, const struct record *record)
{
    if (arguments_has(arguments, "--json")) {
        json_t *json = record_to_json(record);
        char *line = json_dumps(json, JSON_COMPACT | JSON_ENSURE_ASCII);
        printf("%s\n", line);
        free(line);
        json_decref(json);
    } else {
        struct paper paper = paper_open(stdout);
        show_page(&paper, target, record);
    }
    bool bad = strcmp(record->status, "wrong") == 0 || strcmp(record->status, "failed") == 0 ||
               record_has_error(record);
    return bad ? EXIT_WRONG : strcmp(record->status, "skipped") == 0 ? EXIT_USAGE : EXIT_RIGHT;
}

static bool take_check(const struct arguments *arguments, struct request *wish, struct error *error)
{
    static const char *const names[] = { "none", "counters", "all" };
    const char *check = arguments_value(arguments, "--check");
    long threads = 0, seed = 0;
    wish->check = SIM_CHECK_ALL;
    for (int i = 0; check && i < 3; i++)
        if (strcmp(check, names[i]) == 0)
            wish->check = (enum sim_check)i;
    if (check && strcmp(check, names[wish->check]) != 0)
        return error_set(error, EXIT_USAGE, "--check takes none, counters or all, not '%s'.", check);
    if (!arguments_number(arguments, "--threads", 1, 256, &threads, error) ||
        !arguments_number(arguments, "--seed", 0, 2147483647, &seed, error))
        return false;
    wish->instructions = arguments_has(arguments, "--instructions");
    if (wish->instructions && wish->check == SIM_CHECK_NONE)
        return error_set(error, EXIT_USAGE,
                         "--instructions counts, and --check none does not: leave one out.");
    wish->threads = (int)threads;
    wish->seed = (int)seed;
    return true;
}

// Stepping runs on one thread, shows its own way, and leaves no record.
static bool suits_stepping(const struct arguments *arguments, struct error *error)
{
    static const struct {
        const char *flag, *why;
    } others[] = { { "--threads", "it walks on one thread" },
                   { "--json", "it leaves no record" },
                   { "--instructions", "it counts nothing, but shows one instruction after the other" } };
    for (size_t i = 0; arguments_has(arguments, "--step") && i < sizeof others / sizeof *others; i++)
        if (arguments_has(arguments, others[i].flag))
            return error_set(error, EXIT_USAGE, "--step cannot be had with %s: %s.", others[i].flag,
                             others[i].why);
    return true;
}

static int run_it(const struct arguments *arguments, const struct target *target, struct request *wish)
{
    struct error error;
    struct record record;
    struct client *client = client_new();
    struct request request = *wish;
    request.on = ON_SIM;
    request.variant = target->variant->name;
    request.file = target->variant->path;
    request.source = target->variant->text;
    if (arguments_has(arguments, "--step")) {
        client_free(client);
        return step_through(&request);
    }
    bool done = client_run(client, &request, NULL, NULL, &record, &error);
    int status = done ? show(arguments, target, &record) : fail(&error);
    if (done)
        record_free(&record);
    client_free(client);
    return status;
}

int command_sim(const struct arguments *arguments)
{
    struct error error;
    struct target target;
    struct request wish = { 0 };
    int status;
    if (!target_read(arguments->operands[0], &target, &error))
        return fail(&error);
    if (target.cpu) {
        error_set(&error, EXIT_USAGE, "%s is a CPU implementation; the simulator runs kernels.",
                  target.cpu->name);
        status = fail(&error);
    } else if (!target.variant) {
        error_set(&error, EXIT_USAGE, "Name a step of the lab: 'warpbook list %s' shows them.",
                  target.lab->name);
        status = fail(&error);
    } else if (!suits_stepping(arguments, &error) || !wish_read(arguments, &target, 60, &wish, &error) ||
               !take_check(arguments, &wish, &error)) {
        status = fail(&error);
    } else {
        status = run_it(arguments, &target, &wish);
    }
    request_free(&wish);
    target_free(&target);
    return status;
}
