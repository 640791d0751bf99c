// Operations on single values whose results are known: worked out by hand, or with another language's mathematics.
// The last bit of an approximation is nobody's business here, but those of halves come from far more of them: tanh is
// rounded, and ex2 cut off.
#include "tests/unit/sim_lanes.h"

struct known {
    const char *name, *shape; // the shape as in struct form: u: u32, h: b16, l: u64, destination first
    uint64_t in[3], want;
};

static bool is_near(const struct known *k, uint64_t got)
{
    const uint64_t gap = got > k->want ? got - k->want : k->want - got;
    return strstr(k->name, "approx") && strstr(k->name, "f32") ? gap <= 1 : gap == 0;
}

static void check_known(const struct known *k)
{
    struct lanes_bench b;
    const char *types[OPERANDS];
    const int count = (int)strlen(k->shape);
    for (int i = 0; i < count; i++)
        types[i] = type_of(k->shape[i], "-");
    bench_open(&b, k->name, "", types, count);
    b.warp.active = FULL_MASK;
    for (int build = 0; build < b.builds; build++) {
        for (int lane = 0; lane < LANES; lane++)
            for (int i = 1; i < count; i++)
                put(&b, i, lane, k->in[i - 1]);
        b.ops[build].run(&b.warp, &b.ops[build]);
        for (int lane = 0; lane < LANES; lane++)
            if (!is_near(k, get(&b, 0, lane)))
                fail_msg("%s of %llx, %llx, %llx gave %llx, not %llx", k->name, (unsigned long long)k->in[0],
                         (unsigned long long)k->in[1], (unsigned long long)k->in[2],
                         (unsigned long long)get(&b, 0, lane), (unsigned long long)k->want);
    }
    bench_close(&b);
}
#define CHECK_KNOWN(table)                                                                                   \
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)                                                \
    check_known(&table[i])

