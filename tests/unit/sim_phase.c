// Barriers in shared memory and bulk copies: their phases, and the mistakes that are made with them. A mistake and its
// corrected twin differ in one line.
// Parts: wide baseline
#include "engine/sim/sim.h"

#include "tests/unit/sim_kernel.h"

#define SHARED ".shared .align 128 .b8 s[1024];\n.shared .align 8 .b64 bar;\n"
#define START                                                                                                \
    "mov.u32 %r4, s;\nmov.u32 %r5, bar;\nsetp.eq.u32 %p0, %r0, 0;\nshl.b32 %r6, %r0, 2;\nadd.u32 %r6, %r4, " \
    "%r6;\n"                                                                                                 \
    ".reg .pred %q;\n"
#define INIT                                                                                                 \
    "@%p0 mbarrier.init.shared::cta.b64 [%r5], 1;\n@%p0 fence.mbarrier_init.release.cluster;\nbar.sync 0;\n"
#define EXPECT "@%p0 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r5], 512;\n"
#define ARRIVE "@%p0 mbarrier.arrive.shared::cta.b64 _, [%r5];\n"
#define LOAD                                                                                                 \
    "@%p0 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r4], [%rd1], 512, [%r5];\n"
#define WAIT(parity)                                                                                         \
    "W" parity ": mbarrier.try_wait.parity.shared::cta.b64 %q, [%r5], " parity ";\n@!%q bra W" parity ";\n"
#define READ                                                                                                 \
    "ld.shared.u32 %r7, [%r6];\nadd.u32 %r7, %r7, 1;\nadd.u64 %rd3, %rd0, 1024;\nst.global.u32 [%rd3], "     \
    "%r7;\nret;"

static void launch(const char *body, struct kernel_outcome *o)
{
    const struct setting setting = {
        .body = body, .before = SHARED, .block = { 64 }, .options = { .check = SIM_CHECK_ALL }
    };
    run(&setting, o);
}

static void expect(const char *body, enum sim_kind kind, const char *says)
{
    static struct kernel_outcome o;
    launch(body, &o);
    const struct sim_finding *finding = expect_finding(&o, kind, SIM_ERROR);
    if (!strstr(finding->sentence, says))
        fail_msg("\"%s\" is not in: %s", says, finding->sentence);
    drop(&o);
}

static void expect_none(const char *body)
{
    static struct kernel_outcome o;
    launch(body, &o);
    expect_clean(&o);
    drop(&o);
}

static void a_bulk_copy_is_there_after_the_wait(void **state)
{
    (void)state;
    expect_none(START INIT EXPECT LOAD WAIT("0") READ);
    expect(START INIT EXPECT LOAD READ, SIM_RACE_SHARED, "s[");
    expect(START INIT EXPECT LOAD "bar.sync 0;\n" READ, SIM_RACE_SHARED, "Wait for its mbarrier first");
}

static void the_parity_is_that_of_the_phase(void **state)
{
    (void)state;
    static struct kernel_outcome o;
    launch(START INIT EXPECT LOAD WAIT("1") READ, &o);
    assert_true(o.result.finding_count > 0);
    assert_false(o.result.complete && o.result.finding_count == 0);
    drop(&o);
    // Two phases, one after the other.
    expect_none(START INIT EXPECT LOAD WAIT("0") "ld.shared.u32 %r8, [%r6];\nbar.sync 0;\n" EXPECT LOAD WAIT(
        "1") READ);
}

static void bytes_must_be_announced(void **state)
{
    (void)state;
    expect(START INIT LOAD ARRIVE WAIT("0") READ, SIM_BARRIER, "expect_tx");
}

static void a_barrier_must_be_initialised(void **state)
{
    (void)state;
    expect(START EXPECT LOAD WAIT("0") READ, SIM_BARRIER, "was not initialised");
    expect(START INIT ARRIVE ARRIVE "@%p0 mbarrier.arrive.shared::cta.b64 _, [%r5], 2;\n" WAIT("0") "ret;",
           SIM_BARRIER, "more often");
}

#define WRITE "st.shared.u32 [%r6], %r0;\n"
#define FENCE "fence.proxy.async.shared::cta;\n"
#define STORE                                                                                                \
    "@%p0 cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r4], 256;\n@%p0 "                            \
    "cp.async.bulk.commit_group;\n"
#define GONE "@%p0 cp.async.bulk.wait_group.read 0;\nbar.sync 0;\n"

