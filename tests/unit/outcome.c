// How a number that came out of a run is written beside a prediction.
#include "tui/text/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static void expect(double value, const char *key, const char *text)
{
    char out[64];
    outcome_number(value, key, out, sizeof out);
    assert_string_equal(out, text);
}

static void times(void **unused)
{
    expect(0.2374, "median_ms", "0.237 ms");
    expect(4909, "median_ms", "4909 ms");
}

// Only a time alone is one; what is computed from times has the lesson's unit.
static void ratios_of_times(void **unused)
{
    expect(55.26, "h2d_ms / median_ms", "55.3");
    expect(24, "counters.gld_sec / counters.gld_req", "24");
}

static void large_and_small(void **unused)
{
    expect(33453.67, "ceiling_gbps", "33,454");
    expect(1234567, "counters.gld_sec", "1,234,567");
    expect(0.12345, "ratio", "0.123");
    expect(-2.5, "ratio", "-2.5");
    expect(0, "ratio", "0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times),
        cmocka_unit_test(ratios_of_times),
        cmocka_unit_test(large_and_small),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
