// Divergence: even and odd elements are mixed by two different loops. The work is the same however the
// elements are dealt to threads; only whether the lanes of a warp agree on the branch differs.
#include "reference/lab.h"

#include "assets/host/divergence.h"

enum { IN, OUT };

static bool accept(const int64_t *params, struct error *error)
{
    if (params[0] < 1 || params[0] > 1 << 30)
        return error_set(error, EXIT_USAGE, "divergence: n must be from 1 to 2^30 = 1073741824, not %lld.",
                         (long long)params[0]);
    if (params[1] < 1 || params[1] > 4096)
        return error_set(error, EXIT_USAGE, "divergence: rounds must be from 1 to 4096, not %lld.",
                         (long long)params[1]);
    return true;
}

static void generate(struct problem *problem)
{
    make_input(problem->buffers[IN].input, problem_param(problem, "n"));
}

static void solve(struct problem *problem)
{
    cpu_answer(problem->buffers[IN].input, problem->buffers[OUT].want, problem_param(problem, "n"),
               problem_param(problem, "rounds"));
}

static uint32_t mix_even(uint32_t x)
{
    x = x * 1664525u + 1013904223u;
    return x ^ x >> 15;
}

static uint32_t mix_odd(uint32_t x)
{
    x = x * 22695477u + 12345u;
    return x ^ x >> 13;
}

// Elements 2 * pair and 2 * pair + 1. Their chains of arithmetic do not wait for each other, so a core works
// on both at the same time.
static void mix_pair(const uint32_t *in, uint32_t *out, int64_t pair, int64_t n, int64_t rounds)
{
    bool both = 2 * pair + 1 < n;
    uint32_t even = in[2 * pair], odd = both ? in[2 * pair + 1] : 0;
    for (int64_t r = 0; r < rounds; r++) {
        even = mix_even(even);
        odd = mix_odd(odd);
    }
    out[2 * pair] = even;
    if (both)
        out[2 * pair + 1] = odd;
}

static void run_plain(const struct problem *problem, void *const *work)
{
    int64_t n = problem_param(problem, "n"), rounds = problem_param(problem, "rounds");
    for (int64_t pair = 0; pair < (n + 1) / 2; pair++)
        mix_pair(work[IN], work[OUT], pair, n, rounds);
}

static void run_openmp(const struct problem *problem, void *const *work)
{
    int64_t n = problem_param(problem, "n"), rounds = problem_param(problem, "rounds");
#pragma omp parallel for schedule(static)
    for (int64_t pair = 0; pair < (n + 1) / 2; pair++)
        mix_pair(work[IN], work[OUT], pair, n, rounds);
}

static const struct cpu_variant ladder[] = {
    { "plain", "Plain loop",
      "One even and one odd element at a time: a core has no lanes that could disagree.", false, run_plain,
      NULL },
    { "openmp", "OpenMP", "Elements do not depend on each other, so every core takes a part.", true,
      run_openmp, NULL },
};

const struct lab lab_divergence = {
    .name = "divergence",
    .title = "Branches within a warp",
    .about = "Even elements go through one loop of arithmetic, odd elements through another. A warp whose lanes "
             "disagree on a branch runs both arms, one after the other.",
    .params = { "n", "rounds" },
    .params_help = { "elements", "rounds of arithmetic in each arm" },
    .presets = { { "small", { 1 << 16, 16 } }, { "full", { 1 << 26, 96 } } },
    .data = { "uniform" },
    .buffers = {
        { "in", { SCALAR_INT, 1 }, "n", BUFFER_IN, { 0, 0, NULL } },
        { "out", { SCALAR_INT, 1 }, "n", BUFFER_OUT, { 0, 0, NULL } },
    },
    .bytes = "8 * n",
    .operations = "rounds * n",
    .operation_name = "rounds",
    .ceiling = CEILING_COPY,
    .accept = accept,
    .generate = generate,
    .solve = solve,
    .cpu = ladder,
    .cpu_count = sizeof ladder / sizeof *ladder,
};
