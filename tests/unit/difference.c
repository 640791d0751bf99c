// Two kernels beside each other: what differs in their texts, and their numbers.
#include "tui/text/text.h"

#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

// ---- which lines are shared -----------------------------------------------------------------------------------

static void note_difference(void *context, char sign, const char *line, size_t length)
{
    struct text *text = context;
    text_addf(text, "%c%.*s ", sign, (int)length, line);
}

static void expect_difference(const char *before, const char *after, const char *expected)
{
    struct text text = { 0 };
    diff_lines(before, after, note_difference, &text);
    assert_string_equal(text_string(&text), expected);
    text_free(&text);
}

static void differences(void **state)
{
    expect_difference("", "", "");
    expect_difference("a\nb\n", "a\nb\n", " a  b ");
    expect_difference("", "a\n", "+a ");
    expect_difference("a\n", "", "-a ");
    expect_difference("a\nb\nc\n", "a\nx\nc\n", " a -b +x  c ");
    expect_difference("a\na\n", "a\n", " a -a ");
    expect_difference("a\nb\nc\nd\n", "c\nd\na\n", "-a -b  c  d +a ");
}

// Texts of tens of thousands of lines without one in common, whose table would not fit.
static void long_texts_differ_as_a_whole(void **state)
{
    struct text before = { 0 }, after = { 0 }, found = { 0 };
    for (int i = 0; i < 20000; i++) {
        text_addf(&before, "%d\n", i);
        text_addf(&after, "x%d\n", i);
    }
    diff_lines(before.data, after.data, note_difference, &found);
    assert_true(string_starts(found.data, "-0 -1 "));
    assert_true(string_ends(found.data, "+x19999 "));
    text_free(&before);
    text_free(&after);
    text_free(&found);
}

// ---- their sheet ----------------------------------------------------------------------------------------------

static void rows_are(const struct sheet *sheet, const char *const *expected)
{
    struct text row = { 0 };
    for (size_t i = 0; i < sheet->line_count || expected[i]; i++) {
        assert_true(i < sheet->line_count);
        assert_non_null(expected[i]);
        assert_string_equal(sheet_line_text(sheet, i, &row), expected[i]);
        assert_true(text_cells(row.data) <= sheet->width);
    }
    text_free(&row);
}

static const char before[] = "a\nb;\nc\nd\n", after[] = "a\nx;\ny\nc\nd\n";

static void one_column(void **state)
{
    struct difference what = { .before = before, .after = after, .numbers = true };
    struct sheet sheet = difference_sheet(&what, 40, true);
    rows_are(&sheet, (const char *[]){ " 1 a", "-2 b;", "+2 x;", "+3 y", " 4 c", " 5 d", NULL });
    assert_int_equal(sheet_line_of_item(&sheet, 0), 1);
    assert_int_equal(sheet_line_of_item(&sheet, 1), -1);
    sheet_free(&sheet);
}

static void two_columns(void **state)
{
    struct difference what = { .before = before, .after = after, .beside = true };
    struct sheet sheet = difference_sheet(&what, 15, true);
    rows_are(&sheet, (const char *[]){ " a     │  a", "-b;    │ +x;", "       │ +y", " c     │  c",
                                       " d     │  d", NULL });
    sheet_free(&sheet);
    what.before = "a\nlong words here\n";
    sheet = difference_sheet(&what, 31, true); // each text wraps in its own column
    assert_true(sheet.line_count > 5);
    sheet_free(&sheet);
}

static void nothing_differs(void **state)
{
    struct difference what = { .before = before, .after = before };
    struct sheet sheet = difference_sheet(&what, 40, true);
    rows_are(&sheet, (const char *[]){ " a", " b;", " c", " d", "", " Nothing differs.", NULL });
    sheet_free(&sheet);
}

// What stands for a line decides, and the line itself is shown.
static void keys_are_compared(void **state)
{
    struct difference what = { .before = "mov %r1\nadd %r2\n",
                               .after = "mov %r7\nsub %r2\n",
                               .before_keys = "mov %r\nadd %r\n",
                               .after_keys = "mov %r\nsub %r\n" };
    struct sheet sheet = difference_sheet(&what, 40, true);
    rows_are(&sheet, (const char *[]){ " mov %r7", "-add %r2", "+sub %r2", NULL });
    sheet_free(&sheet);
}

static void what_is_alike_folds_where_room_is_short(void **state)
{
    static const char was[] =
        "// old\n//@ title a\n//@ launch k<<<1, 1>>>()\n1\n2\n3\n4\n5\n6\n7\n8\n9\nold\n",
                      is[] =
                          "// new\n//@ title b\n//@ launch k<<<1, 1>>>()\n1\n2\n3\n4\n5\n6\n7\n8\n9\nnew\n";
    struct difference what = { .before = was, .after = is, .fold = "f", .rows = 16 };
    struct sheet sheet = difference_sheet(&what, 60, true);
    assert_int_equal(sheet.line_count, 16); // all has room
    sheet_free(&sheet);
    what.rows = 15;
    sheet = difference_sheet(&what, 60, true);
    rows_are(&sheet, (const char *[]){ "  › 2 lines of comment, title and why folded (f)",
                                       " //@ launch k<<<1, 1>>>()", " 1", " 2", "  › 4 lines alike", " 7",
                                       " 8", " 9", "-old", "+new", NULL });
    assert_int_equal(sheet_line_of_item(&sheet, 0), 8);
    sheet_free(&sheet);
}

