// What an assembler makes of PTX: the table, what is put together, and the order.
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/model/model.h"
#include "tests/unit/sim_file.h"

// ---- small kernels -----------------------------------------------------------------------------------------------

struct machine_made {
    struct sim_module *module;
    struct sim_instruction *code;
    struct machine_code *machine;
    size_t count;
};

static void make(struct machine_made *made, const char *body, const uint64_t *executions)
{
    struct text ptx = { 0 };
    struct sim_fault fault;
    text_addf(
        &ptx,
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p, .param .u32 n)\n{\n"
        ".reg .pred %%p<9>; .reg .b16 %%rs<9>; .reg .b32 %%r<40>; .reg .b64 %%rd<40>; .reg .f32 %%f<40>; "
        ".reg .f64 %%fd<9>; .shared .align 4 .b8 s[4096];\n%s\nret;\n}\n",
        body);
    if (!sim_module_read(ptx.data, ptx.length, &made->module, &fault))
        fail_msg("%s", fault.text);
    made->count = sim_module_instructions(made->module, &made->code);
    made->machine = calloc(made->count, sizeof *made->machine);
    assert_true(made->count && made->machine);
    assert_int_equal(machine_code_of(made->code, made->count, executions, NULL, 0, NULL, made->machine),
                     MACHINE_TABLE);
    text_free(&ptx);
}

static void discard(struct machine_made *made)
{
    free(made->code);
    free(made->machine);
    sim_module_free(made->module);
}

static const struct machine_code *find(const struct machine_made *made, const char *text)
{
    for (size_t i = 0; i < made->count; i++)
        if (strstr(made->code[i].text, text))
            return &made->machine[i];
    fail_msg("no '%s'", text);
    return NULL;
}

// What becomes of an instruction whose operands come from memory and whose result (%r4, %rd4, %f4, %fd4) goes there.
static struct machine_code alone(const char *instruction)
{
    static const char before[] =
        "ld.param.u64 %rd9, [p]; mov.u32 %r9, %tid.x; mul.wide.u32 %rd8, %r9, 8; add.s64 %rd7, %rd9, %rd8;"
        "ld.global.u32 %r1, [%rd7]; ld.global.u32 %r2, [%rd7+8]; ld.global.u64 %rd1, [%rd7]; ld.global.u64 "
        "%rd2, [%rd7+8];"
        "ld.global.f32 %f1, [%rd7]; ld.global.f32 %f2, [%rd7+8]; ld.global.f64 %fd1, [%rd7]; ld.global.f64 "
        "%fd2, [%rd7+8];";
    static const char after[] = "st.global.u32 [%rd7], %r4; st.global.u64 [%rd7], %rd4; st.global.f32 "
                                "[%rd7], %f4; st.global.f64 [%rd7], %fd4;";
    struct text body = { 0 };
    struct machine_made made;
    text_addf(&body, "%s%s%s", before, instruction, after);
    make(&made, text_string(&body), NULL);
    struct machine_code found = *find(&made, instruction);
    discard(&made);
    text_free(&body);
    return found;
}

// ---- the table ---------------------------------------------------------------------------------------------------

