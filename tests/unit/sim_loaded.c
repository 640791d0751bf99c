// Variables of a module: loaded once, kept from launch to launch, forgotten when the module goes.
#include "tests/unit/sim_kernel.h"

// `count` adds the threads to `total` and doubles table[1]; `show` writes both out, and the constant.
static const char ptx[] =
    ".version 8.0\n.target sm_75\n.address_size 64\n"
    ".global .align 4 .u32 total = 100;\n.global .align 4 .u32 table[3] = {5, 6, 7};\n"
    ".global .align 8 .u64 where = table;\n.const .align 4 .u32 fixed = 9;\n"
    ".visible .entry count()\n{\n.reg .b32 %r<4>;\n.reg .b64 %rd<3>;\n.reg .pred %p;\n"
    "red.global.add.u32 [total], 1;\nmov.u32 %r1, %tid.x;\nsetp.ne.u32 %p, %r1, 0;\n@%p ret;\n"
    "ld.global.u64 %rd1, [where];\nld.u32 %r2, [%rd1+4];\nadd.u32 %r2, %r2, %r2;\nst.u32 [%rd1+4], %r2;\n"
    "ret;\n}\n"
    ".visible .entry show(.param .u64 out)\n{\n.reg .b32 %r<4>;\n.reg .b64 %rd<3>;\n"
    "ld.param.u64 %rd1, [out];\nld.global.u32 %r1, [total];\nld.global.u32 %r2, [table+4];\n"
    "ld.const.u32 %r3, [fixed];\nst.global.u32 [%rd1], %r1;\nst.global.u32 [%rd1+4], %r2;\n"
    "st.global.u32 [%rd1+8], %r3;\nret;\n}\n";

struct loaded_stage {
    struct sim_memory *memory;
    uint32_t words[3];
    sim_address address;
    struct sim_argument arguments[1];
    struct sim_options options;
};

static void stage_open(struct loaded_stage *s, enum sim_check check)
{
    *s = (struct loaded_stage){ .memory = sim_memory_new(), .options = { .check = check, .threads = 2 } };
    assert_non_null(s->memory);
    s->address = sim_memory_add(s->memory, "out", s->words, sizeof s->words, 4, SIM_OUT);
    s->arguments[0] = (struct sim_argument){ &s->address, sizeof s->address };
}

static struct sim_launch launch_of(const struct loaded_stage *s, const struct sim_module *module,
                                   const char *kernel)
{
    const bool counts = strcmp(kernel, "count") == 0;
    return (struct sim_launch){ .kernel = sim_kernel_find(module, kernel),
                                .grid = { 1, 1, 1 },
                                .block = { counts ? 64 : 1, 1, 1 },
                                .arguments = s->arguments,
                                .argument_count = counts ? 0 : 1 };
}

static void launch(struct loaded_stage *s, const struct sim_module *module, const char *kernel)
{
    const struct sim_launch what = launch_of(s, module, kernel);
    struct sim_result result;
    struct sim_fault fault;
    if (!sim_run(module, s->memory, &what, &s->options, &result, &fault))
        fail_msg("%s", fault.text);
    if (result.finding_count)
        fail_msg("%s", result.findings[0].sentence);
    sim_result_free(&result);
}

static void expect_shown(struct loaded_stage *s, const struct sim_module *module, uint32_t total,
                         uint32_t second)
{
    memset(s->words, 0, sizeof s->words);
    launch(s, module, "show");
    assert_int_equal(s->words[0], total);
    assert_int_equal(s->words[1], second);
    assert_int_equal(s->words[2], 9);
}

static void variables_keep_what_kernels_write(void **state)
{
    for (int check = SIM_CHECK_NONE; check <= SIM_CHECK_ALL; check++) {
        struct sim_module *module = read_module(ptx);
        struct loaded_stage s;
        stage_open(&s, (enum sim_check)check);
        expect_shown(&s, module, 100, 6);
        launch(&s, module, "count");
        expect_shown(&s, module, 164, 12);
        launch(&s, module, "count");
        launch(&s, module, "count");
        expect_shown(&s, module, 292, 48);
        sim_memory_free(s.memory);
        sim_module_free(module);
    }
}

