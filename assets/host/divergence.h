#include "assets/host/hash.h"

// One round of mixing: x = x * factor + addend, then x ^= x >> shift, modulo 2^32.
struct arm {
    uint32_t factor, addend;
    int shift;
};
static const struct arm arms[2] = { { 1664525u, 1013904223u, 15 }, { 22695477u, 12345u, 13 } }; // even, odd

static void make_input(int *in, int64_t n)
{
#pragma omp parallel for
    for (int64_t i = 0; i < n; i++)
        in[i] = (int)hash((uint32_t)i);
}

// The rounds outside, a few elements of equal parity inside: fast, because the elements do not wait for each other.
static void cpu_answer(const int *in, int *out, int64_t n, int64_t rounds)
{
    enum { GROUP = 64 };
#pragma omp parallel for
    for (int64_t start = 0; start < n; start += 2 * GROUP) {
        for (int parity = 0; parity < 2; parity++) {
            const struct arm *arm = &arms[parity];
            uint32_t x[GROUP] = { 0 };
            for (int e = 0; e < GROUP && start + 2 * e + parity < n; e++)
                x[e] = (uint32_t)in[start + 2 * e + parity];
            for (int64_t r = 0; r < rounds; r++)
                for (int e = 0; e < GROUP; e++) {
                    x[e] = x[e] * arm->factor + arm->addend;
                    x[e] ^= x[e] >> arm->shift;
                }
            for (int e = 0; e < GROUP && start + 2 * e + parity < n; e++)
                out[start + 2 * e + parity] = (int)x[e];
        }
    }
}
