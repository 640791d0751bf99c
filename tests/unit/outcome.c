// What came out of the runs of a prediction: which choice it makes right, and how its numbers are written.
#include "tui/text/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void expect(double value, const char *key, const char *text)
{
    char out[64];
    outcome_number(value, key, out, sizeof out);
    assert_string_equal(out, text);
}

static void times(void **unused)
{
    expect(0.2374, "median_ms", "0.237 ms");
    expect(4909, "median_ms", "4909 ms");
}

// Only a time alone is one; what is computed from times has the lesson's unit.
static void ratios_of_times(void **unused)
{
    expect(55.26, "h2d_ms / median_ms", "55.3");
    expect(24, "counters.gld_sec / counters.gld_req", "24");
}

static void large_and_small(void **unused)
{
    expect(33453.67, "ceiling_gbps", "33,454");
    expect(1234567, "counters.gld_sec", "1,234,567");
    expect(0.12345, "ratio", "0.123");
    expect(-2.5, "ratio", "-2.5");
    expect(0, "ratio", "0");
}

// The line of what came, of a prediction with this value and unit.
static void came(double number, const char *value, const char *unit, const char *wanted)
{
    struct lesson lesson;
    struct error error;
    struct outcome outcome = { .values = { number }, .how = { "simulated" }, .count = 1 };
    char *text = text_format("---\ntitle: T\nminutes: 5\nafter: say it\n---\n\n# T\n\nA sentence.\n\n"
                             "```predict id=p\nask: How many?\nunit: %s\nrun: vecadd/1-one-thread --on sim\n"
                             "value: %s\n```\n",
                             unit, value);
    if (!lesson_parse(&lesson, "x/01-t/lesson.md", text, &error))
        fail_msg("%s", error.text);
    const struct live *live = NULL;
    for (size_t i = 0; i < lesson.block_count; i++)
        live = lesson.blocks[i].kind == BLOCK_LIVE ? &lesson.blocks[i].live : live;
    json_t *predicted = json_pack("{s:f}", "value", 3.0);
    struct sheet sheet = sheet_new(80, true);
    struct text line = { 0 };
    predict_came(&sheet, live, predicted, &outcome);
    assert_string_equal(sheet_line_text(&sheet, 1, &line), wanted);
    text_free(&line);
    sheet_free(&sheet);
    json_decref(predicted);
    lesson_free(&lesson);
    free(text);
}

static void a_number_has_one_unit(void **unused)
{
    came(0.464, "median_ms", "ms", "  simulated 0.464 ms");
    came(8, "counters.gld_sec / counters.gld_req", "sectors per request",
         "  simulated        8 sectors per request");
}

static void what_no_gpu_measures_is_counted(void **unused)
{
    came(0.375, "operations / bytes", "operations per byte", "  counted      0.375 operations per byte");
}

static void one_is_singular(void **unused)
{
    came(1, "counters.gld_sec / counters.gld_req", "sectors per request",
         "  simulated        1 sector per request");
    came(1, "ratio", "GB/s", "  simulated        1 GB/s");
}

// One choice more than runs says that they are the same.
static void runs_may_be_the_same(void **unused)
{
    static const struct {
        double one, other;
        int right;
    } cases[] = { { 8, 4, 1 },   { 4, 8, 2 }, { 4, 4, 3 }, { 4.3, 4, 3 },
                  { 4.5, 4, 1 }, { 0, 0, 3 }, { 0, 4, 2 } };
    struct lesson lesson;
    struct error error;
    if (!lesson_parse(&lesson, "x/01-t/lesson.md",
                      "---\ntitle: T\nminutes: 5\nafter: say it\n---\n\n# T\n\n```predict id=p\nask: Which?\n"
                      "choice: one\nchoice: other\nchoice: both the same\nrun: vecadd/1-one-thread --on sim\n"
                      "run: vecadd/2-one-block --on sim\nvalue: median_ms\nbest: most\n```\n",
                      &error))
        fail_msg("%s", error.text);
    const struct live *live = &lesson.blocks[lesson.block_count - 1].live;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct outcome outcome = { .values = { cases[i].one, cases[i].other }, .count = 2 };
        assert_int_equal(outcome_right_choice(live, &outcome), cases[i].right);
    }
    lesson_free(&lesson);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_no_gpu_measures_is_counted),
        cmocka_unit_test(runs_may_be_the_same),
        cmocka_unit_test(times),
        cmocka_unit_test(ratios_of_times),
        cmocka_unit_test(large_and_small),
        cmocka_unit_test(a_number_has_one_unit),
        cmocka_unit_test(one_is_singular),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
