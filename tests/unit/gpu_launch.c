// Launches through the stand-in for libcuda: what they compute and how long they take, launches that cannot
// work, kernels that crash or never end.
#include <math.h>
#include <stdio.h>

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
    must(&s, download(&s, c, v.c, sizeof c, NULL));
    for (int i = 0; i < ELEMENTS; i++)
        assert_true(c[i] == 10001.0 * i);
    struct gpu_launch twice[2] = { v.launch, v.launch };
    must(&s, gpu_time(s.gpu, twice, 2, false, 1000, &ms, &s.error));
    assert_true(fabs(ms - 0.5) < 1e-4);
    assert_int_equal(gpu_function_registers(s.gpu, v.function), 32);
    assert_int_equal(gpu_function_shared(s.gpu, v.function), 0);
    vecadd_close(&s, &v);
    session_close(&s);
}

static void flushing_is_not_timed(void **state)
{
    struct session s;
    struct vecadd v;
    double ms = 0;
    session_open(&s, "");
    must(&s, gpu_helpers_load(s.gpu, NULL, helpers_ptx, &s.error));
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
    assert_false(gpu_module_load(s.gpu, NULL, "nonsense", &module, &s.error));
    holds(&s.error, "CUDA_ERROR_INVALID_PTX");
    holds(&s.error, "line 1: a directive"); // what the driver's assembler logged
    must(&s, gpu_module_load(s.gpu, NULL, vecadd_ptx, &module, &s.error));
    assert_false(gpu_function_find(s.gpu, module, "missing", &function, &s.error));
    holds(&s.error, "Finding the kernel missing");
    must(&s, gpu_function_find(s.gpu, module, "vecadd_one_thread", &function, &s.error));
    must(&s, gpu_function_find(s.gpu, module, "vecadd_one_thread", &again, &s.error));
    assert_ptr_equal(function, again);
    gpu_module_unload(s.gpu, module);
    session_close(&s);
}

static void machine_code_for_another_gpu_is_passed_over(void **state)
{
    static const unsigned char cubin[64] = "\177ELF";
    struct session s;
    struct gpu_module *module = NULL;
    session_open(&s, "");
    assert_false(gpu_module_load(s.gpu, cubin, NULL, &module, &s.error));
    holds(&s.error, "CUDA_ERROR_NO_BINARY_FOR_GPU, 209");
    assert_false(gpu_lost(s.gpu));
    must(&s, gpu_module_load(s.gpu, cubin, vecadd_ptx, &module, &s.error));
    gpu_module_unload(s.gpu, module);
    session_close(&s);
    session_open(&s, "cuModuleLoadDataEx=218"); // anything else is told
    assert_false(gpu_module_load(s.gpu, cubin, vecadd_ptx, &module, &s.error));
    holds(&s.error, "CUDA_ERROR_INVALID_PTX, 218");
    session_close(&s);
}

// Runs `k`, one block of 32 threads, which gets the address of 4 bytes; what the driver says is in s->error.
static bool run_body(struct session *s, const char *body, int limit_ms)
{
    char ptx[1024];
    struct gpu_module *module = NULL;
    struct gpu_function *function = NULL;
    gpu_address word = 0;
    void *arguments[] = { &word };
    double ms = 0;
    snprintf(ptx, sizeof ptx,
             ".version 8.0\n.target sm_70\n.address_size 64\n"
             ".visible .entry k(.param .u64 word)\n{\n"
             ".reg .pred %%p; .reg .b32 %%r<3>; .reg .b64 %%a; .shared .align 4 .b8 own[128];\n"
             "ld.param.u64 %%a, [word];\n%s\nret;\n}\n",
             body);
    must(s, gpu_module_load(s->gpu, NULL, ptx, &module, &s->error));
    must(s, gpu_function_find(s->gpu, module, "k", &function, &s->error));
    must(s, gpu_alloc(s->gpu, 4, &word, &s->error));
    must(s, gpu_fill(s->gpu, word, 0, 4, &s->error));
    struct gpu_launch launch = {
        .function = function, .name = "k", .grid = { 1, 1, 1 }, .block = { 32, 1, 1 }, .arguments = arguments
    };
    bool right = gpu_time(s->gpu, &launch, 1, false, limit_ms, &ms, &s->error);
    gpu_free(s->gpu, word);
    gpu_module_unload(s->gpu, module);
    return right;
}

