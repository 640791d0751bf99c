// The sample of a launch: what its blocks touched, and the steps of a few.
// Parts: wide baseline
#include "tests/unit/sim_kernel.h"

static struct kernel_outcome outcome, again; // large

static const struct setting copies = { // each thread loads its word and stores it
    .body = "ld.global.u32 %r4, [%rd0];\nst.global.u32 [%rd0], %r4;\nret;",
    .grid = { 16 },
    .block = { 64 },
    .options = { .sample = true }
};

static void there_is_none_unless_it_is_asked_for(void **state)
{
    struct setting s = copies;
    s.options.sample = false;
    run(&s, &outcome);
    assert_null(outcome.result.sample);
    drop(&outcome);
}

static void each_buffer_s_sectors_are_told_apart(void **state)
{
    struct setting s = copies;
    s.before = ".global .align 128 .b8 table[4096];\n";
    s.body = "mov.u64 %rd3, table;\nld.global.u32 %r4, [%rd0];\nld.global.u32 %r5, [%rd3];\nld.global.u32 "
             "%r5, [%rd3+32];\n"
             "st.global.u32 [%rd3+64], %r4;\nret;";
    run(&s, &outcome);
    const struct sim_sample *sample = outcome.result.sample;
    assert_int_equal(sample->loaded, 16 * 64 * 4 / 32 + 2);
    assert_int_equal(sample->loaded_count, 2);
    uint64_t less = sample->loaded_of[0].sectors, more = sample->loaded_of[1].sectors;
    assert_true(less + more == sample->loaded && (less == 2 || more == 2));
    assert_true(sample->loaded_of[0].number != sample->loaded_of[1].number);
    drop(&outcome);
}

static void each_sector_counts_once(void **state)
{
    struct setting s = copies;
    run(&s, &outcome);
    const struct sim_sample *sample = outcome.result.sample;
    assert_true(sample->footprint);
    assert_int_equal(sample->loaded, 16 * 64 * 4 / 32);
    assert_int_equal(sample->stored, 16 * 64 * 4 / 32);
    assert_int_equal(sample->loaded_pairs, 16 * 64 * 4 / 64);
    assert_int_equal(sample->lines, 16 * 64 * 4 / 128);
    assert_int_equal(sample->loaded_count, 1);
    assert_int_equal(sample->loaded_of[0].sectors, sample->loaded);
    drop(&outcome);
    s.body = "ld.global.u32 %r4, [%rd1];\nld.global.u32 %r5, [%rd1+64];\nret;"; // all read the same two
    run(&s, &outcome);
    assert_int_equal(outcome.result.sample->loaded, 2);
    assert_int_equal(outcome.result.sample->loaded_pairs, 2);
    assert_int_equal(outcome.result.sample->stored, 0);
    drop(&outcome);
}

static void lines_that_come_again_are_counted_by_parts_of_the_launch(void **state)
{
    struct setting s = copies;
    s.body = "and.b32 %r4, %r1, 1;\nmul.wide.u32 %rd3, %r4, 8192;\nadd.u64 %rd3, %rd1, %rd3;\n"
             "mul.wide.u32 %rd4, %r0, 128;\nadd.u64 %rd3, %rd3, %rd4;\nld.global.u32 %r5, [%rd3];\nret;";
    s.grid[0] = 64; // each other block loads the same 64 lines
    s.block[0] = 64;
    run(&s, &outcome);
    const struct sim_sample *sample = outcome.result.sample;
    assert_int_equal(sample->visits, 2 * 64 * 32);
    assert_int_equal(sample->apart[2], 2 * 64 * 31);
    assert_int_equal(sample->apart[1], 0);
    drop(&outcome);
}

static void a_word_of_all_blocks_is_visited_in_each_part_of_the_launch(void **state)
{
    struct setting s = copies;
    s.body = "ld.global.u32 %r4, [%rd1];\nld.global.u32 %r5, [%rd1];\nret;"; // the second one is known
    s.grid[0] = 256;
    for (int threads = 1; threads <= 4; threads += 3) {
        s.options.threads = threads;
        run(&s, &outcome);
        const struct sim_sample *sample = outcome.result.sample;
        assert_int_equal(sample->visits, 64 * SIM_LAUNCH_PARTS);
        assert_int_equal(sample->apart[1], 64 * (SIM_LAUNCH_PARTS - 1));
        assert_int_equal(sample->loaded, 1);
        drop(&outcome);
    }
}

