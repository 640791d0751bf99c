// What it takes to store parts of sectors: fields of structs, one after the other.
#include "tests/unit/sim_modelled.h"

enum { BLOCKS = 1056, THREADS = 256, FIELDS = 3 };

// Each thread stores the first words of a struct of its own of so many bytes.
static double fields_us(unsigned bytes, int fields)
{
    static char body[1024];
    int length = snprintf(
        body, sizeof body,
        "mul.wide.u32 %%rd3, %%r3, %u;\nmov.u64 %%rd4, structs;\nadd.u64 %%rd4, %%rd4, %%rd3;\n", bytes);
    for (int i = 0; i < fields; i++)
        length +=
            snprintf(body + length, sizeof body - (size_t)length, "st.global.u32 [%%rd4+%d], %%r0;\n", 4 * i);
    snprintf(body + length, sizeof body - (size_t)length, "ret;");
    const struct setting setting = { .body = body,
                                     .before = ".global .align 32 .b8 structs[8650752];\n",
                                     .grid = { BLOCKS },
                                     .block = { THREADS },
                                     .options = { .sample = true } };
    return modelled_us(&setting);
}

// Of 16 bytes they are put together on their way to L2. Of 32 bytes, a sector each, the second and third took 0.87 as long as a
// first one (H100, 2026-11-28).
static void fields_that_follow_each_other_are_put_together(void **state)
{
    expect_near(fields_us(16, FIELDS), fields_us(16, 1), 0.15);
    double sectors = BLOCKS * THREADS * (FIELDS - 1), us = sectors / 100e3; // 100 of an H100 in a ns
    expect_near(fields_us(32, FIELDS) - fields_us(32, 1), us, 0.25);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_that_follow_each_other_are_put_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
