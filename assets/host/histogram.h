#include "assets/host/hash.h"

// Four bytes of data at a time.
static uint32_t uniform_word(uint32_t index)
{
    return hash(index);
}

static uint32_t constant_word(uint32_t index)
{
    (void)index;
    return 0x2a2a2a2au;
}

// A bit is set in one byte of eight: a third of all bytes are 0, and the more bits a byte has, the rarer it is.
static uint32_t skewed_word(uint32_t index)
{
    return hash(3 * index) & hash(3 * index + 1) & hash(3 * index + 2);
}

static void make_input(unsigned char *data, unsigned *bins, int64_t n, const char *distribution)
{
    uint32_t (*word)(uint32_t) = uniform_word;
    if (strcmp(distribution, "constant") == 0)
        word = constant_word;
    if (strcmp(distribution, "skewed") == 0)
        word = skewed_word;
    memset(bins, 0, 256 * sizeof *bins);
#pragma omp parallel for
    for (int64_t start = 0; start < n; start += 4) {
        uint32_t four = word((uint32_t)(start / 4));
        for (int64_t i = start; i < start + 4 && i < n; i++, four >>= 8)
            data[i] = (unsigned char)four;
    }
}

// Counts the first and the second byte of each pair in bins of their own.
static void cpu_answer(const unsigned char *data, unsigned *bins, int64_t n)
{
    unsigned often[2 * 256] = { 0 };
#pragma omp parallel for reduction(+ : often)
    for (int64_t i = 0; i < n; i++)
        often[i % 2 * 256 + data[i]]++;
    for (int bin = 0; bin < 256; bin++)
        bins[bin] = often[bin] + often[256 + bin];
}