static void the_table_knows_what_the_assembler_makes(void **state)
{
    static const struct {
        const char *text;
        float issues;
        enum pipe pipe;
    } rows[] = {
        { "add.s32 %r4, %r1, %r2;", 1, PIPE_INT },
        { "add.s64 %rd4, %rd1, %rd2;", 2, PIPE_INT },
        { "mul.lo.s32 %r4, %r1, %r2;", 1, PIPE_MUL },
        { "mul.lo.s64 %rd4, %rd1, %rd2;", 4, PIPE_MUL },
        { "fma.rn.f32 %f4, %f1, %f2, %f1;", 1, PIPE_FMA },
        { "fma.rn.f64 %fd4, %fd1, %fd2, %fd1;", 1, PIPE_DOUBLE },
        { "div.rn.f32 %f4, %f1, %f2;", 10, PIPE_FMA },
        { "div.u32 %r4, %r1, %r2;", 18, PIPE_INT },
        { "div.s32 %r4, %r1, %r2;", 23, PIPE_INT },
        { "div.u64 %rd4, %rd1, %rd2;", 75, PIPE_INT },
        { "ex2.approx.ftz.f32 %f4, %f1;", 1, PIPE_SPECIAL },
        { "ex2.approx.f32 %f4, %f1;", 4, PIPE_SPECIAL },
        { "sqrt.rn.f32 %f4, %f1;", 10, PIPE_SPECIAL },
        { "min.s64 %rd4, %rd1, %rd2;", 4, PIPE_INT },
        { "popc.b32 %r4, %r1;", 1, PIPE_CONVERT },
        { "cvt.rzi.s32.f32 %r4, %f1;", 1, PIPE_CONVERT },
        { "cvt.rn.f32.s32 %f4, %r1;", 1, PIPE_INT },
        { "cvt.u32.u64 %r4, %rd1;", 0, PIPE_NONE },
        { "cvt.s64.s32 %rd4, %r1;", 1, PIPE_INT },
        { "mov.b32 %r4, %r1;", 0, PIPE_NONE },
        { "neg.f32 %f4, %f1;", 0, PIPE_NONE },
        { "membar.gl;", 4, PIPE_MEMORY },
        { "shfl.sync.bfly.b32 %r4, %r1, 1, 31, -1;", 1, PIPE_SHUFFLE },
        { "mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%r4, %r2}, {%r1}, {%r1}, {%r1, %r2};", 1,
          PIPE_TENSOR },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct machine_code found = alone(rows[i].text);
        assert_true(found.known);
        if (found.issues != rows[i].issues)
            fail_msg("%s becomes %g", rows[i].text, (double)found.issues);
        if (rows[i].pipe)
            assert_true(found.on[rows[i].pipe] > 0);
    }
}

static void what_it_does_not_know_has_no_figure(void **state)
{
    assert_false(alone("vavrg4.u32.u32.u32 %r4, %r1, %r2, %r1;").known);
}

static void a_result_that_nobody_uses_costs_nothing(void **state)
{
    assert_true(alone("add.s32 %r5, %r1, %r2;").issues == 0);
    assert_true(alone("add.s32 %r4, %r1, %r2;").issues == 1);
}

// ---- what is put together ----------------------------------------------------------------------------------------

static void an_index_becomes_an_address_at_once(void **state)
{
    struct machine_made made;
    make(&made,
         "ld.param.u64 %rd1, [p]; cvta.to.global.u64 %rd2, %rd1; mov.u32 %r1, %tid.x;"
         "mul.wide.u32 %rd3, %r1, 4; add.s64 %rd4, %rd2, %rd3; ld.global.f32 %f1, [%rd4];"
         "add.s64 %rd5, %rd4, 4096; st.global.f32 [%rd5], %f1;",
         NULL);
    assert_true(find(&made, "mul.wide")->issues == 0);
    assert_true(find(&made, "%rd4, %rd2")->on[PIPE_MUL] == 1);
    assert_true(find(&made, "%rd5, %rd4")->issues == 0); // the offset of the store
    assert_true(find(&made, "cvta")->issues == 0);
    discard(&made);
}

static void a_product_that_is_used_otherwise_stays(void **state)
{
    struct machine_made made;
    make(&made,
         "ld.param.u64 %rd1, [p]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd3, %r1, 12; add.s64 %rd4, %rd1, %rd3;"
         "st.global.u64 [%rd4], %rd3;",
         NULL);
    assert_true(find(&made, "mul.wide")->issues == 1);
    assert_true(find(&made, "%rd4, %rd1")->issues == 3); // with the reading of the parameter
    discard(&made);
}

static void addresses_in_shared_memory_have_32_bits(void **state)
{
    struct machine_made made;
    make(&made,
         "mov.u32 %r1, %tid.x; mov.u64 %rd1, s; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2;"
         "cvt.u64.u32 %rd4, %r1; and.b64 %rd5, %rd4, 4092; add.s64 %rd6, %rd1, %rd5;"
         "ld.shared.f32 %f1, [%rd3]; st.shared.f32 [%rd6], %f1;",
         NULL);
    assert_true(find(&made, "%rd3, %rd1")->issues == 1);
    assert_true(find(&made, "and.b64")->issues == 1);
    assert_true(find(&made, "%rd6, %rd1")->issues == 0); // the store adds the variable's address
    discard(&made);
}

