// Lines of text with roles and items: what flows stays within the width, at every width, and loses nothing.
#include "tui/draw/draw.h"

#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void expect_lines(const struct sheet *sheet, const char *wanted)
{
    struct text all = { 0 }, line = { 0 };
    text_add(&all, "");
    for (size_t i = 0; i < sheet->line_count; i++)
        text_addf(&all, "%s\n", sheet_line_text(sheet, i, &line));
    assert_string_equal(all.data, wanted);
    text_free(&all);
    text_free(&line);
}

static int widest(const struct sheet *sheet)
{
    struct text line = { 0 };
    int most = 0;
    for (size_t i = 0; i < sheet->line_count; i++) {
        int cells = text_cells(sheet_line_text(sheet, i, &line));
        most = cells > most ? cells : most;
    }
    text_free(&line);
    return most;
}

// Everything but blanks, in order.
static void letters_of(const struct sheet *sheet, struct text *out)
{
    struct text line = { 0 };
    text_add(out, "");
    for (size_t i = 0; i < sheet->line_count; i++)
        for (const char *c = sheet_line_text(sheet, i, &line); *c; c++)
            if (*c != ' ')
                text_add_n(out, c, 1);
    text_free(&line);
}

static void spans_keep_their_roles_and_items(void **state)
{
    struct sheet sheet = sheet_new(40, true);
    sheet_add(&sheet, ROLE_TITLE, "one ");
    sheet.item = 3;
    sheet_add(&sheet, ROLE_LINK, "two");
    sheet.item = -1;
    sheet_to(&sheet, 10);
    sheet_add(&sheet, ROLE_TEXT, "three");
    sheet_end(&sheet);
    expect_lines(&sheet, "one two   three\n");
    assert_int_equal(sheet.spans[0].role, ROLE_TITLE);
    assert_int_equal(sheet.spans[1].item, 3);
    assert_int_equal(sheet.spans[2].item, -1);
    assert_int_equal(sheet_line_of_item(&sheet, 3), 0);
    assert_int_equal(sheet_line_of_item(&sheet, 4), -1);
    sheet_free(&sheet);
}

static void a_column_that_is_passed_costs_one_blank(void **state)
{
    struct sheet sheet = sheet_new(40, true);
    sheet_add(&sheet, ROLE_TEXT, "long words");
    sheet_to(&sheet, 4);
    sheet_add(&sheet, ROLE_TEXT, "x");
    sheet_end(&sheet);
    expect_lines(&sheet, "long words x\n");
    sheet_free(&sheet);
}

static void gaps_are_never_doubled_nor_first(void **state)
{
    struct sheet sheet = sheet_new(40, true);
    sheet_gap(&sheet);
    sheet_lines(&sheet, ROLE_TEXT, 0, "a\n");
    sheet_gap(&sheet);
    sheet_gap(&sheet);
    sheet_lines(&sheet, ROLE_TEXT, 2, "b\n\nc");
    expect_lines(&sheet, "a\n\n  b\n\n  c\n");
    sheet_free(&sheet);
}

static void words_wrap_behind_their_hang(void **state)
{
    struct sheet sheet = sheet_new(12, true);
    sheet_add(&sheet, ROLE_TITLE, "key ");
    sheet_hang(&sheet, 4);
    sheet_flow(&sheet, ROLE_TEXT, "four words and %d", 1);
    sheet_end(&sheet);
    sheet_paragraph(&sheet, ROLE_TEXT, 1, "next one\nand more of it");
    expect_lines(&sheet, "key four\n    words\n    and 1\n next one\n and more of\n it\n");
    sheet_free(&sheet);
}

static void pieces_without_a_blank_stay_together(void **state)
{
    struct sheet sheet = sheet_new(20, true);
    sheet_flow(&sheet, ROLE_TEXT, "see ");
    sheet_flow(&sheet, ROLE_LINK, "warps");
    sheet_flow(&sheet, ROLE_TEXT, ", and on");
    sheet_end(&sheet);
    expect_lines(&sheet, "see warps, and on\n");
    sheet_free(&sheet);
}

static void a_word_longer_than_a_line_is_cut(void **state)
{
    struct sheet sheet = sheet_new(6, true);
    sheet_flow(&sheet, ROLE_TEXT, "a abcdefghijklm z");
    sheet_end(&sheet);
    expect_lines(&sheet, "a\nabcdef\nghijkl\nm z\n");
    sheet_free(&sheet);
}

