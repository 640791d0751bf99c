// Every allocation of the simulator may fail. The n-th one of a whole run (a module is read, launched, stepped through) is
// made to fail, for each n there is: the run ends with a sentence or goes on without what it can do without, and nothing is
// lost, as AddressSanitizer's build sees. The linker puts the functions below before malloc and its kind (the Makefile).
#include "tests/unit/sim_kernel.h"

// ---- allocations that fail --------------------------------------------------------------------------------------

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__real_realloc(void *old, size_t bytes);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_realloc(void *old, size_t bytes);

static long countdown; // allocations until the one that fails; 0: none does
static bool failed;

static bool fails(void)
{
    bool now = countdown && --countdown == 0;
    failed |= now;
    return now;
}

void *__wrap_malloc(size_t bytes)
{
    return fails() ? NULL : __real_malloc(bytes);
}

void *__wrap_calloc(size_t count, size_t bytes)
{
    return fails() ? NULL : __real_calloc(count, bytes);
}

void *__wrap_realloc(void *old, size_t bytes)
{
    return fails() ? NULL : __real_realloc(old, bytes);
}

// ---- a run that allocates for every purpose -----------------------------------------------------------------------

enum { THREADS = 64, BUFFER_WORDS = 4 * THREADS };

// Registers, local and shared memory, a variable, calls, text, undefined values in registers and in every kind of memory,
// races, an asynchronous copy and, with PARTIAL, barriers of a part of the block.
static const char kernel[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n"
    ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 v);\n"
    ".global .align 1 .b8 text[3] = {97, 10, 0};\n"
    ".global .align 4 .u32 counter;\n"
    ".func f(.param .b32 x)\n{\n.reg .b32 %r<4>;\n.reg .b64 %d<4>;\n.local .align 4 .b8 l[64];\n"
    "mov.u64 %d1, l;\nld.local.u32 %r1, [%d1];\nst.local.u32 [%d1+4], %r1;\nret;\n}\n"
    ".visible .entry k(.param .u64 a)\n{\n.reg .pred %p<4>;\n.reg .b32 %r<32>;\n.reg .b64 %rd<8>;\n"
    ".shared .align 16 .b8 s[1024];\n.local .align 4 .b8 l[128];\nK0:\n"
    "ld.param.u64 %rd0, [a];\nmov.u32 %r0, %tid.x;\nmul.wide.u32 %rd1, %r0, 4;\nadd.u64 %rd2, %rd0, %rd1;\n"
    "ld.global.u32 %r1, [%rd2+512];\nmov.u32 %r2, s;\nshl.b32 %r3, %r0, 2;\nadd.u32 %r4, %r2, %r3;\n"
    "st.shared.u32 [%r4], %r1;\nand.b32 %r9, %r1, 65535;\nst.global.u32 [%rd2+256], %r9;\nbar.sync 0;\n"
    "xor.b32 %r5, %r3, 64;\nadd.u32 %r6, %r2, %r5;\nld.shared.u32 %r7, [%r6];\n"
    "st.shared.u32 [%r6+4], %r0;\n"
    "cp.async.ca.shared.global [%r4+512], [%rd2], 4;\ncp.async.commit_group;\ncp.async.wait_group 0;\n"
    "%s\n"
    "mov.u64 %rd3, l;\nst.local.u32 [%rd3], %r7;\nld.local.u32 %r8, [%rd3+8];\n"
    "setp.lt.u32 %p1, %r0, 7;\n@%p1 bra L;\nadd.u32 %r10, %r8, 1;\nL:\n"
    "atom.global.add.u32 %r11, [counter], 1;\nshfl.sync.bfly.b32 %r12, %r1, 1, 31, -1;\n"
    "{\n.param .b32 p;\nst.param.b32 [p], %r12;\ncall f, (p);\n}\n"
    "{\n.param .b64 g;\n.param .b64 v;\n.param .b32 r;\nmov.u64 %rd4, text;\nst.param.b64 [g], %rd4;\n"
    "st.param.b64 [v], 0;\n%s\n}\n"
    "st.global.u32 [%rd2], %r0;\nret;\nK1:\n}\n"
    // Two variables of the source: v in local memory, w in %r1.
    ".section .debug_abbrev\n{\n.b8 1, 17, 1, 0, 0, 2, 46, 1, 17, 1, 18, 1, 0, 0, 3, 52, 0, 3, 8, 73, 19, 2, "
    "10, 0, "
    "0, 4, 36, 0, 3, 8, 62, 11, 11, 11, 0, 0, 0\n}\n"
    ".section .debug_info\n{\n.b32 62\n.b8 4, 0\n.b32 .debug_abbrev\n.b8 8, 1, 2\n.b64 K0\n.b64 K1\n"
    ".b8 3, 118, 0\n.b32 59\n.b8 9, 3\n.b64 l\n.b8 3, 119, 0\n.b32 59\n.b8 5, 144, 177, 228, 149, 1\n"
    ".b8 4, 105, 0, 5, 4, 0, 0\n}\n";

