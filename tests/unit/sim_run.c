// Launches: shapes, limits, what stops one, what kernels print, order and host threads.
// Parts: wide baseline
#include "tests/unit/sim_kernel.h"

static struct kernel_outcome outcome; // large

// ---- shapes ------------------------------------------------------------------------------------------------------

static void threads_know_where_they_are(void **state)
{
    // word = tid.x + 16 tid.y + 256 tid.z + 4096 ctaid.y + 65536 nctaid.z, at the thread's linear number
    struct setting s = {
        .body =
            "mov.u32 %r4, %tid.y; mov.u32 %r5, %tid.z; mov.u32 %r6, %ctaid.y; mov.u32 %r7, %nctaid.z;\n"
            "mov.u32 %r8, %ntid.y; mad.lo.u32 %r9, %r5, %r8, %r4; mad.lo.u32 %r9, %r9, %r2, %r0;\n"
            "mad.lo.u32 %r10, %r6, 60, %r9; mul.wide.u32 %rd3, %r10, 4; add.u64 %rd3, %rd1, %rd3;\n"
            "shl.b32 %r4, %r4, 4; shl.b32 %r5, %r5, 8; shl.b32 %r6, %r6, 12; shl.b32 %r7, %r7, 16;\n"
            "add.u32 %r0, %r0, %r4; add.u32 %r0, %r0, %r5; add.u32 %r0, %r0, %r6; add.u32 %r0, %r0, %r7;\n"
            "st.global.u32 [%rd3], %r0; ret;",
        .grid = { 1, 2, 3 },
        .block = { 3, 4, 5 }
    };
    run(&s, &outcome);
    expect_clean(&outcome);
    for (uint32_t by = 0; by < 2; by++)
        for (uint32_t i = 0; i < 60; i++)
            assert_int_equal(outcome.words[by * 60 + i],
                             i % 3 + (i / 3 % 4) * 16 + (i / 12) * 256 + by * 4096 + 3 * 65536);
    // 60 threads are a full warp and one of 28 lanes
    assert_int_equal(outcome.result.counters.requests[SIM_GLOBAL_STORE], 12);
    assert_int_equal(outcome.result.counters.thread_inst, 60 * outcome.result.counters.warp_inst / 2);
    drop(&outcome);
}

static void launches_that_cannot_be_are_refused(void **state)
{
    struct sim_module *module = read_module(".version 8.0\n.target sm_75\n.address_size 64\n"
                                            ".visible .entry k()\n.maxntid 64, 1, 1\n{\nret;\n}\n");
    struct sim_memory *memory = sim_memory_new();
    struct {
        uint32_t grid[3], block[3], shared;
        int kernel;
    } bad[] = {
        { { 0, 1, 1 }, { 32, 1, 1 }, 0, 0 },  { { 1, 1, 1 }, { 1025, 1, 1 }, 0, 0 },
        { { 1, 1, 1 }, { 8, 1, 65 }, 0, 0 },  { { 1, 65536, 1 }, { 32, 1, 1 }, 0, 0 },
        { { 1, 1, 1 }, { 128, 1, 1 }, 0, 0 }, { { 1, 1, 1 }, { 32, 1, 1 }, 1 << 20, 0 },
        { { 1, 1, 1 }, { 32, 1, 1 }, 0, 1 },  { { 1, 1, 1 }, { 32, 1, 1 }, 0, -1 },
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct sim_launch launch = { .kernel = bad[i].kernel, .shared_bytes = bad[i].shared };
        struct sim_options options = { .check = SIM_CHECK_COUNTERS };
        struct sim_result result;
        struct sim_fault fault = { 0 };
        memcpy(launch.grid, bad[i].grid, sizeof launch.grid);
        memcpy(launch.block, bad[i].block, sizeof launch.block);
        assert_false(sim_run(module, memory, &launch, &options, &result, &fault));
        assert_true(strlen(fault.text) > 10);
    }
    sim_memory_free(memory);
    sim_module_free(module);
}

