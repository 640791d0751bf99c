// Allocations that fail (no_memory.h): reading and writing records, requests, workbooks and kernel files, and runs on the
// CPU and in the simulator.
#include <fcntl.h>

#include "engine/base/lock.h"
#include "engine/run/simulation.h"
#include "lessons/lessons.h"
#include "tests/unit/no_memory.h"

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
    quiet.cpu_lock = lock_open("no-memory", "the CPU"); // as an executor does before the first request
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    lock_close(quiet.cpu_lock);
    memory_gauge_close(quiet.gauge);
    return failed;
}
