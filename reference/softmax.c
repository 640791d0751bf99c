// Softmax of rows: exp(x) over the sum of exp(x), for every row by itself. How often a row is read decides the time, and
// that exp does not overflow is part of the answer.
#include "reference/lab.h"

#include <math.h>
#include <string.h>

#include "assets/host/softmax.h"

enum { IN, OUT };

static bool accept(const int64_t *params, struct error *error)
{
    for (int p = 0; p < 2; p++)
        if (params[p] < 1 || params[p] > 1 << 20)
            return error_set(error, EXIT_USAGE, "softmax: %s must be from 1 to 2^20 = 1048576, not %lld.",
                             p ? "cols" : "rows", (long long)params[p]);
    if (params[0] * params[1] > 1 << 30)
        return error_set(
            error, EXIT_USAGE,
            "softmax: rows * cols must be at most 2^30 = 1073741824, not %lld. Make one smaller.",
            (long long)(params[0] * params[1]));
    return true;
}

static void generate(struct problem *problem)
{
    make_input(problem->buffers[IN].input, problem_param(problem, "rows"), problem_param(problem, "cols"),
               problem->data);
}

static void solve(struct problem *problem)
{
    cpu_answer(problem->buffers[IN].input, problem->buffers[OUT].want, problem_param(problem, "rows"),
               problem_param(problem, "cols"));
}

// The greatest number, the sum, and the quotients: three passes over a row.
static void one_row(const float *from, float *to, int64_t cols)
{
    float most = from[0];
    double sum = 0; // a float would lose small numbers in a long row
    for (int64_t col = 1; col < cols; col++)
        most = from[col] > most ? from[col] : most;
    for (int64_t col = 0; col < cols; col++)
        sum += (double)(to[col] = expf(from[col] - most));
    for (int64_t col = 0; col < cols; col++)
        to[col] /= (float)sum;
}

static void run_plain(const struct problem *problem, void *const *work)
{
    int64_t rows = problem_param(problem, "rows"), cols = problem_param(problem, "cols");
    for (int64_t row = 0; row < rows; row++)
        one_row((const float *)work[IN] + row * cols, (float *)work[OUT] + row * cols, cols);
}

static void run_openmp(const struct problem *problem, void *const *work)
{
    int64_t rows = problem_param(problem, "rows"), cols = problem_param(problem, "cols");
#pragma omp parallel for schedule(static)
    for (int64_t row = 0; row < rows; row++)
        one_row((const float *)work[IN] + row * cols, (float *)work[OUT] + row * cols, cols);
}

union bits {
    float value;
    uint32_t bits;
};

// exp of a number from -inf to 0: 2^whole * 2^rest, the rest by a polynomial. Without branches, so that the compiler
// computes several at once. Off by at most (|x| + 4) / 2^24 of its value; below -87 it stays at 1e-38.
static inline float exp_of_negative(float x)
{
    const float to_whole = 12582912; // 1.5 * 2^23: adding it rounds to a whole number
    union bits two = { .value = x * 1.44269504f }, scale;
    two.bits = two.bits > 0xc2fc0000u ? 0xc2fc0000u : two.bits; // at least -126: bits grow as numbers sink
    float whole = two.value + to_whole - to_whole, rest = (two.value - whole) * 0.69314718f;
    float power = 1 / 120.0f + rest / 720;
    power = 1 / 6.0f + rest * (1 / 24.0f + rest * power);
    power = 1 + rest * (1 + rest * (0.5f + rest * power));
    scale.bits = (uint32_t)((int32_t)whole + 127) << 23;
    return power * scale.value;
}

static void row_in_vectors(const float *from, float *to, int64_t cols)
{
    float most = from[0];
    double sum = 0;
    for (int64_t col = 1; col < cols; col++)
        most = from[col] > most ? from[col] : most;
    for (int64_t first = 0; first < cols; first += 512) {
        int64_t last = first + 512 < cols ? first + 512 : cols;
        float part = 0;
#pragma omp simd reduction(+ : part)
        for (int64_t col = first; col < last; col++) {
            to[col] = exp_of_negative(from[col] - most);
            part += to[col];
        }
        sum += (double)part;
    }
    float scale = (float)(1 / sum);
    for (int64_t col = 0; col < cols; col++)
        to[col] *= scale;
}

static void run_vectors(const struct problem *problem, void *const *work)
{
    int64_t rows = problem_param(problem, "rows"), cols = problem_param(problem, "cols");
#pragma omp parallel for schedule(static)
    for (int64_t row = 0; row < rows; row++)
        row_in_vectors((const float *)work[IN] + row * cols, (float *)work[OUT] + row * cols, cols);
}

static const struct cpu_variant ladder[] = {
    { "plain", "Three passes a row",
      "The row stays in a cache between its passes; expf, one number at a time, is what takes time.", false,
      run_plain, NULL },
    { "openmp", "OpenMP over the rows", "Rows do not depend on each other, so every core takes a part.", true,
      run_openmp, NULL },
    { "openmp-vectors", "OpenMP, exp in vectors",
      "An exp without a branch, a polynomial of degree six: several numbers an instruction.", true,
      run_vectors, NULL },
};

const struct lab lab_softmax = {
    .name = "softmax",
    .title = "Softmax of rows",
    .about = "Replaces each row of a matrix by exp(x) over the sum of exp(x) of its row, less the greatest number so that nothing overflows. A row has to be known before its first number can be written.",
    .params = { "rows", "cols" },
    .params_help = { "rows", "numbers in a row" },
    .presets = { { "small", { 64, 1024 } }, { "full", { 16384, 8192 } }, { "long", { 512, 262144 } } },
    .data = { "uniform", "masked" },
    .buffers = {
        { "in", { SCALAR_FLOAT, 1 }, "rows * cols", BUFFER_IN, { 0, 0, NULL } },
        { "out", { SCALAR_FLOAT, 1 }, "rows * cols", BUFFER_OUT,
          { 1e-9, 5e-5, "exp is off by (|x| + 2) / 2^24 of its value, with x down to -16; a float to which up to 16384 numbers below 1 are added loses those below 2^-16; both together are below 2e-5, and a number left out in a row of 1024 is more" } },
    },
    .bytes = "8 * rows * cols",
    .operations = "rows * cols",
    .operation_name = "exponentials",
    .ceiling = CEILING_COPY,
    .accept = accept,
    .generate = generate,
    .solve = solve,
    .cpu = ladder,
    .cpu_count = sizeof ladder / sizeof *ladder,
};
