// Banks: how fast 32 lanes read shared memory depends only on which of its 32 banks their words lie in.
// Every variant reads a tile of 32 × 32 words so that each lane meets the same 32 values in each sweep.
#include "reference/lab.h"

enum { X, OUT };
enum { SIDE = 32, TILE = SIDE * SIDE, THREADS = 256, SWEEPS = 32 };
enum { BLOCK_READS = THREADS * SWEEPS * SIDE }; // words that one block reads from shared memory

static bool accept(const int64_t *params, struct error *error)
{
    if (params[0] >= BLOCK_READS && params[0] <= 1 << 30 && params[0] % BLOCK_READS == 0)
        return true;
    return error_set(
        error, EXIT_USAGE,
        "banks: n must be a multiple of %d (the words that one block reads) up to 2^30, not %lld.",
        BLOCK_READS, (long long)params[0]);
}

static uint32_t tile_base(int64_t block)
{
    return expr_hash((uint32_t)block) & 1023;
}

// The word in row r, column c of a block's tile is base + (r ^ c): along a row, along a column and along
// every pattern of the ladder, 32 reads meet base + 0 … base + 31 once each.
static void generate(struct problem *problem)
{
    uint32_t *x = problem->buffers[X].input;
    int64_t blocks = problem_param(problem, "n") / BLOCK_READS;
    for (int64_t block = 0; block < blocks; block++)
        for (uint32_t word = 0; word < TILE; word++)
            x[block * TILE + word] = tile_base(block) + (word / SIDE ^ word % SIDE);
}

static void solve(struct problem *problem)
{
    uint32_t *want = problem->buffers[OUT].want;
    int64_t threads = problem_param(problem, "n") / BLOCK_READS * THREADS;
    for (int64_t t = 0; t < threads; t++)
        want[t] = SWEEPS * (SIDE * tile_base(t / THREADS) + SIDE * (SIDE - 1) / 2);
}

const struct lab lab_banks = {
    .name = "banks",
    .title = "The banks of shared memory",
    .about = "Shared memory has 32 banks, and each serves one word a clock. Lanes that want different words of the "
             "same bank wait for each other. Every variant reads as many words and gets the same sums.",
    .params = { "n" },
    .params_help = { "words that all threads read from shared memory, a multiple of 262144" },
    .presets = { { "small", { 1 << 20 } }, { "full", { 1 << 26 } } },
    .data = { "uniform" },
    .buffers = {
        { "x", { SCALAR_UINT, 1 }, "n / 256", BUFFER_IN, { 0, 0, NULL } },
        { "out", { SCALAR_UINT, 1 }, "n / 1024", BUFFER_OUT, { 0, 0, NULL } },
    },
    .bytes = "4 * n",
    .operations = "n",
    .operation_name = "additions",
    .ceiling = CEILING_SHARED,
    .accept = accept,
    .generate = generate,
    .solve = solve,
    .no_cpu = "A CPU has no banked shared memory that its threads share, so there is nothing to compare with.",
};