static void crashes_have_the_codes_of_a_gpu(void **state)
{
    static const struct {
        const char *body, *words;
    } cases[] = {
        { "st.global.u32 [%a+4], 1;", "CUDA_ERROR_ILLEGAL_ADDRESS, 700" },
        { "mov.u64 %a, 0; ld.u32 %r1, [%a];", "CUDA_ERROR_ILLEGAL_ADDRESS, 700" },
        { "ld.global.u16 %r1, [%a+1];", "CUDA_ERROR_MISALIGNED_ADDRESS, 716" },
        { "st.shared.u32 [own+128], 1;", "CUDA_ERROR_LAUNCH_FAILED, 719" },
        { "trap;", "CUDA_ERROR_LAUNCH_FAILED, 719" },
        { "again: ld.volatile.global.u32 %r1, [%a]; setp.eq.u32 %p, %r1, 0; @%p bra again;", "limit of" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct session s;
        session_open(&s, "");
        must(&s, run_body(&s, "st.global.u32 [%a], 1;", 1000));
        assert_false(run_body(&s, cases[i].body, 20));
        assert_int_equal(s.error.code, EXIT_WRONG);
        holds(&s.error, "Running k ");
        holds(&s.error, cases[i].words);
        assert_true(gpu_lost(s.gpu));
        session_close(&s);
    }
}

static void memory_that_was_given_back_is_nobodys(void **state)
{
    struct session s;
    struct vecadd v;
    double ms = 0;
    session_open(&s, "");
    must(&s, vecadd_open(&s, &v));
    gpu_free(s.gpu, v.b);
    assert_false(gpu_time(s.gpu, &v.launch, 1, true, 1000, &ms, &s.error));
    holds(&s.error, "CUDA_ERROR_ILLEGAL_ADDRESS, 700");
    vecadd_close(&s, &v);
    session_close(&s);
}

static bool takes(const char *faults, const struct gpu_parameter *parameters, size_t count,
                  struct error *error)
{
    struct session s;
    struct vecadd v;
    session_open(&s, faults);
    must(&s, vecadd_open(&s, &v));
    bool same = gpu_function_takes(s.gpu, v.function, parameters, count, &s.error);
    *error = s.error;
    vecadd_close(&s, &v);
    session_close(&s);
    return same;
}

static void the_loaded_code_says_what_it_takes(void **state)
{
    const struct gpu_parameter *right = vecadd_parameters;
    const struct gpu_parameter more[] = { right[0], right[1], right[2], right[3], { 28, 4 } };
    static const struct gpu_parameter wide[] = { { 0, 8 }, { 8, 8 }, { 16, 8 }, { 24, 8 } };
    struct error error;
    assert_true(takes("", right, 4, &error));
    assert_false(takes("", right, 3, &error));
    assert_int_equal(error.code, EXIT_WRONG);
    holds(&error, "vecadd_thread_per_element: the code on the GPU has other parameters than its PTX says");
    assert_false(takes("", more, 5, &error));
    holds(&error, "from number 5 on");
    assert_false(takes("", wide, 4, &error));
    holds(&error, "from number 4 on");
    assert_false(takes("wider=2", right, 4, &error));
    holds(&error, "from number 2 on");
    assert_false(takes("cuFuncGetParamInfo=201", right, 4, &error));
    holds(&error, "Looking at the parameters of vecadd_thread_per_element");
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
        cmocka_unit_test(machine_code_for_another_gpu_is_passed_over),
        cmocka_unit_test(crashes_have_the_codes_of_a_gpu),
        cmocka_unit_test(memory_that_was_given_back_is_nobodys),
        cmocka_unit_test(the_loaded_code_says_what_it_takes),
        cmocka_unit_test(a_kernel_that_never_ends),
        cmocka_unit_test(a_kernel_that_leaves_its_buffers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