static void every_module_and_memory_has_its_own(void **state)
{
    struct sim_module *one = read_module(ptx), *two = read_module(ptx);
    struct loaded_stage s, other;
    stage_open(&s, SIM_CHECK_COUNTERS);
    stage_open(&other, SIM_CHECK_COUNTERS);
    launch(&s, one, "count");
    expect_shown(&s, two, 100, 6);
    launch(&s, two, "count");
    launch(&s, two, "count");
    expect_shown(&s, one, 164, 12);
    expect_shown(&s, two, 228, 24);
    expect_shown(&other, one, 100, 6);
    sim_memory_free(s.memory);
    expect_shown(&other, one, 100, 6);
    sim_module_free(one);
    sim_module_free(two);
    sim_memory_free(other.memory);
}

static void unloading_starts_anew(void **state)
{
    struct sim_module *module = read_module(ptx), *stays = read_module(ptx);
    struct loaded_stage s;
    stage_open(&s, SIM_CHECK_COUNTERS);
    launch(&s, stays, "count");
    launch(&s, module, "count");
    sim_memory_unload(s.memory, module);
    sim_memory_unload(s.memory, module); // it is not there any more
    expect_shown(&s, module, 100, 6);
    expect_shown(&s, stays, 164, 12);
    sim_memory_free(s.memory);
    sim_module_free(module);
    sim_module_free(stays);
}

// A trace that goes back finds them as they were when it opened, not as the file has them.
static void a_trace_goes_back_to_what_there_was(void **state)
{
    struct sim_module *module = read_module(ptx);
    struct loaded_stage s;
    struct sim_fault fault;
    struct sim_trace *trace;
    stage_open(&s, SIM_CHECK_ALL);
    launch(&s, module, "count");
    const struct sim_launch what = launch_of(&s, module, "count");
    assert_true(sim_trace_open(module, s.memory, &what, &s.options, &trace, &fault));
    for (int i = 0; i < 3; i++) {
        assert_int_equal(sim_trace_end(trace), SIM_THERE);
        assert_int_equal(sim_trace_back(trace, 1), SIM_THERE);
    }
    assert_int_equal(sim_trace_end(trace), SIM_THERE);
    sim_trace_close(trace);
    expect_shown(&s, module, 228, 24);
    sim_memory_free(s.memory);
    sim_module_free(module);
}

// ---- what the host does by itself ------------------------------------------------------------------------------

static void the_host_reads_and_writes_variables(void **state)
{
    struct sim_module *module = read_module(ptx);
    struct sim_module_variable total, table, none;
    struct loaded_stage s;
    stage_open(&s, SIM_CHECK_ALL);
    assert_true(sim_memory_variable(s.memory, module, "total", &total));
    assert_true(sim_memory_variable(s.memory, module, "table", &table));
    assert_false(sim_memory_variable(s.memory, module, "tables", &none));
    assert_int_equal(total.bytes, 4);
    assert_int_equal(table.bytes, 12);
    assert_int_equal(*(uint32_t *)total.at, 100);
    *(uint32_t *)total.at = 500;
    launch(&s, module, "count");
    assert_int_equal(*(uint32_t *)total.at, 564);
    assert_int_equal(((uint32_t *)table.at)[1], 12);
    sim_memory_free(s.memory);
    sim_module_free(module);
}