static void kernels_have_no_more_memory_than_a_gpu(void **state)
{
    static const struct {
        const char *variable, *trouble; // NULL: it runs
    } kernels[] = {
        { ".shared .align 4 .b8 s[49152];", NULL },
        { ".shared .align 4 .b8 s[49156];", "has 49156 bytes of static shared memory; at most 49152" },
        { ".local .align 4 .b8 d[524288];", NULL },
        { ".local .align 4 .b8 d[800000];",
          "wants 800000 bytes of local memory; a GPU gives it at most 524288" },
        { ".local .align 4 .b8 d[4000000000];", "wants 4000000000 bytes of local memory" },
    };
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        char text[256];
        snprintf(text, sizeof text, "%s.visible .entry k()\n{\n%s\nret;\n}\n", head, kernels[i].variable);
        struct sim_module *module = read_module(text);
        struct sim_memory *memory = sim_memory_new();
        struct sim_launch launch = { .grid = { 1, 1, 1 }, .block = { 32, 1, 1 } };
        struct sim_options options = { .check = SIM_CHECK_ALL };
        struct sim_result result;
        struct sim_fault fault = { 0 };
        bool runs = sim_run(module, memory, &launch, &options, &result, &fault);
        assert_int_equal(runs, !kernels[i].trouble);
        if (kernels[i].trouble)
            assert_non_null(strstr(fault.text, kernels[i].trouble));
        assert_int_equal(result.finding_count, 0);
        sim_result_free(&result);
        sim_memory_free(memory);
        sim_module_free(module);
    }
}

static void kernels_are_found_by_their_names(void **state)
{
    struct sim_module *module =
        read_module(".version 8.0\n.target sm_75\n.address_size 64\n.func f()\n{\nret;\n}\n"
                    ".visible .entry _Z5saxpyPf()\n{\nret;\n}\n"
                    ".visible .entry _ZN3lab4workEv()\n{\nret;\n}\n.visible .entry plain()\n{\nret;\n}\n");
    const struct sim_kernels *kernels = sim_module_kernels(module);
    assert_int_equal(kernels->count, 3);
    assert_int_equal(sim_kernel_find(module, "_Z5saxpyPf"), 0);
    assert_int_equal(sim_kernel_find(module, "_ZN3lab4workEv"), 1);
    assert_int_equal(sim_kernel_find(module, "plain"), 2);
    assert_int_equal(sim_kernel_find(module, "plai"), -1);
    assert_int_equal(sim_kernel_find(module, "f"), -1); // no kernel
    assert_string_equal(kernels->all[1].name, "_ZN3lab4workEv");
    sim_module_free(module);
}

// ---- what never ends ---------------------------------------------------------------------------------------------------

static void a_loop_without_end_is_found(void **state)
{
    struct setting s = { .body = "LOOP: bra.uni LOOP;", .grid = { 100 }, .block = { 64 } };
    run(&s, &outcome);
    expect_finding(&outcome, SIM_ENDLESS, SIM_ERROR);
    assert_false(outcome.result.complete);
    drop(&outcome);
    s.body = "mov.u32 %r4, 0;\nLOOP: add.u32 %r4, %r4, 1; bra.uni LOOP;";
    s.options.instruction_limit = 2000000;
    run(&s, &outcome);
    expect_finding(&outcome, SIM_OTHER, SIM_ERROR); // it may end after more turns
    assert_non_null(
        strstr(outcome.result.findings[0].sentence, "too much work for the simulator, or a loop"));
    assert_true(outcome.result.counters.warp_inst < 4000000);
    drop(&outcome);
}

static void a_lock_inside_a_warp_needs_independent_scheduling(void **state)
{
    struct setting s = {
        .body = "TRY: atom.global.cas.b32 %r4, [%rd1], 0, 1; setp.ne.u32 %p1, %r4, 0;\n@%p1 bra TRY;\n"
                "atom.global.exch.b32 %r5, [%rd1], 0; ret;",
        .block = { 32 }
    };
    run(&s, &outcome);
    expect_finding(&outcome, SIM_DEADLOCK, SIM_ERROR);
    assert_false(outcome.result.complete);
    drop(&outcome);
}

