#include "assets/host/hash.h"

enum { ROWS = 32, FIELDS = 4 };

// Whole numbers from 0 to 15: sums of 32 of them are exact in float, in any order.
static void make_input(float *x, float *points, int64_t n)
{
    int64_t m = n / ROWS;
#pragma omp parallel for
    for (int64_t i = 0; i < n; i++)
        x[i] = (float)(hash((uint32_t)i) & 15);
        // The same as structures: point j of group g holds rows 4g to 4g + 3 of column j.
#pragma omp parallel for
    for (int64_t p = 0; p < n / FIELDS; p++) {
        int64_t group = p / m, j = p % m;
        for (int64_t field = 0; field < FIELDS; field++)
            points[p * FIELDS + field] = x[(group * FIELDS + field) * m + j];
    }
}

// Integer sums, a short run of columns at a time.
static void cpu_answer(const float *x, float *out, int64_t n)
{
    enum { RUN = 256 };
    int64_t m = n / ROWS;
#pragma omp parallel for
    for (int64_t start = 0; start < m; start += RUN) {
        int64_t left = m - start, length = left < RUN ? left : (int64_t)RUN;
        int sum[RUN] = { 0 };
        for (int64_t k = 0; k < ROWS; k++)
            for (int64_t j = 0; j < length; j++)
                sum[j] += (int)x[k * m + start + j];
        for (int64_t j = 0; j < length; j++)
            out[start + j] = (float)sum[j];
    }
}
