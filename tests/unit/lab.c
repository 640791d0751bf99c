// Labs: sizes are planned before anything is allocated, every CPU implementation agrees with the reference at
// round and at awkward sizes, and parameters that make no sense are refused with a sentence.
#include "engine/run/worker.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

// Nothing larger is filled here, so that the tests stay quick.
static const double most_bytes = 64 << 20;

static double host_bytes(const struct problem *problem)
{
    struct budget_need need = { 0 };
    budget_add_problem(&need, problem, NULL, false);
    return need.bytes;
}

// ---- comparing ----------------------------------------------------------------------------------

static double real_at(const struct problem_buffer *buffer, const void *data, size_t i)
{
    enum scalar scalar = buffer->type.scalar;
    return scalar == SCALAR_FLOAT    ? ((const float *)data)[i]
           : scalar == SCALAR_DOUBLE ? ((const double *)data)[i]
                                     : narrow_value(scalar, (const char *)data + i * scalar_size(scalar));
}

static bool matches(const struct problem_buffer *buffer, const void *got)
{
    if (!scalar_is_real(buffer->type.scalar))
        return memcmp(got, buffer->want, buffer->bytes) == 0;
    for (size_t i = 0; i < buffer->count * (size_t)buffer->type.lanes; i++) {
        double want = real_at(buffer, buffer->want, i);
        double bound = buffer->tolerance.absolute + buffer->tolerance.relative * fabs(want);
        if (!(fabs(real_at(buffer, got, i) - want) <= bound))
            return false;
    }
    return true;
}

// ---- running ------------------------------------------------------------------------------------

static void *work_for(const struct problem_buffer *buffer)
{
    if (buffer->direction == BUFFER_IN)
        return buffer->input;
    void *work = malloc(buffer->bytes);
    assert_non_null(work);
    if (buffer->input)
        memcpy(work, buffer->input, buffer->bytes);
    else
        memset(work, 0xff, buffer->bytes); // NaN for decimals
    return work;
}

static void describe(const struct problem *problem, char *out, size_t size)
{
    struct text text = { 0 };
    text_add(&text, problem->lab->name);
    for (size_t p = 0; p < problem->params.count; p++)
        text_addf(&text, " %s=%lld", problem->params.bindings[p].name,
                  (long long)problem->params.bindings[p].value.i);
    format_into(out, size, "%s, %s", text.data, problem->data);
    text_free(&text);
}

static void run_cpu(const struct problem *problem, const struct cpu_variant *cpu)
{
    char where[200];
    void *work[LAB_BUFFERS];
    describe(problem, where, sizeof where);
    for (size_t b = 0; b < problem->buffer_count; b++)
        work[b] = work_for(&problem->buffers[b]);
    cpu->run(problem, work);
    for (size_t b = 0; b < problem->buffer_count; b++) {
        const struct problem_buffer *buffer = &problem->buffers[b];
        if (buffer->want && !matches(buffer, work[b]))
            fail_msg("%s: %s differs from the reference in %s", where, cpu->name, buffer->name);
        if (buffer->direction != BUFFER_IN)
            free(work[b]);
    }
}

// Runs the whole CPU ladder at this size; false when the lab refuses it or it is too large for a test.
static bool run_ladder(const struct lab *lab, const int64_t *params, const char *data)
{
    struct problem problem;
    struct error error = { 0 };
    if (!problem_plan(&problem, lab, params, data, &error)) {
        assert_int_equal(error.code, EXIT_USAGE);
        assert_true(strlen(error.text) > 20);
        return false;
    }
    bool small = host_bytes(&problem) <= most_bytes;
    if (small) {
        if (!problem_fill(&problem, NULL, &error))
            fail_msg("%s: %s", lab->name, error.text);
        for (size_t c = 0; c < lab->cpu_count; c++)
            run_cpu(&problem, &lab->cpu[c]);
    }
    problem_free(&problem);
    return small;
}

// ---- labs ---------------------------------------------------------------------------------------

static void presets_plan(void **state)
{
    for (size_t l = 0; l < lab_count; l++) {
        const struct lab *lab = lab_list[l];
        assert_string_equal(lab->presets[0].name, "small");
        assert_string_equal(lab->presets[1].name, "full");
        for (size_t p = 0; p < LAB_PRESETS && lab->presets[p].name; p++) {
            struct problem problem;
            struct error error;
            if (!problem_plan(&problem, lab, lab->presets[p].value, NULL, &error))
                fail_msg("%s: %s", lab->name, error.text);
            assert_true(problem.bytes > 0 && problem.operations > 0);
            assert_true(problem.buffer_count >= 2 && host_bytes(&problem) > 0);
            assert_string_equal(problem.data, lab->data[0]);
            problem_free(&problem);
        }
    }
}