// Two sides of one branch: the one that runs first waits for what the other one writes.
static void a_side_that_spins_lets_the_other_side_run(void **state)
{
    struct setting s = {
        .body = "setp.eq.u32 %p1, %r0, 5;\n@%p1 bra WRITE;\nSPIN: ld.volatile.global.u32 %r4, [%rd1];\n"
                "setp.eq.u32 %p2, %r4, 0;\n@%p2 bra SPIN;\nbra.uni MEET;\n"
                "WRITE: st.volatile.global.u32 [%rd1], 9;\nMEET: st.global.u32 [%rd0+128], 4; ret;",
        .block = { 32 }
    };
    run(&s, &outcome);
    expect_clean(&outcome);
    assert_int_equal(outcome.words[0], 9);
    assert_int_equal(outcome.words[40], 4);
    drop(&outcome);
}

static void a_warp_may_wait_for_another_warp(void **state)
{
    struct setting s = {
        .body = "setp.ge.u32 %p1, %r0, 32;\n@%p1 bra WRITE;\nSPIN: ld.volatile.global.u32 %r4, [%rd1];\n"
                "setp.eq.u32 %p2, %r4, 0;\n@%p2 bra SPIN;\nst.global.u32 [%rd0+256], %r4; ret;\n"
                "WRITE: st.volatile.global.u32 [%rd1], 9; ret;",
        .block = { 64 }
    };
    run(&s, &outcome);
    expect_clean(&outcome);
    assert_int_equal(outcome.words[64], 9);
    drop(&outcome);
}

// The writer ends in the round of turns in which the other warp has already looked at the flag and gone on spinning.
static void a_warp_may_wait_for_long_work_of_another_warp(void **state)
{
    struct setting s = {
        .body = "setp.ge.u32 %p1, %r0, 32;\n@%p1 bra WORK;\nSPIN: ld.volatile.global.u32 %r4, [%rd1];\n"
                "setp.eq.u32 %p2, %r4, 0;\n@%p2 bra SPIN;\nst.global.u32 [%rd0+256], %r4; ret;\n"
                "WORK: mov.u32 %r4, 0;\nLOOP: add.u32 %r4, %r4, 1; setp.lt.u32 %p2, %r4, 500000;\n"
                "@%p2 bra LOOP;\nst.volatile.global.u32 [%rd1], 9; ret;",
        .block = { 64 }
    };
    for (uint64_t seed = 0; seed < 4; seed++) {
        s.options.seed = seed;
        run(&s, &outcome);
        expect_clean(&outcome);
        assert_int_equal(outcome.words[64], 9);
        drop(&outcome);
    }
}

static void time_is_limited(void **state)
{
    struct setting s = { .body = "mov.u32 %r4, 0;\nLOOP: add.u32 %r4, %r4, 1; bra.uni LOOP;",
                         .block = { 32 },
                         .options = { .limit_ms = 1 } };
    run(&s, &outcome);
    expect_finding(&outcome, SIM_OTHER, SIM_ERROR);
    assert_non_null(strstr(outcome.result.findings[0].sentence, "was stopped after 1 ms"));
    drop(&outcome);
}

// ---- what stops a launch, what is printed ----------------------------------------------------------------------------

static void an_unknown_instruction_is_named_when_it_is_reached(void **state)
{
    struct setting s = { .body = "setp.eq.u32 %p1, %r31, 0;\n@%p1 bra OVER;\nfrobnicate.u32 %r4, %r4;\n"
                                 "OVER: st.global.u32 [%rd0], 3; ret;",
                         .block = { 32 } };
    run(&s, &outcome);
    expect_clean(&outcome);
    assert_int_equal(outcome.words[31], 3);
    drop(&outcome);
    s.number = 1;
    run(&s, &outcome);
    const struct sim_finding *found = expect_finding(&outcome, SIM_UNKNOWN, SIM_ERROR);
    assert_non_null(strstr(found->sentence, "frobnicate.u32 %r4, %r4"));
    assert_int_equal(found->here.ptx_line, 19);
    assert_false(outcome.result.complete);
    drop(&outcome);
}

