// A request, planned before anything runs: its problem, whose sizes are settled first; the host's memory, counted
// before any of it is taken; and the data, made when there is room for it.
#include "engine/run/simulation.h"

#include "engine/run/worker.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- the problem at hand -----------------------------------------------------------------------------

enum { PREPARE_MS = 300000 }; // large data of a real GPU takes its time

static bool lab_params(const struct lab *lab, const struct request *request, int64_t params[LAB_PARAMS],
                       struct error *error)
{
    const char *preset = request_preset(request);
    const struct lab_preset *found = lab_preset_find(lab, preset);
    if (!found)
        return error_set(error, EXIT_USAGE, "The lab %s has no size named '%s'.", lab->name, preset);
    memcpy(params, found->value, sizeof found->value);
    for (size_t i = 0; i < request->params.count; i++) {
        const struct expr_binding *param = &request->params.bindings[i];
        int index = lab_param_index(lab, param->name);
        if (index < 0)
            return error_set(error, EXIT_USAGE, "The lab %s has no parameter '%s'.", lab->name, param->name);
        params[index] = value_as_int(param->value);
    }
    return true;
}

static bool has_buffer(const void *problem, const char *name)
{
    return problem_buffer_find(problem, name) != NULL;
}

static bool plan(struct problem *out, const struct request *request, const struct variant *file,
                 struct error *error)
{
    if (!request->lab) {
        struct expr_scope given = expr_params_scope(&request->params);
        return problem_plan_file(out, file, &given, error);
    }
    const struct lab *lab = lab_find(request->lab);
    int64_t params[LAB_PARAMS] = { 0 };
    if (!lab)
        return error_set(error, EXIT_USAGE, "There is no lab named '%s' here.", request->lab);
    return lab_params(lab, request, params, error) &&
           problem_plan(out, lab, params, request->data ? request->data : lab->data[0], error);
}

// Two requests with one key are about the same bytes.
static char *key_of(const struct problem *problem, const struct request *request)
{
    struct text key = { 0 };
    if (request->lab)
        text_addf(&key, "%s %s", request->lab, problem->data);
    else
        text_addf(&key, "%016llx", (unsigned long long)hash_bytes(request->source, strlen(request->source)));
    for (size_t i = 0; i < problem->params.count; i++)
        text_addf(&key, " %s=%.17g", problem->params.bindings[i].name,
                  value_as_real(problem->params.bindings[i].value));
    return text_take(&key);
}

bool request_plan(const struct request *request, const struct variant *file, struct problem *out,
                  struct error *error)
{
    *out = (struct problem){ 0 };
    if (plan(out, request, file, error) && (!file || variant_names_buffers(file, has_buffer, out, error)))
        return true;
    problem_free(out);
    return false;
}

void worker_problem_drop(struct worker *worker)
{
    worker_give_back(worker);
    free(worker->device);
    free(worker->problem_key);
    problem_free(&worker->problem);
    worker->device = NULL;
    worker->problem_key = NULL;
    worker->filled = false;
}

bool worker_plan(struct worker *worker, const struct request *request, const struct variant *file,
                 struct error *error)
{
    struct problem planned;
    if (!request_plan(request, file, &planned, error))
        return false;
    char *key = key_of(&planned, request);
    if (worker->problem_key && strcmp(key, worker->problem_key) == 0) {
        free(key);
        problem_free(&planned);
        return true;
    }
    worker_problem_drop(worker);
    worker->problem = planned;
    worker->problem_key = key;
    worker->device = mem_new(planned.buffer_count * sizeof *worker->device);
    return true;
}

bool worker_fill(struct worker *worker, const struct variant *file, struct error *error)
{
    if (worker->filled)
        return true;
    worker_stage(worker, PREPARE_MS, "preparing the data");
    worker->filled = problem_fill(&worker->problem, file, error);
    if (!worker->filled)
        worker_problem_drop(worker);
    return worker->filled;
}

void record_problem(struct record *record, const struct worker *worker, const struct request *request)
{
    const struct problem *problem = &worker->problem;
    record->params = mem_new(sizeof *record->params);
    expr_params_copy(record->params, &problem->params);
    if (problem->lab && request->params.count == 0)
        record->preset = mem_copy(request_preset(request));
    if (problem->data)
        record->data = mem_copy(problem->data);
    record->bytes = problem->bytes;
    record->operations = problem->operations;
}

// ---- memory needed -------------------------------------------------------------------------------------

static const double BUDGET_MOST = 5.0 * (1 << 30); // bytes, unless --memory gives more

