// Blocks as lines of text: what fits, what wraps, what stacks, and that nothing is lost or too wide at any width.
#include "tui/view/live.h"

#include <ctype.h>
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static struct lesson parsed(const char *body)
{
    struct lesson lesson;
    struct error error;
    struct text text = { 0 };
    text_addf(&text, "---\ntitle: T\nminutes: 1\nafter: x\n---\n\n%s\n", body);
    if (!lesson_parse(&lesson, "01-test/lesson.md", text.data, &error))
        fail_msg("%s", error.text);
    text_free(&text);
    return lesson;
}

static void add_lines(const struct sheet *sheet, struct text *out)
{
    struct text line = { 0 };
    for (size_t i = 0; i < sheet->line_count; i++)
        text_addf(out, "%s|", sheet_line_text(sheet, i, &line));
    text_free(&line);
}

// The lines of `body`, a '|' after each.
static void shows(const char *body, int width, const char *wanted)
{
    struct lesson lesson = parsed(body);
    struct sheet sheet = sheet_new(width, false);
    struct links links = { 0 };
    struct text got = { 0 };
    typeset_blocks(&sheet, lesson.blocks, lesson.block_count, &links);
    add_lines(&sheet, &got);
    assert_string_equal(text_string(&got), wanted);
    text_free(&got);
    links_free(&links);
    sheet_free(&sheet);
    lesson_free(&lesson);
}

// ---- the kinds of blocks --------------------------------------------------------------------------------------------

static void paragraphs_flow(void **state)
{
    shows("one two three", 40, "one two three|");
    shows("one two three", 9, "one two|three|");
    shows("one\n\ntwo", 9, "one||two|");
    shows("one  \ntwo", 9, "one|two|");
}

static void signs_stay_with_their_words(void **state)
{
    shows("aaa `bbb`, ccc", 7, "aaa|bbb,|ccc|");
    shows("aaa (`bbb`) c", 8, "aaa|(bbb) c|");
    shows("aaa [bbb](term:b)!", 7, "aaa|bbb!|");
    shows("a[*i*]`+`b", 20, "a[i]+b|");
}

static void headings_are_told_by_lines(void **state)
{
    shows("## One\n\ntext", 12, "One --------||text|");
    shows("# One", 6, "One|------|");
    shows("### One", 6, "One|");
    shows("## A long heading", 10, "A long|heading|"); // no room for a line
}

static void lists_hang(void **state)
{
    shows("- one two\n- three", 9, " * one|   two| * three|");
    shows("1. one\n2. two", 20, "1. one|2. two|");
    shows("- a\n  - b", 20, " * a|    * b|");
    shows("- a\n\n1. b", 20, " * a||1. b|");
}

// Beyond the width of prose, where there is room.
static void code_takes_the_room_there_is(void **state)
{
    struct sheet sheet = sheet_new(10, false);
    struct text got = { 0 };
    sheet.room = 12;
    typeset_code(&sheet, 0, "", "123456789012\n1234567890123\n");
    add_lines(&sheet, &got);
    assert_string_equal(got.data, "123456789012|123456789012|~ 3|");
    text_free(&got);
    sheet_free(&sheet);
}

static void code_goes_on_behind_a_sign(void **state)
{
    shows("```cuda\nint i;\n```", 20, "  int i;|");
    shows("```cuda\n\tint i;\n```", 20, "      int i;|");
    shows("```text\nabcdefghij\n```", 8, "  abcdef|  ~ ghij|");
}

static void quotes_have_a_bar(void **state)
{
    shows("> one two", 7, "| one|| two|");
}

// ---- tables ---------------------------------------------------------------------------------------------------------

static void tables_fit_wrap_or_stack(void **state)
{
    const char *numbers = "| n | word |\n| --- | --- |\n| 1 | a |\n| 100 | b |";
    shows(numbers, 20, "  n  word|---  ----|  1  a|100  b|"); // numbers end at one place
    const char *words = "| a | b |\n| --- | --- |\n| one two three four | five |";
    shows(words, 40, "a                   b|------------------  ----|one two three four  five|");
    shows(words, 16, "a           b|----------  ----|one two     five|three four|");
    shows("| a | b |\n| --- | --- |\n| unbreakable | unbreakable |\n| c | d |", 14,
          "a: unbreakable|b: unbreakable||a: c|b: d|");
    shows("| a |\n| --- |", 10, "a|-|");                                    // a head alone
    shows("| | b |\n| --- | --- |\n| aaaaaaaaaa | |", 6, "aaaaaa|  aaaa|"); // no head, no cell
}