static void a_trap_stops_the_launch(void **state)
{
    struct setting s = { .body = "setp.eq.u32 %p1, %r3, 70;\n@%p1 trap;\nret;",
                         .grid = { 4 },
                         .block = { 32 } };
    run(&s, &outcome);
    const struct sim_finding *found = expect_finding(&outcome, SIM_TRAP, SIM_ERROR);
    assert_int_equal(found->here.block[0], 2);
    assert_int_equal(found->here.thread[0], 6);
    assert_false(outcome.result.complete);
    drop(&outcome);
}

static const char printf_before[] =
    ".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n"
    ".global .align 1 .b8 form[64] = "
    "{98,61,37,100,32,120,61,37,46,50,102,32,37,53,115,124,37,45,52,117,124,37,108,108,120,"
    "37,37,10}; // b=%d x=%.2f %5s|%-4u|%llx%%\n"
    ".global .align 1 .b8 word[4] = {97,98,99};\n";

static void kernels_print_in_the_order_of_blocks(void **state)
{
    struct setting s = { .before = printf_before,
                         .body = ".local .align 8 .b8 list[40];\n.reg .f64 %fd<2>;\nmov.u64 %rd3, list; "
                                 "cvta.local.u64 %rd4, %rd3;\n"
                                 "neg.s32 %r4, %r1; st.local.u32 [%rd3], %r4; cvt.rn.f64.u32 %fd1, %r1; "
                                 "st.local.f64 [%rd3+8], %fd1;\n"
                                 "mov.u64 %rd5, word; cvta.global.u64 %rd5, %rd5; st.local.u64 [%rd3+16], "
                                 "%rd5; st.local.u32 [%rd3+24], 7;\n"
                                 "mov.u64 %rd6, 48879; st.local.u64 [%rd3+32], %rd6; mov.u64 %rd7, form; "
                                 "cvta.global.u64 %rd7, %rd7;\n"
                                 "{\n.param .b64 param0;\nst.param.b64 [param0], %rd7;\n.param .b64 "
                                 "param1;\nst.param.b64 [param1], %rd4;\n"
                                 ".param .b32 retval0;\ncall.uni (retval0), vprintf, (param0, "
                                 "param1);\nld.param.b32 %r5, [retval0];\n}\n"
                                 "st.global.u32 [%rd0], %r5; ret;",
                         .grid = { 3 },
                         .block = { 1 } };
    for (s.options.threads = 1; s.options.threads <= 3; s.options.threads++) {
        run(&s, &outcome);
        expect_clean(&outcome);
        assert_string_equal(outcome.result.printed,
                            "b=0 x=0.00   abc|7   |beef%\nb=-1 x=1.00   abc|7   |beef%\n"
                            "b=-2 x=2.00   abc|7   |beef%\n");
        assert_string_equal(outcome.result.printed_lines,
                            "thread 0 of block 0: b=0 x=0.00   abc|7   |beef%\n"
                            "thread 0 of block 1: b=-1 x=1.00   abc|7   |beef%\n"
                            "thread 0 of block 2: b=-2 x=2.00   abc|7   |beef%\n");
        assert_int_equal(outcome.words[2], 5);
        drop(&outcome);
    }
}

// "%*d|%-*.*d|\n" with INT_MIN, 5, 3, INT_MAX, 7: a width beyond all bounds is a wide one, and so is a precision.
static void widths_of_any_size_are_bounded(void **state)
{
    struct setting s = { .before =
                             ".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n"
                             ".global .align 1 .b8 form[14] = {37,42,100,124,37,45,42,46,42,100,124,10};\n"
                             ".global .align 4 .u32 list[5] = {0x80000000, 5, 3, 0x7fffffff, 7};\n",
                         .body = "mov.u64 %rd3, form; mov.u64 %rd4, list;\n"
                                 "{\n.param .b64 param0;\n.param .b64 param1;\n.param .b32 retval0;\n"
                                 "st.param.b64 [param0], %rd3; st.param.b64 [param1], %rd4;\n"
                                 "call.uni (retval0), vprintf, (param0, param1);\n}\nret;",
                         .grid = { 1 },
                         .block = { 1 } };
    char want[512];
    snprintf(want, sizeof want, "%-200d|%.200d|\n", 5, 7);
    run(&s, &outcome);
    expect_clean(&outcome);
    assert_string_equal(outcome.result.printed, want);
    drop(&outcome);
}

