// What a run takes of the host's memory, counted before any of it is taken: its data, and what a simulation may have.
#include "engine/run/simulation.h"

#include <math.h>
#include <stdlib.h>

static const double BUDGET_MOST = 4.0 * (1 << 30); // bytes of a simulation that nobody gave more

double worker_free_bytes(const struct worker *worker)
{
    return memory_gauge_free(worker->gauge);
}

// ---- what it takes ------------------------------------------------------------------------------------------------

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
        bool input = problem->lab ? buffer->direction != BUFFER_OUT : file && file->buffers[b].initial;
        bool answer = problem->lab && buffer->direction != BUFFER_IN;
        take(need, buffer->name, (double)buffer->bytes * (input + answer + (simulated || answer)));
    }
}

bool budget_add_scratch(struct budget_need *need, const struct variant *variant,
                        const struct expr_scope *scope, struct error *error)
{
    for (size_t i = 0; i < variant->scratch_count; i++) {
        size_t bytes;
        if (!launch_scratch_bytes(variant, &variant->scratch[i], scope, &bytes, error))
            return false;
        take(need, variant->scratch[i].name, (double)bytes);
    }
    return true;
}

// ---- whether it is there --------------------------------------------------------------------------------------------

// "This size needs 8.6 GiB of memory, and 5.1 GiB are free here; 4.3 GiB of it are for x. Take …"
static bool refuse(const struct budget_need *need, const struct request *request, const char *there,
                   const char *more, struct error *error)
{
    char all[32], most[32], part[96] = "";
    format_bytes(need->bytes, all, sizeof all);
    format_bytes(need->most, most, sizeof most);
    if (need->most < need->bytes)
        format_into(part, sizeof part, "; %s of it are for %s", most, need->name);
    return error_set(error, EXIT_MISSING, "This size needs %s of memory, and %s%s. Take a smaller size%s%s.",
                     all, there, part, request->lab ? ", such as --size small" : ", with --set", more);
}

static bool exceeds_machine(const struct budget_need *need, const struct request *request, double free,
                            struct error *error)
{
    char here[32], there[64];
    format_bytes(free, here, sizeof here);
    format_into(there, sizeof there, "%s are free here", here);
    return refuse(need, request, there, "", error);
}

bool budget_fits_host(const struct budget_need *need, const struct request *request, double free,
                      struct error *error)
{
    return isnan(free) || need->bytes <= 0.9 * free || exceeds_machine(need, request, free, error);
}

// More may be allowed, unless it is not there.
static bool exceeds_budget(const struct budget_need *need, const struct request *request, double most,
                           double free, struct error *error)
{
    char may[32], here[32], there[128];
    bool known = !isnan(free), given = request->memory_bytes > 0;
    if (known && !given && need->bytes > 0.75 * free)
        return exceeds_machine(need, request, free, error);
    format_bytes(most, may, sizeof may);
    format_bytes(free, here, sizeof here);
    format_into(there, sizeof there, "a simulation may take %s here%s%s%s", may, known ? " (" : "",
                known ? here : "", known ? " are free)" : "");
    return refuse(need, request, there, ", or allow more with --memory", error);
}

bool budget_fits_simulation(const struct budget_need *need, const struct request *request, double free,
                            size_t *left, struct error *error)
{
    double most = isnan(free) ? BUDGET_MOST : fmin(BUDGET_MOST, 0.75 * free);
    if (request->memory_bytes > 0)
        most = (double)request->memory_bytes;
    if (need->bytes >= most)
        return exceeds_budget(need, request, most, free, error);
    *left = (size_t)(most - need->bytes);
    return true;
}