static void scattered_lanes_touch_their_lines(void **state)
{
    struct setting s = copies;
    s.body = "mul.wide.u32 %rd3, %r0, 128;\nadd.u64 %rd3, %rd1, %rd3;\nld.global.u32 %r4, [%rd3];\nret;";
    s.grid[0] = 1;
    s.block[0] = 32;
    run(&s, &outcome);
    const struct sim_sampled_warp *warp = &outcome.result.sample->blocks[0].warps[0];
    const struct sim_step *load = &warp->steps[START_COUNT + 2];
    assert_int_equal(warp->touch_count, 32);
    assert_int_equal(load->touches, 32);
    assert_int_equal(load->lanes, 32);
    for (size_t i = 0; i < 32; i++) {
        assert_int_equal(warp->touches[i] & 15, 1);
        assert_int_equal(warp->touches[i] >> 4, (warp->touches[0] >> 4) + i);
    }
    assert_int_equal(outcome.result.sample->loaded, 32);
    drop(&outcome);
}

// Every second block moves its lanes, 64 bytes apart, on by a sector and a word.
static void lanes_that_move_within_their_lines_touch_other_sectors(void **state)
{
    struct setting s = copies;
    s.body = "and.b32 %r4, %r1, 1;\nmul.lo.u32 %r4, %r4, 36;\nshr.u32 %r5, %r1, 1;\n"
             "mad.lo.u32 %r4, %r5, 2048, %r4;\nmad.lo.u32 %r4, %r0, 64, %r4;\ncvt.u64.u32 %rd3, %r4;\n"
             "add.u64 %rd3, %rd1, %rd3;\nld.global.u32 %r4, [%rd3];\nret;";
    s.block[0] = 32;
    run(&s, &outcome);
    assert_int_equal(outcome.result.sample->loaded, 16 * 32);
    assert_int_equal(outcome.result.sample->lines, 16 * 8);
    drop(&outcome);
}

// The two halves of a warp read a word each, further apart in every second turn of a loop. Its block is not one of those whose
// steps are recorded.
static void lanes_that_move_apart_touch_each_line(void **state)
{
    struct setting s = copies;
    s.body = "setp.ne.u32 %p1, %r1, 0;\n@%p1 ret;\nmov.u32 %r4, 0;\nshr.u32 %r5, %r0, 4;\n"
             "TURN:\nshr.u32 %r6, %r4, 1;\nmul.lo.u32 %r6, %r6, %r5;\nmad.lo.u32 %r6, %r4, 8, %r6;\n"
             "mul.wide.u32 %rd3, %r6, 128;\nadd.u64 %rd3, %rd1, %rd3;\nld.global.u32 %r7, [%rd3];\n"
             "add.u32 %r4, %r4, 1;\nsetp.lt.u32 %p1, %r4, 12;\n@%p1 bra TURN;\nret;";
    s.block[0] = 32;
    run(&s, &outcome);
    assert_int_equal(outcome.result.sample->loaded, 2 + 10 * 2);
    assert_int_equal(outcome.result.sample->lines, 2 + 10 * 2);
    drop(&outcome);
}

// By one instruction, in even lanes in shared and in odd ones in global memory.
static void swaps_in_shared_memory_are_none_of_global_memory(void **state)
{
    struct setting s = copies;
    s.body = ".shared .align 4 .b8 s[2048];\nmov.u64 %rd3, s;\ncvta.shared.u64 %rd3, %rd3;\n"
             "mul.wide.u32 %rd4, %r0, 64;\nadd.u64 %rd3, %rd3, %rd4;\nst.u32 [%rd3], 0;\n"
             "and.b32 %r4, %r0, 1;\nsetp.ne.u32 %p1, %r4, 0;\nselp.b64 %rd3, %rd0, %rd3, %p1;\n"
             "atom.cas.b32 %r5, [%rd3], 0, 1;\nret;";
    s.grid[0] = 1;
    s.block[0] = 32;
    run(&s, &outcome);
    assert_int_equal(outcome.result.sample->swap_tries, 16);
    assert_int_equal(outcome.result.sample->swaps, 16);
    assert_int_equal(outcome.result.sample->swap_squares, 16);
    drop(&outcome);
}

