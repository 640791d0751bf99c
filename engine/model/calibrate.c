// What is measured and how it becomes figures. A row of the table says what one `n` more of a kernel does; the unit of its
// figure says whether the time for each piece of that is wanted, or how many there are in a time.
#include "engine/model/calibrate.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MIB 1048576.0

enum { NO_FIGURE = -1 }; // the times are only kept, beside those that are computed with
enum { DRAM = -1 };      // as memory: much more than fits into L2

enum calibration_of { SM, CHIP, BYTE };

struct calibration_row {
    int figure;
    const char *kernel;
    const char *settings;   // its last word is the parameter that grows
    double memory;          // the kernel's parameter `bytes`: a share of L2, or DRAM; 0: it has none
    long low, high;         // the values of the parameter that grows; low 0: one time alone
    double pieces;          // that one more of it adds,
    enum calibration_of of; // on one SM or in one thread, on each SM, or for each byte of memory
    double uncertainty_pct;
    const char *words;
};

// clang-format off
static const struct calibration_row rows[] = {
    // ---- starting
    { FIGURE_launch, "first", "", 0, 0, 1, 1, SM, 15, "a kernel that stores" },
    { FIGURE_next_launch, "launches", "", 0, 0, 1, 1, SM, 15, "one more kernel that stores" },
    { NO_FIGURE, "start", "threads=32 blocks", 0, 0, 1, 1, SM, 0, "an empty kernel" },
    { FIGURE_clock, "clock", "cycles", 0, 200000, 2000000, 1, SM, 1, "the clock under load" },
    { FIGURE_warp_start, "start", "threads=1024 blocks", 0, 1 << 14, 1 << 17, 32, SM, 3, "starting warps" },
    { FIGURE_block_start, "start", "threads=32 blocks", 0, 1 << 16, 1 << 20, 1, SM, 5, "starting blocks" },
    { NO_FIGURE, "start", "threads=64 blocks", 0, 1 << 16, 1 << 20, 1, SM, 0, "starting blocks of 64" },
    { NO_FIGURE, "start", "threads=128 blocks", 0, 1 << 16, 1 << 19, 1, SM, 0, "starting blocks of 128" },
    { NO_FIGURE, "start", "threads=256 blocks", 0, 1 << 16, 1 << 19, 1, SM, 0, "starting blocks of 256" },
    // ---- latencies
    { FIGURE_alu_latency, "chain", "kind=0 n", 0, 200, 2000, 128, SM, 3, "latency of a multiplication" },
    { NO_FIGURE, "chain", "kind=1 n", 0, 200, 2000, 256, SM, 0, "latency of logic and addition" },
    { NO_FIGURE, "chain", "kind=2 n", 0, 200, 2000, 128, SM, 0, "latency of an integer multiplication" },
    { FIGURE_double_latency, "chain", "kind=3 n", 0, 200, 1000, 128, SM, 3, "latency of a double" },
    { FIGURE_special_latency, "chain", "kind=4 n", 0, 200, 1000, 128, SM, 5, "latency of ex2" },
    { FIGURE_shuffle_latency, "chain", "kind=5 n", 0, 200, 1000, 128, SM, 3, "latency of a shuffle" },
    { NO_FIGURE, "chain", "kind=6 n", 0, 200, 1000, 128, SM, 0, "latency of a conversion to an integer" },
    { NO_FIGURE, "chain", "kind=7 n", 0, 200, 1000, 128, SM, 0, "latency of a conversion from an integer" },
    { FIGURE_shared_latency, "chain", "kind=8 n", 0, 200, 1000, 128, SM, 3, "latency of shared memory" },
    { FIGURE_shared_atomic_latency, "chain", "kind=9 n", 0, 100, 500, 128, SM, 5, "latency of an atomic in shared memory" },
    { FIGURE_atomic_latency, "chain", "kind=10 n", 0, 10, 50, 128, SM, 20, "latency of an atomic" },
    { NO_FIGURE, "chain", "kind=11 n", 0, 10, 50, 128, SM, 0, "latency of a compare and swap" },
    { NO_FIGURE, "chain", "kind=12 n", 0, 10, 50, 128, SM, 0, "latency of a compare and swap of 32 lanes on one word" },
    { FIGURE_l1_latency, "chase", "bytes=16384 stride=128 n", 0, 4096, 32768, 1, SM, 3, "latency of L1" },
    { NO_FIGURE, "chase", "bytes=65536 stride=128 n", 0, 4096, 32768, 1, SM, 0, "latency of L1, 64 KB" },
    { FIGURE_l2_latency, "chase", "stride=128 n", 0.1, 4096, 32768, 1, SM, 10, "latency of L2" },
    { NO_FIGURE, "chase", "stride=1152 n", 0.5, 4096, 16384, 1, SM, 0, "latency of much of L2" },
    { FIGURE_dram_latency, "chase", "stride=65664 n", DRAM, 2048, 12288, 1, SM, 10, "latency of DRAM" },
    { NO_FIGURE, "chase", "stride=2097280 n", DRAM, 64, 448, 1, SM, 0, "latency of DRAM, a page each" },
    { FIGURE_barrier_latency, "barrier", "warps=1 n", 0, 100, 1000, 32, SM, 5, "barriers of one warp" },
    { FIGURE_barrier_warp, "barrier", "warps=32 n", 0, 100, 1000, 32, SM, 5, "barriers of 32 warps" },
    { NO_FIGURE, "barrier", "warps=4 n", 0, 100, 1000, 32, SM, 0, "barriers of four warps" },
    { NO_FIGURE, "barrier", "warps=8 n", 0, 100, 1000, 32, SM, 0, "barriers of eight warps" },
    // ---- an SM's rates
    { NO_FIGURE, "rate", "kind=1 n", 0, 50, 250, 8192, SM, 0, "multiplications and logic in turn" },
    { FIGURE_fma_rate, "rate", "kind=0 n", 0, 50, 250, 262144, SM, 2, "rate of multiplications" },
    { FIGURE_int_rate, "rate", "kind=2 n", 0, 50, 250, 262144, SM, 2, "rate of logic" },
    { NO_FIGURE, "rate", "kind=3 n", 0, 50, 250, 262144, SM, 0, "rate of additions" },
    { FIGURE_mul_rate, "rate", "kind=4 n", 0, 50, 250, 262144, SM, 2, "rate of integer multiplications" },
    { FIGURE_double_rate, "rate", "kind=5 n", 0, 12, 62, 262144, SM, 2, "rate of doubles" },
    { FIGURE_special_rate, "rate", "kind=6 n", 0, 25, 125, 262144, SM, 2, "rate of ex2" },
    { FIGURE_convert_rate, "rate", "kind=7 n", 0, 25, 125, 262144, SM, 2, "rate of conversions to integers" },
    { NO_FIGURE, "rate", "kind=8 n", 0, 25, 125, 262144, SM, 0, "rate of conversions from integers" },
    { FIGURE_shuffle_rate, "rate", "kind=9 n", 0, 25, 125, 262144, SM, 2, "rate of shuffles" },
    { FIGURE_memory_rate, "l1", "kind=0 stride=0 n", 0, 500, 2500, 8192, SM, 3, "rate of loads, one sector each" },
    { FIGURE_shared_rate, "shared", "kind=0 stride=1 n", 0, 500, 2500, 256, SM, 2, "rate of shared memory" },
    { FIGURE_l1_rate, "l1", "kind=1 stride=4 n", 0, 200, 1000, 4096, SM, 3, "rate of L1, 16 bytes a lane" },
    { NO_FIGURE, "l1", "kind=0 stride=32 n", 0, 50, 250, 8192, SM, 0, "L1, 32 lines each, all in one bank" },
    { NO_FIGURE, "l1", "kind=0 stride=3 n", 0, 200, 1000, 256, SM, 0, "L1, three lines each, no two words in a bank" },
    { NO_FIGURE, "l1", "kind=0 stride=5 n", 0, 200, 1000, 256, SM, 0, "L1, five lines each, no two words in a bank" },
    { NO_FIGURE, "l1", "kind=0 stride=7 n", 0, 200, 1000, 256, SM, 0, "L1, seven lines each, no two words in a bank" },
    { NO_FIGURE, "l1", "kind=0 stride=15 n", 0, 100, 500, 256, SM, 0, "L1, 15 lines each, no two words in a bank" },
    { FIGURE_tag_rate, "l1", "kind=0 stride=33 n", 0, 100, 500, 8192, SM, 5, "rate of lines in L1" },
    { NO_FIGURE, "l1", "kind=0 stride=1 n", 0, 500, 2500, 256, SM, 0, "L1, a line each" },
    { NO_FIGURE, "l1", "kind=0 stride=2 n", 0, 500, 2500, 256, SM, 0, "L1, two lines each" },
    { NO_FIGURE, "l1", "kind=0 stride=4 n", 0, 200, 1000, 256, SM, 0, "L1, four lines each" },
    { NO_FIGURE, "l1", "kind=0 stride=8 n", 0, 200, 1000, 256, SM, 0, "L1, eight lines each" },
    { NO_FIGURE, "l1", "kind=0 stride=16 n", 0, 50, 250, 256, SM, 0, "L1, 16 lines each" },
    { NO_FIGURE, "shared", "kind=0 stride=0 n", 0, 500, 2500, 256, SM, 0, "shared memory, one word for all" },
    { NO_FIGURE, "shared", "kind=0 stride=2 n", 0, 200, 1000, 256, SM, 0, "shared memory, two in a bank" },
    { NO_FIGURE, "shared", "kind=0 stride=32 n", 0, 50, 250, 256, SM, 0, "shared memory, 32 in a bank" },
    { NO_FIGURE, "shared", "kind=1 stride=4 n", 0, 200, 1000, 256, SM, 0, "shared memory, 16 bytes a lane" },
    { NO_FIGURE, "shared", "kind=2 stride=1 n", 0, 500, 2500, 256, SM, 0, "storing to shared memory" },
    { FIGURE_shared_atomic_rate, "shared", "kind=3 stride=1 n", 0, 200, 1000, 256, SM, 3, "atomics in shared memory" },
    { NO_FIGURE, "shared", "kind=3 stride=0 n", 0, 20, 100, 256, SM, 0, "atomics in shared memory, one word" },
    { NO_FIGURE, "shared", "kind=3 stride=2 n", 0, 100, 500, 256, SM, 0, "atomics in shared memory, two in a bank" },
    { NO_FIGURE, "shared", "kind=3 stride=32 n", 0, 20, 100, 256, SM, 0, "atomics in shared memory, one bank" },
    { NO_FIGURE, "shared", "kind=4 stride=1 n", 0, 200, 1000, 256, SM, 0, "atomics in shared memory with results" },
    // ---- the chip's rates
    { FIGURE_l2_read, "l2", "kind=0 n", 1. / 3, 50, 250, 131072, CHIP, 5, "reading from L2" },
    { FIGURE_l2_write, "l2", "kind=1 n", 1. / 3, 50, 250, 131072, CHIP, 5, "writing to L2" },
    { FIGURE_l2_partial, "l2", "kind=2 n", 1. / 3, 10, 50, 8192, CHIP, 5, "writing parts of sectors to L2" },
    { FIGURE_l2_read_lines, "l2", "kind=3 n", 1. / 3, 20, 100, 8192, CHIP, 5, "reading a sector of each line from L2" },
    { FIGURE_l2_write_lines, "l2", "kind=4 n", 1. / 3, 10, 50, 8192, CHIP, 5, "writing a word of each line to L2" },
    { FIGURE_sm_read, "l2", "kind=0 blocks=1 n", 0.1, 100, 500, 131072, SM, 5, "reading from L2 on one SM" },
    { NO_FIGURE, "l2", "kind=5 n", 0.25, 5, 25, 8, BYTE, 0, "reading a quarter of L2 in passes" },
    { NO_FIGURE, "l2", "kind=5 n", 0.4, 5, 25, 8, BYTE, 0, "reading 0.4 of L2 in passes" },
    { NO_FIGURE, "l2", "kind=5 n", 0.5, 5, 25, 8, BYTE, 0, "reading half of L2 in passes" },
    { NO_FIGURE, "l2", "kind=5 n", 0.6, 5, 25, 8, BYTE, 0, "reading 0.6 of L2 in passes" },
    { NO_FIGURE, "l2", "kind=5 n", 0.75, 5, 25, 8, BYTE, 0, "reading 0.75 of L2 in passes" },
    { NO_FIGURE, "l2", "kind=5 n", 0.9, 5, 25, 8, BYTE, 0, "reading 0.9 of L2 in passes" },
    { NO_FIGURE, "l2", "kind=5 n", 1, 5, 25, 8, BYTE, 0, "reading all of L2 in passes" },
    { NO_FIGURE, "l2", "kind=5 n", 1.25, 5, 25, 8, BYTE, 0, "reading 1.25 of L2 in passes" },
    { NO_FIGURE, "l2", "kind=5 n", 1.5, 5, 25, 8, BYTE, 0, "reading 1.5 times of L2 in passes" },
    { FIGURE_dram_read, "dram", "kind=0 n", DRAM, 1, 4, 1, BYTE, 3, "reading from DRAM" },
    { FIGURE_dram_write, "dram", "kind=1 n", DRAM, 1, 4, 1, BYTE, 3, "writing to DRAM" },
    { FIGURE_dram_copy, "dram", "kind=2 n", DRAM, 1, 4, 1, BYTE, 3, "copying in DRAM" },
    { FIGURE_dram_fetch, "dram", "kind=3 stride=128 n", DRAM, 1, 4, 1. / 128, BYTE, 5, "a sector of each line from DRAM" },
    { NO_FIGURE, "dram", "kind=3 stride=64 n", DRAM, 1, 4, 1. / 64, BYTE, 0, "each other sector from DRAM" },
    { NO_FIGURE, "dram", "kind=3 stride=512 n", DRAM, 1, 4, 1. / 512, BYTE, 0, "a sector of every 512 bytes from DRAM" },
    { FIGURE_dram_lines, "dram", "kind=4 stride=32 n", DRAM, 1, 3, 1. / 32, BYTE, 5, "scattered sectors from DRAM" },
    // ---- atomics
    { FIGURE_atomic_word, "atomic", "kind=0 lane_step=0 n", 0, 4, 20, 256, CHIP, 2, "atomics on one word" },
    { FIGURE_atomic_sector, "atomic", "kind=0 lanes=8 lane_step=1 n", 0, 40, 200, 8, CHIP, 5, "atomics on one sector" },
    { FIGURE_atomic_rate, "atomic", "kind=0 words=524288 lane_step=8 warp_step=256 n", 0, 100, 500, 256, CHIP, 5, "atomics far apart" },
    { NO_FIGURE, "atomic", "kind=0 lanes=1 lane_step=0 n", 0, 100, 500, 8, CHIP, 0, "atomics of one lane on one word" },
    { NO_FIGURE, "atomic", "kind=0 words=8 lane_step=1 n", 0, 10, 50, 256, CHIP, 0, "atomics on the words of one sector, all lanes" },
    { NO_FIGURE, "atomic", "kind=0 words=32 lane_step=1 n", 0, 40, 200, 8, CHIP, 0, "atomics on one line" },
    { NO_FIGURE, "atomic", "kind=0 words=524288 lane_step=1 warp_step=32 n", 0, 400, 2000, 8, CHIP, 0, "atomics on whole lines far apart" },
    { NO_FIGURE, "atomic", "kind=0 words=128 scattered=1 n", 0, 20, 100, 256, CHIP, 0, "atomics scattered over 512 bytes" },
    { NO_FIGURE, "atomic", "kind=0 words=256 scattered=1 n", 0, 20, 100, 256, CHIP, 0, "atomics scattered over 1 KB" },
    { NO_FIGURE, "atomic", "kind=0 words=4096 scattered=1 n", 0, 40, 200, 256, CHIP, 0, "atomics scattered over 16 KB" },
    { NO_FIGURE, "atomic", "kind=0 words=524288 scattered=1 n", 0, 40, 200, 256, CHIP, 0, "atomics scattered over 2 MB" },
    { NO_FIGURE, "atomic", "kind=1 lane_step=0 n", 0, 4, 20, 256, CHIP, 0, "atomics with results on one word" },
    { FIGURE_atomic_results, "atomic", "kind=1 words=524288 lane_step=8 warp_step=256 n", 0, 100, 500, 256, CHIP, 5, "atomics with results far apart" },
    { NO_FIGURE, "atomic", "kind=2 lane_step=0 n", 0, 4, 20, 256, CHIP, 0, "atomics of floats on one word" },
    { NO_FIGURE, "atomic", "kind=2 words=524288 lane_step=8 warp_step=256 n", 0, 100, 500, 256, CHIP, 0, "atomics of floats far apart" },
    { FIGURE_atomic_float, "atomic", "kind=2 lanes=8 lane_step=1 n", 0, 40, 200, 8, CHIP, 5, "atomics of floats on one sector" },
    { NO_FIGURE, "atomic", "kind=2 words=4096 scattered=1 n", 0, 40, 200, 256, CHIP, 0, "atomics of floats scattered over 16 KB" },
    { NO_FIGURE, "atomic", "kind=3 lane_step=0 n", 0, 4, 20, 256, CHIP, 0, "compare and swap on one word" },
    { FIGURE_atomic_swap, "atomic", "kind=3 lanes=8 lane_step=1 n", 0, 40, 200, 8, CHIP, 5, "compare and swap on one sector" },
    { NO_FIGURE, "atomic", "kind=3 words=4096 scattered=1 n", 0, 40, 200, 256, CHIP, 0, "compare and swap scattered over 16 KB" },
    { NO_FIGURE, "atomic", "kind=3 words=524288 lane_step=8 warp_step=256 n", 0, 100, 500, 256, CHIP, 0, "compare and swap far apart" },
    // ---- tensor cores: 16 x 8 x 16 products of an instruction, or as many as go with its type
    { FIGURE_tensor_latency, "tensor", "kind=0 alone=1 n", 0, 50, 250, 64, SM, 5, "latency of a tensor core, halves" },
    { FIGURE_tensor_rate, "tensor", "kind=0 n", 0, 50, 250, 4194304, SM, 3, "rate of tensor cores, halves" },
    { NO_FIGURE, "tensor", "kind=1 n", 0, 50, 250, 4194304, SM, 0, "rate of tensor cores, sums in halves" },
    { NO_FIGURE, "tensor", "kind=3 n", 0, 50, 250, 2097152, SM, 0, "rate of tensor cores, TF32" },
    { NO_FIGURE, "tensor", "kind=4 n", 0, 50, 250, 8388608, SM, 0, "rate of tensor cores, bytes" },
    { NO_FIGURE, "tensor", "kind=5 n", 0, 12, 62, 524288, SM, 0, "rate of tensor cores, doubles" },
};
// clang-format on
enum { ROWS = sizeof rows / sizeof *rows };
_Static_assert((int)ROWS <= (int)CALIBRATION_MOST, "there is a place for the times of each row");

