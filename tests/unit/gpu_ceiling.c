// What a GPU can do at best: measured through the stand-in for libcuda, and kept in a file.
#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "tests/fake/session.h"

static void ceilings_are_measured(void **state)
{
    struct session s;
    struct ceilings ceilings;
    session_open(&s, "memory=66,l2=1");
    assert_false(gpu_ceilings_measure(s.gpu, &ceilings, &s.error)); // no kernels yet
    holds(&s.error, "not loaded");
    must(&s, gpu_helpers_load(s.gpu, NULL, helpers_ptx, &s.error));
    must(&s, gpu_ceilings_measure(s.gpu, &ceilings, &s.error));
    // 64 MiB are free beside the 2 MiB for flushing, a quarter is taken, and a launch takes 0.25 ms.
    double bytes = 16 << 20, expected = bytes / 0.25 / 1e6;
    assert_true(fabs(ceilings.read_gbps - expected) < 0.01);
    assert_true(fabs(ceilings.copy_gbps - expected) < 0.01);
    assert_true(fabs(ceilings.launch_us - 250) < 0.1);
    assert_true(ceilings.shared_gbps == 128 * 4 * 1.5);
    assert_true(isnan(ceilings.tensor_gflops[TENSOR_BF16])); // helpers that have none
    assert_int_equal(strlen(ceilings.date), 20);
    session_close(&s);
    session_open(&s, "memory=20,l2=2");
    must(&s, gpu_helpers_load(s.gpu, NULL, helpers_ptx, &s.error));
    assert_false(gpu_ceilings_measure(s.gpu, &ceilings, &s.error));
    holds(&s.error, "32 MiB of free memory");
    assert_true(isnan(ceilings.read_gbps));
    session_close(&s);
}

// With the kernels that ship, executed: every tile lies in the buffer, whatever the shape.
static void its_kernels_stay_in_their_buffers(void **state)
{
    struct session s;
    struct ceilings ceilings;
    struct text ptx = { 0 };
    session_open(&s, "memory=18,l2=1,helpers=1");
    must(&s, file_read("assets/ptx/gpu/ceiling.ptx", &ptx, &s.error));
    must(&s, gpu_helpers_load(s.gpu, NULL, text_string(&ptx), &s.error));
    must(&s, gpu_ceilings_measure(s.gpu, &ceilings, &s.error));
    assert_true(ceilings.read_gbps > 0 && ceilings.copy_gbps > 0);
    assert_true(ceilings.tensor_gflops[TENSOR_F16] > 0); // by the instruction that all tensor cores have
    text_free(&ptx);
    session_close(&s);
}

static void file_write(const char *path, const char *content)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(content, file);
    fclose(file);
}

static const char insane_format[] =
    "{\"method\": 2, \"driver_version\": 13000, \"copy_gbps\": 5, \"launch_us\": 5, \"read_gbps\": %s}";

static void ceilings_are_kept(void **state)
{
    char folder[] = "/tmp/warpbook-test-XXXXXX", path[256];
    assert_non_null(mkdtemp(folder));
    setenv("WARPBOOK_CACHE", folder, 1);
    struct gpu_facts facts = { .name = "Stand-in GPU", .uuid = "GPU-0123-ab", .driver_version = 13000 };
    struct ceilings kept = { 3000.5, 2800, { 600000, 600000, 300000 }, 33000, 5.25, "2026-11-21T09:30:00Z" },
                    read;
    struct error error;
    assert_false(gpu_ceilings_kept(&facts, &read));
    assert_true(gpu_ceilings_keep(&facts, &kept, &error));
    assert_true(gpu_ceilings_kept(&facts, &read));
    assert_true(read.read_gbps == kept.read_gbps && read.copy_gbps == kept.copy_gbps &&
                read.shared_gbps == kept.shared_gbps && read.launch_us == kept.launch_us &&
                read.tensor_gflops[TENSOR_F16] == kept.tensor_gflops[TENSOR_F16]);
    assert_string_equal(read.date, kept.date);
    facts.driver_version = 13010;
    assert_false(gpu_ceilings_kept(&facts, &read));
    facts.driver_version = 13000;
    const char *damaged[] = { "", "{", "[]", "{\"method\": 2, \"driver_version\": 13000}" };
    const char *insane[] = { "-3", "0", "\"3000\"", "null", "1e300" };
    snprintf(path, sizeof path, "%s/devices/GPU-0123-ab.json", folder);
    for (size_t i = 0; i < sizeof damaged / sizeof damaged[0]; i++) {
        file_write(path, damaged[i]);
        assert_false(gpu_ceilings_kept(&facts, &read));
        assert_true(isnan(read.read_gbps) && isnan(read.copy_gbps));
    }
    for (size_t i = 0; i < sizeof insane / sizeof insane[0]; i++) {
        char content[256];
        snprintf(content, sizeof content, insane_format, insane[i]);
        file_write(path, content);
        assert_false(gpu_ceilings_kept(&facts, &read));
        assert_true(isnan(read.read_gbps) && isnan(read.copy_gbps));
    }
    unlink(path);
    strcpy(facts.uuid, "../../escape");
    assert_false(gpu_ceilings_keep(&facts, &kept, &error));
    assert_false(gpu_ceilings_kept(&facts, &read));
    snprintf(path, sizeof path, "%s/devices", folder);
    rmdir(path);
    rmdir(folder);
    unsetenv("WARPBOOK_CACHE");
}

int main(void)
{
    setenv("WARPBOOK_LIBCUDA", "build/test/libfakecuda.so", 0);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ceilings_are_measured),
        cmocka_unit_test(its_kernels_stay_in_their_buffers),
        cmocka_unit_test(ceilings_are_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
