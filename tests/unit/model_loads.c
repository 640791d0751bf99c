// What loads wait for: other blocks' lines on their way from DRAM, and matrices that machine code loads by halves.
#include "tests/unit/sim_modelled.h"

enum { ROUNDS = 64 };

// A warp in each of so many blocks reads the same 64 lines, 256 bytes apart, each when it has the one before. `first`: what it
// does before.
static double rounds_after_us(const char *first, unsigned blocks)
{
    static char body[1024];
    snprintf(body, sizeof body,
             "%smul.wide.u32 %%rd3, %%r0, 4;\nadd.u64 %%rd3, %%rd1, %%rd3;\nmov.u32 %%r4, %d;\nL:\n"
             "ld.global.u32 %%r5, [%%rd3];\nand.b32 %%r5, %%r5, 0;\nadd.u32 %%r5, %%r5, 256;\n"
             "cvt.u64.u32 %%rd4, %%r5;\nadd.u64 %%rd3, %%rd3, %%rd4;\nsub.u32 %%r4, %%r4, 1;\n"
             "setp.ne.u32 %%p1, %%r4, 0;\n@%%p1 bra L;\nret;",
             first, ROUNDS);
    const struct setting setting = {
        .body = body, .grid = { blocks }, .block = { 32 }, .options = { .sample = true }
    };
    return modelled_us(&setting);
}

static double rounds_us(unsigned blocks)
{
    return rounds_after_us("", blocks);
}

// On an H200 it took 23.3 us with one block, without the launch, and 21.5 with 132.
static void blocks_that_read_the_same_lines_all_wait_for_dram(void **state)
{
    double alone = rounds_us(1);
    expect_near(alone, 23, 0.1);
    expect_near(rounds_us(132), alone, 0.1);
}

// Where each thread loads a word of its own before, and all of them all words, nothing waits for DRAM after that.
static void what_all_load_first_is_in_l2(void **state)
{
    double us = rounds_after_us("ld.global.u32 %r6, [%rd0];\n", WORDS / 32);
    expect_near(us, (683 + ROUNDS * 331) / 1980.0, 0.25);
    assert_true(us < 0.7 * rounds_us(WORDS / 32));
}

// A warp in each of 132 blocks goes round 64 lines of its own and 64 of all, one after the other, and waits for those of all only.
// `begin`: where among these a block begins, in %r5.
static double walks_us(const char *begin)
{
    static char body[1024];
    snprintf(body, sizeof body,
             "%s\nmov.u64 %%rd6, own;\nmul.wide.u32 %%rd5, %%r1, 16384;\nadd.u64 %%rd5, %%rd6, "
             "%%rd5;\nmov.u32 %%r4, %d;\nL:\n"
             "and.b32 %%r5, %%r5, 16128;\ncvt.u64.u32 %%rd4, %%r5;\nadd.u64 %%rd3, %%rd1, %%rd4;\n"
             "ld.global.u32 %%r6, [%%rd5];\nld.global.u32 %%r7, [%%rd3];\nand.b32 %%r7, %%r7, 0;\n"
             "add.u32 %%r5, %%r5, %%r7;\nadd.u32 %%r5, %%r5, 256;\nadd.u64 %%rd5, %%rd5, 256;\n"
             "sub.u32 %%r4, %%r4, 1;\nsetp.ne.u32 %%p1, %%r4, 0;\n@%%p1 bra L;\nst.global.u32 [%%rd0], "
             "%%r6;\nret;",
             begin, ROUNDS);
    const struct setting setting = { .body = body,
                                     .before = ".global .align 128 .b8 own[2162688];\n",
                                     .grid = { 132 },
                                     .block = { 32 },
                                     .options = { .sample = true } };
    return modelled_us(&setting);
}

// In step they wait for DRAM each time, apart for L2 only; what each loads alone comes from DRAM, and nobody waits for it.
static void blocks_that_come_apart_find_lines_in_l2(void **state)
{
    expect_near(walks_us("mov.u32 %r5, 0;"), (ROUNDS * 683) / 1980.0, 0.15);
    expect_near(walks_us("mul.lo.u32 %r5, %r1, 6400;"), (ROUNDS * 331) / 1980.0, 0.25);
}

// A warp stores lines, long after its steps are no longer recorded, and reads as many, each when it has the one before.
// `beside`: how far from those that it has stored.
static double reads_back_us(unsigned beside)
{
    static char body[1024];
    snprintf(body, sizeof body,
             "mov.u32 %%r4, 0;\nS:\nmax.s32 %%r5, %%r4, 9936;\nsub.u32 %%r5, %%r5, 9936;\n"
             "mul.wide.u32 %%rd3, %%r5, 256;\nadd.u64 %%rd3, %%rd1, %%rd3;\nst.global.u32 [%%rd3], %%r4;\n"
             "add.u32 %%r4, %%r4, 1;\nsetp.ne.u32 %%p1, %%r4, 10000;\n@%%p1 bra S;\n"
             "add.u64 %%rd3, %%rd1, %u;\nmov.u32 %%r4, %d;\nL:\nld.global.u32 %%r5, [%%rd3];\n"
             "and.b32 %%r5, %%r5, 0;\nadd.u32 %%r5, %%r5, 256;\ncvt.u64.u32 %%rd4, %%r5;\n"
             "add.u64 %%rd3, %%rd3, %%rd4;\nsub.u32 %%r4, %%r4, 1;\nsetp.ne.u32 %%p1, %%r4, 0;\n"
             "@%%p1 bra L;\nret;",
             beside, ROUNDS);
    const struct setting setting = {
        .body = body, .grid = { 1 }, .block = { 32 }, .options = { .sample = true }
    };
    return modelled_us(&setting);
}

