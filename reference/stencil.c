// Stencil: each cell of a plate becomes a weighted mean of its neighbourhood, four times. Each number is needed nine times
// and each time step by the next one: what is loaded once and kept decides the time.
#include "reference/lab.h"

#include <stdlib.h>

#include "assets/host/stencil.h"

enum { IN, WEIGHTS, OUT };

static bool accept(const int64_t *params, struct error *error)
{
    for (int p = 0; p < 2; p++)
        if (params[p] < 1 || params[p] > 1 << 18)
            return error_set(error, EXIT_USAGE, "stencil: %s must be from 1 to 2^18 = 262144, not %lld.",
                             p ? "cols" : "rows", (long long)params[p]);
    if (params[0] * params[1] > 1 << 29)
        return error_set(error, EXIT_USAGE,
                         "stencil: rows * cols must be at most 2^29 = 536870912, not %lld. Make one smaller.",
                         (long long)(params[0] * params[1]));
    return true;
}

static void generate(struct problem *problem)
{
    make_input(problem->buffers[IN].input, problem->buffers[WEIGHTS].input, problem_param(problem, "rows"),
               problem_param(problem, "cols"));
}

static void solve(struct problem *problem)
{
    cpu_answer(problem->buffers[IN].input, problem->buffers[WEIGHTS].input, problem->buffers[OUT].want,
               problem_param(problem, "rows"), problem_param(problem, "cols"));
}

// ---- the CPU ladder -----------------------------------------------------------------------------

struct plate {
    const float *weights;
    float *nothing; // a row of zeros: what is above the first and below the last row
    int64_t rows, cols;
};

static struct plate plate_of(const struct problem *problem, void *const *work)
{
    int64_t cols = problem_param(problem, "cols");
    return (struct plate){ work[WEIGHTS], mem_new((size_t)cols * sizeof(float)),
                           problem_param(problem, "rows"), cols };
}

static float cell(const float *w, const float *above, const float *at, const float *below, int64_t col,
                  int64_t cols)
{
    int64_t left = col - 1, right = col + 1;
    float sum = w[1] * above[col] + w[4] * at[col] + w[7] * below[col];
    if (left >= 0)
        sum += w[0] * above[left] + w[3] * at[left] + w[6] * below[left];
    if (right < cols)
        sum += w[2] * above[right] + w[5] * at[right] + w[8] * below[right];
    return sum;
}

// One row of a time step. The cells between the first and the last have no conditions, so several are made at once.
static void step_row(const struct plate *plate, const float *above, const float *at, const float *below,
                     float *to)
{
    const float *w = plate->weights;
    int64_t cols = plate->cols;
    float w0 = w[0], w1 = w[1], w2 = w[2], w3 = w[3], w4 = w[4], w5 = w[5], w6 = w[6], w7 = w[7], w8 = w[8];
    to[0] = cell(w, above, at, below, 0, cols);
#pragma omp simd
    for (int64_t col = 1; col < cols - 1; col++)
        to[col] = w0 * above[col - 1] + w1 * above[col] + w2 * above[col + 1] + w3 * at[col - 1] +
                  w4 * at[col] + w5 * at[col + 1] + w6 * below[col - 1] + w7 * below[col] +
                  w8 * below[col + 1];
    to[cols - 1] = cell(w, above, at, below, cols - 1, cols);
}

static const float *row_of(const struct plate *plate, const float *cells, int64_t row)
{
    return row < 0 || row >= plate->rows ? plate->nothing : cells + row * plate->cols;
}

static void step_rows(const struct plate *plate, const float *from, float *to, int64_t row)
{
    step_row(plate, row_of(plate, from, row - 1), row_of(plate, from, row), row_of(plate, from, row + 1),
             to + row * plate->cols);
}

static void run_plain(const struct problem *problem, void *const *work)
{
    struct plate plate = plate_of(problem, work);
    float *other = mem_new((size_t)(plate.rows * plate.cols) * sizeof *other);
    const float *from = work[IN];
    for (int time = 1; time <= TIMES; time++) {
        float *to = time % 2 ? other : work[OUT];
        for (int64_t row = 0; row < plate.rows; row++)
            step_rows(&plate, from, to, row);
        from = to;
    }
    free(other);
    free(plate.nothing);
}

