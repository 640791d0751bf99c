// The problem at hand: its sizes are settled first; then, when there is memory for it (budget.c), it is filled.
#include "engine/run/worker.h"

#include <stdlib.h>
#include <string.h>

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
    if (plan(out, request, file, error))
        return true;
    problem_free(out);
    return false;
}

void worker_problem_drop(struct worker *worker)
{
    for (size_t b = 0; b < worker->problem.buffer_count && worker->device && worker->gpu; b++) {
        gpu_free(worker->gpu, worker->device[b].address);
        gpu_free(worker->gpu, worker->device[b].pristine);
    }
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
    record->params = array_room(NULL, 0, sizeof *record->params);
    for (size_t i = 0; i < problem->params.count; i++)
        record_add_param(record, problem->params.bindings[i].name, problem->params.bindings[i].value);
    if (problem->lab && request->params.count == 0)
        record->preset = mem_copy(request_preset(request));
    if (problem->data)
        record->data = mem_copy(problem->data);
    record->bytes = problem->bytes;
    record->operations = problem->operations;
}