static void what_a_block_stored_itself_is_in_l2(void **state)
{
    expect_near(reads_back_us(128) - reads_back_us(0), ROUNDS * (683 - 331) / 1980.0, 0.25);
}

// ---- iterations that are issued as one ----------------------------------------------------------------------------------

// One warp adds up 64 lines, at addresses that it knows beforehand.
static const struct setting sum_of_lines = {
    .body =
        "mov.u32 %r4, 64;\nmov.u32 %r5, 0;\nmov.u64 %rd3, %rd1;\nL:\nld.global.u32 %r6, [%rd3];\n"
        "mul.lo.u32 %r7, %r6, 3;\nadd.u32 %r5, %r5, %r7;\nadd.u64 %rd3, %rd3, 256;\nsub.u32 %r4, %r4, 1;\n"
        "setp.ne.u32 %p1, %r4, 0;\n@%p1 bra L;\nst.global.u32 [%rd0], %r5;\nret;",
    .grid = { 1 },
    .block = { 32 },
    .options = { .sample = true }
};

// Iterations of four, whose loads have these places; the products of the first two of them wait at 2, those of the others at 6.
static void place_loads(const struct sim_instruction *code, struct machine_code *machine, size_t count,
                        const short loads[4])
{
    static const short products[4] = { 2, 3, 6, 7 }, rest[4] = { 8, 8, 8, 8 };
    for (size_t i = 0; i < count; i++) {
        bool leads = code[i].leads && code[i].access == SIM_GLOBAL_LOAD, loop = !!strstr(code[i].text, "%r7");
        machine[i].unrolled = leads ? 4 : 0;
        machine[i].placed = leads;
        memcpy(machine[i].place, leads ? loads : loop ? products : rest, 4 * sizeof *rest);
    }
}

static void all_before_the_first_product(const struct sim_instruction *code, struct machine_code *machine,
                                         size_t count)
{
    place_loads(code, machine, count, (short[]){ 0, 0, 1, 1 });
}

static void two_before_each_pair(const struct sim_instruction *code, struct machine_code *machine,
                                 size_t count)
{
    place_loads(code, machine, count, (short[]){ 0, 1, 4, 5 });
}

static void one_by_one(const struct sim_instruction *code, struct machine_code *machine, size_t count)
{
    (void)code;
    for (size_t i = 0; i < count; i++)
        machine[i].unrolled = 0;
}

// What is loaded before the first use of any of it is on its way at the same time; a product waits for its own load only.
static void loads_wait_where_machine_code_has_their_first_use(void **state)
{
    double one = modelled_changed_us(&sum_of_lines, 0, one_by_one, NULL);
    double two = modelled_changed_us(&sum_of_lines, 0, two_before_each_pair, NULL);
    double four = modelled_changed_us(&sum_of_lines, 0, all_before_the_first_product, NULL);
    assert_true(one > 64 * 683 / 1980.0);
    expect_near(two, one / 2, 0.1);
    expect_near(four, one / 4, 0.15);
}

// ---- matrices ------------------------------------------------------------------------------------------------------------

// A warp loads a matrix for each product; `type`: of both.
static double products_us(const char *load, const char *product)
{
    static char body[2048];
    snprintf(body, sizeof body,
             ".reg .b32 %%a<16>;\n.reg .f32 %%f<8>;\nmov.u32 %%r4, 64;\nmov.u32 %%r5, 64;\nL:\n%s\n%s\n"
             "sub.u32 %%r4, %%r4, 1;\nsetp.ne.u32 %%p1, %%r4, 0;\n@%%p1 bra L;\nret;",
             load, product);
    const struct setting setting = {
        .body = body, .grid = { 1 }, .block = { 32 }, .options = { .sample = true }
    };
    return modelled_us(&setting);
}

// The products of TF32 come in halves, whose loads wait for each other; those of halves do not.
static void matrices_of_tf32_are_loaded_by_halves(void **state)
{
    static const char half_sum[] =
        "wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 {%f0,%f1,%f2,%f3,%f4,%f5,%f6,%f7}, "
        "{%a0,%a1,%a2,%a3,%a4,%a5,%a6,%a7}, {%a0,%a1,%a2,%a3,%a4,%a5,%a6,%a7}, "
        "{%f0,%f1,%f2,%f3,%f4,%f5,%f6,%f7};";
    static const char tf32_sum[] =
        "wmma.mma.sync.aligned.row.col.m16n16k8.f32.tf32.tf32.f32 {%f0,%f1,%f2,%f3,%f4,%f5,%f6,%f7}, "
        "{%a0,%a1,%a2,%a3}, {%a0,%a1,%a2,%a3}, {%f0,%f1,%f2,%f3,%f4,%f5,%f6,%f7};";
    double halves = products_us("wmma.load.a.sync.aligned.row.m16n16k16.global.f16 "
                                "{%a0,%a1,%a2,%a3,%a4,%a5,%a6,%a7}, [%rd1], %r5;",
                                half_sum);
    double tf32 = products_us(
        "wmma.load.a.sync.aligned.row.m16n16k8.global.tf32 {%a0,%a1,%a2,%a3}, [%rd1], %r5;", tf32_sum);
    if (tf32 < 1.5 * halves)
        fail_msg("%.3f us with TF32 and %.3f with halves", tf32, halves);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_all_load_first_is_in_l2),
        cmocka_unit_test(blocks_that_come_apart_find_lines_in_l2),
        cmocka_unit_test(what_a_block_stored_itself_is_in_l2),
        cmocka_unit_test(loads_wait_where_machine_code_has_their_first_use),
        cmocka_unit_test(blocks_that_read_the_same_lines_all_wait_for_dram),
        cmocka_unit_test(matrices_of_tf32_are_loaded_by_halves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