// ---- numbers --------------------------------------------------------------------------------------------------

// Frees the sheet.
static void expect_in(struct sheet sheet, const char *label, const char *expected)
{
    struct text row = { 0 };
    for (size_t i = 0; i < sheet.line_count; i++) {
        if (!string_starts(sheet_line_text(&sheet, i, &row), label))
            continue;
        if (!expected)
            fail_msg("%s is there: %s", label, row.data);
        assert_string_equal(row.data, expected);
        expected = NULL;
        break;
    }
    if (expected)
        fail_msg("no row begins with '%s'", label);
    text_free(&row);
    sheet_free(&sheet);
}

static void expect_row(const struct compared *base, const struct compared *now, const char *label,
                       const char *expected)
{
    expect_in(comparison_sheet(base, now, 80, true), label, expected);
}

static void count(struct record *record, struct record_counters *counters, double sectors,
                  double instructions)
{
    *counters = (struct record_counters){ .gld_req = 100, .gld_sec = sectors, .lanes_per_inst = 32 };
    record->counters = counters;
    record->warp_inst = instructions;
}

static void numbers_change(void **state)
{
    struct record was, is;
    struct record_counters was_counters, is_counters;
    record_init(&was);
    record_init(&is);
    count(&was, &was_counters, 1600, 1000);
    count(&is, &is_counters, 400, 1500);
    was.median_ms = 4;
    is.median_ms = 1;
    was.device = is.device = (char *)"a GPU";
    was.grid_blocks = 64, is.grid_blocks = 1024;
    was.registers = 8, is.registers = 13;
    is.launches = 3;
    is.kernel = (char *)"spread";
    struct compared base = { "one", &was, &was, true }, now = { "two", &is, &is, true };
    expect_row(&base, &now, " time",
               " time, ms                    4.000         1.000        -3.000  -75.0 %");
    expect_row(&base, &now, " instructions",
               " instructions                1,000         1,500          +500  +50.0 %");
    expect_row(&base, &now, "   sectors",
               "   sectors                   1,600           400        -1,200  -75.0 %");
    expect_row(&base, &now, " global requests",
               " global requests               100           100          same");
    expect_row(&base, &now, " barriers", NULL);
    expect_row(&base, &now, " blocks",
               " blocks                         64         1,024          +960  +1500 %");
    expect_row(&base, &now, "   registers",
               "   registers                     8            13            +5  +62.5 %");
    expect_row(&base, &now, "   shared bytes", NULL);
    expect_row(&base, &now, " blocks to",
               " blocks to shared bytes of two: of spread, which weighs most of its 3 launches");
    expect_row(&base, &now, " times:", " times: recorded on a GPU");

    now.recorded = false; // of two machines
    expect_row(&base, &now, " time,", " time, ms                    4.000         1.000");
    expect_row(&base, &now, " times:", " times: of two machines, which are not compared: a GPU and a GPU");
    now.counted = NULL;
    expect_row(&base, &now, "   sectors", "   sectors                   1,600");
    expect_row(&base, &now, " two was", " two was not simulated yet: s counts it.");
    base.counted = NULL;
    expect_row(&base, &now, "   sectors", NULL);
    expect_row(&base, &now, " Neither", " Neither was simulated yet: s counts both.");
    base.timed = now.timed = NULL;
    expect_row(&base, &now, " time", NULL);
    was.counters = is.counters = NULL;
    was.device = is.device = is.kernel = NULL;
    record_free(&was);
    record_free(&is);
}

static void a_result_says_whose_launch_it_shows(void **state)
{
    struct record record;
    record_init(&record);
    record.backend = ON_GPU;
    record.status = STATUS_RIGHT;
    record.median_ms = 1;
    record.registers = 13, record.shared_bytes = 1024;
    record.grid_blocks = 256, record.block_threads = 128;
    record.kernel = (char *)"spread";
    record.launches = 1;
    struct result result = { .chosen = &record, .utf8 = true };
    expect_in(result_sheet(&result, 80, true), " kernel", NULL);
    expect_in(result_sheet(&result, 80, true), " Of", NULL);
    record.launches = 3;
    expect_in(result_sheet(&result, 80, true), " kernel", " kernel        spread");
    expect_in(result_sheet(&result, 80, true), " launch", " launch        <<<256, 128>>>");
    expect_in(result_sheet(&result, 80, true), " Of",
              " Of 3 launches the table shows that of spread, which takes the longest; times");
    record.kernel = NULL;
    record_free(&record);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(differences),
        cmocka_unit_test(long_texts_differ_as_a_whole),
        cmocka_unit_test(one_column),
        cmocka_unit_test(two_columns),
        cmocka_unit_test(nothing_differs),
        cmocka_unit_test(keys_are_compared),
        cmocka_unit_test(what_is_alike_folds_where_room_is_short),
        cmocka_unit_test(numbers_change),
        cmocka_unit_test(a_result_says_whose_launch_it_shows),
    };
    setlocale(LC_CTYPE, "C.UTF-8");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