static void logic_and_sums_are_paired(void **state)
{
    struct machine_made made;
    make(&made,
         "ld.param.u64 %rd1, [p]; ld.global.u32 %r1, [%rd1]; ld.global.u32 %r2, [%rd1+4]; ld.global.u32 %r3, "
         "[%rd1+8];"
         "and.b32 %r4, %r1, %r2; xor.b32 %r5, %r4, %r3; add.s32 %r6, %r1, %r2; add.s32 %r7, %r6, %r3;"
         "shl.b32 %r8, %r2, 3; add.s32 %r9, %r8, %r1; and.b32 %r10, %r1, 7; setp.eq.s32 %p1, %r10, 0; "
         "selp.b32 %r11, %r5, %r7, %p1;"
         "st.global.u32 [%rd1], %r11; st.global.u32 [%rd1+4], %r9;",
         NULL);
    assert_true(find(&made, "and.b32 %r4")->issues == 0);
    assert_true(find(&made, "xor")->issues == 1);
    assert_true(find(&made, "add.s32 %r6")->issues == 0);
    assert_true(find(&made, "add.s32 %r7")->issues == 1);
    assert_true(find(&made, "shl")->issues == 0);
    assert_true(find(&made, "setp")->issues == 0);
    discard(&made);
}

static void divisions_by_the_same_number_share_the_reciprocal(void **state)
{
    struct machine_made made;
    make(&made,
         "ld.param.u64 %rd1, [p]; ld.global.u32 %r1, [%rd1]; ld.global.u32 %r2, [%rd1+4];"
         "div.u32 %r3, %r1, %r2; add.s32 %r4, %r3, 9; div.u32 %r5, %r4, %r2; st.global.u32 [%rd1], %r5;",
         NULL);
    assert_true(find(&made, "div.u32 %r5")->issues < find(&made, "div.u32 %r3")->issues - 5);
    discard(&made);
}

static void a_loop_makes_the_reciprocal_before_it_begins(void **state)
{
    struct machine_made made;
    make(&made,
         "ld.param.u64 %rd1, [p]; ld.global.u32 %r1, [%rd1]; ld.global.u32 %r2, [%rd1+4];"
         "L: div.s32 %r3, %r1, %r2; div.s32 %r4, %r3, %r1; bar.sync 0; add.s32 %r1, %r1, %r4;"
         "setp.lt.s32 %p1, %r1, 1000; @%p1 bra L; div.s32 %r5, %r1, %r4; st.global.u32 [%rd1], %r5;",
         NULL);
    const struct machine_code *kept = find(&made, "div.s32 %r3"), *changed = find(&made, "div.s32 %r4"),
                              *after = find(&made, "div.s32 %r5");
    assert_true(kept->issues < changed->issues - 5);
    assert_true(kept->latency < 0.6f * changed->latency);
    assert_true(after->issues == changed->issues && after->latency == changed->latency);
    discard(&made);
}

// ---- control -----------------------------------------------------------------------------------------------------

static const char guarded[] =
    "ld.param.u64 %rd1, [p]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd3, %r1, 4; add.s64 %rd4, %rd1, %rd3;"
    "setp.gt.u32 %p1, %r1, 15; @%p1 bra L;"
    "ld.global.u32 %r2, [%rd4]; add.s32 %r3, %r2, 1; st.global.u32 [%rd4], %r3;"
    "L: bar.sync 0; st.global.u32 [%rd4+4], %r1;";

