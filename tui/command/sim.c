// warpbook sim: one kernel in the simulator. What it computes, what its memory accesses cost, what is wrong.
#include "engine/run/simulation.h"
#include "tui/command/waiting.h"
#include "tui/text/text.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

// ==== sim --instructions ====================================================================================

static int by_source(const void *left, const void *right)
{
    const struct instruction *const *x = left, *const *y = right;
    if ((*x)->line != (*y)->line)
        return (*x)->line < (*y)->line ? -1 : 1;
    return *x < *y ? -1 : *x > *y;
}

// Line `line` of the source without what it is indented by.
static void show_source(const struct paper *paper, const char *source, int line)
{
    const char *at = source;
    for (int i = 1; at && i < line; i++) {
        at = strchr(at, '\n');
        at = at ? at + 1 : NULL;
    }
    if (!at || line < 1) {
        paper_put(paper, ROLE_TITLE, "\nof no line of the source\n");
        return;
    }
    at += strspn(at, " \t");
    paper_put(paper, ROLE_TITLE, "\nline %d: %.*s\n", line, (int)strcspn(at, "\r\n"), at);
}

// Passes of one request on average; nothing where there are none.
static void pass_cell(const struct paper *paper, const struct sim_counters *counters, bool shared, int cells)
{
    uint64_t requests = 0, passes = 0;
    for (int i = 0; i < SIM_ACCESSES; i++) {
        if ((i == SIM_SHARED_LOAD || i == SIM_SHARED_STORE || i == SIM_SHARED_ATOM) != shared)
            continue;
        requests += counters->requests[i];
        passes += counters->passes[i];
    }
    if (requests)
        paper_cell(paper, ROLE_TITLE, -cells, "%.2f", (double)passes / (double)requests);
    else
        paper_cell(paper, ROLE_TEXT, -cells, "%s", "");
}

static void show_instruction(const struct paper *paper, const struct instruction *item)
{
    const struct sim_counters *counters = &item->counters;
    char executions[40];
    unit_count((double)counters->warp_inst, executions, sizeof executions);
    paper_cell(paper, ROLE_TEXT, -10, "%s", executions);
    paper_cell(paper, ROLE_TEXT, -5, "%.1f",
               counters->warp_inst ? (double)counters->thread_inst / (double)counters->warp_inst : 0);
    pass_cell(paper, counters, false, 7);
    pass_cell(paper, counters, true, 10);
    paper_cell(paper, ROLE_DIM, -5, "%d", item->ptx_line);
    paper_put(paper, ROLE_TEXT, "%s", item->text);
    if (counters->divergent) {
        char divergent[40];
        unit_count((double)counters->divergent, divergent, sizeof divergent);
        paper_put(paper, ROLE_NOTE, "  splits %s", divergent);
    }
    paper_put(paper, ROLE_TEXT, "\n");
}

// source: NULL for a file that is PTX.
static void show_instructions(const struct paper *paper, const struct record *record, const char *source)
{
    const struct instructions *all = record->instructions;
    const struct instruction **order = mem_new((all->count + 1) * sizeof *order);
    for (size_t i = 0; i < all->count; i++)
        order[i] = &all->items[i];
    qsort(order, all->count, sizeof *order, by_source);
    paper_put(paper, ROLE_DIM,
              "\nPTX instructions by warps; lanes, sectors and wavefronts of one on average\n");
    paper_put(paper, ROLE_DIM, "%10s %5s %7s %10s %5s\n", "executions", "lanes", "sectors", "wavefronts",
              "ptx");
    for (size_t i = 0; i < all->count; i++) {
        if (source && (!i || order[i]->line != order[i - 1]->line))
            show_source(paper, source, order[i]->line);
        show_instruction(paper, order[i]);
    }
    free(order);
}

// ==== the command ===========================================================================================

// ---- the page -------------------------------------------------------------------------------------------------

static void show_head(const struct paper *paper, const struct target *target, const struct record *record)
{
    paper_put(paper, ROLE_TITLE, "%s%s%s", target->lab ? target->lab->name : "", target->lab ? "/" : "",
              target->variant->name);
    paper_put(paper, ROLE_TEXT, " in the simulator\n");
    for (size_t i = 0; i < record->param_count; i++) {
        char count[40];
        unit_count(value_as_real(record->params[i].value), count, sizeof count);
        paper_put(paper, ROLE_DIM, "%s = %s  ", record->params[i].name, count);
    }
    paper_put(paper, ROLE_DIM, "%s%s\n", record->data ? "data: " : "", record->data ? record->data : "");
}

