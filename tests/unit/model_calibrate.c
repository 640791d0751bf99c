// From times to figures: a GPU that is nothing but its figures takes so long for each kernel as the kernel's text says,
// and the same figures come out.
#include "engine/model/calibrate.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

// What is not the same in any two figures, so that none is taken for another.
static struct gpu_figures truth(void)
{
    struct error error;
    struct gpu_figures figures;
    assert_true(figures_find("h100", &figures, &error));
    figures.alu_latency = 4.5;
    figures.fma_rate = 127;
    figures.int_rate = 63;
    figures.mul_rate = 62;
    figures.double_rate = 61;
    figures.convert_rate = 15;
    figures.shuffle_rate = 31;
    figures.tensor_rate = 1000;
    figures.memory_rate = 30;
    figures.l2_read_lines = 150;
    figures.l2_write_lines = 57;
    figures.dram_lines = 33;
    figures.shared_rate = 0.99;
    figures.shared_atomic_rate = 0.9;
    figures.l2_write = 5000;
    figures.dram_fetch = 60;
    figures.atomic_float = 1.9;
    figures.atomic_swap = 1.2;
    return figures;
}

static struct calibration_facts facts_of(const struct gpu_figures *gpu)
{
    struct calibration_facts facts = {
        .target = 90, .sms = (int)gpu->sms, .l2_bytes = gpu->l2_bytes, .memory_bytes = 8e10
    };
    snprintf(facts.device, sizeof facts.device, "A \"GPU\"");
    snprintf(facts.driver, sizeof facts.driver, "CUDA 13.0");
    return facts;
}

// The value of a setting, "kind=3 n=200"; `otherwise` where it is not set.
static double setting(const char *settings, const char *name, double otherwise)
{
    char wanted[40];
    snprintf(wanted, sizeof wanted, " %s=", name);
    size_t length = strlen(name);
    if (strncmp(settings, name, length) == 0 && settings[length] == '=')
        return strtod(settings + length + 1, NULL);
    const char *found = strstr(settings, wanted);
    return found ? strtod(found + strlen(wanted), NULL) : otherwise;
}

// ---- what each kernel does for one more n: cycles -----------------------------------------------------------

static double chain_cycles(const struct gpu_figures *gpu, int kind)
{
    const double latencies[] = { gpu->alu_latency,
                                 gpu->alu_latency * 2,
                                 gpu->alu_latency,
                                 gpu->double_latency,
                                 gpu->special_latency,
                                 gpu->shuffle_latency,
                                 30,
                                 7,
                                 gpu->shared_latency,
                                 gpu->shared_atomic_latency,
                                 gpu->atomic_latency,
                                 600,
                                 700 };
    return 128 * latencies[kind];
}

// 64 instructions of a warp that wait for each other, or of 32 warps.
static double tensor_cycles(const struct gpu_figures *gpu, int kind, bool alone)
{
    return alone ? 64 * gpu->tensor_latency : 64 * 32 * (kind == 5 ? 256 : 2048) / gpu->tensor_rate;
}

static double rate_cycles(const struct gpu_figures *gpu, int kind)
{
    const double rates[] = { gpu->fma_rate, gpu->issue_rate * 32, gpu->int_rate,     gpu->fma_rate,
                             gpu->mul_rate, gpu->double_rate,     gpu->special_rate, gpu->convert_rate,
                             gpu->int_rate, gpu->shuffle_rate };
    return 256 * 1024 / rates[kind];
}

static double l1_cycles(const struct gpu_figures *gpu, int kind, int stride)
{
    if (kind == 1)
        return 8 * 32 * 16 / gpu->l1_rate;
    return stride == 33 ? 8 * 32 * 32 / gpu->tag_rate : 8 * 32 * 32 / gpu->memory_rate;
}

static double l2_ns(const struct gpu_figures *gpu, int kind, int blocks)
{
    const double vectors = 8 * 1024, bytes = vectors * 16;
    if (blocks == 1)
        return bytes / gpu->sm_read * 1000 / gpu->clock;
    const double each[] = { bytes / gpu->l2_read, bytes / gpu->l2_write, vectors / gpu->l2_partial,
                            vectors / gpu->l2_read_lines, vectors / gpu->l2_write_lines };
    return each[kind] * gpu->sms;
}

static double dram_ns(const struct gpu_figures *gpu, int kind, double bytes, double stride)
{
    const double each[] = { bytes / gpu->dram_read, bytes / gpu->dram_write, bytes / gpu->dram_copy };
    if (kind == 4)
        return bytes / stride / gpu->dram_lines;
    double sectors = bytes / stride;
    if (kind == 4)
        return sectors / gpu->dram_lines;
    return kind < 3 ? each[kind] : sectors * gpu->dram_fetch / gpu->dram_read;
}

static double atomic_ns(const struct gpu_figures *gpu, int kind, int lanes, int lane_step)
{
    double requests = 8 * gpu->sms,
           sector[] = { gpu->atomic_sector, gpu->atomic_sector, gpu->atomic_float, gpu->atomic_swap };
    if (lane_step == 0)
        return requests * lanes * gpu->atomic_word;
    if (lanes == 8)
        return requests * sector[kind];
    return requests * lanes / (kind == 1 ? gpu->atomic_results : gpu->atomic_rate);
}

