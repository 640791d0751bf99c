#include "assets/host/hash.h"

enum { PATTERNS = 64 };

// A whole number of 256ths, from -1/2 to just below 1/2.
static float fraction(uint32_t x)
{
    return ((float)(hash(x) & 255) - 128) / 256;
}

// Each row of A is one of 64 patterns, and so is each column of B; which one is drawn. A product of 4096 x 4096 then has
// only 64 x 64 different elements, scattered over all of it, so that the right answer takes no minutes.
static int pattern_of_row(int64_t row)
{
    return (int)(hash((uint32_t)row + 0x40000000u) % PATTERNS);
}

static int pattern_of_column(int64_t column)
{
    return (int)(hash((uint32_t)column + 0x50000000u) % PATTERNS);
}

static float element_of_a(int pattern, int64_t k)
{
    return fraction((uint32_t)(pattern * 65536 + k));
}

static float element_of_b(int64_t k, int pattern)
{
    return fraction((uint32_t)(pattern * 65536 + k) + 0x80000000u);
}

static void make_input(float *a, float *b, int64_t n)
{
#pragma omp parallel for
    for (int64_t row = 0; row < n; row++)
        for (int64_t k = 0; k < n; k++)
            a[row * n + k] = element_of_a(pattern_of_row(row), k);
#pragma omp parallel for
    for (int64_t k = 0; k < n; k++)
        for (int64_t column = 0; column < n; column++)
            b[k * n + column] = element_of_b(k, pattern_of_column(column));
}

// Sums of products that a double holds exactly, rounded once.
static void cpu_answer(float *c, int64_t n)
{
    static float product[PATTERNS][PATTERNS];
#pragma omp parallel for
    for (int i = 0; i < PATTERNS; i++) {
        for (int j = 0; j < PATTERNS; j++) {
            double sum = 0;
            for (int64_t k = 0; k < n; k++)
                sum += (double)element_of_a(i, k) * (double)element_of_b(k, j);
            product[i][j] = (float)sum;
        }
    }
#pragma omp parallel for
    for (int64_t row = 0; row < n; row++) {
        int i = pattern_of_row(row);
        for (int64_t column = 0; column < n; column++)
            c[row * n + column] = product[i][pattern_of_column(column)];
    }
}
