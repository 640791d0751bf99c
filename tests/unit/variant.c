// Kernel files: what their directives say, every mistake in one with its caret, and kernels' signatures.
#include "kernels/variant.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define KERNEL "__global__ void k(float *x, int n) {}\n"

static struct variant parse(const char *lab, const char *path, const char *text)
{
    struct variant variant;
    struct error error = { 0 };
    if (!variant_parse(&variant, lab, path, text, &error))
        fail_msg("%s", error.text);
    return variant;
}

static bool parses(const char *lab, const char *text, struct error *error)
{
    struct variant variant;
    if (!variant_parse(&variant, lab, lab ? "1-f.cu" : "f.cu", text, error))
        return false;
    variant_free(&variant);
    return true;
}

static void message_is(bool parsed, const struct error *error, const char *want)
{
    if (parsed)
        fail_msg("no error where this one should be: %s", want);
    assert_int_equal(error->code, EXIT_USAGE);
    assert_string_equal(error->text, want);
}

// `line` is the first line of a lab's file, or of one that stands alone; the error must be exactly `want`.
static void wrong_in_lab(const char *line, const char *want)
{
    struct error error = { 0 };
    struct text text = { 0 };
    text_addf(&text, "%s\n//@ launch k<<<1, 32>>>(x, 1)\n" KERNEL, line);
    message_is(parses("lab", text.data, &error), &error, want);
    text_free(&text);
}

static void wrong_alone(const char *line, const char *want)
{
    struct error error = { 0 };
    struct text text = { 0 };
    text_addf(&text, "%s\n//@ buffer x float[8]\n//@ launch k<<<1, 32>>>(x, 1)\n" KERNEL, line);
    message_is(parses(NULL, text.data, &error), &error, want);
    text_free(&text);
}

static int64_t value_of(const struct expr *expr, const struct expr_scope *scope)
{
    struct error error = { 0 };
    struct expr_value value = { 0 };
    if (!expr_eval(expr, scope, &value, &error))
        fail_msg("%s", error.text);
    return value_as_int(value);
}

static void a_file_of_a_lab(void **state)
{
    struct variant v = parse("histogram", "/some/where/4-interleaved.cu",
                             "// A comment.\n"
                             "//@ title   Bins in shared memory \n"
                             "//@ why     The first line,\n"
                             "//@ why     and the second.\n"
                             "//@ needs   n % 1024 == 0\n"
                             "//@ needs   n > 0\n"
                             "//@ scratch partial unsigned long long[n / 256]\n"
                             "//@ launch  one<<<n / 1024, 256>>>(data, partial, n * 2, n)\n"
                             "//@ launch  two<<<dim3(1, n >> 2), dim3(8, 8, 2), 4 * n>>>(partial, bins);\n"
                             "//@ owner   bins <<<i / 256, i % 256>>>\n"
                             "__global__ void one(const int *d, int *p, int twice, int n) {}\n"
                             "__global__ void two(const int *p, int *b) {}\n");
    assert_string_equal(v.lab, "histogram");
    assert_string_equal(v.name, "4-interleaved");
    assert_int_equal(v.step, 4);
    assert_false(v.own);
    assert_string_equal(v.title, "Bins in shared memory");
    assert_string_equal(v.why, "The first line, and the second.");
    assert_int_equal(v.need_count, 2);
    assert_string_equal(v.needs[0].text, "n % 1024 == 0");
    assert_int_equal(v.scratch_count, 1);
    assert_string_equal(v.scratch[0].name, "partial");
    assert_int_equal(v.scratch[0].type.scalar, SCALAR_ULLONG);
    assert_int_equal(v.launch_count, 2);
    assert_string_equal(v.launches[0].kernel, "one");
    assert_int_equal(v.launches[0].argument_count, 4);
    assert_string_equal(v.launches[0].arguments[0].name, "data");
    assert_null(v.launches[0].arguments[2].name);
    assert_string_equal(v.launches[0].arguments[3].name, "n");
    assert_null(v.launches[0].shared);

    const struct expr_binding bindings[] = { { "n", value_int(2048) } };
    const struct expr_scope scope = { bindings, 1 };
    struct error error;
    struct dims_value grid, block;
    assert_int_equal(value_of(v.needs[0].expr, &scope), 1);
    assert_int_equal(value_of(v.scratch[0].count, &scope), 8);
    assert_int_equal(value_of(v.launches[0].arguments[2].expr, &scope), 4096);
    assert_int_equal(value_of(v.launches[1].shared, &scope), 8192);
    assert_true(dims_eval(&v.launches[0].grid, &scope, &grid, &error));
    assert_int_equal(grid.x, 2);
    assert_int_equal(grid.y, 1);
    assert_true(dims_eval(&v.launches[1].grid, &scope, &grid, &error));
    assert_true(dims_eval(&v.launches[1].block, &scope, &block, &error));
    assert_int_equal(grid.y, 512);
    assert_int_equal(block.x * 100 + block.y * 10 + block.z, 882);
    variant_free(&v);
    variant_free(&v); // does no harm twice
}

static void owners(void **state)
{
    struct variant v = parse("lab", "1-f.cu",
                             "//@ owner out <<<dim3(i % n, i / n), i & 31>>>\n"
                             "//@ launch k<<<1, 32>>>(out, 1)\n" KERNEL);
    const struct expr_binding bindings[] = { { "n", value_int(10) }, { "i", value_int(73) } };
    const struct expr_scope scope = { bindings, 2 };
    struct dims_value block, thread;
    struct error error;
    assert_true(owner_eval(&v.owners[0], &scope, &block, &thread, &error));
    assert_int_equal(block.x, 3);
    assert_int_equal(block.y, 7);
    assert_int_equal(block.z, 0);
    assert_int_equal(thread.x, 9);
    assert_int_equal(thread.y, 0);
    variant_free(&v);
}

