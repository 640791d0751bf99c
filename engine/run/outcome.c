// The outcome of a run: every element of an answer against the reference, the statistics of repeated times, and both in the
// record.
#include "engine/run/worker.h"

#include "engine/run/run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- every element against the reference -------------------------------------------------------------

// NaN is never right, not even where NaN is expected.

unsigned char compare_poison(struct type type)
{
    return scalar_is_real(type.scalar) ? 0xff : 0xa5; // all bits set is a NaN in all of them
}

static double as_real(enum scalar scalar, const unsigned char *at)
{
    if (scalar == SCALAR_FLOAT) {
        float f;
        memcpy(&f, at, sizeof f);
        return (double)f;
    }
    if (scalar != SCALAR_DOUBLE)
        return narrow_value(scalar, at);
    double d;
    memcpy(&d, at, sizeof d);
    return d;
}

// Two sums that are close may be rounded to neighbours: beside its bound, an answer of a narrow type may be off by one step
// of that type.
static struct tolerance tolerance_of(const struct problem_buffer *buffer)
{
    struct tolerance t = buffer->tolerance;
    if (t.absolute > 0 || t.relative > 0)
        t.relative += narrow_step(buffer->type.scalar);
    return t;
}

static bool real_is_right(const struct tolerance *t, double got, double want)
{
    if (!isfinite(got) || !isfinite(want))
        return got == want; // the same infinity; false for NaN
    return fabs(got - want) <= t->absolute + t->relative * fabs(want);
}

// The machine is little-endian: the low bytes come first.
static void write_integer(enum scalar scalar, const unsigned char *at, char *out, size_t size)
{
    const unsigned unused = 64 - 8 * (unsigned)scalar_size(scalar);
    uint64_t bits = 0;
    memcpy(&bits, at, scalar_size(scalar));
    bool is_signed =
        scalar == SCALAR_CHAR || scalar == SCALAR_SHORT || scalar == SCALAR_INT || scalar == SCALAR_LLONG;
    if (is_signed)
        format_into(out, size, "%lld", (long long)((int64_t)(bits << unused) >> unused));
    else
        format_into(out, size, "%llu", (unsigned long long)bits);
}

static void write_value(enum scalar scalar, const unsigned char *at, char *out, size_t size)
{
    if (!scalar_is_real(scalar))
        write_integer(scalar, at, out, size);
    else if (isnan(as_real(scalar, at)))
        format_into(out, size, "NaN");
    else
        format_into(out, size, "%.*g", scalar_digits(scalar), as_real(scalar, at));
}

static void note_first(struct compare_result *check, const struct problem_buffer *buffer,
                       const unsigned char *got, const unsigned char *want, size_t index)
{
    enum scalar scalar = buffer->type.scalar;
    format_into(check->buffer, sizeof check->buffer, "%s", buffer->name);
    check->index = index;
    write_value(scalar, got, check->got, sizeof check->got);
    write_value(scalar, want, check->want, sizeof check->want);
    check->never_written = true;
    for (size_t i = 0; i < scalar_size(scalar); i++)
        check->never_written &= buffer->direction == BUFFER_OUT && got[i] == compare_poison(buffer->type);
}

struct piece_result {
    size_t wrong, first;
    double worst;
};

static struct piece_result compare_exact(size_t size, const unsigned char *got, const unsigned char *want,
                                         size_t count)
{
    size_t wrong = 0, first = count;
#pragma omp parallel for reduction(+ : wrong) reduction(min : first)
    for (size_t i = 0; i < count; i++) {
        if (memcmp(got + i * size, want + i * size, size) != 0) {
            wrong++;
            first = i < first ? i : first;
        }
    }
    return (struct piece_result){ wrong, first, 0 };
}

