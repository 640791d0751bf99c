// Numbers as people read them: whole in their columns, and something is never shown as nothing.
#include "tui/draw/draw.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { CELLS = 9 }; // of the columns that hold times

static void times_fit_their_column(void **state)
{
    static const struct {
        double ms;
        const char *words;
    } times[] = { { 0.00001, "<.0001 ms" }, { 0.0004, "0.0004 ms" }, { 0.0043, "0.0043 ms" },
                  { 0.0127, "0.013 ms" },   { 1.5, "1.500 ms" },     { 13.67, "13.67 ms" },
                  { 214.5, "214.5 ms" },    { 3562, "3562 ms" },     { 0, "0.000 ms" } };
    char out[40];
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        unit_ms(times[i].ms, out, sizeof out);
        assert_string_equal(out, times[i].words);
        assert_true(strlen(out) <= CELLS);
    }
    unit_ms(NAN, out, sizeof out);
    assert_string_equal(out, "");
}

static void counts_have_commas(void **state)
{
    char out[40];
    unit_count(65536, out, sizeof out);
    assert_string_equal(out, "65,536");
    unit_count(-1234567, out, sizeof out);
    assert_string_equal(out, "-1,234,567");
    unit_count(NAN, out, sizeof out);
    assert_string_equal(out, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_fit_their_column),
        cmocka_unit_test(counts_have_commas),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