static void a_file_that_stands_alone(void **state)
{
    struct variant v = parse(NULL, "mine/fill.cu",
                             "//@ param n = 1 << 20\n"
                             "//@ param half = n / 2\n"
                             "//@ buffer x float4[n] = i & 1023\n"
                             "//@ buffer y int[half]\n"
                             "//@ scratch s char[sm_count]\n"
                             "//@ needs n % 2 == 0\n"
                             "//@ launch k<<<n / 256, 256>>>(x, s, y, half, n + 1)\n"
                             "//@ owner y <<<i / 256, i % 256>>>\n"
                             "__global__ void k(float4 *x, char *s, int *y, int h, int n) {}");
    assert_null(v.lab);
    assert_string_equal(v.name, "fill");
    assert_string_equal(v.title, "fill");
    assert_null(v.why);
    assert_int_equal(v.step, 0);
    assert_int_equal(v.param_count, 2);
    assert_string_equal(v.params[1].name, "half");
    assert_int_equal(value_of(v.params[0].value, NULL), 1 << 20);
    assert_int_equal(v.buffer_count, 2);
    assert_int_equal(v.buffers[0].type.lanes, 4);
    assert_true(v.buffers[0].initial.given);
    assert_false(v.buffers[1].initial.given);
    variant_free(&v);
}

static void shifts_before_the_closing_brackets(void **state)
{
    struct variant v = parse("lab", "1-f.cu",
                             "//@ launch k<<<n >> 10, 256>>>(x, 1)\n"
                             "//@ launch k<<<1, n >> 2>>>(x, n >> 1)\n"
                             "//@ launch k<<<1,n>>2,n>>3>>>(x, 2)\n"
                             "//@ launch k <<< n > 5 , 8 >>> ( x , 2 )\n" KERNEL);
    const struct expr_binding bindings[] = { { "n", value_int(4096) } };
    const struct expr_scope scope = { bindings, 1 };
    struct dims_value dims;
    struct error error;
    assert_true(dims_eval(&v.launches[0].grid, &scope, &dims, &error));
    assert_int_equal(dims.x, 4);
    assert_true(dims_eval(&v.launches[1].block, &scope, &dims, &error));
    assert_int_equal(dims.x, 1024);
    assert_int_equal(value_of(v.launches[1].arguments[1].expr, &scope), 2048);
    assert_true(dims_eval(&v.launches[2].block, &scope, &dims, &error));
    assert_int_equal(dims.x, 1024);
    assert_int_equal(value_of(v.launches[2].shared, &scope), 512);
    assert_true(dims_eval(&v.launches[3].grid, &scope, &dims, &error));
    assert_int_equal(dims.x, 1);
    assert_string_equal(v.launches[3].arguments[0].name, "x");
    variant_free(&v);
}

static void where_directives_stand(void **state)
{
    struct variant v = parse("lab", "1-f.cu",
                             "\xef\xbb\xbf//@ title First\n"
                             "/* a comment\n"
                             "//@ nonsense\n"
                             "*/ //@ nonsense\n"
                             "const char *s = \"/*\"; //@ nonsense\n"
                             "const char *t = \"\\\"//@\"; int thousand = 1'000; char q = '\"';\n"
                             "// a comment with /* in it\n"
                             "//@@ Insert code here\n"
                             "\t //@launch k<<<1, 32>>>(x, 1)\n" KERNEL);
    assert_string_equal(v.title, "First");
    assert_int_equal(v.launch_count, 1);
    variant_free(&v);
}

// ---- lines that continue a directive --------------------------------------------------------------

static void a_line_goes_on_while_a_bracket_is_open(void **state)
{
    struct variant v = parse("lab", "1-f.cu",
                             "//@ why     One line (of\n"
                             "//@         two) in all.\n"
                             "//@ needs   (n > 1 &&\n"
                             "\t//@        n < 9)\n"
                             "//@ scratch t int[n *\r\n"
                             "//@               4]\r\n"
                             "//@ launch  k<<<\n"
                             "//@             dim3(n,\n"
                             "//@                  2), 32>>>(\n"
                             "//@             x,\n"
                             "//@             n + 1\n"
                             "//@         );\n"
                             "//@ owner   x <<<i,\n"
                             "//@              0>>>\n" KERNEL);
    const struct expr_binding n = { "n", value_int(5) };
    const struct expr_scope scope = { &n, 1 };
    struct dims_value grid;
    struct error error;
    assert_string_equal(v.why, "One line (of two) in all.");
    assert_string_equal(v.needs[0].text, "(n > 1 && n < 9)");
    assert_int_equal(value_of(v.needs[0].expr, &scope), 1);
    assert_int_equal(value_of(v.scratch[0].count, &scope), 20);
    assert_int_equal(v.launch_count, 1);
    assert_true(dims_eval(&v.launches[0].grid, &scope, &grid, &error));
    assert_int_equal(grid.x * 10 + grid.y, 52);
    assert_string_equal(v.launches[0].arguments[0].name, "x");
    assert_int_equal(value_of(v.launches[0].arguments[1].expr, &scope), 6);
    assert_int_equal(v.owner_count, 1);
    variant_free(&v);
}

static void mistakes_in_lines_that_go_on(void **state)
{
    wrong_in_lab(
        "//@ launch k<<<1,\n//@     32 32>>>(x, 1)",
        "1-f.cu:2:12: error: expected '>>>' after the grid, the block and the bytes of shared memory\n"
        "  //@     32 32>>>(x, 1)\n"
        "             ^");
    // The next directive is not drawn in, nor is a line that is no directive's.
    wrong_in_lab("//@ launch k<<<1, 32>>>(x,\n//@ needs n > 0",
                 "1-f.cu:1:27: error: expected a value: a number, a name or '('\n"
                 "  //@ launch k<<<1, 32>>>(x,\n"
                 "                            ^");
    wrong_in_lab("//@ launch k<<<1, 32>>>(x,\n// 1)",
                 "1-f.cu:1:27: error: expected a value: a number, a name or '('\n"
                 "  //@ launch k<<<1, 32>>>(x,\n"
                 "                            ^");
    wrong_in_lab("//@ launch k<<<1, 32>>>(x, 1)\n//@     + 1",
                 "1-f.cu:2:9: error: expected title, why, needs, param, buffer, scratch, launch, owner, "
                 "order, texture, surface, symbol, value, for or end\n"
                 "  //@     + 1\n"
                 "          ^");
    wrong_in_lab("//@ needs (n >\n//@", "1-f.cu:2:4: error: expected a value: a number, a name or '('\n"
                                        "  //@\n"
                                        "     ^");
}

