// Launches through the stand-in for libcuda: what they compute and how long they take, launches that cannot
// work, kernels that crash or never end.
#include <math.h>

#include "tests/fake/session.h"

static void a_launch_computes_and_is_timed(void **state)
{
    struct session s;
    struct vecadd v;
    double c[ELEMENTS], ms = 0;
    session_open(&s, "");
    must(&s, vecadd_open(&s, &v));
    must(&s, gpu_time(s.gpu, &v.launch, 1, true, 1000, &ms, &s.error));
    assert_true(fabs(ms - 0.25) < 1e-4);
    must(&s, gpu_download(s.gpu, c, v.c, sizeof c, NULL, &s.error));
    for (int i = 0; i < ELEMENTS; i++)
        assert_true(c[i] == 10001.0 * i);
    struct gpu_launch twice[2] = { v.launch, v.launch };
    must(&s, gpu_time(s.gpu, twice, 2, false, 1000, &ms, &s.error));
    assert_true(fabs(ms - 0.5) < 1e-4);
    assert_int_equal(gpu_function_registers(s.gpu, v.function), 32);
    assert_int_equal(gpu_function_shared(s.gpu, v.function), 0);
    assert_int_equal(gpu_function_local(s.gpu, v.function), 0);
    vecadd_close(&s, &v);
    session_close(&s);
}

static void flushing_is_not_timed(void **state)
{
    struct session s;
    struct vecadd v;
    double ms = 0;
    session_open(&s, "");
    must(&s, gpu_helpers_load(s.gpu, helpers_ptx, &s.error));
    must(&s, vecadd_open(&s, &v));
    must(&s, gpu_time(s.gpu, &v.launch, 1, true, 1000, &ms, &s.error));
    assert_true(fabs(ms - 0.25) < 1e-4);
    vecadd_close(&s, &v);
    session_close(&s);
}

static void launches_that_cannot_work(void **state)
{
    static const struct {
        uint32_t grid[3], block[3], shared;
        const char *words;
    } cases[] = {
        { { 0, 1, 1 }, { 32, 1, 1 }, 0, "the grid's x size is 0" },
        { { 1, 1, 1 }, { 32, 0, 1 }, 0, "the block's y size is 0" },
        { { 3000000000, 1, 1 }, { 32, 1, 1 }, 0, "at most 2147483647" },
        { { 1, 65536, 1 }, { 32, 1, 1 }, 0, "grid's y size is 65536" },
        { { 1, 1, 1 }, { 1025, 1, 1 }, 0, "at most 1024" },
        { { 1, 1, 1 }, { 64, 32, 1 }, 0, "2048 threads; this GPU takes at most 1024" },
        { { 1, 1, 1 }, { 1, 1, 65 }, 0, "block's z size is 65" },
        { { 1, 1, 1 }, { 32, 1, 1 }, (227 << 10) + 1, "at most 232448" },
        { { 1, 1, 1 }, { 32, 1, 1 }, 4000000000, "4000000000 bytes of shared memory" },
    };
    struct session s;
    struct vecadd v;
    double ms = 0;
    session_open(&s, "");
    must(&s, vecadd_open(&s, &v));
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct gpu_launch launch = v.launch;
        memcpy(launch.grid, cases[i].grid, sizeof launch.grid);
        memcpy(launch.block, cases[i].block, sizeof launch.block);
        launch.shared_bytes = cases[i].shared;
        assert_false(gpu_time(s.gpu, &launch, 1, true, 1000, &ms, &s.error));
        assert_int_equal(s.error.code, EXIT_WRONG);
        holds(&s.error, "vecadd_thread_per_element: ");
        holds(&s.error, cases[i].words);
        assert_false(gpu_lost(s.gpu));
    }
    v.launch.shared_bytes = 200 << 10; // more than the usual 48 KiB is asked for
    must(&s, gpu_time(s.gpu, &v.launch, 1, true, 1000, &ms, &s.error));
    vecadd_close(&s, &v);
    session_close(&s);
}

static void a_missing_kernel_and_bad_ptx_are_told(void **state)
{
    struct session s;
    struct gpu_module *module = NULL;
    struct gpu_function *function = NULL, *again = NULL;
    session_open(&s, "");
    assert_false(gpu_module_load(s.gpu, "nonsense", &module, &s.error));
    holds(&s.error, "CUDA_ERROR_INVALID_PTX");
    holds(&s.error, "no .version in this PTX"); // what the driver's assembler logged
    must(&s, gpu_module_load(s.gpu, vecadd_ptx, &module, &s.error));
    assert_false(gpu_function_find(s.gpu, module, "missing", &function, &s.error));
    holds(&s.error, "Finding the kernel missing");
    must(&s, gpu_function_find(s.gpu, module, "vecadd_one_thread", &function, &s.error));
    must(&s, gpu_function_find(s.gpu, module, "vecadd_one_thread", &again, &s.error));
    assert_ptr_equal(function, again);
    gpu_module_unload(s.gpu, module);
    session_close(&s);
}

static void a_kernel_that_never_ends(void **state)
{
    struct session s;
    struct vecadd v;
    double ms = 0;
    session_open(&s, "cuLaunchKernel=hang");
    must(&s, vecadd_open(&s, &v));
    assert_false(gpu_time(s.gpu, &v.launch, 1, true, 20, &ms, &s.error));
    assert_int_equal(s.error.code, EXIT_WRONG);
    holds(&s.error, "limit of 0.02 s");
    assert_true(gpu_lost(s.gpu));
    assert_false(gpu_alloc(s.gpu, 4, &v.a, &s.error)); // nothing is asked of a stuck driver
    holds(&s.error, "given up");
    vecadd_close(&s, &v);
    session_close(&s);
}

static void a_kernel_that_leaves_its_buffers(void **state)
{
    struct session s;
    struct vecadd v;
    double ms = 0;
    session_open(&s, "");
    must(&s, vecadd_open(&s, &v));
    v.c += sizeof(double) * ELEMENTS; // the end of the buffer
    assert_false(gpu_time(s.gpu, &v.launch, 1, true, 1000, &ms, &s.error));
    assert_int_equal(s.error.code, EXIT_WRONG);
    holds(&s.error, "Running vecadd_thread_per_element failed");
    holds(&s.error, "CUDA_ERROR_ILLEGAL_ADDRESS, 700");
    assert_true(gpu_lost(s.gpu));
    vecadd_close(&s, &v);
    session_close(&s);
}

int main(void)
{
    setenv("WARPBOOK_LIBCUDA", "build/test/libfakecuda.so", 0);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_launch_computes_and_is_timed),
        cmocka_unit_test(flushing_is_not_timed),
        cmocka_unit_test(launches_that_cannot_work),
        cmocka_unit_test(a_missing_kernel_and_bad_ptx_are_told),
        cmocka_unit_test(a_kernel_that_never_ends),
        cmocka_unit_test(a_kernel_that_leaves_its_buffers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