static void steps_stand_in_the_order_of_the_warp(void **state)
{
    struct setting s = copies;
    run(&s, &outcome);
    const struct sim_sample *sample = outcome.result.sample;
    assert_int_equal(sample->block_count, 2); // an SM of a large GPU gets one of 16, and one stands beside it
    assert_int_equal(sample->work_count, 16);
    for (size_t b = 0; b < sample->work_count; b++)
        assert_int_equal(sample->work[b], 2 * (START_COUNT + 3));
    for (size_t b = 0; b < sample->block_count; b++) {
        assert_int_equal(sample->blocks[b].number, 3 + 8 * b);
        assert_int_equal(sample->blocks[b].warp_count, 2);
        for (size_t w = 0; w < 2; w++) {
            const struct sim_sampled_warp *warp = &sample->blocks[b].warps[w];
            assert_int_equal(warp->ran, START_COUNT + 3);
            assert_int_equal(warp->step_count, START_COUNT + 3);
            for (size_t i = 0; i < warp->step_count; i++)
                assert_int_equal(warp->steps[i].index, i);
            assert_int_equal(warp->touch_count, 2); // a line loaded, and stored
        }
    }
    drop(&outcome);
}

static void a_long_loop_is_recorded_up_to_a_limit(void **state)
{
    struct setting s = copies;
    s.body = "mov.u32 %r4, 100000;\nL:\nsub.u32 %r4, %r4, 1;\nsetp.ne.u32 %p1, %r4, 0;\n@%p1 bra L;\nret;";
    s.grid[0] = 1;
    s.block[0] = 32;
    run(&s, &outcome);
    const struct sim_sampled_warp *warp = &outcome.result.sample->blocks[0].warps[0];
    // One step in 16 at most is of the same instruction, so that the end is there.
    assert_int_equal(warp->step_count, START_COUNT + 1 + 3 * 8000 / 16 + 1);
    assert_int_equal(warp->steps[warp->step_count - 1].index, START_COUNT + 4);
    assert_int_equal(warp->ran, START_COUNT + 1 + 300000 + 1);
    assert_int_equal(outcome.result.sample->longest_most, warp->ran);
    assert_int_equal(outcome.result.sample->longest_sum, warp->ran);
    drop(&outcome);
}

// Of a long basic block a few runs say enough: each further one costs as much as simulating it again.
static void of_a_long_basic_block_a_few_runs_are_recorded(void **state)
{
    enum { ADDS = 400, RUNS = 40 };
    static char body[ADDS * 24 + 200];
    struct setting s = copies;
    size_t length = (size_t)snprintf(body, sizeof body, "mov.u32 %%r4, %d;\nL:\n", RUNS);
    for (int i = 0; i < ADDS; i++)
        length += (size_t)snprintf(body + length, sizeof body - length, "add.u32 %%r5, %%r5, 1;\n");
    snprintf(body + length, sizeof body - length,
             "sub.u32 %%r4, %%r4, 1;\nsetp.ne.u32 %%p1, %%r4, 0;\n@%%p1 bra L;\nret;");
    s.body = body;
    s.grid[0] = 8;
    s.block[0] = 1024;
    run(&s, &outcome);
    const struct sim_sampled_warp *warp = &outcome.result.sample->blocks[0].warps[0];
    assert_true(warp->ran > RUNS * ADDS);
    assert_in_range(warp->step_count, 2 * ADDS, 3 * ADDS);
    drop(&outcome);
}

// After a loop that nearly fills the records, a loop with a barrier, in which every second warp does more than the others.
static const struct setting two_phases = {
    .body = "mov.u32 %r4, 300;\nF:\nadd.u32 %r3, %r3, 1;\nadd.u32 %r3, %r3, 1;\nadd.u32 %r3, %r3, 1;\n"
            "add.u32 %r3, %r3, 1;\nadd.u32 %r3, %r3, 1;\nadd.u32 %r3, %r3, 1;\nadd.u32 %r3, %r3, 1;\n"
            "add.u32 %r3, %r3, 1;\nadd.u32 %r3, %r3, 1;\nsub.u32 %r4, %r4, 1;\nsetp.ne.u32 %p1, %r4, 0;\n"
            "@%p1 bra F;\nmov.u32 %r4, 200;\nmov.u32 %r5, %tid.x;\nand.b32 %r5, %r5, 32;\n"
            "setp.eq.u32 %p2, %r5, 0;\nS:\n@%p2 bra B;\nadd.u32 %r3, %r3, 1;\nadd.u32 %r3, %r3, 1;\n"
            "add.u32 %r3, %r3, 1;\nadd.u32 %r3, %r3, 1;\nadd.u32 %r3, %r3, 1;\nB:\nbar.sync 0;\n"
            "sub.u32 %r4, %r4, 1;\nsetp.ne.u32 %p1, %r4, 0;\n@%p1 bra S;\nst.global.u32 [%rd0], %r3;\nret;",
    .grid = { 8 },
    .block = { 1024 },
    .options = { .sample = true }
};