static void labs_are_described(void **state)
{
    for (size_t l = 0; l < lab_count; l++) {
        const struct lab *lab = lab_list[l];
        assert_ptr_equal(lab_find(lab->name), lab);
        assert_true(strlen(lab->about) > 40 && strlen(lab->title) > 5);
        assert_non_null(lab->params_help[0]);
        assert_true(lab->cpu_count ? !lab->no_cpu : lab->no_cpu != NULL);
        for (size_t b = 0; b < LAB_BUFFERS && lab->buffers[b].name; b++) {
            struct tolerance tolerance = lab->buffers[b].tolerance;
            assert_true(tolerance.reason || (tolerance.absolute == 0 && tolerance.relative == 0));
        }
    }
    assert_null(lab_find("histogramm"));
    assert_null(lab_preset_find(lab_find("vecadd"), "huge"));
    assert_int_equal(lab_param_index(lab_find("divergence"), "rounds"), 1);
    assert_int_equal(lab_param_index(lab_find("divergence"), "m"), -1);
}

static void ladders_agree_on_every_distribution(void **state)
{
    for (size_t l = 0; l < lab_count; l++)
        for (size_t d = 0; d < LAB_DATA && lab_list[l]->data[d]; d++)
            assert_true(run_ladder(lab_list[l], lab_list[l]->presets[0].value, lab_list[l]->data[d]));
}

// Each parameter in turn takes every size while the others stay at an odd one.
static void ladders_agree_at_awkward_sizes(void **state)
{
    static const int64_t sizes[] = { 1,   2,   3,   31,   32,   33,   63,   65,    96,
                                     127, 255, 257, 1000, 1056, 4099, 8224, 786432 };
    for (size_t l = 0; l < lab_count; l++) {
        const struct lab *lab = lab_list[l];
        size_t ran = 0;
        for (size_t p = 0; p < LAB_PARAMS && lab->params[p]; p++)
            for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
                int64_t params[LAB_PARAMS] = { 33, 33, 33, 33 };
                params[p] = sizes[s];
                ran += run_ladder(lab, params, NULL);
            }
        assert_true(ran > 0);
    }
}

// Of the lab that a learner's first kernel is judged by: no two sums are the same, and each is a small number.
static void the_first_sums_are_checked_in_the_head(void **state)
{
    const int64_t n = 1000;
    struct problem problem;
    struct error error;
    assert_true(problem_plan(&problem, lab_list[0], &n, NULL, &error));
    assert_true(problem_fill(&problem, NULL, &error));
    const double *want = problem_buffer_find(&problem, "c")->want;
    assert_string_equal(lab_list[0]->name, "vecadd");
    assert_true(want[0] == 1 && want[256] == 513);
    for (int64_t i = 1; i < n; i++)
        assert_true(want[i] > want[i - 1]);
    problem_free(&problem);
}

static void senseless_sizes_are_refused(void **state)
{
    static const int64_t senseless[] = { 0, -1, INT64_MIN, INT64_MAX, (int64_t)1 << 40 };
    for (size_t l = 0; l < lab_count; l++)
        for (size_t p = 0; p < LAB_PARAMS && lab_list[l]->params[p]; p++)
            for (size_t s = 0; s < sizeof senseless / sizeof *senseless; s++) {
                int64_t params[LAB_PARAMS];
                memcpy(params, lab_list[l]->presets[0].value, sizeof params);
                if (params[p] == senseless[s])
                    continue; // a switch, which is off
                params[p] = senseless[s];
                assert_false(run_ladder(lab_list[l], params, NULL));
            }
}

static void unknown_data_is_refused(void **state)
{
    struct problem problem;
    struct error error;
    const struct lab *lab = lab_find("histogram");
    assert_false(problem_plan(&problem, lab, lab->presets[0].value, "skew", &error));
    assert_int_equal(error.code, EXIT_USAGE);
    assert_string_equal(error.text,
                        "The lab histogram has no data 'skew'. It has: uniform, constant, skewed.");
    assert_null(problem.buffers);
}

