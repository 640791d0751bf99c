// The matrix product once more, of halves: what tensor cores multiply, and what it takes to feed them.
#include "reference/lab.h"
#include "reference/matmul.h"

#include <stdlib.h>

#include "assets/host/tensor.h"

enum { A, B, C };

static bool accept(const int64_t *params, struct error *error)
{
    if (params[0] < 1 || params[0] > 8192)
        return error_set(error, EXIT_USAGE, "tensor: n must be from 1 to 8192, not %lld.",
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

// Every half as a float, by its bits: not every CPU can turn one into the other.
static const float *float_of_half(void)
{
    enum { HALVES = 1 << 16 };
    static float table[HALVES];
    for (int bits = 0; bits < HALVES && !table[HALVES - 2]; bits++)
        table[bits] = (float)narrow_value(SCALAR_HALF, &(uint16_t){ (uint16_t)bits });
    return table;
}

static void run_dots(const struct problem *problem, void *const *work)
{
    const uint16_t *a = work[A], *b = work[B];
    const float *value = float_of_half();
    float *c = work[C];
    int64_t n = problem_param(problem, "n");
    for (int64_t row = 0; row < n; row++) {
        for (int64_t column = 0; column < n; column++) {
            float sum = 0;
            for (int64_t k = 0; k < n; k++)
                sum += value[a[row * n + k]] * value[b[k * n + column]];
            c[row * n + column] = sum;
        }
    }
}

typedef void product(const float *a, const float *b, float *c, int64_t n);

// Both matrices as floats, then their product.
static void run_as_floats(const struct problem *problem, void *const *work, product *multiply)
{
    const uint16_t *a = work[A], *b = work[B];
    const float *value = float_of_half();
    int64_t n = problem_param(problem, "n");
    float *wide = mem_new(2 * (size_t)(n * n) * sizeof *wide);
#pragma omp parallel for
    for (int64_t i = 0; i < n * n; i++) {
        wide[i] = value[a[i]];
        wide[n * n + i] = value[b[i]];
    }
    multiply(wide, wide + n * n, work[C], n);
    free(wide);
}

static void run_rows(const struct problem *problem, void *const *work)
{
    run_as_floats(problem, work, matmul_rows);
}

static void run_blocked(const struct problem *problem, void *const *work)
{
    run_as_floats(problem, work, matmul_blocked);
}

static const struct cpu_variant ladder[] = {
    { "dots", "Three loops, halves", "Each half becomes a float where it is needed: n times.", false,
      run_dots, "n <= 512" },
    { "rows", "Floats first, along rows", "Each half becomes a float once. Everything runs along rows.",
      false, run_rows, "n <= 2048" },
    { "blocked", "OpenMP, floats first, tiles in registers",
      "The best product of floats. Twice the bytes, since a CPU multiplies no halves.", true, run_blocked,
      NULL },
};

static const struct lab_library library = {
    .from = LIBRARY_HGEMM,
    .name = "cublas",
    .title = "cuBLAS, halves to floats",
    .why = "NVIDIA's own product of halves on tensor cores, with sums of floats.",
    .call = "cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n,\n"
            "             &one, b, CUDA_R_16F, n, a, CUDA_R_16F, n,\n"
            "             &zero, c, CUDA_R_32F, n,\n"
            "             CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);",
};

const struct lab lab_tensor = {
    .name = "tensor",
    .title = "Matrix product on tensor cores",
    .about = "Multiplies two n x n matrices of halves, and adds up in floats. A warp's instruction makes 16 x 8 elements from 16 numbers each: the ladder goes from using it to feeding it.",
    .params = { "n" },
    .params_help = { "rows and columns" },
    .presets = { { "small", { 256 } }, { "full", { 4096 } } },
    .data = { "uniform" },
    .buffers = {
        { "a", { SCALAR_HALF, 1 }, "n * n", BUFFER_IN, { 0, 0, NULL } },
        { "b", { SCALAR_HALF, 1 }, "n * n", BUFFER_IN, { 0, 0, NULL } },
        { "c", { SCALAR_FLOAT, 1 }, "n * n", BUFFER_OUT,
          { 4e-3, 0, "a tensor core adds eight products or more at a time, and cuts off less than 2^-18 of a sum below 64: at most 1024 times, always toward zero; a product that is lost is 0.06 on average" } },
    },
    .moves = { "a", "c", "n", "n" },
    .bytes = "8 * n * n",
    .operations = "2 * n * n * n",
    .operation_name = "FLOP",
    .ceiling = CEILING_TENSOR,
    .accept = accept,
    .generate = generate,
    .solve = solve,
    .cpu = ladder,
    .cpu_count = sizeof ladder / sizeof *ladder,
    .library = &library,
};
