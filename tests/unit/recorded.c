// The results that ship belong to the very code that ships, and are found for nothing else.
#include "engine/run/run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct variant *variant_of(const struct ladder *ladder, const char *name)
{
    for (size_t i = 0; i < ladder->count; i++)
        if (strcmp(ladder->variants[i].name, name) == 0)
            return &ladder->variants[i];
    return NULL;
}

// A library has no code of ours.
static bool is_of_library(const struct lab *lab, const struct record *record)
{
    return lab->library && strcmp(lab->library->name, record->variant) == 0 && !record->code;
}

static void expect_fresh(const char *path, const struct lab *lab, const struct ladder *ladder,
                         const struct record *record)
{
    char code[20] = "no file";
    const struct variant *variant = variant_of(ladder, record->variant);
    if (variant)
        format_into(code, sizeof code, "%016llx", (unsigned long long)variant_code(variant));
    if (!is_of_library(lab, record) && (!record->code || strcmp(code, record->code) != 0))
        fail_msg("%s holds results of other code for %s: take its lines out, or run tests/gpu.sh on a GPU",
                 path, record->variant);
    assert_int_equal(record->status, STATUS_RIGHT);
    assert_int_equal(record->backend, ON_GPU);
    assert_non_null(record->device);
    assert_int_equal(strlen(record->date), 20);
    assert_true(record->median_ms > 0);
    assert_true(record->compared > 0);
}

// Every line of a lab's file is a record of the code that ships; returns how many there are.
static size_t expect_all_fresh(const struct lab *lab)
{
    struct ladder ladder;
    struct error error;
    struct text name = { 0 }, text = { 0 };
    size_t count = 0;
    text_addf(&name, "assets/recorded/%s.jsonl", lab->name);
    char *path = path_shipped(text_string(&name));
    assert_true(ladder_read(lab->name, &ladder, &error));
    char *rest = file_read(path, &text, &error) ? text.data : NULL; // a lab may have none yet
    for (char *line; (line = strsep(&rest, "\n")) && *line; count++) {
        struct record record;
        json_t *json = json_loads(line, 0, NULL);
        if (!json || !record_from_json(&record, json, &error)) {
            fail_msg("%s: line %zu is no record", path, count + 1);
            break;
        }
        expect_fresh(path, lab, &ladder, &record);
        record_free(&record);
        json_decref(json);
    }
    ladder_free(&ladder);
    text_free(&text);
    text_free(&name);
    free(path);
    return count;
}

static void no_result_is_of_other_code(void **state)
{
    size_t count = 0;
    for (size_t l = 0; l < lab_count; l++)
        count += expect_all_fresh(lab_list[l]);
    assert_true(count > 0);
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

    assert_true(expr_params_add(&request.params, "n", value_int(1000)));
    assert_false(recorded_find(&request, variant, &record));
    expr_params_free(&request.params);
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

static void a_library_has_its_own_by_name(void **state)
{
    struct error error;
    struct ladder ladder;
    struct record record;
    struct request request = { .on = ON_GPU, .lab = (char *)"matmul", .variant = (char *)"cublas" };
    assert_true(recorded_find(&request, NULL, &record));
    assert_string_equal(record.title, "cuBLAS, SGEMM");
    record_free(&record);
    request.variant = (char *)"cub"; // of other labs
    assert_false(recorded_find(&request, NULL, &record));
    request.variant = (char *)"9-pipeline"; // has code, and no file is given
    assert_false(recorded_find(&request, NULL, &record));
    assert_true(ladder_read("matmul", &ladder, &error));
    request.variant = (char *)"cublas"; // the code decides
    assert_true(recorded_find(&request, &ladder.variants[0], &record));
    assert_string_equal(record.variant, ladder.variants[0].name);
    record_free(&record);
    ladder_free(&ladder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_result_is_of_other_code),
        cmocka_unit_test(other_sizes_and_other_code_have_none),
        cmocka_unit_test(a_library_has_its_own_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
