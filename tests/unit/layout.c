// From a size to rectangles: the parts lie side by side within the whole, at every size.
#include "tui/draw/draw.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct rect (*cut)(struct rect *rest, int cells, int gap);
static const cut cuts[] = { rect_top, rect_bottom, rect_left, rect_right };

static bool is(struct rect rect, int row, int col, int rows, int cols)
{
    return rect.row == row && rect.col == col && rect.rows == rows && rect.cols == cols;
}

static void each_side_is_cut_off(void **state)
{
    struct rect rest = { 2, 3, 20, 60 };
    assert_true(is(rect_top(&rest, 4, 1), 2, 3, 4, 60));
    assert_true(is(rest, 7, 3, 15, 60));
    assert_true(is(rect_bottom(&rest, 3, 2), 19, 3, 3, 60));
    assert_true(is(rest, 7, 3, 10, 60));
    assert_true(is(rect_left(&rest, 10, 1), 7, 3, 10, 10));
    assert_true(is(rest, 7, 14, 10, 49));
    assert_true(is(rect_right(&rest, 9, 0), 7, 54, 10, 9));
    assert_true(is(rest, 7, 14, 10, 40));
}

static bool contains(struct rect outer, struct rect inner)
{
    return inner.rows >= 0 && inner.cols >= 0 && inner.row >= outer.row && inner.col >= outer.col &&
           inner.row + inner.rows <= outer.row + outer.rows &&
           inner.col + inner.cols <= outer.col + outer.cols;
}

static bool overlap(struct rect a, struct rect b)
{
    return a.row < b.row + b.rows && b.row < a.row + a.rows && a.col < b.col + b.cols &&
           b.col < a.col + a.cols;
}

static void parts_never_overlap_nor_leave_the_whole(void **state)
{
    static const int cells[] = { -3, 0, 1, 7, 40, 300 }, gaps[] = { -2, 0, 1, 2, 100 };
    for (int rows = 0; rows <= 80; rows++)
        for (int cols = 0; cols <= 250; cols += cols < 12 ? 1 : 17)
            for (int i = 0; i < 4 * 6 * 5; i++) {
                struct rect whole = { 1, 2, rows, cols }, rest = whole;
                int asked = cells[i / 4 % 6], gap = gaps[i / 24];
                struct rect part = cuts[i % 4](&rest, asked, gap);
                int side = i % 4 < 2 ? part.rows : part.cols, most = i % 4 < 2 ? rows : cols;
                assert_true(contains(whole, part) && contains(whole, rest) && !overlap(part, rest));
                assert_int_equal(side, asked < 0 ? 0 : asked > most ? most : asked);
            }
}

static void the_gap_belongs_to_neither(void **state)
{
    struct rect rest = { 0, 0, 10, 10 };
    struct rect left = rect_left(&rest, 4, 2);
    assert_int_equal(left.cols + 2 + rest.cols, 10);
    rest = (struct rect){ 0, 0, 10, 5 };
    left = rect_left(&rest, 4, 3); // not enough for the gap: nothing is left behind it
    assert_true(left.cols == 4 && rest.cols == 0);
}

static void an_area_is_cut_by_a_rectangle(void **state)
{
    struct canvas canvas = { 0 };
    canvas_resize(&canvas, 10, 20);
    struct area area = area_rect(canvas_area(&canvas), (struct rect){ 2, 3, 50, 50 });
    assert_true(area.row == 2 && area.col == 3 && area.rows == 8 && area.cols == 17);
    canvas_free(&canvas);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_side_is_cut_off),
        cmocka_unit_test(parts_never_overlap_nor_leave_the_whole),
        cmocka_unit_test(the_gap_belongs_to_neither),
        cmocka_unit_test(an_area_is_cut_by_a_rectangle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
