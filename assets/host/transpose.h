#include "assets/host/hash.h"

// Whole numbers of 24 bits, which a float holds exactly.
static void make_input(float *in, int64_t rows, int64_t cols)
{
#pragma omp parallel for
    for (int64_t i = 0; i < rows * cols; i++)
        in[i] = (float)(hash((uint32_t)i) >> 8);
}

// Along the rows of the answer.
static void cpu_answer(const float *in, float *out, int64_t rows, int64_t cols)
{
#pragma omp parallel for
    for (int64_t col = 0; col < cols; col++)
        for (int64_t row = 0; row < rows; row++)
            out[col * rows + row] = in[row * cols + col];
}
