// Averages and matrix x vector: for each of N batches, the rows of an L x M matrix are averaged to a
// vector, and an L x L matrix is multiplied with it. Output row i holds element i of all batches.
#include "reference/lab.h"

#include "assets/host/matvec.h"

enum { INPUT, MATRIX, OUTPUT };

static bool accept(const int64_t *params, struct error *error)
{
    static const char *const names[] = { "L", "M", "N" };
    for (int p = 0; p < 3; p++) {
        int64_t most = p == 0 ? MOST_ROWS : 1 << 30;
        if (params[p] < 1 || params[p] > most)
            return error_set(error, EXIT_USAGE, "matvec: %s must be from 1 to %lld, not %lld.", names[p],
                             (long long)most, (long long)params[p]);
    }
    if (params[0] * params[1] > (1 << 30) / params[2])
        return error_set(error, EXIT_USAGE,
                         "matvec: L * M * N must be at most 2^30 = 1073741824. Make one of them smaller.");
    return true;
}

static void generate(struct problem *problem)
{
    make_input(problem->buffers[INPUT].input, problem->buffers[MATRIX].input, problem_param(problem, "L"),
               problem_param(problem, "M"), problem_param(problem, "N"));
}

static void solve(struct problem *problem)
{
    cpu_answer(problem->buffers[INPUT].input, problem->buffers[MATRIX].input, problem->buffers[OUTPUT].want,
               problem_param(problem, "L"), problem_param(problem, "M"), problem_param(problem, "N"));
}

static void average_rows(const double *rows, double *average, int64_t L, int64_t M)
{
    for (int64_t j = 0; j < L; j++) {
        double sum = 0;
        for (int64_t i = 0; i < M; i++)
            sum += rows[j * M + i];
        average[j] = sum / (double)M;
    }
}

// Column k of the output.
static void run_batch(const struct problem *problem, void *const *work, int64_t k)
{
    const double *input = work[INPUT], *matrix = work[MATRIX];
    double *output = work[OUTPUT], average[MOST_ROWS];
    int64_t L = problem_param(problem, "L"), M = problem_param(problem, "M"), N = problem_param(problem, "N");
    average_rows(input + k * L * M, average, L, M);
    for (int64_t i = 0; i < L; i++) {
        double sum = 0;
        for (int64_t j = 0; j < L; j++)
            sum += matrix[i * L + j] * average[j];
        output[i * N + k] = sum;
    }
}

static void run_plain(const struct problem *problem, void *const *work)
{
    int64_t N = problem_param(problem, "N");
    for (int64_t k = 0; k < N; k++)
        run_batch(problem, work, k);
}

static void run_openmp(const struct problem *problem, void *const *work)
{
    int64_t N = problem_param(problem, "N");
#pragma omp parallel for schedule(static)
    for (int64_t k = 0; k < N; k++)
        run_batch(problem, work, k);
}

static const struct cpu_variant ladder[] = {
    { "plain", "Plain loops", "One batch after another, along the rows.", false, run_plain, NULL },
    { "openmp", "OpenMP over the batches", "Batches do not depend on each other, so every core takes a part.",
      true, run_openmp, NULL },
};

const struct lab lab_matvec = {
    .name = "matvec",
    .title = "Averages, then matrix x vector",
    .about = "For each of N batches, averages the rows of an L x M matrix and multiplies an L x L matrix by the averages. A profiler's advice leads from one block to the limit of memory.",
    .params = { "L", "M", "N" },
    .params_help = { "rows, and size of the matrix", "numbers in a row", "batches" },
    // "long-rows": as many bytes of input as "full", in as many batches, beside a 64th of the matrix.
    .presets = { { "small", { 64, 128, 32 } },
                 { "full", { 512, 512, 1024 } },
                 { "long-rows", { 64, 4096, 1024 } } },
    .data = { "uniform" },
    .buffers = {
        { "input", { SCALAR_DOUBLE, 1 }, "N * L * M", BUFFER_IN, { 0, 0, NULL } },
        { "matrix", { SCALAR_DOUBLE, 1 }, "L * L", BUFFER_IN, { 0, 0, NULL } },
        { "output", { SCALAR_DOUBLE, 1 }, "N * L", BUFFER_OUT,
          { 0, 5e-13, "a sum of up to 4096 positive products, each step rounded by at most 2^-53 of it" } },
    },
    .bytes = "8 * (N * L * M + L * L + N * L)",
    .operations = "N * L * (M + 2 * L)",
    .operation_name = "additions and multiplications",
    .ceiling = CEILING_READ,
    .accept = accept,
    .generate = generate,
    .solve = solve,
    .cpu = ladder,
    .cpu_count = sizeof ladder / sizeof *ladder,
};
