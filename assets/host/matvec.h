#include "assets/host/hash.h"

enum { MOST_ROWS = 4096 };

// Ones and twos, 32 of them from the bits of one hash.
static void fill(double *out, int64_t count, uint32_t seed)
{
#pragma omp parallel for
    for (int64_t start = 0; start < count; start += 32) {
        uint32_t bits = hash(seed + (uint32_t)(start / 32));
        for (int64_t i = start; i < start + 32 && i < count; i++, bits >>= 1)
            out[i] = 1 + (bits & 1);
    }
}

static void make_input(double *input, double *matrix, int64_t L, int64_t M, int64_t N)
{
    fill(input, N * L * M, 0);
    fill(matrix, L * L, 1u << 31);
}

static int64_t whole_sum(const double *numbers, int64_t count)
{
    int64_t sum = 0;
    for (int64_t i = 0; i < count; i++)
        sum += (int64_t)numbers[i];
    return sum;
}

// The sums are of whole numbers, far below 2^53, and the division comes last: the answer is the double nearest to
// the true one.
static void cpu_answer(const double *input, const double *matrix, double *output, int64_t L, int64_t M,
                       int64_t N)
{
#pragma omp parallel for
    for (int64_t k = 0; k < N; k++) {
        int64_t sums[MOST_ROWS];
        for (int64_t j = 0; j < L; j++)
            sums[j] = whole_sum(input + (k * L + j) * M, M);
        for (int64_t i = 0; i < L; i++) {
            int64_t dot = 0;
            for (int64_t j = 0; j < L; j++)
                dot += (int64_t)matrix[i * L + j] * sums[j];
            output[i * N + k] = (double)dot / (double)M;
        }
    }
}
