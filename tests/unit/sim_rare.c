// Instructions that compilers seldom write, each in a small kernel with results worked out by hand.
// Parts: wide baseline
#include "tests/unit/sim_kernel.h"

static struct kernel_outcome outcome; // large

static void run_warp(const char *body, const char *before)
{
    struct setting s = { .body = body, .before = before, .block = { 32 } };
    run(&s, &outcome);
    expect_clean(&outcome);
}

// ---- bits, vectors, clocks --------------------------------------------------------------------------------------

static void lop3_gives_a_predicate_too(void **state)
{
    // a & b of the lane and 12; "is it not zero", or/and "is the lane below 4", or/and not
    run_warp(
        "setp.lt.u32 %p1, %r0, 4; mov.u32 %r10, 12; mov.u32 %r20, 0;\n"
        "lop3.or.b32 %r11|%p2, %r0, %r10, 0, 0xc0, %p1; lop3.and.b32 %r12|%p3, %r0, %r10, 0, 0xc0, %p1;\n"
        "lop3.or.b32 _|%p4, %r0, %r10, 0, 0xc0, !%p1; lop3.and.b32 %r13|%p5, %r0, 3, 0, 0xc0, !%p1;\n"
        "@%p2 add.u32 %r20, %r20, 1000; @%p3 add.u32 %r20, %r20, 2000; @%p4 add.u32 %r20, %r20, 4000;\n"
        "@%p5 add.u32 %r20, %r20, 8000; add.u32 %r20, %r20, %r11; st.global.u32 [%rd0], %r20; ret;",
        NULL);
    for (uint32_t i = 0; i < 32; i++) {
        const bool meets = (i & 12) != 0, low = i < 4;
        const uint32_t want = (meets || low ? 1000 : 0) + (meets && low ? 2000 : 0) +
                              (meets || !low ? 4000 : 0) + ((i & 3) != 0 && !low ? 8000 : 0) + (i & 12);
        assert_int_equal(outcome.words[i], want);
    }
    drop(&outcome);
}

static void vectors_are_taken_apart_and_put_together(void **state)
{
    run_warp(
        ".reg .b16 %h<9>;\nmov.b64 %rd5, 0x1122334455667788;\n"
        "mov.b64 {%r10, %r11}, %rd5; mov.b64 {%h1, %h2, %h3, %h4}, %rd5; mov.b32 {%h5, %h6}, %r11;\n"
        "mov.b64 {_, %r12}, %rd5; mov.b64 %rd6, {%h4, %h3, %h2, %h1}; mov.b32 %r13, {%h6, %h5};\n"
        "mov.b64 {%r14, %r15}, %rd6;\n"
        "st.global.u32 [%rd1], %r10; st.global.u32 [%rd1+4], %r11; st.global.u32 [%rd1+8], %r12;\n"
        "st.global.u32 [%rd1+12], %r13; st.global.u32 [%rd1+16], %r14; st.global.u32 [%rd1+20], %r15; ret;",
        NULL);
    const uint32_t want[] = { 0x55667788, 0x11223344, 0x11223344, 0x33441122, 0x33441122, 0x77885566 };
    assert_memory_equal(outcome.words, want, sizeof want);
    drop(&outcome);
}

static void clocks_go_forward(void **state)
{
    run_warp(
        "mov.u32 %r10, %clock; mov.u64 %rd5, %clock64; mov.u64 %rd6, %globaltimer; mov.u32 %r11, %clock_hi;\n"
        "mov.u32 %r12, %clock; setp.gt.u32 %p1, %r12, %r10; setp.gt.u64 %p2, %rd6, %rd5;\n"
        "selp.u32 %r13, 1, 0, %p1; selp.u32 %r14, 2, 0, %p2; add.u32 %r13, %r13, %r14;\n"
        "add.u32 %r13, %r13, %r11; st.global.u32 [%rd0], %r13; ret;",
        NULL);
    assert_int_equal(outcome.words[31], 3);
    drop(&outcome);
}

// ---- memory -----------------------------------------------------------------------------------------------------

