#include "assets/host/hash.h"

// Multiples of 1/8 below 2^29: every sum is exact, in whatever order or precision it is computed.
static double element(uint32_t seed)
{
    return (int32_t)hash(seed) / 8.0;
}

static void make_input(double *a, double *b, int64_t n)
{
#pragma omp parallel for
    for (int64_t i = 0; i < n; i++) {
        a[i] = element((uint32_t)i);
        b[i] = element((uint32_t)i + 0x80000000u);
    }
}

static void cpu_answer(const double *a, const double *b, double *c, int64_t n)
{
#pragma omp parallel for
    for (int64_t i = 0; i < n; i++)
        c[i] = a[i] + b[i];
}