static double kernel_ms(const struct gpu_figures *gpu, const char *kernel, const char *settings)
{
    double n = setting(settings, "n", 0), cycle = 1000 / gpu->clock, overhead = gpu->launch * 1000;
    int kind = (int)setting(settings, "kind", 0), stride = (int)setting(settings, "stride", 1);
    double ns = 0;
    if (strcmp(kernel, "start") == 0) {
        double blocks = setting(settings, "blocks", 1), threads = setting(settings, "threads", 32);
        ns = blocks == 1 ? 0 : blocks * (threads == 32 ? gpu->block_start : threads / 32 * gpu->warp_start);
    } else if (strcmp(kernel, "launches") == 0)
        ns = 7 * gpu->next_launch * 1000;
    else if (strcmp(kernel, "first") == 0)
        ns = 0;
    else if (strcmp(kernel, "clock") == 0)
        ns = setting(settings, "cycles", 0) * cycle;
    else if (strcmp(kernel, "chain") == 0)
        ns = n * chain_cycles(gpu, kind) * cycle;
    else if (strcmp(kernel, "chase") == 0) {
        double bytes = setting(settings, "bytes", 0);
        ns = n * cycle * (bytes < 1e6 ? gpu->l1_latency : bytes < 1e8 ? gpu->l2_latency : gpu->dram_latency);
    } else if (strcmp(kernel, "barrier") == 0)
        ns =
            n * 32 * cycle * (gpu->barrier_latency + gpu->barrier_warp * (setting(settings, "warps", 1) - 1));
    else if (strcmp(kernel, "rate") == 0)
        ns = n * rate_cycles(gpu, kind) * cycle;
    else if (strcmp(kernel, "tensor") == 0)
        ns = n * tensor_cycles(gpu, kind, setting(settings, "alone", 0) != 0) * cycle;
    else if (strcmp(kernel, "l1") == 0)
        ns = n * l1_cycles(gpu, kind, stride) * cycle;
    else if (strcmp(kernel, "shared") == 0)
        ns = n * 8 * 32 * cycle / (kind == 3 ? gpu->shared_atomic_rate : gpu->shared_rate);
    else if (strcmp(kernel, "l2") == 0)
        ns = kind == 5 ? n * 8 * setting(settings, "bytes", 0) / gpu->l2_read
                       : n * l2_ns(gpu, kind, (int)setting(settings, "blocks", 0));
    else if (strcmp(kernel, "dram") == 0)
        ns = n * dram_ns(gpu, kind, setting(settings, "bytes", 0), stride);
    else if (strcmp(kernel, "atomic") == 0)
        ns = n * atomic_ns(gpu, kind, (int)setting(settings, "lanes", 32),
                           (int)setting(settings, "lane_step", 1));
    else
        fail_msg("no kernel %s", kernel);
    return (overhead + ns) / 1e6;
}

static void measured(const struct gpu_figures *gpu, struct calibration *out)
{
    *out = (struct calibration){ .facts = facts_of(gpu), .count = calibration_count() };
    snprintf(out->date, sizeof out->date, "2026-11-25T10:00:00Z");
    for (size_t i = 0; i < out->count; i++) {
        struct calibration_item item = calibration_item(&out->facts, i);
        out->times[i].high_ms = kernel_ms(gpu, item.kernel, item.high);
        out->times[i].low_ms = *item.low ? kernel_ms(gpu, item.kernel, item.low) : NAN;
        out->times[i].spread_pct = 0.5;
    }
}

// ---- tests ------------------------------------------------------------------------------------------------

static void the_figures_come_out_again(void **state)
{
    struct error error;
    struct gpu_figures gpu = truth(), figures;
    struct calibration calibration;
    measured(&gpu, &calibration);
    if (!calibration_figures(&calibration, &figures, &error))
        fail_msg("%s", error.text);
    for (size_t i = 0; i < FIGURE_COUNT; i++) {
        double want = figure_value(&gpu, i), got = figure_value(&figures, i);
        if (!(fabs(got - want) <= 1e-6 * want))
            fail_msg("%s is %g, and %g comes out", figure_list[i].name, want, got);
    }
}

