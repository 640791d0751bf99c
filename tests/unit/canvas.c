// Cells in memory: what is put stays within its area, whatever its size, and every cell holds a whole character.
#include "tui/draw/draw.h"

#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ROWS = 5, COLS = 12 };

static struct canvas make(int rows, int cols)
{
    struct canvas canvas = { .utf8 = true };
    canvas_resize(&canvas, rows, cols);
    return canvas;
}

static void expect(const struct canvas *canvas, const char *wanted)
{
    struct text text = { 0 };
    canvas_dump(canvas, &text, NULL);
    assert_string_equal(text_string(&text), wanted);
    text_free(&text);
}

static const struct cell *at(const struct canvas *canvas, int row, int col)
{
    return &canvas->cells[row * canvas->cols + col];
}

// A right half has a wide character before it, and a wide character has its right half.
static void expect_whole(const struct canvas *canvas)
{
    for (int row = 0; row < canvas->rows; row++)
        for (int col = 0; col < canvas->cols; col++) {
            bool half = !at(canvas, row, col)->text[0];
            bool wide = text_cells(at(canvas, row, col)->text) == 2;
            if (half)
                assert_true(col > 0 && text_cells(at(canvas, row, col - 1)->text) == 2);
            if (wide)
                assert_true(col + 1 < canvas->cols && !at(canvas, row, col + 1)->text[0]);
        }
}

static void text_is_put_and_its_end_returned(void **state)
{
    struct canvas canvas = make(2, 8);
    struct area all = canvas_area(&canvas);
    assert_int_equal(area_put(all, 0, 1, ROLE_TITLE, "%s %d", "abc", 4), 6);
    assert_int_equal(area_put(all, 1, 6, ROLE_TEXT, "xyz"), 9); // also where it was clipped
    expect(&canvas, " abc 4\n      xy\n");
    assert_int_equal(at(&canvas, 0, 1)->role, ROLE_TITLE);
    assert_int_equal(at(&canvas, 0, 0)->role, ROLE_TEXT);
    canvas_free(&canvas);
}

static void an_area_clips_at_every_edge(void **state)
{
    struct canvas canvas = make(ROWS, COLS);
    for (int i = 0; i < ROWS; i++)
        area_put(canvas_area(&canvas), i, 0, ROLE_TEXT, "............");
    struct area area = area_part(canvas_area(&canvas), 1, 3, 2, 4);
    area_put(area, 0, -2, ROLE_TEXT, "abcdefgh");
    area_put(area, 1, 2, ROLE_TEXT, "abcdefgh");
    area_put(area, -1, 0, ROLE_TEXT, "above");
    area_put(area, 2, 0, ROLE_TEXT, "below");
    area_put(area, 0, 4, ROLE_TEXT, "behind");
    area_put(area, 0, -9, ROLE_TEXT, "before");
    expect(&canvas, "............\n...cdef.....\n.....ab.....\n............\n............\n");
    area_fill(area, ROLE_BAR);
    area_line(area, 7, ROLE_FRAME);
    area_line(area, -1, ROLE_FRAME);
    expect(&canvas, "............\n...    .....\n...    .....\n............\n............\n");
    canvas_free(&canvas);
}

// Of every area, also ones that lie outside or have a negative size, nothing is put elsewhere.
static void no_area_reaches_beyond_itself(void **state)
{
    for (int row = -2; row <= ROWS + 1; row++)
        for (int col = -2; col <= COLS + 1; col++)
            for (int rows = -1; rows <= ROWS + 1; rows += 2)
                for (int cols = -1; cols <= COLS + 1; cols += 3) {
                    struct canvas canvas = make(ROWS, COLS);
                    struct area area = area_part(canvas_area(&canvas), row, col, rows, cols);
                    assert_true(area.rows >= 0 && area.cols >= 0);
                    area_fill(area, ROLE_BAR);
                    for (int i = -1; i <= ROWS; i++) {
                        area_put(area, i, -1, ROLE_BAR, "日本日本日本日本");
                        area_cell(area, i, 1, ROLE_BAR, 5, "cell that is cut");
                        area_cell(area, i, 2, ROLE_BAR, -7, "r");
                        area_mark(area, i, -3, 40, MARK_FOUND);
                    }
                    area_cursor(area, ROWS, -4);
                    for (int i = 0; i < ROWS; i++)
                        for (int j = 0; j < COLS; j++) {
                            bool within = i >= row && i < row + rows && j >= col && j < col + cols;
                            if (!within)
                                assert_true(at(&canvas, i, j)->role == ROLE_TEXT &&
                                            at(&canvas, i, j)->marks == 0 &&
                                            strcmp(at(&canvas, i, j)->text, " ") == 0);
                        }
                    expect_whole(&canvas);
                    assert_in_range(canvas.cursor_row, 0, ROWS - 1);
                    assert_in_range(canvas.cursor_col, 0, COLS - 1);
                    canvas_free(&canvas);
                }
}

