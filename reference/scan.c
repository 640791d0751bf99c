// Scan: the running sums of many ints. Each answer needs all numbers before it, and still a GPU can find them all in
// the time of a copy.
#include "reference/lab.h"

#include <stdlib.h>
#ifdef _OPENMP
#include <omp.h>
#endif

#include "assets/host/scan.h"

enum { IN, OUT };

// Numbers are from 0 to 15, so the sum of 2^27 of them is below 2^31 and fits an int.
static bool accept(const int64_t *params, struct error *error)
{
    if (params[0] < 1 || params[0] > 1 << 27)
        return error_set(
            error, EXIT_USAGE,
            "scan: n must be from 1 to 2^27 = 134217728, not %lld: a larger sum may not fit an int.",
            (long long)params[0]);
    return true;
}

static void generate(struct problem *problem)
{
    make_input(problem->buffers[IN].input, problem_param(problem, "n"));
}

static void solve(struct problem *problem)
{
    cpu_answer(problem->buffers[IN].input, problem->buffers[OUT].want, problem_param(problem, "n"));
}

// The running sums of in[first] to in[last - 1], on top of `sum`; returns the last one.
static int scan_part(const int *in, int *out, int64_t first, int64_t last, int sum)
{
    for (int64_t i = first; i < last; i++)
        out[i] = sum += in[i];
    return sum;
}

static void run_plain(const struct problem *problem, void *const *work)
{
    scan_part(work[IN], work[OUT], 0, problem_param(problem, "n"), 0);
}

// Threads wait for each other between the two passes. `sums` has a place for each; a thread's part begins where that of
// the thread before ends.
static void run_openmp(const struct problem *problem, void *const *work)
{
    const int *in = work[IN];
    int *out = work[OUT];
    int64_t n = problem_param(problem, "n");
#ifdef _OPENMP
    int *sums = mem_new((size_t)omp_get_max_threads() * sizeof *sums);
#pragma omp parallel
    {
        int thread = omp_get_thread_num(), threads = omp_get_num_threads(), sum = 0;
        int64_t first = n * thread / threads, last = n * (thread + 1) / threads;
        for (int64_t i = first; i < last; i++)
            sum += in[i];
        sums[thread] = sum;
#pragma omp barrier
        int before = 0;
        for (int t = 0; t < thread; t++)
            before += sums[t];
        scan_part(in, out, first, last, before);
    }
    free(sums);
#else
    scan_part(in, out, 0, n, 0);
#endif
}

// A piece of this many numbers stays in the second cache between its two passes.
enum { PIECE = 1 << 15 };

static void run_openmp_pieces(const struct problem *problem, void *const *work)
{
    const int *in = work[IN];
    int *out = work[OUT];
    int64_t n = problem_param(problem, "n");
    int before = 0; // the sum of all pieces before; changed in their order
#pragma omp parallel for ordered schedule(static, 1)
    for (int64_t first = 0; first < n; first += PIECE) {
        int64_t last = first + PIECE < n ? first + PIECE : n;
        int sum = 0, mine = 0;
        for (int64_t i = first; i < last; i++)
            sum += in[i];
#pragma omp ordered
        {
            mine = before;
            before += sum;
        }
        scan_part(in, out, first, last, mine);
    }
}

static const struct cpu_variant ladder[] = {
    { "plain", "Plain loop", "One number after another: each sum waits for the one before.", false, run_plain,
      NULL },
    { "openmp", "OpenMP, two passes",
      "Every core adds up its part, and scans it when the sums of all parts before are known: two reads, one "
      "write.",
      true, run_openmp, NULL },
    { "openmp-pieces", "OpenMP, piece by piece",
      "Pieces that fit a cache are read from memory once; only their sums are handed on in order.", true,
      run_openmp_pieces, NULL },
};

static const struct lab_library library = {
    .from = LIBRARY_CUB,
    .name = "cub",
    .title = "CUB, DeviceScan",
    .why = "NVIDIA's own scan: one pass with look-back.",
    .call = "cub::DeviceScan::InclusiveSum(temporary, bytes, in, out, n);",
};

const struct lab lab_scan = {
    .name = "scan",
    .title = "Running sums",
    .about = "The inclusive scan of an array of ints: element i of the answer is the sum of all numbers up to i. Blocks scan their parts, and have to learn the sum of all parts before.",
    .params = { "n" },
    .params_help = { "numbers" },
    .presets = { { "small", { 1 << 18 } }, { "full", { 1 << 27 } } },
    .data = { "uniform" },
    .buffers = {
        { "in", { SCALAR_INT, 1 }, "n", BUFFER_IN, { 0, 0, NULL } },
        { "out", { SCALAR_INT, 1 }, "n", BUFFER_OUT, { 0, 0, NULL } },
    },
    .bytes = "8 * n",
    .operations = "n",
    .operation_name = "additions",
    .ceiling = CEILING_COPY,
    .accept = accept,
    .generate = generate,
    .solve = solve,
    .cpu = ladder,
    .cpu_count = sizeof ladder / sizeof *ladder,
    .library = &library,
};
