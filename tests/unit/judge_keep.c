// What an answer may not change: the ways in which one could switch off its own check are refused, before it is run.
#include "lessons/lessons.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define FRONT                                                                                                \
    "---\ntitle: T\nminutes: 1\nafter: do it\n---\n\n```bughunt id=e\nask: A\nfile: mine.cu\nsolution: "     \
    "s.cu\n"

#define PARAM "//@ param   n = 100\n"
#define BUFFER "//@ buffer  x int[n] = i\n"
#define OUT "//@ buffer  y int[n]\n"
#define TWICE "//@ launch  twice<<<(n + 31) / 32, 32>>>(x, y, n)\n"
#define CHECK "//@ launch  check<<<1, 1>>>(y, n)\n"
#define LINES PARAM BUFFER OUT TWICE CHECK
#define HEAD "#include <assert.h>\n"
#define BODY                                                                                                 \
    "extern \"C\" __global__ void twice(const int *x, int *y, int n)\n{\n    // TODO\n}\n\n"                 \
    "// Leave it.\n"
#define CHECKER                                                                                              \
    "extern \"C\" __global__ void check(const int *y, int n)\n{\n    for (int i = 0; i < n; i++)\n"          \
    "        assert(y[i] == 2 * i);\n}\n"

static const char shipped[] = LINES HEAD BODY CHECKER;
static const char *const fixed = "keep: check\n";

// What is said against the answer to `file`; NULL: nothing. The caller frees.
static char *said(const char *fields, const char *file, const char *answer)
{
    struct lesson lesson;
    struct error error;
    struct text text = { 0 }, out = { 0 };
    text_addf(&text, "%s%s```\n", FRONT, fields);
    if (!lesson_parse(&lesson, "/nowhere/01-t/lesson.md", text.data, &error))
        fail_msg("%s", error.text);
    int line;
    bool kept = judge_kept(&lesson.blocks[0].live, file, answer, &out, &line);
    lesson_free(&lesson);
    text_free(&text);
    if (kept == (out.length > 0))
        fail_msg("%s, but it says: %s", kept ? "kept" : "not kept", text_string(&out));
    return out.length ? text_take(&out) : NULL;
}

static void keeps(const char *fields, const char *answer)
{
    char *words = said(fields, shipped, answer);
    if (words)
        fail_msg("%s\n---\n%s", words, answer);
}

static void refuses_of(const char *fields, const char *file, const char *answer, const char *why)
{
    char *words = said(fields, file, answer);
    if (!words || !strstr(words, why))
        fail_msg("expected '%s' in: %s\n---\n%s", why, words ? words : "nothing", answer);
    free(words);
}

static void refuses(const char *fields, const char *answer, const char *why)
{
    refuses_of(fields, shipped, answer, why);
}

// ---- the learner's own ----------------------------------------------------------------------------------------

static void the_kernel_to_fill_is_free(void **state)
{
    keeps(fixed, shipped);
    keeps(fixed, LINES HEAD
          "__device__ int two(int x) { return 2 * x; }\n"
          "extern \"C\" __global__ void twice(const int *x, int *y, int n) { y[0] = two(x[0]); }\n" CHECKER);
    keeps(fixed, LINES HEAD CHECKER BODY); // in another order
}

static void blanks_and_comments_are_free(void **state)
{
    keeps(fixed, "// mine\n//@ title Mine\n  //@param n=100\n" BUFFER OUT TWICE
                 "//@ launch check <<< 1,1 >>> ( y,n );\n# include <assert.h>\n" BODY
                 "extern \"C\" __global__\nvoid check(const int *y, int n) { for (int i = 0; i < n; i++) "
                 "/* all */ assert(y[i] == 2 * i); } // end\n");
}

static void a_mark_before_the_text_is_free(void **state)
{
    keeps(fixed, "\xef\xbb\xbf" LINES HEAD BODY CHECKER);
}

static void more_may_be_declared_and_included(void **state)
{
    keeps(fixed, PARAM "//@ param m = 5\n//@ scratch t int[n]\n" BUFFER OUT TWICE CHECK HEAD
                       "#include <cooperative_groups.h>\n" BODY "void f() {\n#pragma unroll 4\n}\n" CHECKER);
}

// ---- lines ------------------------------------------------------------------------------------------------------

static void the_launch_of_the_check_stays(void **state)
{
    refuses(fixed, PARAM BUFFER OUT TWICE HEAD BODY CHECKER,
            "Line 5 of the shipped file is missing. This task keeps that line. Put it back, or start "
            "again from the shipped file. It was:\n  //@ launch  check<<<1, 1>>>(y, n)");
    refuses(fixed, PARAM BUFFER OUT TWICE "// @ launch  check<<<1, 1>>>(y, n)\n" HEAD BODY CHECKER,
            "Line 5 of the shipped file is missing.");
    refuses(fixed, PARAM BUFFER OUT TWICE "//@ launch  check<<<1, 1>>>(y, 0)\n" HEAD BODY CHECKER,
            "Line 5 is not as it was shipped.");
    refuses(fixed, PARAM BUFFER OUT CHECK TWICE HEAD BODY CHECKER, "Line 4 is not as it was shipped.");
    refuses(fixed, PARAM BUFFER OUT TWICE "/*\n" CHECK "*/\n" HEAD BODY CHECKER,
            "Line 5 of the shipped file is missing.");
    refuses(fixed, PARAM BUFFER OUT TWICE "int a; " CHECK HEAD BODY CHECKER,
            "Line 5 of the shipped file is missing.");
    refuses(fixed, PARAM BUFFER OUT TWICE "#include <assert.h> /*\n" CHECK "*/\n" BODY CHECKER,
            "Line 5 of the shipped file is missing.");
}