static const struct known powers[] = {
    { "ex2.approx.f16", "hh", { 0x0000 }, 0x3c00 },
    { "ex2.approx.f16", "hh", { 0x3c00 }, 0x4000 },
    { "ex2.approx.f16", "hh", { 0xbc00 }, 0x3800 },
    { "ex2.approx.f16", "hh", { 0x3800 }, 0x3da8 },
    { "ex2.approx.f16", "hh", { 0xcb00 }, 0x0400 },
    { "ex2.approx.f16", "hh", { 0xcb40 }, 0x02d4 },
    { "ex2.approx.f16", "hh", { 0xce00 }, 0x0001 },
    { "ex2.approx.f16", "hh", { 0xce60 }, 0x0000 },
    { "ex2.approx.f16", "hh", { 0x4366 }, 0x4a7e },
    { "ex2.approx.f16", "hh", { 0x4bc0 }, 0x79a8 },
    { "ex2.approx.f16", "hh", { 0x4bff }, 0x7bf4 },
    { "ex2.approx.f16", "hh", { 0x4c00 }, 0x7c00 },
    { "neg.f16x2", "uu", { 0x7faae6aa }, 0x7fff66aa },
    { "abs.bf16x2", "uu", { 0xff811234 }, 0x7fff1234 },
    { "ex2.approx.ftz.bf16", "hh", { 0x3e80 }, 0x3f98 },
    { "ex2.approx.ftz.bf16", "hh", { 0xbfc0 }, 0x3eb5 },
    { "ex2.approx.ftz.bf16", "hh", { 0x3f60 }, 0x3fea },
    { "ex2.approx.ftz.bf16", "hh", { 0x40c8 }, 0x4298 },
    { "ex2.approx.ftz.bf16", "hh", { 0xc2c8 }, 0x0d80 },
    { "ex2.approx.ftz.bf16", "hh", { 0x42c8 }, 0x7180 },
    { "tanh.approx.f16", "hh", { 0x0000 }, 0x0000 },
    { "tanh.approx.bf16", "hh", { 0x0000 }, 0x0000 },
    { "tanh.approx.f16", "hh", { 0x8000 }, 0x8000 },
    { "tanh.approx.bf16", "hh", { 0x8000 }, 0x8000 },
    { "tanh.approx.f16", "hh", { 0x3800 }, 0x3765 },
    { "tanh.approx.bf16", "hh", { 0x3f00 }, 0x3eed },
    { "tanh.approx.f16", "hh", { 0xb800 }, 0xb765 },
    { "tanh.approx.bf16", "hh", { 0xbf00 }, 0xbeed },
    { "tanh.approx.f16", "hh", { 0x3c00 }, 0x3a18 },
    { "tanh.approx.bf16", "hh", { 0x3f80 }, 0x3f43 },
    { "tanh.approx.f16", "hh", { 0xc200 }, 0xbbf6 },
    { "tanh.approx.bf16", "hh", { 0xc040 }, 0xbf7f },
    { "tanh.approx.f16", "hh", { 0x1419 }, 0x1419 },
    { "tanh.approx.bf16", "hh", { 0x3a83 }, 0x3a83 },
    { "tanh.approx.f16", "hh", { 0x4880 }, 0x3c00 },
    { "tanh.approx.bf16", "hh", { 0x4110 }, 0x3f80 },
    { "ex2.approx.f16x2", "uu", { 0x3800c200 }, 0x3da83000 },
    { "ex2.approx.ftz.bf16x2", "uu", { 0x3f00c040 }, 0x3fb53e00 },
    { "tanh.approx.f16x2", "uu", { 0x3800c200 }, 0x3765bbf6 },
    { "tanh.approx.bf16x2", "uu", { 0x3f00c040 }, 0x3eedbf7f },
    { "ex2.approx.f32", "uu", { 0x3f000000 }, 0x3fb504f3 },
    { "ex2.approx.f32", "uu", { 0xc0500000 }, 0x3dd744fd },
    { "ex2.approx.f32", "uu", { 0x41200000 }, 0x44800000 },
    { "ex2.approx.f32", "uu", { 0xc2fc0000 }, 0x00800000 },
    { "ex2.approx.f32", "uu", { 0xc3020000 }, 0x00080000 },
    { "ex2.approx.f32", "uu", { 0x3dcccccd }, 0x3f892fdf },
    { "lg2.approx.f32", "uu", { 0x3f800000 }, 0x00000000 },
    { "lg2.approx.f32", "uu", { 0x41000000 }, 0x40400000 },
    { "lg2.approx.f32", "uu", { 0x3dcccccd }, 0xc0549a78 },
    { "lg2.approx.f32", "uu", { 0x40400000 }, 0x3fcae00d },
    { "lg2.approx.f32", "uu", { 0x006ce3ee }, 0xc2fc776f },
    { "sin.approx.f32", "uu", { 0x00000000 }, 0x00000000 },
    { "sin.approx.f32", "uu", { 0x3f800000 }, 0x3f576aa4 },
    { "sin.approx.f32", "uu", { 0xc0200000 }, 0xbf193578 },
    { "cos.approx.f32", "uu", { 0x00000000 }, 0x3f800000 },
    { "cos.approx.f32", "uu", { 0x3f800000 }, 0x3f0a5140 },
    { "cos.approx.f32", "uu", { 0xc0200000 }, 0xbf4d17bf },
    { "sin.approx.ftz.f32", "uu", { 0x00000000 }, 0x00000000 },
    { "cos.approx.ftz.f32", "uu", { 0x00000000 }, 0x3f800000 },
    { "tanh.approx.f32", "uu", { 0x00000000 }, 0x00000000 },
    { "sin.approx.ftz.f32", "uu", { 0x3f800000 }, 0x3f576aa4 },
    { "cos.approx.ftz.f32", "uu", { 0x3f800000 }, 0x3f0a5140 },
    { "tanh.approx.f32", "uu", { 0x3f800000 }, 0x3f42f7d6 },
    { "sin.approx.ftz.f32", "uu", { 0xc0200000 }, 0xbf193578 },
    { "cos.approx.ftz.f32", "uu", { 0xc0200000 }, 0xbf4d17bf },
    { "tanh.approx.f32", "uu", { 0xc0200000 }, 0xbf7c92c1 },
    // flushed on the way in or out
    { "ex2.approx.ftz.f16", "hh", { 0xcd00 }, 0x0000 },                         // 2^-20 is subnormal
    { "ex2.approx.ftz.f32", "uu", { 0xc3020000 }, 0x00000000 },                 // 2^-130 too
    { "lg2.approx.ftz.f32", "uu", { 0x00000001 }, 0xff800000 },                 // of 0
    { "rcp.approx.ftz.f64", "ll", { 0x4008000000000000 }, 0x3fd5555500000000 }, // the upper half of a third
    { "rsqrt.approx.ftz.f64", "ll", { 0x4010000000000000 }, 0x3fe0000000000000 },
    { "tanh.approx.f32", "uu", { 0x7f800000 }, 0x3f800000 },
    { "tanh.approx.f16", "hh", { 0x7e00 }, 0x7fff },
    { "cos.approx.f32", "uu", { 0x7f800000 }, 0x7fffffff },
};

static void powers_and_the_like_are_known(void **state)
{
    CHECK_KNOWN(powers);
}