static struct piece_result compare_real(const struct problem_buffer *buffer, const unsigned char *got,
                                        const unsigned char *want, size_t count)
{
    enum scalar scalar = buffer->type.scalar;
    size_t size = scalar_size(scalar), wrong = 0, first = count;
    double worst = 0;
    const struct tolerance tolerance = tolerance_of(buffer);
#pragma omp parallel for reduction(+ : wrong) reduction(min : first) reduction(max : worst)
    for (size_t i = 0; i < count; i++) {
        double g = as_real(scalar, got + i * size), w = as_real(scalar, want + i * size);
        double error = fabs(g - w);
        if (error > worst) // false for NaN
            worst = error;
        if (!real_is_right(&tolerance, g, w)) {
            wrong++;
            first = i < first ? i : first;
        }
    }
    return (struct piece_result){ wrong, first, worst };
}

struct problem_buffer compare_as(const struct problem_buffer *buffer, const struct variant *variant)
{
    struct problem_buffer as = *buffer;
    as.any_order = buffer->any_order && !variant_orders(variant, buffer->name);
    return as;
}

static void expect_values(struct problem_values *values, const int *want, size_t count)
{
    memset(values->left, 0, (values->below + 63) / 64 * sizeof *values->left);
    values->again_count = 0;
#pragma omp parallel for
    for (size_t i = 0; i < count; i++) {
        uint64_t bit = (uint64_t)1 << (want[i] & 63);
        if (!(__atomic_fetch_or(&values->left[want[i] / 64], bit, __ATOMIC_RELAXED) & bit))
            continue;
#pragma omp critical
        {
            values->again = array_room(values->again, values->again_count, sizeof *values->again);
            values->again[values->again_count++] = want[i];
        }
    }
}

static bool is_expected(struct problem_values *values, int got)
{
    uint64_t bit = (uint64_t)1 << (got & 63);
    if (got < 0 || (size_t)got >= values->below)
        return false;
    bool found = __atomic_fetch_and(&values->left[got / 64], ~bit, __ATOMIC_RELAXED) & bit;
    for (size_t i = 0; !found && i < values->again_count; i++) {
        int same = got;
        found = __atomic_compare_exchange_n(&values->again[i], &same, -1, false, __ATOMIC_RELAXED,
                                            __ATOMIC_RELAXED);
    }
    return found;
}

// An answer in any order: each value counts as often as it is to come, and what else comes is wrong. The wanted value that
// is told beside a wrong one is that of the same place, which is as good as any.
static struct piece_result compare_found(const struct problem_buffer *buffer, const int *got, size_t offset,
                                         size_t count)
{
    size_t wrong = 0, first = count;
    if (offset == 0)
        expect_values(buffer->values, buffer->want, buffer->count);
#pragma omp parallel for reduction(+ : wrong) reduction(min : first)
    for (size_t i = 0; i < count; i++) {
        if (!is_expected(buffer->values, got[i])) {
            wrong++;
            first = i < first ? i : first;
        }
    }
    return (struct piece_result){ wrong, first, 0 };
}

void compare_piece(struct compare_result *check, const struct problem_buffer *buffer, const void *got,
                   size_t offset, size_t bytes)
{
    size_t size = scalar_size(buffer->type.scalar), count = bytes / size;
    const unsigned char *g = got, *w = (const unsigned char *)buffer->want + offset;
    // Equal bytes are right at once, unless they are decimals, among which a NaN may hide.
    struct piece_result tally = buffer->any_order ? compare_found(buffer, got, offset, count)
                                : scalar_is_real(buffer->type.scalar) ? compare_real(buffer, g, w, count)
                                                                      : compare_exact(size, g, w, count);
    if (tally.wrong && !check->wrong) {
        size_t element = offset / size + tally.first;
        note_first(check, buffer, g + tally.first * size, w + tally.first * size,
                   element / (size_t)buffer->type.lanes);
    }
    check->compared += count;
    check->wrong += tally.wrong;
    if (tally.worst > check->worst)
        check->worst = tally.worst;
}

// ---- the owner of a wrong element --------------------------------------------------------------------------

// Writes as many parts as the owner line gives: "block 3", or "block (3, 1)".
static void add_place(struct text *out, const char *what, const struct dims *given, struct dims_value d)
{
    if (given->part[2])
        text_addf(out, "%s (%lld, %lld, %lld)", what, (long long)d.x, (long long)d.y, (long long)d.z);
    else if (given->part[1])
        text_addf(out, "%s (%lld, %lld)", what, (long long)d.x, (long long)d.y);
    else
        text_addf(out, "%s %lld", what, (long long)d.x);
}