static uint64_t code_of(const char *launch)
{
    struct text text = { 0 };
    text_addf(&text, "//@ title T\n%s" KERNEL, launch);
    struct variant v = parse("lab", "1-f.cu", text.data);
    uint64_t code = variant_code(&v);
    variant_free(&v);
    text_free(&text);
    return code;
}

static void a_break_changes_no_code(void **state)
{
    uint64_t code = code_of("//@ launch k<<<n / 4, 32>>>(x, n + 1)\n");
    assert_true(code == code_of("//@ launch k<<<n / 4,\n  //@ 32>>>(\n//@ x, n +\n//@ 1)\n"));
    assert_true(code != code_of("//@ launch k<<<n / 4,\n  //@ 32>>>(\n//@ x, n +\n//@ 2)\n"));
}

static void line_ends(void **state)
{
    struct variant v = parse(NULL, "f.cu",
                             "//@ title A title\r\n//@ param n = 4\r\n//@ buffer x int[n] = i\r\n" KERNEL
                             "//@ launch k<<<1, 32>>>(x, n)");
    assert_string_equal(v.title, "A title");
    assert_int_equal(v.launches[0].argument_count, 2);
    variant_free(&v);

    struct error error = { 0 };
    message_is(parses(NULL, "//@ param n = \r\n" KERNEL, &error), &error,
               "f.cu:1:15: error: expected a value: a number, a name or '('\n"
               "  //@ param n = \n"
               "                ^");
}

static void carets_line_up(void **state)
{
    wrong_in_lab("\t//@\tneeds\tn + ", "1-f.cu:1:16: error: expected a value: a number, a name or '('\n"
                                       "  \t//@\tneeds\tn + \n"
                                       "  \t   \t     \t    ^");
    wrong_in_lab("/**/ int a;\n  //@ needs 1 +",
                 "1-f.cu:2:16: error: expected a value: a number, a name or '('\n"
                 "    //@ needs 1 +\n"
                 "                 ^");
}

static void words(void **state)
{
    wrong_in_lab("//@ lunch k<<<1, 32>>>(x)",
                 "1-f.cu:1:5: error: no directive is called lunch; did you mean launch?\n"
                 "  //@ lunch k<<<1, 32>>>(x)\n"
                 "      ^");
    const char *all = "expected title, why, needs, param, buffer, scratch, launch, owner, order, texture, "
                      "surface, symbol, value, for or end";
    char want[300];
    snprintf(want, sizeof want, "1-f.cu:1:5: error: %s\n  //@ zebra crossing\n      ^", all);
    wrong_in_lab("//@ zebra crossing", want);
    snprintf(want, sizeof want, "1-f.cu:1:4: error: %s\n  //@\n     ^", all);
    wrong_in_lab("//@", want);
    snprintf(want, sizeof want, "1-f.cu:1:5: error: %s\n  //@ <<<\n      ^", all);
    wrong_in_lab("//@ <<<", want);
}

static void mistakes_in_texts(void **state)
{
    wrong_in_lab("//@ title  ", "1-f.cu:1:12: error: expected a title\n"
                                "  //@ title  \n"
                                "             ^");
    wrong_in_lab("//@ title A\n//@ title B",
                 "1-f.cu:2:10: error: this is a second title; a file has one\n  //@ title B\n           ^");
    wrong_in_lab("//@ why", "1-f.cu:1:8: error: expected the idea of this variant in a sentence\n"
                            "  //@ why\n"
                            "         ^");
    wrong_in_lab("//@ needs", "1-f.cu:1:10: error: expected a condition, such as n % 4 == 0\n"
                              "  //@ needs\n"
                              "           ^");
    wrong_in_lab("//@ needs n = 4", "1-f.cu:1:13: error: expected the end of the line\n"
                                    "  //@ needs n = 4\n"
                                    "              ^");
}

static void mistakes_in_launches(void **state)
{
    wrong_in_lab("//@ launch",
                 "1-f.cu:1:11: error: expected the name of a kernel, as in fill<<<n / 256, 256>>>(data)\n"
                 "  //@ launch\n"
                 "            ^");
    wrong_in_lab("//@ launch k(x, 1)", "1-f.cu:1:13: error: expected '<<<' and then the grid and the block\n"
                                       "  //@ launch k(x, 1)\n"
                                       "              ^");
    wrong_in_lab("//@ launch k<<<1>>>(x, 1)",
                 "1-f.cu:1:17: error: expected ',' and then the threads of a block\n"
                 "  //@ launch k<<<1>>>(x, 1)\n"
                 "                  ^");
    wrong_in_lab("//@ launch k<<<, 32>>>(x, 1)",
                 "1-f.cu:1:16: error: expected a value: a number, a name or '('\n"
                 "  //@ launch k<<<, 32>>>(x, 1)\n"
                 "                 ^");
    wrong_in_lab("//@ launch k<<<1, 32>>(x, 1)", "1-f.cu:1:21: error: expected '>>>' to close the '<<<'\n"
                                                 "  //@ launch k<<<1, 32>>(x, 1)\n"
                                                 "                      ^");
    wrong_in_lab("//@ launch k<<<1, 32", "1-f.cu:1:21: error: expected '>>>' to close the '<<<'\n"
                                         "  //@ launch k<<<1, 32\n"
                                         "                      ^");
    wrong_in_lab(
        "//@ launch k<<<1, 32, 0, 0>>>(x, 1)",
        "1-f.cu:1:24: error: expected '>>>' after the grid, the block and the bytes of shared memory\n"
        "  //@ launch k<<<1, 32, 0, 0>>>(x, 1)\n"
        "                         ^");
    wrong_in_lab("//@ launch k<<<dim3(1, 2, 3, 4), 32>>>(x, 1)",
                 "1-f.cu:1:28: error: expected ')' after the sizes of a dim3, which are three at most\n"
                 "  //@ launch k<<<dim3(1, 2, 3, 4), 32>>>(x, 1)\n"
                 "                             ^");
    wrong_in_lab("//@ launch k<<<1, 32>>>", "1-f.cu:1:24: error: expected '(' and the kernel's arguments\n"
                                            "  //@ launch k<<<1, 32>>>\n"
                                            "                         ^");
    wrong_in_lab("//@ launch k<<<1, 32>>>(x, 1",
                 "1-f.cu:1:29: error: expected ')' after the kernel's arguments\n"
                 "  //@ launch k<<<1, 32>>>(x, 1\n"
                 "                              ^");
    wrong_in_lab("//@ launch k<<<1, 32>>>(x, )",
                 "1-f.cu:1:28: error: expected a value: a number, a name or '('\n"
                 "  //@ launch k<<<1, 32>>>(x, )\n"
                 "                             ^");
    wrong_in_lab("//@ launch k<<<1, 32>>>(x, 1) again", "1-f.cu:1:31: error: expected the end of the line\n"
                                                        "  //@ launch k<<<1, 32>>>(x, 1) again\n"
                                                        "                                ^");
    wrong_in_lab("//@ launch k<<<1, 32>>>(x)", "1-f.cu:1:12: error: k takes 2 arguments, and here is 1\n"
                                               "  //@ launch k<<<1, 32>>>(x)\n"
                                               "             ^");
    wrong_in_lab("//@ launch kk<<<1, 32>>>(x, 1)",
                 "1-f.cu:1:12: error: this file has no kernel kk; did you mean k?\n"
                 "  //@ launch kk<<<1, 32>>>(x, 1)\n"
                 "             ^");
}