static const char say_before[] =
    ".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n"
    ".global .align 1 .b8 begin[3] = {120,61}; // x=\n"
    ".global .align 1 .b8 number[4] = {37,100,10}; // %d\\n\n"
    ".global .align 1 .b8 odd[5] = {111,100,100,10}; // odd\\n\n"
    ".func say(.param .b64 form, .param .b32 value)\n{\n.local .align 8 .b8 list[8];\n"
    ".reg .b64 %f<4>;\n.reg .b32 %v<2>;\nld.param.u64 %f0, [form]; ld.param.u32 %v0, [value];\n"
    "mov.u64 %f1, list; st.local.u32 [%f1], %v0; cvta.local.u64 %f2, %f1; cvta.global.u64 %f3, %f0;\n"
    "{\n.param .b64 param0;\n.param .b64 param1;\n.param .b32 retval0;\n"
    "st.param.b64 [param0], %f3; st.param.b64 [param1], %f2;\n"
    "call.uni (retval0), vprintf, (param0, param1);\n}\nret;\n}\n";
#define SAY(form, value)                                                                                     \
    "mov.u64 %rd3, " form ";\n{\n.param .b64 a;\n.param .b32 b;\nst.param.b64 [a], %rd3;\n"                  \
    "st.param.b32 [b], " value ";\ncall.uni say, (a, b);\n}\n"

static void text_is_told_line_by_line_with_its_threads(void **state)
{
    // Every thread makes a line of two pieces; those that are odd say so; thread 9 ends in the middle of a line.
    struct setting s = {
        .before = say_before,
        .body = "shr.u32 %r4, %r0, 5;\n" SAY("begin", "%r4")
            SAY("number", "%r4") "and.b32 %r5, %r0, 33; setp.ne.u32 %p1, %r5, 1;\n@%p1 bra EVEN;\n" SAY(
                "odd", "%r4") "EVEN: setp.ne.u32 %p1, %r0, 9;\n@%p1 ret;\n" SAY("begin", "%r4") "ret;",
        .grid = { 1 },
        .block = { 64 }
    };
    run(&s, &outcome);
    expect_clean(&outcome);
    assert_memory_equal(outcome.result.printed, "x=x=x=", 6);
    assert_string_equal(outcome.result.printed_lines,
                        "threads 0 to 31 of block 0: x=0\n16 of threads 1 to 31 of block 0: odd\n"
                        "threads 32 to 63 of block 0: x=1\nthread 9 of block 0: x=\n");
    drop(&outcome);
}

static void threads_of_wide_blocks_have_their_coordinates(void **state)
{
    struct setting s = { .before = say_before,
                         .body = "mov.u32 %r4, %tid.y;\n" SAY("number", "%r4") "ret;",
                         .grid = { 1, 2 },
                         .block = { 4, 2 } };
    run(&s, &outcome);
    assert_string_equal(outcome.result.printed_lines, "threads (0,0,0) to (3,0,0) of block (0,0,0): 0\n"
                                                      "threads (0,1,0) to (3,1,0) of block (0,0,0): 1\n"
                                                      "threads (0,0,0) to (3,0,0) of block (0,1,0): 0\n"
                                                      "threads (0,1,0) to (3,1,0) of block (0,1,0): 1\n");
    drop(&outcome);
}

