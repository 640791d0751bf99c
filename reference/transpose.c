// Transpose: rows become columns. Nothing is computed, so all that counts is the order in which memory
// is read and written.
#include "reference/lab.h"

#include "assets/host/transpose.h"

enum { IN, OUT };

// A tile of this side is 4 KiB: what is read and what is written of it stay in the first cache together.
enum { SIDE = 32 };

// A million in each direction keeps the grid within CUDA's bounds, 2^30 in all keeps positions within an int.
static bool accept(const int64_t *params, struct error *error)
{
    for (int p = 0; p < 2; p++)
        if (params[p] < 1 || params[p] > 1 << 20)
            return error_set(error, EXIT_USAGE, "transpose: %s must be from 1 to 2^20 = 1048576, not %lld.",
                             p ? "cols" : "rows", (long long)params[p]);
    if (params[0] * params[1] > 1 << 30)
        return error_set(
            error, EXIT_USAGE,
            "transpose: rows * cols must be at most 2^30 = 1073741824, not %lld. Make one smaller.",
            (long long)(params[0] * params[1]));
    return true;
}

static void generate(struct problem *problem)
{
    make_input(problem->buffers[IN].input, problem_param(problem, "rows"), problem_param(problem, "cols"));
}

static void solve(struct problem *problem)
{
    cpu_answer(problem->buffers[IN].input, problem->buffers[OUT].want, problem_param(problem, "rows"),
               problem_param(problem, "cols"));
}

// The part from (row, col) on, at most height x width.
static void turn(const struct problem *problem, void *const *work, int64_t row, int64_t col, int64_t height,
                 int64_t width)
{
    const float *in = work[IN];
    float *out = work[OUT];
    int64_t rows = problem_param(problem, "rows"), cols = problem_param(problem, "cols");
    int64_t last_row = row + height < rows ? row + height : rows;
    int64_t last_col = col + width < cols ? col + width : cols;
    for (int64_t r = row; r < last_row; r++)
        for (int64_t c = col; c < last_col; c++)
            out[c * rows + r] = in[r * cols + c];
}

static void run_row_order(const struct problem *problem, void *const *work)
{
    turn(problem, work, 0, 0, problem_param(problem, "rows"), problem_param(problem, "cols"));
}

static void run_blocked(const struct problem *problem, void *const *work)
{
    int64_t rows = problem_param(problem, "rows"), cols = problem_param(problem, "cols");
    for (int64_t row = 0; row < rows; row += SIDE)
        for (int64_t col = 0; col < cols; col += SIDE)
            turn(problem, work, row, col, SIDE, SIDE);
}

static void run_openmp_blocked(const struct problem *problem, void *const *work)
{
    int64_t rows = problem_param(problem, "rows"), cols = problem_param(problem, "cols");
#pragma omp parallel for collapse(2) schedule(static)
    for (int64_t row = 0; row < rows; row += SIDE)
        for (int64_t col = 0; col < cols; col += SIDE)
            turn(problem, work, row, col, SIDE, SIDE);
}

static const struct cpu_variant ladder[] = {
    { "row-order", "Row order", "Reads run along rows; each write lands in a cache line of its own.", false,
      run_row_order, NULL },
    { "blocked", "Blocked",
      "In tiles of 32 x 32 the lines that are written stay in the cache until they are full.", false,
      run_blocked, NULL },
    { "openmp-blocked", "OpenMP, blocked", "Tiles do not depend on each other, so every core takes a part.",
      true, run_openmp_blocked, NULL },
};

const struct lab lab_transpose = {
    .name = "transpose",
    .title = "Matrix transpose",
    .about = "Transposes a matrix of floats. Either the reads or the writes go down a column, unless a tile is transposed in shared memory, where its banks matter.",
    .params = { "rows", "cols" },
    .params_help = { "rows of the input", "columns of the input" },
    .presets = { { "small", { 512, 256 } }, { "full", { 8192, 8192 } } },
    .data = { "uniform" },
    .buffers = {
        { "in", { SCALAR_FLOAT, 1 }, "rows * cols", BUFFER_IN, { 0, 0, NULL } },
        { "out", { SCALAR_FLOAT, 1 }, "rows * cols", BUFFER_OUT, { 0, 0, NULL } },
    },
    .bytes = "8 * rows * cols",
    .operations = "rows * cols",
    .operation_name = "moves",
    .ceiling = CEILING_COPY,
    .accept = accept,
    .generate = generate,
    .solve = solve,
    .cpu = ladder,
    .cpu_count = sizeof ladder / sizeof *ladder,
};
