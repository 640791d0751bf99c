// A page of text that is scrolled, searched and chosen from, and lists with a selection.
#include "tui/view/view.h"

#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static char said[200];

void app_say(struct app *app, enum role role, const char *format, ...)
{
    struct text text = { 0 };
    va_list args;
    va_start(args, format);
    text_addv(&text, format, args);
    va_end(args);
    format_into(said, sizeof said, "%s", text_string(&text));
    text_free(&text);
}

// "line 0" … "line 29"; `every` line is an item (0: none).
static struct sheet numbered(int every)
{
    struct sheet sheet = sheet_new(40, false);
    for (int i = 0; i < 30; i++) {
        sheet.item = every && i % every == 0 ? i / every : -1;
        sheet_add(&sheet, ROLE_TEXT, "line %d", i);
        sheet_end(&sheet);
    }
    sheet.item = -1;
    return sheet;
}

static struct reader reading(int every, int rows)
{
    struct canvas canvas = { 0 };
    struct reader reader = { 0 };
    canvas_resize(&canvas, rows, 40);
    reader_show(&reader, numbered(every), every ? (30 + every - 1) / every : 0);
    reader_draw(&reader, canvas_area(&canvas));
    canvas_free(&canvas);
    return reader;
}

static void act(struct reader *reader, enum act act, size_t top, int selected)
{
    assert_int_equal(reader_act(reader, NULL, act, NULL), DONE);
    assert_int_equal(reader->top, top);
    assert_int_equal(reader->selected, selected);
}

// Every third line is an item; of two of them paging marks none, and going on by hand does.
static void what_is_passed_over_is_selected_by_hand_alone(void **state)
{
    const unsigned char passed[10] = { 0, 0, 1, 1, 0, 0, 0, 0, 1, 1 };
    struct reader reader = reading(3, 6);
    reader.passed = passed;
    act(&reader, ACT_PAGE_DOWN, 5, -1); // lines 5 to 10: items 2 and 3
    act(&reader, ACT_DOWN, 5, 2);
    act(&reader, ACT_DOWN, 5, 3);
    act(&reader, ACT_PAGE_DOWN, 10, 4);
    act(&reader, ACT_BOTTOM, 24, -1); // items 8 and 9
    act(&reader, ACT_UP, 24, 9);
    act(&reader, ACT_PREVIOUS, 24, 8);
    reader_free(&reader);
}

static int search(struct reader *reader, const char *text)
{
    struct words words = { { (char *)"search", (char *)text }, 2 };
    *said = 0;
    return reader_act(reader, NULL, ACT_SEARCH, &words);
}

// Of items above and below what is found, the one below is selected, and both are in sight.
static void found_between_items(void **state)
{
    struct reader reader = reading(5, 10); // items on the lines 0, 5, 10, ...
    assert_int_equal(search(&reader, "line 3"), DONE);
    assert_int_equal(reader.selected, 1);
    assert_int_equal(reader.top, 0);
    assert_int_equal(search(&reader, "line 6"), DONE); // item 1 is in sight still, above it
    assert_int_equal(reader.selected, 2);
    assert_true(reader.top <= 6 && reader.top + 10 > 10);
    assert_int_equal(reader_act(&reader, NULL, ACT_NEXT, NULL), DONE); // and Tab goes on from there
    assert_int_equal(reader.selected, 3);
    assert_int_equal(search(&reader, "line 29"), DONE); // no item is below
    assert_int_equal(reader.selected, 5);
    reader_free(&reader);
    reader = reading(20, 5); // the next item is further away than a page
    assert_int_equal(search(&reader, "line 3"), DONE);
    assert_int_equal(reader.top, 3); // so the one above is out of sight
    assert_int_equal(reader.selected, -1);
    reader_free(&reader);
}

