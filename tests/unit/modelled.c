// A modelled time in words: never written as a measured one is, with its band, what limits it, and what a cost costs.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "engine/run/modelled.h"
#include "tui/text/text.h"

#include <cmocka.h>

struct modelled_run {
    struct record_counters counters;
    struct modelled one;
    struct record record;
};

// 0.27 ms on an H100 that shared memory limits.
static int open_run(void **state)
{
    struct modelled_run *run = *state = mem_new(sizeof *run);
    record_init(&run->record);
    drawn_flat = false;
    run->one = (struct modelled){ .gpu = (char *)"h100",
                                  .name = (char *)"NVIDIA H100 80GB HBM3",
                                  .measured = true,
                                  .ms = 0.271,
                                  .low_ms = 0.244,
                                  .high_ms = 0.298,
                                  .fixed_ms = 0.0023,
                                  .limiter = TERM_SHARED };
    run->one.term_ms[TERM_SHARED] = 0.204;
    run->one.term_ms[TERM_DRAM] = 0.1701;
    run->one.term_ms[TERM_L2] = 0.00001;
    run->counters =
        (struct record_counters){ .sld_inst = 1000, .sld_wave = 32000, .gld_req = 100, .gld_sec = 800 };
    run->record.preset = (char *)"full";
    run->record.data = (char *)"uniform";
    run->record.counters = &run->counters;
    run->record.modelled = &run->one;
    run->record.modelled_count = 1;
    return 0;
}

static int close_run(void **state)
{
    drawn_flat = false;
    free(*state);
    return 0;
}

// What a sheet says, its lines without blanks at their ends, at most `width` cells wide.
static char *text_of(struct sheet sheet, int width)
{
    struct text all = { 0 }, line = { 0 };
    for (size_t i = 0; i < sheet.line_count; i++) {
        assert_true(text_cells(sheet_line_text(&sheet, i, &line)) <= width);
        text_addf(&all, "%s\n", sheet_line_text(&sheet, i, &line));
    }
    text_free(&line);
    sheet_free(&sheet);
    text_add(&all, "");
    return text_take(&all);
}

static char *shown(const struct modelled_run *run, int width, bool utf8)
{
    return text_of(modelled_sheet(&run->record, width, utf8), width);
}

static void expect_within(char *text, const char *words)
{
    if (!strstr(text, words))
        fail_msg("'%s' is not in:\n%s", words, text);
}

static void expect_shown(const struct modelled_run *run, const char *words)
{
    char *text = shown(run, SHEET_UNLIMITED, true);
    expect_within(text, words);
    free(text);
}

static void the_time_has_a_sign_two_digits_and_its_band(void **state)
{
    struct modelled_run *run = *state;
    char *text = shown(run, 78, true);
    expect_within(text, " ≈ 0.27 ms modelled for H100 80GB HBM3, 0.24 to 0.30\n");
    expect_within(
        text, " full, uniform data. Computed from the simulator's counts and the GPU's\n measured figures; "
              "no GPU ran it.\n");
    expect_within(text, " Limited by shared memory: 32 wavefronts for each access keep it busy for 0.20\n"
                        " of 0.27 ms.\n");
    expect_within(text, "\n shared memory            0.20 ms   75 % ▒▒▒▒▒");
    expect_within(text, " DRAM                     0.17 ms   63 % ▒▒");
    assert_null(strstr(text, "L2"));
    assert_null(strstr(text, "✓"));
    free(text);
}

static void ascii_flat_and_narrow_say_the_same(void **state)
{
    struct modelled_run *run = *state;
    char *text = shown(run, 78, false);
    expect_within(text, " ~ 0.27 ms modelled for");
    expect_within(text, "75 % :::::");
    for (const char *c = text; *c; c++)
        assert_true((unsigned char)*c < 128);
    free(text);
    for (int width = 24; width < 80; width++)
        free(shown(run, width, true)); // which compares the width of each line
    drawn_flat = true;
    text = shown(run, 78, true);
    expect_within(text, " about 0.27 ms modelled for");
    expect_within(text, "\n shared memory, 0.20 ms, 75 % of the time\n");
    free(text);
}

static void a_wide_band_is_the_range_alone(void **state)
{
    struct modelled_run *run = *state;
    char time[48];
    run->one.low_ms = 0.15;
    run->one.high_ms = 0.41;
    modelled_time(&run->one, true, time, sizeof time);
    assert_string_equal(time, "0.15-0.41 ms");
    expect_shown(run, " 0.15-0.41 ms modelled for H100 80GB HBM3\n");
}

