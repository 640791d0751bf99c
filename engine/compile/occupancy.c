// How many blocks of a launch fit on one SM at a time. Four things are handed out to blocks: room for threads,
// room for blocks, registers and shared memory; the scarcest decides.
#include "engine/compile/compile.h"

#include <limits.h>

enum {
    WARP = 32,
    MOST_BLOCK_THREADS = 1024,
    MOST_REGISTERS = 255, // per thread
    REGISTER_STEP = 256,  // registers are handed out to a warp in this step
    PARTITIONS = 4,       // an SM's registers and warps lie in this many parts
    KIB = 1024
};

// The shared memory of an SM less what one block can have is what the system keeps for itself per block.
static const struct arch archs[] = {
    // target, threads, blocks, shared per SM, per block, kept, step, registers
    { 70, 2048, 32, 96 * KIB, 96 * KIB, 0, 256, 65536 },
    { 72, 2048, 32, 96 * KIB, 96 * KIB, 0, 256, 65536 },
    { 75, 1024, 16, 64 * KIB, 64 * KIB, 0, 256, 65536 },
    { 80, 2048, 32, 164 * KIB, 163 * KIB, KIB, 128, 65536 },
    { 86, 1536, 16, 100 * KIB, 99 * KIB, KIB, 128, 65536 },
    { 87, 1536, 16, 164 * KIB, 163 * KIB, KIB, 128, 65536 },
    { 88, 1536, 16, 100 * KIB, 99 * KIB, KIB, 128, 65536 },
    { 89, 1536, 24, 100 * KIB, 99 * KIB, KIB, 128, 65536 },
    { 90, 2048, 32, 228 * KIB, 227 * KIB, KIB, 128, 65536 },
    { 100, 2048, 32, 228 * KIB, 227 * KIB, KIB, 128, 65536 },
    { 103, 2048, 32, 228 * KIB, 227 * KIB, KIB, 128, 65536 },
    { 110, 1536, 24, 228 * KIB, 227 * KIB, KIB, 128, 65536 },
    { 120, 1536, 24, 100 * KIB, 99 * KIB, KIB, 128, 65536 },
    { 121, 1536, 24, 100 * KIB, 99 * KIB, KIB, 128, 65536 },
};

const struct arch *occupancy_arch(int target)
{
    const struct arch *found = NULL;
    for (size_t i = 0; i < sizeof archs / sizeof *archs && archs[i].target <= target; i++)
        found = &archs[i];
    return found;
}

static int round_up(int value, int step)
{
    return (value + step - 1) / step * step;
}

static int blocks_by_registers(const struct arch *arch, int warps, int registers)
{
    if (registers <= 0)
        return INT_MAX;
    if (registers > MOST_REGISTERS)
        return 0;
    int per_warp = round_up(registers * WARP, REGISTER_STEP);
    return arch->registers / PARTITIONS / per_warp * PARTITIONS / warps;
}

static int blocks_by_shared(const struct arch *arch, int shared_bytes)
{
    if (shared_bytes > arch->shared_block)
        return 0;
    int taken = round_up(shared_bytes + arch->shared_reserved, arch->shared_step);
    return taken > 0 ? arch->shared_sm / taken : INT_MAX;
}

struct occupancy occupancy_of(const struct arch *arch, int block_threads, int registers, int shared_bytes)
{
    if (block_threads < 1 || block_threads > MOST_BLOCK_THREADS || shared_bytes < 0)
        return (struct occupancy){ .limiter = LIMIT_THREADS };
    int warps = (block_threads + WARP - 1) / WARP, full = arch->max_threads / WARP;
    const int limits[] = { [LIMIT_NONE] = INT_MAX,
                           [LIMIT_THREADS] = full / warps,
                           [LIMIT_BLOCKS] = arch->max_blocks,
                           [LIMIT_REGISTERS] = blocks_by_registers(arch, warps, registers),
                           [LIMIT_SHARED] = blocks_by_shared(arch, shared_bytes) };
    struct occupancy result = { .blocks = INT_MAX };
    for (int i = LIMIT_THREADS; i <= LIMIT_SHARED; i++)
        if (limits[i] < result.blocks) {
            result.blocks = limits[i];
            result.limiter = (enum limiter)i;
        }
    result.warps = result.blocks * warps;
    result.percent = 100.0 * result.warps / full;
    if (result.warps == full)
        result.limiter = LIMIT_NONE;
    return result;
}

const char *occupancy_limiter_name(enum limiter limiter)
{
    switch (limiter) {
    case LIMIT_THREADS:
        return "threads";
    case LIMIT_BLOCKS:
        return "blocks";
    case LIMIT_REGISTERS:
        return "registers";
    case LIMIT_SHARED:
        return "shared memory";
    default:
        return "nothing";
    }
}
