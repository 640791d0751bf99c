// Questions with numbers that are drawn anew: what a block says of its draws, its texts with them, and the answer.
#include "lessons/answer.h"
#include "lessons/markdown.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct live live;

// A quiz with these lines.
static void block(const char *lines)
{
    struct error error;
    struct text text = { 0 };
    text_addf(&text, "ask: How many?\nright: 1\n%s", lines);
    const struct source source = { "x/01-one/lesson.md", text.data };
    live_free(&live);
    if (!live_parse(&source, 1, "quiz id=q", text.data, &live, &error))
        fail_msg("%s", error.text);
    text_free(&text);
}

static void refused(const char *lines, const char *why)
{
    struct drawn drawn;
    struct error error;
    block(lines);
    assert_false(drawn_read(&live, 1, &drawn, &error));
    if (!strstr(error.text, why))
        fail_msg("'%s' says: %s", lines, error.text);
}

// All numbers of the first draw, in their order.
static void draws(const char *line, const char *expected)
{
    struct drawn drawn;
    struct error error;
    struct text list = { 0 };
    block(line);
    assert_true(drawn_read(&live, 0, &drawn, &error));
    for (size_t which = 1; which <= drawn.others; which++) {
        assert_true(drawn_read(&live, which, &drawn, &error));
        text_addf(&list, "%s%lld", which > 1 ? " " : "", (long long)drawn.numbers[0]);
    }
    assert_string_equal(text_string(&list), expected);
    text_free(&list);
}

static void a_draw_is_a_range_or_a_list(void **unused)
{
    (void)unused;
    draws("draw: n = 2 of 1..5\n", "1 2 3 4 5");
    draws("draw: n=2 of -2 .. 9 step 4\n", "-2 2 6");
    draws("draw: n = 4 of 1 2 8 16\n", "1 2 8 16");
    draws("draw: n = 4 of 7\n", "7");
}

static void several_are_drawn_in_all_ways(void **unused)
{
    (void)unused;
    struct drawn drawn;
    struct error error;
    bool met[2][3] = { { false } };
    block("draw: a = 9 of 0..1\ndraw: b = 8 of 0 1 2\n");
    assert_true(drawn_read(&live, 0, &drawn, &error));
    assert_int_equal(drawn.others, 6);
    assert_int_equal(drawn.numbers[0], 9);
    assert_int_equal(drawn.numbers[1], 8);
    for (size_t which = 1; which <= 6; which++) {
        assert_true(drawn_read(&live, which, &drawn, &error));
        assert_false(met[drawn.numbers[0]][drawn.numbers[1]]);
        met[drawn.numbers[0]][drawn.numbers[1]] = true;
    }
}

