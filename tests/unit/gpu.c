// The GPU layer through the stand-in for libcuda: what it does when all goes well, and that every driver
// function that fails becomes a sentence, with nothing left behind.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/gpu/driver.h"

static const char vecadd_ptx[] = ".version 8.0\n.target sm_70\n"
                                 ".visible .entry vecadd_thread_per_element(\n.param .u64 a)\n{ ret; }\n"
                                 ".visible .entry vecadd_one_thread(\n.param .u64 a)\n{ ret; }\n";
static const char helpers_ptx[] = ".version 8.0\n.target sm_70\n"
                                  ".visible .entry warpbook_read(\n) { ret; }\n"
                                  ".visible .entry warpbook_copy(\n) { ret; }\n"
                                  ".visible .entry warpbook_noise(\n) { ret; }\n"
                                  ".visible .entry warpbook_empty(\n) { ret; }\n"
                                  ".visible .entry warpbook_hold(\n) { ret; }\n";

// What the stand-in gave out and did not get back.
static int live(void)
{
    void *library = dlopen(getenv("WARPBOOK_LIBCUDA"), RTLD_NOW | RTLD_NOLOAD);
    assert_non_null(library);
    int (*count)(void) = NULL;
    void *symbol = dlsym(library, "fake_cuda_live");
    assert_non_null(symbol);
    memcpy(&count, &symbol, sizeof count);
    int answer = count();
    dlclose(library);
    return answer;
}

struct session {
    struct driver *driver;
    struct gpu *gpu;
    struct error error;
};

static void session_open(struct session *session, const char *faults)
{
    memset(session, 0, sizeof *session);
    setenv("WARPBOOK_FAKE_CUDA", faults, 1);
    if (!driver_open(&session->driver, &session->error) ||
        !gpu_open(session->driver, 0, &session->gpu, &session->error))
        fail_msg("%s", session->error.text);
}

static void session_close(struct session *session)
{
    bool lost = gpu_lost(session->gpu);
    gpu_close(session->gpu);
    driver_close(session->driver);
    if (!lost)
        assert_int_equal(live(), 0);
}

static void holds(const struct error *error, const char *words)
{
    if (strstr(error->text, words) == NULL)
        fail_msg("'%s' is not in: %s", words, error->text);
}

static void must(struct session *session, bool right)
{
    if (!right)
        fail_msg("%s", session->error.text);
}

// ---- the driver and the device --------------------------------------------------------------------

static void tells_its_facts(void **state)
{
    struct session s;
    session_open(&s, "sms=16,l2=4,memory=64,target=75,driver=12040");
    const struct gpu_facts *facts = gpu_facts(s.gpu);
    assert_string_equal(facts->name, "Stand-in GPU");
    assert_string_equal(facts->uuid, "GPU-a0a1a2a3-a4a5-a6a7-a8a9-aaabacadae00");
    assert_int_equal(facts->target, 75);
    assert_int_equal(facts->sm_count, 16);
    assert_int_equal(facts->l2_bytes, 4 << 20);
    assert_int_equal(facts->driver_version, 12040);
    assert_int_equal(facts->max_block_threads, 1024);
    assert_int_equal(facts->shared_block_bytes, 227 << 10);
    assert_true(facts->clock_mhz == 1500);
    assert_true(gpu_free_bytes(s.gpu) == 64 << 20);
    assert_int_equal(driver_version(s.driver), 12040);
    assert_int_equal(driver_device_count(s.driver), 1);
    assert_non_null(strstr(driver_path(s.driver), "cuda"));
    session_close(&s);
}

static void fails_to_open(const char *library, const char *faults, const char *words)
{
    char *kept = strdup(getenv("WARPBOOK_LIBCUDA"));
    setenv("WARPBOOK_FAKE_CUDA", faults, 1);
    if (library != NULL)
        setenv("WARPBOOK_LIBCUDA", library, 1);
    struct driver *driver = NULL;
    struct error error = { 0 };
    assert_false(driver_open(&driver, &error));
    assert_null(driver);
    assert_int_equal(error.code, EXIT_MISSING);
    holds(&error, words);
    setenv("WARPBOOK_LIBCUDA", kept, 1);
    free(kept);
}

