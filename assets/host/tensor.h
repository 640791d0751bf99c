#include "assets/host/hash.h"

enum { PATTERNS = 64 };

// Each row of A is one of 64 patterns, and so is each column of B; which one is drawn. A product of 4096 x 4096 then has
// only 64 x 64 different elements, scattered over all of it, so that the right answer takes no minutes.
static int pattern_of(int64_t place)
{
    return (int)(hash((uint32_t)place) % PATTERNS);
}

enum { COLUMNS = 0x50000000 }; // where the places of columns begin

// An element in 2048ths, from -1024 to 1023: half precision holds it exactly, and bfloat16 does not.
static int element(int64_t side, int pattern, int64_t k)
{
    return (int)(hash((uint32_t)(side + pattern * 65536 + k)) & 2047) - 1024;
}

// The bits of a half that is x / 2048.
static uint16_t half_bits(int x)
{
    uint32_t sign = x < 0 ? 0x8000 : 0, size = (uint32_t)(x < 0 ? -x : x), exponent = 14;
    if (size == 0)
        return 0;
    for (; size < 1024; exponent--)
        size *= 2;
    return (uint16_t)(sign | (exponent << 10 | (size & 1023)));
}

static void make_input(void *a, void *b, int64_t n)
{
    uint16_t *of_a = (uint16_t *)a, *of_b = (uint16_t *)b;
#pragma omp parallel for
    for (int64_t row = 0; row < n; row++)
        for (int64_t k = 0; k < n; k++)
            of_a[row * n + k] = half_bits(element(0, pattern_of(row), k));
#pragma omp parallel for
    for (int64_t k = 0; k < n; k++)
        for (int64_t column = 0; column < n; column++)
            of_b[k * n + column] = half_bits(element(COLUMNS, pattern_of(COLUMNS + column), k));
}

// Sums of whole numbers, which are exact, rounded once.
static void cpu_answer(float *c, int64_t n)
{
    static float product[PATTERNS][PATTERNS];
#pragma omp parallel for
    for (int i = 0; i < PATTERNS; i++) {
        for (int j = 0; j < PATTERNS; j++) {
            int64_t sum = 0;
            for (int64_t k = 0; k < n; k++)
                sum += element(0, i, k) * element(COLUMNS, j, k);
            product[i][j] = (float)sum / (2048.0f * 2048.0f);
        }
    }
#pragma omp parallel for
    for (int64_t row = 0; row < n; row++)
        for (int64_t column = 0; column < n; column++)
            c[row * n + column] = product[pattern_of(row)][pattern_of(COLUMNS + column)];
}
