// Expressions: what they come to, where they go wrong, and how they fill buffers; types and the hash beside them.
#include "kernels/variant.h"

#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct expr_binding known[] = {
    { "n", { .i = 1000 } },          { "count", { .i = 7 } },
    { "zero", { .i = 0 } },          { "half", { .real = true, .r = 0.5 } },
    { "least", { .i = INT64_MIN } },
};
static const struct expr_scope names = { known, sizeof known / sizeof known[0] };

static void comes_to(const char *text, int64_t want)
{
    struct error error = { 0 };
    struct expr_value value;
    if (!expr_eval_text(text, &names, &value, &error))
        fail_msg("%s\n%s", text, error.text);
    if (value.real || value.i != want)
        fail_msg("%s is %lld, not %lld", text, (long long)value_as_int(value), (long long)want);
}

static void comes_to_real(const char *text, double want)
{
    struct error error = { 0 };
    struct expr_value value;
    if (!expr_eval_text(text, &names, &value, &error))
        fail_msg("%s\n%s", text, error.text);
    if (!value.real || value.r != want)
        fail_msg("%s is %.17g, not %.17g", text, value_as_real(value), want);
}

// The error must be exactly this, after "expression:".
static void goes_wrong(const char *text, const char *want)
{
    struct error error = { 0 };
    struct expr_value value;
    if (expr_eval_text(text, &names, &value, &error))
        fail_msg("%s should be an error and is %lld", text, (long long)value_as_int(value));
    assert_int_equal(error.code, EXIT_USAGE);
    assert_true(string_starts(error.text, "expression:"));
    assert_string_equal(error.text + strlen("expression:"), want);
}

static void literals(void **state)
{
    comes_to("0", 0);
    comes_to("42", 42);
    comes_to(" \t42 ", 42);
    comes_to("0x1F", 31);
    comes_to("0b101", 5);
    comes_to("017", 15);
    comes_to("7u + 7UL + 7ull + 7L", 28);
    comes_to("9223372036854775807", INT64_MAX);
    comes_to("0xffffffffffffffff", -1);
    comes_to("18446744073709551615u", -1);
    comes_to_real("1.5", 1.5);
    comes_to_real(".5", 0.5);
    comes_to_real("2.", 2);
    comes_to_real("1e-3", 1e-3);
    comes_to_real("1E+2", 100);
    comes_to_real("0.1f", 0.1f);
    comes_to_real("0.1", 0.1);
}