static void a_flood_of_text_has_an_end(void **state)
{
    struct setting s = { .before = say_before,
                         .body = "mov.u32 %r6, 0;\nLOOP: " SAY(
                             "number",
                             "%r6") "add.u32 %r6, %r6, 1; setp.lt.u32 %p1, %r6, 20000;\n@%p1 bra LOOP;\nret;",
                         .grid = { 8 },
                         .block = { 2 } };
    static char one[1 << 21];
    for (s.options.threads = 1; s.options.threads <= 2; s.options.threads++) {
        run(&s, &outcome);
        const char *text = outcome.result.printed_lines, end[] = "\nThe kernel printed more than this.\n";
        size_t length = strlen(text);
        assert_true(length > 500000 && length < sizeof one);
        assert_string_equal(text + length - strlen(end), end);
        if (s.options.threads == 1)
            memcpy(one, text, length + 1);
        assert_string_equal(text, one);
        drop(&outcome);
    }
}

// ---- order, host threads --------------------------------------------------------------------------------------------------

static void a_seed_fixes_the_order(void **state)
{
    struct setting s = { .body = "atom.global.add.u32 %r4, [%rd1+8192], 1; st.global.u32 [%rd0], %r4; ret;",
                         .grid = { 16 },
                         .block = { 64 } };
    static struct kernel_outcome first, again;
    run(&s, &outcome);
    for (uint32_t i = 0; i < 1024; i++)
        assert_int_equal(outcome.words[i], i);
    drop(&outcome);
    s.options.seed = 42;
    run(&s, &first);
    run(&s, &again);
    assert_memory_equal(first.words, again.words, sizeof first.words);
    assert_int_equal(first.words[2048], 1024);
    bool moved = false;
    for (uint32_t i = 0; i < 1024; i++)
        moved |= first.words[i] != i;
    assert_true(moved);
    drop(&first);
    drop(&again);
}

static void counters_do_not_depend_on_host_threads(void **state)
{
    struct setting s = {
        .body = "setp.lt.u32 %p1, %r0, %r1;\n@%p1 bra OVER;\natom.global.add.u32 %r4, [%rd1+8192], %r0;\n"
                "OVER: bar.sync 0;\nst.global.u32 [%rd0], %r1; ret;",
        .grid = { 60 },
        .block = { 48 }
    };
    struct sim_counters one;
    for (s.options.threads = 1; s.options.threads <= 3; s.options.threads++) {
        run(&s, &outcome);
        expect_clean(&outcome);
        assert_int_equal(outcome.result.threads, s.options.threads);
        if (s.options.threads == 1)
            one = outcome.result.counters;
        assert_memory_equal(&one, &outcome.result.counters, sizeof one);
        drop(&outcome);
    }
}

// A register that nobody has written is zero in every block, whatever ran before.
static void unwritten_registers_are_zero(void **state)
{
    struct setting s = { .body = "add.u32 %r20, %r20, 5; st.global.u32 [%rd0], %r20; ret;",
                         .grid = { 8 },
                         .block = { 32 } };
    run(&s, &outcome);
    for (int i = 0; i < 256; i++)
        assert_int_equal(outcome.words[i], 5);
    drop(&outcome);
}

static void counters_are_kept_by_instruction_and_line(void **state)
{
    struct setting s = {
        .body =
            ".loc 1 7 1\nadd.u32 %r4, %r0, 1;\nadd.u32 %r4, %r4, 1;\n.loc 1 9 1\nst.global.u32 [%rd0], %r4;\n"
            "ret;",
        .before = ".file 1 \"k.cu\"\n",
        .block = { 32 }
    };
    run(&s, &outcome);
    expect_clean(&outcome);
    assert_int_equal(outcome.result.instruction_count, START_COUNT + 4);
    struct sim_line *lines;
    size_t count = sim_result_lines(&outcome.result, &lines);
    assert_int_equal(count, 3); // unknown, 7, 9
    assert_int_equal(lines[1].line, 7);
    assert_int_equal(lines[1].counters.warp_inst, 2);
    assert_int_equal(lines[2].counters.thread_inst, 64);
    assert_int_equal(lines[2].counters.passes[SIM_GLOBAL_STORE], 4);
    free(lines);
    drop(&outcome);
}

