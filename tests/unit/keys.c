// Key bindings: the file that ships, wrong lines, and which wins.
#include "tui/tui.h"
#include "tui/view/view.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct vocabulary known = { page_list, commands, NULL };

static struct keys parsed(const char *text)
{
    struct keys keys = { 0 };
    struct error error;
    if (!keys_parse(&keys, &known, "keys", text, &error))
        fail_msg("%s", error.text);
    return keys;
}

static void expect(const struct keys *keys, const char *page, const char *key, const char *words)
{
    const char *found = keys_words(keys, page, key_of_name(key, strlen(key)));
    if (!words)
        assert_null(found);
    else if (!found)
        fail_msg("%s does nothing on %s; it should do %s", key, page, words);
    else
        assert_string_equal(found, words);
}

static void expect_error(const char *line, const char *words)
{
    struct keys keys = { 0 };
    struct error error;
    struct text text = { 0 };
    text_addf(&text, "# a comment\nall j down\n%s\nall k up\n", line);
    assert_false(keys_parse(&keys, &known, "my/keys", text.data, &error));
    if (!strstr(error.text, words))
        fail_msg("expected '%s' in:\n%s", words, error.text);
    assert_non_null(strstr(error.text, "my/keys:3:"));
    assert_non_null(strchr(error.text, '^'));
    expect(&keys, "bench", "k", "up"); // the other lines count
    text_free(&text);
    keys_free(&keys);
}

static void lines(void **state)
{
    struct keys keys = parsed("\n  # nothing\nall  j\tdown   # one\r\nbench <Space> run-all\n"
                              "all <F5> lesson 6\nall x note \"a #1 b\"");
    expect(&keys, "bench", "j", "down");
    expect(&keys, "bench", "<Space>", "run-all");
    expect(&keys, "home", "<Space>", NULL);
    expect(&keys, "home", "<F5>", "lesson 6");
    expect(&keys, "home", "y", NULL);
    keys_free(&keys);
}

static void the_last_line_wins(void **state)
{
    struct keys keys = parsed("all r down\nbench r run\nall r up\n");
    expect(&keys, "home", "r", "up");
    expect(&keys, "bench", "r", "run"); // and one about this page before all
    struct error error;
    assert_true(keys_parse(&keys, &known, "own", "bench r sim\nall r -\n", &error));
    expect(&keys, "bench", "r", "sim");
    expect(&keys, "home", "r", NULL);
    assert_true(keys_parse(&keys, &known, "own", "bench r -\nall r up\n", &error));
    expect(&keys, "bench", "r", NULL); // taken away here, whatever the others do
    expect(&keys, "home", "r", "up");
    keys_free(&keys);
}

static void wrong_lines(void **state)
{
    expect_error("bench r rnu", "did you mean 'run'?");
    expect_error("bench r rnu", "my/keys:3:9: error: ");
    expect_error("bnech r run", "did you mean 'bench'?");
    expect_error("all <Upp> up", "there is no key '<Upp>'");
    expect_error("all", "a key is missing");
    expect_error("all x", "what the key does is missing");
    expect_error("all x # run", "what the key does is missing");
    expect_error("home r run-all", "it belongs to: bench");
    expect_error("all x qqqqqqqqqq", "there is no action 'qqqqqqqqqq'\n");
}

static void names_for_people(void **state)
{
    char name[40];
    struct keys keys = parsed("all <Up> up\nall k up\nbench r run\nall q back\nhome q -\n");
    keys_name(&keys, "bench", "up", name, sizeof name);
    assert_string_equal(name, "<Up>");
    keys_name(&keys, "bench", "run", name, sizeof name);
    assert_string_equal(name, "r");
    keys_name(&keys, "home", "run", name, sizeof name);
    assert_string_equal(name, "");
    keys_name(&keys, "home", "back", name, sizeof name);
    assert_string_equal(name, ""); // taken away
    struct error error;
    assert_true(keys_parse(&keys, &known, "own", "all <Up> top\n", &error));
    keys_name(&keys, "bench", "up", name, sizeof name);
    assert_string_equal(name, "k"); // the first one is another's now
    keys_free(&keys);
}

static bool same_page(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static void what_ships(void **state)
{
    struct keys keys = { 0 };
    struct error error;
    char name[40];
    if (!keys_read(&keys, &known, &error))
        fail_msg("%s", error.text);
    for (size_t i = 0; i < keys.count; i++)
        for (size_t j = 0; j < i; j++)
            if (keys.bindings[i].key == keys.bindings[j].key &&
                same_page(keys.bindings[i].page, keys.bindings[j].page)) {
                key_name(keys.bindings[i].key, name, sizeof name);
                fail_msg("%s is bound twice", name);
            }
    static const char *const fixed[] = { "<Up>",   "up",        "<Down>",      "down",    "<Left>",
                                         "left",   "<Right>",   "right",       "h",       "left",
                                         "j",      "down",      "k",           "up",      "l",
                                         "right",  "g",         "top",         "G",       "bottom",
                                         "^D",     "half-down", "^U",          "half-up", "/",
                                         "search", "n",         "search-next", "N",       "search-previous",
                                         ":",      "prompt",    "q",           "back",    "?",
                                         "help",   "K",         "explain",     "^C",      "stop" };
    for (size_t p = 0; page_list[p]; p++)
        for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i += 2)
            expect(&keys, page_list[p]->name, fixed[i], fixed[i + 1]);
    keys_free(&keys);
}

// Whatever can be done without an operand has a key.
static void every_action_has_a_key(void **state)
{
    struct keys keys = { 0 };
    struct error error;
    assert_true(keys_read(&keys, &known, &error));
    for (size_t a = 0; a < action_count; a++) {
        bool needs = actions[a].operands && actions[a].operands[0] != '[', bound = needs;
        for (size_t i = 0; i < keys.count; i++)
            bound |= strcmp(keys.bindings[i].words, actions[a].name) == 0;
        if (!bound)
            fail_msg("no key does %s", actions[a].name);
    }
    keys_free(&keys);
}

static void all_wrong_lines_are_counted(void **state)
{
    struct keys keys = { 0 };
    struct error error;
    assert_false(
        keys_parse(&keys, &known, "my/keys", "all x frobnicate\nhome y help\nnowhere z help\nall\n", &error));
    assert_non_null(strstr(error.text, "3 lines of your keys are wrong; the first: my/keys:1:"));
    expect(&keys, "home", "y", "help");
    keys_free(&keys);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines),
        cmocka_unit_test(the_last_line_wins),
        cmocka_unit_test(wrong_lines),
        cmocka_unit_test(names_for_people),
        cmocka_unit_test(all_wrong_lines_are_counted),
        cmocka_unit_test(what_ships),
        cmocka_unit_test(every_action_has_a_key),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