static void a_buffer_lies_where_the_caller_says(void **state)
{
    const sim_address at = 512 * SIM_BUFFER_LIMIT;
    struct sim_module *module = read_module(ptx);
    struct loaded_stage s;
    stage_open(&s, SIM_CHECK_ALL);
    assert_false(sim_memory_add_at(s.memory, at + 256, "out", s.words, sizeof s.words, 4, SIM_OUT));
    assert_false(sim_memory_add_at(s.memory, 1ull << 47, "out", s.words, sizeof s.words, 4, SIM_OUT));
    for (int again = 0; again < 2; again++) {
        assert_true(sim_memory_add_at(s.memory, at, "out", s.words, sizeof s.words, 4, SIM_OUT));
        assert_false(sim_memory_add_at(s.memory, at, "out", s.words, sizeof s.words, 4, SIM_OUT));
        s.address = at;
        expect_shown(&s, module, 100, 6);
        sim_memory_remove(s.memory, at);
    }
    sim_memory_free(s.memory);
    sim_module_free(module);
}

static void expect_content(const struct loaded_stage *s, size_t from, bool content, size_t bytes)
{
    size_t alike;
    assert_int_equal(sim_memory_has_content(s->memory, s->address + from, &alike), content);
    assert_int_equal(alike, bytes);
}

static void what_has_content_is_known(void **state)
{
    unsigned char bytes[210];
    struct loaded_stage s;
    stage_open(&s, SIM_CHECK_ALL);
    s.address = sim_memory_add(s.memory, "scratch", bytes, sizeof bytes, 1, SIM_SCRATCH);
    expect_content(&s, 0, false, 210);
    sim_memory_written(s.memory, s.address + 5, 130);
    expect_content(&s, 0, false, 5);
    expect_content(&s, 5, true, 130);
    expect_content(&s, 100, true, 35);
    expect_content(&s, 135, false, 75);
    expect_content(&s, 210, false, 0);
    sim_memory_written(s.memory, s.address, 210);
    expect_content(&s, 7, true, 203);
    s.address = sim_memory_add(s.memory, "filled", bytes, 100, 1, SIM_INOUT);
    expect_content(&s, 1, true, 99);
    sim_memory_free(s.memory);
}

// Two words of scratch memory are read: those that the host has written are not uninitialised.
static void what_the_host_wrote_is_defined(void **state)
{
    static const char reads[] =
        ".version 8.0\n.target sm_75\n.address_size 64\n"
        ".visible .entry k(.param .u64 a)\n{\n.reg .b32 %r<4>;\n.reg .b64 %rd<3>;\n"
        "ld.param.u64 %rd1, [a];\nld.global.u32 %r1, [%rd1];\nld.global.u32 %r2, [%rd1+4];\n"
        "add.u32 %r3, %r1, %r2;\nst.global.u32 [%rd1+8], %r3;\nret;\n}\n";
    static const struct {
        size_t from, bytes, findings;
    } cases[] = { { 0, 0, 1 }, { 0, 4, 1 }, { 4, 4, 1 }, { 0, 8, 0 }, { 0, 12, 0 }, { 0, 1000, 1 } };
    struct sim_module *module = read_module(reads);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct loaded_stage s;
        struct sim_result result;
        struct sim_fault fault;
        stage_open(&s, SIM_CHECK_ALL);
        s.address = sim_memory_add(s.memory, "a", s.words, sizeof s.words, 4, SIM_SCRATCH);
        sim_memory_written(s.memory, s.address + cases[i].from, cases[i].bytes);
        const struct sim_launch what = {
            .grid = { 1, 1, 1 }, .block = { 1, 1, 1 }, .arguments = s.arguments, .argument_count = 1
        };
        assert_true(sim_run(module, s.memory, &what, &s.options, &result, &fault));
        assert_int_equal(result.finding_count, cases[i].findings);
        sim_result_free(&result);
        sim_memory_free(s.memory);
    }
    sim_module_free(module);
}

