// A few warps that run far longer than all others: wherever they are in the grid, the launch lasts as long as they do.
#include "tests/unit/sim_modelled.h"

static struct kernel_outcome outcome, again; // large

// Thread `number` of the grid goes through a loop of 5000 products, each of which needs the one before.
static const struct setting one_thread = {
    .body =
        "setp.ne.u32 %p1, %r3, %r31;\n@%p1 bra E;\nmov.u32 %r4, 5000;\nL:\nmul.lo.u32 %r3, %r3, %r3;\n"
        "sub.u32 %r4, %r4, 1;\nsetp.ne.u32 %p2, %r4, 0;\n@%p2 bra L;\nE:\nst.global.u32 [%rd0], %r3;\nret;",
    .grid = { 64 },
    .block = { 64 },
    .options = { .sample = true }
};
enum { LOOP = 4 * 5000 }; // instructions

static void one_thread_takes_as_long_beside_others_as_alone(void **state)
{
    struct setting s = one_thread, alone = one_thread;
    alone.grid[0] = 1;
    alone.block[0] = 32;
    double wanted = modelled_us(&alone);
    assert_true(wanted > 5000 * 4 / 1980.0); // the latency of each product
    for (s.number = 0; s.number < 64 * 64; s.number += 819)
        expect_near(modelled_us(&s), wanted, 0.1);
    s.number = 64 * 64 - 1;
    expect_near(modelled_us(&s), wanted, 0.1);
}

static void it_waits_for_memory_that_it_has_not_seen(void **state)
{
    // The words of 128 lines one by one, each at an address that the one before gives.
    struct setting s = one_thread;
    s.body =
        "setp.ne.u32 %p1, %r3, %r31;\n@%p1 bra E;\nmov.u32 %r4, 128;\nmov.u64 %rd3, %rd1;\nL:\n"
        "ld.global.u32 %r5, [%rd3];\nand.b32 %r5, %r5, 0;\ncvt.u64.u32 %rd4, %r5;\nadd.u64 %rd3, %rd3, "
        "%rd4;\n"
        "add.u64 %rd3, %rd3, 128;\nsub.u32 %r4, %r4, 1;\nsetp.ne.u32 %p2, %r4, 0;\n@%p2 bra L;\nE:\nret;";
    double once = modelled_us(&s);
    assert_true(once > 128 * 683 / 1980.0);
    expect_near(once, 128 * 683 / 1980.0, 0.2);
}

static void a_few_are_as_long_as_the_longest(void **state)
{
    struct setting s = one_thread; // then four of them, each in a block of its own
    double one = modelled_us(&s);
    s.body = "and.b32 %r5, %r3, 1023;\nsetp.ne.u32 %p1, %r5, 700;\n@%p1 bra E;\nmov.u32 %r4, 5000;\nL:\n"
             "mul.lo.u32 %r3, %r3, %r3;\nsub.u32 %r4, %r4, 1;\nsetp.ne.u32 %p2, %r4, 0;\n@%p2 bra L;\nE:\n"
             "st.global.u32 [%rd0], %r3;\nret;";
    expect_near(modelled_us(&s), one, 0.1);
}

static void stays(const struct sim_instruction *code, struct machine_code *machine, size_t count)
{
    (void)code, (void)machine, (void)count;
}

static void takes_twice_as_long(const struct sim_instruction *code, struct machine_code *machine,
                                size_t count)
{
    (void)code;
    for (size_t i = 0; i < count; i++)
        machine[i].latency *= 2;
}

// Four iterations are one, with one subtraction.
static void goes_round_in_fours(const struct sim_instruction *code, struct machine_code *machine,
                                size_t count)
{
    for (size_t i = 0; i < count; i++) {
        machine[i].unrolled = code[i].leads ? 4 : 0;
        if (code[i].base && strcmp(code[i].base, "sub") == 0)
            machine[i].issues = 0.25F;
    }
}

// Machine code has a loop several times, for few rounds and for many: which the longest warp goes through, it says by itself.
static void its_machine_code_may_be_other_than_that_of_the_rest(void **state)
{
    struct setting s = one_thread, alone = one_thread;
    double usual = modelled_us(&s);
    expect_near(modelled_apart_us(&s, 0, stays), usual, 0.001);
    assert_true(modelled_apart_us(&s, 0, takes_twice_as_long) > 1.4 * usual);
    alone.grid[0] = 1; // a warp among no others is not long
    alone.block[0] = 32;
    expect_near(modelled_apart_us(&alone, 0, takes_twice_as_long), modelled_us(&alone), 0.001);
}

// A loop of nothing but counting: of iterations that are one, each waits for a part of the subtraction.
static void one_addition_counts_several_iterations(void **state)
{
    struct setting s = one_thread;
    s.body = "setp.ne.u32 %p1, %r3, %r31;\n@%p1 bra E;\nmov.u32 %r4, 5000;\nL:\nsub.u32 %r4, %r4, 1;\n"
             "setp.ne.u32 %p2, %r4, 0;\n@%p2 bra L;\nE:\nst.global.u32 [%rd0], %r3;\nret;";
    double each = modelled_us(&s), fours = modelled_apart_us(&s, 0, goes_round_in_fours);
    assert_true(fours < each - 5000 * 2 / 1980.0);
}