static void what_is_no_draw_is_refused(void **unused)
{
    (void)unused;
    static const char *const lines[] = {
        "draw: n\n",
        "draw: n = 2\n",
        "draw: n = x of 1..2\n",
        "draw: 3 = 3 of 1..2\n",
        "draw: n = 2 of \n",
        "draw: n = 2 of 5..1\n",
        "draw: n = 2 of 1..9 step 0\n",
        "draw: n = 2 of 1..9 step\n",
        "draw: n = 2 of 1 2 x\n",
        "draw: n = 2 of 1..2 3\n",
        "draw: a_name_that_is_too_long = 2 of 1..2\n",
        "draw: n = 2 of 1..99999999999999999999\n",
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        refused(lines[i], "is not NAME = NUMBER of NUMBERS");
    refused("draw: n = 2 of 1..99999999\n", "more than 65536 draws");
    refused("draw: a = 2 of 1..300\ndraw: b = 2 of 1..300\n", "more than 65536 draws");
    refused("draw: a = 2 of 1..3\ndraw: a = 2 of 1..3\n", "'a' is drawn twice");
    refused("", "1 to 4 numbers");
}

static bool call(void *context, const char *name, const char *subject, const char *value, double *out,
                 struct error *error)
{
    *(size_t *)context += 1;
    if (strcmp(subject, "trouble") == 0)
        return error_set(error, EXIT_WRONG, "no such thing");
    assert_string_equal(name, "explore");
    assert_string_equal(subject, "banks stride=3");
    assert_string_equal(value, "wavefronts");
    *out = 8;
    return true;
}

static double answer(const char *lines, struct drawn *drawn)
{
    struct error error;
    size_t calls = 0;
    block(lines);
    assert_true(drawn_read(&live, 1, drawn, &error));
    if (!drawn_answer(&live, drawn, call, &calls, &error))
        fail_msg("%s", error.text);
    return value_as_real(drawn->answer);
}

static void the_answer_is_computed_with_the_numbers(void **unused)
{
    (void)unused;
    struct drawn drawn;
    assert_true(answer("draw: n = 2 of 3..9\nanswer: {n} * 10 + {n * n}\n", &drawn) == 39);
    assert_true(
        answer("draw: n = 2 of 3..9\nanswer: 1 + explore(banks stride={n}: wavefronts) / 3\n", &drawn) == 3);
    assert_true(answer("draw: n = 2 of 3..9\nanswer: {n} / 2.0\n", &drawn) == 1.5);
}

static void what_cannot_be_computed_is_an_error(void **unused)
{
    (void)unused;
    static const char *const lines[][2] = {
        { "{n} / 0", "by zero" },     { "{m}", "m" },
        { "{n", "no '}'" },           { "explore(trouble: x)", "no such thing" },
        { "explore(banks", "a ':'" }, { "1 +", "" },
        { "1.0 / 0.0", "" }
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        struct drawn drawn;
        struct error error;
        struct text text = { 0 };
        size_t calls = 0;
        text_addf(&text, "draw: n = 2 of 3..9\nanswer: %s\n", lines[i][0]);
        block(text.data);
        assert_true(drawn_read(&live, 1, &drawn, &error));
        assert_false(drawn_answer(&live, &drawn, call, &calls, &error));
        assert_false(drawn.answered);
        if (!strstr(error.text, lines[i][1]))
            fail_msg("'%s' says: %s", lines[i][0], error.text);
        text_free(&text);
    }
}

static void a_text_has_the_numbers_in_it(void **unused)
{
    (void)unused;
    struct drawn drawn;
    struct error error;
    struct text text = { 0 };
    answer("draw: n = 2 of 3..9\nanswer: {n} / 2.0\n", &drawn);
    assert_true(drawn_text(&drawn, "{n}, {1 << n} and {answer}: {n}.", &text, &error));
    assert_string_equal(text.data, "3, 8 and 1.5: 3.");
    text_free(&text);
    assert_false(drawn_text(&drawn, "{n} and {", &text, &error));
    text_free(&text);
}

static void typed(const char *lines, const char *words, int right) // -1: no answer
{
    struct drawn drawn;
    answer(lines, &drawn);
    json_t *event = drawn_typed(&live, &drawn, words);
    if (right < 0) {
        assert_null(event);
        return;
    }
    assert_int_equal(json_is_true(json_object_get(event, "right")), right);
    assert_int_equal(json_integer_value(json_object_get(json_object_get(event, "drawn"), "n")), 3);
    json_decref(event);
}

static void a_whole_answer_is_exact_and_another_within_five_percent(void **unused)
{
    (void)unused;
    const char *whole = "again: {n} bytes?\ndraw: n = 2 of 3..9\nanswer: {n} * 100\n",
               *part = "again: {n} bytes?\ndraw: n = 2 of 3..9\nanswer: {n} / 7.0\n";
    typed(whole, "300", 1);
    typed(whole, " = 300 bytes", 1);
    typed(whole, "301", 0);
    typed(whole, "x", -1);
    typed(whole, "300 lanes", -1); // a number of something else
    typed(part, "0.43", 1);
    typed(part, "0.44", 1);
    typed(part, "0.46", 0);
}

static int close_block(void **unused)
{
    (void)unused;
    live_free(&live);
    live = (struct live){ 0 };
    return 0;
}

int main(void)
{
#define TEST(name) cmocka_unit_test_teardown(name, close_block)
    const struct CMUnitTest tests[] = {
        TEST(a_draw_is_a_range_or_a_list),
        TEST(several_are_drawn_in_all_ways),
        TEST(what_is_no_draw_is_refused),
        TEST(the_answer_is_computed_with_the_numbers),
        TEST(what_cannot_be_computed_is_an_error),
        TEST(a_text_has_the_numbers_in_it),
        TEST(a_whole_answer_is_exact_and_another_within_five_percent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