size_t calibration_count(void)
{
    return ROWS;
}

// ---- what is run ------------------------------------------------------------------------------------------

bool calibration_facts_right(const struct calibration_facts *facts, struct error *error)
{
    if (facts->sms < 1 || facts->sms > 10000 || facts->target < 50 || facts->target > 999 ||
        !(facts->l2_bytes >= MIB / 4) || !(facts->memory_bytes >= 256 * MIB))
        return error_set(
            error, EXIT_MISSING,
            "The driver says of %s that it has compute capability %.1f, %d SMs, %.0f MiB of L2 and "
            "%.0f MiB of memory; with that no figures can be measured.",
            facts->device, facts->target / 10.0, facts->sms, facts->l2_bytes / MIB,
            facts->memory_bytes / MIB);
    return true;
}

// 1 GiB, or the largest power of two within a quarter of the memory.
static double dram_bytes(const struct calibration_facts *facts)
{
    double bytes = 1024 * MIB;
    while (bytes > facts->memory_bytes / 4)
        bytes /= 2;
    return bytes;
}

// Whole MiB, and so much that each thread of a full GPU has a sector to itself.
static double memory_of(const struct calibration_row *row, const struct calibration_facts *facts)
{
    enum { THREADS = 1024, SECTOR = 32 };
    if (row->memory == DRAM)
        return dram_bytes(facts);
    double least = row->of == CHIP ? (double)facts->sms * THREADS * SECTOR : 0;
    return ceil(fmax(row->memory * facts->l2_bytes, least) / MIB) * MIB;
}