static void a_short_arm_is_executed_by_all(void **state)
{
    struct machine_made made;
    make(&made, guarded, NULL);
    assert_true(find(&made, "bra")->issues == 0);
    discard(&made);
    // Of 8 warps, 2 have threads in the arm; the others execute it too, with a false predicate.
    uint64_t executions[] = { 8, 8, 8, 8, 8, 8, 2, 2, 2, 8, 8, 8, 0 };
    make(&made, guarded, executions);
    assert_true(find(&made, "bra")->issues == 3 * 0.75f);
    discard(&made);
}

static void a_counted_loop_shares_what_going_round_costs(void **state)
{
    static const char loop[] =
        "ld.param.u64 %rd1, [p]; ld.param.u32 %r9, [n]; mov.u32 %r1, 0; mov.f32 %f1, 0f00000000;"
        "L: ld.global.f32 %f2, [%rd1]; add.f32 %f1, %f1, %f2; add.s64 %rd1, %rd1, 4; add.s32 %r1, %r1, 1;"
        "setp.lt.s32 %p1, %r1, %r9; @%p1 bra L; st.global.f32 [%rd1], %f1;";
    struct machine_made made;
    make(&made, loop, NULL);
    assert_int_equal(find(&made, "ld.global")->unrolled, 4);
    assert_true(find(&made, "ld.global")->issues == 1);
    assert_true(find(&made, "bra")->issues == 0.25f);
    assert_true(find(&made, "add.s64")->issues == 0.5f);
    discard(&made);
}

// ---- the order ---------------------------------------------------------------------------------------------------

static void loads_come_first_and_uses_late(void **state)
{
    struct machine_made made;
    make(&made,
         "ld.param.u64 %rd1, [p]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2;"
         "ld.global.f32 %f1, [%rd3]; mul.f32 %f2, %f1, %f1; ld.global.f32 %f3, [%rd3+4]; fma.rn.f32 %f4, "
         "%f3, %f3, %f2;"
         "bar.sync 0; ld.global.f32 %f5, [%rd3+8]; add.f32 %f6, %f4, %f5; st.global.f32 [%rd3], %f6;",
         NULL);
    int first = find(&made, "%f1, [%rd3]")->rank, second = find(&made, "%f3, [%rd3+4]")->rank;
    assert_true(first < second);
    assert_true(second < find(&made, "mul.f32")->rank);
    assert_true(second < find(&made, "bar.sync")->rank);
    assert_true(find(&made, "bar.sync")->rank < find(&made, "%f5, [%rd3+8]")->rank);
    assert_true(find(&made, "%f5, [%rd3+8]")->rank <
                find(&made, "mul.f32")->rank); // which can wait for its load
    assert_true(find(&made, "mul.f32")->rank < find(&made, "fma")->rank);
    for (size_t i = 0; i < made.count; i++) // each place is taken once
        for (size_t k = 0; k < i && i + 1 < made.count; k++)
            assert_int_not_equal(made.machine[i].rank, made.machine[k].rank);
    discard(&made);
}

static void a_load_stays_after_a_store_that_may_be_its_source(void **state)
{
    static const char body[] =
        "ld.param.u64 %%rd1, [p]; ld.global.u64 %%rd2, [%%rd1]; mov.u32 %%r1, %%tid.x; mov.u32 %%r2, %%clock;"
        "st.global.u32 [%%rd1%s], %%r2; ld.global%s.u32 %%r3, [%%rd%d]; st.global.u32 [%%rd1+16], %%r3;";
    struct text text = { 0 };
    struct machine_made made;
    text_addf(&text, body, "+8", "", 2); // elsewhere, as far as one can see
    make(&made, text_string(&text), NULL);
    assert_true(find(&made, "st.global.u32 [%rd1+8]")->rank < find(&made, "ld.global.u32")->rank);
    discard(&made);
    text_free(&text);
    text_addf(&text, body, "+8", ".nc", 1); // nobody writes what this reads
    make(&made, text_string(&text), NULL);
    assert_true(find(&made, "st.global.u32 [%rd1+8]")->rank > find(&made, "ld.global.nc")->rank);
    discard(&made);
    text_free(&text);
    text_addf(&text, body, "+8", "", 1); // other bytes of the same address
    make(&made, text_string(&text), NULL);
    assert_true(find(&made, "st.global.u32 [%rd1+8]")->rank > find(&made, "ld.global.u32")->rank);
    discard(&made);
    text_free(&text);
}