static void mistakes_in_declarations(void **state)
{
    wrong_in_lab(
        "//@ buffer y int[4]",
        "1-f.cu:1:11: error: the buffers of a lab's file come from the lab; for memory of a variant's own "
        "there is scratch\n"
        "  //@ buffer y int[4]\n"
        "            ^");
    wrong_in_lab("//@ param m = 4",
                 "1-f.cu:1:10: error: the parameters of a lab's file come from the lab; for memory "
                 "of a variant's own there is scratch\n"
                 "  //@ param m = 4\n"
                 "           ^");
    wrong_alone("//@ buffer 4 int[4]", "f.cu:1:12: error: expected the name of a buffer\n"
                                       "  //@ buffer 4 int[4]\n"
                                       "             ^");
    wrong_alone(
        "//@ buffer y cell[4]",
        "f.cu:1:14: error: expected a type: char, unsigned char, short, unsigned short, int, unsigned, "
        "long long, unsigned long long, float, double, half, a vector such as float4, or a structure "
        "that this file defines\n"
        "  //@ buffer y cell[4]\n"
        "               ^");
    wrong_alone("//@ buffer y int", "f.cu:1:17: error: expected '[' and how many elements there are\n"
                                    "  //@ buffer y int\n"
                                    "                  ^");
    wrong_alone("//@ scratch y int[4", "f.cu:1:20: error: expected ']' after how many elements there are\n"
                                       "  //@ scratch y int[4\n"
                                       "                     ^");
    wrong_alone("//@ scratch y int[4] = i", "f.cu:1:22: error: expected the end of the line\n"
                                            "  //@ scratch y int[4] = i\n"
                                            "                       ^");
    wrong_alone("//@ param m 4", "f.cu:1:13: error: expected '=' and the parameter's value\n"
                                 "  //@ param m 4\n"
                                 "              ^");
    wrong_alone("//@ param i = 4",
                "f.cu:1:11: error: i is taken: it is the index in initialisers and owners\n"
                "  //@ param i = 4\n"
                "            ^");
    wrong_alone("//@ param m = 4\n//@ scratch m int[4]",
                "f.cu:2:13: error: m is declared already, in line 1\n"
                "  //@ scratch m int[4]\n"
                "              ^");
    wrong_alone("//@ param a234567890123456789012345678901x = 1",
                "f.cu:1:11: error: this name is too long: it may have 31 letters\n"
                "  //@ param a234567890123456789012345678901x = 1\n"
                "            ^");
}

#define TEXELS "//@ buffer x float[64]\n"
static void mistakes_in_textures(void **state)
{
    wrong_in_lab(
        "//@ texture t = data",
        "1-f.cu:1:12: error: a lab's file has no textures and surfaces; a file that stands alone may "
        "have them\n"
        "  //@ texture t = data\n"
        "             ^");
    wrong_alone(TEXELS "//@ texture x = x", "f.cu:2:13: error: x is declared already, in line 1\n"
                                            "  //@ texture x = x\n"
                                            "              ^");
    wrong_alone(TEXELS "//@ texture t = x filter=cubic", "f.cu:2:26: error: expected point or linear\n"
                                                         "  //@ texture t = x filter=cubic\n"
                                                         "                           ^");
    wrong_alone(TEXELS "//@ texture t = x width=8 width=8", "f.cu:2:27: error: a second width\n"
                                                            "  //@ texture t = x width=8 width=8\n"
                                                            "                            ^");
    wrong_alone(TEXELS "//@ texture t = x height=8", "f.cu:2:13: error: its other sizes need a width=\n"
                                                     "  //@ texture t = x height=8\n"
                                                     "              ^");
    wrong_alone(TEXELS "//@ texture t = x width=8 address=wrap",
                "f.cu:2:13: error: address=wrap and address=mirror need the word normalized\n"
                "  //@ texture t = x width=8 address=wrap\n"
                "              ^");
    wrong_alone(TEXELS "//@ surface s = x filter=linear",
                "f.cu:2:19: error: expected width=, height=, depth= or layers=, or the end of the line\n"
                "  //@ surface s = x filter=linear\n"
                "                    ^");
}