static void write_settings(const struct calibration_row *row, const struct calibration_facts *facts,
                           long value, char *out, size_t size)
{
    char memory[40] = "", grows[40] = "";
    if (row->memory != 0)
        format_into(memory, sizeof memory, "bytes=%.0f ", memory_of(row, facts));
    if (*row->settings)
        format_into(grows, sizeof grows, "=%ld", value);
    format_into(out, size, "%s%s%s", memory, row->settings, grows);
}

struct calibration_item calibration_item(const struct calibration_facts *facts, size_t which)
{
    const struct calibration_row *row = &rows[which];
    struct calibration_item item = { .kernel = row->kernel, .words = row->words };
    if (row->low)
        write_settings(row, facts, row->low, item.low, sizeof item.low);
    write_settings(row, facts, row->high, item.high, sizeof item.high);
    return item;
}

// ---- from times to figures --------------------------------------------------------------------------------

// The time for each piece, in ns.
static double each_ns(const struct calibration_row *row, const struct calibration_facts *facts,
                      const struct calibration_times *times)
{
    double more = (double)(row->high - row->low) * row->pieces;
    double low_ms = row->low ? times->low_ms : 0;
    if (row->of == CHIP)
        more *= facts->sms;
    if (row->of == BYTE)
        more *= memory_of(row, facts);
    return (times->high_ms - low_ms) * 1e6 / more;
}

