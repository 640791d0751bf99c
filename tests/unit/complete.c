// What could come next at the prompt: the words that are offered, and where the one being typed starts.
#include "tui/tui.h"
#include "tui/view/view.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const struct vocabulary known = { page_list, commands, NULL };

static void forget(char **words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(words[i]);
    free(words);
}

// Whether `word` is offered after `line` on `page`.
static bool offers(const char *page, const char *line, const char *word)
{
    size_t from, count;
    bool found = false;
    char **words = complete_words(&known, NULL, page, line, strlen(line), &from, &count);
    for (size_t i = 0; i < count; i++)
        found = found || strcmp(words[i], word) == 0;
    forget(words, count);
    return found;
}

static size_t count_of(const char *page, const char *line)
{
    size_t from, count;
    char **words = complete_words(&known, NULL, page, line, strlen(line), &from, &count);
    forget(words, count);
    return count;
}

static void the_first_word_is_a_command_a_page_or_an_action(void **state)
{
    assert_true(offers("home", "", "list"));
    assert_true(offers("home", "", "bench"));
    assert_true(offers("home", "", "top"));
    assert_false(offers("home", "", "run-all"));
    assert_true(offers("bench", "run", "run-all"));
    assert_true(offers(NULL, "", "explain"));
    assert_true(offers(NULL, "", "bench"));
    assert_true(offers(NULL, "q", "quit"));
    assert_false(offers(NULL, "to", "top")); // an action needs a screen
    assert_int_equal(count_of("home", "zzz"), 0);
}

static void words_are_sorted_and_stand_once(void **state)
{
    size_t from, count;
    char **words = complete_words(&known, NULL, "bench", "", 0, &from, &count);
    assert_true(count > 20);
    for (size_t i = 1; i < count; i++)
        assert_true(strcmp(words[i - 1], words[i]) < 0);
    forget(words, count);
}

static void what_is_typed_starts_behind_the_last_blank(void **state)
{
    size_t from, count;
    const char *line = "run  hist and more";
    char **words = complete_words(&known, NULL, NULL, line, strlen("run  hist"), &from, &count);
    assert_int_equal(from, 5);
    assert_int_equal(count, 2);
    assert_string_equal(words[0], "histogram");
    assert_string_equal(words[1], "histogram/"); // no blank is set before a step can be named
    forget(words, count);
    words = complete_words(&known, NULL, NULL, "list", 0, &from, &count);
    forget(words, count);
    assert_int_equal(from, 0);
}

static void kernels_follow_what_runs_them(void **state)
{
    static const char *const takers[] = { "run",         "sim",          "show",    "source",         "step",
                                          "open source", "warpbook run", "compare", "compare banks/1" };
    char line[80];
    for (size_t i = 0; i < sizeof takers / sizeof *takers; i++) {
        format_into(line, sizeof line, "%s hist", takers[i]);
        assert_true(offers(NULL, line, "histogram"));
        format_into(line, sizeof line, "%s histogram/", takers[i]);
        assert_true(offers(NULL, line, "histogram/3-shared"));
        assert_true(offers(NULL, line, "histogram/plain"));
        assert_false(offers(NULL, line, "banks/1-unit-stride"));
    }
    assert_true(offers(NULL, "bench ", "banks"));
    assert_int_equal(count_of(NULL, "run nosuch/"), 0);
}

static void files_of_kernels_are_offered(void **state)
{
    char *folder = mem_copy("/tmp/warpbook-complete-XXXXXX"), *path, line[200], want[200];
    struct error error;
    assert_non_null(mkdtemp(folder));
    path = path_join(folder, "mine.cu");
    assert_true(file_replace(path, "", 0, &error));
    format_into(line, sizeof line, "run %s/", folder);
    format_into(want, sizeof want, "%s/mine.cu", folder);
    assert_true(offers(NULL, line, want));
    assert_int_equal(count_of(NULL, line), 1);
    unlink(path);
    assert_int_equal(count_of(NULL, line), 0);
    rmdir(folder);
    free(path);
    free(folder);
}