static void mistakes_in_owners(void **state)
{
    wrong_in_lab("//@ owner x i",
                 "1-f.cu:1:13: error: expected '<<<' and then which block and thread write element i\n"
                 "  //@ owner x i\n"
                 "              ^");
    wrong_in_lab("//@ owner x <<<i>>>", "1-f.cu:1:17: error: expected ',' and then the thread\n"
                                        "  //@ owner x <<<i>>>\n"
                                        "                  ^");
    wrong_in_lab("//@ owner x <<<i, 0>>", "1-f.cu:1:20: error: expected '>>>' to close the '<<<'\n"
                                          "  //@ owner x <<<i, 0>>\n"
                                          "                     ^");
    wrong_in_lab("//@ owner x <<<0, i>>>\n//@ owner x <<<i, 0>>>",
                 "1-f.cu:2:11: error: x has an owner already, in line 1\n"
                 "  //@ owner x <<<i, 0>>>\n"
                 "            ^");
    wrong_alone("//@ owner y <<<0, i>>>", "f.cu:1:11: error: there is no buffer y\n"
                                          "  //@ owner y <<<0, i>>>\n"
                                          "            ^");
    wrong_alone("//@ order  y", "f.cu:1:12: error: there is no buffer y\n"
                                "  //@ order  y\n"
                                "             ^");
}

static void unknown_names(void **state)
{
    wrong_alone("//@ param a = b + 1\n//@ param b = 1", "f.cu:1:15: error: nothing is called b here\n"
                                                        "  //@ param a = b + 1\n"
                                                        "                ^");
    wrong_alone("//@ param count = 4\n//@ buffer y int[ccount]",
                "f.cu:2:18: error: nothing is called ccount here; did you mean count?\n"
                "  //@ buffer y int[ccount]\n"
                "                   ^");
    wrong_alone("//@ scratch s int[i]", "f.cu:1:19: error: nothing is called i here\n"
                                        "  //@ scratch s int[i]\n"
                                        "                    ^");
    wrong_alone("//@ buffer y int[sm_count]", "f.cu:1:18: error: nothing is called sm_count here\n"
                                              "  //@ buffer y int[sm_count]\n"
                                              "                   ^");
    wrong_alone("//@ buffer y int[4] = sm_count + i", "f.cu:1:23: error: nothing is called sm_count here\n"
                                                      "  //@ buffer y int[4] = sm_count + i\n"
                                                      "                        ^");
    wrong_alone("//@ param n = 2 * sm_count", "f.cu:1:19: error: nothing is called sm_count here\n"
                                              "  //@ param n = 2 * sm_count\n"
                                              "                    ^");
    wrong_alone("//@ buffer data int[4]\n//@ launch k<<<1, 32>>>(dta, 1)",
                "f.cu:2:25: error: nothing is called dta here; did you mean data?\n"
                "  //@ launch k<<<1, 32>>>(dta, 1)\n"
                "                          ^");
    wrong_alone("//@ launch k<<<x, 32>>>(x, 1)", "f.cu:1:16: error: nothing is called x here\n"
                                                 "  //@ launch k<<<x, 32>>>(x, 1)\n"
                                                 "                 ^");
    wrong_alone("//@ launch k<<<1, 32>>>(x + 4, 1)", "f.cu:1:25: error: a buffer, a texture, a surface or a "
                                                     "structure is an argument by itself, not a part of an "
                                                     "expression\n"
                                                     "  //@ launch k<<<1, 32>>>(x + 4, 1)\n"
                                                     "                          ^");
}

static void launches_up_to_the_most(void **state)
{
    struct error error = { 0 };
    struct text text = { 0 };
    text_add(&text, KERNEL);
    for (int i = 0; i < VARIANT_LAUNCHES; i++)
        text_add(&text, "//@ launch k<<<1, 32>>>(x, 1)\n");
    assert_true(parses("lab", text.data, &error));
    text_add(&text, "//@ launch k<<<2, 32>>>(x, 1)\n");
    message_is(parses("lab", text.data, &error), &error,
               "1-f.cu:66:12: error: this is one launch line too many; a file has at most 64\n"
               "  //@ launch k<<<2, 32>>>(x, 1)\n"
               "             ^");
    text_free(&text);
}

static int64_t argument_of(const struct launch *launch, size_t which, const struct expr_scope *outer)
{
    struct expr_binding bindings[EXPR_SCOPE];
    const struct expr_scope scope = launch_inner_scope(launch, outer, bindings);
    return value_of(launch->arguments[which].expr, &scope);
}

// The passes of a bitonic sort of 8 numbers, between two launches that are in no loop.
static void loops_become_launches(void **state)
{
    static const int64_t passes[][2] = { { 2, 1 }, { 4, 2 }, { 4, 1 }, { 8, 4 }, { 8, 2 }, { 8, 1 } };
    enum { PASSES = sizeof passes / sizeof *passes };
    struct variant v = parse(NULL, "sort.cu",
                             "//@ param n = 8\n//@ buffer x float[n]\n//@ launch k<<<1, n>>>(x, 1)\n"
                             "//@ for (s = 2; s <= n; s = s * 2)\n//@ for (j = s / 2; j > 0; j = j / 2)\n"
                             "//@ launch k<<<1, j>>>(x, s * 10 + j)\n//@ end\n//@ end\n"
                             "//@ launch k<<<2, n>>>(x, n)\n" KERNEL);
    const struct expr_binding bindings[] = { { "n", value_int(8) } };
    const struct expr_scope scope = { bindings, 1 };
    struct error error = { 0 };
    assert_int_equal(v.launch_count, 3);
    assert_true(variant_unroll(&v, &scope, &error));
    assert_int_equal(v.launch_count, 2 + PASSES);
    assert_int_equal(argument_of(&v.launches[0], 1, &scope), 1);
    for (size_t i = 0; i < PASSES; i++)
        assert_int_equal(argument_of(&v.launches[1 + i], 1, &scope), passes[i][0] * 10 + passes[i][1]);
    assert_int_equal(argument_of(&v.launches[1 + PASSES], 1, &scope), 8);
    assert_true(variant_unroll(&v, &scope, &error)); // no more than once
    assert_int_equal(v.launch_count, 2 + PASSES);
    variant_free(&v);
}

static void unrolls_not(const char *head, const char *want)
{
    struct error error = { 0 };
    struct text text = { 0 };
    text_addf(&text, "//@ buffer x float[8]\n%s\n//@ launch k<<<1, 32>>>(x, 1)\n//@ end\n" KERNEL, head);
    struct variant v = parse(NULL, "f.cu", text_string(&text));
    const struct expr_scope scope = { NULL, 0 };
    message_is(variant_unroll(&v, &scope, &error), &error, want);
    variant_free(&v);
    text_free(&text);
}

