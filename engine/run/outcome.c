// What compiling, measuring and checking found, written into the record; and when there are enough repeats.
#include "engine/run/worker.h"

#include "engine/run/run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- statistics of repeated times -------------------------------------------------------------------

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// The value below which `share` of the sorted times lie, between two times where need be.
static double quantile(const double *sorted, size_t count, double share)
{
    double at = share * (double)(count - 1);
    size_t below = (size_t)at;
    if (below + 1 >= count)
        return sorted[count - 1];
    return sorted[below] + (at - (double)below) * (sorted[below + 1] - sorted[below]);
}

struct statistics outcome_statistics(const double *times, size_t count)
{
    struct statistics s = { NAN, NAN, NAN, count };
    if (!count)
        return s;
    double *sorted = mem_new(count * sizeof *sorted);
    memcpy(sorted, times, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, by_size);
    s.median = quantile(sorted, count, 0.5);
    s.minimum = sorted[0];
    // One time has no spread: it is unknown, not zero.
    if (count > 1 && s.median > 0)
        s.spread_pct = 100 * (quantile(sorted, count, 0.75) - quantile(sorted, count, 0.25)) / s.median;
    free(sorted);
    return s;
}

bool outcome_measured(const double *times, size_t count, double spent_ms, int asked_reps)
{
    enum { FEW = 3, ENOUGH = 10, MOST = 100 };
    const double budget_ms = 500, patience_ms = 2000, small_spread_pct = 0.5;
    if (asked_reps > 0)
        return count >= (size_t)asked_reps;
    if (count == 0)
        return false;
    if (spent_ms >= patience_ms || (spent_ms >= budget_ms && count >= FEW) || count >= MOST)
        return true;
    return count >= ENOUGH && outcome_statistics(times, count).spread_pct <= small_spread_pct;
}

// ---- into the record --------------------------------------------------------------------------------

void record_times(struct record *record, const double *times, size_t count)
{
    struct statistics s = outcome_statistics(times, count);
    record->median_ms = s.median;
    record->min_ms = s.minimum;
    record->spread_pct = s.spread_pct;
    record->reps = (double)s.count;
    if (s.median > 0)
        record->bandwidth_gbps = record->bytes / s.median / 1e6;
    if (record->ceiling_gbps > 0)
        record->ceiling_pct = 100 * record->bandwidth_gbps / record->ceiling_gbps;
}

static const struct tolerance *loosest(const struct problem *problem)
{
    const struct tolerance *found = NULL;
    for (size_t b = 0; b < problem->buffer_count; b++) {
        const struct tolerance *t = &problem->buffers[b].tolerance;
        if (problem->buffers[b].want && (t->absolute > 0 || t->relative > 0))
            found = t;
    }
    return found;
}

void record_check(struct record *record, const struct compare_result *check, const struct problem *problem,
                  const char *where)
{
    if (!check->compared) {
        record->status = STATUS_UNCHECKED;
        return;
    }
    record->status = check->wrong ? STATUS_WRONG : STATUS_RIGHT;
    record->compared = (double)check->compared;
    record->wrong = (double)check->wrong;
    record->worst_error = check->worst;
    const struct tolerance *t = loosest(problem);
    struct text bound = { 0 };
    if (t)
        text_addf(&bound, "%g + %g x |expected|: %s", t->absolute, t->relative, t->reason);
    else
        text_add(&bound, "exact");
    record->tolerance = text_take(&bound);
    if (!check->wrong)
        return;
    record->wrong_buffer = mem_copy(check->buffer);
    record->wrong_index = (double)check->index;
    record->wrong_got = mem_copy(check->never_written ? "never written" : check->got);
    record->wrong_want = mem_copy(check->want);
    if (where && *where)
        record->wrong_where = mem_copy(where);
}

void record_compiled(struct record *record, const struct compiled *compiled)
{
    record->compiler = mem_copy(compiled->compiler);
    record->compile_ms = compiled->ms;
    if (!compiled->diagnostic_count)
        return;
    record->diagnostics = mem_new(compiled->diagnostic_count * sizeof *record->diagnostics);
    for (size_t d = 0; d < compiled->diagnostic_count; d++) {
        record->diagnostics[d] = compiled->diagnostics[d];
        record->diagnostics[d].message = mem_copy(compiled->diagnostics[d].message);
        record->diagnostic_count++;
    }
}

bool outcome_suits(const struct variant *variant, const struct expr_scope *scope, bool *suits,
                   struct record *record, struct error *error)
{
    *suits = true;
    for (size_t i = 0; i < variant->need_count; i++) {
        struct expr_value value;
        if (!expr_eval(variant->needs[i].expr, scope, &value, error))
            return false;
        if (value_as_int(value) != 0)
            continue;
        struct text message = { 0 };
        text_addf(&message, "needs %s", variant->needs[i].text);
        *suits = false;
        record->status = STATUS_SKIPPED;
        record->message = text_take(&message);
        return true;
    }
    return true;
}