static void items_of_tables_are_links(void **state)
{
    struct lesson lesson = parsed("| a | b |\n| --- | --- |\n| [one two](term:x) | [y](lesson:7) |");
    for (int width = 5; width < 40; width += 5) {
        struct sheet sheet = sheet_new(width, true);
        struct links links = { 0 };
        typeset_blocks(&sheet, lesson.blocks, lesson.block_count, &links);
        assert_int_equal(links.count, 2);
        assert_string_equal(links.opens[0], "terms x");
        assert_string_equal(links.opens[1], "lesson 7");
        assert_true(sheet_line_of_item(&sheet, 0) >= 0 && sheet_line_of_item(&sheet, 1) >= 0);
        links_free(&links);
        sheet_free(&sheet);
    }
    lesson_free(&lesson);
}

static void targets_become_words(void **state)
{
    static const char *const pairs[][2] = { { "term:warp", "terms warp" },
                                            { "term:shared memory", "terms \"shared memory\"" },
                                            { "term:a\"b", "terms \"a\\\"b\"" },
                                            { "lab:banks/3", "bench banks/3" },
                                            { "lesson:6", "lesson 6" },
                                            { "explore:banks stride=2", "explore banks stride=2" },
                                            { "https://example.org", "https://example.org" } };
    struct links links = { 0 };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        int item = links_target(&links, pairs[i][0]);
        assert_string_equal(links.opens[item], pairs[i][1]);
    }
    // The words of a link are done; what runs a program is none.
    static const char *const others[] = {
        "output exec sh -c id", "exec ./program", "!ls", "reset", "#below", ""
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_int_equal(links_target(&links, others[i]), -1);
    links_free(&links);
}

// ---- any width --------------------------------------------------------------------------------------------------------

static const char *const hostile[] = {
    "",
    "|a|b|c|d|e|f|g|h|i|j|k|l|m|n|o|p|q|r|s|t|u|v|w|x|y|z|\n"
    "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---"
    "|\n"
    "|aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa|b|c d e "
    "f|d|e|f|g|h|i|j|k|l|m|n|o|p|q|r|s|t|u|v|w|x|y|z|",
    "| 日本語 日本語 | `日本語` |\n| --- | --- |\n| 日本語日本語日本語 | e\xcc\x81 e\xcc\x81 |",
    "- a\n  - b\n    - c\n      - d\n        - e\n          - f\n            - g\n              - h words "
    "that go on",
    "> a\n> > b\n> > > c\n> > > > d\n> > > > > e that goes on and on and on and on",
    "123456789. one\n\n## A heading that is longer than most of the screens that it will ever be shown on, I "
    "hope",
    "```cuda\n/* a comment that is not closed and long, long, long, long, long, long, long, long, long\n```",
    "```"
    "text\n\n\n日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本"
    "語\n```",
    "*a***b**`c`[d](x)*e***f**`g`[h](x)*i***j**`k`[l](x)mmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmm",
    "[a long link that has to be carried over to the next line](term:one two) end  \n  \nx",
    "---\n\n| x |\n| --- |",
    "```quiz id=q\nask: `a` *b* "
    "cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc\n"
    "choice: dddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd\n"
    "choice: 2\nright: 2\n```",
    "```predict id=p\nask: how many\nunit: sectors per request and other things that are counted\nright: "
    "3\n```",
    "```order id=o\nask: order\nline: int a_line_that_is_longer_than_a_narrow_screen = 0;\nline: b\nextra: "
    "c\n```",
    "```lab\nshow: banks\nsay: run it\n```",
    "```bughunt id=h\nask: mend it\nfile: a.cu\nsolution: b.cu\n```",
};
enum { HOSTILE = sizeof hostile / sizeof *hostile, LEAST_WIDTH = 24 };

static size_t letters(const struct sheet *sheet)
{
    size_t count = 0;
    for (size_t i = 0; i < sheet->text.length; i++)
        count += isalnum((unsigned char)sheet->text.data[i]) != 0;
    return count;
}