static size_t barriers_of(const struct sim_sampled_warp *warp, uint32_t barrier)
{
    size_t count = 0;
    for (size_t i = 0; i < warp->step_count; i++)
        count += warp->steps[i].index == barrier;
    return count;
}

static void all_warps_of_a_block_are_recorded_through_the_same_phases(void **state)
{
    struct setting s = two_phases;
    const uint32_t barrier = START_COUNT + 23;
    run(&s, &outcome);
    const struct sim_sample *sample = outcome.result.sample;
    for (size_t b = 0; b < sample->block_count; b++) {
        const struct sim_sampled_block *block = &sample->blocks[b];
        size_t first = barriers_of(&block->warps[0], barrier);
        assert_true(first >= 32 && first < 200);
        for (size_t w = 1; w < block->warp_count; w++)
            assert_int_equal(barriers_of(&block->warps[w], barrier), first);
    }
    drop(&outcome);
}

static void wavefronts_belong_to_their_step(void **state)
{
    struct setting s = copies;
    s.before = ".shared .align 4 .b8 s[4096];\n";
    s.body = "mov.u32 %r4, s;\nshl.b32 %r5, %r0, 7;\nand.b32 %r5, %r5, 4095;\nadd.u32 %r4, %r4, %r5;\n"
             "st.shared.u32 [%r4], %r0;\nret;";
    s.grid[0] = 1;
    s.block[0] = 32;
    run(&s, &outcome);
    assert_int_equal(outcome.result.sample->blocks[0].warps[0].steps[START_COUNT + 4].passes, 32);
    drop(&outcome);
}

static void the_busiest_unit_of_atomics_is_known(void **state)
{
    struct setting s = copies;
    s.body = "atom.global.add.u32 %r4, [%rd1], 1;\nst.global.u32 [%rd0+8192], %r4;\nret;"; // one word
    run(&s, &outcome);
    const struct sim_sample *sample = outcome.result.sample;
    assert_true(sample->atomics >= 32);
    for (int i = 0; i < SIM_WINDOWS; i++)
        assert_int_equal(sample->hottest[i], sample->atomics);
    drop(&outcome);
    s.body = "red.global.add.u32 [%rd0], 1;\nret;"; // a word each
    run(&s, &outcome);
    sample = outcome.result.sample;
    assert_int_equal(sample->atomics, 16 * 64 * 4 / 32);
    assert_int_equal(sample->hottest[SIM_WINDOWS - 1],
                     512 / 32); // of the 1024 bytes of four blocks, those of each other one
    assert_int_equal(sample->hottest[0], 16 * 256 / 32); // of each block, all 256 bytes
    drop(&outcome);
}

// Eight lanes of each warp in one sector are one turn of its unit; the others have a sector each, 16 of them in the other
// unit.
static void a_sector_is_a_turn_however_many_lanes_it_has(void **state)
{
    struct setting s = copies;
    s.body = "and.b32 %r4, %r0, 31;\nsetp.lt.u32 %p1, %r4, 8;\nshl.b32 %r5, %r4, 2;\nshl.b32 %r6, %r4, 5;\n"
             "selp.b32 %r5, %r5, %r6, %p1;\ncvt.u64.u32 %rd3, %r5;\nadd.u64 %rd3, %rd1, %rd3;\n"
             "red.global.add.u32 [%rd3], 1;\nret;";
    run(&s, &outcome);
    const struct sim_sample *sample = outcome.result.sample;
    assert_true(sample->atomics > 0);
    assert_int_equal(sample->atomics % 25, 0);
    assert_int_equal(sample->hottest[SIM_WINDOWS - 1], sample->atomics / 25 * 16);
    drop(&outcome);
}

