// Loads, stores, atomics and exchanges between lanes, in small pieces of PTX that one warp runs.
// Parts: wide baseline
#include "engine/sim/sim.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { WORDS = 64 };
struct board {                                         // what a piece of PTX works on
    uint32_t out[WORDS] __attribute__((aligned(256))); // %rd3 points to the lane's own word
    uint64_t mem[WORDS] __attribute__((aligned(256))); // %rd4 points to the first
    struct sim_result result;
};

static const char *const frame =
    ".version 8.3\n.target sm_90\n.address_size 64\n"
    ".visible .entry k(.param .u64 k_0, .param .u64 k_1)\n{\n"
    ".reg .pred %%p<9>;\n.reg .b16 %%h<9>;\n.reg .b32 %%r<20>;\n.reg .f32 %%f<9>;\n.reg .f64 %%fd<9>;\n"
    ".reg .b64 %%rd<20>;\n.shared .align 16 .b8 s[1024];\n.local .align 16 .b8 l[64];\n"
    "ld.param.u64 %%rd1, [k_0];\nld.param.u64 %%rd4, [k_1];\nmov.u32 %%r1, %%tid.x;\n"
    "mul.wide.u32 %%rd2, %%r1, 4;\nadd.s64 %%rd3, %%rd1, %%rd2;\ncvt.u64.u32 %%rd5, %%r1;\nmov.u32 %%r9, 0;\n"
    "%s\nst.global.u32 [%%rd3], %%r9;\nret;\n}\n";

static void board_run(struct board *board, const char *body, int threads)
{
    char ptx[4096];
    snprintf(ptx, sizeof ptx, frame, body);
    struct sim_fault fault = { 0 };
    struct sim_module *module;
    if (!sim_module_read(ptx, strlen(ptx), &module, &fault))
        fail_msg("line %d: %s", fault.line, fault.text);
    struct sim_memory *memory = sim_memory_new();
    const sim_address out = sim_memory_add(memory, "out", board->out, sizeof board->out, 4, SIM_INOUT);
    const sim_address mem = sim_memory_add(memory, "mem", board->mem, sizeof board->mem, 4, SIM_INOUT);
    const struct sim_argument arguments[] = { { &out, sizeof out }, { &mem, sizeof mem } };
    const struct sim_launch launch = {
        .grid = { 1, 1, 1 }, .block = { 32, 1, 1 }, .arguments = arguments, .argument_count = 2
    };
    const struct sim_options options = { .check = SIM_CHECK_COUNTERS, .threads = threads };
    if (!sim_run(module, memory, &launch, &options, &board->result, &fault))
        fail_msg("%s", fault.text);
    sim_memory_free(memory);
    sim_module_free(module);
}

static void board_clear(struct board *board)
{
    memset(board, 0, sizeof *board);
}

static void expect_clean(struct board *board, const char *body)
{
    if (board->result.finding_count)
        fail_msg("%s\n%s", body, board->result.findings[0].sentence);
    sim_result_free(&board->result);
}

// ---- loads and stores ---------------------------------------------------------------------------------------------------

// `body` leaves in %r9 what it says of lane i.
struct piece {
    const char *body;
    uint32_t lane0, lane1, lane31;
};

static void run_pieces(const struct piece *pieces, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct board board;
        board_clear(&board);
        for (int k = 0; k < WORDS; k++)
            board.mem[k] = 0x8182838485868788ull + (uint64_t)k;
        board_run(&board, pieces[i].body, 1);
        expect_clean(&board, pieces[i].body);
        if (board.out[0] != pieces[i].lane0 || board.out[1] != pieces[i].lane1 ||
            board.out[31] != pieces[i].lane31)
            fail_msg("%s\n%x %x %x, wanted %x %x %x", pieces[i].body, board.out[0], board.out[1],
                     board.out[31], pieces[i].lane0, pieces[i].lane1, pieces[i].lane31);
    }
}
#define RUN(pieces) run_pieces(pieces, sizeof(pieces) / sizeof *(pieces))