// By the figure's unit: a time for each piece, or pieces in a time. Cycles are those of the clock under load.
static double in_unit(const char *unit, double ns, const struct gpu_figures *figures)
{
    double cycles = ns * figures->clock / 1000;
    if (strcmp(unit, "us") == 0)
        return ns / 1000;
    if (strcmp(unit, "ns") == 0 || strcmp(unit, "bytes") == 0)
        return ns;
    if (strcmp(unit, "cycles") == 0)
        return cycles;
    if (strcmp(unit, "MHz") == 0)
        return 1000 / ns;
    return string_ends(unit, "/cycle") ? 1 / cycles : 1 / ns;
}

static double figure_from(int figure, double ns, const struct gpu_figures *figures)
{
    enum { FURTHER_LAUNCHES = 7, FURTHER_WARPS = 31 };
    double value = in_unit(figure_list[figure].unit, ns, figures);
    switch (figure) {
    case FIGURE_next_launch:
        return (value - figures->launch) / FURTHER_LAUNCHES;
    case FIGURE_barrier_warp:
        return (value - figures->barrier_latency) / FURTHER_WARPS;
    case FIGURE_dram_fetch: // a sector takes as long as so many bytes that are read in a row
        return ns * figures->dram_read;
    default:
        return value;
    }
}