static void problems_know_their_sizes(void **state)
{
    struct problem problem;
    struct error error;
    const struct lab *lab = lab_find("vecadd");
    assert_true(problem_plan(&problem, lab, lab_preset_find(lab, "full")->value, NULL, &error));
    assert_int_equal(problem_param(&problem, "n"), 1 << 26);
    assert_true(problem.bytes == 24.0 * (1 << 26));
    struct problem_buffer *c = problem_buffer_find(&problem, "c");
    assert_non_null(c);
    assert_int_equal(c->direction, BUFFER_OUT);
    assert_true(c->count == 1 << 26 && c->bytes == (size_t)8 << 26 && !c->input && !c->want);
    assert_null(problem_buffer_find(&problem, "d"));
    assert_true(host_bytes(&problem) == 4 * 8.0 * (1 << 26)); // a, b, the answer, and c itself
    problem_free(&problem);
}

// ---- files that stand alone ---------------------------------------------------------------------

static const char alone[] = "//@ param n = 1 << 4\n"
                            "//@ param half = n / 2\n"
                            "//@ buffer x int[n] = i * half\n"
                            "//@ buffer y float2[half]\n"
                            "//@ launch k<<<1, n>>>(x, y)\n"
                            "__global__ void k(const int *x, float2 *y) {}\n";

static struct variant parse(const char *text)
{
    struct variant variant;
    struct error error;
    if (!variant_parse(&variant, NULL, "alone.cu", text, &error))
        fail_msg("%s", error.text);
    return variant;
}

static void files_get_what_their_lines_say(void **state)
{
    struct variant file = parse(alone);
    struct problem problem;
    struct error error;
    assert_true(problem_plan_file(&problem, &file, NULL, &error));
    assert_true(isnan(problem.bytes) && isnan(problem.operations) && !problem.lab);
    assert_true(problem_fill(&problem, &file, &error));
    assert_int_equal(problem_param(&problem, "half"), 8);
    const struct problem_buffer *x = problem_buffer_find(&problem, "x"),
                                *y = problem_buffer_find(&problem, "y");
    assert_true(x->count == 16 && x->direction == BUFFER_INOUT && !x->want);
    assert_int_equal(((const int *)x->input)[15], 15 * 8);
    assert_true(y->count == 8 && y->bytes == 64 && !y->input && !y->want);
    variant_free(&file);
    assert_string_equal(problem.params.bindings[1].name, "half"); // the problem outlives its file
    problem_free(&problem);
}

static void given_parameters_replace_the_files(void **state)
{
    struct variant file = parse(alone);
    struct expr_binding n = { "n", value_int(6) }, misspelt = { "N", value_int(6) };
    struct expr_scope given = { &n, 1 }, wrong = { &misspelt, 1 };
    struct problem problem;
    struct error error;
    assert_true(problem_plan_file(&problem, &file, &given, &error));
    assert_int_equal(problem_buffer_find(&problem, "y")->count, 3);
    problem_free(&problem);
    assert_false(problem_plan_file(&problem, &file, &wrong, &error));
    assert_string_equal(error.text,
                        "alone.cu has no parameter 'N'. Its //@ param lines declare its parameters.");
    variant_free(&file);
}

// Sizes of 0, below 0, and so large that their bytes overflow.
static void senseless_buffers_point_at_their_line(void **state)
{
    static const int64_t senseless[] = { 0, -8, INT64_MAX };
    struct variant file = parse(alone);
    for (size_t s = 0; s < sizeof senseless / sizeof *senseless; s++) {
        struct expr_binding n = { "n", value_int(senseless[s]) };
        struct expr_scope given = { &n, 1 };
        struct problem problem;
        struct error error;
        assert_false(problem_plan_file(&problem, &file, &given, &error));
        assert_int_equal(error.code, EXIT_USAGE);
        assert_true(string_starts(error.text, "alone.cu:3:12: error: The buffer x would have "));
        assert_null(problem.buffers);
    }
    variant_free(&file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(presets_plan),
        cmocka_unit_test(labs_are_described),
        cmocka_unit_test(ladders_agree_on_every_distribution),
        cmocka_unit_test(ladders_agree_at_awkward_sizes),
        cmocka_unit_test(the_first_sums_are_checked_in_the_head),
        cmocka_unit_test(senseless_sizes_are_refused),
        cmocka_unit_test(unknown_data_is_refused),
        cmocka_unit_test(problems_know_their_sizes),
        cmocka_unit_test(files_get_what_their_lines_say),
        cmocka_unit_test(given_parameters_replace_the_files),
        cmocka_unit_test(senseless_buffers_point_at_their_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