static void loads_widen_as_their_type_says(void **state)
{
    (void)state;
    static const struct piece pieces[] = {
        { "ld.global.u8 %r9, [%rd4];", 0x88, 0x88, 0x88 },
        { "ld.global.s8 %r9, [%rd4];", 0xffffff88, 0xffffff88, 0xffffff88 },
        { "ld.global.s8 %h1, [%rd4];\ncvt.u32.u16 %r9, %h1;", 0xff88, 0xff88, 0xff88 },
        { "ld.global.s16 %r9, [%rd4+2];", 0xffff8586, 0xffff8586, 0xffff8586 },
        { "ld.global.u16 %h1, [%rd4+6];\ncvt.u32.u16 %r9, %h1;", 0x8182, 0x8182, 0x8182 },
        { "ld.global.s32 %rd6, [%rd4];\nshr.u64 %rd6, %rd6, 32;\ncvt.u32.u64 %r9, %rd6;", ~0u, ~0u, ~0u },
        { "ld.global.u32 %rd6, [%rd4];\nshr.u64 %rd6, %rd6, 32;\ncvt.u32.u64 %r9, %rd6;", 0, 0, 0 },
        { "ld.global.s8 %rd6, [%rd4];\ncvt.u32.u64 %r9, %rd6;", 0xffffff88, 0xffffff88, 0xffffff88 },
        { "shl.b64 %rd6, %rd5, 3;\nadd.s64 %rd6, %rd4, %rd6;\nld.global.nc.L1::no_allocate.u64 %rd7, "
          "[%rd6];\n"
          "cvt.u32.u64 %r9, %rd7;",
          0x85868788, 0x85868789, 0x858687a7 },
        { "add.s64 %rd6, %rd4, %rd5;\nld.volatile.global.u8 %r9, [%rd6+1];", 0x87, 0x86, 0x8c },
        { "shl.b64 %rd6, %rd5, 3;\nadd.s64 %rd6, %rd4, %rd6;\nld.relaxed.gpu.global.v2.u32 {%r9, %r8}, "
          "[%rd6];",
          0x85868788, 0x85868789, 0x858687a7 },
        { "ld.global.v4.u8 {%h1, %h2, %h3, %h4}, [%rd4];\ncvt.u32.u16 %r9, %h4;", 0x85, 0x85, 0x85 },
        { "ld.global.v4.u32 {_, %r9, _, _}, [%rd4];", 0x81828384, 0x81828384, 0x81828384 },
        { "ldu.global.u32 %r9, [%rd4+8];", 0x85868789, 0x85868789, 0x85868789 },
        { "prefetch.global.L2 [%rd4];\napplypriority.global.L2::evict_normal [%rd4], 128;", 0, 0, 0 },
    };
    RUN(pieces);
}