// L1 and shared memory together, which no driver tells and no kernel needs to find out: by NVIDIA's table of compute
// capabilities.
static double l1_bytes_of(int target)
{
    static const struct {
        int target, kib;
    } known[] = { { 70, 128 }, { 75, 96 },  { 80, 192 },  { 86, 128 }, { 87, 192 },
                  { 88, 128 }, { 90, 256 }, { 100, 256 }, { 120, 128 } };
    double kib = known[0].kib;
    for (size_t i = 0; i < sizeof known / sizeof *known && known[i].target <= target; i++)
        kib = known[i].kib;
    return kib * 1024;
}

enum { SCHEDULERS = 4 }; // of an SM since the V100, each of which issues an instruction a cycle

// What a GPU can have, by the unit: so wide that only what is no measurement lies outside.
static bool can_be(const char *unit, double value)
{
    static const struct {
        const char *unit;
        double least, most;
    } limits[] = { { "us", 0.2, 100 },           { "ns", 0.002, 2000 },
                   { "MHz", 300, 6000 },         { "cycles", 0.2, 20000 },
                   { "1/cycle", 0.01, 64 },      { "lanes/cycle", 0.2, 2048 },
                   { "sectors/cycle", 0.1, 64 }, { "lines/cycle", 0.02, 64 },
                   { "bytes/cycle", 2, 1024 },   { "products/cycle", 16, 65536 },
                   { "GB/s", 5, 200000 },        { "G/s", 0.02, 5000 },
                   { "bytes", 8, 1024 } };
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        if (strcmp(limits[i].unit, unit) == 0)
            return value >= limits[i].least && value <= limits[i].most;
    return false;
}

