// engine/compile/occupancy.c: known cases, and NVIDIA's own calculator as the oracle where it is installed.
#include "engine/compile/compile.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#if __has_include(<cuda_occupancy.h>)
#include <cuda_occupancy.h>
#define ORACLE 1
#else
#define ORACLE 0
#endif

static void known_launches(void **state)
{
    static const struct {
        int target, threads, registers, shared, blocks, warps;
        enum limiter limiter;
    } cases[] = {
        { 90, 256, 32, 0, 8, 64, LIMIT_NONE },          // 8 blocks of 8 warps fill the SM
        { 90, 768, 32, 0, 2, 48, LIMIT_THREADS },       // 3 blocks would be 2304 threads
        { 90, 32, 32, 0, 32, 32, LIMIT_BLOCKS },        // 32 blocks of one warp
        { 90, 256, 64, 0, 4, 32, LIMIT_REGISTERS },     // 65536 / (64 * 256)
        { 90, 256, 33, 0, 6, 48, LIMIT_REGISTERS },     // 33 become 40
        { 90, 256, 32, 48 << 10, 4, 32, LIMIT_SHARED }, // 228 KiB / (48 + 1)
        { 90, 256, -1, 0, 8, 64, LIMIT_NONE },          // unknown registers do not limit
        { 70, 256, 32, 0, 8, 64, LIMIT_NONE },
        { 70, 256, 32, 48 << 10, 2, 16, LIMIT_SHARED }, // 96 KiB, nothing kept
        { 70, 256, 32, 97 << 10, 0, 0, LIMIT_SHARED },
        { 72, 32, 32, 0, 32, 32, LIMIT_BLOCKS },
        { 75, 256, 32, 0, 4, 32, LIMIT_NONE }, // 1024 threads
        { 75, 1024, 64, 0, 1, 32, LIMIT_NONE },
        { 75, 64, 32, 0, 16, 32, LIMIT_NONE },
        { 86, 1024, 32, 0, 1, 32, LIMIT_THREADS },  // 1536 threads
        { 80, 1024, 65, 0, 0, 0, LIMIT_REGISTERS }, // one block alone needs more than there is
        { 80, 128, 256, 0, 0, 0, LIMIT_REGISTERS },
        { 80, 128, 32, 164 << 10, 0, 0, LIMIT_SHARED },
        { 80, 128, 32, 163 << 10, 1, 4, LIMIT_SHARED },
        { 80, 0, 32, 0, 0, 0, LIMIT_THREADS },
        { 80, 1025, 32, 0, 0, 0, LIMIT_THREADS },
        { 80, 33, 16, 0, 32, 64, LIMIT_NONE }, // a started warp is a warp
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct arch *arch = occupancy_arch(cases[i].target);
        struct occupancy o = occupancy_of(arch, cases[i].threads, cases[i].registers, cases[i].shared);
        if (o.blocks != cases[i].blocks || o.warps != cases[i].warps || o.limiter != cases[i].limiter)
            fail_msg("case %zu: %d blocks, %d warps, limited by %s", i, o.blocks, o.warps,
                     occupancy_limiter_name(o.limiter));
        assert_true(fabs(o.percent - 100.0 * o.warps * 32 / arch->max_threads) < 1e-9);
    }
}

static void the_row_of_a_target(void **state)
{
    static const int targets[] = { 70, 72, 75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121 };
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
        assert_non_null(occupancy_arch(targets[i]));
        assert_int_equal(occupancy_arch(targets[i])->target, targets[i]);
    }
    assert_null(occupancy_arch(61));
    assert_int_equal(occupancy_arch(71)->target, 70);
    assert_null(occupancy_arch(0));
    assert_int_equal(occupancy_arch(101)->target, 100);
    assert_int_equal(occupancy_arch(200)->target, 121);
}

static void limiters_have_names(void **state)
{
    assert_string_equal(occupancy_limiter_name(LIMIT_REGISTERS), "registers");
    assert_string_equal(occupancy_limiter_name(LIMIT_SHARED), "shared memory");
    assert_string_equal(occupancy_limiter_name(LIMIT_NONE), "nothing");
}

#if ORACLE
static int oracle_blocks(const struct arch *arch, int threads, int registers, int shared)
{
    struct cudaOccDeviceProp device = { .computeMajor = arch->target / 10,
                                        .computeMinor = arch->target % 10,
                                        .maxThreadsPerBlock = 1024,
                                        .maxThreadsPerMultiprocessor = arch->max_threads,
                                        .regsPerBlock = arch->registers,
                                        .regsPerMultiprocessor = arch->registers,
                                        .warpSize = 32,
                                        .sharedMemPerBlock = 48 << 10,
                                        .sharedMemPerMultiprocessor = (size_t)arch->shared_sm,
                                        .numSms = 1,
                                        .sharedMemPerBlockOptin = (size_t)arch->shared_block,
                                        .reservedSharedMemPerBlock = (size_t)arch->shared_reserved };
    struct cudaOccFuncAttributes function = { .maxThreadsPerBlock = 1024,
                                              .numRegs = registers,
                                              .sharedSizeBytes = 0,
                                              .partitionedGCConfig = PARTITIONED_GC_OFF,
                                              .shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN,
                                              .maxDynamicSharedSizeBytes = (size_t)arch->shared_block,
                                              .numBlockBarriers = 1 };
    struct cudaOccDeviceState device_state = { .cacheConfig = CACHE_PREFER_SHARED, .carveoutConfig = 100 };
    cudaOccResult result;
    if (cudaOccMaxActiveBlocksPerMultiprocessor(&result, &device, &function, &device_state, threads,
                                                (size_t)shared) != CUDA_OCC_SUCCESS)
        return -1;
    return result.activeBlocksPerMultiprocessor;
}

static void every_launch_as_the_oracle_says(void **state)
{
    static const int targets[] = { 70, 72, 75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121 };
    long points = 0;
    for (size_t t = 0; t < sizeof targets / sizeof *targets; t++) {
        const struct arch *arch = occupancy_arch(targets[t]);
        for (int threads = 1; threads <= 1024; threads += threads < 70 ? 3 : 31)
            for (int registers = 1; registers <= 255; registers += 3)
                for (int shared = 0; shared <= arch->shared_block; shared += 1 + arch->shared_block / 24) {
                    int want = oracle_blocks(arch, threads, registers, shared);
                    int got = occupancy_of(arch, threads, registers, shared).blocks;
                    points++;
                    if (got != want)
                        fail_msg("sm_%d, %d threads, %d registers, %d bytes: %d blocks, the oracle says %d",
                                 arch->target, threads, registers, shared, got, want);
                }
    }
    assert_true(points > 500000);
}
#else
static void every_launch_as_the_oracle_says(void **state)
{
    print_message("skipped: cuda_occupancy.h of the CUDA Toolkit is not here\n");
    skip();
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_launches),
        cmocka_unit_test(the_row_of_a_target),
        cmocka_unit_test(limiters_have_names),
        cmocka_unit_test(every_launch_as_the_oracle_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