static void what_threads_wrote_needs_a_proxy_fence(void **state)
{
    (void)state;
    static struct kernel_outcome o;
    launch(START WRITE FENCE "bar.sync 0;\n" STORE "@%p0 cp.async.bulk.wait_group 0;\nret;", &o);
    expect_clean(&o);
    for (uint32_t i = 0; i < 64; i++)
        assert_int_equal(o.words[i], i);
    drop(&o);
    expect(START WRITE "bar.sync 0;\n" STORE "@%p0 cp.async.bulk.wait_group 0;\nret;", SIM_RACE_SHARED,
           "fence.proxy.async");
}

static void the_source_of_a_bulk_copy_stays_until_it_was_read(void **state)
{
    (void)state;
    expect_none(START WRITE FENCE "bar.sync 0;\n" STORE GONE WRITE "ret;");
    expect(START WRITE FENCE "bar.sync 0;\n" STORE "bar.sync 0;\n" WRITE "ret;", SIM_RACE_SHARED,
           "may still read it");
}

// A value goes from one warp to the other through shared memory, ordered by nothing but an mbarrier.
#define HAND_OVER(how)                                                                                       \
    START INIT                                                                                               \
        "setp.lt.u32 %p1, %r0, 32;\n@!%p1 bra C;\nst.shared.u32 [%r6], %r0;\nbar.warp.sync 0xffffffff;\n"    \
        "@%p0 mbarrier.arrive.shared::cta.b64 _, [%r5];\nret;\nC: " how "ld.shared.u32 %r7, [%r6+-128];\n"   \
        "st.global.u32 [%rd0], %r7;\nret;"
static void an_mbarrier_orders_warps(void **state)
{
    (void)state;
    static struct kernel_outcome o;
    launch(HAND_OVER(WAIT("0")), &o);
    expect_clean(&o);
    assert_int_equal(o.words[40], 8);
    drop(&o);
    launch(HAND_OVER(""), &o);
    assert_true(o.result.finding_count > 0);
    drop(&o);
}

static void what_is_not_known_is_named(void **state)
{
    (void)state;
    expect("wgmma.fence.sync.aligned;\nret;", SIM_UNKNOWN, "wgmma.fence");
    expect("tcgen05.wait::ld.sync.aligned;\nret;", SIM_UNKNOWN, "tcgen05");
    expect("cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd1, "
           "{%r2}], [%r3];\nret;",
           SIM_UNKNOWN, "tensor");
}

// ---- between the two blocks of a cluster -------------------------------------------------------------------------------

#define MEET "barrier.cluster.arrive;\nbarrier.cluster.wait;\n"
// The same places in the other block: %r12 of s, %r13 of the barrier, %r14 of the thread's word.
#define OTHER                                                                                                \
    START "mov.u32 %r10, %cluster_ctarank;\nxor.b32 %r11, %r10, 1;\n"                                        \
          "mapa.shared::cluster.u32 %r12, %r4, %r11;\nmapa.shared::cluster.u32 %r13, %r5, %r11;\n"           \
          "mapa.shared::cluster.u32 %r14, %r6, %r11;\n"
#define INIT_FOR(count)                                                                                      \
    "@%p0 mbarrier.init.shared::cta.b64 [%r5], " count ";\n@%p0 fence.mbarrier_init.release.cluster;\n"
#define EXPECT_256 "@%p0 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r5], 256;\n"
#define STORE_ASYNC "st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%r14], %r3, [%r13];\n"
#define TELL(offset) "ld.shared.u32 %r7, [%r6+" offset "];\nst.global.u32 [%rd0], %r7;\n" MEET "ret;"

static void launch_cluster(const char *body, struct kernel_outcome *o)
{
    const struct setting setting = { .body = body,
                                     .before = SHARED,
                                     .block = { 64 },
                                     .grid = { 2 },
                                     .cluster = 2,
                                     .options = { .check = SIM_CHECK_ALL } };
    run(&setting, o);
}

// Thread i of the two blocks leaves factor * (i xor `with`) + plus.
static void expect_told(const char *body, uint32_t factor, uint32_t with, uint32_t plus)
{
    static struct kernel_outcome o;
    launch_cluster(body, &o);
    expect_clean(&o);
    for (uint32_t i = 0; i < 128; i++)
        assert_int_equal(o.words[i], factor * (i ^ with) + plus);
    drop(&o);
}

