// The problem at hand: its sizes are settled first, then what does not fit is refused, then it is filled.
#include "engine/run/worker.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Bytes that the machine can give without swapping; NAN when it does not say.
static double host_free_bytes(void)
{
    FILE *file = fopen("/proc/meminfo", "re");
    double bytes = NAN, kib;
    char line[128];
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "MemAvailable: %lf kB", &kib) == 1)
            bytes = kib * 1024;
    if (file)
        fclose(file);
    return bytes;
}

static bool lab_params(const struct lab *lab, const struct request *request, int64_t params[LAB_PARAMS],
                       struct error *error)
{
    const char *preset = request_preset(request);
    const struct lab_preset *found = lab_preset_find(lab, preset);
    if (!found)
        return error_set(error, EXIT_USAGE, "The lab %s has no size named '%s'.", lab->name, preset);
    memcpy(params, found->value, sizeof found->value);
    for (size_t i = 0; i < request->param_count; i++) {
        int index = lab_param_index(lab, request->params[i].name);
        if (index < 0)
            return error_set(error, EXIT_USAGE, "The lab %s has no parameter '%s'.", lab->name,
                             request->params[i].name);
        params[index] = value_as_int(request->params[i].value);
    }
    return true;
}

static bool plan(struct problem *out, const struct request *request, const struct variant *file,
                 struct error *error)
{
    if (!request->lab) {
        struct scope given = { request->params, request->param_count };
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
    for (size_t i = 0; i < problem->param_count; i++)
        text_addf(&key, " %s=%.17g", problem->params[i].name, value_as_real(problem->params[i].value));
    return text_take(&key);
}

static bool fits(const struct problem *problem, struct error *error)
{
    double need = problem_host_bytes(problem), have = host_free_bytes();
    if (isnan(have) || need <= 0.9 * have)
        return true;
    char needed[32], free_here[32];
    format_bytes(need, needed, sizeof needed);
    format_bytes(have, free_here, sizeof free_here);
    return error_set(error, EXIT_MISSING,
                     "This size needs %s of memory, and %s are free here. Take a smaller one%s.", needed,
                     free_here, problem->lab ? ", such as --size small" : "");
}

bool request_inputs(const struct request *request, const struct variant *file, struct problem *out,
                    struct error *error)
{
    *out = (struct problem){ 0 };
    if (plan(out, request, file, error) && fits(out, error) && problem_generate(out, file, error))
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
}

bool worker_problem(struct worker *worker, const struct request *request, const struct variant *file,
                    struct error *error)
{
    struct problem planned = { 0 };
    if (!plan(&planned, request, file, error)) {
        problem_free(&planned);
        return false;
    }
    char *key = key_of(&planned, request);
    if (worker->problem_key && strcmp(key, worker->problem_key) == 0) {
        free(key);
        problem_free(&planned);
        return true;
    }
    worker_problem_drop(worker);
    worker_stage(worker, 300000, "preparing the data");
    worker->problem = planned;
    if (!fits(&worker->problem, error) || !problem_fill(&worker->problem, file, error)) {
        free(key);
        problem_free(&worker->problem);
        return false;
    }
    worker->problem_key = key;
    worker->device = mem_new(planned.buffer_count * sizeof *worker->device);
    return true;
}

void record_problem(struct record *record, const struct worker *worker, const struct request *request)
{
    const struct problem *problem = &worker->problem;
    record->params = json_object();
    for (size_t i = 0; i < problem->param_count; i++) {
        const struct binding *param = &problem->params[i];
        json_object_set_new(record->params, param->name,
                            param->value.real ? json_real(param->value.r) : json_integer(param->value.i));
    }
    if (problem->lab && request->param_count == 0)
        record->preset = mem_copy(request_preset(request));
    if (problem->data)
        record->data = mem_copy(problem->data);
    record->bytes = problem->bytes;
    record->operations = problem->operations;
}
