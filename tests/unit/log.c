// engine/compile/compiled.c: what NVRTC, clang and the assembler print, read from logs as they were.
#include "engine/compile/parts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

struct log_case {
    enum severity severity;
    int line, column;
    const char *message;
};

static void check(const char *log, const char *file, const struct log_case *expected, size_t count)
{
    struct compiled out = { 0 };
    compiled_read_log(log, file, &out);
    for (size_t i = 0; i < count && i < out.diagnostic_count; i++) {
        const struct diagnostic *d = &out.diagnostics[i];
        assert_string_equal(d->message, expected[i].message);
        assert_int_equal(d->severity, expected[i].severity);
        assert_int_equal(d->line, expected[i].line);
        assert_int_equal(d->column, expected[i].column);
    }
    assert_int_equal(out.diagnostic_count, count);
    compiled_free(&out);
}
#define CHECK(log, file, ...)                                                                                \
    do {                                                                                                     \
        const struct log_case expected[] = { __VA_ARGS__ };                                                  \
        check(log, file, expected, sizeof expected / sizeof *expected);                                      \
    } while (0)

static void messages_of_nvrtc(void **state)
{
    CHECK("/kernel/bad.cu(6): warning #177-D: variable \"unused_var\" was declared but never referenced\n"
          "      int unused_var;\n"
          "          ^\n"
          "\n"
          "Remark: The warnings can be suppressed with \"-diag-suppress <warning-number>\"\n"
          "\n"
          "/kernel/bad.cu(4): error: expected a \";\"\n"
          "      if (i < n)\n"
          "      ^\n"
          "\n"
          "1 error detected in the compilation of \"/kernel/bad.cu\".\n",
          "kernels/lab/bad.cu", { SEVERITY_ERROR, 4, 5, "expected a \";\"" },
          { SEVERITY_WARNING, 6, 9, "variable \"unused_var\" was declared but never referenced" });
}

static void columns_count_bytes(void **state)
{
    // The caret is where the byte is, not where the cell is: 漢 is one character of three bytes and two cells.
    CHECK("/kernel/k.cu(3): error: identifier \"nope\" is undefined\n"
          "  \tint a; /* 漢字 */ x[0] = nope;\n"
          "  \t                         ^\n",
          "k.cu", { SEVERITY_ERROR, 3, 27, "identifier \"nope\" is undefined" });
}

static void messages_that_go_on(void **state)
{
    CHECK("k.cu(4): error: no instance of overloaded function \"min\" matches the argument list\n"
          "            argument types are: (float *, int)\n"
          "                            x = min(p, 3);\n"
          "                                ^\n"
          "Note #3326-D: function \"min(int, int)\" does not match because argument #1 does not match\n"
          "          detected during instantiation of \"g\" at line 9\n"
          "\n"
          "k.cu(9): catastrophic error: #error directive: bad thing\n"
          "  #error bad thing\n"
          "   ^\n"
          "\n"
          " and 1 catastrophic error detected in the compilation of \"k.cu\".\n"
          "Compilation terminated.\n",
          "k.cu",
          { SEVERITY_ERROR, 4, 31,
            "no instance of overloaded function \"min\" matches the argument list; "
            "argument types are: (float *, int); detected during instantiation of \"g\" at line 9" },
          { SEVERITY_ERROR, 9, 2, "#error directive: bad thing" });
}

static void messages_of_clang(void **state)
{
    CHECK("/kernel/k.cu:7:20: error: use of undeclared identifier 'nope'\n"
          "/kernel/k.cu:5:19: warning: unused variable 'x' [-Wunused-variable]\n"
          "/kernel/k.cu:3:6: error: no matching function for call to 'min'\n"
          "/kernel/k.cu:9:1: note: candidate is here\n"
          "/usr/share/warpbook/assets/clang/bits.h:60:1: note: candidate function not viable\n"
          "3 errors generated when compiling for sm_70.\n",
          "kernels/x/k.cu", { SEVERITY_ERROR, 3, 6, "no matching function for call to 'min'" },
          { SEVERITY_NOTE, 9, 1, "candidate is here" },
          { SEVERITY_WARNING, 5, 19, "unused variable 'x' [-Wunused-variable]" },
          { SEVERITY_ERROR, 7, 20, "use of undeclared identifier 'nope'" });
}

static void errors_in_headers_have_no_line(void **state)
{
    CHECK("/opt/cuda/include/cuda_fp16.h(120): error: this target is too old\n"
          "  #error this\n"
          "   ^\n"
          "\n"
          "/opt/cuda/include/cuda_fp16.h(7): warning #1-D: last line ends without a newline\n"
          "  x\n"
          "   ^\n"
          "\n",
          "k.cu", { SEVERITY_ERROR, 0, 0, "in cuda_fp16.h, line 120: this target is too old" });
    CHECK("In file included from /kernel/k.cu:1:\n"
          "/x/include/stdint.h:12:3: fatal error: bad\n",
          "k.cu", { SEVERITY_ERROR, 0, 0, "in stdint.h, line 12: bad" });
}

static void messages_about_no_place(void **state)
{
    CHECK("clang: error: no such file or directory: 'x'\n", "k.cu",
          { SEVERITY_ERROR, 0, 0, "no such file or directory: 'x'" });
    CHECK("nvrtc: error: invalid value for --gpu-architecture (-arch)\n", "k.cu",
          { SEVERITY_ERROR, 0, 0, "invalid value for --gpu-architecture (-arch)" });
    CHECK(
        "ptxas error   : Entry function 'k' uses too much shared data (0x13880 bytes, 0xc000 max)\n", "k.cu",
        { SEVERITY_ERROR, 0, 0, "Entry function 'k' uses too much shared data (0x13880 bytes, 0xc000 max)" });
    CHECK("fatal error: error in backend: Cannot select\n", "k.cu",
          { SEVERITY_ERROR, 0, 0, "error in backend: Cannot select" });
}

