// What the simulator's checks find in the PTX that clang makes here of the kernels of tests/data/findings.
#include "tests/unit/sim_mistakes.h"

static const struct compiled_by clang = { "clang", "WARPBOOK_NVRTC=none" };

static bool is_missing(void)
{
    char ptx[256];
    bool missing = !ptx_of(&clang, HERE "race-raw.cu", ptx, sizeof ptx);
    if (missing)
        printf("skipped: clang is not here\n");
    return missing;
}

static void every_mistake_is_found(void **state)
{
    if (is_missing())
        skip();
    expect_mistakes(&clang);
}

static void every_twin_is_clean(void **state)
{
    if (is_missing())
        skip();
    expect_clean_twins(&clang);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_mistake_is_found),
        cmocka_unit_test(every_twin_is_clean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