// Which block comes first shows in a result that is used and in a sum of decimals, not in a sum of integers.
static void atomics_that_show_their_order_keep_it(void **state)
{
    static const struct {
        const char *body;
        int threads;
    } kernels[] = {
        { "red.global.add.u32 [%rd1], 1;\nret;", 2 },
        { "atom.global.add.u32 %r4, [%rd1], 1;\nret;", 2 },
        { "atom.global.add.u32 %r4, [%rd1], 1;\nst.global.u32 [%rd0+64], %r4;\nret;", 1 },
        { "mov.f32 %f0, 0f3F800000;\nred.global.add.f32 [%rd1], %f0;\nret;", 1 },
        { "atom.global.exch.b32 %r4, [%rd1], %r3;\nret;", 1 },
    };
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        char body[256];
        snprintf(body, sizeof body, ".reg .f32 %%f<2>;\n%s", kernels[i].body);
        struct setting s = { .body = body, .grid = { 64 }, .block = { 32 } };
        s.options = (struct sim_options){ .check = SIM_CHECK_COUNTERS, .threads = 2 };
        run(&s, &outcome);
        assert_int_equal(outcome.result.threads, kernels[i].threads);
        drop(&outcome);
    }
}

static void a_launch_that_is_only_large_is_no_loop(void **state)
{
    struct setting s = { .body = "ret;", .grid = { 1u << 20 }, .block = { 32 } };
    s.options.instruction_limit = 2000000;
    run(&s, &outcome);
    expect_finding(&outcome, SIM_OTHER, SIM_ERROR);
    assert_string_equal(sim_kind_name(SIM_OTHER), "stopped");
    assert_non_null(strstr(outcome.result.findings[0].sentence, "of its 1048576 blocks had run"));
    assert_false(outcome.result.complete);
    drop(&outcome);
}

static void a_lane_that_loops_by_itself_is_endless(void **state)
{
    struct setting s = { .body = "setp.ne.u32 %p1, %r0, 7;\n@%p1 bra DONE;\nAGAIN:\nbra AGAIN;\nDONE:\nret;",
                         .block = { 32 } };
    run(&s, &outcome);
    expect_finding(&outcome, SIM_ENDLESS, SIM_ERROR);
    drop(&outcome);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_know_where_they_are),
        cmocka_unit_test(launches_that_cannot_be_are_refused),
        cmocka_unit_test(kernels_have_no_more_memory_than_a_gpu),
        cmocka_unit_test(kernels_are_found_by_their_names),
        cmocka_unit_test(a_loop_without_end_is_found),
        cmocka_unit_test(a_lock_inside_a_warp_needs_independent_scheduling),
        cmocka_unit_test(a_side_that_spins_lets_the_other_side_run),
        cmocka_unit_test(a_warp_may_wait_for_another_warp),
        cmocka_unit_test(a_warp_may_wait_for_long_work_of_another_warp),
        cmocka_unit_test(time_is_limited),
        cmocka_unit_test(an_unknown_instruction_is_named_when_it_is_reached),
        cmocka_unit_test(a_trap_stops_the_launch),
        cmocka_unit_test(kernels_print_in_the_order_of_blocks),
        cmocka_unit_test(widths_of_any_size_are_bounded),
        cmocka_unit_test(text_is_told_line_by_line_with_its_threads),
        cmocka_unit_test(threads_of_wide_blocks_have_their_coordinates),
        cmocka_unit_test(a_flood_of_text_has_an_end),
        cmocka_unit_test(a_seed_fixes_the_order),
        cmocka_unit_test(counters_do_not_depend_on_host_threads),
        cmocka_unit_test(unwritten_registers_are_zero),
        cmocka_unit_test(atomics_that_show_their_order_keep_it),
        cmocka_unit_test(a_launch_that_is_only_large_is_no_loop),
        cmocka_unit_test(a_lane_that_loops_by_itself_is_endless),
        cmocka_unit_test(counters_are_kept_by_instruction_and_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