static void expect_between(const char *body, enum sim_kind kind, const char *says)
{
    static struct kernel_outcome o;
    launch_cluster(body, &o);
    const struct sim_finding *finding = expect_finding(&o, kind, SIM_ERROR);
    if (!strstr(finding->sentence, says))
        fail_msg("\"%s\" is not in: %s", says, finding->sentence);
    drop(&o);
}

static void an_asynchronous_store_is_there_after_the_wait(void **state)
{
    (void)state;
    expect_told(OTHER INIT_FOR("1") EXPECT_256 MEET STORE_ASYNC WAIT("0") TELL("0"), 1, 64, 0);
    expect_between(OTHER INIT_FOR("1") EXPECT_256 MEET STORE_ASYNC TELL("0"), SIM_RACE_SHARED,
                   "Wait for its mbarrier before its bytes are read");
    expect_between(OTHER INIT_FOR("1") EXPECT_256 STORE_ASYNC WAIT("0") TELL("0"), SIM_NOT_STARTED,
                   "may not have started");
    expect_between(OTHER INIT_FOR("1") MEET STORE_ASYNC ARRIVE WAIT("0") TELL("0"), SIM_BARRIER, "expect_tx");
    expect_between(
        OTHER INIT_FOR("1") EXPECT_256 MEET
        "st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%r14], %r3, [%r5];\n" TELL("0"),
        SIM_BARRIER, "The barrier has to be where the bytes go to");
}

static void asynchronous_stores_have_vectors_and_operations(void **state)
{
    (void)state;
    // 16 threads bring 4 words each.
    expect_told(
        OTHER INIT_FOR("1") EXPECT_256 MEET
        "setp.lt.u32 %p1, %r0, 16;\nshl.b32 %r15, %r0, 4;\nadd.u32 %r15, %r15, %r12;\n"
        "shl.b32 %r16, %r3, 2;\nadd.u32 %r17, %r16, 1;\nadd.u32 %r18, %r16, 2;\nadd.u32 %r19, %r16, 3;\n"
        "@%p1 st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%r15], {%r16, %r17, %r18, "
        "%r19}, [%r13];\n" WAIT("0") "mul.lo.u32 %r20, %r11, 192;\nld.shared.u32 %r7, [%r6];\n"
                                     "sub.u32 %r7, %r7, %r20;\nst.global.u32 [%rd0], %r7;\n" MEET "ret;",
        1, 64, 0);
    // All add 2 to one word of the other block.
    expect_told(OTHER INIT_FOR("1") EXPECT_256
                "st.shared.u32 [%r6], 5;\n" MEET
                "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%r12], 2, "
                "[%r13];\n" WAIT("0") "ld.shared.u32 %r7, [%r4];\nst.global.u32 [%rd0], %r7;\n" MEET "ret;",
                0, 0, 133);
    expect_between(
        OTHER INIT_FOR("1") EXPECT_256
        "st.shared.u32 [%r6], 5;\n" MEET
        "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%r12], 2, "
        "[%r13];\nld.shared.u32 %r7, [%r4];\nst.global.u32 [%rd0], %r7;\n" MEET "ret;",
        SIM_RACE_SHARED, "Wait for its mbarrier before its bytes are read");
}

// Two rounds: the second comes to the same words, when the threads that have read the first have said so.
#define ROUND_TWO(free)                                                                                      \
    OTHER "add.u32 %r16, %r4, 1016;\nadd.u32 %r17, %r12, 1016;\n@%p0 mbarrier.init.shared::cta.b64 [%r16], " \
          "64;\n" INIT_FOR("1") EXPECT_256 MEET STORE_ASYNC WAIT(                                            \
              "0") "ld.shared.u32 %r20, [%r6];\n"                                                            \
                   "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r17];\n" free EXPECT_256        \
                   "add.u32 %r3, %r3, 7;\n" STORE_ASYNC WAIT("1") TELL("0")
static void bytes_that_were_read_may_be_sent_again(void **state)
{
    (void)state;
    expect_told(
        ROUND_TWO(
            "F: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %q, [%r16], 0;\n@!%q bra F;\n"),
        1, 64, 7);
    // Without that a warp may miss a whole phase, and waits for one that has been.
    static struct kernel_outcome o;
    launch_cluster(ROUND_TWO(""), &o);
    assert_true(o.result.finding_count > 0);
    drop(&o);
}

