// How a launch's work was shared among its warps: the longest one's instructions, and what each would have run.
#include "tests/unit/sim_kernel.h"

static struct kernel_outcome outcome; // large

// Three instructions for every warp; those of block 0 turn ten times more in a loop of two.
static const char uneven[] =
    "setp.ne.u32 %p1, %r1, 0; mov.u32 %r4, 10;\n@%p1 bra DONE;\n"
    "LOOP: sub.u32 %r4, %r4, 1; setp.ne.u32 %p2, %r4, 0;\n@%p2 bra LOOP;\nDONE: ret;";

static struct sim_counters counters_of(const char *body, uint32_t grid, uint32_t block, int threads,
                                       uint64_t seed)
{
    struct setting s = { .body = body, .grid = { grid }, .block = { block } };
    s.options.check = SIM_CHECK_COUNTERS;
    s.options.threads = threads;
    s.options.seed = seed;
    run(&s, &outcome);
    struct sim_counters counters = outcome.result.counters;
    drop(&outcome);
    return counters;
}

static void warps_that_do_the_same_are_even(void **state)
{
    struct sim_counters one = counters_of("ret;", 1, 32, 1, 0), many = counters_of("ret;", 7, 96, 1, 0);
    assert_int_equal(one.longest, one.warp_inst);
    assert_int_equal(one.even, one.warp_inst);
    assert_int_equal(many.longest, one.longest);
    assert_int_equal(many.even, one.even);
}

static void one_block_that_does_it_all_stands_out(void **state)
{
    struct sim_counters even = counters_of("ret;", 8, 64, 1, 0), odd = counters_of(uneven, 8, 64, 1, 0);
    assert_int_equal(odd.longest, even.longest + 3 + 3 * 10);
    assert_int_equal(odd.even, (odd.warp_inst + 15) / 16); // rounded up
    assert_true(odd.longest > 2 * odd.even);
}

static void it_does_not_depend_on_who_ran_what_when(void **state)
{
    struct sim_counters one = counters_of(uneven, 60, 48, 1, 0);
    for (int threads = 2; threads <= 4; threads++) {
        struct sim_counters other = counters_of(uneven, 60, 48, threads, (uint64_t)threads);
        assert_int_equal(other.longest, one.longest);
        assert_int_equal(other.even, one.even);
    }
}

static void launches_add_up(void **state)
{
    struct sim_counters sum = counters_of(uneven, 8, 64, 1, 0), more = sum;
    sim_counters_add(&sum, &more);
    assert_int_equal(sum.longest, 2 * more.longest);
    assert_int_equal(sum.even, 2 * more.even);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(warps_that_do_the_same_are_even),
        cmocka_unit_test(one_block_that_does_it_all_stands_out),
        cmocka_unit_test(it_does_not_depend_on_who_ran_what_when),
        cmocka_unit_test(launches_add_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