static void a_line_may_be_broken_but_not_changed(void **state)
{
    keeps(fixed,
          PARAM BUFFER OUT TWICE "//@ launch  check<<<1,\n//@    1>>>(\n//@ y, n)\n" HEAD BODY CHECKER);
    refuses(fixed,
            PARAM BUFFER OUT TWICE "//@ launch  check<<<1,\n//@    1>>>(\n//@ y, 0)\n" HEAD BODY CHECKER,
            "Line 5 is not as it was shipped.");
    // The line that checks would belong to the one before it.
    refuses(fixed,
            PARAM BUFFER OUT "//@ launch  twice<<<(n + 255) / 256, 256>>>(x, y, n\n" CHECK HEAD BODY CHECKER,
            "Line 4 is not as it was shipped.");
    // A line that was shipped in several is quoted in full.
    refuses_of(
        fixed, PARAM BUFFER OUT TWICE "//@ launch  check<<<1,\r\n  //@   1>>>(y, n)\r\n" HEAD BODY CHECKER,
        PARAM BUFFER OUT TWICE HEAD BODY CHECKER, "It was:\n  //@ launch  check<<<1,\n  //@   1>>>(y, n)");
}

static void data_and_the_other_launches_stay(void **state)
{
    refuses(fixed, PARAM "//@ buffer  x int[n] = 0\n" OUT TWICE CHECK HEAD BODY CHECKER,
            "Line 2 is not as it was shipped.");
    refuses(fixed, PARAM BUFFER TWICE CHECK HEAD BODY CHECKER, "Line 3 of the shipped file is missing.");
    refuses(fixed, "//@ param   n = 0\n" BUFFER OUT TWICE CHECK HEAD BODY CHECKER,
            "Line 1 is not as it was shipped.");
    refuses(fixed, PARAM BUFFER OUT "//@ launch  twice<<<1, 1>>>(x, y, n)\n" CHECK HEAD BODY CHECKER,
            "Line 4 is not as it was shipped.");
    refuses(fixed, LINES "//@ launch  twice<<<1, 1>>>(y, x, n)\n" HEAD BODY CHECKER,
            "Line 6 is not allowed here: the launches of the shipped file are all that this task has.\n"
            "  //@ launch  twice<<<1, 1>>>(y, x, n)");
    refuses("lab: vecadd\n",
            PARAM BUFFER OUT "//@ launch  twice<<<1, 1>>>(x, y, n)\n" CHECK HEAD BODY CHECKER,
            "Line 4 is not as it was shipped.");
}

static void may_sets_lines_free_but_not_the_check(void **state)
{
    static const char launches[] = "may: launch\nkeep: check\n", buffer[] = "may: buffer y\nkeep: check\n";
    keeps(launches, PARAM BUFFER OUT "//@ launch  once<<<1, 1>>>(x)\n" TWICE CHECK HEAD BODY CHECKER);
    keeps(launches, PARAM BUFFER OUT CHECK HEAD BODY CHECKER);
    keeps("may: launch twice\nkeep: check\n", PARAM BUFFER OUT CHECK HEAD BODY CHECKER);
    keeps(buffer, PARAM BUFFER "//@ buffer  y int[n] = 3\n" TWICE CHECK HEAD BODY CHECKER);
    refuses(launches, PARAM BUFFER OUT TWICE HEAD BODY CHECKER, "Line 5 of the shipped file is missing.");
    refuses(launches, LINES CHECK HEAD BODY CHECKER, "Line 6 is not allowed here");
    refuses(launches, PARAM BUFFER "//@ buffer  y int[n] = 3\n" TWICE CHECK HEAD BODY CHECKER,
            "Line 3 is not as it was shipped.");
    refuses("may: launch check\nkeep: check\n", PARAM BUFFER OUT TWICE HEAD BODY CHECKER,
            "Line 5 of the shipped file is missing.");
    refuses(buffer, PARAM OUT TWICE CHECK HEAD BODY CHECKER, "Line 2 of the shipped file is missing.");
}

// ---- kernels ----------------------------------------------------------------------------------------------------