// ---- barriers ---------------------------------------------------------------------------------------------------

// In 200 rounds one warp of 32 loads from shared memory and stores there; the others only come to the barrier.
static void without_barriers_who_only_keeps_pace_does_nothing(void **state)
{
    struct setting s = one_thread;
    s.body = ".shared .b32 word[1024];\nmov.u32 %r4, 200;\nsetp.ge.u32 %p1, %r0, 32;\nshl.b32 %r6, %r0, 2;\n"
             "mov.u32 %r7, word;\nadd.u32 %r6, %r6, %r7;\nL:\n@%p1 bra B;\nld.shared.u32 %r5, [%r6];\n"
             "add.u32 %r5, %r5, 1;\nst.shared.u32 [%r6], %r5;\nB:\nbar.sync 0;\nsub.u32 %r4, %r4, 1;\n"
             "setp.ne.u32 %p2, %r4, 0;\n@%p2 bra L;\nst.global.u32 [%rd0], %r4;\nret;";
    s.grid[0] = 132;
    s.block[0] = 1024;
    double now = modelled_us(&s), freed = modelled_without_us(&s, WITHOUT_BARRIERS);
    s.block[0] = 32; // the one that works, alone
    expect_near(freed, modelled_without_us(&s, WITHOUT_BARRIERS), 0.25);
    assert_true(freed < 0.6 * now);
}

// ---- the sample -----------------------------------------------------------------------------------------------

static void the_longest_warp_is_known(void **state)
{
    struct setting s = one_thread;
    s.number = 17 * 64 + 40; // the second warp of block 17
    run(&s, &outcome);
    const struct sim_long *longest = &outcome.result.sample->longest;
    assert_int_equal(longest->block, 17);
    assert_int_equal(longest->blocks, 1);
    assert_int_equal(longest->beside, 1);
    assert_true(longest->ran > LOOP && longest->ran < LOOP + 20);
    assert_int_equal(longest->work, longest->ran);
    uint64_t sum = 0;
    for (size_t i = 0; i < longest->window_count; i++) {
        assert_true(longest->windows[i].step_count >= 32 && longest->windows[i].step_count <= 512);
        sum += longest->windows[i].ran;
    }
    assert_int_equal(sum, longest->ran); // they stand for all of it
    assert_true(outcome.result.sample->work[17] < 100);
    drop(&outcome);
}

static void a_long_block_is_no_sample_of_the_others(void **state)
{
    struct setting s = one_thread;
    for (s.number = 0; s.number < 64 * 64; s.number += 64) {
        run(&s, &outcome);
        const struct sim_sample *sample = outcome.result.sample;
        assert_int_equal(sample->longest.block, s.number / 64);
        assert_true(sample->longest.window_count > 0 && sample->block_count > 0);
        for (size_t b = 0; b < sample->block_count; b++)
            assert_int_not_equal(sample->blocks[b].number, sample->longest.block);
        drop(&outcome);
    }
}

static void where_many_are_long_none_is(void **state)
{
    struct setting s = one_thread;
    s.body = "and.b32 %r5, %r3, 127;\nsetp.ne.u32 %p1, %r5, 0;\n@%p1 bra E;\nmov.u32 %r4, 500;\nL:\n"
             "sub.u32 %r4, %r4, 1;\nsetp.ne.u32 %p2, %r4, 0;\n@%p2 bra L;\nE:\nret;"; // each other block
    run(&s, &outcome);
    assert_int_equal(outcome.result.sample->longest.window_count, 0);
    drop(&outcome);
    s.grid[0] = 1; // nor has one block any others
    run(&s, &outcome);
    assert_int_equal(outcome.result.sample->longest.window_count, 0);
    drop(&outcome);
}

static void host_threads_and_orders_change_nothing(void **state)
{
    struct setting s = one_thread;
    s.number = 3000;
    run(&s, &outcome);
    s.options.threads = 4;
    s.options.seed = 7;
    run(&s, &again);
    const struct sim_long *a = &outcome.result.sample->longest, *b = &again.result.sample->longest;
    assert_int_equal(a->window_count, b->window_count);
    for (size_t i = 0; i < a->window_count; i++) {
        assert_int_equal(a->windows[i].ran, b->windows[i].ran);
        assert_int_equal(a->windows[i].step_count, b->windows[i].step_count);
        for (size_t k = 0; k < a->windows[i].step_count; k++)
            assert_int_equal(a->windows[i].steps[k].index, b->windows[i].steps[k].index);
    }
    drop(&outcome);
    drop(&again);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_thread_takes_as_long_beside_others_as_alone),
        cmocka_unit_test(it_waits_for_memory_that_it_has_not_seen),
        cmocka_unit_test(a_few_are_as_long_as_the_longest),
        cmocka_unit_test(its_machine_code_may_be_other_than_that_of_the_rest),
        cmocka_unit_test(one_addition_counts_several_iterations),
        cmocka_unit_test(without_barriers_who_only_keeps_pace_does_nothing),
        cmocka_unit_test(the_longest_warp_is_known),
        cmocka_unit_test(a_long_block_is_no_sample_of_the_others),
        cmocka_unit_test(where_many_are_long_none_is),
        cmocka_unit_test(host_threads_and_orders_change_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
