// The files of figures: all that ship can be read, and what cannot be right is refused with a sentence that names the
// file and the figure.
#include "engine/model/figures.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static void all_that_ship_are_read(void **state)
{
    struct error error;
    struct gpu_figures figures;
    char *keys = figures_list(), *rest = keys;
    size_t count = 0;
    for (char *key; (key = strsep(&rest, " ")); count++) {
        if (!figures_find(key, &figures, &error))
            fail_msg("%s", error.text);
        assert_string_equal(figures.key, key);
        for (size_t i = 0; i < FIGURE_COUNT; i++)
            assert_true(figure_value(&figures, i) > 0);
        // What cannot be otherwise, whatever the GPU.
        assert_true(figures.l1_latency < figures.l2_latency && figures.l2_latency < figures.dram_latency);
        assert_true(figures.dram_read < figures.l2_read);
        assert_true(figures.warp_start <= figures.block_start);
        assert_true(figures.double_rate <= figures.fma_rate && figures.special_rate <= figures.fma_rate);
    }
    assert_int_equal(count, 10);
    free(keys);
}

static void one_number_where_it_belongs(void **state)
{
    struct error error;
    struct gpu_figures figures;
    assert_true(figures_find("h100", &figures, &error));
    assert_int_equal(figures.target, 90);
    assert_true(figures.sms == 132 && figure_value(&figures, FIGURE_sms) == 132);
    assert_string_equal(figure_list[FIGURE_shared_atomic_rate].name, "shared_atomic_rate");
    figure_set(&figures, FIGURE_shared_atomic_rate, 7);
    assert_true(figures.shared_atomic_rate == 7);
}

static void a_driver_s_name_finds_its_key(void **state)
{
    static const char *const names[][2] = {
        { "NVIDIA H100 80GB HBM3", "h100" },
        { "NVIDIA H200", "h200" },
        { "NVIDIA A100-SXM4-80GB", "a100" },
        { "Tesla V100-SXM2-16GB", "v100" },
        { "Tesla T4", "t4" },
        { "NVIDIA L4", "l4" },
        { "NVIDIA GeForce RTX 3090", "rtx3090" },
        { "NVIDIA GeForce RTX 4090", "rtx4090" },
        { "NVIDIA B200", "b200" },
        { "NVIDIA GeForce RTX 5090", "rtx5090" },
        { "NVIDIA H100 PCIe", NULL }, // another clock, fewer SMs, other memory
        { "NVIDIA L40S", NULL },
        { "NVIDIA GeForce RTX 4090 Laptop GPU", NULL },
        { "Tesla V100-PCIE-16GB", NULL },
        { "Stand-in GPU", NULL },
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char *key = figures_key_of(names[i][0]);
        if (names[i][1] ? !key || strcmp(key, names[i][1]) != 0 : key != NULL)
            fail_msg("%s has the key %s", names[i][0], key ? key : "(none)");
        free(key);
    }
}

static void what_there_is_is_named(void **state)
{
    struct error error;
    struct gpu_figures figures;
    assert_false(figures_find("h1000", &figures, &error));
    assert_non_null(strstr(error.text, "no figures of a GPU 'h1000'"));
    assert_non_null(strstr(error.text, "h100 h200"));
    assert_false(figures_find("../gpus/none", &figures, &error));
    assert_false(figures_find("", &figures, &error));
}

// ---- files that cannot be right ---------------------------------------------------------------------------

static json_t *good(void)
{
    struct error error;
    json_t *json = figures_file("h100", &error);
    assert_non_null(json);
    return json;
}

static void refused(json_t *json, const char *words)
{
    struct error error;
    struct gpu_figures figures;
    assert_false(figures_from_json(json, "some.json", &figures, &error));
    if (!strstr(error.text, words) || !strstr(error.text, "some.json: "))
        fail_msg("'%s' does not say '%s'", error.text, words);
    json_decref(json);
}

static json_t *with(const char *key, json_t *value)
{
    json_t *json = good();
    json_object_set_new(json, key, value);
    return json;
}

static json_t *without(const char *key)
{
    json_t *json = good();
    json_object_del(json, key);
    return json;
}

static json_t *figure_with(const char *key, json_t *value)
{
    json_t *json = good(), *clock = json_object_get(json_object_get(json, "figures"), "clock");
    if (value)
        json_object_set_new(clock, key, value);
    else
        json_object_del(clock, key);
    return json;
}

// A file that was written before there was the figure: no kernel times it.
static void what_no_calibration_times_may_be_left_out(void **state)
{
    struct gpu_figures figures;
    struct error error;
    json_t *json = good();
    json_object_del(json_object_get(json, "figures"), "l2_keeps");
    assert_true(figures_from_json(json, "gpu.json", &figures, &error));
    assert_true(figures.l2_keeps == 0.62 && figures.uncertainty_pct[FIGURE_l2_keeps] == 25);
    json_decref(json);
}