static void halves_saturate_flush_and_keep_nan(void **state)
{
    // f16: 3c00 1, 4000 2, 3800 0.5, bc00 -1, 0001 the least subnormal, 0400 the least normal, 7e00 NaN
    // bf16: 3f80 1, 4000 2, bf80 -1, 7fc0 NaN
    static const struct known table[] = {
        { "sub.sat.f16", "hhh", { 0x4000, 0x3800 }, 0x3c00 },
        { "sub.sat.f16", "hhh", { 0x3800, 0x4000 }, 0x0000 },
        { "sub.sat.f16", "hhh", { 0x7e00, 0x4000 }, 0x0000 },
        { "sub.ftz.f16x2", "uuu", { 0x04013c00, 0x04003800 }, 0x00003800 }, // 0x0001 is lost
        { "mul.sat.f16", "hhh", { 0x4000, 0x3c00 }, 0x3c00 },
        { "mul.ftz.f16", "hhh", { 0x0400, 0x3800 }, 0x0000 },
        { "mul.f16", "hhh", { 0x0400, 0x3800 }, 0x0200 },
        { "mul.ftz.f16x2", "uuu", { 0x80010001, 0x40004000 }, 0x80000000 }, // keeps the sign
        { "min.ftz.f16", "hhh", { 0x0001, 0x3c00 }, 0x0000 },
        { "min.NaN.f16x2", "uuu", { 0x7e003c00, 0x3c004000 }, 0x7fff3c00 },
        { "min.f16x2", "uuu", { 0x7e003c00, 0x3c004000 }, 0x3c003c00 },
        { "max.NaN.f16", "hhh", { 0x3c00, 0x7e00 }, 0x7fff },
        { "max.NaN.f16x2", "uuu", { 0xbc00bc00, 0x7e003c00 }, 0x7fff3c00 },
        { "min.xorsign.abs.f16x2", "uuu", { 0xbc004000, 0x4000bc00 }, 0xbc00bc00 },
        { "max.xorsign.abs.f16x2", "uuu", { 0xbc00bc00, 0x4000c000 }, 0xc0004000 },
        { "max.NaN.xorsign.abs.f16", "hhh", { 0xbc00, 0x7e00 }, 0x7fff },
        { "min.NaN.bf16", "hhh", { 0x3f80, 0x7fc0 }, 0x7fff },
        { "min.bf16", "hhh", { 0x3f80, 0x7fc0 }, 0x3f80 },
        { "min.NaN.bf16x2", "uuu", { 0x7fc03f80, 0x3f804000 }, 0x7fff3f80 },
        { "max.NaN.bf16", "hhh", { 0xbf80, 0x4000 }, 0x4000 },
        { "max.xorsign.abs.bf16x2", "uuu", { 0xbf803f80, 0x4000c000 }, 0xc000c000 },
    };
    CHECK_KNOWN(table);
}

// The corners that a random value seldom meets.
static void orders_and_tests_at_zero(void **state)
{
    static const struct known table[] = {
        { "min.f32", "uuu", { 0x80000000, 0x00000000 }, 0x80000000 }, // -0 is less than 0
        { "max.f32", "uuu", { 0x80000000, 0x00000000 }, 0x00000000 },
        { "min.f32", "uuu", { 0x7fc00000, 0x3f800000 }, 0x3f800000 },
        { "min.NaN.f32", "uuu", { 0x7fc00000, 0x3f800000 }, 0x7fffffff },
        { "add.sat.f32", "uuu", { 0x7fc00000, 0x3f800000 }, 0x00000000 },
        { "testp.normal.f32", "pu", { 0x00000000 }, 1 },
        { "testp.normal.f32", "pu", { 0x80000000 }, 1 },
        { "testp.subnormal.f32", "pu", { 0x80000000 }, 0 },
        { "testp.subnormal.f32", "pu", { 0x00000001 }, 1 },
        { "testp.normal.f64", "pl", { 0 }, 1 },
        { "testp.subnormal.f64", "pl", { 0 }, 0 },
        { "slct.b32.f32", "uuuu", { 1, 2, 0x80000000 }, 1 },     // -0 counts as 0
        { "slct.b32.f32", "uuuu", { 1, 2, 0x7fc00000 }, 2 },     // NaN
        { "slct.b32.f32", "uuuu", { 1, 2, 0x80000001 }, 2 },     // less than 0
        { "slct.ftz.b32.f32", "uuuu", { 1, 2, 0x80000001 }, 1 }, // not any more
        { "cvt.rni.s32.f32", "uu", { 0x40200000 }, 2 },          // 2.5 to even
        { "cvt.rni.s32.f32", "uu", { 0xc0600000 }, 0xfffffffc }, // -3.5 to even
        { "cvt.rzi.u32.f32", "uu", { 0xbf800000 }, 0 },          // -1
        { "cvt.rzi.s32.f32", "uu", { 0x7fc00000 }, 0 },
        { "cvt.rzi.s64.f32", "lu", { 0x7fc00000 }, 0x8000000000000000 },
        { "cvt.rn.relu.f16.f32", "hu", { 0xbf800000 }, 0 },
        { "cvt.rn.relu.bf16x2.f32", "uuu", { 0xbf800000, 0x40000000 }, 0x4000 },
    };
    CHECK_KNOWN(table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(powers_and_the_like_are_known),
        cmocka_unit_test(halves_saturate_flush_and_keep_nan),
        cmocka_unit_test(orders_and_tests_at_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
