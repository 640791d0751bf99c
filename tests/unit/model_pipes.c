// Instructions that wait for the same unit of an SM, and those that do not.
#include "tests/unit/sim_modelled.h"

enum { BLOCKS = 132, THREADS = 1024, ROUNDS = 64, WARPS_OF_SCHEDULER = THREADS / 32 / 4 };

// Each warp does so `ROUNDS` times, with the floats %f1 and %f2.
static double rounds_us(const char *what)
{
    static char body[1024];
    snprintf(
        body, sizeof body,
        ".reg .f32 %%f<4>;\nmov.f32 %%f1, 0f3F800000;\nmov.f32 %%f2, 0f3F800000;\nmov.u32 %%r4, %d;\nL:\n%s\n"
        "sub.u32 %%r4, %%r4, 1;\nsetp.ne.u32 %%p1, %%r4, 0;\n@%%p1 bra L;\n"
        "st.global.f32 [%%rd1], %%f1;\nst.global.f32 [%%rd1], %%f2;\nret;",
        ROUNDS, what);
    const struct setting setting = {
        .body = body, .grid = { BLOCKS }, .block = { THREADS }, .options = { .sample = true }
    };
    return modelled_us(&setting);
}

// On an H100 either takes a scheduler's part of the unit 8 cycles, and one of each 16 (2026-11-28).
static void special_functions_and_conversions_share_a_unit(void **state)
{
    static const char special[] = "ex2.approx.ftz.f32 %f1, %f1;",
                      conversion[] = "cvt.rzi.s32.f32 %r5, %f2;\nmov.b32 %f2, %r5;",
                      both[] = "ex2.approx.ftz.f32 %f1, %f1;\ncvt.rzi.s32.f32 %r5, %f2;\nmov.b32 %f2, %r5;";
    double cycles = WARPS_OF_SCHEDULER * ROUNDS / (1.98 * 1000); // of each scheduler, in us
    expect_near(rounds_us(special), 8 * cycles, 0.2);
    expect_near(rounds_us(conversion), 8 * cycles, 0.2);
    expect_near(rounds_us(both), 16 * cycles, 0.2);
}

static void products_and_special_functions_do_not(void **state)
{
    double alone = rounds_us("ex2.approx.ftz.f32 %f1, %f1;");
    expect_near(rounds_us("ex2.approx.ftz.f32 %f1, %f1;\nfma.rn.f32 %f2, %f2, %f2, %f2;"), alone, 0.1);
}

// An H100 takes 2.0 of a scheduler's cycles for a product of 32 bits, and 4.0 for its upper half (2026-11-28).
static void wide_products_take_as_long_as_two(void **state)
{
    double cycles = WARPS_OF_SCHEDULER * ROUNDS / (1.98 * 1000);
    expect_near(rounds_us("mul.hi.u32 %r5, %r5, %r4;\nmul.hi.u32 %r6, %r6, %r4;\nmul.hi.u32 %r7, %r7, "
                          "%r4;\nmul.hi.u32 %r8, %r8, %r4;"),
                4 * 4 * cycles, 0.15);
    assert_true(rounds_us("mul.lo.u32 %r5, %r5, %r4;\nmul.lo.u32 %r6, %r6, %r4;\nmul.lo.u32 %r7, %r7, "
                          "%r4;\nmul.lo.u32 %r8, %r8, %r4;") < 4 * 3 * cycles);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(special_functions_and_conversions_share_a_unit),
        cmocka_unit_test(products_and_special_functions_do_not),
        cmocka_unit_test(wide_products_take_as_long_as_two),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