static void stores_and_loads_meet_in_every_space(void **state)
{
    (void)state;
    static const struct piece pieces[] = {
        { "mov.u32 %r2, s;\nshl.b32 %r3, %r1, 2;\nadd.s32 %r2, %r2, %r3;\nst.shared.u32 [%r2], %r1;\n"
          "mov.u32 %r4, s;\nxor.b32 %r3, %r3, 4;\nadd.s32 %r4, %r4, %r3;\nld.shared.u32 %r9, [%r4];",
          1, 0, 30 },
        { "st.shared.u16 [s+6], 4660;\nld.shared.u8 %r9, [s+7];", 0x12, 0x12, 0x12 },
        { "mov.u32 %r2, s;\nshl.b32 %r3, %r1, 4;\nadd.s32 %r2, %r2, %r3;\nst.shared.v4.u32 [%r2], {%r1, 5, "
          "6, 7};\n"
          "ld.shared.v2.u64 {%rd6, %rd7}, [%r2];\nshr.u64 %rd6, %rd6, 32;\ncvt.u32.u64 %r9, %rd6;",
          5, 5, 5 },
        { "mov.u64 %rd6, l;\nst.local.u32 [%rd6+4], %r1;\ncvta.local.u64 %rd7, %rd6;\nld.u32 %r9, [%rd7+4];",
          0, 1, 31 },
        // Even lanes store to shared memory and odd ones to global memory, by one instruction.
        { "mov.u64 %rd6, s;\ncvta.shared.u64 %rd6, %rd6;\nadd.s64 %rd6, %rd6, %rd2;\nadd.s64 %rd7, %rd4, "
          "%rd2;\n"
          "and.b32 %r2, %r1, 1;\nsetp.eq.u32 %p1, %r2, 0;\nselp.b64 %rd8, %rd6, %rd7, %p1;\nst.u32 [%rd8], "
          "%r1;\n"
          "ld.u32 %r9, [%rd8];",
          0, 1, 31 },
        { "mov.u32 %r2, s;\nshl.b32 %r3, %r1, 3;\nadd.s32 %r2, %r2, %r3;\n"
          "shl.b64 %rd6, %rd5, 3;\nadd.s64 %rd6, %rd4, %rd6;\n"
          "cp.async.ca.shared.global [%r2], [%rd6], 8;\ncp.async.commit_group;\ncp.async.wait_group 0;\n"
          "ld.shared.u32 %r9, [%r2];",
          0x85868788, 0x85868789, 0x858687a7 },
        { "mov.u32 %r2, s;\nshl.b32 %r3, %r1, 3;\nadd.s32 %r2, %r2, %r3;\n"
          "cp.async.ca.shared.global [%r2], [%rd4], 8, 2;\ncp.async.wait_all;\nld.shared.u32 %r9, [%r2];",
          0x8788, 0x8788, 0x8788 },
    };
    RUN(pieces);
}

// The taps of a stencil: the lanes that would reach in front of shared memory leave the load out, in each turn of a loop.
static void lanes_that_are_off_may_point_below_the_start(void **state)
{
    (void)state;
    static const struct piece pieces[] = {
        { "mov.u32 %r2, s;\nshl.b32 %r3, %r1, 2;\nadd.s32 %r2, %r2, %r3;\nst.shared.u32 [%r2], %r1;\n"
          "add.s32 %r2, %r2, -8;\nmov.u32 %r4, 0;\nsetp.gt.u32 %p1, %r1, 1;\n"
          "LOOP:\n@%p1 ld.shared.u32 %r5, [%r2];\n@%p1 add.s32 %r9, %r9, %r5;\n"
          "add.s32 %r4, %r4, 1;\nsetp.lt.u32 %p2, %r4, 5;\n@%p2 bra LOOP;",
          0, 0, 5 * 29 },
    };
    RUN(pieces);
}

// A register of 32 bits may hold any number in a lane that is off, half its range away from the others.
static void lanes_that_are_off_may_point_anywhere(void **state)
{
    (void)state;
    static const struct piece pieces[] = {
        { "mov.u32 %r2, s;\nshl.b32 %r3, %r1, 2;\nadd.s32 %r2, %r2, %r3;\nst.shared.u32 [%r2], %r1;\n"
          "mov.u32 %r4, 0;\nsetp.gt.u32 %p1, %r1, 1;\n@!%p1 add.u32 %r2, %r2, -2147483648;\n"
          "LOOP:\n@%p1 ld.shared.u32 %r5, [%r2];\n@%p1 add.s32 %r9, %r9, %r5;\n"
          "add.s32 %r4, %r4, 1;\nsetp.lt.u32 %p2, %r4, 5;\n@%p2 bra LOOP;",
          0, 0, 5 * 31 },
    };
    RUN(pieces);
}

