// How wide the rows are that an instruction reads and writes: decided once, and nothing goes by another width. What
// does not fit together is not run, and says so.
#include "tests/unit/sim_kernel.h"

#define REGISTERS                                                                                            \
    ".reg .b16 %h<3>; .reg .b64 %w<4>; .reg .b128 %q<2>; .reg .pred %one, %two;\n"                           \
    "mov.u64 %w1, -1; mov.u64 %w2, -1; mov.u64 %w3, -1;\n"

static void expect_refused(const char *instruction)
{
    char body[1024];
    struct kernel_outcome outcome;
    snprintf(body, sizeof body, "%s%s\n", REGISTERS, instruction);
    run(&(struct setting){ .body = body, .options.check = SIM_CHECK_ALL }, &outcome);
    if (!outcome.result.finding_count || outcome.result.findings[0].kind != SIM_UNKNOWN ||
        !strstr(outcome.result.findings[0].sentence, instruction))
        fail_msg("%s is not refused: %s", instruction,
                 outcome.result.finding_count ? outcome.result.findings[0].sentence : "nothing was found");
    drop(&outcome);
}

static void parts_of_a_vector_have_one_width(void **state)
{
    static const char *const instructions[] = {
        "ld.global.v4.u32 {_, %r2, %r2, %w2}, [%rd1];",
        "ld.global.v4.u32 {%r2, %r2, %r2, %w2}, [%rd1];",
        "ld.global.v4.u32 {%w2, %r2, _, _}, [%rd1];",
        "ld.global.v4.u32 {_, _, %w2, %r2}, [%rd1];",
        "ld.global.v2.u64 {_, %r2}, [%rd1];",
        "ld.global.v2.u8 {_, %one}, [%rd1];",
        "ld.global.v2.s8 {%h1, %r2}, [%rd1];",
        "ld.global.v4.u32 {_, %r2}, [%rd1];",
        "ld.global.v2.u32 {_, _, %r2}, [%rd1];",
        "ld.global.v2.u32 %r2, [%rd1];",
        "st.global.v4.u32 [%rd1], {1, %r2, %r2, %w2};",
        "st.global.v2.u64 [%rd1], {%w2, %r2};",
        "st.global.v2.u32 [%rd1], {_, %r2};",
        "st.global.v4.u32 [%rd1], {%r2, %r2};",
        "st.global.v2.u8 [%rd1], {%r2, %one};",
        "st.shared.u32 [%r1], _;",
        "ldu.global.v2.f32 {_, %one}, [%rd1];",
        "ld.shared.v2.u64 {%w1, %r2}, [%r1];",
        "atom.global.add.v2.f32 {_, %w1}, [%rd1], {%r2, %r2};",
        "atom.global.add.v2.f32 {_, %r2}, [%rd1], {%r2, %w2};",
        "red.global.add.v2.f32 [%rd1], {%r2, %one};",
        "mov.b64 {_, %w1}, %w2;",
        "mov.b64 {_, %one}, %w2;",
        "mov.b64 %w1, {%r2, %w2};",
        "mov.b32 {_, _, _, %w2}, %r3;",
        "mov.b64 {%r2, %r2}, %r3;",
        "mov.b64 %w1, {_, %r2};",
    };
    for (size_t i = 0; i < sizeof instructions / sizeof *instructions; i++)
        expect_refused(instructions[i]);
}

static void a_predicate_is_no_value(void **state)
{
    static const char *const instructions[] = {
        "ld.global.u8 %one, [%rd1];",
        "st.global.u8 [%rd1], %one;",
        "cvta.pred %one, %two;",
        "selp.pred %one, %two, %two, %one;",
        "mov.b32 %r2, %one;",
        "add.u32 %r2, %one, 1;",
        "slct.u32.pred %r2, %r2, %r2, %one;",
        "cvt.u32.u8 %r2, %one;",
        "cvt.u8.u32 %one, %r2;",
        "shfl.sync.idx.b32 %one, %r2, 0, 31, -1;",
        "atom.global.add.u32 %one, [%rd1], 1;",
        "cvta.u16 %h1, %h2;",
        "mov.b128 %q1, %w1;",
    };
    for (size_t i = 0; i < sizeof instructions / sizeof *instructions; i++)
        expect_refused(instructions[i]);
}

