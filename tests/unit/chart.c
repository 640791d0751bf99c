// Pictures in characters: golden text of small ones, and every size.
#include "tui/view/view.h"

#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static const struct chart_row rows[] = {
    { "plain", 138.1, ROLE_CPU, false, NULL, NULL },
    { "1 Bins in global memory", 12.5, ROLE_GPU, false, NULL, NULL },
    { "3 Bins in shared memory", 0.81, ROLE_GPU, true, NULL, NULL },
    { "4 Interleaved", 0.181, ROLE_GPU, false, NULL, NULL },
    { "5 Contiguous", NAN, ROLE_GPU, false, NULL, NULL },
};
static const struct chart_point points[] = {
    { '1', 0.25, 2e9, ROLE_GPU, false },
    { '2', 0.25, 6e11, ROLE_GPU, true },
    { '3', 0.25, 6.1e11, ROLE_GPU, false },
    { '4', NAN, 1e9, ROLE_GPU, false },
};
enum { ROWS = sizeof rows / sizeof *rows, POINTS = sizeof points / sizeof *points };

static void draw_ladder(struct canvas *canvas)
{
    chart_ladder(canvas_area(canvas), rows, ROWS);
}

static void draw_roofline(struct canvas *canvas)
{
    chart_roofline(canvas_area(canvas), points, POINTS, 3e12, 60e12, "adds");
}

static void expect(void (*draw)(struct canvas *canvas), int height, int width, bool utf8, const char *want)
{
    struct canvas canvas = { .utf8 = utf8 };
    struct text text = { 0 };
    canvas_resize(&canvas, height, width);
    draw(&canvas);
    canvas_dump(&canvas, &text, NULL);
    assert_string_equal(text.data, want);
    text_free(&text);
    canvas_free(&canvas);
}

static void ladders(void **state)
{
    expect(draw_ladder, 7, 60, false,
           "  plain                   ###################     . 138.1 ms\n"
           "  1 Bins in global memory #############     .     . 12.50 ms\n"
           "> 3 Bins in shared memory ######.     .     .     . 0.810 ms\n"
           "  4 Interleaved           ##    .     .     .     . 0.181 ms\n"
           "  5 Contiguous                  .     .     .     .\n"
           "                          +-----+-----+-----+-----+\n"
           "  ms, log scale           0.1   1    10    100  1000\n");
    expect(draw_ladder, 7, 60, true,
           "  plain                   ██████████████████▉     · 138.1 ms\n"
           "  1 Bins in global memory ████████████▋     ·     · 12.50 ms\n"
           "› 3 Bins in shared memory █████▌·     ·     ·     · 0.810 ms\n"
           "  4 Interleaved           █▌    ·     ·     ·     · 0.181 ms\n"
           "  5 Contiguous                  ·     ·     ·     ·\n"
           "                          ┼─────┼─────┼─────┼─────┼\n"
           "  ms, log scale           0.1   1    10    100  1000\n");
    // The chosen row stays in sight.
    expect(draw_ladder, 4, 30, false,
           "  plain               138.1 ms\n"
           "  1 Bins in global m~ 12.50 ms\n"
           "> 3 Bins in shared m~ 0.810 ms\n"
           "  4 Interleaved       0.181 ms\n");
}

static void rooflines(void **state)
{
    expect(draw_roofline, 10, 60, false,
           "      | adds/s                                  60 T adds/s\n"
           "100 T +                                 --------------------\n"
           " 10 T +                    ------------/\n"
           "  1 T +       ------------/\n"
           "      |------/2 3        3 TB/s\n"
           "100 G +\n"
           " 10 G +\n"
           "  1 G +       1                               adds per byte\n"
           "      +-----------------+----------------+-----------------+\n"
           "     0.1                1               10               100\n");
}

static void what_is_chosen_is_marked(void **state)
{
    struct canvas canvas = { 0 };
    canvas_resize(&canvas, 10, 60);
    draw_ladder(&canvas);
    assert_int_equal(canvas.cursor_row, 2);
    assert_int_equal(canvas.cells[2 * 60 + 30].marks, MARK_SELECTED);
    assert_int_equal(canvas.cells[1 * 60 + 30].marks, MARK_NONE);
    canvas_free(&canvas);
}

static void every_size(void **state)
{
    struct canvas canvas = { .utf8 = true };
    for (int height = 0; height <= 40; height++)
        for (int width = 0; width <= 130; width += 1 + width / 30) {
            canvas_resize(&canvas, height, width);
            draw_ladder(&canvas);
            chart_ladder(canvas_area(&canvas), rows, 0);
            chart_ladder(canvas_area(&canvas), rows + ROWS - 1, 1); // nothing is known
            draw_roofline(&canvas);
            chart_roofline(canvas_area(&canvas), points, POINTS, NAN, 60e12, "adds");
            chart_roofline(canvas_area(&canvas), points, POINTS, 3e12, NAN, "adds");
            chart_roofline(canvas_area(&canvas), points, 0, NAN, NAN, "adds");
        }
    canvas_free(&canvas);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ladders),
        cmocka_unit_test(rooflines),
        cmocka_unit_test(what_is_chosen_is_marked),
        cmocka_unit_test(every_size),
    };
    setlocale(LC_ALL, "");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
