// Allocations that fail (no_memory.h): a GPU, through the stand-in for libcuda, and what it is given; a run on it; what
// compilers made, as it is kept, sent and explained.
#include "engine/compile/parts.h"
#include "engine/run/worker.h"
#include "tests/fake/session.h"
#include "tests/unit/no_memory.h"

#include <fcntl.h>

// ---- the GPU ------------------------------------------------------------------------------------------

static bool kernel_timed(struct session *s)
{
    struct vecadd v;
    double ms, c[ELEMENTS];
    bool right = vecadd_open(s, &v) && gpu_time(s->gpu, &v.launch, 1, true, 1000, &ms, &s->error) &&
                 download(s, c, v.c, sizeof c, NULL);
    if (right && c[ELEMENTS - 1] != 10001.0 * (ELEMENTS - 1))
        right = error_set(&s->error, EXIT_RIGHT, "The sums are wrong.");
    vecadd_close(s, &v);
    return right;
}

static bool gpu_used(struct error *error)
{
    struct session s = { 0 };
    bool right = driver_open(&s.driver, &s.error) && gpu_open(s.driver, 0, &s.gpu, &s.error) &&
                 gpu_helpers_load(s.gpu, NULL, helpers_ptx, &s.error) && kernel_timed(&s);
    if (s.gpu)
        gpu_close(s.gpu);
    if (s.driver)
        driver_close(s.driver);
    *error = s.error;
    return right;
}

// ---- a run on it --------------------------------------------------------------------------------------

static const char kernel[] =
    "//@ title   Sum\n"
    "//@ param   n = 1000\n"
    "//@ buffer  a double[n] = i\n"
    "//@ buffer  b double[n] = 2 * i\n"
    "//@ buffer  c double[n]\n"
    "//@ launch  vecadd_thread_per_element<<<(n + 255) / 256, 256>>>(a, b, c, n)\n"
    "__global__ void vecadd_thread_per_element(double *, double *, double *, int);\n";

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

static struct memory_gauge *gauge;

static bool run_by_the_gpu(struct error *error)
{
    struct request request = {
        .on = ON_GPU, .file = (char *)"k.cu", .source = (char *)kernel, .reps = 2, .limit_ms = 10000
    };
    struct worker worker = { .confined = true, .gauge = gauge };
    struct record record;
    worker.answers = open("/dev/null", O_WRONLY | O_CLOEXEC);
    worker.printed = memfd_create("printed", MFD_CLOEXEC);
    dup2(worker.printed, STDOUT_FILENO); // where a kernel prints; each run empties it
    record_init(&record);
    bool done = run_on_gpu(&worker, &request, &record, error);
    if (done && record.status == STATUS_NONE)
        done = error_set(error, EXIT_RIGHT, "The record has no status.");
    record_free(&record);
    worker_gpu_close(&worker);
    close(worker.printed);
    close(worker.answers);
    return done;
}

// ---- compiles -----------------------------------------------------------------------------------------

static const char log_of_nvrtc[] =
    "k.cu(3): warning #177-D: variable \"x\" was declared but never referenced\n"
    "      int x;\n"
    "          ^\n\n"
    "k.cu(4): error: identifier \"y\" is undefined\n"
    "      y = 1;\n"
    "      ^\n\n"
    "1 error detected in the compilation of \"k.cu\".\n";
static const char log_of_ptxas[] = "ptxas info    : Compiling entry function 'k' for 'sm_90'\n"
                                   "ptxas info    : Function properties for k\n"
                                   "    8 bytes stack frame, 4 bytes spill stores, 4 bytes spill loads\n"
                                   "ptxas info    : Used 10 registers, used 1 barriers, 1024 bytes smem\n";

static bool log_explained(struct error *error)
{
    struct compiled compiled = { 0 };
    struct compile_request request = { .file = "k.cu", .source = "\n\nint x;\ny = 1;\n", .target = 90 };
    compiled_read_log(log_of_nvrtc, "k.cu", &compiled);
    compiled_read_resources(log_of_ptxas, &compiled);
    bool right = compiled.diagnostic_count == 2 && compiled.resource_count == 1 &&
                 !compiled_explain(&compiled, &request, error) && strstr(error->text, "undefined");
    compiled_free(&compiled);
    return right || error_set(error, EXIT_RIGHT, "The log was not understood.");
}

static struct compiled made(void)
{
    static struct resources resources = { (char *)"kernel", 10, 1024, 0, 8, 1 };
    static struct diagnostic diagnostic = { SEVERITY_WARNING, 3, 4, (char *)"unused" };
    return (struct compiled){ .ptx = (char *)vecadd_ptx,
                              .cubin = (void *)"cu\0bin",
                              .cubin_bytes = 6,
                              .resources = &resources,
                              .resource_count = 1,
                              .diagnostics = &diagnostic,
                              .diagnostic_count = 1,
                              .by = COMPILER_NVRTC,
                              .target = 90 };
}

static bool answer_read(struct error *error)
{
    struct text answer = { 0 };
    struct error none = { 0 };
    struct compiled compiled = made(), got = { 0 };
    pack_answer(&answer, OUTCOME_MADE, &compiled, &none);
    pack_seal(&answer);
    bool right = compile_answered(answer.data, answer.length, &got, error);
    if (right && strcmp(got.ptx, vecadd_ptx))
        right = error_set(error, EXIT_RIGHT, "Another PTX came back.");
    compiled_free(&got);
    text_free(&answer);
    return right;
}

// What could not be kept is compiled again: no error.
static bool result_kept(struct error *error)
{
    struct text key = { 0 };
    struct compiled compiled = made(), got = { 0 };
    text_add(&key, "key");
    cache_put(&key, &compiled);
    bool right = !cache_get(&key, &got) || !strcmp(got.ptx, vecadd_ptx);
    compiled_free(&got);
    text_free(&key);
    return right || error_set(error, EXIT_RIGHT, "Another PTX came back.");
}

static bool name_read(struct error *error)
{
    struct text text = { 0 };
    mangled_write("_ZN2ns4fillIiLi4EEEvPT_i", &text);
    bool right = text.data && strstr(text.data, "ns::fill");
    text_free(&text);
    return right || error_set(error, EXIT_RIGHT, "The name was not read.");
}

// ---- the tests ----------------------------------------------------------------------------------------

static void a_gpu_survives(void **state)
{
    survives(gpu_used, NULL);
}

static void a_run_on_the_gpu_survives(void **state)
{
    survives(run_by_the_gpu, NULL);
}

static void a_log_survives(void **state)
{
    survives(log_explained, NULL);
}

static void an_answer_survives(void **state)
{
    survives(answer_read, NULL);
}

static void a_kept_result_survives(void **state)
{
    survives(result_kept, NULL);
}

static void a_name_survives(void **state)
{
    survives(name_read, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_gpu_survives),         cmocka_unit_test(a_run_on_the_gpu_survives),
        cmocka_unit_test(a_log_survives),         cmocka_unit_test(an_answer_survives),
        cmocka_unit_test(a_kept_result_survives), cmocka_unit_test(a_name_survives),
    };
    json_set_alloc_funcs(mem_new, free); // as the program does
    gauge = memory_gauge_open("");
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    memory_gauge_close(gauge);
    return failed;
}