static bool times_grow(const struct calibration *calibration, size_t which, struct error *error)
{
    const struct calibration_row *row = &rows[which];
    const struct calibration_times *times = &calibration->times[which];
    bool positive = times->high_ms > 0 && (!row->low || times->low_ms > 0);
    if (positive && (!row->low || times->high_ms >= 1.2 * times->low_ms))
        return true;
    struct calibration_item item = calibration_item(&calibration->facts, which);
    return error_set(
        error, EXIT_WRONG,
        "%s (%s.cu): %.4g ms with %s and %.4g ms with %s. A time that does not grow with the work "
        "measures nothing, so no figures were made. Is the GPU used by others, or is it not a real one?",
        row->words, row->kernel, times->low_ms, item.low, times->high_ms, item.high);
}

static bool take_row(const struct calibration *calibration, size_t which, struct gpu_figures *out,
                     struct error *error)
{
    const struct calibration_row *row = &rows[which];
    if (!times_grow(calibration, which, error))
        return false;
    if (row->figure == NO_FIGURE)
        return true;
    const struct figure *figure = &figure_list[row->figure];
    double ns = each_ns(row, &calibration->facts, &calibration->times[which]);
    double value = figure_from(row->figure, ns, out);
    if (!can_be(figure->unit, value))
        return error_set(
            error, EXIT_WRONG,
            "%s (%s.cu) would give %s = %.4g %s, which no GPU has, so no figures were made. Is the "
            "GPU used by others, or is it not a real one?",
            row->words, row->kernel, figure->name, value, figure->unit);
    figure_set(out, (size_t)row->figure, value);
    out->uncertainty_pct[row->figure] = row->uncertainty_pct;
    return true;
}