// As of a file that was written before there was such a figure.
static void a_newer_figure_follows_from_an_older_one(void **state)
{
    struct gpu_figures figures;
    struct error error;
    json_t *json = good();
    json_object_del(json_object_get(json, "figures"), "atomic_results");
    assert_true(figures_from_json(json, "gpu.json", &figures, &error));
    assert_true(figures.atomic_results == 0.69 * figures.atomic_rate);
    json_decref(json);
}

static void wrong_files_are_refused(void **state)
{
    json_t *json;
    refused(json_array(), "no JSON object");
    refused(without("key"), "'key' is missing");
    refused(without("name"), "'name' is missing");
    refused(with("date", json_integer(5)), "'date' is missing, or not text");
    refused(with("key", json_string("a-key-that-is-much-longer-than-a-key-can-be")), "more than 31 bytes");
    refused(without("names"), "'names'");
    refused(with("names", json_pack("[i]", 3)), "no text");
    refused(with("target", json_real(9.0)), "'target'");
    refused(with("target", json_integer(9)), "'target'");
    refused(without("measured"), "'measured'");
    refused(without("figures"), "'figures' is missing");
    refused(with("figurs", json_object()), "the key 'figurs' is not known; is it 'figures'?");
    json = good();
    json_object_del(json_object_get(json, "figures"), "dram_read");
    refused(json, "the figure 'dram_read' (reading from DRAM) is missing");
    json = good();
    json_object_set_new(json_object_get(json, "figures"), "dram_reed", json_object());
    refused(json, "the figure 'dram_reed' is not known; is it 'dram_read'?");
    refused(figure_with("value", NULL), "the figure 'clock' has no 'value'");
    refused(figure_with("value", json_string("fast")), "the figure 'clock' has no 'value'");
    refused(figure_with("value", json_real(-3)), "'value' -3");
    refused(figure_with("value", json_integer(0)), "the figure 'clock' is 0");
    refused(figure_with("unit", json_string("GHz")),
            "the figure 'clock' has the unit 'GHz', and its unit is MHz");
    refused(figure_with("unit", NULL), "its unit is MHz");
    refused(figure_with("source", json_string("")), "does not say its source");
    refused(figure_with("uncertainty_pct", NULL), "has no 'uncertainty_pct'");
    refused(figure_with("uncertainty_pct", json_real(-1)), "'uncertainty_pct' -1");
    refused(figure_with("sourc", json_string("x")), "'sourc' is not known; is it 'source'?");
}

// ---- the user's own ---------------------------------------------------------------------------------------

static void write_own(const char *below, json_t *json)
{
    struct error error;
    char *path = path_own(below), *text = json_dumps(json, 0);
    assert_true(private_replace(path, text, strlen(text), &error));
    free(text);
    free(path);
    json_decref(json);
}

static void own_files_win(void **state)
{
    struct error error;
    struct gpu_figures figures;
    write_own("gpus/h100.json", figure_with("value", json_integer(1234)));
    assert_true(figures_find("h100", &figures, &error));
    assert_true(figures.clock == 1234);
    json_t *mine = with("key", json_string("mine"));
    json_object_set_new(mine, "names", json_pack("[s]", "My GPU *"));
    write_own("gpus/mine.json", mine);
    char *keys = figures_list();
    assert_non_null(strstr(keys, "mine"));
    assert_null(strstr(strstr(keys, "h100") + 1, "h100")); // once
    free(keys);
    char *key = figures_key_of("My GPU 16GB");
    assert_string_equal(key, "mine");
    free(key);
    char *path = path_own("gpus/mine.json");
    assert_true(figures_find(path, &figures, &error)); // a path, as it is
    assert_string_equal(figures.key, "mine");
    free(path);
    write_own("gpus/other.json", good());
    assert_false(figures_find("other", &figures, &error));
    assert_non_null(strstr(error.text, "its 'key' is 'h100'"));
    path = path_own("gpus/other.json");
    assert_true(file_replace(path, "{\n\"key\":", 8, &error));
    assert_false(figures_find("other", &figures, &error));
    assert_non_null(strstr(error.text, "is not JSON"));
    free(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_that_ship_are_read),
        cmocka_unit_test(one_number_where_it_belongs),
        cmocka_unit_test(a_driver_s_name_finds_its_key),
        cmocka_unit_test(what_there_is_is_named),
        cmocka_unit_test(what_no_calibration_times_may_be_left_out),
        cmocka_unit_test(a_newer_figure_follows_from_an_older_one),
        cmocka_unit_test(wrong_files_are_refused),
        cmocka_unit_test(own_files_win),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
