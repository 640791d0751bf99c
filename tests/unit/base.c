// engine/base: text, errors that point, files, children with deadlines.
#include "engine/base/base.h"

#include <locale.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static void text_grows_and_stays_terminated(void **state)
{
    struct text text = { 0 };
    assert_string_equal(text_string(&text), "");
    for (int i = 0; i < 1000; i++)
        text_addf(&text, "%d,", i % 10);
    assert_int_equal(text.length, 2000);
    assert_int_equal(strlen(text.data), 2000);
    text_free(&text);
}

static void untrusted_text_loses_its_control_characters(void **state)
{
    static const struct {
        const char *raw, *clean;
    } cases[] = { { "plain\ttext\n", "plain\ttext\n" },
                  { "\033[31mred\033[0m", "[31mred[0m" },
                  { "bell\a back\b", "bell back" },
                  { "c1 \xc2\x9b"
                    "31m",
                    "c1 ?31m" },
                  { "broken \xff\xfe", "broken ??" },
                  { "overlong \xc0\xaf", "overlong ??" },
                  { "日本 ✓", "日本 ✓" },
                  { "cut \xe6\x97", "cut ??" } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct text out = { 0 };
        text_add_clean(&out, cases[i].raw, strlen(cases[i].raw));
        assert_string_equal(text_string(&out), cases[i].clean);
        text_free(&out);
    }
}

static void diagnostics_point_with_a_caret(void **state)
{
    struct text out = { 0 };
    const char *source = "first\n\tint 日本 = x;\nlast";
    struct diagnostic d = { SEVERITY_ERROR, 2, 15, (char *)"x is unknown" };
    diagnostic_write(&out, "k.cu", source, &d);
    // The caret stands under the x: a tab, then "int ", two wide characters and " = ".
    assert_string_equal(text_string(&out),
                        "k.cu:2:15: error: x is unknown\n  \tint 日本 = x;\n  \t           ^");
    text_free(&out);
}

static void a_diagnostic_beyond_the_text_shows_no_line(void **state)
{
    struct text out = { 0 };
    struct diagnostic d = { SEVERITY_WARNING, 9, 1, (char *)"odd" };
    diagnostic_write(&out, "k.cu", "one line", &d);
    assert_string_equal(text_string(&out), "k.cu:9:1: warning: odd");
    text_free(&out);
}

static void the_nearest_name_is_found(void **state)
{
    static const char *const names[] = { "histogram", "reduction", "transpose" };
    assert_string_equal(string_nearest("histgram", names, 3), "histogram");
    assert_string_equal(string_nearest("redcution", names, 3), "reduction");
    assert_string_equal(string_nearest("trans", names, 3), "transpose");
    assert_string_equal(string_nearest("reductoin", names, 3), "reduction"); // a swap is one edit
    assert_null(string_nearest("matmul", names, 3));
    assert_null(string_nearest("", names, 3));
}

static void arrays_grow(void **state)
{
    int *items = NULL;
    for (size_t i = 0; i < 1000; i++) {
        items = array_room(items, i, sizeof *items);
        items[i] = (int)i;
    }
    for (size_t i = 0; i < 1000; i++)
        assert_int_equal(items[i], (int)i);
    free(items);
}

static void files_are_replaced_whole(void **state)
{
    char folder[] = "/tmp/warpbook-test-XXXXXX";
    struct error error;
    struct text text = { 0 };
    assert_non_null(mkdtemp(folder));
    char *deep = path_join(folder, "a/b/c"), *file = path_join(deep, "x");
    assert_true(folder_make(deep, &error));
    assert_true(folder_make(deep, &error)); // again is fine
    assert_true(file_replace(file, "one", 3, &error));
    assert_true(file_replace(file, "second", 6, &error));
    assert_true(file_read(file, &text, &error));
    assert_string_equal(text_string(&text), "second");
    assert_false(file_replace("/nonexistent/x", "", 0, &error));
    assert_non_null(strstr(error.text, "/nonexistent/x"));
    text_free(&text);
    unlink(file);
    for (int up = 0; up < 4; up++) { // c, b, a and the folder itself
        rmdir(deep);
        *strrchr(deep, '/') = 0;
    }
    free(deep);
    free(file);
}

static void a_child_gets_input_and_gives_output(void **state)
{
    const char *argv[] = { "sh", "-c", "cat; echo oops >&2; exit 3", NULL };
    struct child_result result;
    struct error error;
    size_t length = 1 << 20; // more than a pipe holds
    char *input = mem_new(length);
    memset(input, 'x', length);
    assert_true(child_run(argv, input, length, 20000, &result, &error));
    assert_false(result.timed_out);
    assert_int_equal(result.out.length, length);
    assert_string_equal(text_string(&result.err), "oops\n");
    assert_int_equal(WEXITSTATUS(result.status), 3);
    child_result_free(&result);
    free(input);
}

static void a_child_that_hangs_is_killed_with_its_children(void **state)
{
    const char *argv[] = { "sh", "-c", "sleep 1000 & echo started; wait", NULL };
    struct child_result result;
    struct error error;
    double start = clock_ms();
    assert_true(child_run(argv, NULL, 0, 300, &result, &error));
    assert_true(result.timed_out);
    assert_true(clock_ms() - start < 100000);
    assert_string_equal(text_string(&result.out), "started\n");
    child_result_free(&result);
}

static void a_child_ends_when_somebody_wants_it_to_stop(void **state)
{
    const char *argv[] = { "sh", "-c", "echo started; sleep 1000", NULL };
    const volatile bool stop = true;
    struct child_result result;
    struct error error;
    assert_true(child_run_until(argv, NULL, 0, 600000, &stop, &result, &error));
    assert_true(result.timed_out);
    child_result_free(&result);
}

static void a_child_that_is_not_there_is_a_sentence(void **state)
{
    const char *argv[] = { "/nonexistent/program", NULL };
    struct child_result result;
    struct error error;
    assert_false(child_run(argv, NULL, 0, 1000, &result, &error));
    assert_non_null(strstr(error.text, "/nonexistent/program"));
}

int main(void)
{
    setlocale(LC_CTYPE, "C.UTF-8");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_grows_and_stays_terminated),
        cmocka_unit_test(untrusted_text_loses_its_control_characters),
        cmocka_unit_test(diagnostics_point_with_a_caret),
        cmocka_unit_test(a_diagnostic_beyond_the_text_shows_no_line),
        cmocka_unit_test(the_nearest_name_is_found),
        cmocka_unit_test(arrays_grow),
        cmocka_unit_test(files_are_replaced_whole),
        cmocka_unit_test(a_child_gets_input_and_gives_output),
        cmocka_unit_test(a_child_that_hangs_is_killed_with_its_children),
        cmocka_unit_test(a_child_ends_when_somebody_wants_it_to_stop),
        cmocka_unit_test(a_child_that_is_not_there_is_a_sentence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
