// Allocations that fail: reading and writing records, requests, workbooks and kernel files, and runs on the CPU and in
// the simulator, each once with its first allocation failing, once with its second, and so on until none fails any
// more; at every other try all allocations that follow fail too. Every time it succeeds, fails with an error that says
// something, or ends with the program's sentence that there is no memory; nothing crashes, hangs or leaks. The linker
// puts the allocator of this file in the place of the C library's, and each try is a process of its own.
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "engine/run/simulation.h"
#include "lessons/lessons.h"

// ---- the allocator ------------------------------------------------------------------------------------

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
char *__real_strdup(const char *text);
void __real_free(void *memory);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);
char *__wrap_strdup(const char *text);
void __wrap_free(void *memory);
void __wrap_exit(int status);

enum { BLOCKS = 1 << 16 }; // a power of two
static struct {
    pthread_mutex_t lock;
    bool counting, all_after; // all_after: not one allocation fails but all from that one on
    size_t calls, fails_at, failed;
    const void *blocks[BLOCKS]; // those that are not freed yet; the place of one is near its hash
    size_t live;
} heap = { .lock = PTHREAD_MUTEX_INITIALIZER };

static size_t block_place(const void *memory)
{
    size_t at = ((uintptr_t)memory >> 4) * 0x9e3779b97f4a7c15u >> 48 & (BLOCKS - 1);
    while (heap.blocks[at] && heap.blocks[at] != memory)
        at = (at + 1) & (BLOCKS - 1);
    return at;
}

static bool allocation_fails(void)
{
    pthread_mutex_lock(&heap.lock);
    bool fails =
        heap.counting && (++heap.calls == heap.fails_at || (heap.all_after && heap.calls > heap.fails_at));
    heap.failed += fails;
    pthread_mutex_unlock(&heap.lock);
    return fails;
}

static void *block_taken(void *memory)
{
    pthread_mutex_lock(&heap.lock);
    if (heap.counting && memory && heap.live < BLOCKS / 2) {
        heap.blocks[block_place(memory)] = memory;
        heap.live++;
    }
    pthread_mutex_unlock(&heap.lock);
    return memory;
}

// What was allocated inside the C library is not known here, and not counted.
static void block_given(const void *memory)
{
    pthread_mutex_lock(&heap.lock);
    size_t hole = block_place(memory);
    if (memory && heap.blocks[hole]) {
        heap.live--;
        heap.blocks[hole] = NULL;
        for (size_t at = (hole + 1) & (BLOCKS - 1); heap.blocks[at]; at = (at + 1) & (BLOCKS - 1)) {
            const void *moved = heap.blocks[at];
            heap.blocks[at] = NULL;
            heap.blocks[block_place(moved)] = moved;
        }
    }
    pthread_mutex_unlock(&heap.lock);
}

void *__wrap_malloc(size_t size)
{
    return allocation_fails() ? NULL : block_taken(__real_malloc(size));
}

void *__wrap_calloc(size_t count, size_t size)
{
    return allocation_fails() ? NULL : block_taken(__real_calloc(count, size));
}

void *__wrap_realloc(void *memory, size_t size)
{
    if (allocation_fails())
        return NULL;
    block_given(memory);
    return block_taken(__real_realloc(memory, size));
}

char *__wrap_strdup(const char *text)
{
    return allocation_fails() ? NULL : block_taken(__real_strdup(text));
}

void __wrap_free(void *memory)
{
    block_given(memory);
    __real_free(memory);
}

// Without what the test program itself does at its end.
void __wrap_exit(int status)
{
    _exit(status);
}

// ---- tries --------------------------------------------------------------------------------------------

enum { NOTHING_FAILED = 40, DONE_ALL_THE_SAME, SAID_WHY, SAID_NOTHING, LEAKED };

// True: done. What it allocates it frees, whatever fails.
typedef bool (*task)(struct error *error);

__attribute__((noreturn)) static void try_once(task body, size_t fails_at, bool all_after)
{
    struct error error = { 0 };
    alarm(60);
    heap.fails_at = fails_at;
    heap.all_after = all_after;
    heap.counting = true;
    bool done = body(&error);
    heap.counting = false;
    if (heap.live)
        dprintf(STDERR_FILENO, "%zu blocks are left, after %s\n", heap.live, done ? "success" : error.text);
    bool said = error.text[0] && error.code != EXIT_RIGHT;
    _exit(heap.live      ? LEAKED
          : !heap.failed ? NOTHING_FAILED
          : done         ? DONE_ALL_THE_SAME
          : said         ? SAID_WHY
                         : SAID_NOTHING);
}

