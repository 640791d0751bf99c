#include "assets/host/hash.h"

// Numbers from 0 to 15, so that the sum of 2^27 of them fits an int.
static void make_input(int *in, int64_t n)
{
#pragma omp parallel for
    for (int64_t i = 0; i < n; i++)
        in[i] = (int)(hash((uint32_t)i) & 15);
}

// One after another.
static void cpu_answer(const int *in, int *out, int64_t n)
{
    int sum = 0;
    for (int64_t i = 0; i < n; i++) {
        sum += in[i];
        out[i] = sum;
    }
}