bool calibration_figures(const struct calibration *calibration, struct gpu_figures *out, struct error *error)
{
    const struct calibration_facts *facts = &calibration->facts;
    *out = (struct gpu_figures){ .target = facts->target, .measured = true };
    if (!calibration_facts_right(facts, error))
        return false;
    format_into(out->name, sizeof out->name, "%s", facts->device);
    format_into(out->date, sizeof out->date, "%.10s", calibration->date);
    out->sms = facts->sms;
    out->l1_bytes = l1_bytes_of(facts->target);
    out->issue_rate = SCHEDULERS;
    out->l2_bytes = facts->l2_bytes;
    out->uncertainty_pct[FIGURE_l2_bytes] = 25;
    for (size_t i = 0; i < FIGURE_COUNT; i++)
        figure_take(out, i);
    for (size_t i = 0; i < calibration->count; i++)
        if (!take_row(calibration, i, out, error))
            return false;
    return calibration->count == ROWS ||
           error_set(error, EXIT_MISSING, "Only %zu of %d measurements are there.", calibration->count, ROWS);
}

// ---- the file ---------------------------------------------------------------------------------------------

static const struct calibration_row *row_of(size_t figure)
{
    for (size_t i = 0; i < ROWS; i++)
        if (rows[i].figure == (int)figure)
            return &rows[i];
    return NULL;
}

static void write_string(struct text *out, const char *string)
{
    json_t *json = json_string(string);
    char *quoted = json ? json_dumps(json, JSON_ENCODE_ANY | JSON_ENSURE_ASCII) : NULL;
    text_add(out, quoted ? quoted : "\"\"");
    free(quoted);
    json_decref(json);
}

static void write_source(struct text *out, const struct calibration *calibration, size_t figure)
{
    const struct calibration_row *row = row_of(figure);
    struct text source = { 0 };
    if (row)
        text_addf(&source, "measured %.10s, %s, driver %s, %s.cu %s", calibration->date,
                  calibration->facts.device, calibration->facts.driver, row->kernel, row->settings);
    else if (figure == FIGURE_l1_bytes || figure == FIGURE_issue_rate)
        text_add(&source, "published: CUDA C++ Programming Guide, compute capabilities");
    else if (figure_taken(figure))
        text_add(&source, "taken from the H100's");
    else
        text_addf(&source, "as the driver says, %s", calibration->facts.driver);
    write_string(out, text_string(&source));
    text_free(&source);
}

static void write_figures(struct text *out, const struct calibration *calibration,
                          const struct gpu_figures *figures)
{
    text_add(out, "    \"figures\": {\n");
    for (size_t i = 0; i < FIGURE_COUNT; i++) {
        text_addf(out,
                  "        \"%s\": { \"value\": %.*g, \"unit\": \"%s\", \"uncertainty_pct\": %g,\n           "
                  " \"source\": ",
                  figure_list[i].name, figure_value(figures, i) >= 1e4 ? 9 : 4, figure_value(figures, i),
                  figure_list[i].unit, figures->uncertainty_pct[i]);
        write_source(out, calibration, i);
        text_addf(out, " }%s\n", i + 1 < FIGURE_COUNT ? "," : "");
    }
    text_add(out, "    },\n");
}

// A number that is not known is absent.
static void write_number(struct text *out, const char *key, const char *format, double number)
{
    char digits[40];
    snprintf(digits, sizeof digits, format, number);
    if (isfinite(number))
        text_addf(out, ", \"%s\": %s", key, digits);
}

static void write_row(struct text *out, const struct calibration *calibration, size_t which)
{
    const struct calibration_times *times = &calibration->times[which];
    struct calibration_item item = calibration_item(&calibration->facts, which);
    text_addf(out, "            { \"of\": \"%s\", \"kernel\": \"%s\",\n              ", item.words,
              item.kernel);
    if (*item.low)
        text_addf(out, "\"low\": \"%s\", ", item.low);
    text_addf(out, "\"high\": \"%s\"", item.high);
    write_number(out, "low_us", "%.3f", times->low_ms * 1000);
    write_number(out, "high_us", "%.3f", times->high_ms * 1000);
    write_number(out, "spread_pct", "%.2f", times->spread_pct);
    write_number(out, "each_ns", "%.5g", each_ns(&rows[which], &calibration->facts, times));
    text_add(out, " }");
}

static void write_times(struct text *out, const struct calibration *calibration)
{
    const struct calibration_facts *facts = &calibration->facts;
    text_add(out, "    \"measurements\": {\n        \"device\": ");
    write_string(out, facts->device);
    text_add(out, ", \"driver\": ");
    write_string(out, facts->driver);
    text_addf(out, ", \"date\": \"%s\",\n        \"target\": %d, \"sms\": %d, \"l2_bytes\": %.0f, ",
              calibration->date, facts->target, facts->sms, facts->l2_bytes);
    text_addf(out, "\"memory_bytes\": %.0f,\n        \"times\": [\n", facts->memory_bytes);
    for (size_t i = 0; i < calibration->count; i++) {
        write_row(out, calibration, i);
        text_add(out, i + 1 < calibration->count ? ",\n" : "\n");
    }
    text_add(out, "        ]\n    }\n");
}

