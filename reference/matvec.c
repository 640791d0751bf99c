// Averages and matrix x vector: for each of N batches, the rows of an L x M matrix are averaged to a
// vector, and an L x L matrix is multiplied with it. Output row i holds element i of all batches.
#include "reference/lab.h"

enum { INPUT, MATRIX, OUTPUT };

enum { MOST_ROWS = 4096 };

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

// Ones and twos, 32 of them from the bits of one hash.
static void fill(double *out, int64_t count, uint32_t seed)
{
#pragma omp parallel for
    for (int64_t start = 0; start < count; start += 32) {
        uint32_t bits = expr_hash(seed + (uint32_t)(start / 32));
        for (int64_t i = start; i < start + 32 && i < count; i++, bits >>= 1)
            out[i] = 1 + (bits & 1);
    }
}

static void generate(struct problem *problem)
{
    fill(problem->buffers[INPUT].input, (int64_t)problem->buffers[INPUT].count, 0);
    fill(problem->buffers[MATRIX].input, (int64_t)problem->buffers[MATRIX].count, 1u << 31);
}

static int64_t whole_sum(const double *numbers, int64_t count)
{
    int64_t sum = 0;
    for (int64_t i = 0; i < count; i++)
        sum += (int64_t)numbers[i];
    return sum;
}

// The sums are of whole numbers, far below 2^53, and the division comes last: the answer is the double nearest to the
// true one.
static void solve(struct problem *problem)
{
    const double *input = problem->buffers[INPUT].input, *matrix = problem->buffers[MATRIX].input;
    double *want = problem->buffers[OUTPUT].want;
    int64_t L = problem_param(problem, "L"), M = problem_param(problem, "M"), N = problem_param(problem, "N");
#pragma omp parallel for
    for (int64_t k = 0; k < N; k++) {
        int64_t sums[MOST_ROWS];
        for (int64_t j = 0; j < L; j++)
            sums[j] = whole_sum(input + (k * L + j) * M, M);
        for (int64_t i = 0; i < L; i++) {
            int64_t dot = 0;
            for (int64_t j = 0; j < L; j++)
                dot += (int64_t)matrix[i * L + j] * sums[j];
            want[i * N + k] = (double)dot / (double)M;
        }
    }
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
    { "plain", "Plain loops", "One batch after another, along the rows.", false, run_plain },
    { "openmp", "OpenMP over the batches", "Batches do not depend on each other, so every core takes a part.",
      true, run_openmp },
};

const struct lab lab_matvec = {
    .name = "matvec",
    .title = "Averages, then matrix x vector",
    .about = "For each of N batches, averages the rows of an L x M matrix and multiplies an L x L matrix with the "
             "averages. A profiler's advice leads from one block to the limit of the memory.",
    .params = { "L", "M", "N" },
    .params_help = { "rows, and size of the matrix", "numbers in a row", "batches" },
    .presets = { { "small", { 64, 128, 32 } }, { "full", { 512, 512, 1024 } } },
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
