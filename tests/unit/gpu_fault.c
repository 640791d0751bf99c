// Every driver function that fails, with errors of every kind, becomes a sentence and leaves nothing behind.
#include <stdio.h>

#include "tests/fake/session.h"

// A texture and a surface over the buffer, filled and given back.
static bool use_textures(struct session *s, gpu_address at)
{
    struct gpu_texture *texture = NULL, *surface = NULL;
    struct gpu_image image = {
        .at = at, .pitch = 64, .width = 16, .height = 16, .kind = GPU_TEXEL_FLOAT, .channels = 1, .bits = 32
    };
    bool right = gpu_texture_make(s->gpu, &image, &texture, &s->error);
    image.surface = true;
    right = right && gpu_texture_make(s->gpu, &image, &surface, &s->error) &&
            gpu_texture_copy(s->gpu, texture, false, &s->error) &&
            gpu_texture_copy(s->gpu, surface, true, &s->error);
    gpu_texture_free(s->gpu, texture);
    gpu_texture_free(s->gpu, surface);
    return right;
}

// A whole session; true when nothing failed.
static bool whole_session(struct error *error)
{
    struct session s = { 0 };
    struct vecadd v = { 0 };
    struct ceilings ceilings;
    double c[ELEMENTS], ms = 0;
    bool right = driver_open(&s.driver, &s.error) && gpu_open(s.driver, 0, &s.gpu, &s.error) &&
                 gpu_helpers_load(s.gpu, NULL, helpers_ptx, &s.error) && vecadd_open(&s, &v);
    if (right) {
        gpu_address variable;
        size_t bytes = 0; // of one that the code does not have, which is no fault
        v.launch.shared_bytes = 100 << 10;
        right = gpu_module_variable(s.gpu, v.module, "none", &variable, &bytes, &s.error) && !bytes &&
                gpu_function_takes(s.gpu, v.function, vecadd_parameters, 4, &s.error) &&
                gpu_time(s.gpu, &v.launch, 1, true, 1000, &ms, &s.error);
        v.launch.cooperative = true;
        right = right && gpu_time(s.gpu, &v.launch, 1, true, 1000, &ms, &s.error) &&
                gpu_copy(s.gpu, v.a, v.c, sizeof c, &s.error) && download(&s, c, v.c, sizeof c, NULL) &&
                use_textures(&s, v.a) && gpu_ceilings_measure(s.gpu, &ceilings, &s.error);
    }
    if (s.gpu != NULL) {
        (void)gpu_free_bytes(s.gpu);
        vecadd_close(&s, &v);
    }
    gpu_close(s.gpu);
    driver_close(s.driver);
    *error = s.error;
    return right;
}

// Those whose failure costs a fact or a little memory, not the run.
static bool may_fail(const char *function)
{
    static const char *const names[] = {
        "cuDriverGetVersion",
        "cuDeviceGetUuid",
        "cuDeviceGetUuid_v2",
        "cuDevicePrimaryCtxRelease_v2",
        "cuModuleUnload",
        "cuMemFree_v2",
        "cuArrayDestroy",
        "cuTexObjectDestroy",
        "cuSurfObjectDestroy",
        "cuMemFreeHost",
        "cuEventDestroy_v2",
        "cuGetErrorName",
        "cuGetErrorString",
        "cuFuncGetAttribute",
        "cuMemGetInfo_v2",
        "cuMemAllocHost_v2",
        "cuMemcpyHtoD_v2",
        "cuMemcpyDtoH_v2",
        "cuOccupancyMaxActiveBlocksPerMultiprocessor",
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(names[i], function) == 0)
            return true;
    return false;
}

// A lost GPU is left to the end of the process.
static bool loses(int code)
{
    return code == 700 || code == 999;
}

static bool gives_back(const char *function)
{
    return strstr(function, "Free") != NULL || strstr(function, "Destroy") != NULL ||
           strstr(function, "Unload") != NULL || strstr(function, "Release") != NULL;
}

static void try_fault(const char *function, int code, int from)
{
    char faults[128];
    struct error error;
    snprintf(faults, sizeof faults, "memory=32,%s=%d@%d", function, code, from);
    setenv("WARPBOOK_FAKE_CUDA", faults, 1);
    bool right = whole_session(&error);
    if (right && from == 1 && !may_fail(function))
        fail_msg("%s went unnoticed", faults);
    if (!right && (error.code == EXIT_RIGHT || strchr(error.text, '.') == NULL))
        fail_msg("%s has no sentence, but: %s", faults, error.text);
    if (strstr(error.text, "(null)") != NULL)
        fail_msg("%s: %s", faults, error.text);
    if (!loses(code) && !gives_back(function) && live() != 0)
        fail_msg("%s leaves %d things behind", faults, live());
}

static void every_error_is_a_sentence(void **state)
{
#define NAME(name, parameters) #name,
    static const char *const names[] = { DRIVER_FUNCTIONS(NAME) DRIVER_OPTIONAL(NAME) };
    static const int codes[] = { 1, 2, 700, 999, 12345 };
    struct error error;
    setenv("WARPBOOK_FAKE_CUDA", "memory=32", 1);
    if (!whole_session(&error))
        fail_msg("%s", error.text);
    assert_int_equal(live(), 0);
    for (size_t n = 0; n < sizeof names / sizeof names[0]; n++)
        for (size_t c = 0; c < sizeof codes / sizeof codes[0]; c++)
            for (int from = 1; from <= 3; from += 2)
                try_fault(names[n], codes[c], from);
}

int main(void)
{
    setenv("WARPBOOK_LIBCUDA", "build/test/libfakecuda.so", 0);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_error_is_a_sentence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