// ---- machine code ------------------------------------------------------------------------------------------------

struct assembled { // a kernel of tests/data/machine, executed once
    struct sim_file file;
    struct sim_instruction *code;
    struct machine_code *machine;
    uint64_t *executions;
    size_t count;
    struct text cubin;
};

static int open_assembled(void **state, const char *name)
{
    struct assembled *a = mem_new(sizeof *a);
    struct error error;
    char kernel[80], ptx[80], cubin[80];
    snprintf(kernel, sizeof kernel, "tests/data/machine/%s.cu", name);
    snprintf(ptx, sizeof ptx, "tests/data/machine/%s.ptx", name);
    snprintf(cubin, sizeof cubin, "tests/data/machine/%s.cubin", name);
    static const struct sim_options options = { .check = SIM_CHECK_COUNTERS, .threads = 1 };
    sim_file_run(&a->file, NULL, kernel, ptx, &options);
    a->count = sim_module_instructions(a->file.module, &a->code);
    a->machine = mem_new(a->count * sizeof *a->machine);
    a->executions = mem_new(a->count * sizeof *a->executions);
    const struct sim_result *result = &a->file.results[0];
    for (size_t i = 0; i < result->instruction_count; i++)
        a->executions[result->instructions[i].index] = result->instructions[i].counters.warp_inst;
    if (!file_read(cubin, &a->cubin, &error))
        fail_msg("%s", error.text);
    *state = a;
    return 0;
}

static int open_one_block(void **state)
{
    return open_assembled(state, "one-block");
}

static int open_tree(void **state)
{
    return open_assembled(state, "tree");
}

static int open_product(void **state)
{
    return open_assembled(state, "product");
}

static int open_rim(void **state)
{
    return open_assembled(state, "rim");
}

static int open_reciprocals(void **state)
{
    return open_assembled(state, "recip");
}

static int open_inverse(void **state)
{
    return open_assembled(state, "inverse");
}

static int open_inverses(void **state)
{
    return open_assembled(state, "inverses");
}

static int open_largest(void **state)
{
    return open_assembled(state, "largest");
}

static int close_assembled(void **state)
{
    struct assembled *a = *state;
    free(a->code);
    free(a->machine);
    free(a->executions);
    text_free(&a->cubin);
    sim_file_free(&a->file);
    free(a);
    return 0;
}

static double executed(const struct assembled *a)
{
    double sum = 0;
    for (size_t i = 0; i < a->count; i++)
        sum += (double)a->executions[i] * (double)a->machine[i].issues;
    return sum;
}

static enum machine_source assemble(struct assembled *a, const void *cubin, size_t bytes)
{
    return machine_code_of(a->code, a->count, a->executions, cubin, bytes, NULL, a->machine);
}

enum { ON_HARDWARE = 77152 };

static void the_table_comes_near_what_hardware_executes(void **state)
{
    struct assembled *a = *state;
    assert_int_equal(assemble(a, NULL, 0), MACHINE_TABLE);
    assert_in_range((uintmax_t)executed(a), ON_HARDWARE * 0.9, ON_HARDWARE * 1.1);
}

static void machine_code_says_what_hardware_executes(void **state)
{
    struct assembled *a = *state;
    assert_int_equal(assemble(a, a->cubin.data, a->cubin.length), MACHINE_CUBIN);
    assert_in_range((uintmax_t)executed(a), ON_HARDWARE * 0.99, ON_HARDWARE * 1.01);
    int loads = 0;
    for (size_t i = 0; i < a->count; i++) {
        if (a->code[i].access != SIM_GLOBAL_LOAD || !a->executions[i])
            continue;
        assert_true(a->machine[i].issues == 1);
        assert_true(a->machine[i].on[PIPE_MEMORY] == 1);
        if (!loads++) { // the loop's first instruction
            assert_int_equal(a->machine[i].unrolled, 4);
            assert_true(a->machine[i].placed);
            assert_int_equal(a->machine[i].rank, 0);
        }
        assert_true(a->machine[i].rank < 4); // before the sums
        for (int k = 0; k < 4; k++)          // each iteration's, one after the other
            assert_true(a->machine[i].place[k] > (k ? a->machine[i].place[k - 1] : 0));
    }
    assert_int_equal(loads, 4);
}

