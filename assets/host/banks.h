#include "assets/host/hash.h"

enum { SIDE = 32, TILE = SIDE * SIDE, THREADS = 256, SWEEPS = 32 };
enum { BLOCK_READS = THREADS * SWEEPS * SIDE }; // words that one block reads from shared memory

static uint32_t tile_base(int64_t block)
{
    return hash((uint32_t)block) & 1023;
}

// The word in row r, column c of a block's tile is base + (r ^ c): along a row, along a column and along
// every pattern of the ladder, 32 reads meet base + 0 to base + 31 once each.
static void make_input(unsigned *x, int64_t n)
{
    for (int64_t block = 0; block < n / BLOCK_READS; block++)
        for (uint32_t word = 0; word < TILE; word++)
            x[block * TILE + word] = tile_base(block) + (word / SIDE ^ word % SIDE);
}

static void cpu_answer(unsigned *out, int64_t n)
{
    for (int64_t t = 0; t < n / BLOCK_READS * THREADS; t++)
        out[t] = SWEEPS * (SIDE * tile_base(t / THREADS) + SIDE * (SIDE - 1) / 2);
}
