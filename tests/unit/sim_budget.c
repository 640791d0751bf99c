// The memory that a simulation may take: what is refused before it is taken, and what ends a launch as it grows.
#include <time.h>

#include "tests/unit/sim_kernel.h"

enum { MIB = 1 << 20 };

struct budget_bench { // one module, one memory, one buffer
    struct sim_module *module;
    struct sim_memory *memory;
    unsigned char *bytes;
    sim_address address;
    struct sim_argument argument;
    struct sim_launch launch;
    struct sim_options options;
    struct sim_result result;
    struct sim_fault fault;
};

// `body` is that of kernel k(.param .u64 a), with %r<64>, %rd<64> and %p<4>.
static void bench_open(struct budget_bench *b, const char *before, const char *body, size_t bytes)
{
    static char text[16384];
    snprintf(text, sizeof text,
             "%s%s\n.visible .entry k(.param .u64 a)\n{\n.reg .pred %%p<4>;\n.reg .b32 %%r<64>;\n"
             ".reg .b64 %%rd<64>;\nld.param.u64 %%rd0, [a];\n%s\nret;\n}\n",
             head, before, body);
    *b = (struct budget_bench){ .module = read_module(text),
                                .memory = sim_memory_new(),
                                .bytes = calloc(1, bytes) };
    b->address = sim_memory_add(b->memory, "a", b->bytes, bytes, 4, SIM_INOUT);
    b->argument = (struct sim_argument){ &b->address, sizeof b->address };
    b->launch = (struct sim_launch){
        .grid = { 1, 1, 1 }, .block = { 32, 1, 1 }, .arguments = &b->argument, .argument_count = 1
    };
    b->options = (struct sim_options){ .check = SIM_CHECK_NONE, .threads = 1 };
}

static void bench_close(struct budget_bench *b)
{
    sim_result_free(&b->result);
    sim_memory_free(b->memory);
    sim_module_free(b->module);
    free(b->bytes);
}

static bool launches(struct budget_bench *b)
{
    sim_result_free(&b->result);
    return sim_run(b->module, b->memory, &b->launch, &b->options, &b->result, &b->fault);
}

static void expect_refused(struct budget_bench *b, const char *words)
{
    assert_false(launches(b));
    if (!strstr(b->fault.text, "This launch needs ") || !strstr(b->fault.text, words))
        fail_msg("%s", b->fault.text);
}

// The launch was ended by one finding, which says so and what took the most.
static void expect_ended(struct budget_bench *b, const char *words)
{
    if (!launches(b))
        fail_msg("%s", b->fault.text);
    assert_false(b->result.complete);
    assert_int_equal(b->result.finding_count, 1);
    assert_int_equal(b->result.findings[0].kind, SIM_OTHER);
    const char *sentence = b->result.findings[0].sentence;
    if (!strstr(sentence, "no more memory") || !strstr(sentence, words))
        fail_msg("%s", sentence);
}

static void expect_whole(struct budget_bench *b)
{
    if (!launches(b))
        fail_msg("%s", b->fault.text);
    if (!b->result.complete)
        fail_msg("%s", b->result.findings[0].sentence);
}

// ---- before the first instruction -----------------------------------------------------------------------------

// Reads 4000 registers, so that all of them count: 500 KiB for each warp.
static char *many_registers(void)
{
    static char body[200000];
    size_t length = 0;
    length += (size_t)snprintf(body, sizeof body,
                               "%s\n.visible .entry k(.param .u64 a)\n{\n.reg .b32 %%r<4000>;\n", head);
    for (int i = 0; i < 4000; i++)
        length += (size_t)snprintf(body + length, sizeof body - length, "mov.u32 %%r%d, %%r0;\n", i);
    snprintf(body + length, sizeof body - length, "ret;\n}\n");
    return body;
}

static void registers_are_counted_before(void **state)
{
    struct budget_bench b;
    bench_open(&b, "", "", 64);
    sim_module_free(b.module);
    b.module = read_module(many_registers());
    b.launch.block[0] = 1024;
    b.options.memory_limit = 4 * MIB;
    expect_refused(&b, "registers");
    assert_non_null(strstr(b.fault.text, "16 MiB"));
    assert_non_null(strstr(b.fault.text, "4.0 MiB are free"));
    b.launch.block[0] = 32;
    expect_whole(&b);
    bench_close(&b);
}

