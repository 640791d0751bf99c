// What atomics cost in L2, by their kind and by who meets whom: as calibrate/atomic.cu measures it on an H100.
#include "tests/unit/sim_modelled.h"

enum { BLOCKS = 132, THREADS = 256, TIMES = 8 };

// All threads do so `TIMES` times with word %r3 of the buffer. What they leave in %r10 is used after that.
static double atomics_us(const char *word, const char *atomic)
{
    static char body[1024];
    snprintf(
        body, sizeof body,
        "%s\nmul.wide.u32 %%rd3, %%r3, 4;\nadd.u64 %%rd3, %%rd1, %%rd3;\nmov.b32 %%r8, 0x3f800000;\n"
        "mov.u32 %%r4, %d;\nmov.u32 %%r10, 0;\nL:\n%s\nsub.u32 %%r4, %%r4, 1;\nsetp.ne.u32 %%p1, %%r4, 0;\n"
        "@%%p1 bra L;\nsetp.eq.u32 %%p1, %%r10, 0x7fffffff;\n@%%p1 st.global.u32 [%%rd1], %%r10;\nret;",
        word, TIMES, atomic);
    const struct setting setting = { .body = body,
                                     .before = ".global .align 32 .b32 large[524288];\n",
                                     .grid = { BLOCKS },
                                     .block = { THREADS },
                                     .options = { .sample = true } };
    return modelled_us(&setting);
}

static const char one_word[] = "mov.u32 %r3, 0;", eight_words[] = "and.b32 %r3, %r0, 7;",
                  a_line[] = "and.b32 %r3, %r0, 31;";
static const char add[] = "red.global.add.u32 [%rd3], 1;", add_float[] = "red.global.add.f32 [%rd3], %r8;",
                  swap[] = "atom.global.cas.b32 %r5, [%rd3], 77, %r0;";
enum { LANES_IN_ALL = BLOCKS * THREADS * TIMES };

static void floats_on_one_sector_wait_for_each_other(void **state)
{
    expect_near(atomics_us(one_word, add), LANES_IN_ALL * 0.732e-3, 0.05);
    expect_near(atomics_us(one_word, add_float), LANES_IN_ALL * 1.757e-3, 0.05);
    expect_near(atomics_us(eight_words, add), LANES_IN_ALL * 0.0739e-3, 0.15);
    expect_near(atomics_us(eight_words, add_float), LANES_IN_ALL * 0.2199e-3, 0.1);
    // Other sectors of the request are served meanwhile.
    expect_near(atomics_us(a_line, add_float), atomics_us(a_line, add), 0.01);
}

static void a_sector_takes_longer_for_compare_and_swap(void **state)
{
    expect_near(atomics_us(one_word, swap), LANES_IN_ALL * 0.7326e-3, 0.05);
    expect_near(atomics_us(eight_words, swap), LANES_IN_ALL * 0.1456e-3, 0.1);
    expect_near(atomics_us(a_line, swap), LANES_IN_ALL * 0.1585e-3, 0.15);
}

// Each lane reaches a line of its own beside its atomic. On an H100, 62.94 lines in a ns are stored, and 134.7 are read. On an H200 a
// million additions to one of 10240 words and three scattered loads take 40.2 us, 20.4 without the loads and 21.4 without the
// additions (2026-11-28).
static void loads_and_stores_go_the_way_of_atomics(void **state)
{
    static const char lines[] = "and.b32 %r3, %r0, 7;\nand.b32 %r9, %r0, 127;\nmul.wide.u32 %rd5, %r9, 128;\n"
                                "add.u64 %rd5, %rd1, %rd5;";
    double alone = atomics_us(lines, add);
    double stores = atomics_us(lines, "red.global.add.u32 [%rd3], 1;\nst.global.u32 [%rd5], %r4;");
    double loads = atomics_us(
        lines, "red.global.add.u32 [%rd3], 1;\n"
               "mad.lo.u32 %r9, %r4, 33792, %r0;\nmul.lo.u32 %r9, %r9, 4597;\n" // by turn and thread
               "and.b32 %r9, %r9, 16383;\nmul.wide.u32 %rd6, %r9, 128;\n"
               "mov.u64 %rd5, large;\nadd.u64 %rd5, %rd5, %rd6;\n"
               "ld.global.u32 %r5, [%rd5];\nadd.u32 %r10, %r10, %r5;");
    expect_near(stores - alone, LANES_IN_ALL / 62.94e3, 0.2);
    expect_near(loads - alone, LANES_IN_ALL / 134.7e3, 0.2);
}

// 5.4 million additions 32 bytes apart, one sector each: results made 1.55 times as long of them on 16 KB and nothing on 4 KB
// (H100, 2026-11-28).
static void results_come_back_by_fewer_ways(void **state)
{
    static const char of_4_kb[] = "shl.b32 %r3, %r3, 3;\nand.b32 %r3, %r3, 1023;",
                      of_16_kb[] = "shl.b32 %r3, %r3, 3;\nand.b32 %r3, %r3, 4095;",
                      results[] = "atom.global.add.u32 %r5, [%rd3], 1;\nadd.u32 %r10, %r10, %r5;",
                      unused[] = "atom.global.add.u32 %r5, [%rd3], 1;";
    expect_near(atomics_us(of_4_kb, results), atomics_us(of_4_kb, add), 0.1);
    expect_near(atomics_us(of_16_kb, results), atomics_us(of_16_kb, add) * 1.55, 0.1);
    expect_near(atomics_us(of_16_kb, unused), atomics_us(of_16_kb, add), 0.02);
}