#define SEND                                                                                                 \
    "add.u32 %r12, %r12, 512;\n@%p0 cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes " \
    "[%r12], [%r4], 256, [%r13];\n"
static void a_bulk_copy_goes_to_another_block(void **state)
{
    (void)state;
    expect_told(OTHER INIT_FOR("1") EXPECT_256 "st.shared.u32 [%r6], %r3;\n" FENCE MEET SEND WAIT("0")
                    TELL("512"),
                1, 64, 0);
    expect_between(OTHER INIT_FOR("1") EXPECT_256 "st.shared.u32 [%r6], %r3;\n" MEET SEND WAIT("0")
                       TELL("512"),
                   SIM_RACE_SHARED, "fence.proxy.async");
    expect_between(OTHER INIT_FOR("1") EXPECT_256 "st.shared.u32 [%r6], %r3;\n" FENCE MEET SEND TELL("512"),
                   SIM_RACE_SHARED, "Wait for its mbarrier before its bytes are read");
}

#define TO_ALL                                                                                               \
    ".reg .b16 %all;\nmov.u16 %all, 3;\nsetp.eq.and.u32 %p2, %r10, 0, %p0;\n@%p2 "                           \
    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%r4], [%rd1], "   \
    "256, "                                                                                                  \
    "[%r5], %all;\n"
static void a_bulk_copy_goes_to_all_blocks(void **state)
{
    (void)state;
    static struct kernel_outcome o;
    const char *const read = "add.u64 %rd3, %rd0, 1024;\nld.shared.u32 %r7, [%r6];\nadd.u32 %r7, %r7, 1;\n"
                             "st.global.u32 [%rd3], %r7;\n" MEET "ret;";
    static char body[4096];
    snprintf(body, sizeof body, "%s%s", OTHER INIT_FOR("1") EXPECT_256 MEET TO_ALL WAIT("0"), read);
    launch_cluster(body, &o);
    expect_clean(&o);
    for (int i = 0; i < 128; i++)
        assert_int_equal(o.words[256 + i], 1);
    drop(&o);
    // Only the block that copies has announced the bytes.
    snprintf(body, sizeof body, "%s%s",
             OTHER INIT_FOR("1") "setp.eq.and.u32 %p2, %r10, 0, %p0;\n"
                                 "@%p2 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r5], 256;\n" MEET TO_ALL
                                     ARRIVE WAIT("0"),
             read);
    expect_between(body, SIM_BARRIER, "expect_tx");
}

static void blocks_arrive_at_each_other_s_barriers(void **state)
{
    (void)state;
#define GIVE                                                                                                 \
    "st.shared::cluster.u32 [%r14], %r3;\nmbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r13];\n"
    expect_told(OTHER INIT_FOR("64") MEET GIVE WAIT("0") TELL("0"), 1, 64, 0);
    expect_between(OTHER INIT_FOR("64") MEET GIVE TELL("0"), SIM_RACE_SHARED, "s[");
    expect_between(OTHER "bar.sync 0;\n" MEET GIVE TELL("0"), SIM_BARRIER,
                   "uses an mbarrier of another block that was not initialised");
    expect_between(OTHER INIT_FOR("64") MEET GIVE
                   "mbarrier.test_wait.parity.shared::cta.b64 %q, [%r13], 0;\n" WAIT("0") TELL("0"),
                   SIM_BARRIER, "waits for an mbarrier of another block");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bulk_copy_is_there_after_the_wait),
        cmocka_unit_test(the_parity_is_that_of_the_phase),
        cmocka_unit_test(bytes_must_be_announced),
        cmocka_unit_test(a_barrier_must_be_initialised),
        cmocka_unit_test(what_threads_wrote_needs_a_proxy_fence),
        cmocka_unit_test(the_source_of_a_bulk_copy_stays_until_it_was_read),
        cmocka_unit_test(an_mbarrier_orders_warps),
        cmocka_unit_test(what_is_not_known_is_named),
        cmocka_unit_test(an_asynchronous_store_is_there_after_the_wait),
        cmocka_unit_test(asynchronous_stores_have_vectors_and_operations),
        cmocka_unit_test(bytes_that_were_read_may_be_sent_again),
        cmocka_unit_test(a_bulk_copy_goes_to_another_block),
        cmocka_unit_test(a_bulk_copy_goes_to_all_blocks),
        cmocka_unit_test(blocks_arrive_at_each_other_s_barriers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
