// The figures of a GPU that the model computes with: what it has, how long things take, how many it does at a time.
// assets/gpus/NAME.json holds one GPU; FIGURES lists its keys. Each figure has a unit, a source and an uncertainty.
#ifndef WARPBOOK_FIGURES_H
#define WARPBOOK_FIGURES_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "engine/base/base.h"

// X(name, unit, words): a figure, its unit in the file, and what it is. Cycles are of the SM's clock.
// clang-format off
#define FIGURES(X)                                                                                                   \
    /* what it has */                                                                                                \
    X(sms, "", "streaming multiprocessors")                                                                          \
    X(clock, "MHz", "SM clock under load")                                                                           \
    X(l1_bytes, "bytes", "L1 and shared memory of an SM together")                                                   \
    X(l2_bytes, "bytes", "L2 cache")                                                                                 \
    X(l2_dirty, "", "the part of L2 that lines take which are not written to DRAM before a kernel ends")             \
    X(l2_keeps, "", "the part of L2 that is left of it where all SMs read all data, which two partitions may hold")  \
    /* starting */                                                                                                   \
    X(launch, "us", "a kernel between two events of which one warp stores a word a thread")                          \
    X(next_launch, "us", "one more such kernel in the same stream")                                                  \
    X(warp_start, "ns", "starting a warp of an empty block of 1024 threads, over the whole GPU")                     \
    X(block_start, "ns", "starting a block, over the whole GPU")                                                     \
    /* latencies: from issue until a dependent instruction can issue */                                              \
    X(alu_latency, "cycles", "an addition or a multiplication, of 32 bits")                                          \
    X(double_latency, "cycles", "an addition or a multiplication, of 64 floating bits")                              \
    X(special_latency, "cycles", "rcp, rsqrt, sin, ex2")                                                             \
    X(shuffle_latency, "cycles", "a shuffle")                                                                        \
    X(tensor_latency, "cycles", "an instruction of the tensor cores, whose sums the next one needs")                 \
    X(shared_latency, "cycles", "a load from shared memory without conflicts")                                       \
    X(l1_latency, "cycles", "a load that hits in L1")                                                                \
    X(l2_latency, "cycles", "a load that hits in L2")                                                                \
    X(dram_latency, "cycles", "a load from DRAM")                                                                    \
    X(atomic_latency, "cycles", "an atomic in L2 whose result is used")                                              \
    X(shared_atomic_latency, "cycles", "an atomic in shared memory whose result is used")                            \
    X(constant_bytes, "bytes", "the first cache of constants of an SM")                                              \
    X(constant_latency, "cycles", "a load of a constant by an index, which is one for all lanes")                    \
    X(barrier_latency, "cycles", "__syncthreads() of one warp")                                                      \
    X(barrier_warp, "cycles", "each further warp at __syncthreads()")                                                \
    /* an SM's rates */                                                                                              \
    X(issue_rate, "1/cycle", "warp instructions that an SM issues")                                                  \
    X(fma_rate, "lanes/cycle", "additions and multiplications of 32 floating bits")                                  \
    X(int_rate, "lanes/cycle", "integer additions, logic, comparisons")                                              \
    X(mul_rate, "lanes/cycle", "integer multiplications")                                                            \
    X(double_rate, "lanes/cycle", "additions and multiplications of 64 floating bits")                               \
    X(special_rate, "lanes/cycle", "rcp, rsqrt, sin, ex2")                                                           \
    X(convert_rate, "lanes/cycle", "conversions between types of 32 bits")                                           \
    X(shuffle_rate, "lanes/cycle", "shuffles")                                                                       \
    X(tensor_rate, "products/cycle", "products of halves that the tensor cores add to floats, by mma.sync")          \
    X(memory_rate, "lanes/cycle", "lanes of memory instructions that the SM takes")                                  \
    X(shared_rate, "1/cycle", "wavefronts of shared memory")                                                         \
    X(l1_rate, "sectors/cycle", "sectors from L1")                                                                   \
    X(tag_rate, "lines/cycle", "lines of 128 bytes that L1 looks up")                                                \
    X(constant_miss, "cycles", "a line of constants that the first cache lacks, one after the other")                \
    X(constant_rate, "1/cycle", "different addresses of constants, one after the other")                             \
    /* the chip's rates */                                                                                           \
    X(l2_read, "GB/s", "reading from L2")                                                                            \
    X(l2_write, "GB/s", "writing whole sectors to L2")                                                               \
    X(l2_partial, "G/s", "parts of sectors that L2 takes, four of a line")                                           \
    X(l2_read_lines, "G/s", "lines of which L2 gives one sector")                                                    \
    X(l2_write_lines, "G/s", "lines of which L2 takes part of one sector")                                           \
    X(sm_read, "bytes/cycle", "what one SM reads from L2 at most")                                                   \
    X(dram_read, "GB/s", "reading from DRAM")                                                                        \
    X(dram_write, "GB/s", "writing to DRAM")                                                                         \
    X(dram_copy, "GB/s", "reading and writing as much, together")                                                    \
    X(dram_fetch, "bytes", "what DRAM gives at least")                                                               \
    X(dram_lines, "G/s", "scattered sectors from DRAM")                                                              \
    /* atomics in L2 */                                                                                              \
    X(atomic_word, "ns", "an atomic request on the one word that all use")                                           \
    X(atomic_sector, "ns", "a sector of an atomic request, over the whole L2, one after the other in one unit")      \
    X(atomic_float, "ns", "an atomic addition of floats to a sector that the one before was added to")               \
    X(atomic_swap, "ns", "a sector of compare and swap, as atomic_sector")                                           \
    X(atomic_rate, "G/s", "sectors of atomic requests, far apart")                                                   \
    X(atomic_results, "G/s", "sectors of atomic requests whose results are used, far apart")                         \
    X(shared_atomic_rate, "1/cycle", "turns of atomics in shared memory")
