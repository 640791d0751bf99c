// One kernel file in the simulator: compiled to PTX, run once, checked like on a GPU, with the counters and
// findings that only a simulator has. Its times are the host's and are never a kernel's.
#include "engine/run/simulation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#ifdef _OPENMP
#include <omp.h>
#endif

// FNV-1a's offset basis as the tables of digests were made with; it lacks the last digit of the usual one.
#define DIGEST_BASIS 1469598103934665603ull

// Milliseconds: a launch may end so much after its limit; reading PTX and looking at the answers may take so long.
enum { AFTER_MS = 5000, READ_MS = 45000, LOOK_MS = 60000 };

struct simulation {
    struct worker *worker;
    const struct request *request;
    struct sim_setup setup;
    struct sim_result total; // of all launches
};

// ---- launches -------------------------------------------------------------------------------------------

// Adds `from` to the array *to and frees it. False: no memory; what was there stays.
static bool join(void **to, size_t *to_count, void *from, size_t from_count, size_t item)
{
    char *all = realloc(*to, (*to_count + from_count + 1) * item);
    if (all && from_count)
        memcpy(all + *to_count * item, from, from_count * item);
    if (all) {
        *to = all;
        *to_count += from_count;
    }
    free(from);
    return all != NULL;
}

static bool join_findings(struct sim_result *total, struct sim_finding *findings, size_t count)
{
    void *all = total->findings;
    bool joined = join(&all, &total->finding_count, findings, count, sizeof *findings);
    total->findings = all;
    return joined;
}

// Adds what one launch left to the total, and leaves it empty.
static bool add_result(struct sim_result *total, struct sim_result *one)
{
    sim_counters_add(&total->counters, &one->counters);
    void *instructions = total->instructions;
    bool joined = join(&instructions, &total->instruction_count, one->instructions, one->instruction_count,
                       sizeof *one->instructions);
    total->instructions = instructions;
    size_t fresh =
        sim_findings_again(total->findings, total->finding_count, one->findings, one->finding_count);
    joined = join_findings(total, one->findings, fresh) && joined;
    struct text printed = { 0 };
    if (total->printed_lines)
        text_add(&printed, total->printed_lines);
    if (one->printed_lines)
        text_add(&printed, one->printed_lines);
    free(total->printed_lines);
    free(one->printed_lines);
    free(one->printed);
    total->printed_lines = printed.length ? text_take(&printed) : NULL;
    total->exec_ms += one->exec_ms;
    total->threads = one->threads;
    total->complete = one->complete;
    *one = (struct sim_result){ 0 };
    return joined;
}

static bool without_memory(struct error *error)
{
    return error_set(error, EXIT_MISSING,
                     "There is not enough memory for what the launches left: their counters and findings.");
}

static bool launch_one(struct simulation *s, const struct launch *launch, struct error *error)
{
    struct packed_launch packed;
    struct sim_launch what;
    struct sim_result one = { 0 };
    struct sim_fault fault;
    struct sim_options options = sim_setup_options(&s->setup);
    if (!sim_setup_pack(&s->setup, launch, &packed, &what, error))
        return false;
    if (!sim_run(s->setup.module, s->setup.memory, &what, &options, &one, &fault))
        return error_at(error, &s->setup.variant.source, launch->at, "%s", fault.text);
    return add_result(&s->total, &one) || without_memory(error);
}

// Threads that have made the inputs go on looking for work for some milliseconds, on the cores that a launch needs.
static void rest_threads(void)
{
#ifdef _OPENMP
    (void)omp_pause_resource_all(omp_pause_soft); // cannot: then the launch is slower
#endif
}

// Each launch may take the whole limit.
static bool launch_all(struct simulation *s, struct error *error)
{
    s->total.complete = true;
    rest_threads();
    for (size_t l = 0; l < s->setup.variant.launch_count && s->total.complete; l++) {
        worker_stage(s->worker, s->request->limit_ms + AFTER_MS, "simulating");
        if (!launch_one(s, &s->setup.variant.launches[l], error))
            return false;
    }
    if (s->request->check == REQUEST_CHECK_ALL && s->total.complete) {
        struct sim_finding *findings;
        size_t count = sim_memory_never_written(s->setup.memory, &findings);
        return join_findings(&s->total, findings, count) || without_memory(error);
    }
    return true;
}

// ---- the record -------------------------------------------------------------------------------------------

static void check_answers(const struct simulation *s, struct record *out)
{
    const struct problem *problem = &s->worker->problem;
    struct compare_result check = { 0 };
    struct text where = { 0 };
    for (size_t b = 0; b < problem->buffer_count; b++)
        if (problem->buffers[b].want)
            compare_piece(&check, &problem->buffers[b], s->setup.places[b].bytes, 0,
                          problem->buffers[b].bytes);
    compare_owner(&check, &s->setup.variant, &s->setup.scope, &where);
    record_check(out, &check, problem, text_string(&where));
    text_free(&where);
}

