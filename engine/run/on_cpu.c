// A lab's own C code, timed by the host's clock. One process at a time: on a machine with many users the column would be
// noise otherwise.
#include "engine/run/worker.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef _OPENMP
#include <omp.h>
#endif

static int thread_count(const struct cpu_variant *cpu)
{
#ifdef _OPENMP
    return cpu->parallel ? omp_get_max_threads() : 1;
#else
    return 1;
#endif
}

static char *processor_name(void)
{
    FILE *file = fopen("/proc/cpuinfo", "re");
    char line[256], name[200] = "unknown processor";
    bool found = false;
    while (file && !found && fgets(line, sizeof line, file))
        found = sscanf(line, "model name : %199[^\n]", name) == 1;
    if (file)
        fclose(file);
    return mem_copy(name);
}

static char *compiler_name(void)
{
    struct text name = { 0 };
#ifdef __clang__
    text_addf(&name, "clang %d.%d.%d", __clang_major__, __clang_minor__, __clang_patchlevel__);
#else
    text_addf(&name, "gcc %d.%d.%d", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#endif
#ifdef _OPENMP
    text_add(&name, ", OpenMP");
#endif
    return text_take(&name);
}

static const struct cpu_variant *cpu_find(const struct lab *lab, const char *name)
{
    for (size_t i = 0; i < lab->cpu_count; i++)
        if (strcmp(lab->cpu[i].name, name) == 0)
            return &lab->cpu[i];
    return NULL;
}

// Inputs are used where they lie; every answer gets memory of its own.
static bool work_open(const struct problem *problem, void **work, struct error *error)
{
    for (size_t b = 0; b < problem->buffer_count; b++) {
        const struct problem_buffer *buffer = &problem->buffers[b];
        work[b] = buffer->direction == BUFFER_IN ? buffer->input : malloc(buffer->bytes);
        if (!work[b])
            return error_set(error, EXIT_MISSING, "There is no memory for the answer %s.", buffer->name);
    }
    return true;
}

static void work_close(const struct problem *problem, void **work)
{
    for (size_t b = 0; b < problem->buffer_count; b++)
        if (problem->buffers[b].direction != BUFFER_IN)
            free(work[b]);
}

static void work_reset(const struct problem *problem, void **work)
{
    for (size_t b = 0; b < problem->buffer_count; b++) {
        const struct problem_buffer *buffer = &problem->buffers[b];
        if (buffer->direction == BUFFER_INOUT)
            memcpy(work[b], buffer->input, buffer->bytes);
        else if (buffer->direction == BUFFER_OUT)
            memset(work[b], compare_poison(buffer->type), buffer->bytes);
    }
}

static double run_once(const struct cpu_variant *cpu, const struct problem *problem, void **work)
{
    work_reset(problem, work);
    double start = clock_ms();
    cpu->run(problem, work);
    return clock_ms() - start;
}

// The first run warms caches and pages; it counts only when it is so long that they do not matter.
static size_t measure(struct worker *worker, const struct cpu_variant *cpu, void **work, int reps,
                      double times[128])
{
    const double long_ms = 100;
    size_t count = 0;
    worker_stage(worker, 300000, "running");
    double first = run_once(cpu, &worker->problem, work), spent = 0;
    if (first >= long_ms) {
        times[count++] = first;
        spent = first;
    }
    while (count < 128 && !outcome_measured(times, count, spent, reps)) {
        times[count] = run_once(cpu, &worker->problem, work);
        spent += times[count++];
    }
    return count;
}

bool run_on_cpu(struct worker *worker, const struct request *request, struct record *out, struct error *error)
{
    const struct lab *lab = lab_find(request->lab);
    const struct cpu_variant *cpu = lab ? cpu_find(lab, request->variant) : NULL;
    if (!cpu)
        return error_set(error, EXIT_USAGE, "There is no CPU implementation %s/%s here.", request->lab,
                         request->variant);
    struct budget_need need = { 0 };
    if (!worker_plan(worker, request, NULL, error))
        return false;
    struct expr_scope scope = problem_scope(&worker->problem);
    struct expr_value suits;
    if (cpu->needs && !expr_eval_text(cpu->needs, &scope, &suits, error))
        return false;
    if (cpu->needs && !value_as_int(suits)) {
        record_problem(out, worker, request);
        out->title = mem_copy(cpu->title);
        out->status = STATUS_SKIPPED;
        out->message = text_format("needs %s", cpu->needs);
        return true;
    }
    budget_add_problem(&need, &worker->problem, NULL, false);
    if ((!worker->filled && !budget_fits_host(&need, request, worker_free_bytes(worker), error)) ||
        !worker_fill(worker, NULL, error))
        return false;
    const struct problem *problem = &worker->problem;
    void **work = mem_new(problem->buffer_count * sizeof *work);
    bool measured =
        work_open(problem, work, error) && lock_take(worker->cpu_lock, worker_wait, worker, error);
    if (measured) {
        double times[128];
        record_problem(out, worker, request);
        out->title = mem_copy(cpu->title);
        out->device = processor_name();
        out->compiler = compiler_name();
        out->threads = thread_count(cpu);
        record_times(out, times, measure(worker, cpu, work, request->reps, times));
        lock_release(worker->cpu_lock);
        struct compare_result check = { 0 };
        for (size_t b = 0; b < problem->buffer_count; b++)
            if (problem->buffers[b].want)
                compare_piece(&check, &problem->buffers[b], work[b], 0, problem->buffers[b].bytes);
        record_check(out, &check, problem, NULL);
    }
    work_close(problem, work);
    free(work);
    return measured;
}