static void loops_that_have_no_turn_or_no_end(void **state)
{
    unrolls_not("//@ for (t = 0; t < 0; t = t + 1)",
                "f.cu:2:10: error: no loop has a turn, so nothing is launched\n"
                "  //@ for (t = 0; t < 0; t = t + 1)\n"
                "           ^");
    unrolls_not("//@ for (t = 0; 1; t = t)", "f.cu:2:10: error: this loop has more than 256 turns\n"
                                             "  //@ for (t = 0; 1; t = t)\n"
                                             "           ^");
    unrolls_not(
        "//@ for (t = 0; t < 200; t = t + 1)\n//@ launch k<<<1, 32>>>(x, 1)",
        "f.cu:2:10: error: these lines launch more than 256 times; smaller sizes may launch less often\n"
        "  //@ for (t = 0; t < 200; t = t + 1)\n"
        "           ^");
    unrolls_not("//@ for (t = 1; t < 9; t = t * 1.5)",
                "f.cu:2:28: error: this is 1.5, and should be a whole number\n"
                "  //@ for (t = 1; t < 9; t = t * 1.5)\n"
                "                             ^");
}

static void loops_that_are_wrong(void **state)
{
    wrong_alone("//@ for (t = 0; t < 4; t = t + 1)",
                "f.cu:1:10: error: this loop has no end; write //@ end after its "
                "last launch\n"
                "  //@ for (t = 0; t < 4; t = t + 1)\n"
                "           ^");
    wrong_alone("//@ end", "f.cu:1:8: error: there is no `for` that this could end\n"
                           "  //@ end\n"
                           "         ^");
    wrong_alone("//@ for (t = 0; t < 4; s = t + 1)", "f.cu:1:24: error: expected t, which this loop counts\n"
                                                     "  //@ for (t = 0; t < 4; s = t + 1)\n"
                                                     "                         ^");
    wrong_alone("//@ for (x = 0; x < 4; x = x + 1)\n//@ launch k<<<1, 32>>>(x, 1)\n//@ end",
                "f.cu:1:10: error: x means something else already\n"
                "  //@ for (x = 0; x < 4; x = x + 1)\n"
                "           ^");
    wrong_alone("//@ for (t = 0; t < m; t = t + 1)\n//@ launch k<<<1, 32>>>(x, t)\n//@ end",
                "f.cu:1:21: error: nothing is called m here; did you mean t?\n"
                "  //@ for (t = 0; t < m; t = t + 1)\n"
                "                      ^");
    wrong_alone("//@ for (t = 0; t < 4; t = t + 1)\n//@ end",
                "f.cu:2:8: error: there is no launch between this `end` and its `for`, in line 1\n"
                "  //@ end\n"
                "         ^");
}

static void files_without_a_launch(void **state)
{
    struct error error = { 0 };
    message_is(
        parses(NULL, "// nothing but\n__global__ void k(int n) {}\n", &error), &error,
        "f.cu:2:17: error: nothing launches this kernel; write //@ launch k<<<grid, block>>>(arguments)\n"
        "  __global__ void k(int n) {}\n"
        "                  ^");
    message_is(parses(NULL, "int x;", &error), &error,
               "f.cu:1:1: error: there is no kernel and no launch here; write //@ launch NAME<<<grid, "
               "block>>>(arguments)\n  int x;\n  ^");
    assert_false(parses(NULL, "", &error));
}

static void names_of_a_labs_files(void **state)
{
    static const char *const bad[] = { "fill.cu", "fill",   "-fill.cu", "4-.cu",    "4.cu",
                                       "04-x.cu", "0-x.cu", "4_x.cu",   "4-x y.cu", "4444-x.cu",
                                       "4-x.cpp", "4-x",    ".cu",      "" };
    struct variant v;
    struct error error;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        error.text[0] = 0;
        assert_false(variant_parse(&v, "lab", bad[i], "//@ launch k<<<1, 32>>>(x, 1)\n" KERNEL, &error));
        assert_non_null(strstr(error.text, "STEP-NAME.cu"));
    }
}

static void sizes_of_launches(void **state)
{
    static const struct {
        const char *grid, *want;
    } cases[] = {
        { "n - 5", "1-f.cu:1:16: error: this is 0, and should be 1 to 2147483647\n" },
        { "dim3(1, n << 30)", "1-f.cu:1:24: error: this is 5368709120, and should be 1 to 2147483647\n" },
        { "0.5 * n", "1-f.cu:1:16: error: this is 2.5, and should be a whole number\n" },
        { "n / (n - 5)", "1-f.cu:1:18: error: division by zero\n" },
        { "m", "1-f.cu:1:16: error: nothing is called m here; did you mean n?\n" },
    };
    const struct expr_binding bindings[] = { { "n", value_int(5) } };
    const struct expr_scope scope = { bindings, 1 };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct text text = { 0 };
        text_addf(&text, "//@ launch k<<<%s, 32>>>(x, 1)\n" KERNEL, cases[i].grid);
        struct variant v = parse("lab", "1-f.cu", text.data);
        struct dims_value dims;
        struct error error = { 0 };
        assert_false(dims_eval(&v.launches[0].grid, &scope, &dims, &error));
        if (!string_starts(error.text, cases[i].want))
            fail_msg("%s", error.text);
        variant_free(&v);
        text_free(&text);
    }
}

// ---- hostile files ------------------------------------------------------------------------------

static void every_prefix_of_a_file(void **state)
{
    const char *whole =
        "//@ title T\n//@ param n = 1 << 4\n//@ buffer x float4[n] = hash(i) % 3 ? 0x1f : 1.5e3f\n"
        "/* c */ //@ no\n//@ scratch s unsigned char[n]\n//@ needs n > 3 && n < 99\n"
        "//@ launch k<<<dim3(n >> 2,\n//@ 1), n, 4 * n>>>(\n//@ x, s, n + 1)\n//@ owner x <<<0, i>>>\n"
        "__global__ void __launch_bounds__(256) k(float4 *x, const char *__restrict__ s, int n) {}\n";
    struct error error;
    for (size_t length = 0; length < strlen(whole); length++) {
        char *part = mem_copy_n(whole, length);
        bool parsed = parses(NULL, part, &error);
        assert_true(parsed || error.text[0]);
        free(part);
    }
    assert_true(parses(NULL, whole, &error));
}