static void record_digests(const struct simulation *s, struct record *out)
{
    const struct problem *problem = &s->worker->problem;
    out->digests = mem_new((problem->buffer_count + 1) * sizeof *out->digests);
    for (size_t b = 0; b < problem->buffer_count; b++)
        out->digests[out->digest_count++] =
            (struct record_digest){ mem_copy(problem->buffers[b].name),
                                    hash_more(DIGEST_BASIS, s->setup.places[b].bytes,
                                              problem->buffers[b].bytes) };
}

static int by_index(const void *left, const void *right)
{
    const struct sim_line *const *x = left, *const *y = right;
    return ((*x)->index > (*y)->index) - ((*x)->index < (*y)->index);
}

static void append(struct instructions *out, const struct sim_line *line)
{
    struct instruction *item = &out->items[out->count++];
    *item = (struct instruction){ .ptx_line = line->ptx_line,
                                  .line = line->line,
                                  .text = text_clean(line->text), // it may be a user's PTX
                                  .counters = line->counters };
}

void record_instructions_of(struct instructions *out, const struct sim_result *result)
{
    const size_t count = result->instruction_count;
    const struct sim_line **order = mem_new((count + 1) * sizeof *order);
    *out = (struct instructions){ .items = mem_new((count + 1) * sizeof *out->items) };
    for (size_t i = 0; i < count; i++)
        order[i] = &result->instructions[i];
    qsort(order, count, sizeof *order, by_index);
    for (size_t i = 0; i < count; i++) {
        if (i && order[i]->index == order[i - 1]->index) // of another launch
            sim_counters_add(&out->items[out->count - 1].counters, &order[i]->counters);
        else
            append(out, order[i]);
    }
    free(order);
}

static void record_instructions(const struct sim_result *total, struct record *out)
{
    if (total->instruction_count > RECORD_ROWS)
        return;
    out->instructions = mem_new(sizeof *out->instructions);
    record_instructions_of(out->instructions, total);
}

static void record_lines(const struct sim_result *total, struct record *out)
{
    struct sim_line *lines;
    size_t count = sim_result_lines(total, &lines);
    if (count <= RECORD_ROWS) {
        out->lines = mem_new((count + 1) * sizeof *out->lines);
        for (size_t i = 0; i < count; i++) {
            out->lines[i].line = lines[i].line;
            record_count(&out->lines[i].counters, &lines[i].counters);
        }
        out->line_count = count;
    }
    free(lines);
}

// The record takes the findings over.
static void record_findings(struct sim_result *total, struct record *out)
{
    out->findings = total->findings ? total->findings : mem_new(sizeof *out->findings);
    out->finding_count = total->finding_count;
    total->findings = NULL;
    total->finding_count = 0;
}

static void record_simulation(struct simulation *s, struct record *out)
{
    struct sim_result *total = &s->total;
    check_answers(s, out);
    record_digests(s, out);
    out->exec_ms = total->exec_ms;
    out->threads = total->threads;
    if (total->printed_lines)
        out->printed = text_clean(total->printed_lines);
    record_findings(total, out);
    if (s->request->check == REQUEST_CHECK_NONE)
        return;
    out->warp_inst = (double)total->counters.warp_inst;
    out->thread_inst = (double)total->counters.thread_inst;
    out->counters = mem_new(sizeof *out->counters);
    record_count(out->counters, &total->counters);
    record_lines(total, out);
    if (s->request->instructions)
        record_instructions(total, out);
}

// ---- the run ------------------------------------------------------------------------------------------------

static bool compile_it(struct simulation *s, struct record *out, struct error *error)
{
    bool is_ptx = string_ends(s->request->file, ".ptx");
    worker_stage(s->worker, READ_MS, is_ptx ? "reading the PTX" : "compiling");
    bool compiled = sim_setup_compile(&s->setup, error);
    if (!is_ptx)
        record_compiled(out, &s->setup.compiled);
    return compiled;
}

static bool simulate(struct simulation *s, struct record *out, struct error *error)
{
    const struct request *request = s->request;
    const struct problem *problem = &s->worker->problem;
    bool suits;
    if (!sim_setup_parse(&s->setup, request, error))
        return false;
    out->title = mem_copy(s->setup.variant.title);
    if (!worker_plan(s->worker, request, &s->setup.variant, error))
        return false;
    record_problem(out, s->worker, request);
    sim_setup_bind(&s->setup, problem);
    if (!outcome_suits(&s->setup.variant, &s->setup.scope, &suits, out, error))
        return false;
    if (!suits)
        return true;
    if (!sim_setup_count(&s->setup, problem, worker_free_bytes(s->worker), error) ||
        !compile_it(s, out, error) || !worker_fill(s->worker, &s->setup.variant, error) ||
        !sim_setup_place(&s->setup, problem, error) || !launch_all(s, error))
        return false;
    worker_stage(s->worker, LOOK_MS, "checking the answers");
    record_simulation(s, out);
    return true;
}

bool run_on_sim(struct worker *worker, const struct request *request, struct record *out, struct error *error)
{
    struct simulation *s = mem_new(sizeof *s);
    s->worker = worker;
    s->request = request;
    s->setup.compile = worker_compile;
    s->setup.context = worker;
    bool done = simulate(s, out, error);
    sim_result_free(&s->total);
    sim_setup_free(&s->setup);
    free(s);
    return done;
}
