// Constants by an index: different addresses take turns, and a load waits for its value.
#include "tests/unit/sim_modelled.h"

static const double ghz = 1.98; // of an H100

// 64 loads of `load` in each warp, whose lanes have the index that `index` leaves in %r4.
static struct setting loads(const char *index, const char *load, unsigned blocks, unsigned threads)
{
    static char body[2048];
    snprintf(body, sizeof body,
             "%s\nmul.wide.u32 %%rd3, %%r4, 16;\nmov.u64 %%rd4, table;\nadd.u64 %%rd4, %%rd4, %%rd3;\n"
             "mov.u32 %%r6, 64;\nmov.u32 %%r5, 0;\nmov.u32 %%r9, 0;\nL:\n%s\nadd.u32 %%r9, %%r9, %%r5;\n"
             "sub.u32 %%r6, %%r6, 1;\nsetp.ne.u32 %%p1, %%r6, 0;\n@%%p1 bra L;\nst.global.u32 [%%rd1], "
             "%%r9;\nret;",
             index, load);
    return (struct setting){ .body = body,
                             .before = ".const .align 16 .b8 table[2048];\n",
                             .grid = { blocks },
                             .block = { threads },
                             .options = { .sample = true } };
}

static const char one[] = "mov.u32 %r4, 3;", two[] = "and.b32 %r4, %r0, 1;", each[] = "and.b32 %r4, %r0, 31;",
                  word[] = "ld.const.u32 %r5, [%rd4];";
enum { SMS = 132, THREADS = 1024, WARPS = THREADS / 32, ROUNDS = 64 };

static double full_us(const char *index, const char *load)
{
    struct setting s = loads(index, load, SMS, THREADS);
    return modelled_us(&s);
}

// 2.08 cycles of an H100's SM for one address, and as many for each further one.
static void different_addresses_take_turns(void **state)
{
    double turn_us = WARPS * ROUNDS * 2.08 / (ghz * 1000);
    expect_near(full_us(two, word), 2 * turn_us, 0.2);
    expect_near(full_us(each, word), 32 * turn_us, 0.05);
    assert_true(full_us(one, word) < 0.7 * full_us(two, word));
}

static void sixteen_bytes_take_two_turns(void **state)
{
    static const char four[] = "ld.const.v4.u32 {%r5, %r10, %r11, %r12}, [%rd4];";
    double turn_us = WARPS * ROUNDS * 2.08 / (ghz * 1000);
    expect_near(full_us(one, four), 2 * turn_us, 0.2);
    expect_near(full_us(each, four), 64 * turn_us, 0.05);
}

static double of_64_kb_us(const char *index)
{
    struct setting s = loads(index, word, SMS, THREADS);
    s.before = ".const .align 16 .b8 table[65536];\n";
    return modelled_us(&s);
}

// A table of 64 KB, of which the cache has 2: lanes whose words lie in a line each take 24 cycles for each that it lacks; words of
// few lines take turns only.
static void lines_that_the_cache_lacks_take_longer(void **state)
{
    static const char apart[] = "and.b32 %r4, %r0, 31;\nshl.b32 %r4, %r4, 2;";
    const double cycles = WARPS * ROUNDS / (ghz * 1000), lacks = 24 * (1 - 2048. / 65536);
    expect_near(full_us(apart, word), 32 * 2.08 * cycles, 0.05);
    expect_near(of_64_kb_us(each), (32 * 2.08 + 8 * lacks) * cycles, 0.05);
    expect_near(of_64_kb_us(apart), 32 * (2.08 + lacks) * cycles, 0.05);
}

static void by_uniform_register(const struct sim_instruction *code, struct machine_code *machine,
                                size_t count)
{
    for (size_t i = 0; i < count; i++)
        machine[i].look_ups = code[i].base && strstr(code[i].text, "ld.const") ? 1 : 0;
}

// The cache of look-ups by uniform registers holds 256 bytes: of 2 KB all but a 64th are missing, and half of them where the SM
// holds two blocks of 1024 threads.
static void look_ups_by_uniform_registers_have_a_small_cache(void **state)
{
    const double cycles = WARPS * ROUNDS / (ghz * 1000), missing = 24 * (1 - 1. / 64);
    struct setting apart = loads(one, word, SMS * 8, THREADS / 8), together = loads(one, word, SMS, THREADS),
                   small = apart;
    small.before = ".const .align 16 .b8 table[256];\n";
    expect_near(modelled_changed_us(&apart, 0, by_uniform_register, NULL), (2.08 + missing) * cycles, 0.1);
    expect_near(modelled_changed_us(&together, 0, by_uniform_register, NULL), (2.08 + missing / 2) * cycles,
                0.1);
    expect_near(modelled_changed_us(&small, 0, by_uniform_register, NULL), modelled_us(&small), 0.01);
}

static void the_limiter_is_named(void **state)
{
    struct setting s = loads(each, word, SMS, THREADS);
    struct model_time time = modelled_as(&s, 0, NULL, NULL);
    assert_int_equal(time.limiter, TERM_CONSTANT);
    assert_string_equal(model_term_name(time.limiter), "constants");
}

static void without_different_addresses_they_take_as_long_as_by_one(void **state)
{
    struct setting s = loads(each, word, SMS, THREADS);
    double freed = modelled_without_us(&s, WITHOUT_ADDRESSES);
    expect_near(freed, full_us(one, word), 0.02);
}

// 46 cycles of an H100, and about 20 for the conversion, the addition of 64 bits and the branch.
static void a_load_waits_for_the_one_before(void **state)
{
    struct setting s =
        loads(one, "ld.const.u32 %r5, [%rd4];\ncvt.u64.u32 %rd3, %r5;\nadd.u64 %rd4, %rd4, %rd3;", 1, 32);
    expect_near(modelled_us(&s), ROUNDS * (46 + 20) / (ghz * 1000), 0.15);
}

static void constants_at_a_known_place_take_no_turns(void **state)
{
    struct setting s = loads(each, "ld.const.u32 %r5, [table+16];", SMS, THREADS);
    assert_true(modelled_as(&s, 0, NULL, NULL).term_ms[TERM_CONSTANT] == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(different_addresses_take_turns),
        cmocka_unit_test(sixteen_bytes_take_two_turns),
        cmocka_unit_test(lines_that_the_cache_lacks_take_longer),
        cmocka_unit_test(look_ups_by_uniform_registers_have_a_small_cache),
        cmocka_unit_test(the_limiter_is_named),
        cmocka_unit_test(without_different_addresses_they_take_as_long_as_by_one),
        cmocka_unit_test(a_load_waits_for_the_one_before),
        cmocka_unit_test(constants_at_a_known_place_take_no_turns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
