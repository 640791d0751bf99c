// engine/base: text, errors that point, files, children with deadlines.
#include "engine/base/base.h"
#include "engine/base/silence.h"
#include "tests/child.h"

#include <locale.h>
#include <poll.h>
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

static void untrusted_text_shows_what_would_be_hidden(void **state)
{
    static const struct {
        const char *raw, *clean;
    } cases[] = { { "plain\ttext\n", "plain\ttext\n" },
                  { "\033[31mred\033[0m", "<U+001B>[31mred<U+001B>[0m" },
                  { "bell\a back\b", "bell<U+0007> back<U+0008>" },
                  { "c1 \xc2\x9b"
                    "31m",
                    "c1 <U+009B>31m" },
                  { "broken \xff\xfe", "broken ??" },
                  { "overlong \xc0\xaf", "overlong ??" },
                  { "日本 ✓", "日本 ✓" },
                  { "cut \xe6\x97", "cut ??" },
                  { "line\r\nnext\r", "line\nnext" },
                  { "over\rwritten \v\f\x7f", "over<U+000D>written <U+000B><U+000C><U+007F>" },
                  { "a\u202eb\u2066c\u200ed\u061ce", "a<U+202E>b<U+2066>c<U+200E>d<U+061C>e" },
                  { "zero\u200bwidth\u200d\ufeff\u00ad\u2060",
                    "zero<U+200B>width<U+200D><U+FEFF><U+00AD><U+2060>" },
                  { "line\u2028paragraph\u2029", "line<U+2028>paragraph<U+2029>" },
                  { "tag\U000e0041 filler\u3164", "tag<U+E0041> filler<U+3164>" },
                  { "fine: e\u0301 \u00a0 \u26a0\ufe0f \U0001f389 \u05d0 \u0627",
                    "fine: e\u0301 \u00a0 \u26a0\ufe0f \U0001f389 \u05d0 \u0627" } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct text out = { 0 };
        text_add_clean(&out, cases[i].raw, strlen(cases[i].raw));
        assert_string_equal(text_string(&out), cases[i].clean);
        text_free(&out);
    }
}

static void characters_become_utf8(void **state)
{
    static const struct {
        uint32_t code;
        const char *bytes;
    } cases[] = {
        { 'a', "a" },        { 0x7f, "\x7f" },     { 0x80, "\xc2\x80" },      { 0x7ff, "\u07ff" },
        { 0x800, "\u0800" }, { 0xffff, "\uffff" }, { 0x10000, "\U00010000" }, { 0x10ffff, "\U0010ffff" },
        { 0, "?" },          { 0xd800, "?" },      { 0xdfff, "?" },           { 0x110000, "?" },
        { UINT32_MAX, "?" }
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char out[5];
        assert_int_equal(utf8_write(cases[i].code, out), strlen(cases[i].bytes));
        assert_string_equal(out, cases[i].bytes);
    }
}

static void diagnostics_point_with_a_caret(void **state)
{
    struct text out = { 0 };
    const char *source = "first\n\tint 日本 = x;\nlast";
    struct diagnostic d = { SEVERITY_ERROR, 2, 15, (char *)"x is unknown" };
    diagnostic_write(&out, "k.cu", source, &d);
    // The caret is under the x: a tab, then "int ", two wide characters and " = ".
    assert_string_equal(text_string(&out),
                        "k.cu:2:15: error: x is unknown\n  \tint 日本 = x;\n  \t           ^");
    text_free(&out);
}