// Every byte of a good file replaced by bytes that matter to the parser: errors, but never a crash.
static void every_byte_changed(void **state)
{
    const char *whole =
        "//@ param n = 1 << 4\n//@ buffer x float4[n] = min(i, 3) % 3 ? 0x1f : 1.5\n"
        "//@ launch k<<<dim3(n, 1),\n//@ n>>>(x, n)\n__global__ void k(float4 *x, int n) {}\n";
    static const char odd[] = "\n\r\t \x01\x7f\xff\"'/*<>(),[]=?:09xe.-";
    struct error error;
    for (size_t i = 0; i < strlen(whole); i++) {
        char *copy = mem_copy(whole);
        for (const char *c = odd; *c; c++) {
            copy[i] = *c;
            parses(NULL, copy, &error);
        }
        free(copy);
    }
}

static void long_and_many(void **state)
{
    struct error error;
    struct text text = { 0 };
    text_add(&text, "//@ launch k<<<1, 32>>>(");
    for (int i = 0; i < 100000; i++)
        text_add(&text, "x, ");
    text_add(&text, "+)\n" KERNEL);
    assert_false(parses("lab", text.data, &error));
    assert_string_equal(error.text, "1-f.cu:1:300026: error: expected a value: a number, a name or '('");
    text_free(&text);

    for (int i = 0; i < 100000; i++)
        text_addf(&text, "//@ param p%d = 1\n", i);
    assert_false(parses(NULL, text.data, &error));
    assert_non_null(strstr(error.text, "f.cu:1001:1: error: too many directives"));
    text_free(&text);

    for (int i = 0; i < 100000; i++)
        text_add(&text, "__global__ (");
    assert_false(parses(NULL, text.data, &error));
    text_free(&text);
}

static void a_byte_0_in_a_file(void **state)
{
    const char *folder = getenv("TMPDIR");
    char path[512];
    format_into(path, sizeof path, "%s/warpbook-variant-XXXXXX", folder ? folder : "/tmp");
    int fd = mkstemp(path);
    static const char bytes[] = "//@ title a\0b\n" KERNEL;
    assert_true(fd >= 0);
    assert_int_equal(write(fd, bytes, sizeof bytes - 1), sizeof bytes - 1);
    close(fd);
    struct variant v;
    struct error error;
    assert_false(variant_read(&v, path, &error));
    unlink(path);
    assert_non_null(strstr(error.text, ":1:12: error: there is a zero byte here"));
    assert_false(variant_read(&v, path, &error));
    assert_non_null(strstr(error.text, "No such file"));
}

// ---- signatures ---------------------------------------------------------------------------------

// "name*" for a pointer, "name*c" for a pointer to const, separated by blanks; "-" when not found.
static void signature_is(const char *source, const char *want)
{
    struct kernel_parameter parameters[8];
    int count = signature_find(source, "k", parameters, 8);
    struct text got = { 0 };
    for (int i = 0; i < count && i < 8; i++)
        text_addf(&got, "%s%s%s%s", i ? " " : "", parameters[i].name, parameters[i].pointer ? "*" : "",
                  parameters[i].constant ? "c" : "");
    assert_string_equal(count < 0 ? "-" : text_string(&got), want);
    text_free(&got);
}

static void signatures(void **state)
{
    signature_is("__global__ void k(float *a, const float *b, int n) {}", "a* b*c n");
    signature_is("extern \"C\" __global__ void k(float const *a, unsigned long long n);", "a*c n");
    signature_is("__global__ void k(const float *__restrict__ a, float *__restrict__ b)", "a*c b*");
    signature_is("__global__ void __launch_bounds__(256, 2) k(int *p)", "p*");
    signature_is("__global__ __launch_bounds__((256), 2)\nvoid\nk\n(\nint *p\n)", "p*");
    signature_is("extern \"C\" __attribute__((used)) __global__ void k(int *p)", "p*");
    signature_is("__global__ void k()", "");
    signature_is("__global__ void k(void)", "");
    signature_is("__global__ void k(const int n, unsigned m)", "n m");
    signature_is("__global__ void k(const float4 a[], int b[4], std::size_t n = (1, 2))", "a*c b* n");
    signature_is("__global__ void k(int *const p, const int **q, const int *const *r)", "p* q* r*c");
    signature_is("__global__ void k(int *, const double *, float)", "* *c ");
    signature_is("__global__ void k(struct pair *p, volatile int *q, pair<int, 4> r)", "p* q* r");
    signature_is("// __global__ void k(int a)\n/* __global__ void k(int b) */ __global__ void k(int c)", "c");
    signature_is("char *s = \"__global__ void k(int a)\"; __global__ void k(int c)", "c");
    signature_is("__global__ void kk(int a) { k(1); }\n__global__ void k(int c)", "c");
    signature_is("void k(int a); __global__ void other(int *k) { int k(3); }", "-");
    signature_is("__global__ void k(int a // , int no\n, /* , */ int b)", "a b");
    signature_is("__global__ void k(int a, int b", "-");
    signature_is("__global__", "-");
    signature_is("", "-");
}

static void signatures_with_little_room(void **state)
{
    struct kernel_parameter two[2];
    assert_int_equal(signature_find("__global__ void k(int a, int b, int c, int d)", "k", two, 2), 4);
    assert_string_equal(two[1].name, "b");
    struct text text = { 0 };
    text_add(&text, "__global__ void k(int ");
    for (int i = 0; i < 1000; i++)
        text_add(&text, "x");
    text_add(&text, ")");
    assert_int_equal(signature_find(text.data, "k", two, 2), 1);
    assert_int_equal(strlen(two[0].name), 63);
    text_free(&text);
}