// clang-format on

enum {
#define X(name, unit, words) FIGURE_##name,
    FIGURES(X) FIGURE_COUNT
#undef X
};
struct figure {
    const char *name, *unit, *words;
    size_t offset; // of its number in struct gpu_figures
};
extern const struct figure figure_list[FIGURE_COUNT];

struct gpu_figures {
    char key[32];  // "h100": the file's name
    char name[64]; // "NVIDIA H100 80GB HBM3"
    char date[16]; // of the measurement; "": nothing was measured
    int target;    // compute capability x 10
    bool measured; // most figures are, here; else from published tables
#define X(name, unit, words) double name;
    FIGURES(X)
#undef X
    double uncertainty_pct[FIGURE_COUNT];
};

static inline double figure_value(const struct gpu_figures *figures, size_t which)
{
    return *(const double *)((const char *)figures + figure_list[which].offset);
}
static inline void figure_set(struct gpu_figures *figures, size_t which, double value)
{
    *(double *)((char *)figures + figure_list[which].offset) = value;
}

// Figures that a file may leave out, as one does that was written before there was such a figure.
struct taken_figure {
    double value, uncertainty_pct; // those of the H100
    int of; // the value is so many of this figure, one before it; 0: it stands for itself
};
const struct taken_figure *figure_taken(size_t which); // NULL: a file has to have the figure
static inline void figure_take(struct gpu_figures *figures, size_t which)
{
    const struct taken_figure *taken = figure_taken(which);
    if (!taken)
        return;
    figure_set(figures, which, taken->value * (taken->of ? figure_value(figures, (size_t)taken->of) : 1));
    figures->uncertainty_pct[which] = taken->uncertainty_pct;
}

// `file` is what sentences call it.
bool figures_from_json(const json_t *json, const char *file, struct gpu_figures *out, struct error *error);
// The user's own gpus/KEY.json, or assets/gpus/KEY.json; a path with a slash is read as it is.
bool figures_find(const char *key, struct gpu_figures *out, struct error *error);
// The same file as it stands, with the sources of its figures; the caller releases it.
json_t *figures_file(const char *key, struct error *error);
// The keys there are, in alphabetical order, "a100 b200 h100 ..."; the caller frees.
char *figures_list(void);
// The key whose GPU a driver calls by this name; NULL: none. The caller frees.
char *figures_key_of(const char *device_name);

#endif
