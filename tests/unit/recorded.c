// The results that ship: every step of every ladder has one, for the very code that ships with it.
#include "engine/run/run.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void expect_record(const struct lab *lab, const struct variant *variant, const char *preset,
                          const char *data)
{
    struct request request = {
        .on = ON_GPU, .lab = (char *)lab->name, .preset = (char *)preset, .data = (char *)data
    };
    struct record record;
    if (!recorded_find(&request, variant, &record))
        fail_msg("%s/%s has no recorded result for %s and its code as it is now: run tests/gpu.sh on a GPU",
                 lab->name, variant->name, preset);
    assert_string_equal(record.status, "right");
    assert_string_equal(record.variant, variant->name);
    assert_non_null(record.device);
    assert_int_equal(strlen(record.date), 20);
    assert_true(record.median_ms > 0);
    assert_true(record.compared > 0);
    record_free(&record);
}

static void every_step_has_a_result_for_its_code(void **state)
{
    for (size_t l = 0; l < lab_count; l++) {
        const struct lab *lab = lab_list[l];
        struct ladder ladder;
        struct error error;
        assert_true(ladder_read(lab->name, &ladder, &error));
        for (size_t i = 0; i < ladder.count; i++) {
            for (int p = 0; p < LAB_PRESETS && lab->presets[p].name; p++)
                expect_record(lab, &ladder.variants[i], lab->presets[p].name, NULL);
            for (int d = 0; d < LAB_DATA && lab->data[d]; d++)
                expect_record(lab, &ladder.variants[i], "full", lab->data[d]);
        }
        ladder_free(&ladder);
    }
}

static void other_sizes_and_other_code_have_none(void **state)
{
    struct ladder ladder;
    struct error error;
    struct record record;
    struct request request = { .on = ON_GPU, .lab = (char *)"vecadd" };
    assert_true(ladder_read("vecadd", &ladder, &error));
    struct variant *variant = &ladder.variants[0];
    assert_true(recorded_find(&request, variant, &record));
    record_free(&record);

    request.params[0] = (struct binding){ "n", value_int(1000) };
    request.param_count = 1;
    assert_false(recorded_find(&request, variant, &record));
    request.param_count = 0;
    request.preset = (char *)"no such size";
    assert_false(recorded_find(&request, variant, &record));
    request.preset = NULL;

    // Another comment is the same code; another word is not.
    struct variant changed;
    struct text text = { 0 };
    text_addf(&text, "// More words.\n%s", variant->text);
    assert_true(variant_parse(&changed, "vecadd", variant->path, text_string(&text), &error));
    assert_true(recorded_find(&request, &changed, &record));
    record_free(&record);
    variant_free(&changed);
    text_add(&text, "\nstatic __device__ int unused;\n");
    assert_true(variant_parse(&changed, "vecadd", variant->path, text_string(&text), &error));
    assert_false(recorded_find(&request, &changed, &record));
    variant_free(&changed);
    text_free(&text);
    ladder_free(&ladder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_step_has_a_result_for_its_code),
        cmocka_unit_test(other_sizes_and_other_code_have_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