static void long_times_have_two_digits_too(void **state)
{
    static const struct {
        double ms;
        const char *words;
    } times[] = { { 138.4, "≈ 140 ms" },    { 2765, "≈ 2800 ms" },  { 13.67, "≈ 14 ms" },
                  { 1.549, "≈ 1.5 ms" },    { 0.9996, "≈ 1.0 ms" }, { 0.0712, "≈ 0.071 ms" },
                  { 0.0043, "≈ 0.0043 ms" } };
    char out[48];
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        struct modelled one = { .ms = times[i].ms,
                                .low_ms = times[i].ms * 0.9,
                                .high_ms = times[i].ms * 1.1 };
        modelled_time(&one, true, out, sizeof out);
        assert_string_equal(out, times[i].words);
    }
}

static void what_the_model_cannot_say_is_no_number(void **state)
{
    struct modelled_run *run = *state;
    char time[48];
    run->one = (struct modelled){ .name = (char *)"NVIDIA L4",
                                  .why = (char *)"The model has no figure for 'wmma.mma'." };
    modelled_time(&run->one, true, time, sizeof time);
    assert_string_equal(time, "");
    char *text = shown(run, 78, true);
    assert_string_equal(text, " No modelled time for L4: The model has no figure for 'wmma.mma'.\n");
    free(text);
}

static void each_limiter_is_a_sentence_with_its_counts(void **state)
{
    struct modelled_run *run = *state;
    static const struct {
        enum model_term limiter;
        const char *words;
    } cases[] = {
        { TERM_ISSUE, "Limited by instructions: issuing 5,000 warp instructions takes 0.20 of 0.27 ms." },
        { TERM_PIPE, "Limited by arithmetic: the units for doubles are busy for 0.20 of 0.27 ms." },
        { TERM_L2, "Limited by L2: 800 sectors, 8.0 for each request, keep it busy for 0.20 of 0.27 ms." },
        { TERM_DRAM, "Limited by DRAM: 1 GiB at least; moving the bytes takes 0.20 of 0.27 ms" },
        { TERM_CONSTANT,
          "Limited by constants: 32 addresses for each load, one after the other, take 0.20 of "
          "0.27 ms. Shared memory serves different ones at once." },
        { TERM_ATOMICS, "Limited by atomics: 64 turns in L2, one after the other where they meet" },
        { TERM_START, "Limited by launching warps: starting 800 warps takes 0.20 of 0.27 ms" },
        { TERM_LATENCY, "Limited by latency: for 0.20 of 0.27 ms warps wait for results, and there are too "
                        "few others to fill the time." },
    };
    run->one.pipe = PIPE_DOUBLE;
    run->record.warp_inst = 5000;
    run->record.bytes = 1 << 30;
    run->record.grid_blocks = 100;
    run->record.block_threads = 256;
    run->counters.red_sec = 64;
    run->counters.const_req = 10;
    run->counters.const_turn = 320;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        memset(run->one.term_ms, 0, sizeof run->one.term_ms);
        run->one.limiter = cases[i].limiter;
        run->one.term_ms[cases[i].limiter] = 0.204;
        if (cases[i].limiter == TERM_L2)
            run->counters.red_sec = 0;
        expect_shown(run, cases[i].words);
        run->counters.red_sec = 64;
    }
    expect_shown(run, "100 blocks leave 32 of 132 SMs without work.");
}

static void a_time_that_is_mostly_the_launch_says_so(void **state)
{
    struct modelled_run *run = *state;
    run->one.ms = 0.0031;
    run->one.fixed_ms = 0.0023;
    run->one.term_ms[TERM_SHARED] = 0.0005;
    expect_shown(
        run,
        "Starting the kernel takes 0.0023 of 0.0031 ms, which no kernel avoids: a larger size says more.");
}

static void several_gpus_are_a_table(void **state)
{
    struct modelled_run *run = *state;
    struct modelled two[] = { run->one, run->one };
    two[1].name = (char *)"NVIDIA L4";
    two[1].measured = false;
    two[1].ms = 1.12;
    two[1].low_ms = 0.9;
    two[1].high_ms = 1.4;
    two[1].limiter = TERM_DRAM;
    run->record.modelled = two;
    run->record.modelled_count = 2;
    char *text = shown(run, 80, true);
    expect_within(text, "\n H100 80GB HBM3           ≈ 0.27 ms 0.24 to 0.30       shared memory\n");
    expect_within(text, "\n L4 *                      ≈ 1.1 ms 0.9 to 1.4         DRAM\n");
    expect_within(text, " * Computed from published figures; the others' were measured.\n");
    free(text);
}