static void addresses_know_their_space(void **state)
{
    // a digit for each address, from the right: of a buffer, shared, local, constant; in it a bit for each question
    run_warp(
        ".shared .b32 tile[4];\n.local .b32 own[4];\n"
        "cvta.global.u64 %rd5, %rd1; mov.u64 %rd6, tile; cvta.shared.u64 %rd6, %rd6; mov.u64 %rd7, own;\n"
        "cvta.local.u64 %rd7, %rd7; mov.u64 %rd8, fixed; cvta.const.u64 %rd8, %rd8; mov.u32 %r20, 0;\n"
        "isspacep.global %p1, %rd5; @%p1 add.u32 %r20, %r20, 0x1; isspacep.shared %p1, %rd5; @%p1 add.u32 "
        "%r20, "
        "%r20, 0x2;\n"
        "isspacep.local %p1, %rd5; @%p1 add.u32 %r20, %r20, 0x4; isspacep.const %p1, %rd5; @%p1 add.u32 "
        "%r20, "
        "%r20, 0x8;\n"
        "isspacep.param::entry %p1, %rd5; @%p1 add.u32 %r20, %r20, 0x8;\n"
        "isspacep.global %p1, %rd6; @%p1 add.u32 %r20, %r20, 0x10; isspacep.shared::cta %p1, %rd6; @%p1 "
        "add.u32 "
        "%r20, %r20, 0x20;\n"
        "isspacep.global %p1, %rd7; @%p1 add.u32 %r20, %r20, 0x100; isspacep.local %p1, %rd7; @%p1 add.u32 "
        "%r20, "
        "%r20, 0x400;\n"
        "isspacep.global %p1, %rd8; @%p1 add.u32 %r20, %r20, 0x1000; isspacep.const %p1, %rd8; @%p1 add.u32 "
        "%r20, %r20, 0x8000;\n"
        "st.global.u32 [%rd0], %r20; ret;",
        ".const .align 4 .b32 fixed[2] = {1, 2};\n");
    for (int i = 0; i < 32; i++)
        assert_int_equal(outcome.words[i], 0x8421);
    drop(&outcome);
}

static void registers_may_be_wider_than_what_is_loaded(void **state)
{
    run_warp(".reg .b16 %h<5>;\nmov.u32 %r10, 0xfedc8081; st.global.u32 [%rd0], %r10;\n"
             "ld.global.u8 %rd5, [%rd0]; ld.global.s8 %rd6, [%rd0]; ld.global.u16 %rd7, [%rd0+2];\n"
             "ld.global.s16 %rd8, [%rd0+2]; ld.global.s32 %rd9, [%rd0]; ld.global.u32 %rd10, [%rd0];\n"
             "ld.global.s8 %r11, [%rd0+1]; ld.global.u8 %h1, [%rd0+3]; cvt.u32.u16 %r12, %h1;\n"
             "add.u64 %rd5, %rd5, %rd6; add.u64 %rd5, %rd5, %rd7; add.u64 %rd5, %rd5, %rd8; add.u64 %rd5, "
             "%rd5, %rd9;\n"
             "add.u64 %rd5, %rd5, %rd10; cvt.s64.s32 %rd11, %r11; add.u64 %rd5, %rd5, %rd11; cvt.u64.u32 "
             "%rd11, %r12;\n"
             "add.u64 %rd5, %rd5, %rd11; mov.b64 {%r13, %r14}, %rd5;\n"
             "st.global.u32 [%rd0+1024], %r13; st.global.u32 [%rd0+2048], %r14;\n"
             "mov.b64 %rd12, 0x99aabbccddeeff01;\nst.global.u8 [%rd0+3072], %rd12; st.global.u16 "
             "[%rd0+3074], %rd12;\n"
             "st.global.u32 [%rd0+4096], %rd12; ret;",
             NULL);
    const uint64_t want = 0x81u + (uint64_t)-127 + 0xfedc + (uint64_t)-292 + (uint64_t)(int32_t)0xfedc8081 +
                          0xfedc8081u + (uint64_t)-128 + 0xfe;
    assert_int_equal(outcome.words[256], (uint32_t)want);
    assert_int_equal(outcome.words[512], (uint32_t)(want >> 32));
    assert_int_equal(outcome.words[768], 0xff010001);
    assert_int_equal(outcome.words[1024], 0xddeeff01);
    drop(&outcome);
}