// Words 0 to 63 of shared memory hold their index; %r2 is the address of the lane's own, %r4 counts the rounds of a loop.
#define WORDS_IN_LOOP                                                                                        \
    "mov.u32 %r2, s;\nshl.b32 %r3, %r1, 2;\nadd.s32 %r2, %r2, %r3;\nst.shared.u32 [%r2], %r1;\n"             \
    "add.s32 %r5, %r1, 32;\nst.shared.u32 [%r2+128], %r5;\nmov.u32 %r4, 0;\nand.b32 %r7, %r1, 1;\n"          \
    "shl.b32 %r7, %r7, 2;\nLOOP:\n"

static void loads_by_one_register_follow_it(void **state)
{
    (void)state;
    static const struct piece pieces[] = {
        // the lanes' distances change between the rounds
        { WORDS_IN_LOOP "ld.shared.u32 %r5, [%r2];\nld.shared.u32 %r6, [%r2+4];\nadd.s32 %r9, %r9, %r5;\n"
                        "add.s32 %r9, %r9, %r6;\nadd.s32 %r2, %r2, %r7;\nadd.s32 %r4, %r4, 1;\n"
                        "setp.lt.u32 %p2, %r4, 4;\n@%p2 bra LOOP;",
          4, 24, 264 },
        // some lanes' change between the two loads, but not in the first rounds
        { WORDS_IN_LOOP "setp.gt.u32 %p1, %r4, 1;\nselp.b32 %r8, %r7, 0, %p1;\nld.shared.u32 %r5, [%r2];\n"
                        "add.s32 %r2, %r2, %r8;\nld.shared.u32 %r6, [%r2];\nadd.s32 %r9, %r9, %r5;\n"
                        "add.s32 %r9, %r9, %r6;\nadd.s32 %r4, %r4, 1;\nsetp.lt.u32 %p2, %r4, 4;\n"
                        "@%p2 bra LOOP;",
          0, 12, 252 },
        // a load overwrites its address
        { WORDS_IN_LOOP "ld.shared.u32 %r5, [%r2];\nmov.u32 %r8, %r2;\nld.shared.u32 %r8, [%r8];\n"
                        "shl.b32 %r8, %r8, 2;\nld.shared.u32 %r6, [%r8+4];\nadd.s32 %r9, %r9, %r5;\n"
                        "add.s32 %r9, %r9, %r6;\nadd.s32 %r4, %r4, 1;\nsetp.lt.u32 %p2, %r4, 4;\n"
                        "@%p2 bra LOOP;",
          4, 12, 252 },
        // fewer lanes in each round
        { WORDS_IN_LOOP "ld.shared.u32 %r5, [%r2];\nld.shared.u32 %r6, [%r2+4];\nadd.s32 %r9, %r9, %r5;\n"
                        "add.s32 %r9, %r9, %r6;\nadd.s32 %r4, %r4, 1;\nsetp.le.u32 %p2, %r4, %r1;\n"
                        "@%p2 bra LOOP;",
          1, 6, 32 * 63 },
    };
    RUN(pieces);
}

static void one_instruction_is_counted_in_each_space_it_meets(void **state)
{
    (void)state;
    struct board board;
    board_clear(&board);
    board_run(&board,
              "mov.u64 %rd6, s;\ncvta.shared.u64 %rd6, %rd6;\nadd.s64 %rd6, %rd6, %rd2;\nadd.s64 %rd7, %rd4, "
              "%rd2;\n"
              "setp.lt.u32 %p1, %r1, 16;\nselp.b64 %rd8, %rd6, %rd7, %p1;\nst.u32 [%rd8], %r1;",
              1);
    assert_int_equal(board.result.counters.requests[SIM_SHARED_STORE], 1);
    assert_int_equal(board.result.counters.passes[SIM_SHARED_STORE], 1);
    assert_int_equal(board.result.counters.requests[SIM_GLOBAL_STORE], 2);
    assert_int_equal(board.result.counters.passes[SIM_GLOBAL_STORE], 2 + 4);
    expect_clean(&board, "generic store");
}