// Has the task done in a process where an allocation fails; true: there are no more that could.
static bool ends_well(task body, size_t fails_at, bool all_after)
{
    char said[4096] = "";
    int status, words = memfd_create("stderr", MFD_CLOEXEC);
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        dup2(words, STDERR_FILENO);
        try_once(body, fails_at, all_after);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(pread(words, said, sizeof said - 1, 0) >= 0);
    close(words);
    int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    bool told = code == EXIT_MISSING && strstr(said, "There is no memory left here");
    if (!told && code != NOTHING_FAILED && code != DONE_ALL_THE_SAME && code != SAID_WHY)
        fail_msg("allocation %zu%s: wait status %d: %s", fails_at, all_after ? " and all after it" : "",
                 status, said);
    return code == NOTHING_FAILED;
}

// `between` is called after each try; NULL: nothing is.
static void survives(task body, void (*between)(void))
{
    size_t fails_at = 1;
    for (bool over = false; !over; fails_at += !over) {
        over = ends_well(body, fails_at, fails_at % 2);
        if (between)
            between();
    }
    print_message("%zu allocations\n", fails_at - 1);
    assert_true(fails_at > 3); // or nothing was tried
}

// ---- what is read and written -------------------------------------------------------------------------

static const char record_line[] =
    "{\"lab\":\"vecadd\",\"variant\":\"1-one\",\"title\":\"v\",\"backend\":\"sim\",\"status\":\"wrong\","
    "\"message\":\"m\",\"params\":{\"n\":1024,\"x\":1.5},\"median_ms\":1.5,"
    "\"counters\":{\"gld_req\":1,\"busiest\":3.0},"
    "\"findings\":[{\"kind\":\"out of bounds\",\"severity\":\"error\",\"count\":2,\"sentence\":\"s\"}],"
    "\"lines\":[{\"gst_req\":2,\"line\":7}],"
    "\"instructions\":[{\"ptx_line\":31,\"text\":\"ld\",\"executions\":1,\"lanes\":32,"
    "\"costs\":{\"global load\":{\"requests\":1,\"passes\":4,\"ideal\":4,\"conflicts\":0}}}],"
    "\"digests\":{\"a\":\"00f00000000000ff\"},\"printed\":\"p\","
    "\"diagnostics\":[{\"severity\":\"warning\",\"line\":3,\"column\":0,\"message\":\"unused\"}]}";

static bool record_there_and_back(struct error *error)
{
    struct record record;
    json_t *json = json_loads(record_line, 0, NULL);
    bool read = json && record_from_json(&record, json, error);
    json_decref(json);
    if (!read)
        return error->text[0] ? false : error_set(error, EXIT_MISSING, "It cannot be parsed.");
    json = record_to_json(&record);
    char *text = json_dumps(json, JSON_COMPACT);
    bool same = text && strlen(text) > sizeof record_line - 1; // with the counters' names in ncu
    free(text);
    json_decref(json);
    record_free(&record);
    return same || error_set(error, EXIT_MISSING, "It was written without some of it.");
}

static bool request_there_and_back(struct error *error)
{
    struct request request = request_new(ON_SIM, "vecadd", NULL, NULL, "small", "uniform"), again;
    request.source = mem_copy("source");
    bool made = request_set_param(&request, NULL, NULL, "n=1<<10", error);
    json_t *json = made ? request_to_json(&request) : NULL;
    made = json && request_from_json(&again, json, error);
    json_decref(json);
    request_free(&request);
    if (made)
        request_free(&again);
    return made;
}

static const char events[] = "{\"kind\":\"note\",\"text\":\"one\"}\n"
                             "{\"kind\":\"answer\",\"lesson\":\"01-x\",\"id\":\"a\",\"right\":true}\n"
                             "no event\n"
                             "{\"kind\":\"answer\",\"lesson\":\"01-x\",\"id\":\"b\"}\n";
static int workbook_fd; // of a file in memory, which is on disk at once

static bool workbook_read_and_added_to(struct error *error)
{
    char path[64];
    format_into(path, sizeof path, "/proc/self/fd/%d", workbook_fd);
    struct workbook *workbook = workbook_open(path, error);
    if (!workbook)
        return false;
    bool sound = workbook_count(workbook) > 0 && workbook_event(workbook, 0);
    sound = sound && workbook_add(workbook, "note", json_pack("{s:s}", "text", "words"), error);
    workbook_close(workbook);
    return sound;
}

