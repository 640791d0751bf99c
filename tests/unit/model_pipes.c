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

// ---- banks of registers -----------------------------------------------------------------------------------------

// Sets what the products and the sums of two registers read of each bank.
static unsigned char product_reads[REGISTER_BANKS], sum_reads[REGISTER_BANKS];

static void set_reads(const struct sim_instruction *code, struct machine_code *machine, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const unsigned char *reads = strncmp(code[i].text, "fma.", 4) == 0    ? product_reads
                                     : strncmp(code[i].text, "add.f", 5) == 0 ? sum_reads
                                                                              : NULL;
        for (int b = 0; b < REGISTER_BANKS && reads; b++)
            machine[i].reads[b] = reads[b];
    }
}

// A scheduler's cycles for each of 32 products, or products and sums in turn, of a warp whose loop adds little to them.
static double cycles_of_each(int even, int odd, bool and_sums, int even_of_sum, int odd_of_sum)
{
    enum { EACH = 32 };
    struct text body = { 0 };
    text_addf(&body, ".reg .f32 %%f<40>;\nmov.f32 %%f1, 0f3F800000;\nmov.u32 %%r4, %d;\nL:\n", ROUNDS);
    for (int i = 0; i < EACH; i++)
        text_addf(&body,
                  and_sums && i % 2 ? "add.f32 %%f%d, %%f1, %%f1;\n"
                                    : "fma.rn.f32 %%f%d, %%f1, %%f1, %%f1;\n",
                  4 + i);
    text_addf(&body, "sub.u32 %%r4, %%r4, 1;\nsetp.ne.u32 %%p1, %%r4, 0;\n@%%p1 bra L;\n");
    for (int i = 0; i < EACH; i++)
        text_addf(&body, "st.global.f32 [%%rd1], %%f%d;\n", 4 + i);
    text_addf(&body, "ret;");
    const struct setting setting = {
        .body = text_string(&body), .grid = { BLOCKS }, .block = { THREADS }, .options = { .sample = true }
    };
    memset(product_reads, 0, sizeof product_reads);
    memset(sum_reads, 0, sizeof sum_reads);
    double free = modelled_changed_us(&setting, 0, set_reads, NULL);
    product_reads[0] = (unsigned char)even, product_reads[1] = (unsigned char)odd;
    sum_reads[0] = (unsigned char)even_of_sum, sum_reads[1] = (unsigned char)odd_of_sum;
    double busy = modelled_changed_us(&setting, 0, set_reads, NULL);
    text_free(&body);
    return 1 + (busy - free) * 1980 / (WARPS_OF_SCHEDULER * ROUNDS * EACH);
}

// Cycles of an H200 (2026-11-28) for products of three registers, e of them even and o odd.
static void a_bank_gives_a_register_in_a_cycle(void **state)
{
    expect_near(cycles_of_each(1, 1, false, 0, 0), 1.0, 0.05);
    expect_near(cycles_of_each(2, 1, false, 0, 0), 2.0, 0.1);
    expect_near(cycles_of_each(3, 0, false, 0, 0), 3.0, 0.1);
}

// Three even ones and three odd ones in turn took 1.5 for each, two even ones and two odd ones 1.0, and three and three even ones 3.
static void banks_give_registers_at_the_same_time(void **state)
{
    expect_near(cycles_of_each(3, 0, true, 0, 3), 1.5, 0.15);
    expect_near(cycles_of_each(2, 0, true, 0, 2), 1.0, 0.1);
    expect_near(cycles_of_each(2, 1, true, 1, 1), 1.5, 0.1);
    expect_near(cycles_of_each(3, 0, true, 3, 0), 3.0, 0.1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(special_functions_and_conversions_share_a_unit),
        cmocka_unit_test(products_and_special_functions_do_not),
        cmocka_unit_test(wide_products_take_as_long_as_two),
        cmocka_unit_test(a_bank_gives_a_register_in_a_cycle),
        cmocka_unit_test(banks_give_registers_at_the_same_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