static void lanes_that_may_not_are_reported_and_the_others_go_on(void **state)
{
    (void)state;
    static const struct {
        const char *body;
        enum sim_kind kind;
        uint32_t lane0, lane31;
    } bad[] = {
        { "mov.u32 %r9, 9;\nadd.s64 %rd6, %rd4, %rd2;\nld.global.u32 %r9, [%rd6+388];", SIM_OUT_OF_BOUNDS, 7,
          0 },
        { "add.s64 %rd6, %rd4, %rd2;\nld.global.u32 %r9, [%rd6+-8];", SIM_OUT_OF_BOUNDS, 0, 7 },
        { "ld.global.u32 %r9, [%rd4+2];", SIM_MISALIGNED, 0, 0 },
        { "mov.u64 %rd6, 0;\nst.global.u32 [%rd6], %r1;\nmov.u32 %r9, 3;", SIM_OUT_OF_BOUNDS, 3, 3 },
        { "mov.u32 %r2, s;\nshl.b32 %r3, %r1, 5;\nadd.s32 %r2, %r2, %r3;\nst.shared.u32 [%r2+4], 3;\n"
          "ld.shared.u32 %r9, [%r2+36];",
          SIM_OUT_OF_BOUNDS, 3, 0 },
        { "mov.u64 %rd6, l;\nld.local.u32 %r9, [%rd6+64];", SIM_OUT_OF_BOUNDS, 0, 0 },
        { "atom.global.add.u32 %r9, [%rd4+512], 1;", SIM_OUT_OF_BOUNDS, 0, 0 },
        { "mov.u64 %rd6, -4;\nld.u32 %r9, [%rd6];", SIM_OUT_OF_BOUNDS, 0, 0 },
        { "ld.global.v4.u32 {%r9, %r8, %r7, %r6}, [%rd4+504];", SIM_MISALIGNED, 0, 0 },
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct board board;
        board_clear(&board);
        for (int k = 0; k < WORDS; k++)
            board.mem[k] = 7ull << 32 | 7;
        board_run(&board, bad[i].body, 1);
        if (board.result.finding_count != 1 || board.result.findings[0].kind != bad[i].kind)
            fail_msg("%s\n%zu findings: %s", bad[i].body, board.result.finding_count,
                     board.result.finding_count ? board.result.findings[0].sentence : "");
        assert_true(board.result.complete);
        if (board.out[0] != bad[i].lane0 || board.out[31] != bad[i].lane31)
            fail_msg("%s\n%u %u", bad[i].body, board.out[0], board.out[31]);
        sim_result_free(&board.result);
    }
}

// ---- atomics ------------------------------------------------------------------------------------------------------------------