static const char kernel[] = "//@ title   Twice\n"
                             "//@ param   n = 64\n"
                             "//@ buffer  a int[n] = i * 2\n"
                             "//@ buffer  c int[n]\n"
                             "//@ scratch tmp int[n]\n"
                             "//@ needs   n > 0\n"
                             "//@ launch  k<<<(n + 31) / 32, 32>>>(a, c)\n"
                             "//@ launch  k<<<1, 32>>>(a, tmp)\n"
                             ".version 7.0\n"
                             ".target sm_70\n"
                             ".address_size 64\n"
                             ".visible .entry k(.param .u64 a, .param .u64 c)\n"
                             "{\n"
                             "    .reg .b32 %r<6>;\n"
                             "    .reg .b64 %rd<8>;\n"
                             "    .shared .align 4 .b8 tile[128];\n"
                             "    ld.param.u64 %rd1, [a];\n"
                             "    ld.param.u64 %rd2, [c];\n"
                             "    mov.u32 %r1, %tid.x;\n"
                             "    mov.u32 %r2, %ctaid.x;\n"
                             "    mad.lo.s32 %r3, %r2, 32, %r1;\n"
                             "    mul.wide.s32 %rd3, %r3, 4;\n"
                             "    add.s64 %rd4, %rd1, %rd3;\n"
                             "    ld.global.u32 %r4, [%rd4];\n"
                             "    mul.wide.s32 %rd5, %r1, 4;\n"
                             "    mov.u64 %rd6, tile;\n"
                             "    add.s64 %rd6, %rd6, %rd5;\n"
                             "    st.shared.u32 [%rd6], %r4;\n"
                             "    bar.sync 0;\n"
                             "    ld.shared.u32 %r5, [%rd6];\n"
                             "    add.s64 %rd7, %rd2, %rd3;\n"
                             "    st.global.u32 [%rd7], %r5;\n"
                             "    ret;\n"
                             "}\n";

static bool kernel_file_read(struct error *error)
{
    struct variant variant;
    bool read = variant_parse(&variant, NULL, "k.ptx", kernel, error);
    if (read)
        variant_free(&variant);
    return read;
}

// ---- runs ---------------------------------------------------------------------------------------------

static struct request simulation_request(void)
{
    return (struct request){ .on = ON_SIM,
                             .file = (char *)"k.ptx",
                             .source = (char *)kernel,
                             .check = REQUEST_CHECK_ALL,
                             .threads = 1,
                             .limit_ms = 30000,
                             .memory_bytes = 1 << 30,
                             .instructions = true };
}

static struct worker quiet;

static bool run_and_drop(const struct request *request,
                         bool (*run)(struct worker *, const struct request *, struct record *,
                                     struct error *),
                         struct error *error)
{
    struct worker worker = quiet;
    struct record record;
    record_init(&record);
    bool done = run(&worker, request, &record, error);
    if (done) {
        json_t *json = record_to_json(&record);
        done = record.status != STATUS_NONE || error_set(error, EXIT_WRONG, "The record has no status.");
        json_decref(json);
    }
    record_free(&record);
    worker_problem_drop(&worker);
    return done;
}

static bool simulated(struct error *error)
{
    struct request request = simulation_request();
    return run_and_drop(&request, run_on_sim, error);
}

static bool stepped(struct error *error)
{
    struct request request = simulation_request();
    struct stepper stepper = { 0 };
    struct sim_finding *findings = NULL;
    bool opened = stepper_open(&stepper, &request, error);
    if (opened) {
        stepper_findings(&stepper, &findings);
        free(findings);
    }
    stepper_close(&stepper);
    return opened;
}

static bool run_by_the_cpu(struct error *error)
{
    struct request request = { .on = ON_CPU,
                               .lab = (char *)"vecadd",
                               .variant = (char *)"plain",
                               .reps = 1,
                               .params = { .bindings = { { "n", { false, 64, 0 } } }, .count = 1 } };
    return run_and_drop(&request, run_on_cpu, error);
}

// ---- the tests ----------------------------------------------------------------------------------------

static void a_record_survives(void **state)
{
    survives(record_there_and_back, NULL);
}

static void a_request_survives(void **state)
{
    survives(request_there_and_back, NULL);
}

// Whatever failed, no line was lost. What was added goes, or every try would have more to read.
static void keeps_every_line(void)
{
    char kept[sizeof events] = "";
    assert_int_equal(pread(workbook_fd, kept, sizeof events - 1, 0), sizeof events - 1);
    assert_string_equal(kept, events);
    assert_int_equal(ftruncate(workbook_fd, sizeof events - 1), 0);
}

static void a_workbook_survives(void **state)
{
    workbook_fd = memfd_create("workbook.jsonl", 0);
    assert_int_equal(write(workbook_fd, events, sizeof events - 1), sizeof events - 1);
    survives(workbook_read_and_added_to, keeps_every_line);
    close(workbook_fd);
}

static void a_kernel_file_survives(void **state)
{
    survives(kernel_file_read, NULL);
}

static void a_simulation_survives(void **state)
{
    survives(simulated, NULL);
}

static void stepping_survives(void **state)
{
    survives(stepped, NULL);
}

static void a_run_on_the_cpu_survives(void **state)
{
    survives(run_by_the_cpu, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_record_survives),         cmocka_unit_test(a_request_survives),
        cmocka_unit_test(a_workbook_survives),       cmocka_unit_test(a_kernel_file_survives),
        cmocka_unit_test(a_simulation_survives),     cmocka_unit_test(stepping_survives),
        cmocka_unit_test(a_run_on_the_cpu_survives),
    };
    json_set_alloc_funcs(mem_new, free); // as the program does
    quiet = (struct worker){ .answers = open("/dev/null", O_WRONLY | O_CLOEXEC), .printed = -1 };
    quiet.gauge = memory_gauge_open("");
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    memory_gauge_close(quiet.gauge);
    return failed;
}
