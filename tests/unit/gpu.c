// One GPU through the stand-in for libcuda: its facts, why there is none, memory and the copies.
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/fake/session.h"

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
    assert_non_null(strstr(driver_path(s.driver), "cuda"));
    session_close(&s);
}

static void fails_to_open(const char *library, const char *faults, const char *words)
{
    const char *before = getenv("WARPBOOK_LIBCUDA");
    char *kept = mem_copy(before != NULL ? before : "");
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

// ---- one of several ----------------------------------------------------------------------------------

// Chooses in a child, which keeps its GPU until it is killed.
static pid_t another_chooses(char uuid[48])
{
    int told[2];
    assert_int_equal(pipe(told), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct driver *driver;
        struct gpu *gpu;
        struct error error;
        if (driver_open(&driver, &error) && gpu_open(driver, GPU_ANY, &gpu, &error) &&
            write(told[1], gpu_facts(gpu)->uuid, 48) == 48)
            for (;;)
                pause();
        _exit(1);
    }
    close(told[1]);
    assert_int_equal(read(told[0], uuid, 48), 48);
    close(told[0]);
    return child;
}

static void gone(pid_t child)
{
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, NULL, 0), child);
}

static void gpus_are(const char *facts, const char *visible)
{
    setenv("WARPBOOK_FAKE_CUDA", facts, 1);
    visible != NULL ? setenv("CUDA_VISIBLE_DEVICES", visible, 1) : unsetenv("CUDA_VISIBLE_DEVICES");
}

// The stand-in's GPUs differ in the last digit of their UUIDs.
static char last(const char uuid[48])
{
    return uuid[strlen(uuid) - 1];
}

static void each_process_takes_the_least_used(void **state)
{
    char uuids[5][48];
    pid_t children[5];
    if (access("/proc/locks", R_OK) != 0)
        skip(); // nobody can be counted
    gpus_are("count=3,other=2", NULL);
    for (int i = 0; i < 4; i++)
        children[i] = another_chooses(uuids[i]);
    // Two of one model, by turns; the other model is left alone.
    assert_int_equal(last(uuids[0]), '0');
    assert_int_equal(last(uuids[1]), '1');
    assert_int_equal(last(uuids[2]), '0');
    assert_int_equal(last(uuids[3]), '1');
    gone(children[1]);
    gone(children[3]);
    children[4] = another_chooses(uuids[4]);
    assert_int_equal(last(uuids[4]), '1');
    gone(children[0]);
    gone(children[2]);
    gone(children[4]);
}

static void hidden_gpus_stay_alone(void **state)
{
    char uuids[2][48];
    if (access("/proc/locks", R_OK) != 0)
        skip();
    gpus_are("count=4", "3");
    pid_t first = another_chooses(uuids[0]), second = another_chooses(uuids[1]);
    assert_int_equal(last(uuids[0]), '3');
    assert_int_equal(last(uuids[1]), '3');
    gone(first);
    gone(second);
    gpus_are("count=4", "2,1");
    first = another_chooses(uuids[0]);
    second = another_chooses(uuids[1]);
    assert_int_equal(last(uuids[0]), '2');
    assert_int_equal(last(uuids[1]), '1');
    gone(first);
    gone(second);
    gpus_are("", NULL);
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
    must(s, download(s, back, buffer, bytes, &down));
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
                     download(&s, content, buffer, bytes, NULL);
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
    must(&s, download(&s, back, two, 64, NULL));
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

int main(void)
{
    setenv("WARPBOOK_LIBCUDA", "build/test/libfakecuda.so", 0);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tells_its_facts),
        cmocka_unit_test(says_why_there_is_no_gpu),
        cmocka_unit_test(a_gpu_that_is_not_there),
        cmocka_unit_test(each_process_takes_the_least_used),
        cmocka_unit_test(hidden_gpus_stay_alone),
        cmocka_unit_test(copies_arrive_whole),
        cmocka_unit_test(copies_arrive_without_page_locked_memory),
        cmocka_unit_test(pieces_come_in_order),
        cmocka_unit_test(a_copy_that_breaks_off_is_told),
        cmocka_unit_test(fills_and_copies),
        cmocka_unit_test(too_little_memory_names_the_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