// A loop stores its line, and in its last iterations, which are not recorded, another one.
static void a_load_tells_what_its_block_has_stored(void **state)
{
    struct setting s = copies;
    s.body = "mov.u32 %r4, 0;\nloop:\nsetp.ge.u32 %p0, %r4, 1990;\nselp.u32 %r5, 4096, 0, %p0;\n"
             "cvt.u64.u32 %rd3, %r5;\nadd.u64 %rd3, %rd0, %rd3;\nst.global.u32 [%rd3], %r4;\n"
             "add.u32 %r4, %r4, 1;\nsetp.lt.u32 %p1, %r4, 2000;\n@%p1 bra loop;\n"
             "ld.global.u32 %r5, [%rd0+4096];\nld.global.u32 %r6, [%rd0+2048];\nret;";
    s.grid[0] = 1;
    s.block[0] = 32;
    run(&s, &outcome);
    const struct sim_sampled_warp *warp = &outcome.result.sample->blocks[0].warps[0];
    const struct sim_step *loads = &warp->steps[warp->step_count - 3];
    assert_true(warp->step_count < warp->ran);
    assert_int_equal(loads[0].touches, 1);
    assert_int_equal(loads[0].stored, 1);
    assert_int_equal(loads[1].touches, 1);
    assert_int_equal(loads[1].stored, 0);
    drop(&outcome);
}

static void expect_same_warp(const struct sim_sampled_warp *a, const struct sim_sampled_warp *b)
{
    assert_int_equal(a->step_count, b->step_count);
    assert_int_equal(a->touch_count, b->touch_count);
    assert_int_equal(a->ran, b->ran);
    for (size_t i = 0; i < a->step_count; i++) { // member by member: padding holds anything
        assert_int_equal(a->steps[i].index, b->steps[i].index);
        assert_int_equal(a->steps[i].passes, b->steps[i].passes);
        assert_int_equal(a->steps[i].waves, b->steps[i].waves);
        assert_int_equal(a->steps[i].lanes, b->steps[i].lanes);
        assert_int_equal(a->steps[i].touches, b->steps[i].touches);
        assert_int_equal(a->steps[i].stored, b->steps[i].stored);
    }
    assert_memory_equal(a->touches, b->touches, a->touch_count * sizeof *a->touches);
}

static void host_threads_do_not_change_it(void **state)
{
    struct setting s = copies;
    run(&s, &outcome);
    s.options.threads = 4;
    run(&s, &again);
    const struct sim_sample *one = outcome.result.sample, *four = again.result.sample;
    assert_int_equal(one->loaded, four->loaded);
    assert_int_equal(one->stored_pairs, four->stored_pairs);
    assert_int_equal(one->longest_sum, four->longest_sum);
    for (size_t b = 0; b < one->block_count; b++)
        for (size_t w = 0; w < one->blocks[b].warp_count; w++)
            expect_same_warp(&one->blocks[b].warps[w], &four->blocks[b].warps[w]);
    drop(&outcome);
    drop(&again);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(there_is_none_unless_it_is_asked_for),
        cmocka_unit_test(each_buffer_s_sectors_are_told_apart),
        cmocka_unit_test(each_sector_counts_once),
        cmocka_unit_test(lines_that_come_again_are_counted_by_parts_of_the_launch),
        cmocka_unit_test(a_word_of_all_blocks_is_visited_in_each_part_of_the_launch),
        cmocka_unit_test(scattered_lanes_touch_their_lines),
        cmocka_unit_test(lanes_that_move_within_their_lines_touch_other_sectors),
        cmocka_unit_test(lanes_that_move_apart_touch_each_line),
        cmocka_unit_test(swaps_in_shared_memory_are_none_of_global_memory),
        cmocka_unit_test(steps_stand_in_the_order_of_the_warp),
        cmocka_unit_test(a_long_loop_is_recorded_up_to_a_limit),
        cmocka_unit_test(of_a_long_basic_block_a_few_runs_are_recorded),
        cmocka_unit_test(all_warps_of_a_block_are_recorded_through_the_same_phases),
        cmocka_unit_test(wavefronts_belong_to_their_step),
        cmocka_unit_test(the_busiest_unit_of_atomics_is_known),
        cmocka_unit_test(a_sector_is_a_turn_however_many_lanes_it_has),
        cmocka_unit_test(a_load_tells_what_its_block_has_stored),
        cmocka_unit_test(host_threads_do_not_change_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