static void text_scrolls(void **state)
{
    struct reader reader = reading(0, 10);
    act(&reader, ACT_DOWN, 1, -1);
    act(&reader, ACT_PAGE_DOWN, 10, -1);
    act(&reader, ACT_HALF_UP, 5, -1);
    act(&reader, ACT_BOTTOM, 20, -1);
    act(&reader, ACT_DOWN, 20, -1); // no further than the end
    act(&reader, ACT_PAGE_UP, 11, -1);
    act(&reader, ACT_TOP, 0, -1);
    act(&reader, ACT_UP, 0, -1);
    assert_int_equal(reader_act(&reader, NULL, ACT_NEXT, NULL), DONE_NOT); // nothing to choose
    assert_int_equal(reader_act(&reader, NULL, ACT_RUN, NULL), DONE_NOT);
    reader_free(&reader);
}

static void rows_are_chosen(void **state)
{
    struct reader reader = reading(1, 10);
    act(&reader, ACT_DOWN, 0, 1);
    act(&reader, ACT_PAGE_DOWN, 9, 9); // what is selected stays in sight
    act(&reader, ACT_BOTTOM, 20, 29);
    act(&reader, ACT_DOWN, 20, 29);
    act(&reader, ACT_NEXT, 0, 0); // around
    act(&reader, ACT_PREVIOUS, 20, 29);
    act(&reader, ACT_TOP, 0, 0);
    reader_free(&reader);
}

// Items on lines 0, 15: the lines between are scrolled over.
static void links_far_apart(void **state)
{
    struct reader reader = reading(15, 10);
    act(&reader, ACT_DOWN, 1, -1); // the first one went out of sight
    for (size_t top = 2; top <= 5; top++)
        act(&reader, ACT_DOWN, top, -1);
    act(&reader, ACT_DOWN, 6, 1); // line 15 came into sight
    act(&reader, ACT_UP, 5, -1);
    act(&reader, ACT_NEXT, 6, 1);
    act(&reader, ACT_TOP, 0, 0);
    act(&reader, ACT_NEXT, 12, 1);
    reader_free(&reader);
}

static void searching(void **state)
{
    struct reader reader = reading(0, 10);
    assert_int_equal(reader_act(&reader, NULL, ACT_SEARCH_NEXT, NULL), DONE_FAILED); // for what?
    assert_int_equal(reader_act(&reader, NULL, ACT_SEARCH, NULL), DONE_NOT);
    assert_int_equal(search(&reader, "LINE 2"), DONE);
    assert_int_equal(reader.hit, 2);
    assert_int_equal(reader.top, 0);
    act(&reader, ACT_SEARCH_NEXT, 17, -1);
    assert_int_equal(reader.hit, 20);
    act(&reader, ACT_SEARCH_PREVIOUS, 0, -1);
    assert_int_equal(reader.hit, 2);
    act(&reader, ACT_SEARCH_PREVIOUS, 20, -1);
    assert_int_equal(reader.hit, 29);
    assert_string_equal(said, "Went on from the bottom.");
    assert_int_equal(search(&reader, "nowhere"), DONE_FAILED);
    assert_string_equal(said, "'nowhere' is not on this page.");
    reader_free(&reader);
}

static void the_cursor_shows_where(void **state)
{
    struct canvas canvas = { 0 };
    struct reader reader = reading(0, 10);
    struct text text = { 0 }, roles = { 0 };
    canvas_resize(&canvas, 10, 40);
    search(&reader, "ne 3");
    reader_draw(&reader, canvas_area(&canvas));
    assert_int_equal(canvas.cursor_row, 3);
    canvas_dump(&canvas, &text, &roles);
    assert_non_null(strstr(roles.data, "\n\n\n  ????\n\n")); // and it is marked
    text_free(&text);
    text_free(&roles);
    canvas_free(&canvas);
    reader_free(&reader);
}

static struct sheet prose(int width)
{
    struct sheet sheet = sheet_new(width, false);
    for (int i = 0; i < 200; i++)
        sheet_flow(&sheet, ROLE_TEXT, "word%d ", i);
    sheet_end(&sheet);
    return sheet;
}

static bool first_line_holds(const struct reader *reader, const char *word)
{
    struct text text = { 0 };
    bool holds = strstr(sheet_line_text(&reader->sheet, reader->top, &text), word) != NULL;
    text_free(&text);
    return holds;
}