// What is read within a limit takes no more than that; below it, reading fails with a sentence.
static void reading_takes_memory(void **state)
{
    const char *text = many_registers();
    struct sim_module *module;
    struct sim_fault fault;
    assert_true(sim_module_read(text, strlen(text), &module, &fault));
    size_t whole = sim_module_bytes(module);
    sim_module_free(module);
    for (size_t limit = 1; limit < whole; limit += whole / 16) {
        assert_false(sim_module_read_within(text, strlen(text), limit, &module, &fault));
        assert_null(module);
        if (!strstr(fault.text, "memory"))
            fail_msg("%s", fault.text);
    }
    if (!sim_module_read_within(text, strlen(text), whole, &module, &fault))
        fail_msg("%s", fault.text);
    assert_int_equal(sim_module_bytes(module), whole);
    sim_module_free(module);
}

static void host_threads_are_as_many_as_fit(void **state)
{
    struct budget_bench b;
    bench_open(&b, "", "", 64);
    sim_module_free(b.module);
    b.module = read_module(many_registers());
    b.launch.grid[0] = 64;
    b.options.threads = 8;
    b.options.memory_limit = 2 * MIB;
    expect_whole(&b);
    assert_int_equal(b.result.threads, 2);
    b.options.memory_limit = 64 * MIB;
    expect_whole(&b);
    assert_int_equal(b.result.threads, 8);
    bench_close(&b);
}

static void every_kind_is_counted(void **state)
{
    static const struct {
        const char *before, *body, *words;
        enum sim_check check;
    } kinds[] = {
        { "", ".local .align 4 .b8 l[100000];\nmov.u64 %rd1, l;", "local memory", SIM_CHECK_NONE },
        { ".global .align 4 .b8 g[3000000];", "", "global variables", SIM_CHECK_NONE },
        { ".func f(.param .align 8 .b8 x[67108864])\n{\nret;\n}\n",
          ".param .align 8 .b8 p[67108864];\ncall f, (p);", "parameters", SIM_CHECK_NONE },
        { "", "", "what the checks note down", SIM_CHECK_ALL },
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct budget_bench b;
        bench_open(&b, kinds[i].before, kinds[i].body, 64);
        b.options.check = kinds[i].check;
        b.options.memory_limit = MIB;
        b.launch.block[0] =
            kinds[i].check == SIM_CHECK_ALL ? 1024 : 32; // what checks take grows with the warps
        expect_refused(&b, kinds[i].words);
        bench_close(&b);
    }
}

// ---- while it runs --------------------------------------------------------------------------------------------

static void calls_take_memory(void **state)
{
    struct budget_bench b;
    bench_open(&b,
               ".func f(.param .b32 x)\n{\n.param .b32 p;\n.reg .b64 %d<100>;\nmov.u64 %d99, 1;\n"
               "add.u64 %d98, %d99, %d97;\nst.param.b32 [p], 1;\ncall f, (p);\nret;\n}\n",
               ".param .b32 p;\nst.param.b32 [p], 1;\ncall f, (p);", 64);
    b.options.memory_limit = MIB;
    expect_ended(&b, "registers and parameters");
    b.options.memory_limit = 0; // then it is the depth
    assert_true(launches(&b));
    assert_non_null(strstr(b.result.findings[0].sentence, "calls too deep"));
    bench_close(&b);
}

static void shadows_take_memory(void **state)
{
    struct budget_bench b; // a word in every 8 KiB
    bench_open(&b, "",
               "mov.u32 %r1, %tid.x;\nmul.wide.u32 %rd1, %r1, 8192;\nadd.u64 %rd1, %rd1, %rd0;\n"
               "mov.u32 %r2, 0;\nL: st.global.u32 [%rd1], %r1;\nadd.u64 %rd1, %rd1, 262144;\n"
               "add.u32 %r2, %r2, 1;\nsetp.lt.u32 %p1, %r2, 128;\n@%p1 bra L;",
               32 * MIB);
    b.options.check = SIM_CHECK_ALL;
    b.options.memory_limit = 4 * MIB;
    expect_ended(&b, "what the checks note down");
    b.options.check = SIM_CHECK_NONE;
    expect_whole(&b);
    bench_close(&b);
}