// From LEAST_WIDTH on no line is wider than the sheet but where a line of code is one word; below, nothing is lost.
static void nothing_is_lost_at_any_width(void **state)
{
    struct text line = { 0 };
    for (size_t h = 0; h < HOSTILE; h++) {
        struct lesson lesson = parsed(hostile[h]);
        size_t most = 0, least = SIZE_MAX;
        for (int width = 1; width <= 250; width++) {
            struct sheet sheet = sheet_new(width, width % 2);
            struct links links = { 0 };
            typeset_blocks(&sheet, lesson.blocks, lesson.block_count, &links);
            size_t count = letters(&sheet);
            bool table =
                lesson.block_count && lesson.blocks[0].kind == BLOCK_TABLE; // a stack repeats its heads
            most = count > most && !table ? count : most;
            least = count < least && !table ? count : least;
            for (size_t i = 0; i < sheet.line_count && width >= LEAST_WIDTH; i++)
                if (text_cells(sheet_line_text(&sheet, i, &line)) > width)
                    fail_msg("%zu at %d: %s", h, width, text_string(&line));
            links_free(&links);
            sheet_free(&sheet);
        }
        assert_true(least == SIZE_MAX || least == most);
        lesson_free(&lesson);
    }
    text_free(&line);
}

static void lessons_on_paper_at_any_width(void **state)
{
    struct text line = { 0 };
    for (size_t h = 0; h < HOSTILE; h++) {
        struct lesson lesson = parsed(hostile[h]);
        for (int width = 1; width <= 250; width++) {
            struct lesson_setting paper = { .width = width, .utf8 = width % 2, .notes = true };
            struct lesson_text text = lesson_text_new(&lesson, &paper);
            assert_true(text.sheet.line_count > 0);
            bool order = strstr(hostile[h], "```order") != NULL; // its lines are code, and stay whole
            for (size_t i = 0; i < text.sheet.line_count && width >= LEAST_WIDTH && !order; i++)
                if (text_cells(sheet_line_text(&text.sheet, i, &line)) > width)
                    fail_msg("%zu at %d: %s", h, width, text_string(&line));
            lesson_text_free(&text);
        }
        lesson_free(&lesson);
    }
    text_free(&line);
}

// ---- fields -------------------------------------------------------------------------------------------------------------

enum { FIELD_MOST = 60 };

static void press(struct field *field, int key)
{
    struct event event = { .kind = EVENT_KEY, .key = key };
    assert_true(field_type(field, &event, FIELD_MOST));
}

static void fields_are_edited(void **state)
{
    struct field field = { 0 };
    for (const char *c = "ab c"; *c; c++)
        press(&field, *c);
    press(&field, 0x65e5); // 日
    assert_string_equal(text_string(&field.text), "ab c日");
    press(&field, PRESS_LEFT);
    press(&field, PRESS_BACKSPACE);
    assert_string_equal(text_string(&field.text), "ab 日");
    press(&field, PRESS_DELETE);
    press(&field, 23); // ^W
    assert_string_equal(text_string(&field.text), "");
    press(&field, PRESS_BACKSPACE);
    press(&field, PRESS_LEFT);
    press(&field, PRESS_RIGHT);
    press(&field, PRESS_DELETE);
    assert_string_equal(text_string(&field.text), "");
    assert_int_equal(field.at, 0);
    struct event enter = { .kind = EVENT_KEY, .key = PRESS_ENTER };
    assert_false(field_type(&field, &enter, FIELD_MOST));
    field_clear(&field);
}

static void pastes_are_cleaned_and_end(void **state)
{
    struct field field = { 0 };
    struct text many = { 0 };
    for (int i = 0; i < 100; i++)
        text_add(&many, "日");
    field_add(&field, "a\033[31mb\nsecond", FIELD_MOST);
    assert_string_equal(text_string(&field.text), "a[31mb");
    field_add(&field, many.data, FIELD_MOST);
    assert_true(field.text.length <= FIELD_MOST);
    assert_int_equal(text_cells(text_string(&field.text)), 6 + 2 * ((FIELD_MOST - 6) / 3));
    field_clear(&field);
    text_free(&many);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paragraphs_flow),
        cmocka_unit_test(signs_stay_with_their_words),
        cmocka_unit_test(headings_are_told_by_lines),
        cmocka_unit_test(lists_hang),
        cmocka_unit_test(code_goes_on_behind_a_sign),
        cmocka_unit_test(code_takes_the_room_there_is),
        cmocka_unit_test(quotes_have_a_bar),
        cmocka_unit_test(tables_fit_wrap_or_stack),
        cmocka_unit_test(items_of_tables_are_links),
        cmocka_unit_test(targets_become_words),
        cmocka_unit_test(nothing_is_lost_at_any_width),
        cmocka_unit_test(lessons_on_paper_at_any_width),
        cmocka_unit_test(fields_are_edited),
        cmocka_unit_test(pastes_are_cleaned_and_end),
    };
    setlocale(LC_CTYPE, "C.UTF-8");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