static void kernels_in_a_file(void **state)
{
    const char *at =
        "__global__ void one(int a) {}\n// __global__ void no()\n__device__ int f(int x) { return x; }\n"
        "__global__ void __launch_bounds__(64) two() {}";
    struct code_piece name;
    assert_true(kernel_next(&at, &name));
    assert_true(piece_is(name, "one"));
    assert_true(kernel_next(&at, &name));
    assert_true(piece_is(name, "two"));
    assert_false(kernel_next(&at, &name));
}

// ---- another block -----------------------------------------------------------------------------------------------

static void with_block(const char *lines, long threads, bool grid_follows, const char *want)
{
    struct error error = { 0 };
    char *text = text_format("%s\n//@ buffer x float[8]\n//@ param n = 8\n" KERNEL, lines);
    struct variant variant = parse(NULL, "f.cu", text);
    char *changed = variant_with_block(&variant, 0, threads, grid_follows, &error);
    if (!changed)
        assert_string_equal(error.text, want);
    else if (!string_starts(changed, want))
        fail_msg("%s, wanted %s", changed, want);
    free(changed);
    variant_free(&variant);
    free(text);
}

static void a_block_takes_its_grid_along(void **state)
{
    with_block("//@ launch k<<<(n + 255) / 256, 256>>>(x, n)", 64, true,
               "//@ launch k<<<(n + 63) / 64, 64>>>(x, n)\n");
    with_block("//@ launch k<<<(n + 255) / 256, 256>>>(x, n)", 64, false,
               "//@ launch k<<<(n + 255) / 256, 64>>>(x, n)\n");
    with_block("//@ launch k<<<(n + 1023) / 1024, 256, 256 * 4>>>(x, (n + 1023) / 1024)", 512, true,
               "//@ launch k<<<(n + 2047) / 2048, 512, 512 * 4>>>(x, (n + 2047) / 2048)\n");
    with_block("//@ launch k<<<n / 8, 256>>>(x, n)", 128, true,
               "//@ launch k<<<n / 4, 128>>>(x, n)\n"); // a warp each
    with_block("//@ launch k<<<sm_count * 8, 256>>>(x, n)", 128, true,
               "//@ launch k<<<sm_count * 8, 128>>>(x, n)\n");
    with_block("//@ launch k<<<dim3((n + 31) / 32, (n + 7) / 8),\n//@     dim3(32, 8)>>>(x, n)", 512, true,
               "//@ launch k<<<dim3((n + 31) / 32, (n + 15) / 16),\n//@     dim3(32, 16)>>>(x, n)\n");
    with_block("//@ launch k<<<dim3(n / 32, n / 64), dim3(32, 32)>>>(x, n)", 256, true,
               "//@ launch k<<<dim3(n / 16, n / 32), dim3(16, 16)>>>(x, n)\n");
    with_block("//@ launch k<<<1, 1>>>(x, 1)", 32, true, "//@ launch k<<<1, 32>>>(x, 1)\n");
}

static void the_same_kernel_has_the_same_block(void **state)
{
    with_block("//@ launch k<<<n / 64, 64>>>(x, n)\n//@ launch k<<<n / 64, 64>>>(x, 64)", 32, true,
               "//@ launch k<<<n / 32, 32>>>(x, n)\n//@ launch k<<<n / 32, 32>>>(x, 64)\n");
}

static void blocks_that_cannot_change_say_why(void **state)
{
    with_block("//@ launch k<<<8, n>>>(x, n)", 64, true,
               "The block of k is n, which the size of the data sets. Choose another size.");
    with_block("//@ launch k<<<8, dim3(32, 32)>>>(x, n)", 128, true, "No square block has 128 threads.");
    with_block("//@ launch k<<<8, dim3(64, 4)>>>(x, n)", 32, true, "No block of 32 threads is 64 wide.");
}

static void numbers_are_found_in_code_only(void **state)
{
    struct variant variant =
        parse("lab", "1-f.cu", "// 128\n//@ launch k<<<1, 128>>>(x, 1)\n" KERNEL "// 128\nint a[128];\n");
    assert_int_equal(variant_number_line(&variant, 128), 5);
    assert_int_equal(variant_number_line(&variant, 64), 0);
    variant_free(&variant);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_of_a_lab),
        cmocka_unit_test(owners),
        cmocka_unit_test(a_file_that_stands_alone),
        cmocka_unit_test(shifts_before_the_closing_brackets),
        cmocka_unit_test(where_directives_stand),
        cmocka_unit_test(a_line_goes_on_while_a_bracket_is_open),
        cmocka_unit_test(mistakes_in_lines_that_go_on),
        cmocka_unit_test(a_break_changes_no_code),
        cmocka_unit_test(line_ends),
        cmocka_unit_test(carets_line_up),
        cmocka_unit_test(words),
        cmocka_unit_test(mistakes_in_texts),
        cmocka_unit_test(mistakes_in_launches),
        cmocka_unit_test(mistakes_in_declarations),
        cmocka_unit_test(mistakes_in_textures),
        cmocka_unit_test(mistakes_in_owners),
        cmocka_unit_test(unknown_names),
        cmocka_unit_test(launches_up_to_the_most),
        cmocka_unit_test(loops_become_launches),
        cmocka_unit_test(loops_that_have_no_turn_or_no_end),
        cmocka_unit_test(loops_that_are_wrong),
        cmocka_unit_test(files_without_a_launch),
        cmocka_unit_test(names_of_a_labs_files),
        cmocka_unit_test(sizes_of_launches),
        cmocka_unit_test(every_prefix_of_a_file),
        cmocka_unit_test(every_byte_changed),
        cmocka_unit_test(long_and_many),
        cmocka_unit_test(a_byte_0_in_a_file),
        cmocka_unit_test(signatures),
        cmocka_unit_test(signatures_with_little_room),
        cmocka_unit_test(kernels_in_a_file),
        cmocka_unit_test(a_block_takes_its_grid_along),
        cmocka_unit_test(the_same_kernel_has_the_same_block),
        cmocka_unit_test(blocks_that_cannot_change_say_why),
        cmocka_unit_test(numbers_are_found_in_code_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