static void atomics_leave_the_sum_of_all_lanes(void **state)
{
    (void)state;
    static const struct {
        const char *body;
        uint64_t before, after;
    } all[] = {
        { "atom.global.add.u32 %r9, [%rd4], %r1;", 4, 500 },
        { "red.global.add.u64 [%rd4], %rd5;", 1ull << 40, (1ull << 40) + 496 },
        { "cvt.rn.f32.u32 %f1, %r1;\nred.global.add.f32 [%rd4], %f1;", 0, 0x43f80000 },
        { "cvt.rn.f64.u32 %fd1, %r1;\natom.add.f64 %fd2, [%rd4], %fd1;", 0, 0x407f000000000000 },
        { "atom.global.min.s32 %r9, [%rd4], -3;", 5, 0xfffffffd },
        { "atom.global.min.u32 %r9, [%rd4], -3;", 5, 5 },
        { "atom.global.max.u64 %rd6, [%rd4], %rd5;", 5, 31 },
        { "red.global.max.s64 [%rd4], -1;", (uint64_t)-9, (uint64_t)-1 },
        { "red.global.and.b32 [%rd4], 12;", 10, 8 },
        { "red.global.or.b64 [%rd4], %rd5;", 1ull << 50, 1ull << 50 | 31 },
        { "red.global.xor.b32 [%rd4], %r1;", 0, 0 },
        { "atom.global.inc.u32 %r9, [%rd4], 9;", 0, 2 },
        { "atom.global.dec.u32 %r9, [%rd4], 9;", 0, 8 },
        { "atom.global.exch.b64 %rd6, [%rd4], %rd5;", 5, 31 },
        { "add.s32 %r2, %r1, 1;\natom.global.cas.b32 %r9, [%rd4], %r1, %r2;", 0, 32 },
        { "mov.b32 %r2, 1006648320;\nred.global.add.noftz.f16x2 [%rd4], %r2;", 0, 0x50005000 }, // 32 times 1
        { "mov.u32 %r2, 1065369472;\natom.global.add.noftz.bf16x2 %r9, [%rd4], %r2;", 0, 0x42004200 },
        { "mov.b16 %h1, 15360;\natom.global.add.noftz.f16 %h2, [%rd4+2], %h1;", 0, 0x50000000 },
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        for (int threads = 1; threads <= 2; threads++) {
            struct board board;
            board_clear(&board);
            board.mem[0] = all[i].before;
            board_run(&board, all[i].body, threads);
            expect_clean(&board, all[i].body);
            if (board.mem[0] != all[i].after)
                fail_msg("%s\n%llx, wanted %llx", all[i].body, (unsigned long long)board.mem[0],
                         (unsigned long long)all[i].after);
        }
}

static void an_offset_leads_into_a_buffer_only_from_beside_it(void **state)
{
    (void)state;
    static const struct {
        const char *body;
        bool inside;
    } ways[] = {
        { "add.s64 %rd6, %rd4, %rd2;\nadd.s64 %rd6, %rd6, 128;\nred.global.add.u32 [%rd6+-128], 1;\n", true },
        { "add.s64 %rd6, %rd4, %rd2;\nsub.s64 %rd6, %rd6, 128;\nred.global.add.u32 [%rd6+128], 1;\n", true },
        { "add.s64 %rd6, %rd4, %rd2;\nadd.s64 %rd6, %rd6, 4294967168;\n"
          "setp.eq.u32 %p1, %r1, 0;\nselp.b64 %rd6, %rd4, %rd6, %p1;\nred.global.add.u32 [%rd6+128], 1;\n",
          false }, // 4 GiB above, but for lane 0, which reaches word 32
        { "add.s64 %rd6, %rd4, %rd2;\nsub.s64 %rd6, %rd6, 128;\nred.global.add.u32 [%rd6+-128], 1;\n",
          false },
    };
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        struct board board;
        uint32_t words[32];
        board_clear(&board);
        board_run(&board, ways[i].body, 1);
        memcpy(words, board.mem, sizeof words);
        for (int lane = 0; lane < 32; lane++)
            assert_int_equal(words[lane], ways[i].inside);
        assert_int_equal(board.result.finding_count, !ways[i].inside);
        sim_result_free(&board.result);
    }
}

static void atomics_give_what_was_there_in_the_order_of_the_lanes(void **state)
{
    (void)state;
    static const struct piece pieces[] = {
        { "atom.global.add.u32 %r9, [%rd4], 2;", 0x85868788, 0x8586878a, 0x858687c6 },
        { "st.shared.u32 [s], 5;\natom.shared.add.u32 %r9, [s], %r1;", 5, 5, 470 },
        { "atom.global.exch.b32 %r9, [%rd4], %r1;", 0x85868788, 0, 30 },
        { "atom.relaxed.gpu.global.cas.b32 %r9, [%rd4], 7, 8;", 0x85868788, 0x85868788, 0x85868788 },
    };
    RUN(pieces);
}

// ---- exchanges ------------------------------------------------------------------------------------------------------------------

