// Paths of a warp that part and meet, calls, recursion, jumps through tables.
#include "tests/unit/sim_kernel.h"

static struct kernel_outcome outcome; // large

// ---- paths -----------------------------------------------------------------------------------------------------------

static void sides_of_a_branch_meet_again(void **state)
{
    struct setting s = { .body =
                             "setp.lt.u32 %p1, %r0, 10;\n@%p1 bra LESS;\nactivemask.b32 %r4; bra.uni MEET;\n"
                             "LESS: activemask.b32 %r4;\nMEET: activemask.b32 %r5; xor.b32 %r4, %r4, %r5;\n"
                             "st.global.u32 [%rd0], %r4; ret;",
                         .block = { 32 } };
    run(&s, &outcome);
    expect_clean(&outcome);
    for (int i = 0; i < 32; i++)
        assert_int_equal(outcome.words[i], i < 10 ? 0xfffffc00u : 0x3ffu);
    assert_int_equal(outcome.result.counters.branches, 2);
    assert_int_equal(outcome.result.counters.divergent, 1);
    drop(&outcome);
}

static void a_loop_ends_for_each_lane_by_itself(void **state)
{
    struct setting s = {
        .body = "mov.u32 %r4, 0; mov.u32 %r5, 0;\nLOOP: add.u32 %r4, %r4, %r5; add.u32 %r5, %r5, 1;\n"
                "setp.le.u32 %p1, %r5, %r0;\n@%p1 bra LOOP;\nactivemask.b32 %r6; popc.b32 %r6, %r6;\n"
                "mad.lo.u32 %r4, %r6, 1000, %r4; st.global.u32 [%rd0], %r4; ret;",
        .block = { 32 }
    };
    run(&s, &outcome);
    expect_clean(&outcome);
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(outcome.words[i], 32000 + i * (i + 1) / 2);
    assert_int_equal(outcome.result.counters.branches, 32);
    assert_int_equal(outcome.result.counters.divergent, 31);
    drop(&outcome);
}

// Lanes that return early inside a branch do not keep the others from meeting.
static void early_exits_do_not_split_the_rest(void **state)
{
    struct setting s = {
        .body = "setp.lt.u32 %p1, %r0, 16;\n@%p1 bra OUTER;\nsetp.lt.u32 %p2, %r0, 20;\n@%p2 bra END;\n"
                "bra.uni JOIN;\nOUTER: setp.lt.u32 %p2, %r0, 4;\n@%p2 bra END;\n"
                "JOIN: activemask.b32 %r4; st.global.u32 [%rd0], %r4;\nEND: ret;",
        .block = { 32 }
    };
    run(&s, &outcome);
    expect_clean(&outcome);
    for (int i = 0; i < 32; i++)
        assert_int_equal(outcome.words[i], i < 4 || (i >= 16 && i < 20) ? 0 : 0xfff0fff0u);
    assert_int_equal(outcome.result.counters.requests[SIM_GLOBAL_STORE], 1);
    drop(&outcome);
}

static void predicated_exits_leave_the_others_running(void **state)
{
    struct setting s = { .body =
                             "setp.gt.u32 %p1, %r0, 4;\n@%p1 exit;\nst.global.u32 [%rd0], 7;\n@!%p1 ret;\n"
                             "st.global.u32 [%rd0], 9; ret;",
                         .block = { 64 } };
    run(&s, &outcome);
    expect_clean(&outcome);
    for (int i = 0; i < 64; i++)
        assert_int_equal(outcome.words[i], i <= 4 ? 7 : 0);
    drop(&outcome);
}

static void jumps_through_a_table_fan_out(void **state)
{
    struct setting s = { .body =
                             "and.b32 %r4, %r0, 3;\nTABLE: .branchtargets A, B, A, C;\nbrx.idx %r4, TABLE;\n"
                             "A: mov.u32 %r5, 100; bra.uni MEET;\nB: mov.u32 %r5, 200; bra.uni MEET;\n"
                             "C: mov.u32 %r5, 300;\nMEET: activemask.b32 %r6; popc.b32 %r6, %r6;\n"
                             "add.u32 %r5, %r5, %r6; st.global.u32 [%rd0], %r5; ret;",
                         .block = { 32 } };
    run(&s, &outcome);
    expect_clean(&outcome);
    static const uint32_t want[] = { 132, 232, 132, 332 };
    for (int i = 0; i < 32; i++)
        assert_int_equal(outcome.words[i], want[i & 3]);
    assert_int_equal(outcome.result.counters.divergent, 1);
    drop(&outcome);
}

static void a_jump_past_the_table_is_found(void **state)
{
    struct setting s = { .body = "TABLE: .branchtargets A, B;\nbrx.idx %r0, TABLE;\nA: ret;\nB: ret;",
                         .block = { 3 } };
    run(&s, &outcome);
    assert_int_equal(expect_finding(&outcome, SIM_OTHER, SIM_ERROR)->here.thread[0], 2);
    assert_false(outcome.result.complete);
    drop(&outcome);
}

// ---- calls -------------------------------------------------------------------------------------------------------------

