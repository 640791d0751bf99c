// A GPU that several processes use: a lab's data stay there for the next run, unless somebody waits for the GPU.
#include "engine/run/worker.h"
#include "tests/fake/session.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char kernel[] =
    "//@ title   Sum\n"
    "//@ param   n = 1000\n"
    "//@ buffer  a double[n] = i\n"
    "//@ buffer  b double[n] = 2 * i\n"
    "//@ buffer  c double[n]\n"
    "//@ launch  vecadd_thread_per_element<<<(n + 255) / 256, 256>>>(a, b, c, n)\n"
    "__global__ void vecadd_thread_per_element(double *, double *, double *, int);\n";
static const char lock_name[] = "gpu-GPU-a0a1a2a3-a4a5-a6a7-a8a9-aaabacadae00";

// The compile is another process's work; what comes from there is the PTX.
bool __wrap_worker_compile(void *context, const struct compile_request *request, struct compiled *out,
                           struct error *error);
bool __wrap_worker_compile(void *context, const struct compile_request *request, struct compiled *out,
                           struct error *error)
{
    bool helpers = strstr(request->file, "ceiling");
    *out = (struct compiled){ .by = COMPILER_NVRTC, .target = request->target };
    out->ptx = mem_copy(helpers ? helpers_ptx : vecadd_ptx);
    return true;
}

static void run(struct worker *worker)
{
    struct request request = {
        .on = ON_GPU, .file = (char *)"k.cu", .source = (char *)kernel, .reps = 2, .limit_ms = 10000
    };
    struct record record;
    struct error error;
    record_init(&record);
    if (!run_on_gpu(worker, &request, &record, &error))
        fail_msg("%s", error.text);
    record_free(&record);
}

static int buffers_there(const struct worker *worker)
{
    int there = 0;
    for (size_t b = 0; b < worker->problem.buffer_count; b++)
        there += worker->device[b].address != 0;
    return there;
}

// How many wait for a file of the lock, by /proc/locks.
static int waiting_at(const char *end)
{
    char path[200], line[256], number[32];
    struct stat status;
    int waiting = 0;
    snprintf(path, sizeof path, "%s/warpbook-%s.%s", getenv("WARPBOOK_LOCKS"), lock_name, end);
    FILE *locks = fopen("/proc/locks", "r");
    if (locks == NULL || stat(path, &status) != 0)
        return -1;
    snprintf(number, sizeof number, ":%lu ", (unsigned long)status.st_ino);
    while (fgets(line, sizeof line, locks) != NULL)
        waiting += strstr(line, "->") != NULL && strstr(line, number) != NULL;
    fclose(locks);
    return waiting;
}

// Before the answers are checked, the one who comes next has come.
static bool somebody_comes;
void __wrap_worker_stage(struct worker *worker, int limit_ms, const char *format, ...);
void __wrap_worker_stage(struct worker *worker, int limit_ms, const char *format, ...)
{
    while (somebody_comes && strcmp(format, "checking") == 0 && waiting_at("lock") < 1)
        sched_yield();
}

// Holds the lock until one waits for it and another after that one.
static void hold_until_two_wait(int told)
{
    struct lock *lock = lock_open(lock_name, "GPU");
    struct error error;
    if (lock_take(lock, NULL, NULL, &error) && write(told, "x", 1) == 1)
        while (waiting_at("gate") < 1)
            sched_yield();
    _exit(0);
}

static void wait_behind_one(void)
{
    struct error error;
    while (waiting_at("lock") < 1)
        sched_yield();
    if (lock_take(lock_open(lock_name, "GPU"), NULL, NULL, &error))
        for (;;)
            pause();
    _exit(1);
}

static void data_are_given_to_who_waits(void **state)
{
    struct worker worker = { .confined = true, .gauge = memory_gauge_open("") };
    int told[2], out = dup(STDOUT_FILENO);
    char byte;
    if (access("/proc/locks", R_OK) != 0)
        skip();
    worker.answers = open("/dev/null", O_WRONLY | O_CLOEXEC);
    worker.printed = memfd_create("printed", MFD_CLOEXEC);
    fflush(stdout);
    dup2(worker.printed, STDOUT_FILENO); // where a kernel prints
    run(&worker);
    int kept = buffers_there(&worker);

    assert_int_equal(pipe(told), 0);
    pid_t holds = fork();
    if (holds == 0)
        hold_until_two_wait(told[1]);
    assert_int_equal(read(told[0], &byte, 1), 1);
    pid_t waits = fork();
    if (waits == 0)
        wait_behind_one();
    somebody_comes = true;
    run(&worker);
    somebody_comes = false;
    int given = buffers_there(&worker);
    kill(waits, SIGKILL);
    waitpid(waits, NULL, 0);
    waitpid(holds, NULL, 0);
    run(&worker);
    int again = buffers_there(&worker);

    worker_gpu_close(&worker);
    fflush(stdout);
    dup2(out, STDOUT_FILENO);
    close(worker.printed);
    close(worker.answers);
    memory_gauge_close(worker.gauge);
    assert_int_equal(kept, 3);
    assert_int_equal(given, 0);
    assert_int_equal(again, 3);
}

int main(void)
{
    setenv("WARPBOOK_LIBCUDA", "build/test/libfakecuda.so", 0);
    setenv("WARPBOOK_FAKE_CUDA", "", 1);
    const struct CMUnitTest tests[] = { cmocka_unit_test(data_are_given_to_who_waits) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
