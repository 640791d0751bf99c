// When there are enough times, and what they say together.
#include "engine/run/run.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void the_median_of_an_even_count_lies_between(void **state)
{
    const double times[] = { 4, 1, 3, 2 };
    struct statistics s = outcome_statistics(times, 4);
    assert_float_equal(s.median, 2.5, 1e-12);
    assert_float_equal(s.minimum, 1, 1e-12);
    assert_float_equal(s.spread_pct, 100 * (3.25 - 1.75) / 2.5, 1e-9);
}

static void the_median_s_interval_is_made_of_order_statistics(void **state)
{
    double times[20];
    for (int i = 0; i < 20; i++)
        times[i] = 20 - i; // in any order
    struct statistics s = outcome_statistics(times, 20);
    assert_float_equal(s.low, 6, 0);
    assert_float_equal(s.high, 15, 0);
    s = outcome_statistics(times, 6);
    assert_float_equal(s.low, 15, 0); // of six, nothing less than all of them
    assert_float_equal(s.high, 20, 0);
    assert_true(isnan(outcome_statistics(times, 5).low));
}

static void one_outlier_does_not_move_the_median(void **state)
{
    const double times[] = { 1, 1, 1, 1, 1, 1, 1, 1, 1000 };
    struct statistics s = outcome_statistics(times, 9);
    assert_float_equal(s.median, 1, 0);
    assert_float_equal(s.spread_pct, 0, 0);
}

static void one_time_has_no_spread(void **state)
{
    const double time = 7;
    struct statistics s = outcome_statistics(&time, 1);
    assert_float_equal(s.median, 7, 0);
    assert_true(isnan(s.spread_pct));
    assert_true(isnan(outcome_statistics(NULL, 0).median));
}

static void measuring_ends_when_it_should(void **state)
{
    double steady[200], noisy[200];
    for (int i = 0; i < 200; i++) {
        steady[i] = 1;
        noisy[i] = i % 2 ? 1 : 2;
    }
    assert_false(outcome_measured(steady, 0, 0, 0));
    assert_false(outcome_measured(steady, 9, 9, 0));
    assert_true(outcome_measured(steady, 10, 10, 0));
    assert_false(outcome_measured(noisy, 10, 10, 0)); // a wide spread asks for more
    assert_true(outcome_measured(noisy, 100, 100, 0));
    assert_true(outcome_measured(noisy, 3, 600, 0)); // the budget is spent
    assert_false(outcome_measured(noisy, 2, 600, 0));
    assert_true(outcome_measured(noisy, 1, 2500, 0));     // one run of seconds is enough
    assert_false(outcome_measured(steady, 19, 5000, 20)); // asked for exactly 20
    assert_true(outcome_measured(steady, 20, 0, 20));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_median_of_an_even_count_lies_between),
        cmocka_unit_test(the_median_s_interval_is_made_of_order_statistics),
        cmocka_unit_test(one_outlier_does_not_move_the_median),
        cmocka_unit_test(one_time_has_no_spread),
        cmocka_unit_test(measuring_ends_when_it_should),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