// Additions 32 bytes apart: 71.5 us on 256 KB, 73.6 on 64 KB and 63.7 on 2 MB, about 3 of them for starting (H100, 2026-11-28).
static void few_units_places_are_not_spread_evenly(void **state)
{
    double on_64_kb = atomics_us("shl.b32 %r3, %r3, 3;\nand.b32 %r3, %r3, 16383;\nmov.u64 %rd1, large;", add),
           on_256_kb =
               atomics_us("shl.b32 %r3, %r3, 3;\nand.b32 %r3, %r3, 65535;\nmov.u64 %rd1, large;", add),
           on_2_mb = atomics_us("shl.b32 %r3, %r3, 3;\nand.b32 %r3, %r3, 524287;\nmov.u64 %rd1, large;", add);
    expect_near(on_64_kb, on_2_mb * 1.16, 0.15);
    expect_near(on_256_kb, on_2_mb * 1.13, 0.05);
}

// Each thread adds one to a word until its compare and swap comes in time.
static double loop_us(const char *word)
{
    static char body[1024];
    snprintf(body, sizeof body,
             "%s\nmul.wide.u32 %%rd3, %%r3, 4;\nadd.u64 %%rd3, %%rd1, %%rd3;\nmov.u32 %%r5, 0;\nL:\nmov.u32 "
             "%%r6, %%r5;\n"
             "add.u32 %%r7, %%r6, 1;\natom.global.cas.b32 %%r5, [%%rd3], %%r6, %%r7;\nsetp.ne.u32 %%p1, "
             "%%r5, %%r6;\n"
             "@%%p1 bra L;\nret;",
             word);
    const struct setting setting = {
        .body = body, .grid = { 2048 }, .block = { 128 }, .options = { .sample = true }
    };
    return modelled_us(&setting);
}

static void who_comes_too_late_goes_round_again(void **state)
{
    // 64 threads a word, scattered over 4096: 209.8 us for 2^18 were measured on an H100.
    expect_near(loop_us("mul.lo.u32 %r3, %r3, 0x9e3779b1;\nshr.u32 %r3, %r3, 20;"), 207, 0.3);
}

static void what_meets_nobody_does_not(void **state)
{
    static struct kernel_outcome outcome; // large
    const struct setting alone = { .body = "atom.global.cas.b32 %r5, [%rd0], 0, 7;\nret;",
                                   .grid = { 16 },
                                   .block = { 128 },
                                   .options = { .sample = true } };
    run(&alone, &outcome);
    const struct sim_sample *sample = outcome.result.sample;
    assert_int_equal(sample->swap_tries, 2048);
    assert_int_equal(sample->swaps, 2048);
    assert_int_equal(sample->swap_squares, 2048); // each in a word of its own
    drop(&outcome);
}

// Each thread takes the next of 4096 jobs, and adds 64 times for it. The simulator gives all of them to the first block.
static void work_from_a_counter_has_no_time(void **state)
{
    static const char queue[] =
        "L:\natom.global.add.u32 %r5, [%rd1], 1;\nsetp.ge.u32 %p1, %r5, 4096;\n@%p1 ret;\nmov.u32 %r6, 64;\n"
        "A:\nadd.u32 %r7, %r7, %r5;\nsub.u32 %r6, %r6, 1;\nsetp.ne.u32 %p2, %r6, 0;\n@%p2 bra A;\nbra L;",
                      own[] = "mov.u32 %r8, 4;\nL:\natom.global.add.u32 %r5, [%rd1], 1;\nadd.u32 %r7, %r7, "
                              "%r5;\nsub.u32 %r8, %r8, 1;\n"
                              "setp.ne.u32 %p2, %r8, 0;\n@%p2 bra L;\nst.global.u32 [%rd0], %r7;\nret;";
    struct setting s = { .body = queue, .grid = { 16 }, .block = { 64 }, .options = { .sample = true } };
    struct model_time time = modelled_or_why(&s, 0, NULL, NULL);
    assert_false(time.known);
    assert_non_null(strstr(time.why, "counter that all share"));
    s.body = own; // as often, but by each thread alike
    assert_true(modelled_or_why(&s, 0, NULL, NULL).known);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(floats_on_one_sector_wait_for_each_other),
        cmocka_unit_test(a_sector_takes_longer_for_compare_and_swap),
        cmocka_unit_test(loads_and_stores_go_the_way_of_atomics),
        cmocka_unit_test(results_come_back_by_fewer_ways),
        cmocka_unit_test(few_units_places_are_not_spread_evenly),
        cmocka_unit_test(who_comes_too_late_goes_round_again),
        cmocka_unit_test(what_meets_nobody_does_not),
        cmocka_unit_test(work_from_a_counter_has_no_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
