#include "assets/host/hash.h"

// From -8 to just below 8 in steps of 2^-12, and in every 64th row far from zero, where exp(x) alone is infinite. Masked,
// row r of n has numbers in the first r / n of it only, and -inf in the rest.
static void make_input(float *in, int64_t rows, int64_t cols, const char *distribution)
{
    bool masked = strcmp(distribution, "masked") == 0;
#pragma omp parallel for
    for (int64_t row = 0; row < rows; row++) {
        float far = row % 64 == 63 ? 100.0f : 0.0f;
        int64_t last = masked ? row * cols / rows : cols;
        for (int64_t col = 0; col < cols; col++)
            in[row * cols + col] =
                col > last ? -INFINITY
                           : ((float)(hash((uint32_t)(row * cols + col)) & 65535) - 32768) / 4096 + far;
    }
}

static void cpu_answer(const float *in, float *out, int64_t rows, int64_t cols)
{
#pragma omp parallel for
    for (int64_t row = 0; row < rows; row++) {
        const float *from = in + row * cols;
        double most = (double)from[0], sum = 0;
        for (int64_t col = 1; col < cols; col++)
            most = (double)from[col] > most ? (double)from[col] : most;
        for (int64_t col = 0; col < cols; col++)
            sum += exp((double)from[col] - most);
        for (int64_t col = 0; col < cols; col++)
            out[row * cols + col] = (float)(exp((double)from[col] - most) / sum);
    }
}
