#include "assets/host/hash.h"

// Numbers from 0 to 15, so that the sum of 2^27 of them fits an int.
static void make_input(int *data, int *total, int64_t n)
{
    *total = 0;
#pragma omp parallel for
    for (int64_t i = 0; i < n; i++)
        data[i] = (int)(hash((uint32_t)i) & 15);
}

// Sums by value: how often each number occurs, times the number.
static void cpu_answer(const int *data, int *total, int64_t n)
{
    int64_t often[16] = { 0 }, sum = 0;
#pragma omp parallel for reduction(+ : often)
    for (int64_t i = 0; i < n; i++)
        often[data[i]]++;
    for (int value = 0; value < 16; value++)
        sum += value * often[value];
    *total = (int)sum;
}