char *calibration_file(const struct calibration *calibration, const char *key, struct error *error)
{
    struct gpu_figures figures;
    struct text out = { 0 };
    if (!calibration_figures(calibration, &figures, error))
        return NULL;
    text_addf(&out, "{\n    \"key\": \"%s\",\n    \"name\": ", key);
    write_string(&out, figures.name);
    text_add(&out, ",\n    \"names\": [");
    write_string(&out, figures.name);
    text_addf(&out, "],\n    \"target\": %d,\n    \"date\": \"%s\",\n    \"measured\": true,\n",
              figures.target, figures.date);
    text_add(&out, "    \"notes\": \"Measured by warpbook doctor --measure model.\",\n");
    write_figures(&out, calibration, &figures);
    write_times(&out, calibration);
    text_add(&out, "}\n");
    return text_take(&out);
}

char *calibration_times_file(const struct calibration *calibration)
{
    struct text out = { 0 };
    text_add(&out, "{\n");
    write_times(&out, calibration);
    text_add(&out, "}\n");
    return text_take(&out);
}

static bool read_word(const json_t *object, const char *key, char *out, size_t size)
{
    const char *text = json_string_value(json_object_get(object, key));
    format_clean(out, size, text ? text : "", text ? strlen(text) : 0);
    return text != NULL;
}

static double number_at(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

// A time counts only where it was taken with the settings of today.
static bool read_time(const json_t *object, const struct calibration_item *item,
                      struct calibration_times *out)
{
    char kernel[32], low[120], high[120];
    read_word(object, "kernel", kernel, sizeof kernel);
    read_word(object, "low", low, sizeof low);
    read_word(object, "high", high, sizeof high);
    *out = (struct calibration_times){ number_at(object, "low_us") / 1000,
                                       number_at(object, "high_us") / 1000, number_at(object, "spread_pct") };
    return strcmp(kernel, item->kernel) == 0 && strcmp(low, item->low) == 0 &&
           strcmp(high, item->high) == 0 && isfinite(out->high_ms);
}

static bool read_times(const json_t *list, struct calibration *out, struct error *error)
{
    for (size_t i = 0; i < ROWS; i++) {
        struct calibration_item item = calibration_item(&out->facts, i);
        const json_t *object;
        size_t at;
        bool found = false;
        json_array_foreach(list, at, object)
        {
            found = found || read_time(object, &item, &out->times[i]);
        }
        if (!found)
            return error_set(error, EXIT_USAGE, "It holds no time of %s.cu with %s (%s).", item.kernel,
                             item.high, item.words);
        out->count = i + 1;
    }
    return true;
}

bool calibration_read(const json_t *file, struct calibration *out, struct error *error)
{
    const json_t *object = json_object_get(file, "measurements");
    struct calibration_facts *facts = &out->facts;
    *out = (struct calibration){ 0 };
    if (!json_is_object(object))
        return error_set(error, EXIT_USAGE, "It holds no measurements.");
    read_word(object, "device", facts->device, sizeof facts->device);
    read_word(object, "driver", facts->driver, sizeof facts->driver);
    read_word(object, "date", out->date, sizeof out->date);
    facts->target = (int)json_integer_value(json_object_get(object, "target"));
    facts->sms = (int)json_integer_value(json_object_get(object, "sms"));
    facts->l2_bytes = number_at(object, "l2_bytes");
    facts->memory_bytes = number_at(object, "memory_bytes");
    return calibration_facts_right(facts, error) && read_times(json_object_get(object, "times"), out, error);
}

void calibration_key(const char *device, char *out, size_t size)
{
    static const char *const makers[] = { "NVIDIA ", "GeForce ", "Tesla ", "Quadro " };
    size_t length = 0;
    for (size_t i = 0; i < sizeof makers / sizeof *makers; i++)
        if (string_starts(device, makers[i]))
            device += strlen(makers[i]);
    for (; *device && length + 1 < size; device++) {
        if (isalnum((unsigned char)*device))
            out[length++] = (char)tolower((unsigned char)*device);
        else if (length && out[length - 1] != '-')
            out[length++] = '-';
    }
    while (length && out[length - 1] == '-')
        length--;
    format_into(out + length, size - length, "%s", length ? "" : "gpu");
}