static void says_why_there_is_no_gpu(void **state)
{
    fails_to_open(NULL, "count=0", "sees no GPU");
    fails_to_open(NULL, "cuInit=100", "nvidia-smi");
    fails_to_open(NULL, "cuInit=34", "stub");
    fails_to_open(NULL, "cuInit=803", "different versions");
    fails_to_open(NULL, "cuInit=4711", "told to fail");
    fails_to_open("/nonexistent/libcuda.so.1", "", "$WARPBOOK_LIBCUDA");
    fails_to_open("libm.so.6", "", "too old");
}

static void a_gpu_that_is_not_there(void **state)
{
    struct session s;
    struct gpu *gpu = NULL;
    session_open(&s, "");
    assert_false(gpu_open(s.driver, 7, &gpu, &s.error));
    assert_null(gpu);
    holds(&s.error, "no GPU with this number");
    session_close(&s);
}

// ---- memory ---------------------------------------------------------------------------------------

static unsigned char *noise(size_t bytes, unsigned seed)
{
    unsigned char *content = malloc(bytes + 1);
    assert_non_null(content);
    for (size_t i = 0; i < bytes; i++)
        content[i] = (unsigned char)((seed = seed * 1664525 + 1013904223) >> 24);
    return content;
}

static void round_trip(struct session *s, size_t bytes, bool timed_by_gpu)
{
    unsigned char *sent = noise(bytes, 1), *back = noise(bytes, 2);
    gpu_address buffer = 0;
    double up = -1, down = -1;
    must(s, gpu_alloc(s->gpu, bytes, &buffer, &s->error));
    must(s, gpu_upload(s->gpu, buffer, sent, bytes, &up, &s->error));
    must(s, gpu_download(s->gpu, back, buffer, bytes, &down, &s->error));
    assert_memory_equal(sent, back, bytes);
    double expected = (double)bytes / (1 << 20) * 0.05; // the stand-in's clock
    if (timed_by_gpu) {
        assert_true(fabs(up - expected) < 1e-4);
        assert_true(fabs(down - expected) < 1e-4);
    }
    assert_true(up >= 0 && down >= 0);
    gpu_free(s->gpu, buffer);
    free(sent);
    free(back);
}

static void copies_arrive_whole(void **state)
{
    const size_t sizes[] = { 0,
                             1,
                             4096,
                             PIECE_BYTES - 1,
                             PIECE_BYTES,
                             (size_t)PIECE_COUNT * PIECE_BYTES + 7,
                             (size_t)6 * PIECE_BYTES };
    struct session s;
    session_open(&s, "");
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        round_trip(&s, sizes[i], true);
    session_close(&s);
}

static void copies_arrive_without_page_locked_memory(void **state)
{
    struct session s;
    session_open(&s, "cuMemAllocHost_v2=2@3"); // the third piece is refused: the first two go back
    round_trip(&s, (size_t)2 * PIECE_BYTES + 5, false);
    round_trip(&s, 100, false);
    session_close(&s);
}

struct looks {
    size_t next, count;
    const unsigned char *sent;
};
static void look(void *context, const void *bytes, size_t offset, size_t length)
{
    struct looks *looks = context;
    assert_int_equal(offset, looks->next);
    assert_memory_equal(bytes, looks->sent + offset, length);
    looks->next += length;
    looks->count++;
}

static void pieces_come_in_order(void **state)
{
    struct session s;
    session_open(&s, "");
    size_t bytes = (size_t)5 * PIECE_BYTES + 3;
    unsigned char *sent = noise(bytes, 3);
    struct looks looks = { .sent = sent };
    gpu_address buffer = 0;
    must(&s, gpu_alloc(s.gpu, bytes, &buffer, &s.error));
    must(&s, gpu_upload(s.gpu, buffer, sent, bytes, NULL, &s.error));
    must(&s, gpu_download_each(s.gpu, buffer, bytes, look, &looks, NULL, &s.error));
    assert_int_equal(looks.next, bytes);
    assert_int_equal(looks.count, 6);
    gpu_free(s.gpu, buffer);
    free(sent);
    session_close(&s);
}

