// Matrix product: n^3 multiplications on n^2 numbers, so every number can be used n times. How often it is used between two
// loads decides whether memory or arithmetic is the limit.
#include "reference/matmul.h"

#include "reference/lab.h"

#include <stdlib.h>
#include <string.h>

#include "assets/host/matmul.h"

enum { A, B, C };

static bool accept(const int64_t *params, struct error *error)
{
    if (params[0] < 1 || params[0] > 16384)
        return error_set(error, EXIT_USAGE, "matmul: n must be from 1 to 16384, not %lld.",
                         (long long)params[0]);
    return true;
}

static void generate(struct problem *problem)
{
    make_input(problem->buffers[A].input, problem->buffers[B].input, problem_param(problem, "n"));
}

static void solve(struct problem *problem)
{
    cpu_answer(problem->buffers[C].want, problem_param(problem, "n"));
}

static void run_dots(const struct problem *problem, void *const *work)
{
    const float *a = work[A], *b = work[B];
    float *c = work[C];
    int64_t n = problem_param(problem, "n");
    for (int64_t row = 0; row < n; row++) {
        for (int64_t column = 0; column < n; column++) {
            float sum = 0;
            for (int64_t k = 0; k < n; k++)
                sum += a[row * n + k] * b[k * n + column];
            c[row * n + column] = sum;
        }
    }
}

void matmul_rows(const float *a, const float *b, float *c, int64_t n)
{
    for (int64_t row = 0; row < n; row++) {
        float *to = c + row * n;
        memset(to, 0, (size_t)n * sizeof *to);
        for (int64_t k = 0; k < n; k++)
            for (int64_t column = 0; column < n; column++)
                to[column] += a[row * n + k] * b[k * n + column];
    }
}

static void run_rows(const struct problem *problem, void *const *work)
{
    matmul_rows(work[A], work[B], work[C], problem_param(problem, "n"));
}

// ---- tiles in registers, on every core ----------------------------------------------------------

// Eight floats in a register; without AVX2 the compiler makes two of it.
typedef float eight __attribute__((vector_size(32), aligned(4)));

// A core makes ROWS x COLS elements of C in registers from a panel of B, DEPTH x COLS numbers in a row, which stays in the
// first cache, while those of A that it meets stay in the second.
enum { ROWS = 6, COLS = 16, DEPTH = 256 };

// Adds a[0..rows][0..depth] * panel to c. The panel holds zeros past the last column.
static inline __attribute__((always_inline)) void tile(const float *a, const float *panel, float *c,
                                                       int64_t n, int64_t depth, int rows, int cols)
{
    eight sum[ROWS][2] = { 0 };
    const float *from[ROWS];
    for (int r = 0; r < ROWS; r++)
        from[r] = a + (r < rows ? r : 0) * n;
    for (int64_t k = 0; k < depth; k++) {
        eight left = *(const eight *)(panel + k * COLS), right = *(const eight *)(panel + k * COLS + 8);
#pragma GCC unroll 6
        for (int r = 0; r < ROWS; r++) {
            sum[r][0] += from[r][k] * left;
            sum[r][1] += from[r][k] * right;
        }
    }
    for (int r = 0; r < rows; r++)
        for (int j = 0; j < cols; j++)
            c[r * n + j] += sum[r][j / 8][j % 8];
}

// Multiplies and adds in one instruction where gcc compiles it; clang has no such attribute.
#ifdef __clang__
#define CONTRACTED
#else
#define CONTRACTED __attribute__((optimize("fp-contract=fast")))
#endif

// The same code, compiled for processors with and without AVX2.
#ifdef __x86_64__
CONTRACTED __attribute__((target("avx2,fma"))) static void
tile_avx2(const float *a, const float *panel, float *c, int64_t n, int64_t depth, int rows, int cols)
{
    tile(a, panel, c, n, depth, rows, cols);
}
#endif

static void tile_plain(const float *a, const float *panel, float *c, int64_t n, int64_t depth, int rows,
                       int cols)
{
    tile(a, panel, c, n, depth, rows, cols);
}

typedef void tile_function(const float *a, const float *panel, float *c, int64_t n, int64_t depth, int rows,
                           int cols);

static tile_function *best_tile(void)
{
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return tile_avx2;
#endif
    return tile_plain;
}

void matmul_blocked(const float *a, const float *b, float *c, int64_t n)
{
    tile_function *fill = best_tile();
#pragma omp parallel for schedule(dynamic)
    for (int64_t column = 0; column < n; column += COLS) {
        float panel[DEPTH * COLS];
        int cols = (int)(n - column < COLS ? n - column : COLS);
        for (int64_t row = 0; row < n; row++)
            memset(c + row * n + column, 0, (size_t)cols * sizeof *c);
        for (int64_t first = 0; first < n; first += DEPTH) {
            int64_t depth = n - first < DEPTH ? n - first : DEPTH;
            memset(panel, 0, sizeof panel);
            for (int64_t k = 0; k < depth; k++)
                memcpy(panel + k * COLS, b + (first + k) * n + column, (size_t)cols * sizeof *panel);
            for (int64_t row = 0; row < n; row += ROWS)
                fill(a + row * n + first, panel, c + row * n + column, n, depth,
                     (int)(n - row < ROWS ? n - row : ROWS), cols);
        }
    }
}

static void run_blocked(const struct problem *problem, void *const *work)
{
    matmul_blocked(work[A], work[B], work[C], problem_param(problem, "n"));
}

static const struct cpu_variant ladder[] = {
    { "dots", "Three loops", "Row times column. A column of B has each number in another cache line.", false,
      run_dots, "n <= 512" },
    { "rows", "Three loops, along rows",
      "The same products with the inner loops exchanged: everything runs along rows.", false, run_rows,
      "n <= 2048" },
    { "blocked", "OpenMP, tiles in registers",
      "A core keeps 6 x 16 sums in registers, and a panel of B in its first cache; eight products an "
      "instruction.",
      true, run_blocked, NULL },
};

static const struct lab_library library = {
    .from = LIBRARY_SGEMM,
    .name = "cublas",
    .title = "cuBLAS, SGEMM",
    .why = "NVIDIA's own product of floats, by FP32 units as in the ladder, without tensor cores.",
    .call = "cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n,\n"
            "            &one, b, n, a, n, &zero, c, n);",
};

const struct lab lab_matmul = {
    .name = "matmul",
    .title = "Matrix product",
    .about = "Multiplies two n x n matrices of floats. Each number is needed n times: the ladder goes from loading it anew each time to keeping it in registers.",
    .params = { "n" },
    .params_help = { "rows and columns" },
    .presets = { { "small", { 256 } }, { "full", { 4096 } } },
    .data = { "uniform" },
    .buffers = {
        { "a", { SCALAR_FLOAT, 1 }, "n * n", BUFFER_IN, { 0, 0, NULL } },
        { "b", { SCALAR_FLOAT, 1 }, "n * n", BUFFER_IN, { 0, 0, NULL } },
        { "c", { SCALAR_FLOAT, 1 }, "n * n", BUFFER_OUT,
          { 1e-3, 0, "each of up to 16384 steps rounds a sum below 64 by at most 2^-19; errors of both signs add up to about sqrt(n) of it, and a lost product shows" } },
    },
    .moves = { "a", "c", "n", "n" },
    .bytes = "12 * n * n",
    .operations = "2 * n * n * n",
    .operation_name = "FLOP",
    .ceiling = CEILING_FP32,
    .accept = accept,
    .generate = generate,
    .solve = solve,
    .cpu = ladder,
    .cpu_count = sizeof ladder / sizeof *ladder,
    .library = &library,
};