// Before compute capability 9.0 branches and relocations are written otherwise.
static void machine_code_of_older_gpus_is_read(void **state)
{
    struct assembled *a = *state;
    struct text older = { 0 };
    struct error error;
    assert_true(file_read("tests/data/machine/one-block-80.cubin", &older, &error));
    assert_int_equal(assemble(a, older.data, older.length), MACHINE_CUBIN);
    assert_in_range((uintmax_t)executed(a), ON_HARDWARE * 0.97, ON_HARDWARE * 1.03);
    text_free(&older);
}

static const struct machine_code *find_in(const struct assembled *a, const char *text)
{
    for (size_t i = 0; i < a->count; i++)
        if (strstr(a->code[i].text, text))
            return &a->machine[i];
    fail_msg("no '%s'", text);
    return NULL;
}

// Each product of an unrolled loop waits for loads of its own iteration: that of the second is at 80, though five words have its
// line, of which the one at 96 is the comparison of the loop.
static void iterations_have_the_words_that_do_the_same(void **state)
{
    static const short products[] = { 63, 80, 95, 103 };
    struct assembled *a = *state;
    assert_int_equal(assemble(a, a->cubin.data, a->cubin.length), MACHINE_CUBIN);
    const struct machine_code *third = find_in(a, "fma.rn.f32 %f20");
    for (size_t k = 0; k < sizeof products / sizeof *products; k++)
        assert_int_equal(third->place[k], products[k]);
}

// 123: its listing, counted by hand along the way that the two warps take.
static void predicates_and_merged_loads_are_seen_in_machine_code(void **state)
{
    struct assembled *a = *state;
    assert_int_equal(assemble(a, a->cubin.data, a->cubin.length), MACHINE_CUBIN);
    assert_in_range((uintmax_t)(executed(a) + 0.5), 123 - 3, 123 + 3);
    assert_true(find_in(a, "ld.shared.f32 %f10, [%rd1]")->issues == 1); // in the arm
    assert_true(find_in(a, "@%p1 bra")->issues == 2); // the arm, for the warp that has no thread in it
    assert_true(find_in(a, "_ZZ1kE1s];")->on[PIPE_MEMORY] == 1); // one load of four words
    assert_true(find_in(a, "_ZZ1kE1s+4];")->on[PIPE_MEMORY] == 0);
    assert_true(find_in(a, "_ZZ1kE1s+12];")->on[PIPE_MEMORY] == 0);
    assert_true(find_in(a, "shfl.sync")->on[PIPE_SHUFFLE] == 1);
}

static void quick_ways_belong_to_the_loop_around_them(void **state)
{
    struct assembled *a = *state;
    assert_int_equal(assemble(a, a->cubin.data, a->cubin.length), MACHINE_CUBIN);
    const struct machine_code *one = find_in(a, "rcp.rn.f32 %f7");
    assert_true(one->issues > 7 && one->issues < 12);
    assert_true(one->on[PIPE_SPECIAL] == 1);
    assert_true(find_in(a, "add.s32")->issues == 1);
}

// What is moved out of the loop, or weighs most of it and lies in an arm, does not say how often the loop goes round.
static void quick_ways_are_executed_as_often_as_their_loop(void **state)
{
    struct assembled *a = *state;
    assert_int_equal(assemble(a, a->cubin.data, a->cubin.length), MACHINE_CUBIN);
    for (size_t i = 0; i < a->count; i++) {
        if (strncmp(a->code[i].text, "rcp.rn", 6) != 0)
            continue;
        assert_true(a->machine[i].issues > 7 && a->machine[i].issues < 13);
        assert_true(a->machine[i].on[PIPE_SPECIAL] == 1);
        float sum = a->machine[i - 1].issues; // with a constant that is loaded before the loop
        assert_true(sum >= 1 && sum < 1.1);
    }
}