static void a_copy_that_breaks_off_is_told(void **state)
{
    const char *faults[] = { "cuMemcpyHtoDAsync_v2=1@6", "cuMemcpyDtoHAsync_v2=1@6" };
    size_t bytes = (size_t)7 * PIECE_BYTES;
    unsigned char *content = noise(bytes, 4);
    for (int i = 0; i < 2; i++) {
        struct session s;
        gpu_address buffer = 0;
        session_open(&s, faults[i]);
        must(&s, gpu_alloc(s.gpu, bytes, &buffer, &s.error));
        bool right = gpu_upload(s.gpu, buffer, content, bytes, NULL, &s.error) &&
                     gpu_download(s.gpu, content, buffer, bytes, NULL, &s.error);
        assert_false(right);
        holds(&s.error, i == 0 ? "Copying to the GPU" : "Copying from the GPU");
        gpu_free(s.gpu, buffer);
        session_close(&s);
    }
    free(content);
}

static void fills_and_copies(void **state)
{
    struct session s;
    session_open(&s, "");
    unsigned char back[64], want[64];
    gpu_address one = 0, two = 0;
    must(&s, gpu_alloc(s.gpu, 64, &one, &s.error));
    must(&s, gpu_alloc(s.gpu, 64, &two, &s.error));
    must(&s, gpu_fill(s.gpu, one, 0xab, 64, &s.error));
    must(&s, gpu_fill(s.gpu, two, 0, 64, &s.error));
    must(&s, gpu_copy(s.gpu, two, one, 32, &s.error));
    must(&s, gpu_download(s.gpu, back, two, 64, NULL, &s.error));
    memset(want, 0xab, 32);
    memset(want + 32, 0, 32);
    assert_memory_equal(back, want, 64);
    assert_false(gpu_fill(s.gpu, one, 0, 65, &s.error)); // past its end
    gpu_free(s.gpu, one);
    gpu_free(s.gpu, two);
    session_close(&s);
}

static void too_little_memory_names_the_numbers(void **state)
{
    struct session s;
    gpu_address buffer = 1;
    session_open(&s, "memory=100");
    assert_false(gpu_alloc(s.gpu, (size_t)300 << 20, &buffer, &s.error));
    assert_int_equal(buffer, 0);
    assert_int_equal(s.error.code, EXIT_MISSING);
    holds(&s.error, "300.0 MiB");
    holds(&s.error, "100.0 MiB are free");
    holds(&s.error, "CUDA_ERROR_OUT_OF_MEMORY, 2, from cuMemAlloc_v2");
    assert_false(gpu_lost(s.gpu));
    session_close(&s);
}

// ---- launches -------------------------------------------------------------------------------------

enum { ELEMENTS = 1000 };
struct vecadd {
    struct gpu_module *module;
    struct gpu_function *function;
    gpu_address a, b, c;
    int n;
    void *arguments[4];
    struct gpu_launch launch;
};

static bool vecadd_open(struct session *s, struct vecadd *v)
{
    *v = (struct vecadd){ .n = ELEMENTS };
    double a[ELEMENTS], b[ELEMENTS];
    for (int i = 0; i < ELEMENTS; i++) {
        a[i] = i;
        b[i] = 10000 * i;
    }
    if (!gpu_module_load(s->gpu, vecadd_ptx, &v->module, &s->error) ||
        !gpu_function_find(s->gpu, v->module, "vecadd_thread_per_element", &v->function, &s->error) ||
        !gpu_alloc(s->gpu, sizeof a, &v->a, &s->error) || !gpu_alloc(s->gpu, sizeof a, &v->b, &s->error) ||
        !gpu_alloc(s->gpu, sizeof a, &v->c, &s->error) ||
        !gpu_upload(s->gpu, v->a, a, sizeof a, NULL, &s->error) ||
        !gpu_upload(s->gpu, v->b, b, sizeof a, NULL, &s->error) ||
        !gpu_fill(s->gpu, v->c, 0xff, sizeof a, &s->error))
        return false;
    v->arguments[0] = &v->a;
    v->arguments[1] = &v->b;
    v->arguments[2] = &v->c;
    v->arguments[3] = &v->n;
    v->launch = (struct gpu_launch){ .function = v->function,
                                     .name = "vecadd_thread_per_element",
                                     .grid = { 4, 1, 1 },
                                     .block = { 256, 1, 1 },
                                     .arguments = v->arguments };
    return true;
}