static void a_part_of_a_part_is_clipped_to_both(void **state)
{
    struct canvas canvas = make(ROWS, COLS);
    struct area part = area_part(area_part(canvas_area(&canvas), 1, 2, 3, 5), 1, 3, 9, 9);
    assert_true(part.row == 2 && part.col == 5 && part.rows == 2 && part.cols == 2);
    canvas_free(&canvas);
}

static void wide_characters_take_two_cells(void **state)
{
    struct canvas canvas = make(1, 8);
    assert_int_equal(area_put(canvas_area(&canvas), 0, 1, ROLE_TEXT, "日本x"), 6);
    expect(&canvas, " 日本x\n");
    assert_string_equal(at(&canvas, 0, 1)->text, "日");
    assert_string_equal(at(&canvas, 0, 2)->text, "");
    canvas_free(&canvas);
}

static void half_a_wide_character_is_a_blank(void **state)
{
    struct canvas canvas = make(1, 6);
    struct area all = canvas_area(&canvas);
    area_put(all, 0, 5, ROLE_TEXT, "日");   // at the right edge
    area_put(all, 0, -1, ROLE_TEXT, "日a"); // at the left edge
    expect(&canvas, " a\n");
    area_put(all, 0, 2, ROLE_TEXT, "日本");
    area_put(all, 0, 3, ROLE_TEXT, "x"); // over the right half of one
    expect(&canvas, " a x本\n");
    area_put(all, 0, 4, ROLE_TEXT, "y"); // over the left half of the other
    expect(&canvas, " a xy\n");
    area_put(all, 0, 0, ROLE_TEXT, "日本語");
    area_put(all, 0, 1, ROLE_TEXT, "한글"); // wide over two halves and one between
    expect(&canvas, " 한글\n");
    expect_whole(&canvas);
    canvas_free(&canvas);
}

static void combining_marks_join_what_is_before(void **state)
{
    struct canvas canvas = make(1, 6);
    struct area all = canvas_area(&canvas);
    assert_int_equal(area_put(all, 0, 0, ROLE_TEXT, "e\u0301x"), 2);
    assert_string_equal(at(&canvas, 0, 0)->text, "e\u0301");
    area_put(all, 0, 2, ROLE_TEXT, "日\u0301");
    assert_string_equal(at(&canvas, 0, 2)->text, "日\u0301");
    assert_string_equal(at(&canvas, 0, 3)->text, "");
    area_put(all, 0, 0, ROLE_TEXT, "\u0301"); // before everything: nowhere to go
    for (int i = 0; i < 40; i++)              // more than a cell holds: cut, and still one character
        area_put(all, 0, 1, ROLE_TEXT, "\u0302");
    assert_true(strlen(at(&canvas, 0, 0)->text) < sizeof at(&canvas, 0, 0)->text);
    assert_int_equal(text_cells(at(&canvas, 0, 0)->text), 1);
    canvas_free(&canvas);
}

static void control_characters_and_broken_bytes_do_no_harm(void **state)
{
    struct canvas canvas = make(1, 32);
    struct area all = canvas_area(&canvas);
    assert_int_equal(area_put(all, 0, 0, ROLE_TEXT, "a\x1b[31mb\tc\r\nd\x7f"), 24);
    expect(&canvas, "a<U+001B>[31mbcd<U+007F>\n");
    canvas_clear(&canvas);
    area_put(all, 0, 0, ROLE_TEXT,
             "\xff"
             "a\xe6\x97"
             "b\xc2\x9b"
             "c");
    expect(&canvas, "?a??b<U+009B>c\n");
    canvas_clear(&canvas);
    assert_int_equal(area_put(all, 0, 0, ROLE_TEXT, "x\u202ey\u200bz"), text_cells("x\u202ey\u200bz"));
    expect(&canvas, "x<U+202E>y<U+200B>z\n");
    canvas_free(&canvas);
}

