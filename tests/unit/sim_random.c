// Random kernels give the same bytes and the same counts with every check, on one and two host threads, in every order
// of blocks and in both instruction sets of the host.
#include "tests/unit/sim_random.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { KERNELS = 200 };

static struct random_run first, other;

static void make_kernel(uint64_t seed, struct text *kernel, struct random_modules *modules)
{
    struct choices choices = { .seed = seed * 77777 };
    struct sim_fault fault;
    random_kernel(&choices, kernel);
    if (!random_read(kernel, modules, &fault))
        fail_msg("line %d: %s\n%s", fault.line, fault.text, kernel->data);
}

// Nothing in it is wrong, and the simulator knows every instruction.
static void run_way(const struct text *kernel, const struct random_modules *modules, int way,
                    struct random_run *run)
{
    struct sim_fault fault;
    if (!random_run(modules, &random_ways[way], run, &fault))
        fail_msg("%s\n%s", fault.text, kernel->data);
    for (size_t i = 0; i < run->result.finding_count; i++)
        if (run->result.findings[i].kind == SIM_UNKNOWN || run->result.findings[i].severity == SIM_ERROR)
            fail_msg("%s\n%s", run->result.findings[i].sentence, kernel->data);
}

static void every_way_is_alike(void **state)
{
    for (int seed = 1; seed <= KERNELS; seed++) {
        struct text kernel = { 0 };
        struct random_modules modules;
        make_kernel((uint64_t)seed, &kernel, &modules);
        run_way(&kernel, &modules, 0, &first);
        for (int way = 1; way < RANDOM_WAYS; way++) {
            run_way(&kernel, &modules, way, &other);
            const char *differs = random_difference(&first, &other, random_ways[way].check != SIM_CHECK_NONE);
            if (differs)
                fail_msg("kernel %d, way %d: %s differ\n%s", seed, way, differs, kernel.data);
            sim_result_free(&other.result);
        }
        sim_result_free(&first.result);
        random_drop(&modules);
        text_free(&kernel);
    }
}

static void kernels_do_something(void **state)
{
    struct text kernel = { 0 };
    struct random_modules modules;
    make_kernel(5, &kernel, &modules);
    run_way(&kernel, &modules, 0, &first);
    assert_true(first.result.complete && first.result.counters.warp_inst > 100);
    sim_result_free(&first.result);
    random_drop(&modules);
    text_free(&kernel);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_way_is_alike),
        cmocka_unit_test(kernels_do_something),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
