// Records and requests keep everything on their way through JSON, and refuse what is not theirs.
#include "engine/run/run.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void a_record_survives_its_journey(void **state)
{
    struct record record, again;
    struct error error;
    record_init(&record);
    record.backend = mem_copy("gpu");
    record.status = mem_copy("right");
    record.title = mem_copy("v3 — 日本");
    record.median_ms = 0.181234567890123;
    record.bytes = 536870912;
    record.params = json_pack("{s:i}", "n", 5);
    json_t *json = record_to_json(&record);
    assert_true(record_from_json(&again, json, &error));
    assert_string_equal(again.title, record.title);
    assert_true(again.median_ms == record.median_ms);
    assert_true(again.bytes == record.bytes);
    assert_int_equal(json_integer_value(json_object_get(again.params, "n")), 5);
    json_decref(json);
    record_free(&record);
    record_free(&again);
}

static void what_is_unknown_is_absent(void **state)
{
    struct record record;
    record_init(&record);
    record.backend = mem_copy("cpu");
    record.status = mem_copy("right");
    json_t *json = record_to_json(&record);
    assert_int_equal(json_object_size(json), 2);
    json_decref(json);
    record.spread_pct = 0; // known to be nothing
    json = record_to_json(&record);
    assert_non_null(json_object_get(json, "spread_pct"));
    json_decref(json);
    record_free(&record);
}

static void a_record_of_another_shape_is_refused(void **state)
{
    static const char *const bad[] = { "{}",
                                       "{\"status\":\"right\"}",
                                       "{\"backend\":\"gpu\"}",
                                       "{\"backend\":\"gpu\",\"status\":7}",
                                       "{\"backend\":\"gpu\",\"status\":\"right\",\"median_ms\":\"fast\"}",
                                       "{\"backend\":\"gpu\",\"status\":\"right\",\"params\":3}" };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct record record;
        struct error error = { 0 };
        json_t *json = json_loads(bad[i], 0, NULL);
        assert_false(record_from_json(&record, json, &error));
        assert_true(strlen(error.text) > 10);
        json_decref(json);
    }
}

static void the_check_in_words(void **state)
{
    struct record record;
    struct text words = { 0 };
    record_init(&record);
    record.status = mem_copy("wrong");
    record.wrong = 3;
    record.compared = 1024;
    record.wrong_buffer = mem_copy("c");
    record.wrong_index = 5;
    record.wrong_got = mem_copy("0");
    record.wrong_want = mem_copy("7");
    record.wrong_where = mem_copy("block 0, thread 5");
    record_check_words(&record, &words);
    assert_string_equal(text_string(&words),
                        "3 of 1024 wrong, first c[5]: 0, should be 7 (block 0, thread 5)");
    text_free(&words);
    record_free(&record);
}

static void a_request_survives_its_journey(void **state)
{
    struct request request = { .on = ON_GPU,
                               .lab = (char *)"vecadd",
                               .variant = (char *)"1-one-thread",
                               .file = (char *)"k.cu",
                               .source = (char *)"line one\nline \"two\" — ✓\n",
                               .data = (char *)"uniform",
                               .params = { .bindings = { { "n", { false, 1 << 20, 0 } } }, .count = 1 },
                               .reps = 7,
                               .limit_ms = 1234,
                               .instructions = true };
    struct request again;
    struct error error;
    json_t *json = request_to_json(&request);
    assert_non_null(json);
    assert_true(request_from_json(&again, json, &error));
    assert_int_equal(again.on, ON_GPU);
    assert_string_equal(again.source, request.source);
    assert_null(again.preset);
    assert_int_equal(again.params.count, 1);
    assert_int_equal(value_as_int(again.params.bindings[0].value), 1 << 20);
    assert_int_equal(again.reps, 7);
    assert_int_equal(again.limit_ms, 1234);
    assert_true(again.instructions);
    json_decref(json);
    request_free(&again);
}

static void a_request_that_lacks_something_is_refused(void **state)
{
    static const char *const bad[] = { "{}",
                                       "[]",
                                       "{\"on\":\"tpu\"}",
                                       "{\"on\":\"gpu\",\"lab\":\"x\"}",
                                       "{\"on\":\"cpu\",\"lab\":\"x\"}",
                                       "{\"on\":3}",
                                       "{\"on\":\"gpu\",\"source\":\"\",\"params\":[1]}",
                                       "{\"on\":\"gpu\",\"source\":\"\",\"reps\":-4}",
                                       "{\"on\":\"gpu\",\"source\":\"\",\"params\":{\"n\":\"many\"}}" };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct request request;
        struct error error = { 0 };
        json_t *json = json_loads(bad[i], 0, NULL);
        assert_false(request_from_json(&request, json, &error));
        assert_true(strlen(error.text) > 10);
        json_decref(json);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_record_survives_its_journey),
        cmocka_unit_test(what_is_unknown_is_absent),
        cmocka_unit_test(a_record_of_another_shape_is_refused),
        cmocka_unit_test(the_check_in_words),
        cmocka_unit_test(a_request_survives_its_journey),
        cmocka_unit_test(a_request_that_lacks_something_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