static void the_kernel_that_checks_stays(void **state)
{
    refuses(fixed, LINES HEAD BODY, "The kernel check is missing.");
    refuses(
        fixed, LINES HEAD BODY "extern \"C\" __global__ void check(const int *y, int n)\n{\n}\n",
        "The kernel check, in line 12, is not as it was shipped. It checks the answer, so it has to stay.");
    refuses(fixed, LINES HEAD BODY "/*\n" CHECKER "*/\n", "The kernel check is missing.");
    refuses(fixed, LINES HEAD BODY "template <int> " CHECKER, "is not as it was shipped");
    refuses(fixed, LINES HEAD BODY CHECKER "namespace other { __global__ void check(int) { } }\n",
            "The name check appears more often than in the shipped file.");
    refuses(fixed, LINES HEAD BODY "extern \"C\" __global__ void check(const int *y, int n);\n" CHECKER,
            "is not as it was shipped");
}

static void nothing_changes_what_the_check_means(void **state)
{
    static const char why[] = "a line with # could change the check";
    refuses(fixed, LINES "#define assert(x)\n" BODY CHECKER, why);
    refuses(fixed, LINES HEAD "#undef assert\n" BODY CHECKER, "  #undef assert");
    refuses(fixed, LINES HEAD BODY "#if 0\n" CHECKER "#endif\n", "Line 13 is not allowed here");
    refuses(fixed, LINES HEAD "/* */ # /* */ define n 0\n" BODY CHECKER, why);
    refuses(fixed, LINES HEAD "%:define n 0\n" BODY CHECKER, why);
    refuses(fixed, LINES HEAD "#include \"mine.h\"\n" BODY CHECKER, why);
    refuses(fixed, LINES HEAD "#include </tmp/mine.h>\n" BODY CHECKER, why);
    refuses(fixed, LINES HEAD "#include <../mine.h>\n" BODY CHECKER, why);
    refuses(fixed, LINES HEAD "#def\\\nine n 0\n" BODY CHECKER, why);
    refuses(fixed, LINES HEAD "// \\\n/*\n" BODY "// */\n" BODY CHECKER,
            "Line 7 has a \\ outside of a string");
    refuses(fixed, LINES HEAD "// \\\r\n/*\n*/" BODY CHECKER, "Line 7 has a \\ outside of a string");
    refuses(fixed, LINES HEAD "const char *s = R\"(\" )\";\n" BODY CHECKER, "Line 7 has a raw string");
    refuses(fixed, LINES HEAD "__device__ void __assertfail() { }\n" BODY CHECKER,
            "Line 7 has a name of assert's own");
    keeps("lab: vecadd\n", LINES HEAD "#define SIZE 5\n" BODY CHECKER); // the lab checks it
}

// ---- all of it --------------------------------------------------------------------------------------------------

static void kernels_are_found_by_name(void **state)
{
    assert_true(judge_has_kernel(shipped, "check"));
    assert_false(judge_has_kernel(shipped, "chec"));
    assert_false(judge_has_kernel("// __global__ void check() {}", "check"));
}

static void a_changed_check_is_not_run(void **state)
{
    static const char front[] = FRONT "keep: check\n```\n";
    static const char emptied[] =
        LINES HEAD BODY "extern \"C\" __global__ void check(const int *y, int n) { }\n";
    char folder[] = "/tmp/01-warpbook-keep-XXXXXX";
    struct lesson lesson;
    struct judge_verdict verdict;
    struct error error;
    assert_non_null(mkdtemp(folder));
    char *path = path_join(folder, "lesson.md"), *file = path_join(folder, "mine.cu");
    struct client *client = client_new();
    setenv("WARPBOOK_WORKER", "exit 4", 1); // nobody is asked
    if (!lesson_parse(&lesson, path, front, &error))
        fail_msg("%s", error.text);
    assert_false(
        judge(client, &lesson.blocks[0].live, "mine.cu", emptied, NULL, NULL, NULL, &verdict, &error));
    assert_non_null(strstr(error.text, "mine.cu")); // what ships is not there
    assert_true(file_replace(file, shipped, strlen(shipped), &error));
    assert_true(
        judge(client, &lesson.blocks[0].live, "mine.cu", emptied, NULL, NULL, NULL, &verdict, &error));
    assert_int_equal(verdict.kind, VERDICT_CHANGED);
    assert_int_equal(verdict.reasons, 1u << VERDICT_CHANGED);
    assert_int_equal(verdict.record.status, STATUS_FAILED);
    assert_non_null(strstr(verdict.words, "The kernel check, in line 12, is not as"));
    verdict_free(&verdict);
    unsetenv("WARPBOOK_WORKER");
    client_free(client);
    lesson_free(&lesson);
    remove(file);
    remove(folder);
    free(file);
    free(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_kernel_to_fill_is_free),
        cmocka_unit_test(blanks_and_comments_are_free),
        cmocka_unit_test(a_mark_before_the_text_is_free),
        cmocka_unit_test(more_may_be_declared_and_included),
        cmocka_unit_test(the_launch_of_the_check_stays),
        cmocka_unit_test(a_line_may_be_broken_but_not_changed),
        cmocka_unit_test(data_and_the_other_launches_stay),
        cmocka_unit_test(may_sets_lines_free_but_not_the_check),
        cmocka_unit_test(the_kernel_that_checks_stays),
        cmocka_unit_test(nothing_changes_what_the_check_means),
        cmocka_unit_test(kernels_are_found_by_name),
        cmocka_unit_test(a_changed_check_is_not_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