static void flags_and_their_values_are_offered(void **state)
{
    assert_true(offers(NULL, "run histogram --", "--size"));
    assert_true(offers(NULL, "run --size ", "small"));
    assert_true(offers(NULL, "run --on ", "gpu"));
    assert_false(offers(NULL, "run --on ", "histogram"));
    assert_true(offers(NULL, "run --data s", "skewed"));
    assert_int_equal(count_of(NULL, "run --set "), 0); // anything
    assert_int_equal(count_of(NULL, "list --"), 0);
}

static void terms_and_lessons_are_read_when_there_is_no_program(void **state)
{
    assert_true(offers(NULL, "explain bank-", "bank-conflict"));
    assert_true(offers(NULL, "explain bank c", "conflict"));
    assert_false(offers(NULL, "explain bank c", "cache"));
    assert_true(offers(NULL, "terms ", "warp"));
    assert_true(count_of(NULL, "lesson ") > 0);
}

static void explorers_lead_to_their_knobs(void **state)
{
    assert_true(offers(NULL, "explore ", "banks"));
    assert_true(offers(NULL, "explore banks st", "stride="));
    assert_int_equal(count_of(NULL, "explore nosuch "), 0);
}

static void the_workbook_lists_its_kinds(void **state)
{
    assert_true(offers(NULL, "workbook ", "predictions"));
    assert_true(offers(NULL, "workbook runs ma", "matvec"));
    assert_int_equal(count_of(NULL, "workbook notes "), 0);
    assert_true(offers("workbook", "pane ", "answers"));
    assert_true(offers("bench", "pane ", "roofline"));
    assert_true(offers("source", "pane ", "sass"));
    assert_true(offers("step", "pane ", "shared"));
    assert_false(offers("step", "pane ", "roofline"));
}

static void help_is_about_pages_on_a_screen_and_commands_without_one(void **state)
{
    assert_true(offers("home", "help ", "bench"));
    assert_true(offers(NULL, "help ", "run"));
    assert_false(offers(NULL, "help ", "bench"));
    assert_true(offers(NULL, "open ", "bench"));
}

static void an_open_quote_offers_nothing(void **state)
{
    assert_int_equal(count_of(NULL, "note \"banks and "), 0);
    assert_int_equal(count_of(NULL, "run 'hist "), 0);
}

static void the_common_front_is_whole_characters(void **state)
{
    char *const plain[] = { (char *)"search", (char *)"search-next", (char *)"sea" };
    char *const wide[] = { (char *)"a\xc3\xa4", (char *)"a\xc3\xb6" };
    assert_int_equal(complete_common(plain, 3), 3);
    assert_int_equal(complete_common(plain, 1), 6);
    assert_int_equal(complete_common(plain, 0), 0);
    assert_int_equal(complete_common(wide, 2), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_word_is_a_command_a_page_or_an_action),
        cmocka_unit_test(words_are_sorted_and_stand_once),
        cmocka_unit_test(what_is_typed_starts_behind_the_last_blank),
        cmocka_unit_test(kernels_follow_what_runs_them),
        cmocka_unit_test(files_of_kernels_are_offered),
        cmocka_unit_test(flags_and_their_values_are_offered),
        cmocka_unit_test(terms_and_lessons_are_read_when_there_is_no_program),
        cmocka_unit_test(explorers_lead_to_their_knobs),
        cmocka_unit_test(the_workbook_lists_its_kinds),
        cmocka_unit_test(help_is_about_pages_on_a_screen_and_commands_without_one),
        cmocka_unit_test(an_open_quote_offers_nothing),
        cmocka_unit_test(the_common_front_is_whole_characters),
    };
    return cmocka_run_group_tests_name("complete", tests, NULL, NULL);
}