void compare_owner(const struct compare_result *check, const struct variant *variant,
                   const struct expr_scope *scope, struct text *out)
{
    enum { NAMES = 40 }; // more than a launch line can use
    for (size_t o = 0; o < variant->owner_count && check->wrong; o++) {
        const struct owner *owner = &variant->owners[o];
        struct expr_binding bindings[NAMES + 1];
        struct dims_value block, thread;
        struct error unused;
        if (strcmp(owner->buffer, check->buffer) != 0 || scope->count > NAMES)
            continue;
        for (size_t i = 0; i < scope->count; i++)
            bindings[i] = scope->bindings[i];
        bindings[scope->count] = (struct expr_binding){ "i", value_int((int64_t)check->index) };
        const struct expr_scope with_index = { bindings, scope->count + 1 };
        if (owner_eval(owner, &with_index, &block, &thread, &unused)) {
            add_place(out, "block", &owner->block, block);
            add_place(out, ", thread", &owner->thread, thread);
        }
    }
}

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

// The interval of the median is made of order statistics: how many of the repeats lie below the true median is binomial,
// whatever the times are distributed like. Of 20 repeats it reaches from the 6th to the 15th.
enum { INTERVAL_LEAST = 6 };

struct statistics outcome_statistics(const double *times, size_t count)
{
    struct statistics s = { NAN, NAN, NAN, NAN, NAN, count };
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
    if (count >= INTERVAL_LEAST) {
        double half = 1.96 * sqrt((double)count) / 2, middle = (double)count / 2;
        s.low = sorted[(size_t)fmax(0, ceil(middle - half) - 1)];
        s.high = sorted[(size_t)fmin((double)count - 1, floor(middle + half))];
    }
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
    record->low_ms = s.low;
    record->high_ms = s.high;
    record->spread_pct = s.spread_pct;
    record->reps = (double)s.count;
    if (s.median > 0)
        record->bandwidth_gbps = record->bytes / s.median / 1e6;
    if (record->ceiling_gflops > 0)
        record->ceiling_pct = 100 * record->operations / s.median / 1e6 / record->ceiling_gflops;
    else if (record->ceiling_gbps > 0)
        record->ceiling_pct = 100 * record->bandwidth_gbps / record->ceiling_gbps;
}

static struct tolerance loosest(const struct problem *problem)
{
    struct tolerance found = { 0 };
    for (size_t b = 0; b < problem->buffer_count; b++) {
        struct tolerance t = tolerance_of(&problem->buffers[b]);
        if (problem->buffers[b].want && (t.absolute > 0 || t.relative > 0))
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
    struct tolerance t = loosest(problem);
    record->tolerance = t.reason ? text_format("%g + %g x |expected|: %s", t.absolute, t.relative, t.reason)
                                 : mem_copy("exact");
    if (!check->wrong)
        return;
    record->wrong_buffer = mem_copy(check->buffer);
    record->wrong_index = (double)check->index;
    record->wrong_got = mem_copy(check->never_written ? "never written" : check->got);
    record->wrong_want = mem_copy(check->want);
    if (where && *where)
        record->wrong_where = mem_copy(where);
}

static double known(int number)
{
    return number >= 0 ? number : NAN;
}

void record_launched(struct record *record, const struct launched *launched)
{
    const uint32_t *grid = launched->grid, *block = launched->block;
    free(record->kernel);
    record->kernel = mem_copy(launched->kernel);
    record->launches = (double)launched->launches;
    record->grid_blocks = (double)grid[0] * grid[1] * grid[2];
    record->block_threads = (double)block[0] * block[1] * block[2];
    record->registers = known(launched->registers);
    record->shared_bytes = known(launched->shared) + launched->shared_more;
    record->spill_bytes = known(launched->spills);
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
        *suits = false;
        record->status = STATUS_SKIPPED;
        record->message = text_format("needs %s", variant->needs[i].text);
        return true;
    }
    return true;
}
