// What loads of constants by an index cost: a turn for each different address.
// Parts: wide baseline
#include "tests/unit/sim_kernel.h"

static struct kernel_outcome outcome; // large

// `index`: makes %r4 of the lane, %r0; `load`: from the address in %rd4 that is as many elements of `bytes` from the table's.
static struct sim_counters counted(const char *index, unsigned bytes, const char *load)
{
    static char body[2048];
    snprintf(body, sizeof body,
             "%s\nmul.wide.u32 %%rd3, %%r4, %u;\nmov.u64 %%rd4, table;\nadd.u64 %%rd4, %%rd4, %%rd3;\n%s\n"
             "st.global.u32 [%%rd0], %%r5;\nret;",
             index, bytes, load);
    const struct setting setting = {
        .body = body, .before = ".const .align 16 .b8 table[1024];\n", .grid = { 2 }, .block = { 64 }
    };
    run(&setting, &outcome);
    struct sim_counters counters = outcome.result.counters;
    drop(&outcome);
    return counters;
}

static void expect(struct sim_counters counters, unsigned requests, unsigned turns)
{
    assert_int_equal(counters.constant_requests, requests);
    assert_int_equal(counters.constant_turns, turns);
}

static const char word[] = "ld.const.u32 %r5, [%rd4];";

static void a_request_has_a_turn_for_each_different_address(void **state)
{
    expect(counted("mov.u32 %r4, 7;", 4, word), 4, 4);
    expect(counted("and.b32 %r4, %r0, 1;", 4, word), 4, 4 * 2);
    expect(counted("and.b32 %r4, %r0, 31;", 4, word), 4, 4 * 32);
    expect(counted("shr.u32 %r4, %r0, 4;", 4, word), 4, 4 * 2); // in rows
    expect(counted("mul.lo.u32 %r4, %r0, 7;\nand.b32 %r4, %r4, 15;", 4, word), 4, 4 * 16);
}

static void it_does_not_matter_how_many_bytes_an_address_has(void **state)
{
    static const char four[] = "ld.const.v4.u32 {%r5, %r6, %r7, %r8}, [%rd4];";
    expect(counted("mov.u32 %r4, 7;", 16, four), 4, 4);
    expect(counted("and.b32 %r4, %r0, 31;", 16, four), 4, 4 * 32);
    expect(counted("and.b32 %r4, %r0, 31;", 8, "ld.const.v2.u32 {%r5, %r6}, [%rd4];"), 4, 4 * 32);
    expect(counted("and.b32 %r4, %r0, 31;", 1, "ld.const.u8 %r5, [%rd4+3];"), 4, 4 * 32);
}

static void lanes_that_are_off_have_no_address(void **state)
{
    static const char index[] = "and.b32 %r4, %r0, 31;\nsetp.lt.u32 %p1, %r4, 5;\nmov.u32 %r5, 0;";
    expect(counted(index, 4, "@%p1 ld.const.u32 %r5, [%rd4];"), 4, 4 * 5);
    expect(counted(index, 4, "@!%p1 ld.const.u32 %r5, [%rd4];"), 4, 4 * 27);
    static const char none[] = "mov.u32 %r4, 0;\nsetp.gt.u32 %p1, %r4, 5;\nmov.u32 %r5, 0;";
    expect(counted(none, 4, "@%p1 ld.const.u32 %r5, [%rd4];"), 0, 0);
}

// A loop whose lanes leave one after the other: in each turn one address less.
static void what_is_known_of_the_last_access_does_not_change_it(void **state)
{
    static const char loop[] =
        "and.b32 %r6, %r0, 31;\nmov.u32 %r7, 0;\nL:\nld.const.u32 %r5, [%rd4];\nld.const.u8 %r8, [%rd4+1];\n"
        "add.u64 %rd4, %rd4, 4;\nadd.u32 %r7, %r7, 1;\nsetp.lt.u32 %p1, %r7, %r6;\n@%p1 bra L;";
    enum { TURNS = 32 + 30 * 31 / 2 }; // lanes 0 and 1 go round once
    expect(counted("and.b32 %r4, %r0, 31;", 4, loop), 2 * 4 * 31, 2 * 4 * TURNS);
    expect(counted("mov.u32 %r4, 7;", 4, loop), 2 * 4 * 31, 2 * 4 * 31);
}

static void constants_at_a_known_place_are_operands(void **state)
{
    expect(counted("mov.u32 %r4, 0;", 4, "ld.const.u32 %r5, [table+64];"), 0, 0);
}

static void they_are_nothing_else(void **state)
{
    struct sim_counters counters = counted("and.b32 %r4, %r0, 31;", 4, word);
    assert_int_equal(counters.requests[SIM_GLOBAL_LOAD], 0);
    assert_int_equal(counters.passes[SIM_GLOBAL_LOAD], 0);
    assert_int_equal(counters.requests[SIM_GLOBAL_STORE], 4);
}

static void a_sample_has_the_turns_of_each_step(void **state)
{
    const struct setting setting = {
        .body = "and.b32 %r4, %r0, 3;\nmul.wide.u32 %rd3, %r4, 4;\nmov.u64 %rd4, table;\nadd.u64 %rd4, %rd4, "
                "%rd3;\nmov.u32 %r6, 0;\nL:\nld.const.u32 %r5, [%rd4];\nld.const.u32 %r7, [table];\n"
                "add.u32 %r6, %r6, 1;\nsetp.lt.u32 %p1, %r6, 5;\n@%p1 bra L;\nret;",
        .before = ".const .align 16 .b8 table[1024];\n",
        .grid = { 2 },
        .block = { 64 },
        .options = { .sample = true }
    };
    run(&setting, &outcome);
    const struct sim_sampled_warp *warp = &outcome.result.sample->blocks[1].warps[1];
    unsigned loads = 0, passes = 0;
    for (size_t i = 0; i < warp->step_count; i++) {
        loads += warp->steps[i].passes == 4;
        passes += warp->steps[i].passes;
    }
    assert_int_equal(loads, 5);
    assert_int_equal(passes, 5 * 4);
    assert_int_equal(outcome.result.sample->loaded, 0);
    drop(&outcome);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_request_has_a_turn_for_each_different_address),
        cmocka_unit_test(it_does_not_matter_how_many_bytes_an_address_has),
        cmocka_unit_test(lanes_that_are_off_have_no_address),
        cmocka_unit_test(what_is_known_of_the_last_access_does_not_change_it),
        cmocka_unit_test(constants_at_a_known_place_are_operands),
        cmocka_unit_test(they_are_nothing_else),
        cmocka_unit_test(a_sample_has_the_turns_of_each_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
