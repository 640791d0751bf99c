// Which build of the handlers a module gets: the widest that the processor has, unless a narrower one is asked for.
// Processors with AVX-512 show here that it changes nothing but the speed.
#include "tests/unit/sim_random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

enum { KERNELS = 60 };

static enum build asked(const char *narrow)
{
    setenv("WARPBOOK_SIM_BASELINE", narrow, 1);
    const enum build got = lanes_build();
    unsetenv("WARPBOOK_SIM_BASELINE");
    return got;
}

static void a_narrower_one_can_be_asked_for(void **state)
{
    unsetenv("WARPBOOK_SIM_BASELINE");
    const enum build widest = lanes_build();
    assert_int_equal(asked("1"), BUILD_ANY);
    assert_int_equal(asked("avx2"), widest < BUILD_V3 ? widest : BUILD_V3);
    lanes_widest = BUILD_V3;
    assert_true(lanes_build() <= BUILD_V3);
    assert_int_equal(asked("1"), BUILD_ANY);
    lanes_widest = BUILD_V4;
    assert_int_equal(lanes_build(), widest);
}

// Handlers are told apart by their addresses.
static void each_build_has_handlers_of_its_own(void **state)
{
    struct choices choices = { .seed = 77777 };
    struct text kernel = { 0 };
    struct random_modules modules;
    struct sim_fault fault;
    random_kernel(&choices, &kernel);
    assert_true(random_read(&kernel, &modules, &fault));
    for (enum build build = BUILD_V3; build <= lanes_build(); build++) {
        const struct function *one = &modules.by_build[build - 1]->functions[0];
        const struct function *other = &modules.by_build[build]->functions[0];
        size_t differ = 0;
        assert_int_equal(one->op_count, other->op_count);
        for (size_t i = 0; i < one->op_count; i++)
            differ += one->ops[i].run != other->ops[i].run;
        assert_true(differ > one->op_count / 2);
    }
    random_drop(&modules);
    text_free(&kernel);
}

static void avx512_gives_what_avx2_gives(void **state)
{
    static const enum sim_check checks[] = { SIM_CHECK_NONE, SIM_CHECK_COUNTERS, SIM_CHECK_ALL };
    static struct random_run narrow, wide;
    if (lanes_build() < BUILD_V4) {
        printf("skipped: the processor has no AVX-512\n");
        skip();
    }
    for (uint64_t seed = 1; seed <= KERNELS; seed++) {
        struct choices choices = { .seed = seed * 31337 };
        struct text kernel = { 0 };
        struct random_modules modules;
        struct sim_fault fault;
        random_kernel(&choices, &kernel);
        assert_true(random_read(&kernel, &modules, &fault));
        for (int i = 0; i < 3; i++) {
            const struct random_way v3 = { checks[i], 1, 0, BUILD_V3 }, v4 = { checks[i], 1, 0, BUILD_V4 };
            if (!random_run(&modules, &v3, &narrow, &fault) || !random_run(&modules, &v4, &wide, &fault))
                fail_msg("%s\n%s", fault.text, kernel.data);
            const char *differs = random_difference(&narrow, &wide, checks[i] != SIM_CHECK_NONE);
            if (differs)
                fail_msg("kernel %d: %s differ\n%s", (int)seed, differs, kernel.data);
            sim_result_free(&narrow.result);
            sim_result_free(&wide.result);
        }
        random_drop(&modules);
        text_free(&kernel);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_narrower_one_can_be_asked_for),
        cmocka_unit_test(each_build_has_handlers_of_its_own),
        cmocka_unit_test(avx512_gives_what_avx2_gives),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