static void another_width_keeps_the_place(void **state)
{
    struct reader reader = { .rows = 5 };
    reader_show(&reader, prose(60), 0);
    search(&reader, "word100");
    for (int i = 0; i < 2; i++)
        reader_act(&reader, NULL, ACT_PAGE_DOWN, NULL);
    struct text line = { 0 };
    char first[20];
    format_into(first, sizeof first, "%s", sheet_line_text(&reader.sheet, reader.top, &line));
    first[strcspn(first, " ")] = 0;
    text_free(&line);
    for (int width = 59; width > 10; width -= 7) {
        reader_show(&reader, prose(width), 0);
        assert_true(first_line_holds(&reader, first));
        reader_show(&reader, prose(60), 0);
        assert_true(first_line_holds(&reader, first));
    }
    reader_free(&reader);
}

static void clicking(void **state)
{
    struct sheet sheet = sheet_new(40, false);
    for (int item = 0; item < 2; item++) {
        sheet_add(&sheet, ROLE_TEXT, "see ");
        sheet.item = item;
        sheet_add(&sheet, ROLE_LINK, "this");
        sheet_to(&sheet, 12);
        sheet_add(&sheet, ROLE_LINK, "and that");
        sheet.item = -1;
        sheet_end(&sheet);
    }
    struct reader reader = { .rows = 5 };
    reader_show(&reader, sheet, 2);
    assert_false(reader_click(&reader, 1, 2));
    assert_true(reader_click(&reader, 1, 4));
    assert_int_equal(reader.selected, 1);
    assert_true(reader_click(&reader, 0, 9)); // the gap within it
    assert_int_equal(reader.selected, 0);
    assert_false(reader_click(&reader, 0, 20));
    assert_false(reader_click(&reader, 2, 4));
    assert_false(reader_click(&reader, -1, 4));
    struct text word = { 0 };
    reader_word(&reader, &word);
    assert_string_equal(word.data, "thisand that");
    text_free(&word);
    reader_free(&reader);
}

static void any_size(void **state)
{
    for (int rows = 0; rows < 35; rows++)
        for (int every = 0; every < 8; every++) {
            struct reader reader = reading(every, rows);
            for (enum act a = 0; a < ACTS; a++)
                reader_act(&reader, NULL, a, NULL);
            search(&reader, "line 7");
            for (int i = 0; i < 40; i++)
                reader_act(&reader, NULL, i % 3 ? ACT_DOWN : ACT_SEARCH_NEXT, NULL);
            assert_true(reader.top < 30);
            assert_true(reader.selected < 30);
            reader_free(&reader);
        }
}

static void lists(void **state)
{
    struct list list = { .selected = 7 };
    list_fit(&list, 20, 5);
    assert_int_equal(list.top, 3);
    assert_int_equal(list_act(&list, ACT_DOWN), DONE);
    assert_int_equal(list.top, 4);
    assert_int_equal(list_act(&list, ACT_BOTTOM), DONE);
    assert_int_equal(list.selected, 19);
    assert_int_equal(list.top, 15);
    list_fit(&list, 3, 5); // fewer rows than before
    assert_int_equal(list.selected, 2);
    assert_int_equal(list.top, 0);
    list_fit(&list, 0, 5);
    assert_int_equal(list.selected, 0);
    assert_int_equal(list_act(&list, ACT_DOWN), DONE);
    assert_int_equal(list.selected, 0);
    assert_int_equal(list_act(&list, ACT_ENTER), DONE_NOT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_passed_over_is_selected_by_hand_alone),
        cmocka_unit_test(text_scrolls),
        cmocka_unit_test(rows_are_chosen),
        cmocka_unit_test(links_far_apart),
        cmocka_unit_test(searching),
        cmocka_unit_test(found_between_items),
        cmocka_unit_test(the_cursor_shows_where),
        cmocka_unit_test(another_width_keeps_the_place),
        cmocka_unit_test(clicking),
        cmocka_unit_test(any_size),
        cmocka_unit_test(lists),
    };
    setlocale(LC_ALL, "");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