static uint32_t words[BUFFER_WORDS];

static bool is_about_memory(const char *sentence)
{
    return strstr(sentence, "memory") != NULL;
}

// Whole, or ended by the finding that says so.
static void check_result(const struct sim_result *result)
{
    bool told = false;
    for (size_t i = 0; i < result->finding_count; i++)
        told |= is_about_memory(result->findings[i].sentence);
    assert_true(result->complete || told);
    for (uint32_t i = 0; result->complete && i < THREADS; i++)
        assert_int_equal(words[i], i);
}

static void step_through(const struct sim_module *module, struct sim_memory *memory,
                         const struct sim_launch *launch, const struct sim_options *options)
{
    struct sim_trace *trace;
    struct sim_fault fault;
    struct sim_finding *findings;
    if (!sim_trace_open(module, memory, launch, options, &trace, &fault)) {
        assert_true(failed && is_about_memory(fault.text));
        return;
    }
    struct sim_variable variables[4];
    size_t named = sim_trace_variables(trace, variables, 4);
    assert_true(failed || named == 2);
    (void)sim_trace_forward(trace, 120);
    (void)sim_trace_variables(trace, variables, 4);
    (void)sim_trace_back(trace, 30);
    (void)sim_trace_end(trace);
    (void)sim_trace_back(trace, 1);
    (void)sim_trace_findings(trace, &findings);
    free(findings);
    free(sim_trace_printed(trace));
    sim_trace_close(trace);
}

static bool cooperates; // the launches are cooperative, with a cluster of two

static void run_all(const char *text, bool stepped)
{
    struct sim_module *module;
    struct sim_result result;
    struct sim_fault fault;
    struct sim_line *lines;
    if (!sim_module_read(text, strlen(text), &module, &fault)) {
        assert_true(failed && is_about_memory(fault.text));
        return;
    }
    struct sim_memory *memory = sim_memory_new();
    sim_address address = memory ? sim_memory_add(memory, "a", words, sizeof words, 4, SIM_SCRATCH) : 0;
    struct sim_argument argument = { &address, sizeof address };
    struct sim_launch launch = {
        .grid = { 2, 1, 1 }, .block = { THREADS, 1, 1 }, .arguments = &argument, .argument_count = 1
    };
    if (cooperates)
        launch.cluster[0] = 2;
    launch.cluster[1] = launch.cluster[2] = launch.cooperative = cooperates;
    struct sim_options options = { .check = SIM_CHECK_ALL, .threads = 1 };
    if (address && stepped)
        step_through(module, memory, &launch, &options);
    else if (address && sim_run(module, memory, &launch, &options, &result, &fault)) {
        check_result(&result);
        (void)sim_result_lines(&result, &lines);
        free(lines);
        sim_result_free(&result);
    } else if (address)
        assert_true(failed && is_about_memory(fault.text));
    assert_true(address || failed);
    sim_memory_free(memory);
    sim_module_free(module);
}

static void fail_each(bool partial, bool prints, bool stepped)
{
    static char text[8192];
    long n = 0;
    const char *first = strstr(kernel, "%s\n"), *second = strstr(first + 1, "%s\n");
    snprintf(text, sizeof text, "%.*s%s%.*s%s%s", (int)(first - kernel), kernel,
             partial ? "bar.sync 1, 32;" : "", (int)(second - first - 2), first + 2,
             prints ? "call (r), vprintf, (g, v);" : "", second + 2);
    do {
        memset(words, 0, sizeof words);
        countdown = ++n;
        failed = false;
        run_all(text, stepped);
        countdown = 0;
    } while (failed);
    assert_true(n > 50); // so many there are at least
}

static void a_launch_ends_well(void **state)
{
    fail_each(false, true, false);
}

static void a_launch_with_barriers_of_a_part_ends_well(void **state)
{
    fail_each(true, false, false);
}

static void launches_of_blocks_that_run_together_end_well(void **state)
{
    cooperates = true;
    fail_each(false, true, false);
    fail_each(false, false, true);
    cooperates = false;
}

static void a_trace_ends_well(void **state)
{
    fail_each(false, false, true);
}

static void a_trace_that_prints_ends_well(void **state)
{
    fail_each(false, true, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_launch_ends_well),
        cmocka_unit_test(a_launch_with_barriers_of_a_part_ends_well),
        cmocka_unit_test(launches_of_blocks_that_run_together_end_well),
        cmocka_unit_test(a_trace_ends_well),
        cmocka_unit_test(a_trace_that_prints_ends_well),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
