// Attention: each query's weighted mean of all values, where the weights are a softmax of its products with the keys. The
// n x n weights between the two matrix products are what the ladder gets rid of.
#include "reference/lab.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "assets/host/attention.h"

enum { Q, K, V, OUT };

static bool accept(const int64_t *params, struct error *error)
{
    if (params[0] < 1 || params[0] > 1024)
        return error_set(error, EXIT_USAGE, "attention: heads must be from 1 to 1024, not %lld.",
                         (long long)params[0]);
    if (params[1] < 1 || params[1] > 16384)
        return error_set(error, EXIT_USAGE, "attention: n must be from 1 to 16384, not %lld.",
                         (long long)params[1]);
    if (params[2] < 0 || params[2] > 1)
        return error_set(error, EXIT_USAGE, "attention: causal must be 0 or 1, not %lld.",
                         (long long)params[2]);
    if (params[0] * params[1] * params[1] > 1 << 30)
        return error_set(
            error, EXIT_USAGE,
            "attention: heads * n * n must be at most 2^30 = 1073741824, not %lld. Make one smaller.",
            (long long)(params[0] * params[1] * params[1]));
    return true;
}

static void generate(struct problem *problem)
{
    make_input(problem->buffers[Q].input, problem->buffers[K].input, problem->buffers[V].input,
               problem_param(problem, "heads"), problem_param(problem, "n"));
}

static void solve(struct problem *problem)
{
    cpu_answer(problem->buffers[OUT].want, problem_param(problem, "heads"), problem_param(problem, "n"),
               problem_param(problem, "causal"));
}

// A query: the scores of its keys in memory, their softmax, the sum of values.
static void one_query(const float *q, const float *k, const float *v, uint16_t *out, int64_t keys,
                      float *score)
{
    float most = -INFINITY, total = 0, sum[DIM] = { 0 };
    for (int64_t j = 0; j < keys; j++) {
        float dot = 0;
#pragma omp simd reduction(+ : dot)
        for (int d = 0; d < DIM; d++)
            dot += q[d] * k[j * DIM + d];
        score[j] = dot / 8;
        most = score[j] > most ? score[j] : most;
    }
    for (int64_t j = 0; j < keys; j++) {
        float weight = expf(score[j] - most);
        total += weight;
        for (int d = 0; d < DIM; d++)
            sum[d] += weight * v[j * DIM + d];
    }
    for (int d = 0; d < DIM; d++)
        out[d] = half_of((double)(sum[d] / total));
}

static void run_head(const struct problem *problem, void *const *work, int64_t head, bool parallel)
{
    int64_t n = problem_param(problem, "n"), size = n * DIM;
    bool causal = problem_param(problem, "causal");
    float *wide = mem_new(3 * (size_t)size * sizeof *wide);
    for (int b = Q; b <= V; b++)
        for (int64_t i = 0; i < size; i++)
            wide[b * size + i] =
                (float)narrow_value(SCALAR_HALF, (const uint16_t *)work[b] + head * size + i);
#pragma omp parallel if (parallel)
    {
        float *score = mem_new((size_t)n * sizeof *score);
#pragma omp for schedule(dynamic, 16)
        for (int64_t row = 0; row < n; row++)
            one_query(wide + row * DIM, wide + size, wide + 2 * size,
                      (uint16_t *)work[OUT] + head * size + row * DIM, causal ? row + 1 : n, score);
        free(score);
    }
    free(wide);
}

static void run_plain(const struct problem *problem, void *const *work)
{
    for (int64_t head = 0; head < problem_param(problem, "heads"); head++)
        run_head(problem, work, head, false);
}

static void run_openmp(const struct problem *problem, void *const *work)
{
    for (int64_t head = 0; head < problem_param(problem, "heads"); head++)
        run_head(problem, work, head, true);
}

static const struct cpu_variant ladder[] = {
    { "plain", "A query at a time", "Its scores stay in a cache, and never become a matrix.", false,
      run_plain, "heads * n * n <= 1 << 24" },
    { "openmp", "OpenMP over the queries", "Queries do not depend on each other.", true, run_openmp, NULL },
};

const struct lab lab_attention = {
    .name = "attention",
    .title = "Attention",
    .about = "For each query the mean of all values, weighted by the softmax of its products with all keys: two matrix products with a softmax between them. Queries, keys and values have 64 halves each; causal, a query sees only keys up to its own place.",
    .params = { "heads", "n", "causal" },
    .params_help = { "independent problems", "queries, keys and values of each", "1: no key after its query" },
    .presets = { { "small", { 2, 256, 0 } }, { "full", { 16, 4096, 0 } }, { "causal", { 16, 4096, 1 } } },
    .data = { "uniform" },
    .buffers = {
        { "q", { SCALAR_HALF, 1 }, "heads * n * 64", BUFFER_IN, { 0, 0, NULL } },
        { "k", { SCALAR_HALF, 1 }, "heads * n * 64", BUFFER_IN, { 0, 0, NULL } },
        { "v", { SCALAR_HALF, 1 }, "heads * n * 64", BUFFER_IN, { 0, 0, NULL } },
        { "out", { SCALAR_HALF, 1 }, "heads * n * 64", BUFFER_OUT,
          { 6e-4, 6e-4, "weights that are rounded to halves are off by at most 2^-11 of themselves, and values are at most 1; a result that is rounded to a half is off by 2^-11 of itself; exp and sums of floats add a hundredth of that" } },
    },
    .moves = { "q", "out", "heads * n", "n - causal * (n - 1)" },
    .bytes = "8 * heads * n * 64",
    .operations = "4 * heads * n * n * 64 / (1 + causal)",
    .operation_name = "FLOP",
    .ceiling = CEILING_TENSOR,
    .accept = accept,
    .generate = generate,
    .solve = solve,
    .cpu = ladder,
    .cpu_count = sizeof ladder / sizeof *ladder,
};
