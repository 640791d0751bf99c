// Vector addition: the smallest problem that uses a whole GPU. Two doubles are read and one is written
// for each addition, so memory sets the pace.
#include "reference/lab.h"

#include "assets/host/vecadd.h"

enum { A, B, C };

static bool accept(const int64_t *params, struct error *error)
{
    if (params[0] >= 1 && params[0] <= 1 << 30)
        return true;
    return error_set(error, EXIT_USAGE, "vecadd: n must be from 1 to 2^30 = 1073741824, not %lld.",
                     (long long)params[0]);
}

static void generate(struct problem *problem)
{
    make_input(problem->buffers[A].input, problem->buffers[B].input, problem_param(problem, "n"));
}

static void solve(struct problem *problem)
{
    cpu_answer(problem->buffers[A].input, problem->buffers[B].input, problem->buffers[C].want,
               problem_param(problem, "n"));
}

static void run_plain(const struct problem *problem, void *const *work)
{
    const double *a = work[A], *b = work[B];
    double *c = work[C];
    int64_t n = problem_param(problem, "n");
    for (int64_t i = 0; i < n; i++)
        c[i] = a[i] + b[i];
}

static void run_openmp(const struct problem *problem, void *const *work)
{
    const double *a = work[A], *b = work[B];
    double *c = work[C];
    int64_t n = problem_param(problem, "n");
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < n; i++)
        c[i] = a[i] + b[i];
}

static const struct cpu_variant ladder[] = {
    { "plain", "Plain loop", "One thread walks the three arrays.", false, run_plain, NULL },
    { "openmp", "OpenMP", "Each core adds one contiguous part, until memory is busy.", true, run_openmp,
      NULL },
};

const struct lab lab_vecadd = {
    .name = "vecadd",
    .title = "Vector addition",
    .about = "c = a + b for long arrays of doubles. A GPU has far more lanes than the additions need: what counts is keeping enough loads in flight.",
    .params = { "n" },
    .params_help = { "elements of each array" },
    .presets = { { "small", { 1 << 16 } }, { "full", { 1 << 26 } } },
    .data = { "uniform" },
    .buffers = {
        { "a", { SCALAR_DOUBLE, 1 }, "n", BUFFER_IN, { 0, 0, NULL } },
        { "b", { SCALAR_DOUBLE, 1 }, "n", BUFFER_IN, { 0, 0, NULL } },
        { "c", { SCALAR_DOUBLE, 1 }, "n", BUFFER_OUT, { 0, 0, "one addition, rounded once, is the same everywhere" } },
    },
    .bytes = "24 * n",
    .operations = "n",
    .operation_name = "additions",
    .ceiling = CEILING_COPY,
    .accept = accept,
    .generate = generate,
    .solve = solve,
    .cpu = ladder,
    .cpu_count = sizeof ladder / sizeof *ladder,
};