static void vecadd_close(struct session *s, struct vecadd *v)
{
    gpu_free(s->gpu, v->a);
    gpu_free(s->gpu, v->b);
    gpu_free(s->gpu, v->c);
    gpu_module_unload(s->gpu, v->module);
}

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
        { { 1, 1, 1 }, { 64, 32, 1 }, 0, "a block of 2048 threads" },
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

// ---- ceilings -------------------------------------------------------------------------------------

static void ceilings_are_measured(void **state)
{
    struct session s;
    struct ceilings ceilings;
    session_open(&s, "memory=66,l2=1");
    assert_false(gpu_ceilings_measure(s.gpu, &ceilings, &s.error)); // no kernels yet
    holds(&s.error, "not loaded");
    must(&s, gpu_helpers_load(s.gpu, helpers_ptx, &s.error));
    must(&s, gpu_ceilings_measure(s.gpu, &ceilings, &s.error));
    // 64 MiB are free beside the 2 MiB for flushing, a quarter is taken, and a launch takes 0.25 ms.
    double bytes = 16 << 20, expected = bytes / 0.25 / 1e6;
    assert_true(fabs(ceilings.read_gbps - expected) < 0.01);
    assert_true(fabs(ceilings.copy_gbps - expected) < 0.01);
    assert_true(fabs(ceilings.launch_us - 250) < 0.1);
    assert_true(ceilings.shared_gbps == 128 * 4 * 1.5);
    assert_int_equal(strlen(ceilings.date), 20);
    session_close(&s);
    session_open(&s, "memory=20,l2=2");
    must(&s, gpu_helpers_load(s.gpu, helpers_ptx, &s.error));
    assert_false(gpu_ceilings_measure(s.gpu, &ceilings, &s.error));
    holds(&s.error, "32 MiB of free memory");
    assert_true(isnan(ceilings.read_gbps));
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
    "{\"method\": 1, \"driver_version\": 13000, \"copy_gbps\": 5, \"launch_us\": 5, \"read_gbps\": %s}";

static void ceilings_are_kept(void **state)
{
    char folder[] = "/tmp/warpbook-test-XXXXXX", path[256];
    assert_non_null(mkdtemp(folder));
    setenv("WARPBOOK_CACHE", folder, 1);
    struct gpu_facts facts = { .name = "Stand-in GPU", .uuid = "GPU-0123-ab", .driver_version = 13000 };
    struct ceilings kept = { 3000.5, 2800, 33000, 5.25, "2026-11-21T09:30:00Z" }, read;
    struct error error;
    assert_false(gpu_ceilings_kept(&facts, &read));
    assert_true(gpu_ceilings_keep(&facts, &kept, &error));
    assert_true(gpu_ceilings_kept(&facts, &read));
    assert_true(read.read_gbps == kept.read_gbps && read.copy_gbps == kept.copy_gbps &&
                read.shared_gbps == kept.shared_gbps && read.launch_us == kept.launch_us);
    assert_string_equal(read.date, kept.date);
    facts.driver_version = 13010;
    assert_false(gpu_ceilings_kept(&facts, &read));
    facts.driver_version = 13000;
    const char *damaged[] = { "", "{", "[]", "{\"method\": 1, \"driver_version\": 13000}" };
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

// ---- every function, every kind of error ----------------------------------------------------------

// A whole session; true when nothing failed.
static bool whole_session(struct error *error)
{
    struct session s = { 0 };
    struct vecadd v = { 0 };
    struct ceilings ceilings;
    double c[ELEMENTS], ms = 0;
    bool right = driver_open(&s.driver, &s.error) && gpu_open(s.driver, 0, &s.gpu, &s.error) &&
                 gpu_helpers_load(s.gpu, helpers_ptx, &s.error) && vecadd_open(&s, &v);
    if (right) {
        v.launch.shared_bytes = 100 << 10;
        right = gpu_time(s.gpu, &v.launch, 1, true, 1000, &ms, &s.error) &&
                gpu_copy(s.gpu, v.a, v.c, sizeof c, &s.error) &&
                gpu_download(s.gpu, c, v.c, sizeof c, NULL, &s.error) &&
                gpu_ceilings_measure(s.gpu, &ceilings, &s.error);
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
static bool may_fail(const char *function, int code)
{
    static const char *const names[] = {
        "cuDriverGetVersion",   "cuDeviceGetUuid",
        "cuDeviceGetUuid_v2",   "cuDevicePrimaryCtxRelease_v2",
        "cuModuleUnload",       "cuMemFree_v2",
        "cuMemFreeHost",        "cuEventDestroy_v2",
        "cuGetErrorName",       "cuGetErrorString",
        "cuFuncGetAttribute",   "cuMemGetInfo_v2",
        "cuMemAllocHost_v2",    "cuMemcpyHtoD_v2",
        "cuMemcpyDtoH_v2",      "cuOccupancyMaxActiveBlocksPerMultiprocessor",
        "cuDeviceGetAttribute", "cuCtxSetCurrent",
        "cuEventCreate",
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(names[i], function) == 0)
            return true;
    return false;
}

static void every_error_is_a_sentence(void **state)
{
#define NAME(name, parameters) #name,
    static const char *const names[] = { DRIVER_FUNCTIONS(NAME) DRIVER_OPTIONAL(NAME) };
    static const int codes[] = { 1, 2, 700, 999, 12345 };
    char faults[128];
    struct error error;
    setenv("WARPBOOK_FAKE_CUDA", "memory=32", 1);
    if (!whole_session(&error))
        fail_msg("%s", error.text);
    assert_int_equal(live(), 0);
    for (size_t n = 0; n < sizeof names / sizeof names[0]; n++)
        for (size_t c = 0; c < sizeof codes / sizeof codes[0]; c++)
            for (int from = 1; from <= 3; from += 2) {
                snprintf(faults, sizeof faults, "memory=32,%s=%d@%d", names[n], codes[c], from);
                setenv("WARPBOOK_FAKE_CUDA", faults, 1);
                bool right = whole_session(&error);
                if (right && from == 1 && !may_fail(names[n], codes[c]))
                    fail_msg("%s went unnoticed", faults);
                if (!right && (error.text[0] == '\0' || error.code == EXIT_RIGHT))
                    fail_msg("%s has no sentence", faults);
                if (!right && (strchr(error.text, '.') == NULL || strstr(error.text, "(null)") != NULL))
                    fail_msg("%s: %s", faults, error.text);
            }
}

int main(void)
{
    setenv("WARPBOOK_LIBCUDA", "build/test/libfakecuda.so", 0);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tells_its_facts),
        cmocka_unit_test(says_why_there_is_no_gpu),
        cmocka_unit_test(a_gpu_that_is_not_there),
        cmocka_unit_test(copies_arrive_whole),
        cmocka_unit_test(copies_arrive_without_page_locked_memory),
        cmocka_unit_test(pieces_come_in_order),
        cmocka_unit_test(a_copy_that_breaks_off_is_told),
        cmocka_unit_test(fills_and_copies),
        cmocka_unit_test(too_little_memory_names_the_numbers),
        cmocka_unit_test(a_launch_computes_and_is_timed),
        cmocka_unit_test(flushing_is_not_timed),
        cmocka_unit_test(launches_that_cannot_work),
        cmocka_unit_test(a_missing_kernel_and_bad_ptx_are_told),
        cmocka_unit_test(a_kernel_that_never_ends),
        cmocka_unit_test(a_kernel_that_leaves_its_buffers),
        cmocka_unit_test(ceilings_are_measured),
        cmocka_unit_test(ceilings_are_kept),
        cmocka_unit_test(every_error_is_a_sentence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