static void odd_file_names(void **state)
{
    CHECK("/kernel/a(1): b.cu(12): error: expected an expression\n", "a(1): b.cu",
          { SEVERITY_ERROR, 12, 0, "expected an expression" });
    CHECK("/kernel/a:1:2:3.cu:4:5: error: expected ';'\n", "/x/a:1:2:3.cu",
          { SEVERITY_ERROR, 4, 5, "expected ';'" });
}

static void text_from_outside_is_cleaned(void **state)
{
    CHECK("k.cu:4:5: error: \033[31mred\033[0m\r\n", "k.cu",
          { SEVERITY_ERROR, 4, 5, "<U+001B>[31mred<U+001B>[0m" });
}

static void a_log_without_messages(void **state)
{
    static const char *const logs[] = { "",        "\n\n\n",          "hello",
                                        "(((((((", ":::::1:1:",       "k.cu(999999999999): hello",
                                        "k.cu(3)", "k.cu:3:4: error", "2 errors generated.\n" };
    for (size_t i = 0; i < sizeof logs / sizeof *logs; i++)
        check(logs[i], "k.cu", NULL, 0);
}

static void a_flood_is_bounded(void **state)
{
    struct text log = { 0 };
    struct compiled out = { 0 };
    for (int i = 0; i < 20000; i++)
        text_addf(&log, "k.cu:%d:1: error: again\n", 20000 - i);
    text_add(&log, "k.cu:1:1: error: ");
    for (int i = 0; i < 100000; i++)
        text_add(&log, "long ");
    compiled_read_log(log.data, "k.cu", &out);
    assert_in_range(out.diagnostic_count, 1, 1000);
    for (size_t i = 1; i < out.diagnostic_count; i++)
        assert_true(out.diagnostics[i - 1].line <= out.diagnostics[i].line);
    compiled_free(&out);
    compiled_read_log(strstr(log.data, "k.cu:1:1: error: long"), "k.cu", &out);
    assert_int_equal(out.diagnostic_count, 1);
    assert_in_range(strlen(out.diagnostics[0].message), 1, 4000);
    compiled_free(&out);
    text_free(&log);
}

static void resources_of_the_assembler(void **state)
{
    struct compiled out = { 0 };
    compiled_read_resources(
        "ptxas info    : 0 bytes gmem\n"
        "ptxas info    : Compiling entry function '_Z4histPi' for 'sm_80'\n"
        "ptxas info    : Function properties for _Z4histPi\n"
        "ptxas         .     8 bytes stack frame, 12 bytes spill stores, 16 bytes spill loads\n"
        "ptxas info    : Used 10 registers, used 1 barriers, 1024 bytes smem, 372 bytes cmem[0]\n"
        "ptxas info    : Compile time = 7.069 ms\n"
        "ptxas info    : Compiling entry function 'plain' for 'sm_90'\n"
        "ptxas info    : Function properties for helper\n"
        "    400 bytes stack frame, 400 bytes spill stores, 400 bytes spill loads\n"
        "ptxas info    : Function properties for plain\n"
        "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
        "ptxas info    : Used 255 registers, used 0 barriers, 16 bytes cumulative stack size\n"
        "ptxas info    : Function properties for other\n"
        "    99 bytes stack frame, 99 bytes spill stores, 99 bytes spill loads\n",
        &out);
    assert_int_equal(out.resource_count, 2);
    const struct resources *r = compiled_resources(&out, "_Z4histPi");
    assert_non_null(r);
    assert_string_equal(r->kernel, "_Z4histPi");
    assert_int_equal(r->registers, 10);
    assert_int_equal(r->shared_bytes, 1024);
    assert_int_equal(r->spill_bytes, 12);
    assert_int_equal(r->stack_bytes, 8);
    assert_int_equal(r->barriers, 1);
    r = compiled_resources(&out, "plain");
    assert_non_null(r);
    assert_int_equal(r->registers, 255);
    assert_int_equal(r->shared_bytes, 0);
    assert_int_equal(r->spill_bytes, 0);
    assert_int_equal(r->stack_bytes, 0);
    assert_null(compiled_resources(&out, "hist"));
    assert_null(compiled_resources(&out, ""));
    compiled_free(&out);
}

static void resources_that_are_not_said_are_unknown(void **state)
{
    struct compiled out = { 0 };
    compiled_read_resources("ptxas info    : Compiling entry function 'k' for 'sm_90'\n", &out);
    assert_int_equal(out.resource_count, 1);
    assert_int_equal(out.resources[0].registers, -1);
    assert_int_equal(out.resources[0].shared_bytes, -1);
    compiled_free(&out);
    compiled_read_resources("ptxas info : Used 99999999999999 registers\nCompiling entry function ", &out);
    compiled_free(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_of_nvrtc),
        cmocka_unit_test(columns_count_bytes),
        cmocka_unit_test(messages_that_go_on),
        cmocka_unit_test(messages_of_clang),
        cmocka_unit_test(errors_in_headers_have_no_line),
        cmocka_unit_test(messages_about_no_place),
        cmocka_unit_test(odd_file_names),
        cmocka_unit_test(text_from_outside_is_cleaned),
        cmocka_unit_test(a_log_without_messages),
        cmocka_unit_test(a_flood_is_bounded),
        cmocka_unit_test(resources_of_the_assembler),
        cmocka_unit_test(resources_that_are_not_said_are_unknown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