// Every lane works on the same words; what they leave does not depend on the order.
static void atomics_of_rare_types(void **state)
{
    static const char body[] =
        ".reg .b16 %h<9>;\n.reg .b64 %x<4>;\nsub.u32 %r10, 15, %r0; cvt.s64.s32 %x1, %r10; cvt.u64.u32 %x2, "
        "%r10;\n"
        "setp.ne.u32 %p1, %r0, 0;\n@%p1 bra ON;\n"
        // what there is before: a bf16 sum of 0, halves 2 and -2, words as they are
        "mov.u64 %x3, 5; st.global.u64 [%rd1+4096], %x3; st.global.u64 [%rd1+4104], %x3;\n"
        "mov.u32 %r11, 0xc0004000; st.global.u32 [%rd1+4112], %r11; st.global.u32 [%rd1+4116], %r11;\n"
        "mov.u32 %r11, 0; st.global.u32 [%rd1+4120], %r11; st.global.u32 [%rd1+4124], %r11;\n"
        "mov.u32 %r11, 0xbf803f80; st.global.u32 [%rd1+4128], %r11; st.global.u32 [%rd1+4132], %r11;\n"
        "ON: bar.sync 0;\n"
        "atom.global.min.s64 %x3, [%rd1+4096], %x1; atom.global.min.u64 %x3, [%rd1+4104], %x2;\n"
        // f16 in pairs: 1 and -1 against -2 and 2
        "mov.u32 %r12, 0x3c00bc00; red.global.min.noftz.f16x2 [%rd1+4112], %r12;\n"
        "red.global.max.noftz.f16x2 [%rd1+4116], %r12;\n"
        "mov.b16 %h1, 0x3f80; red.global.add.noftz.bf16 [%rd1+4120], %h1; red.global.max.u32 [%rd1+4124], "
        "%r10;\n"
        // bf16 in pairs: 2 and -2 against -1 and 1
        "mov.u32 %r13, 0x4000c000; red.global.min.noftz.bf16x2 [%rd1+4128], %r13;\n"
        "red.global.max.noftz.bf16x2 [%rd1+4132], %r13; ret;";
    struct setting s = { .body = body, .block = { 32 } };
    for (s.options.threads = 1; s.options.threads <= 2; s.options.threads++) {
        run(&s, &outcome);
        expect_clean(&outcome);
        const uint32_t *w = &outcome.words[1024];
        assert_int_equal(w[0], (uint32_t)-16);
        assert_int_equal(w[1], UINT32_MAX);
        assert_int_equal(w[2], 0);
        assert_int_equal(w[3], 0);
        assert_int_equal(w[4], 0xc000bc00); // min(-2, 1), min(2, -1)
        assert_int_equal(w[5], 0x3c004000);
        assert_int_equal(w[6], 0x4200);     // 32
        assert_int_equal(w[7], UINT32_MAX); // -1, as it reads without a sign
        assert_int_equal(w[8], 0xbf80c000); // min(-1, 2), min(1, -2)
        assert_int_equal(w[9], 0x40003f80);
        drop(&outcome);
    }
}

// Halves side by side in vectors, each an element of its own.
static void atomics_of_vectors_of_halves(void **state)
{
    run_warp(".reg .b16 %h<9>;\nsetp.ne.u32 %p1, %r0, 0;\n@%p1 ret;\n"
             "mov.u32 %r10, 0xc0004000; st.global.u32 [%rd1], %r10; st.global.u32 [%rd1+4], %r10;\n"
             "st.global.u32 [%rd1+8], %r10; st.global.u32 [%rd1+12], %r10;\n"
             "mov.b16 %h1, 0x3c00; mov.b16 %h2, 0xbc00; mov.b16 %h3, 0x3f80; mov.b16 %h4, 0xbf80;\n"
             // what was there: f16 2 and -2, as bf16 2 and -2 too
             "atom.global.min.noftz.v2.f16 {%h5, %h6}, [%rd1], {%h1, %h2};\n"
             "red.global.max.noftz.v2.f16 [%rd1+4], {%h1, %h2}; red.global.min.noftz.v2.bf16 [%rd1+8], {%h3, "
             "%h4};\n"
             "red.global.max.noftz.v2.bf16 [%rd1+12], {%h3, %h4}; mov.b32 %r11, {%h5, %h6};\n"
             "st.global.u32 [%rd1+16], %r11; ret;",
             NULL);
    const uint32_t want[] = { 0xc0003c00, 0xbc004000, 0xc0003f80, 0xbf804000, 0xc0004000 };
    assert_memory_equal(outcome.words, want, sizeof want);
    drop(&outcome);
}

// ---- between lanes ------------------------------------------------------------------------------------------------

