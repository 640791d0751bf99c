// Programs of several source files (nvcc -rdc=true), whose PTX the runtime links: a device function and a variable of one file
// that a kernel of another uses, names that each file has for itself, templates that both have, and whose line a finding is.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "engine/base/base.h"
#include "engine/exec/cuda.h"
#include "tests/unit/exec_start.h"

enum { TO_HOST = 2 };
#define HEAD ".version 8.0\n.target sm_75\n.address_size 64\n"
// p[tid.x] = 1 + this file's own value. Each file has one, and a function that both have stays once.
#define STORE(name, value, line)                                                                             \
    ".global .align 4 .b8 own[4] = {" #value "};\n"                                                          \
    ".weak .func (.param .b32 result) both()\n{\n.reg .b32 %r<2>;\nmov.u32 %r1, 1;\n"                        \
    "st.param.b32 [result], %r1;\nret;\n}\n"                                                                 \
    ".visible .entry " name "(.param .u64 p)\n{\n.reg .b32 %r<8>;\n.reg .b64 %q<8>;\n"                       \
    ".loc 1 " #line " 1\n"                                                                                   \
    "ld.param.u64 %q0, [p];\nmov.u32 %r0, %tid.x;\nmul.wide.u32 %q2, %r0, 4;\nadd.u64 %q1, %q0, %q2;\n"      \
    "{\n.param .b32 got;\ncall.uni (got), both;\nld.param.b32 %r1, [got];\n}\n"                              \
    "ld.global.u32 %r2, [own];\nadd.u32 %r1, %r1, %r2;\nst.global.u32 [%q1], %r1;\nret;\n}\n"

static const char first[] = HEAD STORE("one", 10, 4)
    // A kernel that calls a function of the other file, with its table.
    ".extern .func (.param .b32 result) twice(.param .b32 x);\n.extern .global .align 4 .b8 table[];\n"
    ".visible .entry calls(.param .u64 p)\n{\n.reg .b32 %r<8>;\n.reg .b64 %q<8>;\n"
    "ld.param.u64 %q0, [p];\nmov.u32 %r0, %tid.x;\nmul.wide.u32 %q2, %r0, 4;\nadd.u64 %q1, %q0, %q2;\n"
    "{\n.param .b32 x;\n.param .b32 got;\nst.param.b32 [x], %r0;\ncall.uni (got), twice, (x);\n"
    "ld.param.b32 %r1, [got];\n}\nmov.u64 %q3, table;\nld.global.u32 %r2, [%q3+4];\nadd.u32 %r1, %r1, %r2;\n"
    "st.global.u32 [%q1], %r1;\nret;\n}\n"
    // And one that stores what a function of the other file loads, with nothing between.
    ".extern .func (.param .b32 result) head(.param .b64 p);\n"
    ".visible .entry races(.param .u64 p)\n{\n.reg .b32 %r<8>;\n.reg .b64 %q<8>;\n.loc 1 5 1\n"
    "ld.param.u64 %q0, [p];\nmov.u32 %r0, %tid.x;\nmul.wide.u32 %q2, %r0, 4;\nadd.u64 %q1, %q0, %q2;\n"
    "st.global.u32 [%q1], %r0;\n"
    "{\n.param .b64 x;\n.param .b32 got;\nst.param.b64 [x], %q0;\ncall.uni (got), head, (x);\n"
    "ld.param.b32 %r1, [got];\n}\nret;\n}\n"
    ".file 1 \"/source/first.cu\"\n";
// A comment with a brace } and a string do not end anything. The file's own lines are of its file 1 as well.
static const char second[] = HEAD "// }\n" STORE(
    "two", 20, 7) ".visible .global .align 4 .b8 table[8] = {5, 0, 0, 0, 6};\n"
                  ".visible .func (.param .b32 result) twice(.param .b32 x)\n{\n.reg .b32 %r<8>;\n"
                  "ld.param.b32 %r0, [x];\nadd.u32 %r0, %r0, %r0; /* { */\n"
                  "st.param.b32 [result], %r0;\nret;\n}\n"
                  ".visible .func (.param .b32 result) head(.param .b64 p)\n{\n.reg .b32 %r<8>;\n"
                  ".reg .b64 %q<8>;\n.loc 1 9 1\nld.param.u64 %q0, [p];\nld.global.u32 %r0, [%q0];\n"
                  "st.param.b32 [result], %r0;\nret;\n}\n"
                  ".file 1 \"/source/second.cu\"\n.file 2 \"/source/header.h\"\n";

