// What many times of one thing say together, and when there are enough of them.
#include "engine/run/run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

struct statistics statistics_of(const double *times, size_t count)
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

bool measuring_done(const double *times, size_t count, double spent_ms, int asked_reps)
{
    enum { FEW = 3, ENOUGH = 10, MOST = 100 };
    const double budget_ms = 500, patience_ms = 2000, small_spread_pct = 0.5;
    if (asked_reps > 0)
        return count >= (size_t)asked_reps;
    if (count == 0)
        return false;
    if (spent_ms >= patience_ms || (spent_ms >= budget_ms && count >= FEW) || count >= MOST)
        return true;
    return count >= ENOUGH && statistics_of(times, count).spread_pct <= small_spread_pct;
}