// `take` asks for as much as its thread has bytes in `out` and leaves the address there, and the first word of what it got;
// `look` adds that word to `out` and frees it.
static const char heap_ptx[] =
    ".version 8.0\n.target sm_75\n.address_size 64\n"
    ".extern .func (.param .b64 f) malloc(.param .b64 a);\n.extern .func free(.param .b64 a);\n"
    ".visible .entry take(.param .u64 out)\n{\n.reg .b64 %rd<4>;\n.reg .pred %p;\n"
    "ld.param.u64 %rd1, [out];\nld.global.u64 %rd2, [%rd1];\n"
    "{ .param .b64 a; .param .b64 r; st.param.b64 [a], %rd2;\ncall.uni (r), malloc, (a);\n"
    "ld.param.b64 %rd3, [r]; }\nst.global.u64 [%rd1], %rd3;\nsetp.eq.u64 %p, %rd3, 0;\n@%p ret;\n"
    "st.u64 [%rd3], 77;\nret;\n}\n"
    ".visible .entry look(.param .u64 out)\n{\n.reg .b64 %rd<5>;\n"
    "ld.param.u64 %rd1, [out];\nld.global.u64 %rd2, [%rd1];\nld.u64 %rd3, [%rd2];\n"
    "st.global.u64 [%rd1], %rd3;\n{ .param .b64 a; st.param.b64 [a], %rd2;\ncall.uni free, (a); }\nret;\n}\n";

struct heap_stage {
    struct sim_module *module;
    struct sim_memory *memory;
    uint64_t word;
    struct sim_options options;
};

static size_t launch_heap(struct heap_stage *s, const char *kernel, uint64_t word)
{
    struct sim_result result;
    struct sim_fault fault;
    s->word = word;
    sim_address address = sim_memory_add(s->memory, "out", &s->word, sizeof s->word, 8, SIM_INOUT);
    const struct sim_argument arguments[] = { { &address, sizeof address } };
    const struct sim_launch what = { .kernel = sim_kernel_find(s->module, kernel),
                                     .grid = { 1, 1, 1 },
                                     .block = { 1, 1, 1 },
                                     .arguments = arguments,
                                     .argument_count = 1 };
    if (!sim_run(s->module, s->memory, &what, &s->options, &result, &fault))
        fail_msg("%s", fault.text);
    size_t findings = result.finding_count;
    sim_result_free(&result);
    sim_memory_remove(s->memory, address);
    return findings;
}

// What malloc gave stays until it is freed, by whatever launch, and there is no more of it than the host asked for.
static void the_heap_outlives_launches(void **state)
{
    for (int check = SIM_CHECK_NONE; check <= SIM_CHECK_ALL; check++) {
        struct heap_stage s = { .module = read_module(heap_ptx), .memory = sim_memory_new() };
        s.options.check = (enum sim_check)check;
        assert_true(sim_memory_heap(s.memory, 1 << 20));
        assert_int_equal(launch_heap(&s, "take", 2 << 20), 0);
        assert_int_equal(s.word, 0);
        assert_int_equal(launch_heap(&s, "take", 0), 0);
        assert_int_equal(s.word, 0);
        assert_false(sim_memory_heap(s.memory, 2 << 20));
        for (int i = 0; i < 5; i++) { // the second one finds room only where the first one was
            assert_int_equal(launch_heap(&s, "take", 600 << 10), 0);
            uint64_t at = s.word;
            assert_int_equal(at % 16, 0);
            assert_int_equal(launch_heap(&s, "take", 600 << 10), 0);
            assert_int_equal(s.word, 0);
            assert_int_equal(launch_heap(&s, "look", at), 0);
            assert_int_equal(s.word, 77);
            assert_int_equal(launch_heap(&s, "look", at),
                             2); // freed; freed again
        }
        sim_memory_free(s.memory);
        sim_module_free(s.module);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(variables_keep_what_kernels_write),
        cmocka_unit_test(every_module_and_memory_has_its_own),
        cmocka_unit_test(unloading_starts_anew),
        cmocka_unit_test(a_trace_goes_back_to_what_there_was),
        cmocka_unit_test(the_host_reads_and_writes_variables),
        cmocka_unit_test(what_has_content_is_known),
        cmocka_unit_test(a_buffer_lies_where_the_caller_says),
        cmocka_unit_test(what_the_host_wrote_is_defined),
        cmocka_unit_test(the_heap_outlives_launches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