static struct {
    void **(*register_binary)(void *);
    void (*register_function)(void **, const void *, char *, const char *, int, void *, void *, void *,
                              void *, int *);
    void (*register_variable)(void **, char *, char *, const char *, int, size_t, int, int);
    cuda_error (*launch)(const void *, struct cuda_dim3, struct cuda_dim3, void **, size_t, void *);
    cuda_error (*allocate)(void **, size_t), (*copy)(void *, const void *, size_t, int);
    cuda_error (*from_symbol)(void *, const void *, size_t, size_t, int);
} cuda;
static char one, two, calls, races, table;

static int start(void **state)
{
    const struct runtime_name names[] = { { &cuda.register_binary, "__cudaRegisterFatBinary" },
                                          { &cuda.register_function, "__cudaRegisterFunction" },
                                          { &cuda.register_variable, "__cudaRegisterVar" },
                                          { &cuda.launch, "cudaLaunchKernel" },
                                          { &cuda.allocate, "cudaMalloc" },
                                          { &cuda.copy, "cudaMemcpy" },
                                          { &cuda.from_symbol, "cudaMemcpyFromSymbol" } };
    static const struct {
        const char *name, *host;
    } kernels[] = { { "one", &one }, { "two", &two }, { "calls", &calls }, { "races", &races } };
    if (!report_begin())
        return -1;
    runtime_load("13", names, sizeof names / sizeof *names);
    static const void *const linked[] = { first, second, NULL };
    static struct {
        int magic, version;
        const void *data;
        const void *const *linked;
    } wrapper = { 0x466243b1, 2, "", linked };
    void **handle = cuda.register_binary(&wrapper);
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
        cuda.register_function(handle, kernels[i].host, NULL, kernels[i].name, -1, NULL, NULL, NULL, NULL,
                               NULL);
    cuda.register_variable(handle, &table, NULL, "table", 0, 8, 0, 0);
    return 0;
}

static cuda_error run(const char *kernel, void *out, unsigned threads)
{
    void *arguments[] = { &out };
    return cuda.launch(kernel, (struct cuda_dim3){ 1, 1, 1 }, (struct cuda_dim3){ threads, 1, 1 }, arguments,
                       0, NULL);
}

static void expect_third(const char *kernel, uint32_t expected)
{
    uint32_t got[8];
    void *out;
    assert_int_equal(cuda.allocate(&out, sizeof got), 0);
    assert_int_equal(run(kernel, out, 8), 0);
    assert_int_equal(cuda.copy(got, out, sizeof got, TO_HOST), 0);
    assert_int_equal(got[3], expected);
}

static void files_use_each_other(void **state)
{
    uint32_t words[2];
    expect_third(&calls, 3 * 2 + 6);
    assert_int_equal(cuda.from_symbol(words, &table, sizeof words, 0, TO_HOST), 0);
    assert_int_equal(words[1], 6);
}

static void what_a_file_has_for_itself_stays_its_own(void **state)
{
    expect_third(&one, 11);
    expect_third(&two, 21);
}

static void a_race_of_two_files_names_both(void **state)
{
    struct text text = { 0 };
    struct error error;
    void *out;
    assert_int_equal(cuda.allocate(&out, 256), 0);
    assert_int_equal(run(&races, out, 64), 0);
    assert_true(file_read(report, &text, &error));
    assert_non_null(strstr(text_string(&text), "race in global memory"));
    const bool of_first = strstr(text_string(&text), "\"file\":\"/source/first.cu\",\"line\":5");
    assert_non_null(strstr(text_string(&text), of_first ? "The other side, line 9, is in second.cu."
                                                        : "The other side, line 5, is in first.cu."));
    text_free(&text);
}

// The last one: the device is in error afterwards.
static void a_finding_names_its_own_file(void **state)
{
    struct text text = { 0 };
    struct error error;
    void *out;
    assert_int_equal(cuda.allocate(&out, 4), 0);
    assert_int_equal(run(&one, out, 2), 0);
    assert_int_equal(run(&two, out, 2), 0);
    assert_true(file_read(report, &text, &error));
    assert_non_null(strstr(text_string(&text), "\"file\":\"/source/first.cu\",\"line\":4"));
    assert_non_null(strstr(text_string(&text), "\"file\":\"/source/second.cu\",\"line\":7"));
    text_free(&text);
}

int main(void)
{
    const struct CMUnitTest all[] = {
        cmocka_unit_test(files_use_each_other),
        cmocka_unit_test(what_a_file_has_for_itself_stays_its_own),
        cmocka_unit_test(a_race_of_two_files_names_both),
        cmocka_unit_test(a_finding_names_its_own_file),
    };
    return cmocka_run_group_tests(all, start, report_end);
}