static void carets_stand_under_what_is_shown(void **state)
{
    struct text out = { 0 };
    struct diagnostic d = { SEVERITY_ERROR, 1, 8, (char *)"x is unknown" };
    diagnostic_write(&out, "k.cu", "a \u202eb = x;\r\n", &d); // the column of the =
    assert_string_equal(text_string(&out),
                        "k.cu:1:8: error: x is unknown\n  a <U+202E>b = x;\n              ^");
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

static int mode_of(const char *path)
{
    struct stat there;
    return lstat(path, &there) == 0 ? (int)(there.st_mode & 0777) : -1;
}

static void a_replaced_file_keeps_its_permissions_and_its_links(void **state)
{
    char folder[] = "/tmp/warpbook-test-XXXXXX";
    struct error error;
    struct text text = { 0 };
    assert_non_null(mkdtemp(folder));
    char *file = path_join(folder, "x"), *link = path_join(folder, "link"), *far = path_join(folder, "far");
    mode_t before = umask(077);
    assert_true(file_replace(file, "new", 3, &error));
    assert_int_equal(mode_of(file), 0600); // as any new file here
    umask(before);
    assert_int_equal(chmod(file, 0640), 0);
    assert_true(file_replace(file, "again", 5, &error));
    assert_int_equal(mode_of(file), 0640);

    assert_int_equal(symlink("x", link), 0);
    assert_int_equal(symlink(link, far), 0);
    assert_true(file_replace(far, "through", 7, &error));
    assert_true(file_read(file, &text, &error));
    assert_string_equal(text_string(&text), "through");
    assert_true(readlink(link, (char[16]){ 0 }, 16) == 1 && readlink(far, (char[16]){ 0 }, 16) == 16);
    unlink(file);
    assert_true(file_replace(link, "anew", 4, &error)); // it led to nothing
    assert_true(mode_of(file) > 0);
    unlink(file);
    unlink(link);
    unlink(far);
    assert_int_equal(rmdir(folder), 0); // and nothing lies beside them
    text_free(&text);
    free(file);
    free(link);
    free(far);
}

static void nothing_is_replaced_that_was_not_meant(void **state)
{
    char file[] = "/tmp/warpbook-test-XXXXXX";
    struct error error;
    int fd = mkstemp(file);
    assert_true(fd >= 0);
    close(fd);
    assert_false(file_may_replace(file, false, &error));
    assert_non_null(strstr(error.text, "already exists; nothing was changed."));
    assert_true(file_may_replace(file, true, &error));
    unlink(file);
    assert_true(file_may_replace(file, false, &error));
    assert_false(file_may_replace("/tmp", true, &error));
    assert_non_null(strstr(error.text, "/tmp is not an ordinary file"));
    assert_false(file_may_replace("/dev/null", true, &error));
    assert_false(file_may_replace("", true, &error));
    assert_int_equal(error.code, EXIT_USAGE);
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
    const atomic_bool stop = true;
    struct child_result result;
    struct error error;
    assert_true(
        child_run_on(argv, &(struct child_terms){ .bound = true }, NULL, 0, 600000, &stop, &result, &error));
    assert_true(result.timed_out);
    child_result_free(&result);
}

// Who holds the pipe's end is alive.
static void a_child_does_not_outlive_who_waits_for_it(void **state)
{
    const char *argv[] = { "sh", "-c", "echo started >&9; exec sleep 1000", NULL };
    struct child_result result;
    struct error error;
    char said[16];
    int alive[2];
    assert_int_equal(pipe(alive), 0);
    pid_t parent = fork();
    if (parent == 0) {
        close(alive[0]);
        if (dup2(alive[1], 9) == 9 && close(alive[1]) == 0)
            child_run(argv, NULL, 0, 600000, &result, &error);
        _exit(1);
    }
    close(alive[1]);
    assert_int_equal(read(alive[0], said, sizeof said), 8);
    kill(parent, SIGKILL);
    assert_int_equal(waitpid(parent, NULL, 0), parent);
    struct pollfd end = { alive[0], POLLIN, 0 };
    assert_int_equal(poll(&end, 1, 180000), 1);
    assert_int_equal(read(alive[0], said, sizeof said), 0);
    close(alive[0]);
}

static void a_child_whose_end_nobody_learns_has_not_ended_well(void **state)
{
    const char *argv[] = { "true", NULL };
    struct child_result result;
    struct error error;
    void (*before)(int) = signal(SIGCHLD, SIG_IGN);
    bool ran = child_run(argv, NULL, 0, 20000, &result, &error);
    signal(SIGCHLD, before);
    assert_true(ran);
    assert_false(result.timed_out);
    assert_int_equal(result.status, STATUS_UNKNOWN);
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

static void who_stood_still_has_not_heard_nothing(void **state)
{
    struct silence silence;
    silence_ends(&silence, 1000);
    assert_true(silence_look(&silence, 1500) == 500);
    assert_true(silence_look(&silence, 61500) == 500 + SILENCE_LOOK_MS); // halted for a minute
    for (int second = 0; second < 10; second++)
        silence_look(&silence, 62500 + 1000 * second);
    assert_true(silence_look(&silence, 71500) == 10500 + SILENCE_LOOK_MS); // silent for ten seconds of looks
    silence_ends(&silence, 71600);
    assert_true(silence_look(&silence, 71600) == 0);
}

// A ladder of short steps: no request is served for long enough for its client to say that it is there.
static void who_asks_again_and_again_is_heard(void **state)
{
    struct hearing hearing = { .silence = { 0, 0 } };
    for (unsigned request = 0; request < 60; request++)
        assert_true(hearing_look(&hearing, request, 0, 1000 * (request + 1)) <= 1000);
    assert_true(hearing_look(&hearing, 59, 0, 61500) == 1500);
    assert_true(hearing_look(&hearing, 59, 38, 62500) == 0); // a line waits: something was said
    assert_true(hearing_look(&hearing, 59, 38, 63500) == 1000);
}

int main(void)
{
    setlocale(LC_CTYPE, "C.UTF-8");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_grows_and_stays_terminated),
        cmocka_unit_test(untrusted_text_shows_what_would_be_hidden),
        cmocka_unit_test(characters_become_utf8),
        cmocka_unit_test(diagnostics_point_with_a_caret),
        cmocka_unit_test(carets_stand_under_what_is_shown),
        cmocka_unit_test(a_diagnostic_beyond_the_text_shows_no_line),
        cmocka_unit_test(the_nearest_name_is_found),
        cmocka_unit_test(arrays_grow),
        cmocka_unit_test(files_are_replaced_whole),
        cmocka_unit_test(a_replaced_file_keeps_its_permissions_and_its_links),
        cmocka_unit_test(nothing_is_replaced_that_was_not_meant),
        cmocka_unit_test(a_child_gets_input_and_gives_output),
        cmocka_unit_test(a_child_that_hangs_is_killed_with_its_children),
        cmocka_unit_test(a_child_ends_when_somebody_wants_it_to_stop),
        cmocka_unit_test(a_child_does_not_outlive_who_waits_for_it),
        cmocka_unit_test(a_child_whose_end_nobody_learns_has_not_ended_well),
        cmocka_unit_test(a_child_that_is_not_there_is_a_sentence),
        cmocka_unit_test(who_stood_still_has_not_heard_nothing),
        cmocka_unit_test(who_asks_again_and_again_is_heard),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