// Removing the scattered accesses gains nothing as long as there are barriers.
static void gains_are_ranked_and_hidden_ones_named(void **state)
{
    struct modelled_run *run = *state;
    struct gain gains[] = { { .without = WITHOUT_BARRIERS | WITHOUT_SECTORS, .ms = 0.5 },
                            { .without = WITHOUT_BARRIERS, .ms = 1.3 },
                            { .without = WITHOUT_SECTORS, .ms = 2.65 } };
    run->one.ms = 2.7;
    run->one.gains = gains;
    run->one.gain_count = 3;
    struct sheet sheet = sheet_new(78, true);
    modelled_what_if(&sheet, &run->one);
    modelled_why(&sheet, &run->one);
    char *text = text_of(sheet, 78);
    expect_within(text, " Without its …            modelled    saves\n"
                        " barriers                 ≈ 1.3 ms      52 %\n"
                        " scattered accesses       ≈ 2.6 ms       2 %\n"
                        " all of these            ≈ 0.50 ms      81 %\n");
    expect_within(text, "\n Removing the barriers alone: 2.7 to 1.3 ms (52 %).\n"
                        " Removing the scattered accesses alone: 2.7 to 2.6 ms (2 %): the barriers hide\n"
                        " that; without those it gains 62 %.\n"
                        " Removing all of these: 2.7 to 0.50 ms (81 %).\n");
    free(text);
    for (int width = 24; width < 80; width++) { // text_of compares the width of each line
        sheet = sheet_new(width, false);
        modelled_what_if(&sheet, &run->one);
        modelled_why(&sheet, &run->one);
        free(text_of(sheet, width));
    }
}

// What each cost does to each term, beside what it is now; in sentences where the columns have no room.
static void a_gain_is_told_term_by_term(void **state)
{
    struct modelled_run *run = *state;
    struct gain gains[] = {
        { .without = WITHOUT_BARRIERS | WITHOUT_SECTORS, .ms = 0.05 },
        { .without = WITHOUT_BARRIERS, .ms = 0.13, .term_ms = { [TERM_LATENCY] = 0.05, [TERM_DRAM] = 0.12 } },
        { .without = WITHOUT_SECTORS,
          .ms = 0.265,
          .term_ms = { [TERM_LATENCY] = 0.25, [TERM_DRAM] = 0.031 } },
    };
    gains[0].term_ms[TERM_LATENCY] = 0.04;
    gains[0].term_ms[TERM_DRAM] = 0.031;
    memset(run->one.term_ms, 0, sizeof run->one.term_ms);
    run->one.term_ms[TERM_LATENCY] = 0.25;
    run->one.term_ms[TERM_DRAM] = 0.12;
    run->one.term_ms[TERM_TAIL] = 0.01;
    run->one.gains = gains;
    run->one.gain_count = 3;
    struct sheet sheet = sheet_new(78, true);
    modelled_what_if(&sheet, &run->one);
    modelled_why(&sheet, &run->one);
    char *text = text_of(sheet, 78);
    expect_within(text, "\n Term by term, ms       now  barriers  sectors   all\n"
                        " time                  0.27      0.13     0.27  0.05\n"
                        " latency               0.25      0.05     0.25  0.04\n"
                        " DRAM                  0.12      0.12     0.03  0.03\n"
                        " idle SMs at the end   0.01      0.00     0.00  0.00\n");
    expect_within(text,
                  "Removing the barriers alone: 0.27 to 0.13 ms (52 %), latency from 0.25 to\n 0.050 ms.\n");
    free(text);
    for (int width = 24; width < 80; width++) {
        sheet = sheet_new(width, false);
        modelled_what_if(&sheet, &run->one);
        free(text_of(sheet, width));
    }
    drawn_flat = true;
    sheet = sheet_new(78, true);
    modelled_what_if(&sheet, &run->one);
    text = text_of(sheet, 78);
    expect_within(text, "\n barriers: latency 0.25 to 0.05 ms, idle SMs at the end 0.01 to 0.00 ms\n");
    free(text);
}

// An earlier version wrote no terms of a gain.
static void gains_without_terms_have_no_table(void **state)
{
    struct modelled_run *run = *state;
    struct gain gains[] = { { .without = WITHOUT_BARRIERS, .ms = 0.13 } };
    run->one.gains = gains;
    run->one.gain_count = 1;
    struct sheet sheet = sheet_new(78, true);
    modelled_what_if(&sheet, &run->one);
    char *text = text_of(sheet, 78);
    expect_within(text, " barriers                ≈ 0.13 ms      52 %\n");
    assert_null(strstr(text, "Term by term"));
    free(text);
}

