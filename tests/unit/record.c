// Records and requests keep everything on their way through JSON, and refuse what is not theirs.
#include "engine/run/run.h"
#include "engine/sim/sim.h"

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
    record.backend = ON_GPU;
    record.status = STATUS_RIGHT;
    record.title = mem_copy("v3 — 日本");
    record.median_ms = 0.181234567890123;
    record.bytes = 536870912;
    record.params = mem_new(sizeof *record.params);
    assert_true(expr_params_add(record.params, "n", value_int(5)));
    json_t *json = record_to_json(&record);
    assert_true(record_from_json(&again, json, &error));
    assert_string_equal(again.title, record.title);
    assert_true(again.median_ms == record.median_ms);
    assert_true(again.bytes == record.bytes);
    assert_int_equal(again.params->count, 1);
    assert_string_equal(again.params->bindings[0].name, "n");
    assert_int_equal(value_as_int(again.params->bindings[0].value), 5);
    assert_true(record_same_params(&record, &again));
    json_decref(json);
    record_free(&record);
    record_free(&again);
}

// Every key of a record, in the order and with the kinds of numbers that users of --json rely on.
static const char whole[] =
    "{\"lab\":\"vecadd\",\"variant\":\"1-one\",\"title\":\"v\",\"backend\":\"sim\",\"status\":\"wrong\","
    "\"message\":\"m\",\"preset\":\"small\",\"data\":\"uniform\",\"params\":{\"n\":1024,\"x\":1.5},"
    "\"device\":\"d\",\"driver\":\"CUDA "
    "12.4\",\"compiler\":\"c\",\"date\":\"2026-11-21T09:30:00Z\",\"code\":\"0f\","
    "\"median_ms\":1.5,\"min_ms\":1,\"spread_pct\":0,\"reps\":7,\"h2d_ms\":2,\"h2d_bytes\":4096,"
    "\"d2h_ms\":0.25,\"d2h_bytes\":2048,\"bytes\":536870912,\"operations\":9,\"bandwidth_gbps\":3.5,"
    "\"ceiling_gbps\":7,\"ceiling_pct\":50,\"threads\":2,\"target\":90,\"registers\":32,\"shared_bytes\":0,"
    "\"spill_bytes\":8,\"blocks_per_sm\":4,\"occupancy_pct\":62.5,\"kernel\":\"fill<int>\",\"launches\":3,"
    "\"grid_blocks\":16,\"block_threads\":256,"
    "\"occupancy_limit\":\"registers\",\"compile_ms\":0,\"total_ms\":12.5,\"compared\":1024,\"wrong\":3,"
    "\"wrong_index\":5,\"wrong_buffer\":\"c\",\"wrong_got\":\"0\",\"wrong_want\":\"7\",\"wrong_where\":"
    "\"block 0\","
    "\"worst_error\":7,\"tolerance\":\"exact\",\"warp_inst\":64,\"thread_inst\":2048,\"exec_ms\":0.5,"
    "\"counters\":{\"gld_req\":1,\"gld_sec\":4,\"inst\":64,\"lanes_per_inst\":32.0,\"inst_longest\":9,"
    "\"inst_even\":3,\"busiest\":3.0},"
    "\"ncu\":{\"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum\":1,"
    "\"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum\":4},"
    "\"findings\":[{\"kind\":\"out of "
    "bounds\",\"severity\":\"error\",\"count\":2,\"sentence\":\"s\",\"line\":7,"
    "\"ptx_line\":31,\"block\":[1,0,0],\"thread\":[3,1,0],\"other_line\":8,\"other_ptx_line\":33,"
    "\"other_block\":[0,0,0],\"other_thread\":[0,0,0],\"space\":\"global\",\"buffer\":\"c\",\"element\":-1,"
    "\"address\":\"0x1f00\"},"
    "{\"kind\":\"endless loop\",\"severity\":\"warning\",\"count\":1,\"sentence\":\"t\",\"ptx_line\":3}],"
    "\"lines\":[{\"gst_req\":2,\"lanes_per_inst\":16.5,\"line\":7}],"
    "\"instructions\":[{\"ptx_line\":31,\"line\":7,\"text\":\"bra "
    "L;\",\"executions\":2,\"lanes\":64,\"branches\":2,"
    "\"divergent\":0},{\"ptx_line\":32,\"text\":\"ld\",\"executions\":1,\"lanes\":32,\"costs\":{\"global "
    "load\":"
    "{\"requests\":1,\"passes\":4,\"ideal\":4,\"conflicts\":0}}},{\"ptx_line\":33,\"text\":\"bar\","
    "\"executions\":1,"
    "\"lanes\":32,\"barriers\":1}],"
    "\"digests\":{\"a\":\"00f00000000000ff\"},"
    "\"profiled\":{\"launches\":2.0,\"ms\":0.5,\"registers\":24.0,\"occupancy_pct\":61.25,\"inst\":7.0,"
    "\"dram_read_bytes\":64.0,\"dram_write_bytes\":32.0,\"l1_hit_pct\":50.0,\"l2_hit_pct\":12.5,"
    "\"counters\":{\"gld_req\":1}},"
    "\"printed\":\"p\","
    "\"diagnostics\":[{\"severity\":\"warning\",\"line\":3,\"column\":0,\"message\":\"unused\"}]}";

