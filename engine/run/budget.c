// What a run takes of the host's memory, counted before any of it is taken: its data, and what a simulation may have.
#include "engine/run/simulation.h"

#include <math.h>
#include <stdlib.h>

static const double BUDGET_MOST = 4.0 * (1 << 30); // bytes of a simulation that nobody gave more

static const struct memory_gauge *gauge_of(struct worker *worker)
{
    if (!worker->gauge)
        worker->gauge = memory_gauge_open("");
    return worker->gauge;
}

double worker_free_bytes(struct worker *worker)
{
    return memory_gauge_free(gauge_of(worker));
}

// ---- what it takes ------------------------------------------------------------------------------------------------

static void take(struct memory_need *need, const char *name, double bytes)
{
    need->bytes += bytes;
    if (bytes <= need->most)
        return;
    need->most = bytes;
    format_into(need->name, sizeof need->name, "%s", name);
}

// Besides what the problem itself keeps, a simulation has every buffer once more, to work on.
void need_problem(struct memory_need *need, const struct problem *problem, const struct variant *file,
                  bool simulated)
{
    for (size_t b = 0; b < problem->buffer_count; b++) {
        const struct problem_buffer *buffer = &problem->buffers[b];
        bool input = problem->lab ? buffer->direction != BUFFER_OUT : file && file->buffers[b].initial;
        bool answer = problem->lab && buffer->direction != BUFFER_IN;
        take(need, buffer->name, (double)buffer->bytes * (input + answer + (simulated || answer)));
    }
}

bool need_scratch(struct memory_need *need, const struct variant *variant, const struct scope *scope,
                  struct error *error)
{
    for (size_t i = 0; i < variant->scratch_count; i++) {
        size_t bytes;
        if (!scratch_bytes(variant, &variant->scratch[i], scope, &bytes, error))
            return false;
        take(need, variant->scratch[i].name, (double)bytes);
    }
    return true;
}

// ---- whether it is there --------------------------------------------------------------------------------------------

static void say_need(const struct memory_need *need, struct text *out)
{
    char all[32], most[32];
    format_bytes(need->bytes, all, sizeof all);
    format_bytes(need->most, most, sizeof most);
    text_addf(out, "This needs %s of memory", all);
    if (need->most < need->bytes)
        text_addf(out, " (%s of it for %s)", most, need->name);
    else
        text_addf(out, " for %s", need->name);
}

static const char *smaller_size(const struct request *request)
{
    return request->lab ? "Take a smaller size, such as --size small" : "Take a smaller size, with --set";
}

static bool too_large(const struct memory_need *need, const struct request *request, double most, double free,
                      struct error *error)
{
    char may[32], here[32];
    struct text what = { 0 };
    say_need(need, &what);
    format_bytes(most, may, sizeof may);
    format_bytes(free, here, sizeof here);
    bool given = request->memory_bytes > 0, capped = isnan(free) || need->bytes <= 0.75 * free;
    if (given || capped)
        error_set(error, EXIT_MISSING,
                  "%s, and a simulation may take %s here%s%s%s. %s, or allow more: --memory SIZE.",
                  text_string(&what), may, isnan(free) ? "" : " (", here, isnan(free) ? "" : " are free)",
                  smaller_size(request));
    else
        error_set(error, EXIT_MISSING, "%s, and %s are free here. %s.", text_string(&what), here,
                  smaller_size(request));
    text_free(&what);
    return false;
}

bool need_fits_host(const struct memory_need *need, const struct request *request, double free,
                    struct error *error)
{
    if (isnan(free) || need->bytes <= 0.9 * free)
        return true;
    char here[32];
    struct text what = { 0 };
    say_need(need, &what);
    format_bytes(free, here, sizeof here);
    error_set(error, EXIT_MISSING, "%s, and %s are free here. %s.", text_string(&what), here,
              smaller_size(request));
    text_free(&what);
    return false;
}

bool need_fits_simulation(const struct memory_need *need, const struct request *request, double free,
                          size_t *left, struct error *error)
{
    double most = isnan(free) ? BUDGET_MOST : fmin(BUDGET_MOST, 0.75 * free);
    if (request->memory_bytes > 0)
        most = (double)request->memory_bytes;
    if (need->bytes >= most)
        return too_large(need, request, most, free, error);
    *left = (size_t)(most - need->bytes);
    return true;
}