// One unit serves both.
static void shared_memory_and_l1_limit_together(void **state)
{
    struct modelled_run *run = *state;
    run->one.term_ms[TERM_L1] = 0.05;
    expect_shown(run,
                 "Limited by shared memory: 32 wavefronts for each access keep it busy for 0.20 of 0.27 ms. "
                 "L1 takes turns with it, for 0.05 of 0.27 ms.");
    run->one.limiter = TERM_L1;
    run->one.term_ms[TERM_L1] = 0.21;
    expect_shown(
        run, "Limited by L1: 8.0 sectors for each request keep it busy for 0.21 of 0.27 ms. Shared memory "
             "takes turns with it, for 0.20 of 0.27 ms.");
}

static void beside_a_measured_time_the_suspect_is_named(void **state)
{
    struct modelled_run *run = *state;
    struct record timed;
    record_init(&timed);
    timed.device = (char *)"NVIDIA H100 80GB HBM3";
    timed.median_ms = 0.26;
    struct sheet sheet = sheet_new(78, true);
    modelled_beside(&sheet, &run->one, &timed, true);
    char *text = text_of(sheet, 78);
    expect_within(
        text, " 0.260 ms, recorded on NVIDIA H100 80GB HBM3\n"
              " ≈ 0.27 ms, modelled for H100 80GB HBM3, 0.24 to 0.30 ms\n"
              " The modelled time is 4 % longer than the recorded one; that one lies within\n the band.\n");
    free(text);
    timed.median_ms = 0.13;
    sheet = sheet_new(78, true);
    modelled_beside(&sheet, &run->one, &timed, false);
    text = text_of(sheet, 78);
    expect_within(text, "The modelled time is 2.1 times the measured one");
    expect_within(text, "Suspect the caches: what L2 spares DRAM");
    free(text);
    timed.device = (char *)"NVIDIA L4";
    sheet = sheet_new(78, true);
    modelled_beside(&sheet, &run->one, &timed, false);
    text = text_of(sheet, 78);
    expect_within(text, "Two GPUs: these times are not compared.");
    assert_null(strstr(text, "times the"));
    free(text);
}

// What the record says comes back the same.
static void a_record_keeps_it(void **state)
{
    struct modelled_run *run = *state;
    struct gain gains[] = { { WITHOUT_BARRIERS | WITHOUT_SECTORS, 0.1, { [TERM_TAIL] = 0.01 } } };
    struct modelled *back = NULL;
    size_t count = 0;
    run->one.gains = gains;
    run->one.gain_count = 1;
    run->one.pipe = PIPE_SHUFFLE;
    json_t *json = modelled_to_json(&run->one, 1);
    assert_true(modelled_from_json(&back, &count, json));
    assert_int_equal(count, 1);
    assert_string_equal(back->gpu, "h100");
    assert_int_equal(back->limiter, TERM_SHARED);
    assert_int_equal(back->pipe, PIPE_SHUFFLE);
    assert_int_equal(back->gain_count, 1);
    assert_non_null(modelled_gain(back, WITHOUT_BARRIERS | WITHOUT_SECTORS));
    assert_null(modelled_gain(back, WITHOUT_BARRIERS));
    assert_true(back->gains->term_ms[TERM_TAIL] == 0.01);
    assert_true(back->term_ms[TERM_SHARED] == run->one.term_ms[TERM_SHARED]);
    modelled_free_all(back, count);
    json_decref(json);
}

int main(void)
{
#define RUN_TEST(name) cmocka_unit_test_setup_teardown(name, open_run, close_run)
    const struct CMUnitTest tests[] = {
        RUN_TEST(the_time_has_a_sign_two_digits_and_its_band),
        RUN_TEST(ascii_flat_and_narrow_say_the_same),
        RUN_TEST(a_wide_band_is_the_range_alone),
        RUN_TEST(long_times_have_two_digits_too),
        RUN_TEST(what_the_model_cannot_say_is_no_number),
        RUN_TEST(each_limiter_is_a_sentence_with_its_counts),
        RUN_TEST(a_time_that_is_mostly_the_launch_says_so),
        RUN_TEST(several_gpus_are_a_table),
        RUN_TEST(gains_are_ranked_and_hidden_ones_named),
        RUN_TEST(a_gain_is_told_term_by_term),
        RUN_TEST(gains_without_terms_have_no_table),
        RUN_TEST(shared_memory_and_l1_limit_together),
        RUN_TEST(beside_a_measured_time_the_suspect_is_named),
        RUN_TEST(a_record_keeps_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
