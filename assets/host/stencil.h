#include "assets/host/hash.h"

enum { TIMES = 4, BAND = 64 };

// From 0 to just below 1 in steps of 2^-16.
static void make_input(float *in, float *weights, int64_t rows, int64_t cols)
{
    static const float middle = 16 / 32.0f, side = 3 / 32.0f, corner = 1 / 32.0f; // they add up to 1
    for (int k = 0; k < 9; k++)
        weights[k] = k == 4 ? middle : k % 2 ? side : corner;
#pragma omp parallel for
    for (int64_t row = 0; row < rows; row++)
        for (int64_t col = 0; col < cols; col++)
            in[row * cols + col] = (float)(hash((uint32_t)(row * cols + col)) & 65535) / 65536;
}

// A time step of rows first to last - 1 of a band, whose rows have a 0 at either end.
static void band_step(const double *from, double *to, const float *weights, int64_t first, int64_t last,
                      int64_t cols)
{
    int64_t pitch = cols + 2;
    for (int64_t row = first; row < last; row++) {
        for (int64_t col = 1; col <= cols; col++) {
            double sum = 0;
            for (int k = 0; k < 9; k++)
                sum += (double)weights[k] * from[(row + k / 3 - 1) * pitch + col + k % 3 - 1];
            to[row * pitch + col] = sum;
        }
    }
}

// Bands of rows, each with as many rows more above and below as there are time steps: these are computed twice, but each
// band stays in a cache. What is outside of the plate is 0 at all times.
static void cpu_answer(const float *in, const float *weights, float *out, int64_t rows, int64_t cols)
{
#pragma omp parallel for
    for (int64_t band = 0; band < rows; band += BAND) {
        int64_t pitch = cols + 2, high = BAND + 2 * TIMES;
        double *from = (double *)calloc((size_t)(high * pitch), sizeof *from);
        double *to = (double *)calloc((size_t)(high * pitch), sizeof *to);
        if (!from || !to)
            abort();
        int64_t top = band < TIMES ? TIMES - band : 0; // the first and the last row that are on the plate
        int64_t bottom = rows - band + TIMES < high ? rows - band + TIMES : high;
        for (int64_t row = top; row < bottom; row++)
            for (int64_t col = 0; col < cols; col++)
                from[row * pitch + col + 1] = (double)in[(band + row - TIMES) * cols + col];
        for (int64_t time = 1; time <= TIMES; time++) {
            int64_t first = time > top ? time : top, last = high - time < bottom ? high - time : bottom;
            band_step(from, to, weights, first, last, cols);
            double *other = from;
            from = to;
            to = other;
        }
        for (int64_t row = band; row < rows && row < band + BAND; row++)
            for (int64_t col = 0; col < cols; col++)
                out[row * cols + col] = (float)from[(row - band + TIMES) * pitch + col + 1];
        free(from);
        free(to);
    }
}