static void lanes_agree(void **state)
{
    // uni: all alike; match.all: with a predicate; redux of signed numbers
    run_warp(
        "setp.lt.u32 %p1, %r0, 40; vote.sync.uni.pred %p2, %p1, 0xffffffff; setp.lt.u32 %p3, %r0, 4;\n"
        "vote.sync.uni.pred %p4, %p3, 0xffffffff; vote.sync.uni.pred %p5, !%p1, 0xffffffff; mov.u32 %r20, "
        "0;\n"
        "@%p2 add.u32 %r20, %r20, 1; @%p4 add.u32 %r20, %r20, 2; @%p5 add.u32 %r20, %r20, 4;\n"
        "shr.u32 %r10, %r0, 5; match.all.sync.b32 %r11|%p1, %r10, 0xffffffff; @%p1 add.u32 %r20, %r20, 8;\n"
        "match.all.sync.b32 %r12|%p1, %r0, 0xffffffff; @%p1 add.u32 %r20, %r20, 16;\n"
        "sub.u32 %r13, %r0, 20; redux.sync.min.s32 %r14, %r13, 0xffffffff; redux.sync.max.s32 %r15, %r13, "
        "0xffffffff;\n"
        "redux.sync.max.u32 %r16, %r13, 0xffffffff; redux.sync.add.s32 %r17, %r13, 0xffffffff;\n"
        "st.global.u32 [%rd0], %r20; st.global.u32 [%rd0+512], %r11; st.global.u32 [%rd0+1024], %r12;\n"
        "st.global.u32 [%rd0+1536], %r14; st.global.u32 [%rd0+2048], %r15; st.global.u32 [%rd0+2560], %r16;\n"
        "st.global.u32 [%rd0+3072], %r17; ret;",
        NULL);
    for (int i = 0; i < 32; i++) {
        assert_int_equal(outcome.words[i], 1 + 4 + 8);
        assert_int_equal(outcome.words[128 + i], UINT32_MAX);
        assert_int_equal(outcome.words[256 + i], 0);
        assert_int_equal(outcome.words[384 + i], (uint32_t)-20);
        assert_int_equal(outcome.words[512 + i], 11);
        assert_int_equal(outcome.words[640 + i], UINT32_MAX);
        assert_int_equal(outcome.words[768 + i], (uint32_t)(31 * 16 - 20 * 32));
    }
    drop(&outcome);
}

static void what_has_no_effect_is_known(void **state)
{
    run_warp(
        "prefetch.global.L1 [%rd0]; prefetchu.L1 [%rd0]; nanosleep.u32 20; fence.proxy.alias; membar.gl;\n"
        "griddepcontrol.wait; pmevent 1; st.global.u32 [%rd0], 7; ret;",
        NULL);
    assert_int_equal(outcome.words[31], 7);
    drop(&outcome);
}

// ---- sentences ---------------------------------------------------------------------------------------------------

// One thread reads the word at an address; what the finding says.
static void expect_sentence(struct sim_memory *memory, sim_address address, const char *says)
{
    struct sim_module *module =
        read_module(".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 a)\n{\n"
                    ".reg .b32 %r<2>;\n.reg .b64 %rd<2>;\nld.param.u64 %rd1, [a];\nld.global.u32 %r1, "
                    "[%rd1];\nret;\n}\n");
    const struct sim_argument argument = { &address, sizeof address };
    struct sim_launch launch = {
        .grid = { 1, 1, 1 }, .block = { 1, 1, 1 }, .arguments = &argument, .argument_count = 1
    };
    struct sim_options options = { .check = SIM_CHECK_ALL };
    struct sim_result result;
    struct sim_fault fault;
    assert_true(sim_run(module, memory, &launch, &options, &result, &fault));
    assert_int_equal(result.finding_count, 1);
    if (!strstr(result.findings[0].sentence, says))
        fail_msg("%s", result.findings[0].sentence);
    sim_result_free(&result);
    sim_module_free(module);
}

static void a_buffer_without_a_name_is_not_called_freed(void **state)
{
    static uint32_t words[8];
    struct sim_memory *memory = sim_memory_new();
    sim_address at = sim_memory_add(memory, "", words, sizeof words, 4, SIM_INOUT);
    expect_sentence(memory, at + 32, "past the end of a buffer of 32 bytes that has no name");
    expect_sentence(memory, at - 4, "before the start of a buffer of 32 bytes that has no name");
    sim_memory_remove(memory, at);
    expect_sentence(memory, at, "in memory that was freed before this launch");
    sim_memory_free(memory);
}