double worker_free_bytes(const struct worker *worker)
{
    return memory_gauge_free(worker->gauge);
}

static void take(struct budget_need *need, const char *name, double bytes)
{
    need->bytes += bytes;
    if (bytes <= need->most)
        return;
    need->most = bytes;
    format_into(need->name, sizeof need->name, "%s", name);
}

// Besides what the problem itself keeps, a simulation has every buffer once more, to work on.
void budget_add_problem(struct budget_need *need, const struct problem *problem, const struct variant *file,
                        bool simulated)
{
    for (size_t b = 0; b < problem->buffer_count; b++) {
        const struct problem_buffer *buffer = &problem->buffers[b];
        bool input = problem->lab ? buffer->direction != BUFFER_OUT : file && file->buffers[b].initial.given;
        bool answer = problem->lab && buffer->direction != BUFFER_IN;
        take(need, buffer->name, (double)buffer->bytes * (input + answer + (simulated || answer)));
    }
}

// And of symbols, whose content is on the host.
bool budget_add_scratch(struct budget_need *need, const struct variant *variant,
                        const struct expr_scope *scope, struct error *error)
{
    for (size_t i = 0; i < variant->scratch_count; i++) {
        size_t bytes;
        if (!launch_declared_bytes(variant, &variant->scratch[i], scope, &bytes, error))
            return false;
        take(need, variant->scratch[i].name, (double)bytes);
    }
    for (size_t i = 0; i < variant->symbol_count; i++) {
        size_t bytes;
        if (!launch_declared_bytes(variant, &variant->symbols[i], scope, &bytes, error))
            return false;
        take(need, variant->symbols[i].name, (double)bytes);
    }
    return true;
}

// ---- memory available -----------------------------------------------------------------------------------------------

// "This size needs 8.6 GiB of memory, and 5.1 GiB are free here; 4.3 GiB of it are for x. Take …"
static bool refuse(const struct budget_need *need, const struct request *request, const char *there,
                   const char *more, struct error *error)
{
    char all[32], most[32], part[96] = "";
    format_bytes(need->bytes, all, sizeof all);
    format_bytes(need->most, most, sizeof most);
    if (need->most < need->bytes)
        format_into(part, sizeof part, "; %s of it are for %s", most, need->name);
    return error_set(error, EXIT_MISSING,
                     "This size needs %s of memory, and %s%s. Choose a smaller size%s%s.", all, there, part,
                     request->lab ? ", such as --size small" : ", with --set", more);
}

// Free memory changes from one moment to the next: to quarters of a GiB, so that one ladder says the same of each step.
static void format_free(double free, char *out, size_t size)
{
    const double quarter = 1 << 28;
    format_bytes(free < quarter ? free : floor(free / quarter) * quarter, out, size);
}

static bool exceeds_machine(const struct budget_need *need, const struct request *request, double free,
                            struct error *error)
{
    char here[32], there[64];
    format_free(free, here, sizeof here);
    format_into(there, sizeof there, "%s are free here", here);
    return refuse(need, request, there, "", error);
}

bool budget_fits_host(const struct budget_need *need, const struct request *request, double free,
                      struct error *error)
{
    return isnan(free) || need->bytes <= 0.9 * free || exceeds_machine(need, request, free, error);
}

// The error names --memory, unless the machine does not have so much memory.
static bool exceeds_budget(const struct budget_need *need, const struct request *request, double most,
                           double free, struct error *error)
{
    char may[32], here[32], there[128];
    bool known = !isnan(free), given = request->memory_bytes > 0;
    if (known && !given && need->bytes > 0.75 * free)
        return exceeds_machine(need, request, free, error);
    format_bytes(most, may, sizeof may);
    format_free(free, here, sizeof here);
    format_into(there, sizeof there, "a simulation may take %s here%s%s%s", may, known ? " (" : "",
                known ? here : "", known ? " are free)" : "");
    return refuse(need, request, there, ", or allow more with --memory", error);
}

double budget_default(double free)
{
    return isnan(free) ? BUDGET_MOST : fmin(BUDGET_MOST, 0.75 * free);
}

bool budget_fits_simulation(const struct budget_need *need, const struct request *request, double free,
                            size_t *left, struct error *error)
{
    double most = budget_default(free);
    if (request->memory_bytes > 0)
        most = (double)request->memory_bytes;
    if (need->bytes >= most)
        return exceeds_budget(need, request, most, free, error);
    *left = (size_t)(most - need->bytes);
    return true;
}
