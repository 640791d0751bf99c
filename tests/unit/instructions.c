// What PTX instructions did: put together from launches, and whole after the way through a record.
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/run/simulation.h"

static const struct sim_line lines[] = {
    // of a first launch, then of a second one, which ran one instruction that the first did not
    { .index = 4,
      .ptx_line = 20,
      .line = 7,
      .text = "bra L;",
      .counters = { .warp_inst = 2, .thread_inst = 40, .branches = 2, .divergent = 1 } },
    { .index = 9,
      .ptx_line = 31,
      .text = "ld.f32 %f1, [%rd1];",
      .counters = { .warp_inst = 3,
                    .thread_inst = 96,
                    .requests = { [SIM_GLOBAL_LOAD] = 1, [SIM_SHARED_LOAD] = 2 },
                    .passes = { [SIM_GLOBAL_LOAD] = 4, [SIM_SHARED_LOAD] = 9 },
                    .ideal = { [SIM_GLOBAL_LOAD] = 3, [SIM_SHARED_LOAD] = 2 },
                    .conflicts = { [SIM_SHARED_LOAD] = 7 } } },
    { .index = 2,
      .ptx_line = 11,
      .line = 8,
      .text = "bar.sync 0;",
      .counters = { .warp_inst = 5, .thread_inst = 160, .barriers = 5 } },
    { .index = 9,
      .ptx_line = 31,
      .text = "ld.f32 %f1, [%rd1];",
      .counters = { .warp_inst = 10,
                    .thread_inst = 100,
                    .requests = { [SIM_LOCAL_LOAD] = 10 },
                    .passes = { [SIM_LOCAL_LOAD] = 40 },
                    .ideal = { [SIM_LOCAL_LOAD] = 40 },
                    .remote_requests = { [SIM_REMOTE_LOAD] = 6 },
                    .remote_sectors = { [SIM_REMOTE_LOAD] = 24 },
                    .remote_wavefronts = { [SIM_REMOTE_LOAD] = 8 } } },
};
static const struct sim_result result = { .instructions = (struct sim_line *)lines,
                                          .instruction_count = sizeof lines / sizeof *lines };

static void launches_are_put_together(void **state)
{
    struct instructions all;
    record_instructions_of(&all, &result);
    assert_int_equal(all.count, 3);
    assert_string_equal(all.items[0].text, "bar.sync 0;");
    assert_string_equal(all.items[1].text, "bra L;");
    const struct sim_counters *load = &all.items[2].counters;
    assert_int_equal(load->warp_inst, 13);
    assert_int_equal(load->thread_inst, 196);
    assert_int_equal(load->passes[SIM_SHARED_LOAD], 9);
    assert_int_equal(load->passes[SIM_LOCAL_LOAD], 40);
    record_instructions_free(&all);
    assert_int_equal(all.count, 0);
}

static void they_survive_their_journey(void **state)
{
    struct instructions all, again;
    struct error error;
    record_instructions_of(&all, &result);
    json_t *json = record_instructions_to_json(&all);
    char *line = json_dumps(json, 0);
    json_decref(json);
    json = json_loads(line, 0, NULL);
    assert_true(record_instructions_from_json(&again, json, &error));
    assert_int_equal(again.count, all.count);
    for (size_t i = 0; i < all.count; i++) {
        assert_int_equal(again.items[i].ptx_line, all.items[i].ptx_line);
        assert_int_equal(again.items[i].line, all.items[i].line);
        assert_string_equal(again.items[i].text, all.items[i].text);
        assert_memory_equal(&again.items[i].counters, &all.items[i].counters, sizeof again.items[i].counters);
    }
    free(line);
    json_decref(json);
    record_instructions_free(&all);
    record_instructions_free(&again);
}

static void what_is_nothing_is_absent(void **state)
{
    struct instructions all;
    record_instructions_of(&all, &result);
    json_t *json = record_instructions_to_json(&all);
    assert_int_equal(json_object_size(json_array_get(json, 0)), 6); // with its line and barriers
    assert_int_equal(json_object_size(json_array_get(json, 2)), 5); // with its costs, without a line
    assert_int_equal(json_object_size(json_object_get(json_array_get(json, 2), "costs")), 4);
    json_decref(json);
    record_instructions_free(&all);
    struct error error;
    assert_true(record_instructions_from_json(&all, NULL, &error)); // nobody asked for them
    assert_int_equal(all.count, 0);
    record_instructions_free(&all);
}

// PTX that a user wrote can hold anything; a record is UTF-8.
static void hostile_text_is_cleaned(void **state)
{
    const struct sim_line hostile = { .text = "mov \xff\033[31m;" };
    struct instructions all;
    record_instructions_of(
        &all, &(struct sim_result){ .instructions = (struct sim_line *)&hostile, .instruction_count = 1 });
    assert_string_equal(all.items[0].text, "mov ?<U+001B>[31m;");
    record_instructions_free(&all);
}

static void another_shape_is_refused(void **state)
{
    static const char *const bad[] = {
        "[1]",
        "[{}]",
        "[{\"text\":3}]",
        "[{\"text\":\"ret;\",\"executions\":-1}]",
        "[{\"text\":\"ret;\",\"lanes\":1.5}]",
        "[{\"text\":\"ret;\",\"line\":99999999999}]",
        "[{\"text\":\"ret;\",\"costs\":[]}]",
        "[{\"text\":\"ret;\",\"costs\":{\"global load\":7}}]",
        "[{\"text\":\"ret;\"},{\"text\":\"ret;\",\"costs\":{\"local store\":{\"ideal\":\"x\"}}}]",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct instructions all;
        struct error error = { 0 };
        json_t *json = json_loads(bad[i], 0, NULL);
        assert_false(record_instructions_from_json(&all, json, &error));
        assert_non_null(strstr(error.text, "instruction"));
        json_decref(json);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(launches_are_put_together), cmocka_unit_test(they_survive_their_journey),
        cmocka_unit_test(what_is_nothing_is_absent), cmocka_unit_test(hostile_text_is_cleaned),
        cmocka_unit_test(another_shape_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
