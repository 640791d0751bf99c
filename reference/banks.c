// Banks: how fast 32 lanes read shared memory depends only on which of its 32 banks their words lie in.
// Every variant reads a tile of 32 × 32 words so that each lane meets the same 32 values in each sweep.
#include "reference/lab.h"

#include "assets/host/banks.h"

enum { X, OUT };

static bool accept(const int64_t *params, struct error *error)
{
    if (params[0] >= BLOCK_READS && params[0] <= 1 << 30 && params[0] % BLOCK_READS == 0)
        return true;
    return error_set(
        error, EXIT_USAGE,
        "banks: n must be a multiple of %d (the words that one block reads) up to 2^30, not %lld.",
        BLOCK_READS, (long long)params[0]);
}

static void generate(struct problem *problem)
{
    make_input(problem->buffers[X].input, problem_param(problem, "n"));
}

static void solve(struct problem *problem)
{
    cpu_answer(problem->buffers[OUT].want, problem_param(problem, "n"));
}

const struct lab lab_banks = {
    .name = "banks",
    .title = "The banks of shared memory",
    .about = "Shared memory has 32 banks, and each serves one word a clock. Lanes that want different words of the same bank wait for each other. Every variant reads the same number of words and gets the same sums.",
    .params = { "n" },
    .params_help = { "words that all threads read from shared memory, a multiple of 262144" },
    .presets = { { "small", { 1 << 20 } }, { "full", { 1 << 26 } } },
    .data = { "uniform" },
    .buffers = {
        { "x", { SCALAR_UINT, 1 }, "n / 256", BUFFER_IN, { 0, 0, NULL } },
        { "out", { SCALAR_UINT, 1 }, "n / 1024", BUFFER_OUT, { 0, 0, NULL } },
    },
    .moves = { "x", "out", "n / 262144", "n / 262144" },
    .bytes = "4 * n",
    .operations = "n",
    .operation_name = "additions",
    .ceiling = CEILING_SHARED,
    .accept = accept,
    .generate = generate,
    .solve = solve,
    .no_cpu = "A CPU has no banked shared memory that its threads share, so there is nothing to compare with.",
};