// Counted by hand in the listing: FADD R2, R7, R4, and of the reciprocal VIADD, LOP3, ISETP, MUFU, which reads its register for two
// cycles, FFMA R0, R2, R7, -1, FADD and FFMA R7, R7, R0, R7, which reads R7 once.
static void registers_are_read_from_two_banks(void **state)
{
    struct assembled *a = *state;
    assert_int_equal(assemble(a, a->cubin.data, a->cubin.length), MACHINE_CUBIN);
    const struct machine_code *sum = find_in(a, "add.f32"), *one = find_in(a, "rcp.rn");
    assert_true(sum->reads[0] == 1 && sum->reads[1] == 1);
    assert_true(one->reads[0] == 8 && one->reads[1] == 2);
    assert_int_equal(assemble(a, NULL, 0), MACHINE_TABLE); // which knows no registers
    assert_true(find_in(a, "rcp.rn")->reads[0] == 0);
}

static void arms_under_predicates_are_ordered_with_what_surrounds_them(void **state)
{
    struct assembled *a = *state;
    assert_int_equal(assemble(a, a->cubin.data, a->cubin.length), MACHINE_CUBIN);
    int stored = find_in(a, "st.shared.f32 [%r2+16], %f1")->rank;
    assert_true(find_in(a, "ld.global.f32 %f1")->rank < stored);
    assert_true(find_in(a, "ld.global.f32 %f2")->rank < stored);
    assert_true(find_in(a, "ld.global.f32 %f3")->rank < stored);
    assert_true(find_in(a, "ld.global.f32 %f2")->joined);
    assert_true(find_in(a, "bar.sync")->rank > find_in(a, "st.shared.f32 [%r2+32], %f3")->rank);
    assert_int_equal(assemble(a, NULL, 0), MACHINE_TABLE);
    assert_false(find_in(a, "ld.global.f32 %f2")->joined);
}

// Of a comparison in an unrolled loop the assembler may simplify that of one iteration. The others are not put off to where the
// loop goes round.
static void a_comparison_is_not_after_what_needs_it(void **state)
{
    struct assembled *a = *state;
    assert_int_equal(assemble(a, a->cubin.data, a->cubin.length), MACHINE_CUBIN);
    const struct machine_code *first = find_in(a, "setp.gt.f32 %p3"), *second = find_in(a, "setp.gt.f32 %p4");
    for (int k = 0; k < 8; k++) {
        assert_true(second->place[k] > (k ? second->place[k - 1] : 0));
        assert_true(first->place[k] < second->place[k]);
    }
}

// Without executions, loops are taken to go round some times.
static void machine_code_helps_before_anything_was_executed(void **state)
{
    struct assembled *a = *state;
    assert_int_equal(
        machine_code_of(a->code, a->count, NULL, a->cubin.data, a->cubin.length, NULL, a->machine),
        MACHINE_CUBIN);
    assert_in_range((uintmax_t)executed(a), ON_HARDWARE * 0.9, ON_HARDWARE * 1.1);
}

static void the_machine_code_of_other_ptx_is_not_believed(void **state)
{
    struct assembled *a = *state;
    struct machine_made made;
    make(&made, "bar.sync 0;", NULL);
    assert_int_equal(
        machine_code_of(made.code, made.count, NULL, a->cubin.data, a->cubin.length, NULL, made.machine),
        MACHINE_TABLE);
    assert_true(find(&made, "ret")->issues == 1);
    discard(&made);
}

static void is_sound(const struct assembled *a)
{
    for (size_t i = 0; i < a->count; i++) {
        assert_true(a->machine[i].issues >= 0 && a->machine[i].issues < 1e9f);
        assert_true(a->machine[i].rank >= 0 && (size_t)a->machine[i].rank < a->count);
        assert_true(a->machine[i].unrolled >= 0 && a->machine[i].unrolled <= UNROLLED_PLACES);
    }
}

