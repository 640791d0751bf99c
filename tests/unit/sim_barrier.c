// Barriers of blocks and inside warps, met and missed.
// Parts: wide baseline
#include "tests/unit/sim_kernel.h"

static struct kernel_outcome outcome; // large

// ---- barriers --------------------------------------------------------------------------------------------------------

static void a_barrier_orders_the_warps(void **state)
{
    struct setting s = {
        .before = ".extern .shared .align 4 .b8 dyn[];\n",
        .body = "shl.b32 %r4, %r0, 2; mov.u32 %r5, dyn; add.u32 %r6, %r5, %r4; st.shared.u32 [%r6], %r0;\n"
                "bar.sync 0;\nxor.b32 %r4, %r4, 508; add.u32 %r6, %r5, %r4; ld.shared.u32 %r7, [%r6];\n"
                "st.global.u32 [%rd0], %r7; ret;",
        .grid = { 3 },
        .block = { 128 },
        .shared = 512
    };
    for (s.options.seed = 0; s.options.seed < 5; s.options.seed++) {
        run(&s, &outcome);
        expect_clean(&outcome);
        for (uint32_t i = 0; i < 3 * 128; i++)
            assert_int_equal(outcome.words[i], 127 - i % 128);
        assert_int_equal(outcome.result.counters.barriers, 12);
        drop(&outcome);
    }
}

static void barriers_count_votes(void **state)
{
    struct setting s = {
        .body = "setp.lt.u32 %p1, %r0, 40;\nbar.red.popc.u32 %r4, 0, %p1;\nbar.red.and.pred %p2, 0, %p1;\n"
                "bar.red.or.pred %p3, 0, %p1;\nbar.red.or.pred %p4, 0, !%p2;\nselp.u32 %r5, 1000, 0, %p2;\n"
                "selp.u32 %r6, 2000, 0, %p3;\nselp.u32 %r7, 4000, 0, %p4;\nadd.u32 %r4, %r4, %r5;\n"
                "add.u32 %r4, %r4, %r6;\nadd.u32 %r4, %r4, %r7;\nst.global.u32 [%rd0], %r4; ret;",
        .block = { 72 }
    };
    run(&s, &outcome);
    expect_clean(&outcome);
    for (int i = 0; i < 72; i++)
        assert_int_equal(outcome.words[i], 6040);
    drop(&outcome);
}

// Warps 0 and 1 meet at barrier 1 by themselves; warp 2 only announces itself at barrier 2, where warp 3 waits.
static void barriers_with_counts_are_for_some_warps(void **state)
{
    struct setting s = {
        .body = "shr.u32 %r4, %r0, 5; setp.eq.u32 %p1, %r4, 3; setp.eq.u32 %p2, %r4, 2;\n@%p1 bra LAST;\n"
                "@%p2 bra THIRD;\nbar.sync 1, 64;\nst.global.u32 [%rd0], 1; ret;\n"
                "THIRD: st.global.u32 [%rd0], 2; bar.arrive 2, 64; ret;\n"
                "LAST: bar.sync 2, 64; ld.global.u32 %r5, [%rd0+-128]; st.global.u32 [%rd0], %r5; ret;",
        .block = { 128 }
    };
    for (s.options.seed = 0; s.options.seed < 8; s.options.seed++) {
        run(&s, &outcome);
        expect_clean(&outcome);
        for (int i = 0; i < 128; i++)
            assert_int_equal(outcome.words[i], i < 64 ? 1 : 2);
        drop(&outcome);
    }
}

static void a_barrier_that_half_a_warp_reaches_is_an_error(void **state)
{
    struct setting s = { .body =
                             "and.b32 %r4, %r0, 1; setp.eq.u32 %p1, %r4, 0;\n@%p1 bra OVER;\nbar.sync 0;\n"
                             "OVER: st.global.u32 [%rd0], 3; ret;",
                         .block = { 64 } };
    run(&s, &outcome);
    const struct sim_finding *found = expect_finding(&outcome, SIM_BARRIER, SIM_ERROR);
    assert_int_equal(found->count, 2);
    assert_true(outcome.result.complete);
    assert_int_equal(outcome.words[63], 3);
    drop(&outcome);
}

