// Time lines of host programs: what is read of what a program prints, and how it is drawn.
#include "engine/run/host.h"
#include "tui/text/text.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char printed[] = "hello\n"
                              "timeline: 8.000 ms on A GPU\n"
                              "timeline: stream 2, copy in, 0.000 to 2.000 ms\n"
                              "timeline: CPU in the call, 0.000 to 0.010 ms\n"
                              "timeline: stream 0, copy in, 1.000 to 4.000 ms\n"
                              "timeline: stream -1, kernel, 4.000 to 8.000 ms\n"
                              "timeline: right\n";

static void what_a_program_prints(void **state)
{
    struct timeline timeline;
    timeline_read(printed, &timeline);
    assert_string_equal(timeline.gpu, "A GPU");
    assert_true(timeline.total_ms == 8 && timeline.right && !*timeline.wrong && !*timeline.date);
    assert_int_equal(timeline.count, 4);
    assert_int_equal(timeline.spans[0].stream, 2);
    assert_string_equal(timeline.spans[0].what, "copy in");
    assert_string_equal(timeline.spans[1].what, ""); // the CPU
    assert_true(timeline.spans[2].from == 1 && timeline.spans[2].to == 4);
    assert_int_equal(timeline.spans[3].stream, -1);
    assert_string_equal(text_string(&timeline.said), "hello\n");
    timeline_free(&timeline);
}

// Hostile lines leave nothing that a drawing could stumble over.
static void what_makes_no_sense_is_left_out(void **state)
{
    static const char *const lines[] = {
        "timeline: stream 16, kernel, 0 to 1 ms\n",
        "timeline: stream -2, kernel, 0 to 1 ms\n",
        "timeline: stream 0, kernel, -1 to 1 ms\n",
        "timeline: stream 0, kernel, 2 to 1 ms\n",
        "timeline: stream 0, kernel, nan to 1 ms\n",
        "timeline: stream 0, kernel, 0 to inf ms\n",
        "timeline: stream 0, kernel, 0 to 1e300 ms\n",
        "timeline: stream 0, KERNEL\033[2J, 0 to 1 ms\n",
        "timeline: stream 99999999999, k, 0 to 1 ms\n",
        "timeline: \n",
        "timeline: nan ms on X\n",
        "timeline: -3 ms on X\n",
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        struct timeline timeline;
        timeline_read(lines[i], &timeline);
        assert_int_equal(timeline.count, 0);
        assert_true(isnan(timeline.total_ms) && !timeline.right);
        timeline_free(&timeline);
    }
    struct timeline timeline;
    struct text many = { 0 };
    for (int i = 0; i < 3 * TIMELINE_SPANS; i++)
        text_addf(&many, "timeline: stream %d, kernel, %d to %d ms\n", i % TIMELINE_STREAMS, i, i + 1);
    text_add(&many, "timeline: right\ntimeline: wrong: data[0]\n");
    timeline_read(text_string(&many), &timeline);
    assert_int_equal(timeline.count, TIMELINE_SPANS);
    assert_true(!timeline.right && *timeline.wrong); // a program that says both is not right
    timeline_free(&timeline);
    text_free(&many);
}

static void draw(int width, bool utf8, struct text *out)
{
    struct timeline timeline;
    struct sheet sheet = sheet_new(width, utf8);
    timeline_read(printed, &timeline);
    timeline_add(&sheet, &timeline);
    for (size_t line = 0; line < sheet.line_count; line++) {
        struct text text = { 0 };
        const char *is = sheet_line_text(&sheet, line, &text);
        assert_true(text_cells(is) <= width);
        text_addf(out, "%s\n", is);
        text_free(&text);
    }
    sheet_free(&sheet);
    timeline_free(&timeline);
}

// 38 columns leave two cells for each millisecond. A copy waits for the one before it, of whatever stream.
static void drawn_to_scale(void **state)
{
    struct text drawn = { 0 };
    draw(38, false, &drawn);
    assert_string_equal(drawn.data, " stream 0  copy in     ..####\n"
                                    " stream 2  copy in   ####\n"
                                    " default   kernel            ########\n"
                                    " CPU in calls        #\n"
                                    " ms                  0   2   4   6   8\n"
                                    " 8.000 ms on A GPU; right\n");
    text_free(&drawn);
}

static void every_width_is_kept(void **state)
{
    for (int width = 12; width < 220; width++)
        for (int utf8 = 0; utf8 < 2; utf8++) {
            struct text drawn = { 0 };
            draw(width, utf8, &drawn);
            assert_true(drawn.length > 0);
            text_free(&drawn);
        }
}

// A record is of the text that ships, or it is none.
static void records_fit_the_programs(void **state)
{
    static const struct host_terms terms = { 0 };
    struct host_programs programs;
    struct timeline timeline;
    struct error error;
    setenv("WARPBOOK_LIBCUDA", "/nonexistent", 1);
    assert_true(host_programs_read("streams", &programs, &error));
    assert_true(programs.count >= 5);
    for (size_t i = 0; i < programs.count; i++) {
        struct host_program *program = &programs.list[i];
        assert_non_null(program->title);
        assert_non_null(program->why);
        if (!host_obtain(program, &terms, &timeline, &error))
            fail_msg("%s has no record of its text; see tests/gpu.sh", program->name);
        assert_true(timeline.right && timeline.count > 2 && *timeline.date && *timeline.gpu);
        timeline_free(&timeline);
        program->code[0] ^= 1;
        assert_false(host_obtain(program, &terms, &timeline, &error));
    }
    host_programs_free(&programs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_program_prints),    cmocka_unit_test(what_makes_no_sense_is_left_out),
        cmocka_unit_test(drawn_to_scale),           cmocka_unit_test(every_width_is_kept),
        cmocka_unit_test(records_fit_the_programs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