static void decimals_in_any_locale(void **state)
{
    const char *const commas[] = { "de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "de_DE" };
    for (size_t i = 0; i < 4 && !setlocale(LC_NUMERIC, commas[i]); i++)
        continue;
    comes_to_real("1.5", 1.5);
    setlocale(LC_NUMERIC, "C");
}

static void precedence(void **state)
{
    comes_to("2 + 3 * 4", 14);
    comes_to("(2 + 3) * 4", 20);
    comes_to("20 - 3 - 2", 15);
    comes_to("100 / 5 / 2", 10);
    comes_to("100 % 7 * 2", 4);
    comes_to("1 << 2 + 1", 8);
    comes_to("1 << 2 << 1", 8);
    comes_to("n >> 3 >> 1", 62);
    comes_to("7 & 3 == 3", 1);
    comes_to("1 | 2 ^ 3 & 1", 3);
    comes_to("6 ^ 3 | 8", 13);
    comes_to("1 < 2 == 1", 1);
    comes_to("3 > 2 > 1", 0);
    comes_to("0 && 0 || 1", 1);
    comes_to("1 || 0 && 0", 1);
    comes_to("0 == 0 && 2 > 1", 1);
    comes_to("-2 * -3", 6);
    comes_to("- - 2", 2);
    comes_to("+5", 5);
    comes_to("~0", -1);
    comes_to("!5 + !0", 1);
    comes_to("!~0 == 0", 1);
    comes_to("-7 / 2", -3);
    comes_to("-7 % 2", -1);
    comes_to("-8 >> 1", -4);
    comes_to("1 ? 2 : 3", 2);
    comes_to("0 ? 2 : 0 ? 3 : 4", 4);
    comes_to("1 ? 0 ? 5 : 6 : 7", 6);
    comes_to("1 + 1 ? 10 : 20", 10);
    comes_to("0 ? 1 : 2 + 3", 5);
    comes_to("4 != 5", 1);
    comes_to("4 <= 4", 1);
    comes_to("4 >= 5", 0);
}

static void functions_and_names(void **state)
{
    comes_to("min(3, 2) + max(n, 2)", 1002);
    comes_to("min(min(4, 3), 9)", 3);
    comes_to_real("max(half, 0)", 0.5);
    comes_to("hash(0)", 0);
    comes_to("hash(-1)", (int64_t)expr_hash(UINT32_MAX));
    comes_to("hash(1 << 32)", 0);
    comes_to("hash(n) >= 0 && hash(n) < 1 << 32", 1);
    comes_to("(n + 255) / 256", 4);
}

// Written out step by step, apart from the code under test.
static void hash_is_as_documented(void **state)
{
    for (uint64_t seed = 0; seed < 1000; seed++) {
        uint64_t x = seed * 4294967u % (1ull << 32);
        uint32_t given = (uint32_t)x;
        x ^= x >> 16;
        x = x * 0x7feb352d % (1ull << 32);
        x ^= x >> 15;
        x = x * 0x846ca68b % (1ull << 32);
        x ^= x >> 16;
        assert_int_equal(expr_hash(given), x);
    }
}

static void decimals(void **state)
{
    comes_to_real("half + 1", 1.5);
    comes_to_real("1 + half", 1.5);
    comes_to_real("3 / 2.0", 1.5);
    comes_to_real("-half", -0.5);
    comes_to_real("1 ? 1 : 0.5", 1);
    comes_to_real("0 ? 0.5 : 1", 1);
    comes_to("half < 1", 1);
    comes_to("1 < half", 0);
    comes_to("half == 0.5", 1);
    comes_to("!half", 0);
    comes_to("half && 1", 1);
    comes_to("0.0 || 0", 0);
    comes_to("half ? 2 : 3", 2);
}

static void overflows(const char *text, const char *sign, int column)
{
    char want[256];
    format_into(want, sizeof want,
                "1:%d: error: overflow: the result of this %s does not fit in 64 bits\n  %s\n%*s^", column,
                sign, text, column + 1, "");
    goes_wrong(text, want);
}

static void what_does_not_fit_is_an_error(void **state)
{
    overflows("9223372036854775807 + 1", "+", 21);
    overflows("least - 1", "-", 7);
    overflows("-least", "-", 1);
    overflows("least / -1", "/", 7);
    overflows("9223372036854775807 * 2", "*", 21);
    overflows("9223372036854775807 * 9223372036854775807", "*", 21);
    overflows("3 << 63", "<<", 3);
    comes_to("9223372036854775806 + 1", INT64_MAX);
    comes_to("least + 1 - 1", INT64_MIN);
    comes_to("least % -1", 0);
    comes_to("1 << 63", INT64_MIN); // a bit
    comes_to("-1 << 4", -16);
    comes_to("-1 << 63", INT64_MIN);
    comes_to("0 ? 9223372036854775807 * 2 : 6", 6);
    comes_to("zero && -least", 0);
}

static void skips_what_is_not_used(void **state)
{
    comes_to("zero != 0 && n / zero > 1", 0);
    comes_to("zero == 0 || n / zero > 1", 1);
    comes_to("zero ? n % zero : 5", 5);
    comes_to("1 ? 5 : n % zero", 5);
    comes_to("0 ? 1 << 99 : 6", 6);
    comes_to("0 && (1 ? n / zero : 2)", 0);
    comes_to_real("zero ? 1 / 0.0 : half", 0.5);
    goes_wrong("zero == 0 && n / zero > 1", "1:16: error: division by zero\n"
                                            "  zero == 0 && n / zero > 1\n"
                                            "                 ^");
}

static void errors_point(void **state)
{
    goes_wrong("n / (1 - 1)", "1:3: error: division by zero\n"
                              "  n / (1 - 1)\n"
                              "    ^");
    goes_wrong("n %\tzero", "1:3: error: modulo by zero\n"
                            "  n %\tzero\n"
                            "    ^");
    goes_wrong("half / 0.0", "1:6: error: division by zero\n"
                             "  half / 0.0\n"
                             "       ^");
    goes_wrong("1 << 64", "1:3: error: a shift by 64: it can be 0 to 63\n"
                          "  1 << 64\n"
                          "    ^");
    goes_wrong("1 >> -1", "1:3: error: a shift by -1: it can be 0 to 63\n"
                          "  1 >> -1\n"
                          "    ^");
    goes_wrong("n + half % 2", "1:10: error: % needs whole numbers, and here is a decimal\n"
                               "  n + half % 2\n"
                               "           ^");
    goes_wrong("~half", "1:1: error: ~ needs whole numbers, and here is a decimal\n"
                        "  ~half\n"
                        "  ^");
    goes_wrong("hash(half)", "1:1: error: hash needs whole numbers, and here is a decimal\n"
                             "  hash(half)\n"
                             "  ^");
    goes_wrong("2 * ccount", "1:5: error: nothing is called ccount here; did you mean count?\n"
                             "  2 * ccount\n"
                             "      ^");
    goes_wrong("2 * elephants", "1:5: error: nothing is called elephants here\n"
                                "  2 * elephants\n"
                                "      ^");
    goes_wrong(
        "hassh(2)",
        "1:1: error: there is no function hassh here; there are hash, min and max: did you mean hash?\n"
        "  hassh(2)\n"
        "  ^");
    goes_wrong("min(2)", "1:6: error: expected ',' and a second value\n"
                         "  min(2)\n"
                         "       ^");
    goes_wrong("hash(2, 3)", "1:7: error: expected ')' after the last value\n"
                             "  hash(2, 3)\n"
                             "        ^");
}

static void more_errors_point(void **state)
{
    goes_wrong("", "1:1: error: expected a value: a number, a name or '('");
    goes_wrong("2 +", "1:4: error: expected a value: a number, a name or '('\n"
                      "  2 +\n"
                      "     ^");
    goes_wrong("(2 + 3", "1:7: error: expected ')' to close the parenthesis\n"
                         "  (2 + 3\n"
                         "        ^");
    goes_wrong("1 ? 2", "1:6: error: expected ':' and the value for 'otherwise'\n"
                        "  1 ? 2\n"
                        "       ^");
    goes_wrong("1 2", "1:3: error: the expression should end here\n"
                      "  1 2\n"
                      "    ^");
    goes_wrong("n >>> 2", "1:3: error: the expression should end here\n"
                          "  n >>> 2\n"
                          "    ^");
    goes_wrong("n = 2", "1:3: error: the expression should end here\n"
                        "  n = 2\n"
                        "    ^");
    goes_wrong("12ab", "1:3: error: this does not belong to a number\n"
                       "  12ab\n"
                       "    ^");
    goes_wrong("08", "1:2: error: this does not belong to a number\n"
                     "  08\n"
                     "   ^");
    goes_wrong("1.2.3", "1:4: error: this does not belong to a number\n"
                        "  1.2.3\n"
                        "     ^");
    goes_wrong("0x", "1:3: error: expected a digit of base 16\n"
                     "  0x\n"
                     "    ^");
    goes_wrong("1e999", "1:1: error: this number is too large for a double\n"
                        "  1e999\n"
                        "  ^");
    goes_wrong("9223372036854775808", "1:1: error: this number does not fit in 64 bits with a sign\n"
                                      "  9223372036854775808\n"
                                      "  ^");
    goes_wrong("1 + 0x1ffffffffffffffff", "1:5: error: this number does not fit in 64 bits\n"
                                          "  1 + 0x1ffffffffffffffff\n"
                                          "      ^");
    goes_wrong("n + \xc3\xa9", "1:5: error: expected a value: a number, a name or '('\n"
                               "  n + \xc3\xa9\n"
                               "      ^");
}

// `times` copies of `piece`, then `end`; the caller frees.
static char *repeated(const char *piece, int times, const char *end)
{
    struct text text = { 0 };
    for (int i = 0; i < times; i++)
        text_add(&text, piece);
    text_add(&text, end);
    return text_take(&text);
}

static void hostile_text_is_an_error(void **state)
{
    static const char *const pieces[] = {
        "(",       "-",    "1 ? 1 : ",           "1 + (", "1 ? ", "hash(", "1||(", "!(~-",
        "min(1, ", "max(", "1|1^1&1==1<1<<1+1*("
    };
    for (size_t i = 0; i < sizeof pieces / sizeof pieces[0]; i++) {
        char *text = repeated(pieces[i], 100000, "1");
        struct error error = { 0 };
        struct expr_value value;
        assert_false(expr_eval_text(text, &names, &value, &error));
        assert_non_null(strstr(error.text, "nested too deeply"));
        free(text);
    }
    char *name = repeated("x", 100000, "");
    struct error error = { 0 };
    struct expr_value value;
    assert_false(expr_eval_text(name, &names, &value, &error));
    assert_true(strlen(error.text) < 200);
    free(name);
}

static void long_chains_are_fine(void **state)
{
    char *sum = repeated("1 + ", 100000, "1");
    comes_to(sum, 100001);
    free(sum);
    char *logic = repeated("1 && ", 10000, "n");
    comes_to(logic, 1);
    free(logic);
}

static void ends_where_the_line_does(void **state)
{
    const struct source source = { "file", "n / 2\n+ 3" };
    const char *at = source.text;
    struct error error;
    struct expr_value value;
    struct expr *expr = expr_parse(&source, &at, NULL, &error);
    assert_non_null(expr);
    assert_true(*at == '\n');
    assert_true(expr_eval(expr, &names, &value, &error));
    assert_int_equal(value.i, 500);
    expr_free(expr);
}

// ---- parameters ---------------------------------------------------------------------------------

static void parameters_own_their_names(void **state)
{
    char name[] = "n";
    struct expr_params params = { 0 }, copy;
    struct error error;
    struct expr_value value;
    assert_true(expr_params_add(&params, name, value_int(6)));
    name[0] = 'x';
    assert_true(expr_params_add(&params, name, value_real(0.5)));
    expr_params_copy(&copy, &params);
    assert_ptr_not_equal(copy.bindings[0].name, params.bindings[0].name);
    expr_params_free(&params);
    assert_int_equal(params.count, 0);
    struct expr_scope scope = expr_params_scope(&copy);
    assert_true(expr_eval_text("n * x", &scope, &value, &error));
    assert_true(value.real && value.r == 3);
    expr_params_free(&copy);
}

static void parameters_that_are_full_take_no_more(void **state)
{
    struct expr_params params = { 0 };
    for (int i = 0; i < EXPR_PARAMS; i++)
        assert_true(expr_params_add(&params, "n", value_int(i)));
    assert_false(expr_params_add(&params, "n", value_int(99)));
    assert_int_equal(params.count, EXPR_PARAMS);
    expr_params_free(&params);
}

// ---- filling ------------------------------------------------------------------------------------

static bool fill(const char *text, struct type type, size_t count, void *out, struct error *error)
{
    const struct source source = { "expression", text };
    const char *at = text;
    struct expr *expr = expr_parse(&source, &at, NULL, error);
    assert_non_null(expr);
    struct leaf leaves[4];
    for (int lane = 0; lane < type.lanes; lane++)
        leaves[lane] =
            (struct leaf){ .scalar = type.scalar, .offset = (size_t)lane * scalar_size(type.scalar) };
    const struct expr_places places = { leaves, (size_t)type.lanes, type_size(type) };
    bool done = expr_fill(expr, &names, &places, 0, count, out, error);
    expr_free(expr);
    return done;
}

static void fills_by_index(void **state)
{
    enum { COUNT = 100003 }; // several blocks, the last one not whole, and several threads
    int *out = malloc(COUNT * sizeof *out);
    struct error error;
    assert_non_null(out);
    assert_true(
        fill("i % 7 ? i * 3 - n : hash(i) & 4095", (struct type){ SCALAR_INT, 1 }, COUNT, out, &error));
    for (int i = 0; i < COUNT; i++)
        assert_int_equal(out[i], i % 7 ? i * 3 - 1000 : (int)(expr_hash((uint32_t)i) & 4095));
    free(out);
}

static void fills_every_type(void **state)
{
    struct error error;
    unsigned char bytes[300];
    assert_true(fill("i", (struct type){ SCALAR_UCHAR, 1 }, 300, bytes, &error));
    assert_int_equal(bytes[299], 43);
    signed char chars[3];
    assert_true(fill("126 + i", (struct type){ SCALAR_CHAR, 1 }, 3, chars, &error));
    assert_int_equal(chars[2], -128);
    short shorts[2];
    assert_true(fill("-i", (struct type){ SCALAR_SHORT, 1 }, 2, shorts, &error));
    assert_int_equal(shorts[1], -1);
    unsigned words[2];
    assert_true(fill("-1.9", (struct type){ SCALAR_UINT, 1 }, 2, words, &error));
    assert_int_equal(words[0], UINT32_MAX);
    long long wide[2];
    assert_true(fill("i << 40", (struct type){ SCALAR_LLONG, 1 }, 2, wide, &error));
    assert_true(wide[1] == 1ll << 40);
    unsigned long long most[1];
    assert_true(fill("1e19", (struct type){ SCALAR_ULLONG, 1 }, 1, most, &error));
    assert_true(most[0] == 10000000000000000000ull);
    float floats[5];
    assert_true(fill("i / 4.0", (struct type){ SCALAR_FLOAT, 1 }, 5, floats, &error));
    assert_true(floats[3] == 0.75f);
    double doubles[2];
    assert_true(fill("i + 1", (struct type){ SCALAR_DOUBLE, 1 }, 2, doubles, &error));
    assert_true(doubles[1] == 2);
}

static void fills_every_lane(void **state)
{
    struct error error;
    float floats[4 * 300];
    assert_true(fill("i * 0.5", (struct type){ SCALAR_FLOAT, 4 }, 300, floats, &error));
    for (int i = 0; i < 1200; i++)
        assert_true(floats[i] == (float)(i - i % 4) * 0.125f);
    unsigned char bytes[3 * 5];
    assert_true(fill("i + 250", (struct type){ SCALAR_UCHAR, 3 }, 5, bytes, &error));
    for (int i = 0; i < 15; i++)
        assert_int_equal(bytes[i], 250 + i / 3);
}

static void filling_errors_name_the_first_element(void **state)
{
    enum { COUNT = 200000 };
    int *out = malloc(COUNT * sizeof *out);
    struct error error;
    assert_non_null(out);
    assert_false(fill("n / (i % 70000 - 69999)", (struct type){ SCALAR_INT, 1 }, COUNT, out, &error));
    assert_string_equal(error.text, "expression:1:3: error: division by zero where i is 69999\n"
                                    "  n / (i % 70000 - 69999)\n"
                                    "    ^");
    // Element 20 has none at the division, but 2 is the first without a result, at the shift.
    assert_false(
        fill("1 << (i == 2 ? 64 : 0) | 1 / (i - 20)", (struct type){ SCALAR_INT, 1 }, COUNT, out, &error));
    assert_non_null(strstr(error.text, "expression:1:3: error: a shift by 64 where i is 2:"));
    assert_false(
        fill("1 / (i - 20) | 1 << (i == 2 ? 64 : 0)", (struct type){ SCALAR_INT, 1 }, COUNT, out, &error));
    assert_non_null(strstr(error.text, "expression:1:18: error: a shift by 64 where i is 2:"));
    assert_true(fill("i % 3 == 0 ? 0 : i / (i % 3)", (struct type){ SCALAR_INT, 1 }, COUNT, out, &error));
    assert_int_equal(out[8], 4);
    assert_true(fill("i > 5 && 10 / (i - 5) > 2", (struct type){ SCALAR_INT, 1 }, COUNT, out, &error));
    assert_int_equal(out[5], 0);
    assert_int_equal(out[6], 1);
    assert_int_equal(out[60], 0);
    free(out);
}

static void index_is_known_only_when_filling(void **state)
{
    goes_wrong("k + i", "1:1: error: nothing is called k here; did you mean n?\n"
                        "  k + i\n"
                        "  ^");
    struct error error;
    int out[1];
    assert_false(fill("ii", (struct type){ SCALAR_INT, 1 }, 1, out, &error));
    assert_non_null(strstr(error.text, "did you mean i?"));
}

// ---- types --------------------------------------------------------------------------------------

static void type_is(const char *text, size_t used, enum scalar scalar, int lanes)
{
    struct type type;
    size_t got = type_parse(text, &type);
    assert_int_equal(got, used);
    assert_int_equal(type.scalar, scalar);
    assert_int_equal(type.lanes, lanes);
}

// Every number of a type is rounded to itself, and what lies in the middle between two goes to the even one.
static void narrow_numbers_are_rounded_to_the_nearest(void **state)
{
    for (int scalar = SCALAR_HALF; scalar <= SCALAR_E5M2; scalar++) {
        enum scalar s = (enum scalar)scalar;
        unsigned sign = 1u << (8 * scalar_size(s) - 1), bits = 0;
        for (; bits < sign && isfinite(narrow_value(s, &bits)); bits++) {
            unsigned next = bits + 1, got = 0;
            double value = narrow_value(s, &bits), above = narrow_value(s, &next);
            narrow_round(s, value, &got);
            assert_int_equal(got, bits);
            narrow_round(s, -value, &got);
            assert_int_equal(got, bits ? bits | sign : sign);
            if (!isfinite(above))
                continue;
            assert_true(above > value);
            narrow_round(s, (value + above) / 2, &got);
            assert_int_equal(got, bits % 2 ? next : bits);
            assert_true(bits < 1u << (scalar_size(s) == 2 ? 10 : 3) ||
                        above - value <= value * narrow_step(s));
        }
        assert_true(bits > sign / 2);
    }
}

static void narrow_is(enum scalar scalar, double value, unsigned want)
{
    unsigned got = 0;
    narrow_round(scalar, value, &got);
    assert_int_equal(got, want);
}

// Bits as CUDA's conversions of these numbers have them.
static void narrow_numbers_have_the_bits_of_cuda(void **state)
{
    narrow_is(SCALAR_HALF, 1, 0x3c00);
    narrow_is(SCALAR_HALF, -0.1, 0xae66);
    narrow_is(SCALAR_HALF, 65504, 0x7bff);
    narrow_is(SCALAR_HALF, 65520, 0x7c00);
    narrow_is(SCALAR_HALF, 1e9, 0x7c00);
    narrow_is(SCALAR_HALF, 0x1p-24, 1);
    narrow_is(SCALAR_BFLOAT16, 3.14159, 0x4049);
    narrow_is(SCALAR_BFLOAT16, 1e39, 0x7f80);
    narrow_is(SCALAR_E4M3, 1, 0x38);
    narrow_is(SCALAR_E4M3, 448, 0x7e);
    narrow_is(SCALAR_E4M3, -1000, 0xfe);
    narrow_is(SCALAR_E4M3, INFINITY, 0x7e);
    narrow_is(SCALAR_E4M3, NAN, 0x7f);
    narrow_is(SCALAR_E5M2, 57344, 0x7b);
    narrow_is(SCALAR_E5M2, 1e6, 0x7b);
    uint16_t halves[6];
    struct error error;
    assert_true(fill("i / 2.0", (struct type){ SCALAR_HALF, 2 }, 3, halves, &error));
    assert_int_equal(halves[3], 0x3800);
    assert_int_equal(halves[4], 0x3c00);
}

static void types(void **state)
{
    type_is("char", 4, SCALAR_CHAR, 1);
    type_is("unsigned char[n]", 13, SCALAR_UCHAR, 1);
    type_is("unsigned", 8, SCALAR_UINT, 1);
    type_is("unsigned int", 12, SCALAR_UINT, 1);
    type_is("unsigned  long\tlong [n]", 19, SCALAR_ULLONG, 1);
    type_is("long long", 9, SCALAR_LLONG, 1);
    type_is("short[", 5, SCALAR_SHORT, 1);
    type_is("int4[n / 4]", 4, SCALAR_INT, 4);
    type_is("uint3", 5, SCALAR_UINT, 3);
    type_is("uchar4", 6, SCALAR_UCHAR, 4);
    type_is("float2", 6, SCALAR_FLOAT, 2);
    type_is("double2", 7, SCALAR_DOUBLE, 2);
    type_is("longlong2", 9, SCALAR_LLONG, 2);
    type_is("half[n]", 4, SCALAR_HALF, 1);
    type_is("half2", 5, SCALAR_HALF, 2);
    type_is("__half2", 7, SCALAR_HALF, 2);
    type_is("__nv_bfloat16[n]", 13, SCALAR_BFLOAT16, 1);
    type_is("__nv_bfloat162[n]", 14, SCALAR_BFLOAT16, 2);
    type_is("__nv_fp8_e4m3", 13, SCALAR_E4M3, 1);
    type_is("__nv_fp8_e5m2", 13, SCALAR_E5M2, 1);
    type_is("unsigned short", 14, SCALAR_USHORT, 1);
    type_is("ushort4[n]", 7, SCALAR_USHORT, 4);
    type_is("uint16_t", 8, SCALAR_USHORT, 1);
    type_is("uint8_t[n]", 7, SCALAR_UCHAR, 1);
    type_is("bool", 4, SCALAR_UCHAR, 1);
    type_is("long", 4, SCALAR_LLONG, 1);
    type_is("size_t", 6, SCALAR_ULLONG, 1);
    static const char *const none[] = { "",      "longs", "int5", "int1",  "int44",         "floats",
                                        "sizes", "Float", " int", "half4", "__nv_fp8_e4m32" };
    struct type type;
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++)
        assert_int_equal(type_parse(none[i], &type), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(literals),
        cmocka_unit_test(decimals_in_any_locale),
        cmocka_unit_test(precedence),
        cmocka_unit_test(functions_and_names),
        cmocka_unit_test(hash_is_as_documented),
        cmocka_unit_test(decimals),
        cmocka_unit_test(what_does_not_fit_is_an_error),
        cmocka_unit_test(skips_what_is_not_used),
        cmocka_unit_test(errors_point),
        cmocka_unit_test(more_errors_point),
        cmocka_unit_test(hostile_text_is_an_error),
        cmocka_unit_test(long_chains_are_fine),
        cmocka_unit_test(ends_where_the_line_does),
        cmocka_unit_test(parameters_own_their_names),
        cmocka_unit_test(parameters_that_are_full_take_no_more),
        cmocka_unit_test(fills_by_index),
        cmocka_unit_test(fills_every_type),
        cmocka_unit_test(fills_every_lane),
        cmocka_unit_test(filling_errors_name_the_first_element),
        cmocka_unit_test(index_is_known_only_when_filling),
        cmocka_unit_test(types),
        cmocka_unit_test(narrow_numbers_are_rounded_to_the_nearest),
        cmocka_unit_test(narrow_numbers_have_the_bits_of_cuda),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