static void a_barrier_that_is_not_aligned_takes_the_sides_one_by_one(void **state)
{
    struct setting s = { .before = ".shared .align 4 .b8 cell[4];\n",
                         .body = "setp.lt.u32 %p1, %r0, 40;\n@%p1 bra FIRST;\nst.shared.u32 [cell], 41;\n"
                                 "barrier.sync 0;\nbra.uni MEET;\nFIRST: barrier.sync 0;\n"
                                 "ld.shared.u32 %r4, [cell];\nst.global.u32 [%rd0], %r4;\nMEET: ret;",
                         .block = { 64 } };
    run(&s, &outcome);
    assert_true(outcome.result.complete);
    for (size_t i = 0; i < outcome.result.finding_count; i++)
        assert_int_not_equal(outcome.result.findings[i].severity, SIM_ERROR);
    for (int i = 0; i < 64; i++)
        assert_int_equal(outcome.words[i], i < 40 ? 41 : 0);
    assert_int_equal(outcome.result.counters.barriers, 3);
    drop(&outcome);
}

static void threads_that_returned_let_a_barrier_pass_with_a_warning(void **state)
{
    struct setting s = {
        .body = "setp.ge.u32 %p1, %r0, 40;\n@%p1 bra END;\nbar.sync 0;\nst.global.u32 [%rd0], 3;\nEND: ret;",
        .block = { 96 }
    };
    run(&s, &outcome);
    expect_finding(&outcome, SIM_BARRIER, SIM_WARNING);
    assert_int_equal(outcome.result.finding_count, 1);
    assert_true(outcome.result.complete);
    assert_int_equal(outcome.words[39], 3);
    assert_int_equal(outcome.words[40], 0);
    drop(&outcome);
}

static void warps_that_wait_for_each_other_are_a_deadlock(void **state)
{
    struct setting s = {
        .body = "setp.lt.u32 %p1, %r0, 32;\n@%p1 bra FIRST;\nbar.sync 1;\nret;\nFIRST: bar.sync 2; ret;",
        .grid = { 4 },
        .block = { 64 }
    };
    run(&s, &outcome);
    const struct sim_finding *found = expect_finding(&outcome, SIM_DEADLOCK, SIM_ERROR);
    assert_non_null(strstr(found->sentence, "barrier 1"));
    assert_non_null(strstr(found->sentence, "barrier 2"));
    assert_false(outcome.result.complete);
    drop(&outcome);
}

// ---- barriers inside a warp -----------------------------------------------------------------------------------------

static void paths_of_a_warp_meet_at_its_barrier(void **state)
{
    struct setting s = {
        .before = ".shared .align 4 .b8 cell[4];\n",
        .body = "setp.lt.u32 %p1, %r0, 16;\n@%p1 bra FIRST;\nst.shared.u32 [cell], 41;\nbar.warp.sync -1;\n"
                "bra.uni MEET;\nFIRST: bar.warp.sync -1;\nld.shared.u32 %r4, [cell];\n"
                "st.global.u32 [%rd0], %r4;\nMEET: ret;",
        .block = { 32 }
    };
    run(&s, &outcome);
    expect_clean(&outcome);
    for (int i = 0; i < 32; i++)
        assert_int_equal(outcome.words[i], i < 16 ? 41 : 0);
    drop(&outcome);
}

static void a_mask_of_lanes_that_never_come_is_found(void **state)
{
    struct setting s = {
        .body = "setp.lt.u32 %p1, %r0, 16;\n@%p1 bra OVER;\nshfl.sync.idx.b32 %r4, %r0, 3, 31, -1;\n"
                "OVER: st.global.u32 [%rd0], 3; ret;",
        .block = { 32 }
    };
    run(&s, &outcome);
    expect_finding(&outcome, SIM_SYNC_MASK, SIM_ERROR);
    assert_true(outcome.result.complete);
    assert_int_equal(outcome.words[0], 3);
    drop(&outcome);
    s.body = "setp.lt.u32 %p1, %r0, 16;\n@%p1 bra OVER;\nshfl.sync.idx.b32 %r4, %r0, 19, 31, 0xffff0000;\n"
             "OVER: st.global.u32 [%rd0], %r4; ret;";
    run(&s, &outcome);
    expect_clean(&outcome);
    assert_int_equal(outcome.words[31], 19);
    drop(&outcome);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_barrier_orders_the_warps),
        cmocka_unit_test(barriers_count_votes),
        cmocka_unit_test(barriers_with_counts_are_for_some_warps),
        cmocka_unit_test(a_barrier_that_half_a_warp_reaches_is_an_error),
        cmocka_unit_test(a_barrier_that_is_not_aligned_takes_the_sides_one_by_one),
        cmocka_unit_test(threads_that_returned_let_a_barrier_pass_with_a_warning),
        cmocka_unit_test(warps_that_wait_for_each_other_are_a_deadlock),
        cmocka_unit_test(paths_of_a_warp_meet_at_its_barrier),
        cmocka_unit_test(a_mask_of_lanes_that_never_come_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
