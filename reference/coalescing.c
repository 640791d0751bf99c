// Coalescing: out[j] is the sum of 32 elements of x that lie n / 32 apart. Every variant reads each element
// once and adds the same numbers; which thread takes which j decides how many sectors a warp touches.
#include "reference/lab.h"

#include "assets/host/coalescing.h"

enum { X, POINTS, OUT };

static bool accept(const int64_t *params, struct error *error)
{
    if (params[0] >= ROWS && params[0] <= 1 << 30 && params[0] % ROWS == 0)
        return true;
    return error_set(error, EXIT_USAGE,
                     "coalescing: n must be a multiple of 32 from 32 to 2^30 = 1073741824, not %lld.",
                     (long long)params[0]);
}

static void generate(struct problem *problem)
{
    make_input(problem->buffers[X].input, problem->buffers[POINTS].input, problem_param(problem, "n"));
}

static void solve(struct problem *problem)
{
    cpu_answer(problem->buffers[X].input, problem->buffers[OUT].want, problem_param(problem, "n"));
}

static void run_columns(const struct problem *problem, void *const *work)
{
    const float *x = work[X];
    float *out = work[OUT];
    int64_t m = problem_param(problem, "n") / ROWS;
    for (int64_t j = 0; j < m; j++) {
        float sum = 0;
        for (int64_t k = 0; k < ROWS; k++)
            sum += x[k * m + j];
        out[j] = sum;
    }
}

static void run_rows(const struct problem *problem, void *const *work)
{
    const float *x = work[X];
    float *out = work[OUT];
    int64_t m = problem_param(problem, "n") / ROWS;
    for (int64_t j = 0; j < m; j++)
        out[j] = x[j];
    for (int64_t k = 1; k < ROWS; k++)
        for (int64_t j = 0; j < m; j++)
            out[j] += x[k * m + j];
}

static const struct cpu_variant ladder[] = {
    { "rows", "Row order", "Memory is read from front to back, whole cache lines at a time.", false, run_rows,
      NULL },
    { "columns", "Column order",
      "Each step jumps a row ahead: 32 lines are open at once, each used 4 bytes at a time.", false,
      run_columns, NULL },
};

const struct lab lab_coalescing = {
    .name = "coalescing",
    .title = "How a warp reads memory",
    .about = "out[j] is the sum of 32 elements of x that lie n / 32 apart. Memory moves in sectors of 32 bytes: "
             "the variants add the same numbers but differ in how much of each sector their warps use.",
    .params = { "n" },
    .params_help = { "elements of x, a multiple of 32" },
    .presets = { { "small", { 1 << 18 } }, { "full", { 1 << 26 } } },
    .data = { "uniform" },
    .buffers = {
        { "x", { SCALAR_FLOAT, 1 }, "n", BUFFER_IN, { 0, 0, NULL } },
        { "points", { SCALAR_FLOAT, 1 }, "n", BUFFER_IN, { 0, 0, NULL } },
        { "out", { SCALAR_FLOAT, 1 }, "n / 32", BUFFER_OUT, { 0, 0, "sums of small whole numbers are exact" } },
    },
    .bytes = "4 * n + 4 * (n / 32)",
    .operations = "n",
    .operation_name = "additions",
    .ceiling = CEILING_READ,
    .accept = accept,
    .generate = generate,
    .solve = solve,
    .cpu = ladder,
    .cpu_count = sizeof ladder / sizeof *ladder,
};