// `_` takes what its neighbours take, wherever it is.
static void sinks_stand_anywhere(void **state)
{
    struct setting setting = { .body = REGISTERS "st.global.v4.u32 [%rd1], {11, 12, 13, 14};\n"
                                                 "ld.global.v4.u32 {_, %r2, _, %r3}, [%rd1];\n"
                                                 "st.global.v2.u32 [%rd1+16], {%r2, %r3};\n"
                                                 "ld.global.v4.u32 {_, _, %w1, %w2}, [%rd1];\n"
                                                 "st.global.v2.u64 [%rd1+32], {%w1, %w2};\n"
                                                 "ld.global.v2.u32 {_, _}, [%rd1];\n"
                                                 "ld.global.v2.u64 {%w3, _}, [%rd1];\n"
                                                 "mov.b64 {_, %r2}, %w3;\n"
                                                 "st.global.u32 [%rd1+48], %r2;\n",
                               .options.check = SIM_CHECK_ALL };
    static const uint32_t want[] = { 11, 12, 13, 14, 12, 14, 0, 0, 13, 0, 14, 0, 12 };
    struct kernel_outcome outcome;
    run(&setting, &outcome);
    expect_clean(&outcome);
    for (size_t i = 0; i < sizeof want / sizeof *want; i++)
        assert_int_equal(outcome.words[i], want[i]);
    drop(&outcome);
}

// Global memory adds vectors of decimals, up to 16 bytes; nothing else knows them.
static void vectors_of_atomics_have_bounds(void **state)
{
    static const char *const instructions[] = {
        "red.shared.add.v2.f32 [%r1], {%r2, %r3};",
        "atom.shared.add.v4.f32 {%r2, %r2, %r2, %r2}, [%r1], {%r2, %r3, %r2, %r3};",
        "red.global.add.v8.f32 [%rd1], {%r2, %r2, %r2, %r2, %r2, %r2, %r2, %r2};",
        "red.add.v8.f64 [%rd1], {%w1, %w1, %w1, %w1, %w1, %w1, %w1, %w1};",
        "red.add.v8.u64 [%rd1], {%w1, %w1, %w1, %w1, %w1, %w1, %w1, %w1};",
        "atom.shared.add.v2.u64 {%w1, %w1}, [%r1], {%w1, %w2};",
        "atom.global.cas.v2.b64 {%w1, %w1}, [%rd1], {%w1, %w2}, %w2;",
        "ld.global.v8.u64 {%w1, %w1, %w1, %w1, %w1, %w1, %w1, %w1}, [%rd1];",
        "st.global.v8.f64 [%rd1], {%w1, %w1, %w1, %w1, %w1, %w1, %w1, %w1};",
    };
    for (size_t i = 0; i < sizeof instructions / sizeof *instructions; i++)
        expect_refused(instructions[i]);
    struct setting setting = { .body = REGISTERS "mov.b32 %r2, 0f3f800000; mov.b32 %r3, 0f40000000;\n"
                                                 "red.global.add.v2.f32 [%rd1], {%r2, %r3};\n"
                                                 "red.add.v4.f32 [%rd1+16], {%r3, %r2, %r3, %r2};\n",
                               .block = { 2 },
                               .options.check = SIM_CHECK_ALL };
    static const uint32_t want[] = { 0x40000000, 0x40800000, 0,          0,
                                     0x40800000, 0x40000000, 0x40800000, 0x40000000 };
    struct kernel_outcome outcome;
    run(&setting, &outcome);
    expect_clean(&outcome);
    for (size_t i = 0; i < sizeof want / sizeof *want; i++)
        assert_int_equal(outcome.words[i], want[i]);
    drop(&outcome);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_of_a_vector_have_one_width),
        cmocka_unit_test(a_predicate_is_no_value),
        cmocka_unit_test(sinks_stand_anywhere),
        cmocka_unit_test(vectors_of_atomics_have_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
