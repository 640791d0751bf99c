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
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