static void lanes_exchange_values(void **state)
{
    (void)state;
    static const struct piece pieces[] = {
        { "shfl.sync.down.b32 %r9, %r1, 1, 31, -1;", 1, 2, 31 },
        { "shfl.sync.up.b32 %r9, %r1, 1, 0, -1;", 0, 0, 30 },
        { "shfl.sync.bfly.b32 %r9, %r1, 16, 31, -1;", 16, 17, 15 },
        { "shfl.sync.idx.b32 %r9, %r1, 5, 31, -1;", 5, 5, 5 },
        { "shfl.sync.idx.b32 %r9, %r1, 1, 0x181f, -1;", 1, 1, 25 }, // parts of 8 lanes
        { "shfl.sync.down.b32 %r9|%p1, %r1, 1, 31, -1;\nselp.u32 %r9, %r9, 99, %p1;", 1, 2, 99 },
        { "setp.gt.u32 %p1, %r1, 29;\nvote.sync.ballot.b32 %r9, %p1, -1;", 0xc0000000, 0xc0000000,
          0xc0000000 },
        { "setp.gt.u32 %p1, %r1, 29;\nvote.sync.ballot.b32 %r9, !%p1, -1;", 0x3fffffff, 0x3fffffff,
          0x3fffffff },
        { "setp.gt.u32 %p1, %r1, 29;\nvote.sync.any.pred %p2, %p1, -1;\nselp.u32 %r9, 1, 2, %p2;", 1, 1, 1 },
        { "setp.gt.u32 %p1, %r1, 29;\nvote.sync.all.pred %p2, %p1, -1;\nselp.u32 %r9, 1, 2, %p2;", 2, 2, 2 },
        { "setp.gt.u32 %p1, %r1, 99;\nvote.sync.uni.pred %p2, %p1, -1;\nselp.u32 %r9, 1, 2, %p2;", 1, 1, 1 },
        { "shr.u32 %r2, %r1, 4;\nmatch.any.sync.b32 %r9, %r2, -1;", 0xffff, 0xffff, 0xffff0000 },
        { "match.all.sync.b32 %r9|%p1, %r1, -1;\nselp.u32 %r9, 1, %r9, %p1;", 0, 0, 0 },
        { "match.all.sync.b64 %r9|%p1, %rd4, -1;\nselp.u32 %r9, 1, %r9, %p1;", 1, 1, 1 },
        { "redux.sync.add.u32 %r9, %r1, -1;", 496, 496, 496 },
        { "sub.s32 %r2, 3, %r1;\nredux.sync.min.s32 %r9, %r2, -1;", (uint32_t)-28, (uint32_t)-28,
          (uint32_t)-28 },
        { "redux.sync.xor.b32 %r9, %r1, -1;", 0, 0, 0 },
        { "elect.sync %r9|%p1, -1;\nselp.u32 %r9, 7, 8, %p1;", 7, 8, 8 },
        { "activemask.b32 %r9;", ~0u, ~0u, ~0u },
        // Each half of the warp names itself.
        { "setp.lt.u32 %p1, %r1, 16;\nselp.b32 %r2, 65535, -65536, %p1;\nredux.sync.add.u32 %r9, %r1, %r2;",
          120, 120, 376 },
    };
    RUN(pieces);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads_widen_as_their_type_says),
        cmocka_unit_test(stores_and_loads_meet_in_every_space),
        cmocka_unit_test(lanes_that_are_off_may_point_below_the_start),
        cmocka_unit_test(lanes_that_are_off_may_point_anywhere),
        cmocka_unit_test(loads_by_one_register_follow_it),
        cmocka_unit_test(one_instruction_is_counted_in_each_space_it_meets),
        cmocka_unit_test(lanes_that_may_not_are_reported_and_the_others_go_on),
        cmocka_unit_test(atomics_leave_the_sum_of_all_lanes),
        cmocka_unit_test(an_offset_leads_into_a_buffer_only_from_beside_it),
        cmocka_unit_test(atomics_give_what_was_there_in_the_order_of_the_lanes),
        cmocka_unit_test(lanes_exchange_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