static void the_file_can_be_read_and_holds_the_times(void **state)
{
    struct error error;
    struct gpu_figures gpu = truth(), figures;
    struct calibration calibration, again;
    measured(&gpu, &calibration);
    char *file = calibration_file(&calibration, "mine", &error);
    json_t *json = json_loads(file, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(json);
    if (!figures_from_json(json, "mine.json", &figures, &error))
        fail_msg("%s", error.text);
    assert_string_equal(figures.key, "mine");
    assert_string_equal(figures.name, "A \"GPU\"");
    assert_string_equal(figures.date, "2026-11-25");
    assert_true(fabs(figures.dram_read - gpu.dram_read) < 1e-3 * gpu.dram_read);
    const json_t *sources = json_object_get(json_object_get(json, "figures"), "dram_read");
    assert_string_equal(json_string_value(json_object_get(sources, "source")),
                        "measured 2026-11-25, A \"GPU\", driver CUDA 13.0, dram.cu kind=0 n");
    if (!calibration_read(json, &again, &error))
        fail_msg("%s", error.text);
    struct gpu_figures same;
    assert_true(calibration_figures(&again, &same, &error));
    for (size_t i = 0; i < FIGURE_COUNT; i++) // the file holds times to the nanosecond
        assert_true(fabs(figure_value(&same, i) / figure_value(&figures, i) - 1) < 2e-3);
    // A time that was taken with other settings is none.
    json_t *first = json_array_get(json_object_get(json_object_get(json, "measurements"), "times"), 4);
    json_object_set_new(first, "high", json_string("threads=1024 blocks=5"));
    assert_false(calibration_read(json, &again, &error));
    assert_non_null(strstr(error.text, "It holds no time of start.cu with threads=1024"));
    json_decref(json);
    free(file);
}

static void times_that_measure_nothing_are_refused(void **state)
{
    struct error error;
    struct gpu_figures gpu = truth(), figures;
    struct calibration calibration;
    measured(&gpu, &calibration);
    calibration.times[9].high_ms = calibration.times[9].low_ms;
    assert_false(calibration_figures(&calibration, &figures, &error));
    assert_non_null(strstr(error.text, "A time that does not grow with the work measures nothing"));
    assert_null(calibration_file(&calibration, "mine", &error));
    measured(&gpu, &calibration);
    calibration.times[0].high_ms = 0.25; // one that stores
    assert_false(calibration_figures(&calibration, &figures, &error));
    assert_non_null(strstr(error.text, "launch = 250 us, which no GPU has"));
    measured(&gpu, &calibration);
    calibration.times[5].high_ms = NAN;
    assert_false(calibration_figures(&calibration, &figures, &error));
    // Also while more is to come.
    measured(&gpu, &calibration);
    calibration.count = 10;
    calibration.times[9].high_ms = 1e5;
    assert_false(calibration_figures(&calibration, &figures, &error));
    assert_non_null(strstr(error.text, "alu_latency = "));
    measured(&gpu, &calibration);
    calibration.count = 9;
    assert_false(calibration_figures(&calibration, &figures, &error));
    assert_non_null(strstr(error.text, "Only 9 of "));
    calibration.facts.sms = 0;
    assert_false(calibration_figures(&calibration, &figures, &error));
    assert_non_null(strstr(error.text, "0 SMs"));
}

static void sizes_fit_the_gpu(void **state)
{
    struct gpu_figures gpu = truth();
    struct calibration_facts facts = facts_of(&gpu);
    facts.memory_bytes = 1024.0 * (1 << 20);
    facts.l2_bytes = 4 << 20;
    facts.sms = 40;
    for (size_t i = 0; i < calibration_count(); i++) {
        struct calibration_item item = calibration_item(&facts, i);
        double bytes = setting(item.high, "bytes", 0);
        assert_true(bytes <= 256 << 20);
        assert_true(strcmp(item.kernel, "dram") != 0 || bytes == 256 << 20);
        if (strcmp(item.kernel, "l2") == 0 && setting(item.high, "kind", 0) > 0 &&
            setting(item.high, "kind", 0) < 5)
            assert_true(bytes >= 40 * 1024 * 32 && bytes <= 4 << 20); // a sector for each thread
    }
}

static void keys_from_names(void **state)
{
    static const char *const names[][2] = {
        { "NVIDIA H100 PCIe", "h100-pcie" },          { "NVIDIA GeForce RTX 4090", "rtx-4090" },
        { "Tesla V100-SXM2-16GB", "v100-sxm2-16gb" }, { "Stand-in GPU", "stand-in-gpu" },
        { "../../etc/passwd", "etc-passwd" },         { "  ", "gpu" }
    };
    char key[32];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        calibration_key(names[i][0], key, sizeof key);
        assert_string_equal(key, names[i][1]);
    }
    calibration_key("a name that is longer than any key can be, and so is cut", key, sizeof key);
    assert_string_equal(key, "a-name-that-is-longer-than-any");
}

// With the name of a file: writes one such as doctor --measure model leaves, for tests/cli/doctor.sh.
static int write_measured(const char *path)
{
    struct error error;
    struct gpu_figures gpu = truth();
    struct calibration calibration;
    measured(&gpu, &calibration);
    snprintf(calibration.facts.device, sizeof calibration.facts.device, "NVIDIA H100 80GB HBM3");
    char *file = calibration_file(&calibration, "h100", &error);
    bool written = file && file_replace(path, file, strlen(file), &error);
    free(file);
    return written ? 0 : 1;
}

int main(int argc, char **argv)
{
    if (argc > 1)
        return write_measured(argv[1]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_figures_come_out_again),
        cmocka_unit_test(the_file_can_be_read_and_holds_the_times),
        cmocka_unit_test(times_that_measure_nothing_are_refused),
        cmocka_unit_test(sizes_fit_the_gpu),
        cmocka_unit_test(keys_from_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
