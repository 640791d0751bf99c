// Conversions to and from e4m3, e5m2 and tf32, on all halves, all bytes and 2^18 floats, equal to those of an H100:
// tests/data/truth/fp8.csv has digests of what tests/data/truth/tensor/programs/mma.cu has written there.
// Parts: wide baseline
#include "engine/sim/sim.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/sim_kernel.h"

static const char frame[] =
    ".version 8.4\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n.reg .b16 %h<8>;\n"
    ".reg .b32 %r<16>;\n.reg .f32 %f<4>;\n.reg .b64 %q<8>;\n.reg .pred %p<4>;\nld.param.u64 %q1, "
    "[p];\nmov.u32 %r0, %tid.x;\n"
    "mov.u32 %r1, %ctaid.x;\nmad.lo.u32 %r0, %r1, 256, %r0;\nmul.wide.u32 %q2, %r0, BYTES;\n"
    "add.u64 %q1, %q1, %q2;\n";
// Float number r0: its upper half is r0 / 4, its lower one is one of four.
#define FLOAT(second, third)                                                                                 \
    "shr.u32 %r2, %r0, 2;\nshl.b32 %r2, %r2, 16;\nand.b32 %r3, %r0, 3;\nmov.u32 %r4, 0;\nsetp.eq.u32 %p0, "  \
    "%r3, 1;\n"                                                                                              \
    "selp.u32 %r4, " second ", %r4, %p0;\nsetp.eq.u32 %p0, %r3, 2;\nselp.u32 %r4, " third ", %r4, %p0;\n"    \
    "setp.eq.u32 %p0, %r3, 3;\nselp.u32 %r4, 0xffff, %r4, %p0;\nor.b32 %r2, %r2, %r4;\nmov.b32 %f1, "        \
    "%r2;\nmov.f32 %f0, 0f00000000;\n"
#define STORE_BYTES "st.global.u8 [%q1], %h1;\nst.global.u8 [%q1+1], %h2;\nret;\n}\n"

static const struct {
    unsigned bytes, count; // of one result, results
    const char *body;
} conversions[] = {
    { 2, 1 << 18,
      FLOAT("1", "0x8000") "cvt.rn.satfinite.e4m3x2.f32 %h1, %f0, %f1;\ncvt.rn.satfinite.e5m2x2.f32 %h2, "
                           "%f0, %f1;\n" STORE_BYTES },
    { 2, 1 << 16,
      "cvt.rn.satfinite.e4m3x2.f16x2 %h1, %r0;\ncvt.rn.satfinite.e5m2x2.f16x2 %h2, %r0;\n" STORE_BYTES },
    { 4, 256,
      "cvt.u16.u32 %h0, %r0;\ncvt.rn.f16x2.e4m3x2 %r2, %h0;\ncvt.rn.f16x2.e5m2x2 %r3, %h0;\n"
      "st.global.u16 [%q1], %r2;\nst.global.u16 [%q1+2], %r3;\nret;\n}\n" },
    { 8, 1 << 18,
      FLOAT("0x1000", "0x1001") "cvt.rna.tf32.f32 %r5, %f1;\ncvt.rn.tf32.f32 %r6, %f1;\nst.global.v2.u32 "
                                "[%q1], {%r5,%r6};\nret;\n}\n" },
};

static uint64_t digest_of(unsigned bytes, unsigned count, const char *body)
{
    char text[4096], number[16];
    snprintf(number, sizeof number, "%u", bytes);
    const char *place = strstr(frame, "BYTES");
    snprintf(text, sizeof text, "%.*s%s%s%s", (int)(place - frame), frame, number, place + strlen("BYTES"),
             body);
    unsigned char *out = aligned_alloc(256, (size_t)bytes * count);
    assert_non_null(out);
    struct sim_module *module = read_module(text);
    struct sim_memory *memory = sim_memory_new();
    const sim_address at = sim_memory_add(memory, "out", out, (size_t)bytes * count, bytes, SIM_OUT);
    const struct sim_argument argument = { &at, sizeof at };
    const struct sim_launch launch = {
        .grid = { count / 256, 1, 1 }, .block = { 256, 1, 1 }, .arguments = &argument, .argument_count = 1
    };
    const struct sim_options options = { .check = SIM_CHECK_COUNTERS, .threads = 1 };
    struct sim_result result;
    struct sim_fault fault;
    assert_true(sim_run(module, memory, &launch, &options, &result, &fault));
    if (result.finding_count)
        fail_msg("%s", result.findings[0].sentence);
    uint64_t hash = 1469598103934665603ull;
    for (size_t i = 0; i < (size_t)bytes * count; i++)
        hash = (hash ^ out[i]) * 0x100000001b3ull;
    sim_result_free(&result);
    sim_memory_free(memory);
    sim_module_free(module);
    free(out);
    return hash;
}

static void conversions_are_those_of_an_h100(void **state)
{
    (void)state;
    FILE *table = fopen("tests/data/truth/fp8.csv", "r");
    char line[128];
    int wrong = 0;
    assert_non_null(table);
    assert_non_null(fgets(line, sizeof line, table));
    for (size_t i = 0; i < sizeof conversions / sizeof *conversions; i++) {
        assert_non_null(fgets(line, sizeof line, table));
        const uint64_t wanted = strtoull(strchr(line, ',') + 1, NULL, 16);
        if (digest_of(conversions[i].bytes, conversions[i].count, conversions[i].body) != wanted) {
            print_error("%s differs from an H100's\n", line);
            wrong++;
        }
    }
    fclose(table);
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(conversions_are_those_of_an_h100) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
