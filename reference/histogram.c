// Histogram: how often each of 256 bytes occurs. Many threads count into few bins, and how often they
// meet at the same one depends on the data.
#include "reference/lab.h"

#include <string.h>
#ifdef _OPENMP
#include <omp.h>
#endif

#include "assets/host/histogram.h"

enum { DATA, BINS };

static bool accept(const int64_t *params, struct error *error)
{
    if (params[0] < 1 || params[0] > 1 << 30)
        return error_set(error, EXIT_USAGE, "histogram: n must be from 1 to 2^30 = 1073741824, not %lld.",
                         (long long)params[0]);
    return true;
}

static void generate(struct problem *problem)
{
    make_input(problem->buffers[DATA].input, problem->buffers[BINS].input, problem_param(problem, "n"),
               problem->data);
}

static void solve(struct problem *problem)
{
    cpu_answer(problem->buffers[DATA].input, problem->buffers[BINS].want, problem_param(problem, "n"));
}

static int thread_count(void)
{
#ifdef _OPENMP
    return omp_get_max_threads();
#else
    return 1;
#endif
}

static void run_plain(const struct problem *problem, void *const *work)
{
    const unsigned char *data = work[DATA];
    unsigned *bins = work[BINS];
    int64_t n = problem_param(problem, "n");
    for (int64_t i = 0; i < n; i++)
        bins[data[i]]++;
}

static void run_openmp_atomic(const struct problem *problem, void *const *work)
{
    const unsigned char *data = work[DATA];
    unsigned *bins = work[BINS];
    int64_t n = problem_param(problem, "n");
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < n; i++) {
#pragma omp atomic
        bins[data[i]]++;
    }
}

static void bins_add(unsigned *bins, const unsigned *own)
{
    for (int bin = 0; bin < 256; bin++) {
#pragma omp atomic
        bins[bin] += own[bin];
    }
}

static void run_openmp_interleaved(const struct problem *problem, void *const *work)
{
    const unsigned char *data = work[DATA];
    int64_t n = problem_param(problem, "n");
    int threads = thread_count();
#pragma omp parallel for schedule(static)
    for (int t = 0; t < threads; t++) {
        unsigned own[256] = { 0 };
        for (int64_t i = t; i < n; i += threads)
            own[data[i]]++;
        bins_add(work[BINS], own);
    }
}

static void run_openmp_contiguous(const struct problem *problem, void *const *work)
{
    const unsigned char *data = work[DATA];
    int64_t n = problem_param(problem, "n");
    int threads = thread_count();
    int64_t share = (n + threads - 1) / threads;
#pragma omp parallel for schedule(static)
    for (int t = 0; t < threads; t++) {
        unsigned own[256] = { 0 };
        int64_t end = (t + 1) * share < n ? (t + 1) * share : n;
        for (int64_t i = t * share; i < end; i++)
            own[data[i]]++;
        bins_add(work[BINS], own);
    }
}

static const struct cpu_variant ladder[] = {
    { "plain", "Plain loop", "One byte after another.", false, run_plain, NULL },
    { "openmp-atomic", "OpenMP, an atomic per byte",
      "Every core counts into the same bins, and they wait for each other at every byte.", true,
      run_openmp_atomic, NULL },
    { "openmp-interleaved", "OpenMP, private bins, interleaved",
      "Each thread has bins of its own, but uses only one byte in so many of what it loads.", true,
      run_openmp_interleaved, NULL },
    { "openmp-contiguous", "OpenMP, private bins, contiguous",
      "Each thread takes one piece of the data, so it uses all that it loads.", true, run_openmp_contiguous,
      NULL },
};

static const struct lab_library library = {
    .from = LIBRARY_CUB,
    .name = "cub",
    .title = "CUB, DeviceHistogram",
    .why = "NVIDIA's own histogram, of bins as wide as one asks for.",
    .call = "cub::DeviceHistogram::HistogramEven(temporary, bytes, data, bins,\n"
            "                                    257, 0, 256, n);",
};

const struct lab lab_histogram = {
    .name = "histogram",
    .title = "Histogram of bytes",
    .about = "Counts how often each of 256 values occurs in an array of bytes. Reading is easy; the additions are "
             "the problem, because threads meet at the same bins.",
    .params = { "n" },
    .params_help = { "bytes to count" },
    .presets = { { "small", { 1 << 18 } }, { "full", { 1 << 29 } } },
    .data = { "uniform", "constant", "skewed" },
    .buffers = {
        { "data", { SCALAR_UCHAR, 1 }, "n", BUFFER_IN, { 0, 0, NULL } },
        { "bins", { SCALAR_UINT, 1 }, "256", BUFFER_INOUT, { 0, 0, NULL } },
    },
    .bytes = "n",
    .operations = "n",
    .operation_name = "counts",
    .ceiling = CEILING_READ,
    .accept = accept,
    .generate = generate,
    .solve = solve,
    .cpu = ladder,
    .cpu_count = sizeof ladder / sizeof *ladder,
    .library = &library,
};