static void json_is_read_and_written_as_it_was(void **state)
{
    struct record record;
    struct error error = { 0 };
    json_t *json = json_loads(whole, 0, NULL);
    assert_non_null(json);
    if (!record_from_json(&record, json, &error))
        fail_msg("%s", error.text);
    assert_int_equal(record.findings[0].kind, SIM_OUT_OF_BOUNDS);
    assert_int_equal(record.findings[0].severity, SIM_ERROR);
    assert_int_equal(record.findings[0].here.thread[1], 1);
    assert_true(record.findings[0].there.known);
    assert_false(record.findings[1].here.known);
    assert_int_equal(record.findings[0].address, 0x1f00);
    assert_true(record.counters->gld_sec == 4);
    assert_true(isnan(record.counters->sld_conf)); // not known, and so not 0
    assert_true(record_line_counters(&record, 7)->gst_req == 2);
    assert_null(record_line_counters(&record, 8));
    assert_true(record_sectors_per_request(record.counters) == 4);
    assert_true(isnan(record_wavefronts_per_access(record.counters)));
    assert_int_equal(record.digests[0].hash, 0xf00000000000ff);
    assert_true(record_has_error(&record));
    json_t *again = record_to_json(&record);
    char *line = json_dumps(again, JSON_COMPACT);
    assert_string_equal(line, whole);
    free(line);
    json_decref(json);
    json_decref(again);
    record_free(&record);
}

// The rows of a hostile record would take hundreds of times its own memory.
static void too_many_rows_are_refused(void **state)
{
    static const char *const arrays[] = { "findings", "lines", "diagnostics", "instructions" };
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        struct record record;
        struct error error = { 0 };
        json_t *json = json_pack("{s:s, s:s, s:[]}", "backend", "sim", "status", "right", arrays[i]);
        for (int row = 0; row <= RECORD_ROWS; row++)
            json_array_append_new(json_object_get(json, arrays[i]), json_object());
        assert_false(record_from_json(&record, json, &error));
        assert_non_null(strstr(error.text, arrays[i]));
        json_decref(json);
    }
}

// A kind that another version finds stays a finding, and a long sentence is cut between two characters.
static void findings_of_another_version_are_kept(void **state)
{
    struct record record;
    struct error error = { 0 };
    struct text sentence = { 0 };
    text_add(&sentence, "x");
    for (size_t i = 0; i < sizeof record.findings[0].sentence; i++)
        text_add(&sentence, "\u00e9");
    json_t *json = json_pack("{s:s, s:s, s:[{s:s, s:s}]}", "backend", "sim", "status", "right", "findings",
                             "kind", "a new kind", "sentence", text_string(&sentence));
    assert_true(record_from_json(&record, json, &error));
    assert_int_equal(record.findings[0].kind, SIM_OTHER);
    assert_int_equal(strlen(record.findings[0].sentence), sizeof record.findings[0].sentence - 1);
    json_decref(json);
    json = record_to_json(&record);
    const json_t *finding = json_array_get(json_object_get(json, "findings"), 0);
    assert_non_null(json_object_get(finding, "sentence")); // still UTF-8
    json_decref(json);
    text_free(&sentence);
    record_free(&record);
}