// Forms that no GPU has: operands wider, or more of them, than what they are decoded into.
static void forms_that_do_not_exist_are_named(void **state)
{
    static const char *const forms[] = {
        "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v8.b32 [s], "
        "{%r1,%r1,%r1,%r1,%r1,%r1,%r1,%r1}, [s];",
        "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b128 [s], %q, [s];",
        "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.v2.u32 [s], {%r1,%r1}, "
        "[s];",
        "suld.b.1d.b128.trap %q, [%rd0, {%r1}];",
        "tex.1d.v8.f32.s32 {%f,%f,%f,%f,%f,%f,%f,%f}, [%rd0, {%r1}];",
        "tld4.r.3d.v4.f32.f32 {%f,%f,%f,%f}, [%rd0, {%f,%f,%f,%f}];",
        "tld4.r.1d.v4.f32.f32 {%f,%f,%f,%f}, [%rd0, {%f}];",
        "wmma.load.a.sync.aligned.col.m8n8k32.global.s4 {%r1}, [%rd0], 32;",
        "wmma.load.b.sync.aligned.row.m8n8k128.global.b1 {%r1}, [%rd0], 128;",
        "mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f64 {%f,%f,%f,%f,%f,%f,%f,%f}, {%r1,%r1}, {%r1,%r1}, "
        "{%rd1,%rd1};",
        "cp.async.ca.shared.global [s], [%rd0], 4, !%p1;",
    };
    (void)state;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        char body[600];
        snprintf(body, sizeof body, ".reg .f32 %%f;\n.reg .b128 %%q;\n%s\nret;", forms[i]);
        const struct setting s = { .body = body,
                                   .before = ".shared .align 16 .b8 s[256];\n",
                                   .block = { 32 } };
        run(&s, &outcome);
        if (outcome.result.finding_count != 1 || outcome.result.findings[0].kind != SIM_UNKNOWN)
            fail_msg("%s is not refused", forms[i]);
        sim_result_free(&outcome.result);
    }
}

// Each lane gives the function three words and its choice among them, which is found by address.
static void a_function_reads_its_parameter_by_address(void **state)
{
    static const char pick[] =
        ".func (.param .b32 result) pick(.param .b32 which, .param .align 4 .b8 of[12])\n{\n"
        ".reg .b64 %f<4>;\n.reg .b32 %v<4>;\nmov.b64 %f0, of;\nld.param.u32 %v0, [which];\n"
        "mul.wide.u32 %f1, %v0, 4;\nadd.s64 %f2, %f0, %f1;\nld.param.u32 %v1, [%f2];\n"
        "st.param.b32 [result], %v1;\nret;\n}\n";
    run_warp("rem.u32 %r4, %r0, 3; mul.lo.u32 %r5, %r0, 10;\n"
             "{\n.param .b32 a;\n.param .align 4 .b8 b[12];\n.param .b32 r;\nst.param.b32 [a], %r4;\n"
             "st.param.b32 [b], 7; st.param.b32 [b+4], %r5; st.param.b32 [b+8], %r0;\n"
             "call.uni (r), pick, (a, b);\nld.param.b32 %r6, [r];\n}\nst.global.u32 [%rd0], %r6; ret;",
             pick);
    for (uint32_t lane = 0; lane < 32; lane++)
        assert_int_equal(outcome.words[lane], lane % 3 == 0 ? 7 : lane % 3 == 1 ? lane * 10 : lane);
    drop(&outcome);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_buffer_without_a_name_is_not_called_freed),
        cmocka_unit_test(lop3_gives_a_predicate_too),
        cmocka_unit_test(vectors_are_taken_apart_and_put_together),
        cmocka_unit_test(clocks_go_forward),
        cmocka_unit_test(a_function_reads_its_parameter_by_address),
        cmocka_unit_test(addresses_know_their_space),
        cmocka_unit_test(registers_may_be_wider_than_what_is_loaded),
        cmocka_unit_test(atomics_of_rare_types),
        cmocka_unit_test(atomics_of_vectors_of_halves),
        cmocka_unit_test(lanes_agree),
        cmocka_unit_test(what_has_no_effect_is_known),
        cmocka_unit_test(forms_that_do_not_exist_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
