// The check catches a wrong answer of every kind, and names the first.
#include "engine/run/run.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum { COUNT = 1000 };

static struct compare_result check_ints(const int *got, const int *want)
{
    struct problem_buffer buffer = { .name = "out",
                                     .type = { SCALAR_INT, 1 },
                                     .direction = BUFFER_OUT,
                                     .count = COUNT,
                                     .bytes = COUNT * sizeof(int),
                                     .want = (void *)want };
    struct compare_result check = { 0 };
    compare_piece(&check, &buffer, got, 0, buffer.bytes);
    return check;
}

static struct compare_result check_floats(const float *got, const float *want, struct tolerance tolerance)
{
    struct problem_buffer buffer = { .name = "out",
                                     .type = { SCALAR_FLOAT, 1 },
                                     .direction = BUFFER_OUT,
                                     .tolerance = tolerance,
                                     .count = COUNT,
                                     .bytes = COUNT * sizeof(float),
                                     .want = (void *)want };
    struct compare_result check = { 0 };
    compare_piece(&check, &buffer, got, 0, buffer.bytes);
    return check;
}

static void equal_answers_are_right(void **state)
{
    int want[COUNT];
    for (int i = 0; i < COUNT; i++)
        want[i] = i;
    struct compare_result check = check_ints(want, want);
    assert_int_equal(check.compared, COUNT);
    assert_int_equal(check.wrong, 0);
    assert_string_equal(check.buffer, "");
}

static void every_single_wrong_element_is_caught(void **state)
{
    int want[COUNT] = { 0 }, got[COUNT] = { 0 };
    for (int i = 0; i < COUNT; i++) {
        got[i] = 1;
        struct compare_result check = check_ints(got, want);
        assert_int_equal(check.wrong, 1);
        assert_int_equal(check.index, i);
        got[i] = 0;
    }
}

static void the_first_wrong_element_is_named(void **state)
{
    int want[COUNT] = { 0 }, got[COUNT] = { 0 };
    got[700] = 5;
    got[42] = -7;
    struct compare_result check = check_ints(got, want);
    assert_int_equal(check.wrong, 2);
    assert_string_equal(check.buffer, "out");
    assert_int_equal(check.index, 42);
    assert_string_equal(check.got, "-7");
    assert_string_equal(check.want, "0");
    assert_false(check.never_written);
}

static void what_nobody_wrote_is_said_so(void **state)
{
    int want[COUNT] = { 0 }, got[COUNT] = { 0 };
    memset(&got[99], compare_poison((struct type){ SCALAR_INT, 1 }), sizeof(int));
    struct compare_result check = check_ints(got, want);
    assert_int_equal(check.index, 99);
    assert_true(check.never_written);
}

static void poison_of_decimals_is_not_a_number(void **state)
{
    float f;
    double d;
    memset(&f, compare_poison((struct type){ SCALAR_FLOAT, 1 }), sizeof f);
    memset(&d, compare_poison((struct type){ SCALAR_DOUBLE, 1 }), sizeof d);
    assert_true(isnan(f));
    assert_true(isnan(d));
}

static void a_narrow_answer_may_be_off_by_a_step(void **state)
{
    uint16_t want[COUNT] = { 0 }, got[COUNT] = { 0 };
    want[5] = 0x3c00, got[5] = 0x3c01; // 1, and the next half
    want[6] = 0x3c00, got[6] = 0x3c02;
    memset(&got[7], compare_poison((struct type){ SCALAR_HALF, 1 }), sizeof *got);
    struct problem_buffer buffer = { .name = "out",
                                     .type = { SCALAR_HALF, 1 },
                                     .direction = BUFFER_OUT,
                                     .tolerance = { 1e-6, 0, "a test" },
                                     .count = COUNT,
                                     .bytes = sizeof want,
                                     .want = want };
    struct compare_result check = { 0 };
    compare_piece(&check, &buffer, got, 0, buffer.bytes);
    assert_int_equal(check.wrong, 2);
    assert_int_equal(check.index, 6);
    assert_string_equal(check.got, "1.002");
    buffer.tolerance = (struct tolerance){ 0 }; // exact is exact
    check = (struct compare_result){ 0 };
    compare_piece(&check, &buffer, got, 0, buffer.bytes);
    assert_int_equal(check.wrong, 3);
}