static void findings_in_words(void **state)
{
    struct text words = { 0 };
    struct sim_finding finding = { .kind = SIM_OUT_OF_BOUNDS, .here = { .ptx_line = 12 }, .count = 1 };
    record_finding_words(&finding, "k.cu", &words);
    assert_string_equal(words.data, "out of bounds, line 12 of the PTX");
    text_free(&words);
    finding.here.line = 7;
    finding.count = 3;
    record_finding_words(&finding, "k.cu", &words);
    assert_string_equal(words.data, "out of bounds, k.cu:7, 3 times");
    text_free(&words);
    record_finding_words(&finding, NULL, &words);
    assert_string_equal(words.data, "out of bounds, line 7, 3 times");
    text_free(&words);
}

static void what_is_unknown_is_absent(void **state)
{
    struct record record;
    record_init(&record);
    record.backend = ON_CPU;
    record.status = STATUS_RIGHT;
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
    static const char *const bad[] = {
        "{}",
        "{\"status\":\"right\"}",
        "{\"backend\":\"gpu\"}",
        "{\"backend\":\"gpu\",\"status\":7}",
        "{\"backend\":\"gpu\",\"status\":\"right\",\"median_ms\":\"fast\"}",
        "{\"backend\":\"gpu\",\"status\":\"right\",\"params\":3}",
        "{\"backend\":\"tpu\",\"status\":\"right\"}",
        "{\"backend\":\"gpu\",\"status\":\"good\"}",
        "{\"backend\":\"sim\",\"status\":\"right\",\"counters\":[]}",
        "{\"backend\":\"sim\",\"status\":\"right\",\"counters\":{\"inst\":\"x\"}}",
        "{\"backend\":\"sim\",\"status\":\"right\",\"findings\":[3]}",
        "{\"backend\":\"sim\",\"status\":\"right\",\"findings\":[{\"line\":-1}]}",
        "{\"backend\":\"sim\",\"status\":\"right\",\"lines\":[{\"inst\":1}]}",
        "{\"backend\":\"sim\",\"status\":\"right\",\"digests\":{\"a\":1}}",
        "{\"backend\":\"gpu\",\"status\":\"right\",\"profiled\":[]}",
        "{\"backend\":\"gpu\",\"status\":\"right\",\"profiled\":{\"ms\":-1}}",
        "{\"backend\":\"gpu\",\"status\":\"right\",\"profiled\":{\"counters\":{\"inst\":\"x\"}}}",
        "{\"backend\":\"gpu\",\"status\":\"right\",\"profiled\":{\"refused\":\"busy\"}}",
        "{\"backend\":\"sim\",\"status\":\"right\",\"diagnostics\":[{\"line\":{}}]}"
    };
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
    record.status = STATUS_WRONG;
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

// A room reads requests and passes them on: none of them may ask for a profiler, below which nothing is confined.
static void a_request_that_is_passed_on_asks_for_no_profile(void **state)
{
    struct request request;
    struct error error;
    json_t *json = json_pack("{s:s, s:s, s:[s]}", "on", "gpu", "source", "x", "profile", "add");
    assert_true(request_from_json(&request, json, &error));
    json_t *again = request_to_json(&request);
    assert_null(json_object_get(again, "profile"));
    json_decref(json);
    json_decref(again);
    request_free(&request);
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
        cmocka_unit_test(json_is_read_and_written_as_it_was),
        cmocka_unit_test(too_many_rows_are_refused),
        cmocka_unit_test(findings_of_another_version_are_kept),
        cmocka_unit_test(findings_in_words),
        cmocka_unit_test(what_is_unknown_is_absent),
        cmocka_unit_test(a_record_of_another_shape_is_refused),
        cmocka_unit_test(a_request_that_is_passed_on_asks_for_no_profile),
        cmocka_unit_test(the_check_in_words),
        cmocka_unit_test(a_request_survives_its_journey),
        cmocka_unit_test(a_request_that_lacks_something_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