static void untrusted_text_loses_its_control_characters(void **state)
{
    struct sheet sheet = sheet_new(60, true);
    sheet_add(&sheet, ROLE_TEXT, "a\x1b[31mb\tc\rd\x9b");
    sheet_end(&sheet);
    sheet_lines(&sheet, ROLE_TEXT, 0, "\x1b]0;title\x07x\ny");
    for (size_t i = 0; i < sheet.text.length; i++)
        assert_true((unsigned char)sheet.text.data[i] >= 0x20 && sheet.text.data[i] != 0x7f);
    assert_int_equal(sheet.line_count, 3);
    sheet_free(&sheet);
}

// Narrower than a wide character, nothing can be right; from two cells on, no line is too long.
static void flows_fit_at_every_width(void **state)
{
    static const char words[] =
        "A warp is 32 lanes that run in lockstep; 日本語の文字 are wide, e\u0301 has a mark, "
        "__shared__ and histogram_warp_bins<<<sm_count * 8, 256>>>(data, bins, n) are long.";
    struct text letters = { 0 };
    for (const char *c = words; *c; c++)
        if (*c != ' ')
            text_add_n(&letters, c, 1);
    for (int width = -1; width <= 250; width++)
        for (int indent = 0; indent <= 260; indent += indent < 8 ? 1 : 63) {
            struct sheet sheet = sheet_new(width, true);
            struct text kept = { 0 };
            sheet_paragraph(&sheet, ROLE_TEXT, indent, words);
            letters_of(&sheet, &kept);
            assert_string_equal(kept.data, letters.data);
            if (width >= 4) // half of it is for the words
                assert_true(widest(&sheet) <= width);
            text_free(&kept);
            sheet_free(&sheet);
        }
    text_free(&letters);
}

static void a_rule_fills_the_rest_of_the_line(void **state)
{
    for (int width = 1; width <= 250; width++) {
        struct sheet sheet = sheet_new(width, width % 2);
        sheet_add(&sheet, ROLE_TEXT, "ab");
        sheet_rule(&sheet);
        assert_int_equal(widest(&sheet), width > 2 ? width : 2);
        sheet_free(&sheet);
    }
}

static void drawing_clips_marks_and_parks_the_cursor(void **state)
{
    struct canvas canvas = { .utf8 = true };
    struct text text = { 0 }, roles = { 0 };
    struct sheet sheet = sheet_new(30, true);
    canvas_resize(&canvas, 4, 10);
    sheet_lines(&sheet, ROLE_TEXT, 0, "first\nsecond line here\nthird");
    sheet.item = 0;
    sheet_add(&sheet, ROLE_LINK, "Fourth");
    sheet_end(&sheet);
    sheet_draw(&sheet, area_part(canvas_area(&canvas), 1, 1, 3, 6), 1, 0, "th");
    canvas_dump(&canvas, &text, &roles);
    assert_string_equal(text.data, "\n second\n third\n Fourth\n");
    assert_string_equal(roles.data, "\n\n ??\n ******\n"); // the found "th" within what is selected is both
    assert_true(canvas.cursor_row == 3 && canvas.cursor_col == 1);
    sheet_draw(&sheet, canvas_area(&canvas), 99, 0, NULL); // from beyond the end: nothing
    text_free(&text);
    text_free(&roles);
    sheet_free(&sheet);
    canvas_free(&canvas);
}

static void an_empty_sheet_can_be_drawn(void **state)
{
    struct canvas canvas = { 0 };
    struct sheet sheet = sheet_new(0, false);
    canvas_resize(&canvas, 0, 0);
    sheet_draw(&sheet, canvas_area(&canvas), 0, -1, "x");
    assert_int_equal(sheet.width, 1);
    sheet_free(&sheet);
    canvas_free(&canvas);
}

int main(void)
{
    setlocale(LC_CTYPE, "C.UTF-8");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spans_keep_their_roles_and_items),
        cmocka_unit_test(a_column_that_is_passed_costs_one_blank),
        cmocka_unit_test(gaps_are_never_doubled_nor_first),
        cmocka_unit_test(words_wrap_behind_their_hang),
        cmocka_unit_test(pieces_without_a_blank_stay_together),
        cmocka_unit_test(a_word_longer_than_a_line_is_cut),
        cmocka_unit_test(untrusted_text_loses_its_control_characters),
        cmocka_unit_test(flows_fit_at_every_width),
        cmocka_unit_test(a_rule_fills_the_rest_of_the_line),
        cmocka_unit_test(drawing_clips_marks_and_parks_the_cursor),
        cmocka_unit_test(an_empty_sheet_can_be_drawn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