static void not_a_number_never_passes(void **state)
{
    float want[COUNT] = { 0 }, got[COUNT] = { 0 };
    const struct tolerance loose = { 1e300, 1, "anything goes" };
    got[3] = NAN;
    assert_int_equal(check_floats(got, want, loose).wrong, 1);
    want[3] = NAN; // not even where the reference has one
    assert_int_equal(check_floats(got, want, loose).wrong, 1);
    got[3] = 0;
    assert_int_equal(check_floats(got, want, loose).wrong, 1);
}

static void a_bound_holds_from_both_sides(void **state)
{
    float want[COUNT] = { 0 }, got[COUNT] = { 0 };
    const struct tolerance bound = { 0.5, 0, "a test" };
    got[1] = 0.5f;
    got[2] = -0.5f;
    struct compare_result check = check_floats(got, want, bound);
    assert_int_equal(check.wrong, 0);
    assert_float_equal(check.worst, 0.5, 0);
    got[3] = 0.51f;
    got[4] = -0.51f;
    assert_int_equal(check_floats(got, want, bound).wrong, 2);
}

static void exact_means_exact(void **state)
{
    float want[COUNT] = { 0 }, got[COUNT] = { 0 };
    const struct tolerance exact = { 0 };
    got[5] = 1e-30f;
    assert_int_equal(check_floats(got, want, exact).wrong, 1);
    got[5] = -0.0f; // equal as numbers
    assert_int_equal(check_floats(got, want, exact).wrong, 0);
    got[5] = INFINITY;
    assert_int_equal(check_floats(got, want, exact).wrong, 1);
    want[5] = INFINITY;
    assert_int_equal(check_floats(got, want, exact).wrong, 0);
    const struct tolerance loose = { 1e30, 1, "a test" };
    got[5] = -INFINITY;
    assert_int_equal(check_floats(got, want, loose).wrong, 1);
}

static void pieces_count_their_place(void **state)
{
    double want[COUNT], got[COUNT];
    for (int i = 0; i < COUNT; i++)
        want[i] = got[i] = i;
    got[600] = 0;
    struct problem_buffer buffer = { .name = "sum",
                                     .type = { SCALAR_DOUBLE, 2 },
                                     .direction = BUFFER_OUT,
                                     .count = COUNT / 2,
                                     .bytes = sizeof want,
                                     .want = want };
    struct compare_result check = { 0 };
    for (size_t at = 0; at < sizeof got; at += 800)
        compare_piece(&check, &buffer, (const char *)got + at, at, 800);
    assert_int_equal(check.compared, COUNT);
    assert_int_equal(check.wrong, 1);
    assert_int_equal(check.index, 300); // the element of the double2
    assert_string_equal(check.want, "600");
}

static void who_wrote_it_is_said_by_the_owner_line(void **state)
{
    static const char text[] = "//@ param n = 4096\n"
                               "//@ buffer out int[n]\n"
                               "//@ launch f<<<n / 256, 256>>>(out)\n"
                               "//@ owner out <<<i / 256, dim3(i % 16, i / 16 % 16)>>>\n"
                               "extern \"C\" __global__ void f(int *out) {}\n";
    struct variant variant;
    struct error error;
    struct text where = { 0 };
    struct expr_scope scope = { NULL, 0 };
    if (!variant_parse(&variant, NULL, "f.cu", text, &error))
        fail_msg("%s", error.text);
    struct compare_result check = { .wrong = 1, .buffer = "out", .index = 256 * 3 + 37 };
    compare_owner(&check, &variant, &scope, &where);
    assert_string_equal(text_string(&where), "block 3, thread (5, 2)");
    where.length = 0;
    compare_owner(&(struct compare_result){ .wrong = 1, .buffer = "other" }, &variant, &scope, &where);
    compare_owner(&(struct compare_result){ .buffer = "" }, &variant, &scope, &where);
    assert_int_equal(where.length, 0);
    text_free(&where);
    variant_free(&variant);
}