static void run_openmp(const struct problem *problem, void *const *work)
{
    struct plate plate = plate_of(problem, work);
    float *other = mem_new((size_t)(plate.rows * plate.cols) * sizeof *other);
    const float *from = work[IN];
    for (int time = 1; time <= TIMES; time++) {
        float *to = time % 2 ? other : work[OUT];
#pragma omp parallel for schedule(static)
        for (int64_t row = 0; row < plate.rows; row++)
            step_rows(&plate, from, to, row);
        from = to;
    }
    free(other);
    free(plate.nothing);
}

// A band of rows in all time steps: as soon as a row of one time step has its three neighbours, it is made. Of each time
// step between the first and the last, three rows are kept.
enum { LINES = 3 };

static const float *line_of(const struct plate *plate, const float *in, const float *lines, int time,
                            int64_t row)
{
    if (time == 0 || row < 0 || row >= plate->rows)
        return row_of(plate, in, row);
    return lines + ((time - 1) * LINES + row % LINES) * plate->cols;
}

static void run_lines(const struct problem *problem, void *const *work)
{
    struct plate plate = plate_of(problem, work);
    const float *in = work[IN];
    float *out = work[OUT];
    enum { HIGH = 128 };
#pragma omp parallel for schedule(dynamic)
    for (int64_t band = 0; band < plate.rows; band += HIGH) {
        float *lines = mem_new((size_t)((TIMES - 1) * LINES * plate.cols) * sizeof *lines);
        int64_t end = band + HIGH < plate.rows ? band + HIGH : plate.rows;
        for (int64_t come = band - TIMES; come < end + TIMES; come++) {
            for (int time = 1; time <= TIMES; time++) {
                int64_t row = come - time;
                // What is still to come needs these rows of this time step.
                if (row < 0 || row >= plate.rows || row < band - TIMES + time || row >= end + TIMES - time)
                    continue;
                float *to = time == TIMES ? out + row * plate.cols
                                          : lines + ((time - 1) * LINES + row % LINES) * plate.cols;
                step_row(&plate, line_of(&plate, in, lines, time - 1, row - 1),
                         line_of(&plate, in, lines, time - 1, row),
                         line_of(&plate, in, lines, time - 1, row + 1), to);
            }
        }
        free(lines);
    }
    free(plate.nothing);
}

static const struct cpu_variant ladder[] = {
    { "plain", "One time step after another", "Rows along memory, several cells an instruction.", false,
      run_plain, NULL },
    { "openmp", "OpenMP over the rows", "Every core takes a part of each time step. Memory is the limit.",
      true, run_openmp, NULL },
    { "openmp-lines", "OpenMP, four time steps a pass",
      "Three rows of each time step stay in a cache, and memory is read and written once.", true, run_lines,
      NULL },
};

const struct lab lab_stencil = {
    .name = "stencil",
    .title = "Stencil in four time steps",
    .about = "Replaces each cell of a plate by a weighted mean of itself and its eight neighbours, four times; around the plate everything is 0. Each number is needed nine times in a time step.",
    .params = { "rows", "cols" },
    .params_help = { "rows of the plate", "cells in a row" },
    .presets = { { "small", { 256, 512 } }, { "full", { 8192, 16384 } } },
    .data = { "uniform" },
    .buffers = {
        { "in", { SCALAR_FLOAT, 1 }, "rows * cols", BUFFER_IN, { 0, 0, NULL } },
        { "weights", { SCALAR_FLOAT, 1 }, "9", BUFFER_IN, { 0, 0, NULL } },
        { "out", { SCALAR_FLOAT, 1 }, "rows * cols", BUFFER_OUT,
          { 2e-6, 0, "numbers stay below 1, so each of 4 * 9 additions rounds by at most 2^-25, which is 1.1e-6 together; a mean makes no error larger, and a neighbour that is left out weighs 1/32" } },
    },
    .bytes = "8 * rows * cols * 4",
    .operations = "18 * rows * cols * 4",
    .operation_name = "FLOP",
    .ceiling = CEILING_COPY,
    .accept = accept,
    .generate = generate,
    .solve = solve,
    .cpu = ladder,
    .cpu_count = sizeof ladder / sizeof *ladder,
};