static const char sum_to[] = // f(n) = n ? n + f(n - 1) : 0
    ".func (.param .b32 out) f(.param .b32 in)\n{\n.reg .pred %p<2>;\n.reg .b32 %r<4>;\n"
    "ld.param.u32 %r1, [in];\nmov.u32 %r3, 0;\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra DONE;\nsub.u32 %r2, %r1, "
    "1;\n"
    "{\n.param .b32 param0;\nst.param.b32 [param0+0], %r2;\n.param .b32 retval0;\n"
    "call.uni (retval0), f, (param0);\nld.param.b32 %r3, [retval0+0];\n}\nadd.u32 %r3, %r3, %r1;\n"
    "DONE: st.param.b32 [out+0], %r3;\nret;\n}\n";
static const char call_it[] = "{\n.param .b32 param0;\nst.param.b32 [param0+0], %r0;\n.param .b32 retval0;\n"
                              "call.uni (retval0), f, (param0);\nld.param.b32 %r4, [retval0+0];\n}\n"
                              "st.global.u32 [%rd0], %r4; ret;";

static void functions_call_themselves(void **state)
{
    struct setting s = { .before = sum_to, .body = call_it, .block = { 40 } };
    run(&s, &outcome);
    expect_clean(&outcome);
    for (uint32_t i = 0; i < 40; i++)
        assert_int_equal(outcome.words[i], i * (i + 1) / 2);
    drop(&outcome);
}

static void endless_recursion_is_stopped(void **state)
{
    struct setting s = { .before = ".func f()\n{\ncall.uni f;\nret;\n}\n",
                         .body = "call.uni f; ret;",
                         .block = { 32 } };
    run(&s, &outcome);
    expect_finding(&outcome, SIM_OTHER, SIM_ERROR);
    assert_false(outcome.result.complete);
    drop(&outcome);
}

static void pointers_to_functions_may_differ_by_lane(void **state)
{
    struct setting s = {
        .before =
            ".func (.param .b32 out) one(.param .b32 in)\n{\n.reg .b32 %r<4>;\nld.param.u32 %r1, [in];\n"
            "add.u32 %r1, %r1, 1;\nst.param.b32 [out], %r1;\nret;\n}\n"
            ".func (.param .b32 out) two(.param .b32 in)\n{\n.reg .b32 %r<4>;\nld.param.u32 %r1, [in];\n"
            "mul.lo.u32 %r1, %r1, 2;\nst.param.b32 [out], %r1;\nret;\n}\n"
            ".global .align 8 .u64 table[2] = {one, two};\n",
        .body =
            "and.b32 %r4, %r0, 1; mul.wide.u32 %rd3, %r4, 8; mov.u64 %rd4, table; add.u64 %rd4, %rd4, %rd3;\n"
            "ld.global.u64 %rd5, [%rd4];\n{\n.param .b32 param0;\nst.param.b32 [param0], %r0;\n.param .b32 "
            "retval0;\n"
            "P: .callprototype (.param .b32 _) _ (.param .b32 _);\ncall (retval0), %rd5, (param0), P;\n"
            "ld.param.b32 %r5, [retval0];\n}\nactivemask.b32 %r6; popc.b32 %r6, %r6; mad.lo.u32 %r5, %r6, "
            "1000, %r5;\n"
            "st.global.u32 [%rd0], %r5; ret;",
        .block = { 32 }
    };
    run(&s, &outcome);
    expect_clean(&outcome);
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(outcome.words[i], 32000 + (i & 1 ? 2 * i : i + 1));
    drop(&outcome);
}

// Each call has local memory of its own, and a caller's stays where it was.
static void calls_have_their_own_local_memory(void **state)
{
    struct setting s = {
        .before =
            ".func (.param .b32 out) f(.param .b32 in)\n{\n.local .align 4 .b8 own[8];\n.reg .b64 %rd<2>;\n"
            ".reg .b32 %r<4>;\nld.param.u32 %r1, [in];\nmov.u64 %rd1, own;\nst.local.u32 [%rd1], %r1;\n"
            "ld.local.u32 %r2, [%rd1];\nst.param.b32 [out], %r2;\nret;\n}\n",
        .body = ".local .align 4 .b8 mine[8];\nmov.u64 %rd3, mine; st.local.u32 [%rd3], 5;\n"
                "{\n.param .b32 param0;\nst.param.b32 [param0], %r0;\n.param .b32 retval0;\ncall.uni "
                "(retval0), f, (param0);\n"
                "ld.param.b32 %r4, [retval0];\n}\nld.local.u32 %r5, [%rd3]; mad.lo.u32 %r4, %r5, 100, %r4;\n"
                "st.global.u32 [%rd0], %r4; ret;",
        .block = { 32 }
    };
    run(&s, &outcome);
    expect_clean(&outcome);
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(outcome.words[i], 500 + i);
    drop(&outcome);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sides_of_a_branch_meet_again),
        cmocka_unit_test(a_loop_ends_for_each_lane_by_itself),
        cmocka_unit_test(early_exits_do_not_split_the_rest),
        cmocka_unit_test(predicated_exits_leave_the_others_running),
        cmocka_unit_test(jumps_through_a_table_fan_out),
        cmocka_unit_test(a_jump_past_the_table_is_found),
        cmocka_unit_test(functions_call_themselves),
        cmocka_unit_test(endless_recursion_is_stopped),
        cmocka_unit_test(pointers_to_functions_may_differ_by_lane),
        cmocka_unit_test(calls_have_their_own_local_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