static void printing_takes_memory(void **state)
{
    struct budget_bench b;
    bench_open(&b,
               ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 v);\n"
               ".global .align 1 .b8 text[3] = {97, 10, 0};\n",
               ".param .b64 f;\n.param .b64 v;\n.param .b32 r;\nmov.u64 %rd1, text;\n"
               "L: st.param.b64 [f], %rd1;\nst.param.b64 [v], 0;\ncall (r), vprintf, (f, v);\nbra L;",
               64);
    b.options.memory_limit = MIB;
    expect_ended(&b, "what the kernel prints");
    assert_non_null(b.result.printed);
    bench_close(&b);
}

static void all_of_it_is_given_back(void **state)
{
    struct budget_bench b;
    bench_open(&b, ".global .align 4 .b8 g[1000];",
               ".local .align 4 .b8 l[1000];\nmov.u64 %rd1, l;\nst.local.u32 [%rd1], 1;\n"
               "st.global.u32 [%rd0], 1;",
               64);
    b.options.check = SIM_CHECK_ALL;
    b.options.memory_limit = 3 * MIB;
    for (int i = 0; i < 100; i++)
        expect_whole(&b);
    bench_close(&b);
}

// ---- a trace ----------------------------------------------------------------------------------------------------

static void a_trace_has_the_same_budget(void **state)
{
    struct budget_bench b;
    struct sim_trace *trace;
    struct sim_spot spot;
    bench_open(&b, "",
               "mov.u32 %r2, 0;\nL: st.global.u32 [%rd0], %r2;\nadd.u32 %r2, %r2, 1;\n"
               "setp.lt.u32 %p1, %r2, 20000;\n@%p1 bra L;",
               2 * MIB);
    b.options.check = SIM_CHECK_ALL;
    b.options.memory_limit = MIB;
    assert_false(sim_trace_open(b.module, b.memory, &b.launch, &b.options, &trace, &b.fault));
    assert_non_null(strstr(b.fault.text, "memory"));
    for (int megabytes = 6; megabytes <= 64; megabytes += 58) { // with and without room for the way back
        b.options.memory_limit = (size_t)megabytes * MIB;
        if (!sim_trace_open(b.module, b.memory, &b.launch, &b.options, &trace, &b.fault))
            fail_msg("%s", b.fault.text);
        assert_int_equal(sim_trace_forward(trace, 70000), SIM_THERE);
        assert_int_equal(sim_trace_back(trace, 10), SIM_THERE);
        sim_trace_where(trace, &spot);
        assert_int_equal(spot.step, 69990);
        sim_trace_close(trace);
    }
    bench_close(&b);
}

// ---- time -------------------------------------------------------------------------------------------------------

// 80 MB of registers, looked at again and again: a look alone took two minutes.
static void a_limit_holds_with_many_registers(void **state)
{
    struct budget_bench b;
    bench_open(&b, "", "", 64);
    sim_module_free(b.module);
    static char text[1000];
    snprintf(text, sizeof text,
             "%s\n.visible .entry k(.param .u64 a)\n{\n.reg .b64 %%d<300000>;\nmov.u64 %%d299999, 1;\n"
             "L: add.u64 %%d1, %%d1, 1;\nbra L;\n}\n",
             head);
    b.module = read_module(text);
    b.launch.block[0] = 64;
    b.options.limit_ms = 100;
    clock_t before = clock(); // processor time, which other programs take nothing of
    assert_true(launches(&b));
    assert_false(b.result.complete);
    assert_true((clock() - before) / CLOCKS_PER_SEC < 20);
    bench_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(registers_are_counted_before),
        cmocka_unit_test(reading_takes_memory),
        cmocka_unit_test(host_threads_are_as_many_as_fit),
        cmocka_unit_test(every_kind_is_counted),
        cmocka_unit_test(calls_take_memory),
        cmocka_unit_test(shadows_take_memory),
        cmocka_unit_test(printing_takes_memory),
        cmocka_unit_test(all_of_it_is_given_back),
        cmocka_unit_test(a_trace_has_the_same_budget),
        cmocka_unit_test(a_limit_holds_with_many_registers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
