// The input decides what a random kernel does; every check, one and two host threads, both orders of blocks and both
// instruction sets of the host must make the same bytes and counts of it.
#include "tests/fuzz/shared/fuzz.h"
#include "tests/unit/sim_random.h"

#include <stdio.h>
#include <stdlib.h>

static void give_up(const struct text *kernel, int way, const char *why)
{
    fprintf(stderr, "way %d: %s\n%s", way, why, kernel->data);
    abort();
}

static void compare(const struct text *kernel, const struct random_modules *modules)
{
    static struct random_run first, other;
    struct sim_fault fault;
    if (!random_run(modules, &random_ways[0], &first, &fault))
        give_up(kernel, 0, fault.text);
    for (int way = 1; way < RANDOM_WAYS; way++) {
        if (!random_run(modules, &random_ways[way], &other, &fault))
            give_up(kernel, way, fault.text);
        const char *differs = random_difference(&first, &other, random_ways[way].check != SIM_CHECK_NONE);
        if (differs)
            give_up(kernel, way, differs);
        sim_result_free(&other.result);
    }
    sim_result_free(&first.result);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct choices choices = { data, data + size, size };
    struct random_modules modules;
    struct sim_fault fault;
    struct text kernel = { 0 };
    random_kernel(&choices, &kernel);
    if (!random_read(&kernel, &modules, &fault))
        give_up(&kernel, -1, fault.text);
    compare(&kernel, &modules);
    random_drop(&modules);
    text_free(&kernel);
    return 0;
}