static void show_result(const struct paper *paper, const struct record *record)
{
    struct text words = { 0 };
    if (record->status == STATUS_UNCHECKED)
        text_add(&words, "unchecked: nobody knows the right answer of a file that stands alone");
    else
        record_check_words(record, &words);
    bool right = record->status == STATUS_RIGHT;
    bool plain = record->status == STATUS_UNCHECKED || record->status == STATUS_SKIPPED;
    paper_wrap(paper, right ? ROLE_GOOD : plain ? ROLE_NOTE : ROLE_BAD, 0, text_string(&words));
    if (record->message)
        paper_lines(paper, ROLE_TEXT, 2, record->message);
    if (record->printed) {
        paper_put(paper, ROLE_DIM, "the kernel printed:\n");
        paper_lines(paper, ROLE_TEXT, 2, record->printed);
    }
    text_free(&words);
}

// The source with its counters in the margin, as the source page shows it.
static void show_lines(const struct paper *paper, const struct target *target, const struct record *record)
{
    struct listing listing = {
        .text = target->variant->text, .record = record, .numbers = true, .margin = true
    };
    struct sheet sheet =
        listing_sheet(&listing, paper->terminal ? paper->width : SHEET_UNLIMITED, paper->utf8);
    paper_put(paper, ROLE_TEXT, "\n");
    sheet_print(paper, &sheet);
    sheet_free(&sheet);
}

static void show_counters(const struct paper *paper, const struct record *record)
{
    struct sheet sheet = counters_sheet(record, paper->width < 100 ? paper->width : 100, paper->utf8);
    paper_put(paper, ROLE_TEXT, "\n");
    sheet_print(paper, &sheet);
    sheet_free(&sheet);
    paper_put(paper, ROLE_DIM,
              "\nThe simulator took %.1f ms on %.0f thread%s here; a GPU's time is not known.\n",
              record->exec_ms, record->threads, record->threads == 1 ? "" : "s");
}

static void show_page(const struct paper *paper, const struct arguments *arguments,
                      const struct target *target, const struct record *record)
{
    const char *file = target->variant->path;
    show_head(paper, target, record);
    show_result(paper, record);
    if (record->counters)
        show_counters(paper, record);
    if (arguments_has(arguments, "--lines"))
        show_lines(paper, target, record);
    if (record->instructions)
        show_instructions(paper, record, string_ends(file, ".ptx") ? NULL : target->variant->text);
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
        show_page(&paper, arguments, target, record);
    }
    bool bad = record->status == STATUS_WRONG || record->status == STATUS_FAILED || record_has_error(record);
    return bad ? EXIT_WRONG : record->status == STATUS_SKIPPED ? EXIT_USAGE : EXIT_RIGHT;
}

static bool take_check(const struct arguments *arguments, struct request *wish, struct error *error)
{
    static const char *const names[] = { "none", "counters", "all" };
    const char *check = arguments_value(arguments, "--check");
    long threads = 0, seed = 0;
    wish->check = REQUEST_CHECK_ALL;
    for (int i = 0; check && i < 3; i++)
        if (strcmp(check, names[i]) == 0)
            wish->check = (enum request_check)i;
    if (check && strcmp(check, names[wish->check]) != 0)
        return error_set(error, EXIT_USAGE, "--check takes none, counters or all, not '%s'.", check);
    if (!arguments_number(arguments, "--threads", 1, THREADS_MOST, &threads, error) ||
        !arguments_number(arguments, "--seed", 0, INT_MAX, &seed, error))
        return false;
    wish->instructions = arguments_has(arguments, "--instructions");
    if (wish->instructions && wish->check == REQUEST_CHECK_NONE)
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

static struct request request_of(const struct target *target, const struct request *wish)
{
    struct request request = *wish;
    request.on = ON_SIM;
    request.variant = target->variant->name;
    request.file = target->variant->path;
    request.source = target->variant->text;
    return request;
}

static void keep(const struct record *record)
{
    struct keeping keeping = { 0 };
    keep_run(&keeping, record);
    keep_end(&keeping);
}

static int run_it(const struct arguments *arguments, const struct target *target,
                  const struct request *request)
{
    struct error error;
    struct record record;
    struct waiting waiting = { .what = target->variant->name };
    struct client *client = client_new();
    waiting_begin(&waiting);
    bool done = client_run(client, request, waiting_show, &waiting, &record, &error);
    waiting_wipe(&waiting);
    client_free(client);
    int stopped = waiting_end(&waiting);
    if (!done) {
        int status = fail(&error);
        return stopped ? stopped : status;
    }
    int status = show(arguments, target, &record);
    keep(&record);
    record_free(&record);
    return status;
}

static int simulate(const struct arguments *arguments, const struct target *target,
                    const struct request *wish)
{
    struct request request = request_of(target, wish);
    return arguments_has(arguments, "--step") ? step_through(&request) : run_it(arguments, target, &request);
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
    } else if (!suits_stepping(arguments, &error) || !target_request(&target, arguments, 60, &wish, &error) ||
               !take_check(arguments, &wish, &error)) {
        status = fail(&error);
    } else {
        status = simulate(arguments, &target, &wish);
    }
    request_free(&wish);
    target_free(&target);
    return status;
}