static void a_cell_is_exactly_as_wide_as_asked(void **state)
{
    struct canvas canvas = make(4, 10);
    struct area all = canvas_area(&canvas);
    for (int i = 0; i < 4; i++)
        area_put(all, i, 0, ROLE_TEXT, "..........");
    assert_int_equal(area_cell(all, 0, 1, ROLE_TEXT, 5, "ab"), 6);
    assert_int_equal(area_cell(all, 1, 1, ROLE_TEXT, -5, "ab"), 6);
    assert_int_equal(area_cell(all, 2, 1, ROLE_TEXT, 5, "abcdefg"), 6);
    assert_int_equal(area_cell(all, 3, 1, ROLE_TEXT, 4, "日本語"), 5);
    expect(&canvas, ".ab   ....\n.   ab....\n.abcd…....\n.日… .....\n");
    area_cell(all, 0, 1, ROLE_TEXT, 0, "none");
    area_cell(all, 1, 1, ROLE_TEXT, 1, "none");
    area_cell(all, 2, 8, ROLE_TEXT, -5, "abcdefg");
    expect(&canvas, ".ab   ....\n.…  ab....\n.abcd…..ab\n.日… .....\n");
    canvas_free(&canvas);
}

static void marks_add_up_and_are_dumped_before_roles(void **state)
{
    struct canvas canvas = make(1, 6);
    struct area all = canvas_area(&canvas);
    struct text text = { 0 }, roles = { 0 };
    area_put(all, 0, 0, ROLE_GOOD, "abcdef");
    area_mark(all, 0, 1, 2, MARK_FOUND);
    area_mark(all, 0, 2, 2, MARK_SELECTED);
    area_mark(all, 0, 4, 1, MARK_CHANGED);
    assert_int_equal(at(&canvas, 0, 2)->marks, MARK_FOUND | MARK_SELECTED);
    canvas_dump(&canvas, &text, &roles);
    assert_string_equal(roles.data, "G?**!G\n");
    text_free(&text);
    text_free(&roles);
    canvas_free(&canvas);
}

static void every_size_can_be_had(void **state)
{
    static const int sizes[][2] = { { 0, 0 }, { 1, 1 }, { 0, 9 }, { 9, 0 }, { -3, -4 }, { 80, 250 } };
    struct canvas canvas = { .utf8 = true };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        canvas_resize(&canvas, sizes[i][0], sizes[i][1]);
        assert_true(canvas.rows >= 0 && canvas.cols >= 0);
        area_put(canvas_area(&canvas), 0, 0, ROLE_TEXT, "日本");
        area_cell(canvas_area(&canvas), 0, 0, ROLE_TEXT, 3, "abcdef");
        area_cursor(canvas_area(&canvas), 3, 3);
        expect_whole(&canvas);
    }
    canvas_free(&canvas);
}

// Where the locale cannot read UTF-8, a character is one '?', however many bytes it has.
static void what_the_locale_cannot_read_is_one_cell(void **state)
{
    assert_non_null(setlocale(LC_CTYPE, "C"));
    struct canvas canvas = { 0 };
    canvas_resize(&canvas, 1, 8);
    assert_int_equal(text_cells("n\xc3\xa4h\xe2\x80\xa6"), 4);
    area_put(canvas_area(&canvas), 0, 0, ROLE_TEXT, "n\xc3\xa4h\xe2\x80\xa6!");
    struct text text = { 0 };
    canvas_dump(&canvas, &text, NULL);
    assert_string_equal(text_string(&text), "n?h?!\n");
    text_free(&text);
    canvas_free(&canvas);
    setlocale(LC_CTYPE, "C.UTF-8");
}

int main(void)
{
    setlocale(LC_CTYPE, "C.UTF-8");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_is_put_and_its_end_returned),
        cmocka_unit_test(an_area_clips_at_every_edge),
        cmocka_unit_test(no_area_reaches_beyond_itself),
        cmocka_unit_test(a_part_of_a_part_is_clipped_to_both),
        cmocka_unit_test(wide_characters_take_two_cells),
        cmocka_unit_test(half_a_wide_character_is_a_blank),
        cmocka_unit_test(combining_marks_join_what_is_before),
        cmocka_unit_test(control_characters_and_broken_bytes_do_no_harm),
        cmocka_unit_test(what_the_locale_cannot_read_is_one_cell),
        cmocka_unit_test(a_cell_is_exactly_as_wide_as_asked),
        cmocka_unit_test(marks_add_up_and_are_dumped_before_roles),
        cmocka_unit_test(every_size_can_be_had),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
