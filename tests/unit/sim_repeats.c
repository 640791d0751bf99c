// Repeated accesses give the same bytes, counters, findings and samples whether or not anything is kept of the last one.
#include "tests/unit/sim_repeats.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { KERNELS = 100 };

static void compare(uint64_t seed)
{
    static struct repeat_run references[REPEAT_REFERENCES], other;
    struct choices choices = { .seed = seed * 77777 };
    struct repeats kernel = { 0 };
    struct random_modules modules;
    struct sim_fault fault;
    repeat_kernel(&choices, &kernel);
    if (!random_read(&kernel.ptx, &modules, &fault))
        fail_msg("line %d: %s\n%s", fault.line, fault.text, kernel.ptx.data);
    for (int way = 0; way < REPEAT_WAYS; way++) {
        struct repeat_run *run = way < REPEAT_REFERENCES ? &references[way] : &other;
        if (!repeat_may(&kernel, &repeat_ways[way]))
            continue;
        if (!repeat_run(&kernel, &modules, way, run, &fault))
            fail_msg("%s\n%s", fault.text, kernel.ptx.data);
        const char *differs = repeat_difference(&references[repeat_ways[way].like], run, way);
        if (differs)
            fail_msg("kernel %llu, way %d: %s differs\n%s", (unsigned long long)seed, way, differs,
                     kernel.ptx.data);
        if (run == &other)
            sim_result_free(&other.result);
    }
    for (int i = 0; i < REPEAT_REFERENCES; i++)
        sim_result_free(&references[i].result);
    random_drop(&modules);
    text_free(&kernel.ptx);
}

static void every_way_is_as_without_patterns(void **state)
{
    for (uint64_t seed = 1; seed <= KERNELS; seed++)
        compare(seed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_way_is_as_without_patterns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
