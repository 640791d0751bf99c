#include "assets/host/hash.h"

// A permutation of 0 to n - 1: steps that can be undone scramble the numbers below the next power of two, and who leaves the
// range goes on until it is back in it.
static uint32_t scramble(uint32_t x, uint32_t mask, int shift)
{
    for (uint32_t round = 1; round <= 3; round++) {
        x = (x * (hash(2 * round) | 1) + hash(2 * round + 1)) & mask;
        x ^= x >> shift;
    }
    return x;
}

static void make_input(int *in, int *count, int64_t n)
{
    uint32_t mask = 1;
    int bits = 1;
    while ((int64_t)mask + 1 < n) {
        mask = 2 * mask + 1;
        bits++;
    }
    *count = 0;
#pragma omp parallel for
    for (int64_t i = 0; i < n; i++) {
        uint32_t x = (uint32_t)i;
        do
            x = scramble(x, mask, (bits + 1) / 2);
        while ((int64_t)x >= n);
        in[i] = (int)x;
    }
}

// The numbers below n / 2, in their order. A part's place is known when those before it are counted.
static void cpu_answer(const int *in, int *out, int *count, int64_t n)
{
    enum { PARTS = 256 };
    int64_t before[PARTS + 1] = { 0 };
#pragma omp parallel for
    for (int64_t part = 0; part < PARTS; part++)
        for (int64_t i = n * part / PARTS; i < n * (part + 1) / PARTS; i++)
            before[part + 1] += in[i] < n / 2;
    for (int64_t part = 0; part < PARTS; part++)
        before[part + 1] += before[part];
#pragma omp parallel for
    for (int64_t part = 0; part < PARTS; part++) {
        int64_t place = before[part];
        for (int64_t i = n * part / PARTS; i < n * (part + 1) / PARTS; i++)
            if (in[i] < n / 2)
                out[place++] = in[i];
    }
    *count = (int)before[PARTS];
}