static void machine_code_may_end_anywhere(void **state)
{
    struct assembled *a = *state;
    for (size_t length = 0; length < a->cubin.length; length++) {
        char *part = malloc(length + 1); // no byte more, so that a sanitizer sees what reads on
        memcpy(part, a->cubin.data, length);
        part = realloc(part, length ? length : 1);
        assert_int_not_equal(assemble(a, part, length), MACHINE_NO_MEMORY);
        is_sound(a);
        free(part);
    }
}

static void machine_code_may_be_damaged(void **state)
{
    struct assembled *a = *state;
    for (size_t at = 0; at < a->cubin.length; at++) {
        static const char damage[] = { 1, (char)0x80, (char)0xff };
        a->cubin.data[at] ^= damage[at % sizeof damage];
        assert_int_not_equal(assemble(a, a->cubin.data, a->cubin.length), MACHINE_NO_MEMORY);
        is_sound(a);
        a->cubin.data[at] ^= damage[at % sizeof damage];
    }
}

#define ASSEMBLED(test) cmocka_unit_test_setup_teardown(test, open_one_block, close_assembled)

static void a_sleep_has_no_figure(void **state)
{
    struct machine_made made;
    make(&made, "mov.u32 %r1, 1000000;\nnanosleep.u32 %r1;", NULL);
    size_t unknown = 0;
    for (size_t i = 0; i < made.count; i++)
        unknown += !made.machine[i].known;
    assert_int_equal(unknown, 1);
    discard(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sleep_has_no_figure),
        cmocka_unit_test(the_table_knows_what_the_assembler_makes),
        cmocka_unit_test(what_it_does_not_know_has_no_figure),
        cmocka_unit_test(a_result_that_nobody_uses_costs_nothing),
        cmocka_unit_test(an_index_becomes_an_address_at_once),
        cmocka_unit_test(a_product_that_is_used_otherwise_stays),
        cmocka_unit_test(addresses_in_shared_memory_have_32_bits),
        cmocka_unit_test(logic_and_sums_are_paired),
        cmocka_unit_test(divisions_by_the_same_number_share_the_reciprocal),
        cmocka_unit_test(a_loop_makes_the_reciprocal_before_it_begins),
        cmocka_unit_test(a_short_arm_is_executed_by_all),
        cmocka_unit_test(a_counted_loop_shares_what_going_round_costs),
        cmocka_unit_test(loads_come_first_and_uses_late),
        cmocka_unit_test(a_load_stays_after_a_store_that_may_be_its_source),
        ASSEMBLED(the_table_comes_near_what_hardware_executes),
        ASSEMBLED(machine_code_says_what_hardware_executes),
        ASSEMBLED(machine_code_of_older_gpus_is_read),
        cmocka_unit_test_setup_teardown(quick_ways_belong_to_the_loop_around_them, open_reciprocals,
                                        close_assembled),
        cmocka_unit_test_setup_teardown(quick_ways_are_executed_as_often_as_their_loop, open_inverse,
                                        close_assembled),
        cmocka_unit_test_setup_teardown(quick_ways_are_executed_as_often_as_their_loop, open_inverses,
                                        close_assembled),
        cmocka_unit_test_setup_teardown(registers_are_read_from_two_banks, open_inverse, close_assembled),
        cmocka_unit_test_setup_teardown(a_comparison_is_not_after_what_needs_it, open_largest,
                                        close_assembled),
        cmocka_unit_test_setup_teardown(arms_under_predicates_are_ordered_with_what_surrounds_them, open_rim,
                                        close_assembled),
        cmocka_unit_test_setup_teardown(iterations_have_the_words_that_do_the_same, open_product,
                                        close_assembled),
        cmocka_unit_test_setup_teardown(predicates_and_merged_loads_are_seen_in_machine_code, open_tree,
                                        close_assembled),
        ASSEMBLED(machine_code_helps_before_anything_was_executed),
        ASSEMBLED(the_machine_code_of_other_ptx_is_not_believed),
        ASSEMBLED(machine_code_may_end_anywhere),
        ASSEMBLED(machine_code_may_be_damaged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