// An answer of `count` ints, in pieces of `piece` of them.
static struct compare_result check_any_order(const int *got, const int *want, int piece)
{
    uint64_t left[COUNT / 64 + 1];
    struct problem_values values = { .below = COUNT, .left = left };
    struct problem_buffer buffer = { .name = "out",
                                     .type = { SCALAR_INT, 1 },
                                     .direction = BUFFER_OUT,
                                     .any_order = true,
                                     .count = COUNT,
                                     .bytes = COUNT * sizeof(int),
                                     .want = (void *)want,
                                     .values = &values };
    struct compare_result check = { 0 };
    for (int at = 0; at < COUNT; at += piece)
        compare_piece(&check, &buffer, got + at, (size_t)at * sizeof *got, (size_t)piece * sizeof *got);
    free(values.again);
    return check;
}

static void any_order_takes_each_value_once(void **state)
{
    int want[COUNT], got[COUNT];
    for (int i = 0; i < COUNT; i++) {
        want[i] = (i * 7 + 3) % COUNT;
        got[i] = COUNT - 1 - i;
    }
    assert_int_equal(check_any_order(got, want, COUNT).wrong, 0);
    assert_int_equal(check_any_order(got, want, 100).wrong, 0);
    const int strange[] = { got[10], -1, COUNT, 1 << 30, INT32_MIN }; // twice, or none of them
    for (size_t s = 0; s < sizeof strange / sizeof *strange; s++) {
        int had = got[900];
        got[900] = strange[s];
        struct compare_result check = check_any_order(got, want, 100);
        assert_int_equal(check.compared, COUNT);
        assert_int_equal(check.wrong, 1);
        assert_int_equal(check.index, 900);
        got[900] = had;
    }
    want[5] = want[6]; // of this one two are to come, and one of what was there no more
    assert_int_equal(check_any_order(got, want, 100).wrong, 1);
    memcpy(got, want, sizeof got);
    got[0] = want[COUNT - 1];
    got[COUNT - 1] = want[0];
    assert_int_equal(check_any_order(got, want, 100).wrong, 0);
    got[7] = want[6]; // the third
    assert_int_equal(check_any_order(got, want, 100).wrong, 1);
}

static void an_order_line_promises_the_order(void **state)
{
    static const char plain[] = "//@ launch f<<<1, 1>>>(out)\n__global__ void f(int *out) {}\n";
    static const char promise[] =
        "//@ order out\n//@ launch f<<<1, 1>>>(out)\n__global__ void f(int *out) {}\n";
    struct problem_buffer buffer = { .name = "out", .any_order = true };
    struct variant variant;
    struct error error;
    assert_true(variant_parse(&variant, "compact", "1-f.cu", plain, &error));
    assert_true(compare_as(&buffer, &variant).any_order);
    variant_free(&variant);
    assert_true(variant_parse(&variant, "compact", "1-f.cu", promise, &error));
    assert_false(compare_as(&buffer, &variant).any_order);
    variant_free(&variant);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_answers_are_right),
        cmocka_unit_test(every_single_wrong_element_is_caught),
        cmocka_unit_test(the_first_wrong_element_is_named),
        cmocka_unit_test(what_nobody_wrote_is_said_so),
        cmocka_unit_test(poison_of_decimals_is_not_a_number),
        cmocka_unit_test(a_narrow_answer_may_be_off_by_a_step),
        cmocka_unit_test(not_a_number_never_passes),
        cmocka_unit_test(a_bound_holds_from_both_sides),
        cmocka_unit_test(exact_means_exact),
        cmocka_unit_test(pieces_count_their_place),
        cmocka_unit_test(who_wrote_it_is_said_by_the_owner_line),
        cmocka_unit_test(any_order_takes_each_value_once),
        cmocka_unit_test(an_order_line_promises_the_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
