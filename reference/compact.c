// Compaction: of many numbers those that meet a condition, without gaps. Where one goes depends on how many before it are
// kept, or on who comes first, if the order does not matter.
#include "reference/lab.h"

#include <stdlib.h>
#ifdef _OPENMP
#include <omp.h>
#endif

#include "assets/host/compact.h"

enum { IN, OUT, COUNT };

static bool accept(const int64_t *params, struct error *error)
{
    if (params[0] < 2 || params[0] > 1 << 28)
        return error_set(error, EXIT_USAGE, "compact: n must be from 2 to 2^28 = 268435456, not %lld.",
                         (long long)params[0]);
    return true;
}

static void generate(struct problem *problem)
{
    make_input(problem->buffers[IN].input, problem->buffers[COUNT].input, problem_param(problem, "n"));
}

static void solve(struct problem *problem)
{
    cpu_answer(problem->buffers[IN].input, problem->buffers[OUT].want, problem->buffers[COUNT].want,
               problem_param(problem, "n"));
}

static void run_plain(const struct problem *problem, void *const *work)
{
    const int *in = work[IN];
    int *out = work[OUT], *count = work[COUNT];
    int64_t n = problem_param(problem, "n"), limit = n / 2, kept = 0;
    for (int64_t i = 0; i < n; i++)
        if (in[i] < limit)
            out[kept++] = in[i];
    *count = (int)kept;
}

// Each number is written where the next one that is kept goes, and only a kept one moves that place on; the last place
// is written by kept ones alone.
static int64_t keep_without_branch(const int *in, int *out, int64_t first, int64_t last, int64_t limit,
                                   int64_t kept, int64_t end)
{
    for (int64_t i = first; i < last && kept < end; i++) {
        out[kept] = in[i];
        kept += in[i] < limit;
    }
    return kept;
}

static void run_select(const struct problem *problem, void *const *work)
{
    int64_t n = problem_param(problem, "n");
    *(int *)work[COUNT] = (int)keep_without_branch(work[IN], work[OUT], 0, n, n / 2, 0, n / 2);
}

// As `select`, in two passes: every core counts its part, and writes it when the counts before are known.
static void run_openmp(const struct problem *problem, void *const *work)
{
#ifdef _OPENMP
    const int *in = work[IN];
    int *out = work[OUT];
    int64_t n = problem_param(problem, "n"), limit = n / 2, total = 0;
    int64_t *kept = mem_new((size_t)omp_get_max_threads() * sizeof *kept);
#pragma omp parallel reduction(+ : total)
    {
        int thread = omp_get_thread_num(), threads = omp_get_num_threads();
        int64_t first = n * thread / threads, last = n * (thread + 1) / threads, mine = 0, before = 0;
        for (int64_t i = first; i < last; i++)
            mine += in[i] < limit;
        kept[thread] = total = mine;
#pragma omp barrier
        for (int t = 0; t < thread; t++)
            before += kept[t];
        keep_without_branch(in, out, first, last, limit, before, before + mine);
    }
    free(kept);
    *(int *)work[COUNT] = (int)total;
#else
    run_select(problem, work);
#endif
}

static const struct cpu_variant ladder[] = {
    { "plain", "A branch each",
      "Half of the numbers are kept, at random: the branch is guessed wrong half of the time.", false,
      run_plain, NULL },
    { "select", "Without a branch",
      "Every number is written, and only the place depends on whether it is kept.", false, run_select, NULL },
    { "openmp", "OpenMP, two passes",
      "Every core counts its part, and writes it when the counts of all parts before are known.", true,
      run_openmp, NULL },
};

static const struct lab_library library = {
    .from = LIBRARY_CUB,
    .name = "cub",
    .title = "CUB, DeviceSelect",
    .why = "NVIDIA's own selection: one pass, and in order.",
    .call = "cub::DeviceSelect::If(temporary, bytes, in, out, count, n,\n"
            "                      below{ n / 2 });",
};

const struct lab lab_compact = {
    .name = "compact",
    .title = "Keep some, without gaps",
    .about = "Copies the numbers below n / 2, a random half, to the front of another array, and counts them. Threads have to agree who writes where.",
    .params = { "n" },
    .params_help = { "numbers, of which half are kept" },
    .presets = { { "small", { 1 << 18 } }, { "full", { 1 << 27 } } },
    .data = { "uniform" },
    .buffers = {
        { "in", { SCALAR_INT, 1 }, "n", BUFFER_IN, { 0, 0, NULL } },
        { "out", { SCALAR_INT, 1 }, "n / 2", BUFFER_OUT, { 0, 0, NULL } },
        { "count", { SCALAR_INT, 1 }, "1", BUFFER_INOUT, { 0, 0, NULL } },
    },
    .any_order = "out",
    .bytes = "4 * n + 4 * (n / 2)",
    .operations = "n",
    .operation_name = "comparisons",
    .ceiling = CEILING_COPY,
    .accept = accept,
    .generate = generate,
    .solve = solve,
    .cpu = ladder,
    .cpu_count = sizeof ladder / sizeof *ladder,
    .library = &library,
};
