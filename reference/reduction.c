// Reduction: the sum of many ints. Each is read once and added once, so a good reduction takes as long
// as reading the data.
#include "reference/lab.h"

#include "assets/host/reduction.h"

enum { DATA, TOTAL };

// Numbers are from 0 to 15, so the sum of 2^27 of them is below 2^31 and fits an int.
static bool accept(const int64_t *params, struct error *error)
{
    if (params[0] < 1 || params[0] > 1 << 27)
        return error_set(
            error, EXIT_USAGE,
            "reduction: n must be from 1 to 2^27 = 134217728, not %lld: a larger sum may not fit an int.",
            (long long)params[0]);
    return true;
}

static void generate(struct problem *problem)
{
    make_input(problem->buffers[DATA].input, problem->buffers[TOTAL].input, problem_param(problem, "n"));
}

static void solve(struct problem *problem)
{
    cpu_answer(problem->buffers[DATA].input, problem->buffers[TOTAL].want, problem_param(problem, "n"));
}

static void run_plain(const struct problem *problem, void *const *work)
{
    const int *data = work[DATA];
    int *total = work[TOTAL];
    int64_t n = problem_param(problem, "n");
    int sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += data[i];
    *total += sum;
}

static void run_openmp(const struct problem *problem, void *const *work)
{
    const int *data = work[DATA];
    int *total = work[TOTAL];
    int64_t n = problem_param(problem, "n");
    int sum = 0;
#pragma omp parallel for reduction(+ : sum) schedule(static)
    for (int64_t i = 0; i < n; i++)
        sum += data[i];
    *total += sum;
}

static const struct cpu_variant ladder[] = {
    { "plain", "Plain loop", "One number after another into one sum.", false, run_plain, NULL },
    { "openmp", "OpenMP", "Every core adds up a part; the parts are added at the end.", true, run_openmp,
      NULL },
};

static const struct lab_library library = {
    .from = LIBRARY_CUB,
    .name = "cub",
    .title = "CUB, DeviceReduce",
    .why = "NVIDIA's own sum.",
    .call = "cub::DeviceReduce::Sum(temporary, bytes, data, total, n);",
};

const struct lab lab_reduction = {
    .name = "reduction",
    .title = "Sum of an array",
    .about = "Adds up an array of ints. Threads have to work together: each block makes one sum of its part, and "
             "the sums of the blocks are added in a second pass.",
    .params = { "n" },
    .params_help = { "numbers to add" },
    .presets = { { "small", { 1 << 18 } }, { "full", { 1 << 27 } }, { "chapter", { 1 << 24 } } },
    .data = { "uniform" },
    .buffers = {
        { "data", { SCALAR_INT, 1 }, "n", BUFFER_IN, { 0, 0, NULL } },
        { "total", { SCALAR_INT, 1 }, "1", BUFFER_INOUT, { 0, 0, NULL } },
    },
    .bytes = "4 * n",
    .operations = "n",
    .operation_name = "additions",
    .ceiling = CEILING_READ,
    .accept = accept,
    .generate = generate,
    .solve = solve,
    .cpu = ladder,
    .cpu_count = sizeof ladder / sizeof *ladder,
    .library = &library,
};
